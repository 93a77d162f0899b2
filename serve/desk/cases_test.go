package desk

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/storage/storagetest"
)

// kinds returns the kinds of steps with their details and texts.
func kinds(steps []Step) (all []string) {
	for _, s := range steps {
		all = append(all, strings.Join(strings.Fields(s.Kind+" "+s.Detail+" "+s.Text), " "))
	}
	return all
}

// TestCase: a case goes from a verdict over notice, statement and reply to its end. The student sees
// the texts opened to him, and no verdict, comment or login. A step that is sent twice is recorded
// once, and no step can be changed. After the end, only reopening is possible.
func TestCase(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	d, f := open(t, t.TempDir())
	a := administrator(t, d)
	c := submit(t, d, a, "novak.txt", "text", "")
	if _, err := d.AddStep(ctx, a, c.ID, NewStep{CommentStep, "x"}); !errors.Is(err, ErrNotFound) {
		t.Errorf("a step on a check in the queue = %v, want ErrNotFound", err)
	}
	finish(t, d, f, c)
	step := func(kind, text string) (number int64) {
		t.Helper()
		number, err := d.AddStep(ctx, a, c.ID, NewStep{kind, text})
		if err != nil {
			t.Fatal(err)
		}
		return number
	}
	refuse := func(err error, want any) {
		t.Helper()
		if target, ok := want.(error); ok && !errors.Is(err, target) || !ok && !errors.As(err, want) {
			t.Errorf("error %v, want %v", err, want)
		}
	}
	for _, s := range []NewStep{{StatementStep, "x"}, {VerdictStep, "x"}, {"", "x"}, {CommentStep, " "}, {CommentStep, strings.Repeat("č", mostText+1)}, {ReplyStep, "too early"}, {ReopenedStep, "x"}} {
		_, err := d.AddStep(ctx, a, c.ID, s)
		refuse(err, new(*Invalid))
	}
	for _, verdict := range []string{"minor", "minor", "serious"} {
		if err := d.Verdict(ctx, a, c.ID, verdict, "internal"); err != nil {
			t.Fatal(err)
		}
	}
	if first, again := step(CommentStep, "also internal"), step(CommentStep, "also internal"); first != again {
		t.Errorf("a comment that is sent twice has the numbers %d and %d", first, again)
	}
	link, secret, err := d.Notify(ctx, a, c.ID, Notice{For: "Jan Novák", Days: 3, Text: "Please explain page 3."})
	if err != nil {
		t.Fatal(err)
	}
	shown := func(score, report bool) *Student {
		t.Helper()
		s, err := d.Shared(ctx, secret, lang.Of("en"))
		if err != nil || s.Student == nil || s.Check != nil || s.History != nil || s.Steps != nil {
			t.Fatalf("Shared = %+v, %v, want what the student sees only", s, err)
		}
		_, failed := d.SharedReport(ctx, secret)
		if (s.Student.Score != nil) != score || s.Student.Report != report || (failed == nil) != report {
			t.Errorf("the student sees %+v and the report: %v; want the score %v, the report %v", s.Student, failed, score, report)
		}
		return s.Student
	}
	shown(false, false)
	for _, to := range []Access{{Score: true}, {Score: true}, {Report: true}, {}} {
		if err := d.OpenToStudent(ctx, a, c.ID, link, to); err != nil {
			t.Fatal(err)
		}
		shown(to.Score || to.Report, to.Report)
	}
	for range 2 {
		if err := d.State(ctx, secret, "  It is quoted.\n"); err != nil {
			t.Fatal(err)
		}
	}
	if c, err := d.Check(ctx, a, c.ID); err != nil || c.Case != StatementStep || c.Verdict != "serious" {
		t.Errorf("the check %+v, %v, want a statement", c, err)
	}
	if all, _, err := d.Checks(ctx, a, Filter{Case: StatementStep}); err != nil || len(all) != 1 {
		t.Errorf("checks with a statement: %v, %v, want one", all, err)
	}
	if err := d.KeepCheck(ctx, a, c.ID, 1); err != nil {
		t.Fatal(err)
	}
	step(ReplyStep, "Thank you.")
	seen := shown(false, false)
	if got, want := kinds(seen.Steps), []string{"notice Jan Novák Please explain page 3.", "statement It is quoted.", "reply Thank you."}; !slices.Equal(got, want) {
		t.Errorf("the student sees %q, want %q", got, want)
	}
	for _, s := range seen.Steps {
		if s.By != "" || s.At.IsZero() || s.Name != map[bool]string{true: "Jan Novák", false: "Ada"}[s.Kind == StatementStep] {
			t.Errorf("the student sees %+v, want names, dates and no logins", s)
		}
	}
	later := &testClock{time.Now().AddDate(1, 0, 0)}
	d.opts.Now = later.now
	if err := d.dueChecks(ctx); err != nil {
		t.Fatal(err)
	}
	step(ClosedStep, "No further action.")
	_, err = d.AddStep(ctx, a, c.ID, NewStep{CommentStep, "late"})
	refuse(err, ErrClosed)
	refuse(d.State(ctx, secret, "late"), ErrClosed)
	refuse(d.Verdict(ctx, a, c.ID, "minor", ""), ErrClosed)
	refuse(d.OpenToStudent(ctx, a, c.ID, link, Access{Report: true}), ErrClosed)
	_, _, err = d.Notify(ctx, a, c.ID, Notice{For: "Jan", Days: 3, Text: "late"})
	refuse(err, ErrClosed)
	if c, err := d.Check(ctx, a, c.ID); err != nil || c.Verdict != "serious" || !shown(false, false).Closed {
		t.Errorf("the closed check %+v, %v", c, err)
	}
	step(ReopenedStep, "An appeal.")
	if err := d.State(ctx, secret, "I appeal."); err != nil {
		t.Error(err)
	}
	all, err := d.Steps(ctx, a, c.ID)
	if got, want := kinds(all), []string{"verdict minor internal", "verdict serious internal", "comment also internal", "notice Jan Novák Please explain page 3.", "access score", "access report", "access none",
		"statement It is quoted.", "reply Thank you.", "closed No further action.", "reopened An appeal.", "statement I appeal."}; err != nil || !slices.Equal(got, want) {
		t.Errorf("Steps = %q, %v, want %q", got, err, want)
	}
	if err := f.Write(ctx, execute(`UPDATE case_steps SET text = 'other'`)); err == nil {
		t.Error("the database changes a step")
	}
	want(t, exported(t, must(d.ExportCheck(ctx, a, c.ID, report.Options{}))), map[string]string{"case.json": "I appeal."})
	want(t, exported(t, must(d.ExportPerson(ctx, a, "jan novák", report.Options{}))), map[string]string{"person.json": c.ID})
	step(ClosedStep, "Again.")
	if err := d.dueChecks(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Check(ctx, a, c.ID); !errors.Is(err, ErrNotFound) {
		t.Errorf("the check whose time has come after the case was closed: %v, want ErrNotFound", err)
	}
	refuse(d.State(ctx, secret, "gone"), ErrNotFound)
	var left int
	if err := f.Read.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM case_steps) + (SELECT count(*) FROM shares)`).Scan(&left); err != nil || left != 0 {
		t.Errorf("%d rows of the case are left, %v", left, err)
	}
}

// TestStudentLink: a link of the student states only while it is valid, for its check, and a limited
// number of times; a link of a committee states nothing. A step that cannot be stored changes nothing,
// and is stored when it is sent again.
func TestStudentLink(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	d, f := open(t, t.TempDir())
	a := administrator(t, d)
	c := submit(t, d, a, "novak.txt", "text", "")
	finish(t, d, f, c)
	_, committee, err := d.Share(ctx, a, c.ID, NewShare{For: "Committee", Days: 3})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Write(ctx, execute(storagetest.Refusal("full_disk", "BEFORE INSERT ON case_steps"))); err != nil {
		t.Fatal(err)
	}
	notice := Notice{For: "Jan Novák", Days: 3, Text: "Please explain.", Report: true}
	if _, _, err := d.Notify(ctx, a, c.ID, notice); err == nil {
		t.Error("a notice is stored on a full disk")
	}
	if links, err := d.Shares(ctx, a, c.ID); err != nil || len(links) != 1 {
		t.Errorf("links %v, %v, want that of the committee only", links, err)
	}
	if err := f.Write(ctx, execute(storagetest.Dropped("full_disk"))); err != nil {
		t.Fatal(err)
	}
	id, secret, err := d.Notify(ctx, a, c.ID, notice)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := d.SharedReport(ctx, secret); err != nil || r.Suspect.Words != 7 {
		t.Errorf("SharedReport = %v, %v, want the report that was opened", r, err)
	}
	for name, err := range map[string]error{
		"a committee": d.State(ctx, committee, "x"), "an id": d.State(ctx, id, "x"), "a guess": d.State(ctx, "AAAAAAAAAAAAAAAAAAAAAAAAAA", "x"),
		"opening for a committee": d.OpenToStudent(ctx, a, c.ID, must(d.Shares(ctx, a, c.ID))[1].ID, Access{}),
		"another group":           d.OpenToStudent(ctx, accounts.Actor{Role: accounts.Administrator, Group: "other"}, c.ID, id, Access{}),
		"a reader":                map[bool]error{true: ErrNotFound}[errors.Is(d.OpenToStudent(ctx, accounts.Actor{Role: accounts.Reader, Group: a.Group}, c.ID, id, Access{}), ErrForbidden)],
	} {
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v, want ErrNotFound", name, err)
		}
	}
	_, second, err := d.Notify(ctx, a, c.ID, Notice{For: "Eva Malá", Days: 3, Text: "To you, too."})
	if err == nil {
		err = errors.Join(d.State(ctx, secret, "from Jan"), d.State(ctx, second, "from Eva"))
	}
	if err != nil {
		t.Fatal(err)
	}
	for link, want := range map[string][]string{secret: {"notice Jan Novák Please explain.", "statement from Jan"}, second: {"notice Eva Malá To you, too.", "statement from Eva"}} {
		if s, err := d.Shared(ctx, link, lang.Of("en")); err != nil || !slices.Equal(kinds(s.Student.Steps), want) {
			t.Errorf("one of two students sees %+v, %v, want %q", s.Student, err, want)
		}
	}
	if err := d.State(ctx, secret, ""); !errors.As(err, new(*Invalid)) {
		t.Errorf("an empty statement: %v, want an Invalid", err)
	}
	for i := range mostStatements - 1 {
		if err := d.State(ctx, secret, fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.State(ctx, secret, "one more"); !errors.As(err, new(*Invalid)) {
		t.Errorf("statement %d: %v, want an Invalid", mostStatements+1, err)
	}
	if err := f.Write(ctx, execute(`UPDATE shares SET expires = 1`)); err != nil {
		t.Fatal(err)
	}
	if err := d.State(ctx, secret, "late"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a statement by a link that has expired: %v, want ErrNotFound", err)
	}
}
