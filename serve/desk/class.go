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

// News are the texts of a course that are new or whose score changed since the actor opened its page the last time but one.
type News map[string]bool // by id of the check: true for a new text, false for a changed score

// Look notes that the actor opens the page of a course, unless the page only refreshes itself, and returns what is new.
func (d *courses) Look(ctx context.Context, a accounts.Actor, course string, again bool) (News, error) {
	if _, _, err := d.Course(ctx, a, course); err != nil {
		return nil, err
	}
	if !again {
		d.noteUse(ctx, `INSERT INTO looks (user_id, course_id, earlier, seen) VALUES (?1, ?2, 0, ?3) ON CONFLICT (user_id, course_id) DO UPDATE SET earlier = looks.seen, seen = excluded.seen`, a.User, course, now())
	}
	type row struct {
		id    string
		isNew bool
	}
	rows, err := list(ctx, d.folder.Read, func(scan func(...any) error, r *row) error { return scan(&r.id, &r.isNew) },
		`SELECT c.id, c.created > l.earlier FROM checks c JOIN looks l ON l.course_id = c.submission_id AND l.user_id = ?1 WHERE c.submission_id = ?2 AND l.earlier > 0
		AND (c.created > l.earlier OR EXISTS (SELECT 1 FROM check_scores WHERE check_id = c.id AND at > l.earlier) OR EXISTS (SELECT 1 FROM decisions WHERE check_id = c.id AND user_id != ?1 AND at > l.earlier))`, a.User, course)
	news := News{}
	for _, r := range rows {
		news[r.id] = r.isNew
	}
	return news, err
}
