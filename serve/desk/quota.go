package desk

import (
	"context"
	"database/sql"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/serve/accounts"
)

// Errors of uploads for which there is no space.
var (
	ErrFull  error = phrase.Error("serve.full", "the disk of the server is full: no files can be uploaded until somebody deletes some")
	ErrQuota error = phrase.Error("serve.quota", "the space for uploads of you or your group is used up: delete checks, or ask an administrator")
)

// Sums of the sizes of the uploaded files that are kept for a group and for a user.
const (
	sumOfGroup = `SELECT CAST(coalesce(sum(size), 0) AS INTEGER) FROM (SELECT DISTINCT c.file, c.size FROM checks c JOIN submissions s ON s.id = c.submission_id WHERE s.group_id = ?) x`
	sumOfUser  = `SELECT CAST(coalesce(sum(size), 0) AS INTEGER) FROM (SELECT DISTINCT c.file, c.size FROM checks c JOIN submissions s ON s.id = c.submission_id WHERE coalesce(c.user_id, s.user_id) = ?) x`
)

// withinQuota returns ErrQuota if the files of checks exceed the quota of the actor or his group. A
// transaction that has added files calls it before its end.
func (d *Desk) withinQuota(ctx context.Context, tx *sql.Tx, a accounts.Actor) error {
	for _, q := range []struct {
		most       int64
		sum, owner string
	}{{d.opts.GroupQuota, sumOfGroup, a.Group}, {d.opts.UserQuota, sumOfUser, a.User}} {
		if q.most == 0 {
			continue
		}
		var used int64
		if err := tx.QueryRowContext(ctx, q.sum, q.owner).Scan(&used); err != nil {
			return err
		}
		if used > q.most {
			return ErrQuota
		}
	}
	return nil
}
