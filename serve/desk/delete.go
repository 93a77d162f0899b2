package desk

import (
	"archive/zip"
	"bytes"
	"context"
	"database/sql"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/work"
)

// A Deleted is what the deletion of a check removed.
type Deleted struct {
	Report    bool   `json:"report" doc:"the report is deleted"`
	Decisions int    `json:"decisions" doc:"states of decisions that are deleted"`
	Steps     int    `json:"steps" doc:"steps of the case that are deleted"`
	Links     int    `json:"links" doc:"links to the check that are deleted"`
	Quoting   int    `json:"quoting" doc:"reports on other texts of the submission that quoted the text, and no longer do"`
	File      bool   `json:"file" doc:"the uploaded file is deleted, or its part with the text"`
	Archive   string `json:"archive,omitempty" doc:"name of an uploaded archive that still contains the text, since other checks need it and a part of it cannot be deleted"`
}

// DeleteCheck deletes a check with its report and decisions, its links and its file, and removes
// what reports on other texts of the submission quote of its text. A file in an uploaded zip archive
// is deleted from it; other archives stay until the last of their checks is deleted. DeleteCheck
// returns ErrBusy for a check that is queued or running.
func (d *Desk) DeleteCheck(ctx context.Context, a accounts.Actor, id string) (*Deleted, error) {
	if err := may(a, accounts.DeleteChecks); err != nil {
		return nil, err
	}
	c, err := d.Check(ctx, accounts.Actor{Role: a.Role, Group: a.Group}, id)
	if err != nil {
		return nil, err
	}
	return d.deleteCheck(ctx, a, c, "delete check")
}

// deleteCheck deletes a check and notes it as an action of the audit log.
func (d *Desk) deleteCheck(ctx context.Context, a accounts.Actor, c *Check, action string) (*Deleted, error) {
	if c.busy {
		return nil, ErrBusy
	}
	gone := &Deleted{Report: c.State == work.Done}
	var err error
	if gone.Quoting, err = d.forgetAmong(ctx, c); err != nil {
		return nil, err
	}
	file, others, err := d.deleteRows(ctx, a, c, action, gone)
	if err != nil {
		return nil, err
	}
	err = d.reports.Remove(ctx, reportName(c.ID, c.report))
	if others == 0 {
		gone.File = true
		err = errors.Join(err, d.files.Remove(ctx, file))
	} else if gone.File = d.deleteMember(ctx, file, strings.TrimPrefix(c.Path, c.Name)); !gone.File {
		gone.Archive = c.Name
	}
	d.scrub(ctx)
	return gone, err
}

// forgetAmong removes what the reports of a submission whose texts were checked against each other
// quote of the text of a check. It returns the number of these reports.
func (d *Desk) forgetAmong(ctx context.Context, c *Check) (int, error) {
	if c.State != work.Done {
		return 0, nil
	}
	others, err := list(ctx, d.folder.Read, scanString, `SELECT id FROM checks WHERE submission_id = ? AND id != ? AND reported > 0`, c.Submission, c.ID)
	if err != nil || len(others) == 0 {
		return 0, err
	}
	data, err := d.reports.Read(ctx, reportName(c.ID, c.report))
	if err != nil {
		return 0, err
	}
	r, err := report.ReadJSON(bytes.NewReader(data))
	if err != nil || r.Suspect.ID == "" { // not a source of the others
		return 0, err
	}
	return d.forgetIn(ctx, others, replacements(c.ID, []string{r.Suspect.Path}), true)
}

// deleteRows deletes the rows of a check. It returns its file and the number of other checks that
// need the file.
func (d *Desk) deleteRows(ctx context.Context, a accounts.Actor, c *Check, action string, gone *Deleted) (file string, others int, err error) {
	err = d.folder.Write(ctx, func(tx *sql.Tx) error {
		err := tx.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM decisions WHERE check_id = ?1), (SELECT count(*) FROM shares WHERE check_id = ?1), (SELECT count(*) FROM case_steps WHERE check_id = ?1)`, c.ID).Scan(&gone.Decisions, &gone.Links, &gone.Steps)
		if err != nil {
			return err
		}
		err = tx.QueryRowContext(ctx, `DELETE FROM checks WHERE id = ? AND job_id = ? AND NOT EXISTS (SELECT 1 FROM jobs WHERE id = checks.job_id AND state IN ('queued', 'running')) RETURNING file`, c.ID, c.job).Scan(&file)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrBusy
		}
		if err == nil {
			err = tx.QueryRowContext(ctx, `SELECT count(*) FROM checks WHERE file = ?`, file).Scan(&others)
		}
		if err == nil {
			_, err = tx.ExecContext(ctx, `DELETE FROM submissions WHERE id = ? AND NOT EXISTS (SELECT 1 FROM checks WHERE submission_id = submissions.id) AND NOT EXISTS (SELECT 1 FROM courses WHERE id = submissions.id)`, c.Submission)
		}
		if err == nil { // names of recipients
			_, err = tx.ExecContext(ctx, `UPDATE audit SET detail = '' WHERE object = ?`, c.ID)
		}
		if err != nil {
			return err
		}
		return note(ctx, tx, a, action, c.ID, "")
	})
	return file, others, err
}

// deleteMember deletes a member from an uploaded zip archive, and reports whether it did. member is
// its name after [document.MemberMark].
func (d *Desk) deleteMember(ctx context.Context, file, member string) (gone bool) {
	member, ok := strings.CutPrefix(member, document.MemberMark)
	if !ok {
		return false
	}
	err := d.files.Use(ctx, file, func(path string) error {
		z, err := zip.OpenReader(path)
		if err != nil { // another archive
			return nil
		}
		defer z.Close()
		at := slices.IndexFunc(z.File, func(f *zip.File) bool { return f.Name == member })
		if at < 0 {
			return nil
		}
		err = d.files.Put(ctx, file, func(w io.Writer) error { return copyOthers(w, z, at) })
		gone = err == nil
		return err
	})
	if err != nil {
		d.opts.Log.Warn("delete a file from an archive", "cause", err)
	}
	return gone
}

// copyOthers writes an archive with all members of z but the one at the index at.
func copyOthers(w io.Writer, z *zip.ReadCloser, at int) error {
	out := zip.NewWriter(w)
	for i, f := range z.File {
		if i == at {
			continue
		}
		if err := out.Copy(f); err != nil {
			return err
		}
	}
	return out.Close()
}
