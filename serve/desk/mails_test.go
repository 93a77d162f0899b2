package desk

import (
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/mail"
	"github.com/otisk/otisk/serve/mail/mailtest"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/storage/storagetest"
	"github.com/otisk/otisk/serve/work"
)

const mailBase = "https://otisk.example.org"

// withMail opens a desk that sends e-mail to a server of the test.
func withMail(t *testing.T) (*Desk, *storage.Folder, *mailtest.Server) {
	t.Helper()
	f, err := storagetest.Open(t, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	to := mailtest.New(t, nil)
	s, err := mail.New("smtp://"+to.Address, "otisk@example.org", "")
	if err != nil {
		t.Fatal(err)
	}
	d, _, err := New(t.Context(), f, work.Program{}, Options{MaxFile: 1 << 20, Passwords: quick, Log: slog.New(slog.DiscardHandler), Mail: s})
	if err != nil {
		t.Fatal(err)
	}
	return d, f, to
}

// sent sends what is due, and returns the messages that arrived since the earlier ones.
func sent(t *testing.T, d *Desk, to *mailtest.Server, earlier int) []mailtest.Message {
	t.Helper()
	if _, err := d.sendDue(t.Context(), mailBase); err != nil {
		t.Fatal(err)
	}
	return to.Messages()[earlier:]
}

// left returns the number of messages that wait.
func left(t *testing.T, f *storage.Folder) (n int) {
	t.Helper()
	if err := f.Read.QueryRowContext(t.Context(), `SELECT count(*) FROM mails`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestMails: an invitation, a notice and a statement are sent in the language of the recipient, with a link that works and
// nothing of the text. The audit log has what was sent, and nothing else is kept.
func TestMails(t *testing.T) {
	t.Parallel()
	d, f, to := withMail(t)
	a := administrator(t, d)
	a.Lang = "cs"
	if _, _, err := d.Invite(t.Context(), a, Invitation{Login: "nomail", Role: accounts.Reader}); err != nil {
		t.Fatal(err)
	}
	id, _, err := d.Invite(t.Context(), a, Invitation{Login: "eva", Mail: "eva@example.org", Role: accounts.Librarian})
	if err != nil {
		t.Fatal(err)
	}
	all := sent(t, d, to, 0)
	if len(all) != 1 || all[0].To != "eva@example.org" || all[0].Subject != "Otisk: zvolte si heslo" {
		t.Fatalf("after invitations: %+v, want one in Czech to eva", all)
	}
	_, secret, _ := strings.Cut(all[0].Text, mailBase+"/link?secret=")
	session, err := d.Accept(t.Context(), strings.Fields(secret)[0], "correct horse battery")
	if err != nil {
		t.Fatalf("the link in %q: %v", all[0].Text, err)
	}
	eva := must(d.Actor(t.Context(), session))
	if eva.Lang != "" {
		t.Errorf("the language of eva is %q, want none", eva.Lang)
	}
	d.NoteLanguage(t.Context(), eva, "de")

	c := submit(t, d, eva, "secret-title.txt", "some secret words", "")
	finish(t, d, f, c)
	n := Notice{For: "Jan Student", Days: 7, Text: "Your secret text", Mail: "jan@example.org"}
	if _, _, err := d.Notify(t.Context(), must(d.Actor(t.Context(), session)), c.ID, n); err != nil {
		t.Fatal(err)
	}
	all = sent(t, d, to, 1)
	if len(all) != 1 || all[0].To != "jan@example.org" || !strings.Contains(all[0].Text, "Jan Student") || !strings.Contains(all[0].Subject, "Mitteilung") {
		t.Fatalf("after a notice: %+v, want one in German to jan", all)
	}
	_, secret, _ = strings.Cut(all[0].Text, mailBase+"/shared/")
	for range 2 { // a form that is sent twice
		if err := d.State(t.Context(), strings.Fields(secret)[0], "My secret statement"); err != nil {
			t.Fatalf("the link in %q: %v", all[0].Text, err)
		}
	}
	all = sent(t, d, to, 2)
	if len(all) != 1 || all[0].To != "eva@example.org" || !strings.Contains(all[0].Text, mailBase+"/checks/"+c.ID) {
		t.Errorf("after a statement: %+v, want one to eva with the record", all)
	}
	for _, m := range to.Messages() {
		for _, raw := range []string{m.Subject, m.Text} {
			if strings.Contains(strings.ReplaceAll(raw, "secret=", ""), "secret") {
				t.Errorf("a message has a part or the name of a text: %s", raw)
			}
		}
	}
	if n := left(t, f); n != 0 {
		t.Errorf("%d messages are kept, want 0", n)
	}
	var did []string
	for _, e := range must(d.Audit(t.Context(), a, 0, 100)) {
		if e.Action == "send mail" {
			did = append(did, e.Detail)
			if e.Detail == mailPassword && e.Object != id || strings.Contains(e.Detail, "@") {
				t.Errorf("entry %+v, want the id of the user and no address", e)
			}
		}
	}
	if want := []string{mailStatement, mailNotice, mailPassword}; !slices.Equal(did, want) {
		t.Errorf("the log has %v, want %v", did, want)
	}
}

// TestMailFails: a message is sent again after a failure, with the same id, and not after an address was refused. After a stop
// in the middle, it is sent once more, and only after a time.
func TestMailFails(t *testing.T) {
	t.Parallel()
	d, f, to := withMail(t)
	a := administrator(t, d)
	due := func() { // lets the next try come
		t.Helper()
		if err := f.Write(t.Context(), execute(`UPDATE mails SET ready = 0`)); err != nil {
			t.Fatal(err)
		}
	}
	invite := func(login string) {
		t.Helper()
		if _, _, err := d.Invite(t.Context(), a, Invitation{Login: login, Mail: login + "@example.org", Role: accounts.Reader}); err != nil {
			t.Fatal(err)
		}
	}
	invite("busy")
	to.Answer("451 later")
	for range 2 {
		if all := sent(t, d, to, 0); len(all) != 0 || left(t, f) != 1 {
			t.Fatalf("a server that is busy: %+v and %d that wait, want none and 1", all, left(t, f))
		}
	}
	to.Answer("DATA 451 later") // the message arrives all the same
	due()
	if all := sent(t, d, to, 0); len(all) != 1 || left(t, f) != 1 {
		t.Fatalf("an error after the text: %+v and %d that wait, want one each", all, left(t, f))
	}
	to.Answer("")
	due()
	all := sent(t, d, to, 0)
	if len(all) != 2 || all[0].ID != all[1].ID || all[0].Text != all[1].Text || left(t, f) != 0 {
		t.Errorf("after the next try: %+v, want the same message twice, and none that waits", all)
	}
	invite("unknown")
	to.Answer("550 no such user")
	if all := sent(t, d, to, 2); len(all) != 0 || left(t, f) != 0 {
		t.Errorf("an address that is refused: %+v and %d that wait, want none", all, left(t, f))
	}
	if e := must(d.Audit(t.Context(), a, 0, 1))[0]; e.Action != "mail failed" || e.Detail != mailPassword {
		t.Errorf("the log has %+v, want the failure", e)
	}
	to.Answer("")
	invite("killed")
	if err := f.Write(t.Context(), execute(`UPDATE mails SET tries = 1, ready = ?`, time.Now().Add(mailLease).UnixMilli())); err != nil { // as by a server that stopped while it sent
		t.Fatal(err)
	}
	if all := sent(t, d, to, 2); len(all) != 0 {
		t.Errorf("right after the stop: %+v, want none", all)
	}
	due()
	if all := sent(t, d, to, 2); len(all) != 1 || left(t, f) != 0 {
		t.Errorf("later: %+v and %d that wait, want one and none", all, left(t, f))
	}
}

// TestMailsEnd: what waits for a user or about a check ends with it, and a link that was used is not sent any more. Exports
// have what waits.
func TestMailsEnd(t *testing.T) {
	t.Parallel()
	d, f, _ := withMail(t)
	a := administrator(t, d)
	id, link, err := d.Invite(t.Context(), a, Invitation{Login: "eva", Mail: "eva@example.org", Role: accounts.Librarian})
	if err != nil {
		t.Fatal(err)
	}
	if files := exported(t, must(d.ExportUser(t.Context(), a, id))); !strings.Contains(files["mails.json"], "eva@example.org") {
		t.Errorf("the export of the user has %q, want the message", files["mails.json"])
	}
	if _, err := d.Accept(t.Context(), link, "correct horse battery"); err != nil || left(t, f) != 0 {
		t.Errorf("after the link was used: %v and %d that wait, want 0", err, left(t, f))
	}
	c := submit(t, d, a, "essay.txt", "some words", "")
	finish(t, d, f, c)
	if _, _, err := d.Notify(t.Context(), a, c.ID, Notice{For: "Jan", Days: 7, Text: "Notice", Mail: "jan@example.org"}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.DeleteCheck(t.Context(), a, c.ID); err != nil || left(t, f) != 0 {
		t.Errorf("after the check was deleted: %v and %d that wait, want 0", err, left(t, f))
	}
	if _, _, err := d.Reset(t.Context(), a, id); err != nil || left(t, f) != 1 {
		t.Fatalf("after a new link: %v and %d that wait, want 1", err, left(t, f))
	}
	if _, err := d.DeleteUser(t.Context(), a, id); err != nil || left(t, f) != 0 {
		t.Errorf("after the user was deleted: %v and %d that wait, want 0", err, left(t, f))
	}
}

// TestMailOff: without a mail server, nothing is queued, and a notice with an address is refused.
func TestMailOff(t *testing.T) {
	t.Parallel()
	d, f := open(t, t.TempDir())
	a := administrator(t, d)
	if _, _, err := d.Invite(t.Context(), a, Invitation{Login: "eva", Mail: "eva@example.org", Role: accounts.Reader}); err != nil || left(t, f) != 0 {
		t.Errorf("an invitation: %v and %d that wait, want 0", err, left(t, f))
	}
	c := submit(t, d, a, "essay.txt", "some words", "")
	finish(t, d, f, c)
	if _, _, err := d.Notify(t.Context(), a, c.ID, Notice{For: "Jan", Days: 7, Text: "Notice", Mail: "jan@example.org"}); err == nil || err.Error() != "this server sends no e-mail" {
		t.Errorf("a notice with an address: %v, want that the server sends none", err)
	}
	if err := d.SendMails(t.Context(), mailBase); err != nil {
		t.Errorf("SendMails = %v", err)
	}
}

// TestMailsOfCourse: the user who created a course gets a message when it is checked, and one when a score rose.
func TestMailsOfCourse(t *testing.T) {
	t.Parallel()
	c := newTerm(t, true)
	to := mailtest.New(t, nil)
	var err error
	if c.d.opts.Mail, err = mail.New("smtp://"+to.Address, "otisk@example.org", ""); err != nil {
		t.Fatal(err)
	}
	mine := "ada@example.org"
	if err := c.d.ChangeUser(t.Context(), c.a, c.a.User, UserChange{Mail: &mine, Role: accounts.Administrator}); err != nil {
		t.Fatal(err)
	}
	c.handIn("a.txt", "b.txt")
	c.clock.at = c.clock.at.Add(8 * 24 * time.Hour)
	c.due()
	c.execute()
	all := sent(t, c.d, to, 0)
	if len(all) != 1 || all[0].To != mine || all[0].Subject != "Otisk: Essays is checked" || !strings.Contains(all[0].Text, mailBase+"/courses/"+c.id) {
		t.Fatalf("after the date: %+v, want one message", all)
	}
	c.handIn("late.txt")
	c.scores["a.txt"] = 60
	c.execute()
	all = sent(t, c.d, to, 1)
	if len(all) != 1 || all[0].Subject != "Otisk: a score rose in Essays" {
		t.Errorf("after a late text: %+v, want one message of a rise", all)
	}
	c.handIn("later.txt")
	c.execute()
	if all := sent(t, c.d, to, 2); len(all) != 0 {
		t.Errorf("without another rise: %+v, want none", all)
	}
}
