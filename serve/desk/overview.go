package desk

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/work"
)

// A Class is the texts of a course that count and were checked, with the pairs that share text.
type Class struct {
	Course    *Course
	Texts     []Check
	Sharing   []report.Sharing // of the texts
	Pairs     []report.Pair    // by indices of texts
	Unchecked int              // texts without a report
}

// Class returns the class of a course of the actor's group.
func (d *courses) Class(ctx context.Context, a accounts.Actor, course string) (*Class, error) {
	c, checks, err := d.Course(ctx, a, course)
	if err != nil {
		return nil, err
	}
	stored := map[string]string{}
	if _, err = list(ctx, d.folder.Read, func(row func(...any) error, _ *struct{}) error {
		var id, data string
		err := row(&id, &data)
		stored[id] = data
		return err
	}, `SELECT id, overview FROM checks WHERE submission_id = ? AND state = 'done'`, course); err != nil {
		return nil, err
	}
	class := &Class{Course: c}
	for _, x := range checks {
		if !x.Counts {
			continue
		}
		if x.State != work.Done {
			class.Unchecked++
			continue
		}
		if stored[x.ID] == "" {
			stored[x.ID], err = d.reports.readOverview(ctx, a, x.ID)
		}
		if errors.Is(err, ErrNotFound) { // deleted meanwhile, or checked again
			class.Unchecked, err = class.Unchecked+1, nil
			continue
		}
		var in report.Sharing
		if err == nil {
			err = json.Unmarshal([]byte(stored[x.ID]), &in)
		}
		if err != nil {
			return nil, err
		}
		class.Texts, class.Sharing = append(class.Texts, x), append(class.Sharing, in)
	}
	class.Pairs = report.PairsOf(class.Sharing)
	return class, nil
}

// Beside returns two texts of a course of the actor's group that count and were checked, with the stretches that are in both, and with
// most also those that most of the texts have.
func (d *courses) Beside(ctx context.Context, a accounts.Actor, course, first, second string, most bool) (texts [2]*Check, b *report.Beside, err error) {
	_, checks, err := d.Course(ctx, a, course)
	if err != nil {
		return texts, nil, err
	}
	var reports [2]*report.Report
	for i, id := range []string{first, second} {
		at := slices.IndexFunc(checks, func(c Check) bool { return c.ID == id && c.Counts && c.State == work.Done })
		if at < 0 || first == second {
			return texts, nil, ErrNotFound
		}
		texts[i] = &checks[at]
		if reports[i], err = d.reports.Report(ctx, a, id); err != nil {
			return texts, nil, err
		}
	}
	return texts, report.BesideOf(reports[0], reports[1], most), nil
}
