package pick

import (
	"strings"
	"testing"

	"github.com/otisk/otisk/store"
)

func described() []store.Document {
	list := []store.Document{
		{Path: "a.txt", Format: "text", Words: 900, Year: 1999, Title: "On copying", Said: store.Description{Year: 2015, Labels: map[string]string{"faculty": "Law", "grade": "B"}}},
		{Path: "b.pdf", Format: "pdf", Words: 12000, Author: "Novák, J.", Said: store.Description{Labels: map[string]string{"faculty": "arts", "date": "2019-06-30"}}},
		{Path: "c.txt", Format: "text", Words: 40, Said: store.Description{Address: "https://example.org/c", Labels: map[string]string{"škola": "modra\u0301"}}},
	}
	for i := range list {
		list[i].ID = store.IDOf("", list[i].Path)
	}
	return list
}

func TestWhere(t *testing.T) {
	for _, tt := range []struct{ typed, want string }{
		{"faculty=law", "a.txt"}, // case does not count
		{"Faculty=law", "a.txt"},
		{"faculty!=law", "b.pdf c.txt"}, // documents without the label match, too
		{"faculty", "a.txt b.pdf"},
		{"year=2015", "a.txt"}, // from descriptions by users
		{"year=1999", ""},
		{"year<3000", "a.txt"}, // documents without a year do not match
		{"year!=2015", "b.pdf c.txt"},
		{"words>=900", "a.txt b.pdf"}, // as numbers
		{"words<900", "c.txt"},
		{"date>2019-01-01", "b.pdf"},
		{"date>2020-01-01", ""},
		{"author=nov*", "b.pdf"},
		{"author=novák", ""},
		{"author", "b.pdf"},
		{"title=*copy*", "a.txt"},
		{"format=pdf", "b.pdf"},
		{"name=?.txt", "a.txt c.txt"},
		{"address=*example.org*", "c.txt"},
		{"grade=b faculty=law", "a.txt"}, // all must hold
		{"grade=b faculty=arts", ""},
		{"title=", "b.pdf c.txt"},
		{"author=*nova\u0301k*", "b.pdf"}, // an accent is one, composed or apart
		{"s\u030ckola=modra\u0301", "c.txt"},
		{"škola=m?dr?", "c.txt"},
		{"škola=modrá", "c.txt"},
		{"škola>1", ""}, // a word is neither before nor after a number
	} {
		where, err := ParseWhere(strings.Fields(tt.typed))
		if err != nil {
			t.Fatalf("ParseWhere(%s): %v", tt.typed, err)
		}
		p, got := New(nil, Options{Where: where}), []string{}
		for _, d := range described() {
			if p.Match(&d) {
				got = append(got, d.Path)
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s holds of %v, want %s", tt.typed, got, tt.want)
		}
		if unknown := p.Unknown(); len(unknown) > 0 {
			t.Errorf("%s: Unknown = %v, but documents have these labels", tt.typed, unknown)
		}
	}
}

// TestLabels: an argument is a label only if the options allow it.
func TestLabels(t *testing.T) {
	for _, tt := range []struct {
		typed  string
		labels bool
		want   string
	}{
		{"faculty=arts", true, "b.pdf"},
		{"faculty", true, "a.txt b.pdf"},
		{"title", true, ""}, // a name that every document has something under
		{"year>=2000", true, "a.txt"},
		{"faculty=arts", false, ""},
		{"a.txt", true, "a.txt"},
	} {
		p, got := New([]string{tt.typed}, Options{Labels: tt.labels}), []string{}
		for _, d := range described() {
			if p.Match(&d) {
				got = append(got, d.Path)
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s (labels %v) means %v, want %s", tt.typed, tt.labels, got, tt.want)
		}
	}
}

func TestParseWhereWrong(t *testing.T) {
	for _, typed := range []string{"=law", "year!2000", ">5", ""} {
		if _, err := ParseWhere([]string{typed}); err == nil {
			t.Errorf("ParseWhere(%q) is no error", typed)
		}
	}
	where, _ := ParseWhere([]string{"facutly=law", "title=x"})
	p := New(nil, Options{Where: where})
	for _, d := range described() {
		p.Match(&d)
	}
	if got := p.Unknown(); len(got) != 1 || got[0] != "facutly=law" {
		t.Errorf("Unknown = %q, want the misspelt one", got)
	}
}

// TestOrderOfWords: comparing the order of words is an error. Most likely a digit was
// mistyped, and delete would remove the wrong documents.
func TestOrderOfWords(t *testing.T) {
	for _, typed := range []string{"rok<abc", "year>=", "year<=l990", "grade>b", "words>NaN", "year<inf"} {
		if _, err := ParseWhere([]string{typed}); err == nil || !strings.Contains(err.Error(), "compares numbers and dates") {
			t.Errorf("ParseWhere(%s) = %v, want an error that says what is compared", typed, err)
		}
	}
	for _, typed := range []string{"year<2015", "year>= 2015-05-20", "words>1e3", "grade>-1.5"} {
		if _, err := ParseWhere([]string{typed}); err != nil {
			t.Errorf("ParseWhere(%s) = %v", typed, err)
		}
	}
}
