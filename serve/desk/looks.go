package desk

import (
	"context"

	"github.com/otisk/otisk/serve/accounts"
)

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
