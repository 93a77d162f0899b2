package desk

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/indexes"
	"github.com/otisk/otisk/serve/work"
)

// mostHits is the limit of texts of a group in a day whose reports state a share of a private collection of
// another one. Then the collection is closed to the group until a day has passed: it may be guessing.
const mostHits = 100

// privateHits selects the hits of a group in a collection in the last day.
const privateHits = `SELECT coalesce(sum(hits), 0) FROM private_checks WHERE collection_id = ? AND group_id = ? AND at > ?`

// private returns the collections of a task whose documents the group of the submission must not see.
func (d *collections) private(ctx context.Context, submission string, places []indexes.Place) (all []work.Private, err error) {
	for i, p := range places {
		var name, owner, contact, group string
		one := work.Private{Index: i}
		err := d.folder.Read.QueryRowContext(ctx, `SELECT c.name, g.name, c.contact, c.secret, s.group_id FROM collections c JOIN groups g ON g.id = c.group_id, submissions s
			WHERE c.id = ? AND s.id = ? AND c.private AND c.group_id != s.group_id`, p.ID, submission).Scan(&name, &owner, &contact, &one.Secret, &group)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		var hits int
		if err == nil {
			err = d.folder.Read.QueryRowContext(ctx, privateHits, p.ID, group, now()-day).Scan(&hits)
		}
		if err != nil {
			return nil, err
		}
		one.Owner, one.Closed = name+", "+owner+"; "+contact, hits >= mostHits
		all = append(all, one)
	}
	return all, nil
}

// notePrivate records a check against private collections of other groups, for their owners. If a group
// reaches the limit, it adds an entry to the audit log of the owner.
func notePrivate(ctx context.Context, tx *sql.Tx, j work.Job, task *work.Task, results []result) error {
	for _, p := range task.Private {
		id, hits := task.Collections[p.Index].ID, 0
		for _, r := range results {
			if slices.Contains(r.text.Private, p.Index) {
				hits++
			}
		}
		var user, group, name, owner string
		err := tx.QueryRowContext(ctx, `SELECT s.user_id, s.group_id, g.name, k.group_id FROM checks c JOIN submissions s ON s.id = c.submission_id JOIN groups g ON g.id = s.group_id, collections k
			WHERE c.job_id = ? AND k.id = ? LIMIT 1`, j.ID, id).Scan(&user, &group, &name, &owner)
		if err != nil {
			return err
		}
		var before int
		if err := tx.QueryRowContext(ctx, privateHits, id, group, now()-day).Scan(&before); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO private_checks (collection_id, group_id, user_id, at, texts, hits) VALUES (?, ?, ?, ?, ?, ?)`, id, group, user, now(), len(results), hits); err != nil {
			return err
		}
		if before < mostHits && before+hits >= mostHits {
			if err := note(ctx, tx, accounts.Actor{Group: owner}, "close private collection", id, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// A PrivateCheck is a check of another group against a private collection.
type PrivateCheck struct {
	At    time.Time `json:"at"`
	Group string    `json:"group"` // name
	By    string    `json:"by"`    // login
	Texts int       `json:"texts"`
	Hits  int       `json:"hits" doc:"texts with passages of the collection"`
}

// PrivateChecks returns the checks of other groups against a private collection of the actor's group, the
// latest first.
func (d *collections) PrivateChecks(ctx context.Context, a accounts.Actor, collection string, limit int) ([]PrivateCheck, error) {
	if err := d.owns(ctx, a, collection); err != nil {
		return nil, err
	}
	return list(ctx, d.folder.Read, func(row func(...any) error, c *PrivateCheck) error {
		return row(millis{&c.At}, &c.Group, &c.By, &c.Texts, &c.Hits)
	}, `SELECT p.at, g.name, u.login, p.texts, p.hits FROM private_checks p JOIN groups g ON g.id = p.group_id JOIN users u ON u.id = p.user_id
		WHERE p.collection_id = ? ORDER BY p.at DESC, p.rowid DESC LIMIT ?`, collection, page(limit))
}
