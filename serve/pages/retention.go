package pages

import "strconv"

// days returns the number of days in a form.
func (v *visit) days() (int, error) {
	text := v.PostFormValue("days")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, errBadRequest
	}
	return n, nil
}

func keepCheck(v *visit) error {
	days, err := v.days()
	if err != nil {
		return err
	}
	if err := v.s.Desk.KeepCheck(v.Context(), v.actor, v.PathValue("id"), days); err != nil {
		return err
	}
	return v.goTo("/checks/" + v.PathValue("id"))
}

func keepDocuments(v *visit) error {
	days, err := v.days()
	if err != nil {
		return err
	}
	if err := v.s.Desk.KeepDocuments(v.Context(), v.actor, v.PathValue("id"), days); err != nil {
		return err
	}
	return v.toCollection()
}
