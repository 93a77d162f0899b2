package desk

import (
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/hooks"
	"github.com/otisk/otisk/serve/mail"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/work"
)

// The mails are messages to users and students.
type mails struct{ rounds }

// Kinds of messages. None has a part or the name of a text.
const (
	mailPassword  = "password"  // a link that sets the password of a user
	mailNotice    = "notice"    // a link to a notice, for a student
	mailStatement = "statement" // a student has made a statement, for who notified him
	mailRise      = "rise"      // a score of a course rose, for who created the course
	mailFinished  = "finished"  // the texts of a course are checked for the first time, likewise
)

// mailLease is the time after which a message is sent again if the server stopped while it sent it: once, since each such
// try counts.
const mailLease = 5 * time.Minute

// A message is a row of mails to add.
type message struct {
	kind, group         string
	user, check, course *string
	to, lang            string
	name                string // of the user, the student or the course
	link                string // path on this server
}

// linkPath returns the path of a one-time link.
func linkPath(secret string) string { return "/link?secret=" + url.QueryEscape(secret) }

// Mails reports whether the server sends e-mail.
func (d *mails) Mails() bool { return d.opts.Mail != nil }

// checkRecipient returns an error for an address to which no message can be sent. An empty one is accepted.
func (d *mails) checkRecipient(address string) error {
	if address != "" && !d.Mails() {
		return Wrong("mail", "mail.off", "this server sends no e-mail")
	}
	return checkMail(address)
}

