package desk

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/storage"
)

// TestLocate: words are found in other case, with other white space, and the place closest to a byte is returned.
func TestLocate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text, words string
		near        int
		want        string // the text before the place and the place, "-" for none
	}{
		{"", "", 0, "-"},
		{"text", " \n", 0, "-"},
		{"text", "texts", 0, "-"},
		{"a text", "TEXT", 0, "a |text"},
		{"Žluťoučký\r\n\r\n  KŮŇ úpěl", " žluťoučký kůň ", 0, "|Žluťoučký\r\n\r\n  KŮŇ"},
		{"kůň kůň kůň", "kůň", 99, "kůň kůň |kůň"},
		{"kůň kůň kůň", "kůň", 6, "kůň |kůň"},
		{"aaaa", "aa", 1, "a|aa"},
		{" \xff x", "x", 0, " \xff |x"},
		{"İstanbul b", "b", 0, "İstan|b"},
		{"ends with it  ", "with it ", 0, "ends |with it"},
	} {
		start, end, ok := locate(tt.text, tt.words, tt.near)
		got := "-"
		if ok {
			got = tt.text[:start] + "|" + tt.text[start:end]
		}
		if got != tt.want {
			t.Errorf("locate(%q, %q, %d) = %q, want %q", tt.text, tt.words, tt.near, got, tt.want)
		}
	}
}

// FuzzLocate: a place that is found has the words of the quote, and each part of a text is found in the text.
func FuzzLocate(f *testing.F) {
	f.Add("Žluťoučký\nkůň úpěl", 3, 9)
	f.Add("a\xffb \xf0\x9f\x98\x80 c", 0, 4)
	f.Fuzz(func(t *testing.T, text string, from, size int) {
		if from < 0 || size < 0 || from > len(text) || size > len(text)-from {
			return
		}
		text = strings.ToValidUTF8(text, "?")
		if from+size > len(text) {
			return
		}
		quote := strings.ToValidUTF8(text[from:from+size], "")
		if !strings.Contains(text, quote) || strings.TrimSpace(quote) == "" {
			return
		}
		start, end, ok := locate(text, quote, from)
		if !ok || !strings.EqualFold(strings.Join(strings.Fields(strings.ToLower(text[start:end])), " "), strings.Join(strings.Fields(strings.ToLower(quote)), " ")) {
			t.Errorf("locate(%q, %q) = %d, %d, %t", text, quote, start, end, ok)
		}
	})
}

