package desk

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/work"
)

// The reports are what checks found, with the decisions of users on them.
type reports struct {
	room
	checks   *checks
	shelf    *storage.Shelf
	changing chan struct{} // slot for one change at a time
}

// ReportFile returns the report on a text in JSON, as the check wrote it.
func (d *reports) ReportFile(ctx context.Context, a accounts.Actor, id string) ([]byte, error) {
	data, _, err := d.reportFile(ctx, a, id)
	return data, err
}

// reportFile returns the report on a text and its number.
func (d *reports) reportFile(ctx context.Context, a accounts.Actor, id string) ([]byte, int, error) {
	for try := 1; ; try++ {
		c, err := d.checks.Check(ctx, a, id)
		if err != nil {
			return nil, 0, err
		}
		if c.State != work.Done {
			return nil, 0, ErrNotFound
		}
		data, err := d.shelf.Read(ctx, reportName(id, c.report))
		if errors.Is(err, os.ErrNotExist) && try < reportTries { // another check has replaced it
			continue
		}
		return data, c.report, err
	}
}

// reportTries is how often a report is looked for that another check may replace meanwhile.
const reportTries = 3

// reportName returns the name of the file of a report on a text. Each check of the text writes one
// with the next number.
func reportName(id string, number int) string {
	if number > 1 {
		id += "-" + strconv.Itoa(number)
	}
	return id + ".json"
}

// Report returns the report on a text with the latest decisions. It names the collection by its
// name instead of its folder.
func (d *reports) Report(ctx context.Context, a accounts.Actor, id string) (*report.Report, error) {
	data, err := d.ReportFile(ctx, a, id)
	if err != nil {
		return nil, err
	}
	c, err := d.checks.Check(ctx, a, id)
	if err != nil {
		return nil, err
	}
	r, err := report.ReadJSON(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	r.Index.Name = c.CollectionName
	saved, _, err := d.latest(ctx, id)
	if err != nil || saved == nil {
		return r, err
	}
	decisions, err := report.ReadDecisions(bytes.NewReader(saved))
	if err != nil {
		return nil, err
	}
	return r, report.Decide(r, decisions)
}

// latest returns the latest decisions on a check and their number, nil and 0 if there are none.
func (d *reports) latest(ctx context.Context, id string) (data []byte, number int64, err error) {
	err = d.folder.Read.QueryRowContext(ctx, `SELECT data, number FROM decisions WHERE check_id = ? ORDER BY number DESC LIMIT 1`, id).Scan(&data, &number)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, 0, nil
	}
	return data, number, err
}

// Decisions returns the latest decisions on a check in JSON, and their number; nil and 0 if there
// are none.
func (d *reports) Decisions(ctx context.Context, a accounts.Actor, id string) (data []byte, number int64, err error) {
	if _, err := d.checks.Check(ctx, a, id); err != nil {
		return nil, 0, err
	}
	return d.latest(ctx, id)
}

// original returns the report as the check wrote it, and its number.
func (d *reports) original(ctx context.Context, a accounts.Actor, id string) (*report.Report, int, error) {
	data, number, err := d.reportFile(ctx, inGroup(a), id)
	if err != nil {
		return nil, 0, err
	}
	r, err := report.ReadJSON(bytes.NewReader(data))
	return r, number, err
}

// A quotation is the part of the report on a check that quotes a document.
type quotation struct {
	Document string        `json:"document"`
	Check    string        `json:"check"`
	Path     string        `json:"path"`
	Passages int           `json:"passages"`
	Source   search.Source `json:"source"`
}

// quotations calls fn with what reports on checks against a collection quote of its documents.
func (d *reports) quotations(ctx context.Context, collection string, names []string, fn func(group string, q quotation) error) error {
	sought := lists.Set(names)
	type candidate struct{ id, path, group string }
	all, err := list(ctx, d.folder.Read, func(row func(...any) error, c *candidate) error { return row(&c.id, &c.path, &c.group) },
		`SELECT c.id, c.path, s.group_id FROM checks c JOIN submissions s ON s.id = c.submission_id WHERE c.reported > 0
		AND (s.collection_id = ?1 OR EXISTS (SELECT 1 FROM submission_collections WHERE submission_id = s.id AND collection_id = ?1)) ORDER BY c.created`, collection)
	for _, c := range all {
		if err != nil {
			break
		}
		var data []byte
		_, data, err = d.presentReport(ctx, c.id)
		if errors.Is(err, os.ErrNotExist) { // deleted meanwhile
			err = nil
			continue
		}
		if err != nil || !mentions(data, sought) {
			continue
		}
		var r *report.Report
		if r, err = report.ReadJSON(bytes.NewReader(data)); err != nil {
			break
		}
		for i, source := range r.Sources {
			if !sought[source.Name] || source.Among || err != nil {
				continue
			}
			q := quotation{Document: source.Name, Check: c.id, Path: c.path, Source: source}
			for _, p := range r.Passages {
				if p.Source == i {
					q.Passages++
				}
			}
			err = fn(c.group, q)
		}
	}
	return err
}

