package desk

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/serve/accounts"
)

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
	err = d.folder.Write(ctx, func(tx *sql.Tx) error {
		var latest int64
		if err := tx.QueryRowContext(ctx, `SELECT coalesce(max(number), 0) FROM decisions WHERE check_id = ?`, id).Scan(&latest); err != nil {
			return err
		}
		if latest != last { // stored since the stamps were compared
			return ErrLater
		}
		err := tx.QueryRowContext(ctx, `INSERT INTO decisions (check_id, user_id, at, score, data) VALUES (?, ?, ?, ?, ?) RETURNING number`, id, a.User, now(), score, data).Scan(&number)
		if err != nil {
			return err
		}
		err = changed(tx.ExecContext(ctx, `UPDATE checks SET score = ?1, base = ?1, rose = NULL, sources = ?4, overview = '', (`+countColumns+`) = (?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) WHERE id = ?2 AND reported = ?3`,
			append([]any{score, id, on, report.SourcesLeft(r)}, counted.values()...)...))
		if errors.Is(err, ErrNotFound) { // checked again meanwhile
			err = ErrLater
		}
		if err != nil {
			return err
		}
		return note(ctx, tx, a, "decide", id, fmt.Sprintf("%.1f %%", score))
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
	if _, err := d.checks.Check(ctx, a, id); err != nil {
		return nil, err
	}
	return list(ctx, d.folder.Read, func(row func(...any) error, x *Scored) error { return row(millis{&x.At}, &x.Score) },
		`SELECT at, score FROM check_scores WHERE check_id = ? ORDER BY number`, id)
}