// post queues a message, unless the server sends none.
func (d *mails) post(tx *storage.Tx, m message) {
	if !d.Mails() {
		return
	}
	tx.Exec(`INSERT INTO mails (id, group_id, user_id, check_id, course_id, address, lang, kind, name, link, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		accounts.NewID(), m.group, m.user, m.check, m.course, m.to, m.lang, m.kind, m.name, m.link, now())
}

// deleteMails deletes the messages to a user that wait.
func deleteMails(tx *storage.Tx, user string) {
	tx.Exec(`DELETE FROM mails WHERE user_id = ?`, user)
}

// deletePasswordMails deletes those with a link that sets the password.
func deletePasswordMails(tx *storage.Tx, user string) {
	tx.Exec(`DELETE FROM mails WHERE user_id = ? AND kind = ?`, user, mailPassword)
}

// inform queues a message to a user, in his language, if he has an address and an equal one does not wait already.
func (d *mails) inform(tx *storage.Tx, user string, m message) {
	m.user = &user
	reachable := tx.Row(`SELECT mail, lang FROM users WHERE id = ?1 AND mail != '' AND NOT disabled
		AND NOT EXISTS (SELECT 1 FROM mails WHERE user_id = ?1 AND kind = ?2 AND link = ?3 AND tries = 0)`, user, m.kind, m.link).Scan(&m.to, &m.lang)
	if reachable {
		d.post(tx, m)
	}
}

// courseMarks are how far the texts of a course are: those with a report, and those whose score rose and was not seen.
type courseMarks struct{ reported, raised int }

// marksOf returns the progress of the course of a job; it is zero for a job of no course.
func marksOf(tx *storage.Tx, j work.Job) (m courseMarks) {
	tx.Row(`SELECT count(CASE WHEN reported > 0 THEN 1 END), count(rose) FROM checks WHERE submission_id IN (SELECT submission_id FROM checks WHERE job_id = ?)`, j.ID).Scan(&m.reported, &m.raised)
	return m
}

// informOfCourse queues a message to the user who created the course of a job: that it was checked for the first time, or that
// more scores rose than before.
func (d *mails) informOfCourse(tx *storage.Tx, j work.Job, before courseMarks) {
	var user string
	m := message{course: new(string)}
	found := tx.Row(`SELECT k.id, k.name, k.group_id, s.user_id FROM courses k JOIN submissions s ON s.id = k.id WHERE k.id IN (SELECT submission_id FROM checks WHERE job_id = ?)`, j.ID).
		Scan(m.course, &m.name, &m.group, &user)
	if !found {
		return
	}
	after := marksOf(tx, j)
	switch m.link = "/courses/" + *m.course; {
	case before.reported == 0 && after.reported > 0:
		m.kind = mailFinished
	case after.raised > before.raised:
		m.kind = mailRise
	default:
		return
	}
	d.inform(tx, user, m)
}

// SendMails sends queued messages until ctx ends. base is the address of the server in them.
func (d *mails) SendMails(ctx context.Context, base string) error {
	if !d.Mails() {
		return nil
	}
	d.repeat(ctx, deliveryStep, "e-mail", func(ctx context.Context) (int, error) { return d.sendDue(ctx, base) })
	return nil
}

// A dueMail is a message whose time has come.
type dueMail struct {
	id, to, lang, kind, name, link string
	group, object                  string // id of what it is about
	tries                          int
	created                        time.Time
}

// sendDue sends messages whose time has come, and returns their number.
func (d *mails) sendDue(ctx context.Context, base string) (int, error) {
	all, err := list(ctx, d.folder.Read, func(row func(...any) error, x *dueMail) error {
		return row(&x.id, &x.to, &x.lang, &x.kind, &x.name, &x.link, &x.group, &x.object, &x.tries, millis{&x.created})
	}, `SELECT id, address, lang, kind, name, link, group_id, coalesce(check_id, course_id, user_id), tries, created FROM mails WHERE ready <= ? OR ready > ? ORDER BY ready, created LIMIT ?`,
		now(), time.Now().Add(hooks.MostDelay).UnixMilli(), senders)
	if err != nil {
		return 0, err
	}
	return len(all), each(all, func(x dueMail) error { return d.sendMail(ctx, base, x) })
}

// sendMail sends a message once and deletes it, or notes when it is sent again. It counts the try before: after a stop of the server
// in between, the message is sent once more, and not at each start.
func (d *mails) sendMail(ctx context.Context, base string, x dueMail) error {
	err := d.folder.Write(ctx, func(tx *storage.Tx) {
		tx.Change(ErrNotFound, `UPDATE mails SET tries = tries + 1, ready = ? WHERE id = ? AND tries = ?`, time.Now().Add(mailLease).UnixMilli(), x.id, x.tries)
	})
	if errors.Is(err, ErrNotFound) { // deleted meanwhile, or another server sends it
		return nil
	}
	if err != nil {
		return err
	}
	subject, text := mailText(lang.Of(x.lang), &x, base)
	failure := d.opts.Mail.Send(ctx, &mail.Message{ID: x.id, To: x.to, Subject: subject, Text: text, At: x.created})
	if ctx.Err() != nil {
		return nil
	}
	action := "send mail"
	if failure != nil {
		d.opts.Log.Warn("e-mail failed", "mail", x.id, "kind", x.kind, "try", x.tries+1, "cause", failure)
		action = "mail failed"
		if wait, again := hooks.Delay(x.tries + 1); again && !errors.Is(failure, mail.ErrRefused) {
			return d.write(ctx, `UPDATE mails SET ready = ? WHERE id = ?`, time.Now().Add(wait).UnixMilli(), x.id)
		}
	}
	return d.folder.Write(ctx, func(tx *storage.Tx) {
		if tx.Exec(`DELETE FROM mails WHERE id = ?`, x.id) > 0 {
			note(tx, accounts.Actor{Group: x.group}, action, x.object, x.kind)
		}
	})
}

// mailPhrases are the subjects and texts of messages by kind.
var mailPhrases = map[string][2]string{
	mailPassword:  {"mail.password", "mail.password-text"},
	mailNotice:    {"mail.notice", "mail.notice-text"},
	mailStatement: {"mail.statement", "mail.statement-text"},
	mailRise:      {"mail.rise", "mail.rise-text"},
	mailFinished:  {"mail.finished", "mail.finished-text"},
}

// mailText returns the subject and the text of a message.
func mailText(p *lang.Printer, x *dueMail, base string) (subject, text string) {
	names := mailPhrases[x.kind]
	text = p.Text(names[1], "name", x.name, "server", base) + "\n\n" + base + x.link + "\n"
	if x.kind == mailPassword {
		text += "\n" + p.Text("mail.ignore") + "\n"
	}
	return p.Text(names[0], "name", x.name), text
}