// TestRemarks: comments on places are read by the group and a committee; those for the student by him, once the report is opened to
// him. Other groups, readers who want to write, and authors of other comments are refused. They are exported, and deleted with the check.
func TestRemarks(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	d, f := open(t, t.TempDir())
	a := administrator(t, d)
	c := submit(t, d, a, "novak.txt", "text", "")
	if err := d.AddRemark(ctx, a, c.ID, NewRemark{Quote: "words", Text: "x"}); !errors.Is(err, ErrNotFound) {
		t.Errorf("a comment on a text in the queue = %v, want ErrNotFound", err)
	}
	finish(t, d, f, c)
	for _, n := range []NewRemark{{}, {Quote: "words"}, {Text: "x"}, {Quote: " ", Text: "x"}, {Quote: "other words", Text: "x"}, {Quote: "words", Text: " "}, {Quote: strings.Repeat("x", mostQuote+1), Text: "x"}, {Quote: "words", Text: strings.Repeat("x", mostText+1)}} {
		if err := d.AddRemark(ctx, a, c.ID, n); !errors.As(err, new(*Invalid)) {
			t.Errorf("AddRemark(%.40q, %.40q) = %v, want a refusal", n.Quote, n.Text, err)
		}
	}
	checker := accounts.Actor{User: a.User, Login: "admin", Name: "Ada", Role: accounts.Checker, Group: a.Group}
	stranger, reader, other := checker, checker, checker
	stranger.Group, reader.Role, other.User = "other", accounts.Reader, "other"
	add := func(n NewRemark) {
		t.Helper()
		if err := d.AddRemark(ctx, checker, c.ID, n); err != nil {
			t.Fatal(err)
		}
	}
	add(NewRemark{Quote: "FOR A\ncheck", Near: -5, Student: true, Text: "Cite <b>it</b>."})
	for range 2 { // a form that is sent twice
		add(NewRemark{Quote: "six words", Text: "internal"})
	}
	for name, err := range map[string]error{
		"stranger": d.AddRemark(ctx, stranger, c.ID, NewRemark{Quote: "words", Text: "x"}), "reader": d.AddRemark(ctx, reader, c.ID, NewRemark{Quote: "words", Text: "x"}),
	} {
		if !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrForbidden) {
			t.Errorf("a comment by a %s = %v, want a refusal", name, err)
		}
	}
	if _, err := d.Remarks(ctx, stranger, c.ID); !errors.Is(err, ErrNotFound) {
		t.Errorf("comments for another group = %v, want ErrNotFound", err)
	}
	all, err := d.Remarks(ctx, reader, c.ID)
	if err != nil || texts(all) != "six words: internal; for a check: Cite <b>it</b>." {
		t.Fatalf("comments = %s, %v", texts(all), err)
	}
	if start, end := all[1].In("Six more. FOR  A check"); start != 10 || end != 22 {
		t.Errorf("in a text that was read again, the words are at %d to %d, want 10 to 22", start, end)
	}
	if start, end := all[1].In("gone"); start != 0 || end != 0 {
		t.Errorf("in a text without them, the words are at %d to %d", start, end)
	}
	_, committee, err := d.Share(ctx, a, c.ID, NewShare{For: "Board", Days: 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		access Access
		want   string
	}{{Access{}, ""}, {Access{Score: true}, ""}, {Access{Report: true}, "for a check: Cite <b>it</b>."}} {
		_, student, err := d.Notify(ctx, a, c.ID, Notice{For: "Jan", Days: 3, Text: "read this", Score: tt.access.Score, Report: tt.access.Report})
		if err != nil {
			t.Fatal(err)
		}
		shared, err := d.Shared(ctx, student, lang.Of("en"))
		if err != nil || texts(shared.Remarks) != tt.want {
			t.Errorf("with %+v, the student sees %q, %v, want %q", tt.access, texts(shared.Remarks), err, tt.want)
		}
		if list, err := d.SharedRemarks(ctx, student); err != nil || texts(list) != tt.want {
			t.Errorf("with %+v, the report of the student has %q, %v, want %q", tt.access, texts(list), err, tt.want)
		}
	}
	if shared, err := d.Shared(ctx, committee, lang.Of("en")); err != nil || texts(shared.Remarks) != texts(all) {
		t.Errorf("the committee sees %q, %v", texts(shared.Remarks), err)
	}
	export, err := d.ExportCheck(ctx, a, c.ID, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := export.Write(&b); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	file, err := z.Open("comments.json")
	if err != nil {
		t.Fatal(err)
	}
	if data, err := io.ReadAll(file); err != nil || !bytes.Contains(data, []byte("internal")) || !bytes.Contains(data, []byte(`"login": "admin"`)) {
		t.Errorf("the export has the comments %s, %v", data, err)
	}
	for name, who := range map[string]accounts.Actor{"stranger": stranger, "reader": reader, "other author": other} {
		if err := d.DeleteRemark(ctx, who, c.ID, all[0].ID); !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrForbidden) {
			t.Errorf("deletion by a %s = %v, want a refusal", name, err)
		}
	}
	if err := d.DeleteRemark(ctx, checker, c.ID, all[0].ID); err != nil {
		t.Error(err)
	}
	for action, want := range map[string]int{"comment on place": 2, "delete comment on place": 1} {
		if n := count(t, f, `SELECT count(*) FROM audit WHERE action = ? AND object = ? AND detail = ''`, action, c.ID); n != want {
			t.Errorf("the audit log has %d entries %q, want %d", n, action, want)
		}
	}
	if _, err := d.DeleteCheck(ctx, a, c.ID); err != nil {
		t.Fatal(err)
	}
	if n := count(t, f, `SELECT count(*) FROM remarks`); n != 0 {
		t.Errorf("%d comments are left of a deleted check", n)
	}
}

// texts returns the quotes and texts of comments.
func texts(all []Remark) string {
	var list []string
	for _, x := range all {
		list = append(list, x.Quote+": "+x.Text)
	}
	return strings.Join(list, "; ")
}

// count returns the number that a query selects.
func count(t *testing.T, f *storage.Folder, query string, args ...any) (n int) {
	t.Helper()
	if err := f.Read.QueryRowContext(t.Context(), query, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