// replacements returns ids that replace those of documents in reports. They depend on a random key,
// and not on the names alone, and are the same when a job runs again.
func replacements(key string, names []string) map[string]string {
	ids := map[string]string{}
	for _, name := range names {
		sum := sha256.Sum256([]byte(key + "\n" + name))
		ids[name] = hex.EncodeToString(sum[:8])
	}
	return ids
}

// forgetIn removes what the reports and decisions of checks keep of deleted documents, or with among
// of other texts of a submission. gone maps names to ids that replace theirs. It returns the number
// of reports that quoted them, also those that an interrupted call has changed.
func (d *reports) forgetIn(ctx context.Context, checks []string, gone map[string]string, among bool) (n int, err error) {
	sought := map[string]bool{}
	for name, id := range gone {
		sought[name], sought[report.ForgottenName+id[:8]] = true, true
	}
	for _, id := range checks {
		err := d.withLock(ctx, lockOfReports(id), func() error {
			name, data, err := d.presentReport(ctx, id)
			if errors.Is(err, os.ErrNotExist) { // deleted meanwhile
				return nil
			}
			if err != nil || !mentions(data, sought) {
				return err
			}
			quoted, err := d.forgetInReport(ctx, id, name, data, gone, among)
			if quoted {
				n++
			}
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	return n, ctx.Err()
}

// presentReport returns the name and the content of the present report on a text. If it was deleted,
// the error is fs.ErrNotExist.
func (d *reports) presentReport(ctx context.Context, id string) (name string, data []byte, err error) {
	for range reportTries {
		var number int
		err = d.folder.Read.QueryRowContext(ctx, `SELECT reported FROM checks WHERE id = ?`, id).Scan(&number)
		if errors.Is(err, sql.ErrNoRows) {
			return "", nil, os.ErrNotExist
		}
		if err != nil {
			return "", nil, err
		}
		name = reportName(id, number)
		if data, err = d.shelf.Read(ctx, name); !errors.Is(err, os.ErrNotExist) {
			break
		}
	}
	return name, data, err
}

// mentions reports whether a report in JSON has a source with one of the names, or lists sources
// that were not searched.
func mentions(data []byte, names map[string]bool) bool {
	const field = `"name": `
	if !bytes.Contains(data, []byte(`"unsearched": []`)) {
		return true
	}
	for {
		at := bytes.Index(data, []byte(field))
		if at < 0 {
			return false
		}
		data = data[at+len(field):]
		line, _, _ := bytes.Cut(data, []byte("\n"))
		var name string
		if json.Unmarshal(bytes.TrimSuffix(line, []byte(",")), &name) == nil && names[name] {
			return true
		}
	}
}

// forgetInReport reports whether a report quoted a document, also if it no longer does. It changes
// the decisions first: the ids that it needs are in the report.
func (d *reports) forgetInReport(ctx context.Context, id, name string, data []byte, gone map[string]string, among bool) (quoted bool, err error) {
	r, err := report.ReadJSON(bytes.NewReader(data))
	if err != nil {
		return false, err
	}
	ids, changed := report.Forget(r, gone, among)
	replaced := slices.Collect(maps.Values(gone))
	quoted = slices.ContainsFunc(r.Sources, func(s search.Source) bool { return slices.Contains(replaced, s.ID) })
	if changed {
		if err := d.forgetInDecisions(ctx, id, ids); err != nil {
			return false, err
		}
		if err := d.shelf.Put(ctx, name, func(w io.Writer) error { return report.Write(w, "json", r, report.Options{}) }); err != nil {
			return false, err
		}
	}
	if !changed && !quoted {
		return false, nil
	}
	return quoted, d.write(ctx, `UPDATE checks SET overview = '' WHERE id = ?`, id) // also after an interrupted call, which has changed the report
}

func (d *reports) forgetInDecisions(ctx context.Context, check string, ids map[string]string) error {
	type saved struct {
		number int64
		data   []byte
	}
	all, err := list(ctx, d.folder.Read, func(row func(...any) error, s *saved) error { return row(&s.number, &s.data) },
		`SELECT number, data FROM decisions WHERE check_id = ?`, check)
	if err != nil {
		return err
	}
	return d.folder.Write(ctx, func(tx *storage.Tx) {
		for _, s := range all {
			decisions, err := report.ReadDecisions(bytes.NewReader(s.data))
			if err != nil {
				tx.Fail(err)
				return
			}
			if !decisions.Forget(ids) {
				continue
			}
			data, err := json.Marshal(decisions)
			tx.Fail(err)
			tx.Exec(`UPDATE decisions SET data = ? WHERE number = ?`, data, s.number)
		}
	})
}

// withLock calls fn while no other call with the name runs, at this server or another one.
func (d *reports) withLock(ctx context.Context, name string, fn func() error) error {
	select {
	case d.changing <- struct{}{}:
		defer func() { <-d.changing }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return d.folder.Lock(ctx, name, fn)
}

func lockOfFile(name string) string { return "file " + name }

func lockOfReports(check string) string { return "reports " + check }

// readOverview reads what the page of pairs needs from a report and stores it, unless the report has other decisions meanwhile. No
// document is deleted from the report meanwhile.
func (d *reports) readOverview(ctx context.Context, a accounts.Actor, id string) (data string, err error) {
	err = d.withLock(ctx, lockOfReports(id), func() error {
		_, number, err := d.latest(ctx, id)
		if err != nil {
			return err
		}
		c, err := d.checks.Check(ctx, a, id)
		if err != nil {
			return err
		}
		r, err := d.Report(ctx, a, id)
		if err != nil {
			return err
		}
		if data, err = overviewOf(r); err != nil {
			return err
		}
		return d.write(ctx, `UPDATE checks SET overview = ? WHERE id = ? AND overview = '' AND reported = ? AND (SELECT coalesce(max(number), 0) FROM decisions WHERE check_id = checks.id) = ?`, data, id, c.report, number)
	})
	return data, err
}

// overviewOf returns what the page of pairs needs of a report, in JSON.
func overviewOf(r *report.Report) (string, error) {
	data, err := json.Marshal(report.SharingOf(r))
	return string(data), err
}

// Decide stores decisions on a check, as the page of a report saves them, and counts its score
// again. Earlier decisions stay in the database. base is the number of the decisions that these
// replace: if there are later ones, Decide returns ErrLater. With a negative base, it does not
// compare.
//
// The server sets who made each decision, and when: a decision that was stored before keeps its
// stamp, and others get the actor and the time.
func (d *reports) Decide(ctx context.Context, a accounts.Actor, id string, base int64, data []byte) (number int64, err error) {
	if err := may(a, accounts.DecideOnChecks); err != nil {
		return 0, err
	}
	r, on, err := d.original(ctx, a, id)
	if err != nil {
		return 0, err
	}
	decisions, err := report.ReadDecisions(bytes.NewReader(data))
	if err != nil {
		return 0, &Invalid{"decisions", err}
	}
	saved, last, err := d.latest(ctx, id)
	if err != nil {
		return 0, err
	}
	before := new(report.Decisions)
	if saved != nil {
		if before, err = report.ReadDecisions(bytes.NewReader(saved)); err != nil {
			return 0, err
		}
	}
	if base >= 0 && base != last {
		return 0, ErrLater
	}
	stampAll(decisions, before, report.Stamp{By: a.Person(), At: time.Now().UTC().Truncate(time.Second)})
	if err := report.Decide(r, decisions); err != nil {
		return 0, &Invalid{"decisions", err}
	}
	if data, err = json.Marshal(decisions); err != nil {
		return 0, err
	}
	score, counted := r.Final().Percent, countOf(report.RowOf(r, "").RowCount)
	err = d.folder.Write(ctx, func(tx *storage.Tx) {
		var latest int64
		tx.Row(`SELECT coalesce(max(number), 0) FROM decisions WHERE check_id = ?`, id).Scan(&latest)
		if latest != last { // stored since the stamps were compared
			tx.Fail(ErrLater)
		}
		tx.Row(`INSERT INTO decisions (check_id, user_id, at, score, data) VALUES (?, ?, ?, ?, ?) RETURNING number`, id, a.User, now(), score, data).Scan(&number)
		tx.Change(ErrLater, `UPDATE checks SET score = ?1, base = ?1, rose = NULL, sources = ?4, overview = '', (`+countColumns+`) = (?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) WHERE id = ?2 AND reported = ?3`,
			append([]any{score, id, on, report.SourcesLeft(r)}, counted.values()...)...) // unless the text was checked again meanwhile
		note(tx, a, "decide", id, fmt.Sprintf("%.1f %%", score))
	})
	return number, err
}

// stampAll sets the stamps of decisions.
func stampAll(d, before *report.Decisions, s report.Stamp) {
	d.By, d.At = s.By, s.At
	stamp(d.Verdicts, before.Verdicts, func(v *report.VerdictOn) (*string, *time.Time) { return &v.By, &v.At }, s)
	stamp(d.Sources, before.Sources, func(v *report.SourceDecision) (*string, *time.Time) { return &v.By, &v.At }, s)
	stamp(d.Passages, before.Passages, func(v *report.PassageDecision) (*string, *time.Time) { return &v.By, &v.At }, s)
	stamp(d.Places, before.Places, func(v *report.LeftOut) (*string, *time.Time) { return &v.By, &v.At }, s)
}

// stamp sets the stamps of a list: those of equal decisions in before, and s for the others.
func stamp[T any](list, before []T, of func(*T) (*string, *time.Time), s report.Stamp) {
	key := func(v T) string {
		by, at := of(&v)
		*by, *at = "", time.Time{}
		text, _ := json.Marshal(v) // it was read from JSON
		return string(text)
	}
	stamps := map[string]report.Stamp{}
	for _, v := range before {
		by, at := of(&v)
		stamps[key(v)] = report.Stamp{By: *by, At: *at}
	}
	for i := range list {
		old, known := stamps[key(list[i])]
		if !known {
			old = s
		}
		by, at := of(&list[i])
		*by, *at = old.By, old.At
	}
}

// A Decided is an entry of the history of decisions on a check.
type Decided struct {
	Number int64     `json:"number"`
	By     string    `json:"by"` // login
	Name   string    `json:"name"`
	At     time.Time `json:"at"`
	Score  float64   `json:"score"` // percent, after the decisions

	Before  float64         `json:"before" doc:"percent, before the decisions"`
	Changes []report.Change `json:"changes" doc:"what was decided, in words"`

	data []byte
}

// History returns who decided on a check, when, and what, the first first: in words of the language of
// p. A text that is being checked again has no words.
func (d *reports) History(ctx context.Context, a accounts.Actor, id string, p *lang.Printer) ([]Decided, error) {
	c, err := d.checks.Check(ctx, a, id)
	if err != nil {
		return nil, err
	}
	before := c.Found
	all, err := list(ctx, d.folder.Read, func(row func(...any) error, x *Decided) error {
		err := row(&x.Number, &x.By, &x.Name, millis{&x.At}, &x.Score, &x.data)
		x.Before, x.Changes = before, []report.Change{}
		before = x.Score
		return err
	}, `SELECT number, login, name, at, score, data FROM decisions JOIN users u ON u.id = user_id WHERE check_id = ? ORDER BY number`, id)
	if err != nil || len(all) == 0 {
		return all, err
	}
	r, _, err := d.original(ctx, a, id)
	if errors.Is(err, ErrNotFound) {
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	versions := make([]*report.Decisions, len(all))
	for i, x := range all {
		if versions[i], err = report.ReadDecisions(bytes.NewReader(x.data)); err != nil {
			return nil, err
		}
	}
	changes, err := report.Changes(p, r, versions)
	for i, list := range changes {
		all[i].Changes = append(all[i].Changes, list...)
	}
	return all, err
}

// A Scored is the score of a check that ended, after the decisions of that time.
type Scored struct {
	At    time.Time `json:"at"`
	Score float64   `json:"score"` // percent
}

// Scores returns the scores of a text of the actor's group that was checked again, the first first: one
// for each check that changed the score.
func (d *reports) Scores(ctx context.Context, a accounts.Actor, id string) ([]Scored, error) {
	return listFor(ctx, d.checks.checkOwn(ctx, a, id), d.folder.Read, func(row func(...any) error, x *Scored) error { return row(millis{&x.At}, &x.Score) },
		`SELECT at, score FROM check_scores WHERE check_id = ? ORDER BY number`, id)
}
