package pages

import "github.com/otisk/otisk/serve/api"

// days returns the number of days in a form, 0 for none.
func (v *visit) days() (int, error) { return api.FormOf(v.PostForm).Int("days") }

func retainCheck(v *visit) error {
	days, err := v.days()
	if err != nil {
		return err
	}
	return v.after(v.s.Desk.KeepCheck(v.Context(), v.actor, v.PathValue("id"), days), "/checks/{id}")
}

func retainDocuments(v *visit) error {
	days, err := v.days()
	if err != nil {
		return err
	}
	return v.after(v.s.Desk.KeepDocuments(v.Context(), v.actor, v.PathValue("id"), days), "/collections/{id}")
}
