package desk

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/lti"
	"github.com/otisk/otisk/serve/oidc"
)

// Launch signs in the user of a verified launch, who is created at the first one; later ones set name
// and role. A student may then hand texts in to the course of the link. The session is "" if the user
// chooses what to link: that needs none.
//
// A launch counts once. Its course or check must be of the group of the platform.
func (d *platforms) Launch(ctx context.Context, l *lti.Launch) (a accounts.Actor, session string, err error) {
	var refused error
	err = d.folder.Write(ctx, func(tx *sql.Tx) error {
		err := useNonce(ctx, tx, l.Nonce, l.Expires)
		if errors.Is(err, ErrNotFound) {
			return lti.ErrFlow
		}
		if err != nil {
			return err
		}
		if l.Asset != "" {
			if err := reviewed(ctx, tx, l); err != nil {
				return err
			}
		}
		id := &oidc.Identity{Issuer: platformIssuer(l.Platform.ID), Subject: l.Subject, Name: l.Name, Role: l.Role}
		group, err := identify(ctx, tx, l, id)
		if err != nil {
			return err
		}
		if a, refused, err = external(ctx, tx, id, "LTI"); err != nil || refused != nil {
			return err
		}
		if err := enrol(ctx, tx, a, l, group); err != nil || l.Select != nil {
			return err
		}
		session, err = newSession(ctx, tx, a.User, true)
		return err
	})
	return a, session, errors.Join(err, refused)
}

// useNonce returns ErrNotFound for the nonce of a launch or notice that was accepted before. It removes
// those that have expired.
func useNonce(ctx context.Context, tx *sql.Tx, nonce string, expires time.Time) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM launches WHERE expires < ?`, time.Now().Add(-lti.FlowLife).UnixMilli()); err != nil {
		return err
	}
	return changed(tx.ExecContext(ctx, `INSERT INTO launches (nonce, expires) VALUES (?, ?) ON CONFLICT DO NOTHING`, nonce, expires.UnixMilli()))
}

// identify sets the group of the platform and, for a new user, a login that nobody has.
func identify(ctx context.Context, tx *sql.Tx, l *lti.Launch, id *oidc.Identity) (group string, err error) {
	var name string
	if err := tx.QueryRowContext(ctx, `SELECT g.id, g.name FROM platforms p JOIN groups g ON g.id = p.group_id WHERE p.id = ?`, l.Platform.ID).Scan(&group, &name); err != nil {
		return "", found(err) // deleted meanwhile
	}
	id.Groups = []string{name}
	id.Login, err = freeLogin(ctx, tx, loginsOf(l))
	return group, err
}

// enrol lets a student hand texts in to the course of a launch. It returns ErrNotFound if the course or
// the check does not belong to the group of the platform.
func enrol(ctx context.Context, tx *sql.Tx, a accounts.Actor, l *lti.Launch, group string) error {
	a.Group = group
	if l.Course != "" {
		if err := ownCourse(ctx, tx, a, l.Course); err != nil {
			return err
		}
		if l.Role == accounts.Student {
			return addStudent(ctx, tx, a.User, l.Course)
		}
	}
	if l.Check != "" {
		var id string
		return found(tx.QueryRowContext(ctx, `SELECT c.id FROM checks c JOIN submissions s ON s.id = c.submission_id WHERE c.id = ? AND s.group_id = ?`, l.Check, group).Scan(&id))
	}
	return nil
}

// Selecting returns the user of a deep linking request that is not finished, or ErrNotFound.
func (d *platforms) Selecting(ctx context.Context, s *lti.Selection) (a accounts.Actor, err error) {
	if time.Now().After(s.Expires) {
		return a, lti.ErrFlow
	}
	err = d.folder.Read.QueryRowContext(ctx, `SELECT id, login, name, role, group_id FROM users WHERE id = ? AND NOT disabled`, s.User).Scan(&a.User, &a.Login, &a.Name, &a.Role, &a.Group)
	return a, found(err)
}
