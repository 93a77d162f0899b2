package desk

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/storage"
)

// A Remark is a comment on a place of a checked text. It is deleted with the check.
type Remark struct {
	ID      string    `json:"id"`
	At      time.Time `json:"at"`
	Name    string    `json:"name" doc:"of who wrote it"`
	Own     bool      `json:"-"` // the reader wrote it
	Quote   string    `json:"quote" doc:"words of the text"`
	Student bool      `json:"student" doc:"the student may read it, too"`
	Text    string    `json:"text"`

	start int // of the quote in the text that was commented on, in bytes
}

// A NewRemark is a comment to add.
type NewRemark struct {
	Quote   string // words of the text; spaces, line breaks and case need not agree
	Near    int    // byte near the place, since the same words may be at several ones
	Student bool
	Text    string
}

// Limits of comments.
const (
	mostQuote   = 5000 // characters
	mostRemarks = 1000 // on a text
)

// Remarks returns the comments on the places of a text of the actor's group, in the order of the text.
func (d *cases) Remarks(ctx context.Context, a accounts.Actor, check string) ([]Remark, error) {
	return listFor(ctx, d.checks.checkOwn(ctx, a, check), d.folder.Read, func(row func(...any) error, x *Remark) error {
		return row(&x.ID, millis{&x.At}, &x.Name, &x.Own, &x.start, &x.Quote, &x.Student, &x.Text)
	}, `SELECT id, at, name, user_id = ?, start_at, quote, student, text FROM remarks WHERE check_id = ? ORDER BY start_at, at`, a.User, check)
}

// SharedRemarks returns the comments that a link to a report shows.
func (d *cases) SharedRemarks(ctx context.Context, secret string) ([]Remark, error) {
	l, err := d.findShare(ctx, secret)
	if err != nil {
		return nil, err
	}
	return d.sharedRemarks(ctx, l)
}

// OwnRemarks returns the comments on an own text of the actor that are for him.
func (d *cases) OwnRemarks(ctx context.Context, a accounts.Actor, check string) ([]Remark, error) {
	l, err := d.findOwn(ctx, a, check)
	if err != nil {
		return nil, err
	}
	return d.sharedRemarks(ctx, l)
}

// sharedRemarks returns the comments that an opened link shows: to a student those for him, if the report is opened.
func (d *cases) sharedRemarks(ctx context.Context, l *openedShare) ([]Remark, error) {
	if !l.report {
		return nil, nil
	}
	all, err := d.Remarks(ctx, l.reader, l.check)
	if l.student {
		all = slices.DeleteFunc(all, func(x Remark) bool { return !x.Student })
	}
	return all, err
}

// In returns where the words of the comment are in a text, in bytes. The text may have been read again since, by a later
// version of the program: without the words, both are 0.
func (x *Remark) In(text string) (start, end int) {
	if end = x.start + len(x.Quote); end <= len(text) && text[x.start:end] == x.Quote {
		return x.start, end
	}
	start, end, _ = locate(text, x.Quote, x.start)
	return start, end
}

// AddRemark adds a comment on a place of a finished check of the actor's group.
func (d *cases) AddRemark(ctx context.Context, a accounts.Actor, check string, n NewRemark) error {
	if err := d.mayOn(ctx, a, accounts.DecideOnChecks, check); err != nil {
		return err
	}
	text, err := checkText(n.Text)
	if err != nil {
		return err
	}
	r, _, err := d.reports.original(ctx, a, check)
	if err != nil {
		return err
	}
	start, quote, err := quoteIn(r, n)
	if err != nil {
		return err
	}
	return d.folder.Write(ctx, func(tx *storage.Tx) {
		var many, twice bool
		tx.Row(`SELECT (SELECT count(*) FROM remarks WHERE check_id = ?1) >= ?2, EXISTS (SELECT 1 FROM remarks WHERE check_id = ?1 AND user_id = ?3 AND start_at = ?4 AND quote = ?5 AND student = ?6 AND text = ?7)`,
			check, mostRemarks, a.User, start, quote, n.Student, text).Scan(&many, &twice)
		switch {
		case twice: // a form that is sent twice
			return
		case many:
			tx.Fail(Wrong("text", "case.remark-many", "this text has {most} comments", "most", mostRemarks))
		}
		tx.Exec(`INSERT INTO remarks (id, check_id, user_id, name, at, start_at, quote, student, text) SELECT ?, id, ?, ?, ?, ?, ?, ?, ? FROM checks WHERE id = ?`,
			accounts.NewID(), a.User, a.Person(), now(), start, quote, n.Student, text, check)
		note(tx, a, "comment on place", check, "")
	})
}

// DeleteRemark deletes a comment of the actor, or of anybody if he may delete checks.
func (d *cases) DeleteRemark(ctx context.Context, a accounts.Actor, check, id string) error {
	err := d.change(ctx, cmp.Or(may(a, accounts.DecideOnChecks), d.checks.checkOwn(ctx, a, check)), func(tx *storage.Tx) {
		tx.Change(ErrNotFound, `DELETE FROM remarks WHERE id = ? AND check_id = ? AND (user_id = ? OR ?)`, id, check, a.User, a.May(accounts.DeleteChecks))
		note(tx, a, "delete comment on place", check, "")
	})
	if err == nil {
		d.remains.remove(ctx, nil) // from the log of the database
	}
	return err
}

// quoteIn returns where the words of a new comment start in the text of a report, in bytes, and the words as the text has them.
func quoteIn(r *report.Report, n NewRemark) (start int, quote string, err error) {
	if n.Quote = strings.ToValidUTF8(n.Quote, "\uFFFD"); longer(n.Quote, mostQuote) {
		return 0, "", Wrong("quote", "case.remark-long", "choose at most {most} characters of the text", "most", mostQuote)
	}
	start, end, found := locate(r.Suspect.Text, n.Quote, n.Near)
	if !found {
		return 0, "", Wrong("quote", "case.remark-place", "the text does not have these words: copy them from the text")
	}
	return start, r.Suspect.Text[start:end], nil
}

// locate returns the place of words in a text that is closest to a byte. White space and case need not agree.
func locate(text, words string, near int) (start, end int, ok bool) {
	all, at := flatten(text)
	wanted, _ := flatten(words)
	wanted = strings.TrimSpace(wanted)
	if wanted == "" {
		return 0, 0, false
	}
	for from := 0; ; {
		i := strings.Index(all[from:], wanted)
		if i < 0 {
			return start, end, ok
		}
		first, last := at[from+i], at[from+i+len(wanted)]
		if ok && max(first-near, near-first) >= max(start-near, near-start) {
			return start, end, ok // further places are further away
		}
		start, end, ok = first, last, true
		from += i + 1
	}
}

// flatten returns a text in lower case with one space for white space, and for each of its bytes and its end the byte of the text
// from which it comes.
func flatten(text string) (flat string, at []int) {
	var b strings.Builder
	at = make([]int, 0, len(text)+1)
	end, space := 0, false // of the last letter
	for i, r := range text {
		if unicode.IsSpace(r) {
			space = true
			continue
		}
		if space {
			b.WriteByte(' ')
			at = append(at, end)
			space = false
		}
		size := b.Len()
		b.WriteRune(unicode.ToLower(r))
		for range b.Len() - size {
			at = append(at, i)
		}
		_, width := utf8.DecodeRuneInString(text[i:])
		end = i + width
	}
	return b.String(), append(at, end)
}
