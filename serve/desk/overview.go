package desk

import (
	"context"
	"database/sql"
	"encoding/json"
	"path"
	"slices"

	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/work"
)

// An inOverview has the data of a report that the overview of a course shows. It has no names of
// documents: a deletion need not look for them.
type inOverview struct {
	Summary  report.Summary
	Sharing  report.Sharing
	Index    search.Index
	Settings search.Settings
}

// overviewOf returns the data of a report for the overview of a course, in JSON.
func overviewOf(r *report.Report) (string, error) {
	o := inOverview{report.Summarize(r, ""), report.SharingOf(r), r.Index, r.Settings}
	o.Summary.Name, o.Summary.Title, o.Summary.By, o.Summary.Top, o.Summary.TopPath = "", "", "", "", ""
	data, err := json.Marshal(o)
	return string(data), err
}

// Overview returns the texts of a course of the actor's group that count and were checked, with the pairs
// that share text. The texts have links to their reports, relative to a page below that of the course.
func (d *Desk) Overview(ctx context.Context, a accounts.Actor, course string) (*report.Overview, error) {
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
	o := &report.Overview{Among: c.Among}
	var texts []report.Sharing
	var ids []string
	for _, x := range checks {
		if !x.Counts {
			continue
		}
		if x.State != work.Done {
			o.Unchecked++
			continue
		}
		if stored[x.ID] == "" {
			if stored[x.ID], err = d.readOverview(ctx, a, x.ID); err != nil {
				return nil, err
			}
		}
		var in inOverview
		if err := json.Unmarshal([]byte(stored[x.ID]), &in); err != nil {
			return nil, err
		}
		s := in.Summary
		s.Name, s.Link, s.Percent, s.Found = x.Path, path.Join("../../checks", x.ID, "report"), x.Score, x.Found
		s.Verdict, s.By, s.At, s.Reviewed = x.Verdict, x.VerdictBy, x.VerdictAt, x.Verdict != ""
		if x.Finished.After(o.Checked) {
			o.Checked, o.Index, o.Settings = x.Finished, in.Index, in.Settings
		}
		o.Suspects, texts, ids = append(o.Suspects, s), append(texts, in.Sharing), append(ids, x.ID)
	}
	o.Index.Name = c.Collection
	o.Pairs = report.PairsOf(texts)
	for i, p := range o.Pairs {
		o.Pairs[i].Link = path.Join("pairs", ids[p.A], ids[p.B])
	}
	return o, nil
}

// Beside returns two texts of a course of the actor's group that count and were checked, with the stretches that are in both, and with
// most also those that most of the texts have.
func (d *Desk) Beside(ctx context.Context, a accounts.Actor, course, first, second string, most bool) (texts [2]*Check, b *report.Beside, err error) {
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
		if reports[i], err = d.Report(ctx, a, id); err != nil {
			return texts, nil, err
		}
	}
	return texts, report.BesideOf(reports[0], reports[1], most), nil
}

// readOverview reads what the overview needs from a report and stores it, unless the report has other
// decisions meanwhile.
func (d *Desk) readOverview(ctx context.Context, a accounts.Actor, id string) (string, error) {
	_, number, err := d.latest(ctx, id)
	if err != nil {
		return "", err
	}
	c, err := d.Check(ctx, a, id)
	if err != nil {
		return "", err
	}
	r, err := d.Report(ctx, a, id)
	if err != nil {
		return "", err
	}
	data, err := overviewOf(r)
	if err != nil {
		return "", err
	}
	return data, d.folder.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE checks SET overview = ? WHERE id = ? AND overview = '' AND reported = ? AND (SELECT coalesce(max(number), 0) FROM decisions WHERE check_id = checks.id) = ?`, data, id, c.report, number)
		return err
	})
}
