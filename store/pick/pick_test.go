package pick

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
)

var bases = []store.Base{{Key: "1", Name: "theses", Folder: "/srv/theses"}}

func docs() (list []store.Document) {
	for _, name := range []string{
		":theses/2001/novak.txt", ":theses/2001/nova.pdf", ":theses/2002/all.zip!/a.txt", ":theses/2002/all.zip!/sub/b.txt", ":theses/top.txt",
		"library::theses/2001/novak.txt", ":theses/odd [1].txt", ":theses/2002.txt",
	} {
		i := strings.LastIndex(name, ":")
		d := store.Document{Prefix: strings.TrimPrefix(name[:i], ":"), Path: name[i+1:], Base: "1"}
		d.ID = store.IDOf(d.Prefix, d.Path)
		list = append(list, d)
	}
	return list
}

func TestMatch(t *testing.T) {
	library, none := "library:", ""
	for _, tt := range []struct {
		typed   string
		prefix  *string
		folders bool
		want    string
	}{
		{"theses/2001/novak.txt", nil, false, "theses/2001/novak.txt"},
		{"library:theses/2001/novak.txt", nil, false, "library:theses/2001/novak.txt"},
		{"theses/2001/novak.txt", &library, false, "library:theses/2001/novak.txt"},
		{"theses/2001/novak.txt", &none, false, "theses/2001/novak.txt"},
		{"/srv/theses/top.txt", nil, false, "theses/top.txt"},
		{"/srv/theses/2001/novak.txt", nil, false, "theses/2001/novak.txt"},
		{"/srv/theses/2001/novak.txt", &library, false, "library:theses/2001/novak.txt"},
		{store.IDOf("", "theses/top.txt").String(), nil, false, "theses/top.txt"},
		{"theses/2002/all.zip", nil, false, "theses/2002/all.zip!/a.txt theses/2002/all.zip!/sub/b.txt"},
		{"/srv/theses/2002/all.zip", nil, false, "theses/2002/all.zip!/a.txt theses/2002/all.zip!/sub/b.txt"},
		{"theses/2002/all.zip!/a.txt", nil, false, "theses/2002/all.zip!/a.txt"},
		{"theses/2001", nil, false, ""},
		{"theses/2001", nil, true, "theses/2001/novak.txt theses/2001/nova.pdf"},
		{"theses/2001/", nil, true, "theses/2001/novak.txt theses/2001/nova.pdf"},
		{"theses/2002", nil, true, "theses/2002/all.zip!/a.txt theses/2002/all.zip!/sub/b.txt"},
		{"/srv/theses/2001", nil, true, "theses/2001/novak.txt theses/2001/nova.pdf"},
		{"theses/200", nil, true, ""},
		{"theses/200/", nil, true, ""},
		{"theses/2001/nova/", nil, true, ""},
		{"/srv/theses/200/", nil, true, ""},
		{"/srv/the/", nil, true, ""},
		{"library:the/", nil, true, ""},
		{"theses/2001/*", nil, false, "theses/2001/novak.txt theses/2001/nova.pdf"},
		{"theses/*", nil, false, "theses/top.txt theses/odd [1].txt theses/2002.txt"},
		{"theses/**/*.txt", nil, false, "theses/2001/novak.txt theses/2002/all.zip!/a.txt theses/2002/all.zip!/sub/b.txt theses/top.txt theses/odd [1].txt theses/2002.txt"},
		{"*.pdf", nil, false, "theses/2001/nova.pdf"},
		{"library:", nil, true, "library:theses/2001/novak.txt"},
		{"library:", nil, false, ""},
		{"library:**", nil, false, "library:theses/2001/novak.txt"},
		{"nov*", &library, false, "library:theses/2001/novak.txt"},
		{"theses/200[!1].txt", nil, false, "theses/2002.txt"},
		{"theses/?op.txt", nil, false, "theses/top.txt"},
		{"theses/odd [1].txt", nil, false, "theses/odd [1].txt"},
		{"theses/[.txt", nil, false, ""},
		{"", nil, true, ""},
	} {
		opts := Options{Prefix: tt.prefix, Folders: tt.folders, Bases: bases, File: func(path string) string {
			if strings.HasPrefix(path, "/") {
				return path
			}
			return ""
		}}
		wantSameByName(t, []string{tt.typed}, opts)
		p := New([]string{tt.typed}, opts)
		var got []string
		for _, d := range docs() {
			if p.Match(&d) {
				got = append(got, d.Name())
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%q: %q, want %q", tt.typed, got, tt.want)
		}
		if missed := len(p.Missed()); (missed == 0) != (len(got) > 0) {
			t.Errorf("%q: %d missed, though %d were found", tt.typed, missed, len(got))
		}
	}
}

// wantSameByName checks that Each and Match select the same documents and report the same
// misses.
func wantSameByName(t *testing.T, typed []string, opts Options) {
	t.Helper()
	r := index(t)
	all, by := New(typed, opts), New(typed, opts)
	var got, want []string
	if err := r.Documents(t.Context(), "", func(d store.Document) error {
		if all.Match(&d) {
			want = append(want, d.Name())
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := by.Each(t.Context(), r, func(d *store.Document) error { got = append(got, d.Name()); return nil }); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q: Each finds %q, want %q", typed, got, want)
	}
	if got, want := fmt.Sprint(by.Missed()), fmt.Sprint(all.Missed()); got != want {
		t.Errorf("%q: after Each, missed are %s, want %s", typed, got, want)
	}
}

// index returns an index of all documents.
func index(t *testing.T) store.Store {
	t.Helper()
	s := memory.New(store.Settings{})
	for _, d := range docs() {
		if err := s.Add(t.Context(), d, d.Name(), nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestEachOfMany tries random combinations.
func TestEachOfMany(t *testing.T) {
	library, none := "library:", ""
	parts := []string{
		"theses", "theses/", "theses/2001", "theses/2001/novak.txt", "library:", "library:theses", "novak.txt", "theses/2002/all.zip", "theses/2002", "theses/20", "*.pdf", "theses/*",
		"theses/**", "/srv", "/srv/theses", "/srv/theses/2001", "/srv/theses/top.txt", "/srv/other", "theses/odd [1].txt", "", "/", store.IDOf("", "theses/top.txt").String(), store.IDOf("", "gone").String(),
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		var typed []string
		for range rng.IntN(4) {
			typed = append(typed, parts[rng.IntN(len(parts))])
		}
		wantSameByName(t, typed, Options{
			Prefix: []*string{nil, nil, &library, &none}[rng.IntN(4)], Folders: rng.IntN(2) == 0,
			Bases: [][]store.Base{bases, {{Key: "1", Name: "", Folder: "/srv"}}, {{Key: "1", Name: "theses", Folder: "/"}}}[rng.IntN(3)],
			File:  func(path string) string { return path },
		})
	}
}

// TestAccents: composed and separate accents are equal, even if a name has both.
func TestAccents(t *testing.T) {
	s := memory.New(store.Settings{})
	for _, name := range []string{"práce/šest.txt", "pra\u0301ce/pe\u030ct.txt", "práce/s\u030ctyri.txt", "prace/sest.txt"} {
		d := store.Document{ID: store.IDOf("", name), Path: name, Base: "1"}
		if err := s.Add(t.Context(), d, name, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		typed string
		want  int
	}{
		{"práce", 3}, {"pra\u0301ce/", 3}, {"prace", 1}, {"práce/štyri.txt", 1}, {"pra\u0301ce/s\u030cest.txt", 1}, {"práce/p?t.txt", 1}, {"práce/š*", 2}, {"š*", 2},
		{"/srv/práce", 3}, {"/srv/pra\u0301ce/pět.txt", 1}, {"práce/s*", 0},
	} {
		n := 0
		p := New([]string{tt.typed}, Options{Folders: true, Bases: []store.Base{{Key: "1", Folder: "/srv"}}, File: func(path string) string { return path }})
		if err := p.Each(t.Context(), s, func(*store.Document) error { n++; return nil }); err != nil {
			t.Fatal(err)
		}
		if n != tt.want {
			t.Errorf("%q means %d documents, want %d", tt.typed, n, tt.want)
		}
	}
}

// TestEachByName: documents are found by the start of their names without reading all
// entries.
func TestEachByName(t *testing.T) {
	for _, typed := range []string{"theses/2001/novak.txt", "theses/2001/", "library:", "theses/2001/n*", "/srv/theses/2001", store.IDOf("", "theses/top.txt").String()} {
		r := &browsed{Store: index(t)}
		p := New([]string{typed}, Options{Folders: true, Bases: bases, File: func(path string) string { return path }})
		if err := p.Each(t.Context(), r, func(*store.Document) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if r.all || r.seen > 3 {
			t.Errorf("%q: %d documents were looked at, or all (%v)", typed, r.seen, r.all)
		}
	}
}

// A browsed records which entries are read.
type browsed struct {
	store.Store
	all  bool
	seen int
}

func (b *browsed) Documents(ctx context.Context, prefix string, fn func(store.Document) error) error {
	b.all = b.all || prefix == ""
	return b.Store.Documents(ctx, prefix, func(d store.Document) error {
		b.seen++
		return fn(d)
	})
}

// TestNameBeforePattern: a name that a document has is that document alone.
func TestNameBeforePattern(t *testing.T) {
	s := memory.New(store.Settings{})
	for _, path := range []string{"w/what1.txt", "w/what?.txt", "w/a*.zip!/x.txt", "w/ab.zip!/x.txt", "w/[ab]/1.txt", "w/a/1.txt"} {
		if err := s.Add(t.Context(), store.Document{ID: store.IDOf("", path), Path: path, Base: "1"}, path, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ typed, want string }{
		{"w/what?.txt", "w/what?.txt"},
		{"/srv/w/what?.txt", "w/what?.txt"},
		{"w/wha??.txt", "w/what1.txt w/what?.txt"},
		{"what?.txt", "w/what1.txt w/what?.txt"}, // the last part of two names
		{"w/a*.zip", "w/a*.zip!/x.txt"},
		{"w/[ab]", "w/[ab]/1.txt"},
		{"w/[ab]/1.txt", "w/[ab]/1.txt"},
		{"w/[ab]/?.txt", "w/a/1.txt"},
	} {
		p := New([]string{tt.typed}, Options{Folders: true, Bases: []store.Base{{Key: "1", Folder: "/srv"}}, File: func(path string) string { return path }})
		var got []string
		if err := p.Each(t.Context(), s, func(d *store.Document) error { got = append(got, d.Path); return nil }); err != nil {
			t.Fatal(err)
		}
		if strings.Join(got, " ") != tt.want || len(p.Missed()) > 0 {
			t.Errorf("%s: %q (missed %v), want %s", tt.typed, got, p.Missed(), tt.want)
		}
	}
}

func TestMissed(t *testing.T) {
	for typed, want := range map[string]string{
		"theses/novak.txt":       "document not in index; similar names: theses/2001/novak.txt, library:theses/2001/novak.txt",
		"theses/2001/nowak.TXT":  "document not in index; similar names: theses/2001/novak.txt, library:theses/2001/novak.txt",
		"theses/2001":            "document not in index: a folder with 2 documents",
		"nothing like it at all": "document not in index",
	} {
		p := New([]string{typed}, Options{Bases: bases})
		for _, d := range docs() {
			p.Match(&d)
		}
		if missed := p.Missed(); len(missed) != 1 || missed[0].Error() != want {
			t.Errorf("%s: %v, want %q", typed, missed, want)
		}
	}
}

func TestDistance(t *testing.T) {
	var got []string
	for _, pair := range [][2]string{{"", ""}, {"a", ""}, {"novak", "nowak"}, {"novak", "nvoak"}, {"žák", "zak"}, {"kitten", "sitting"}, {"a", "abcdefgh"}} {
		got = append(got, fmt.Sprint(distance(pair[0], pair[1], 3)))
	}
	if want := []string{"0", "1", "1", "2", "2", "3", "4"}; !slices.Equal(got, want) {
		t.Errorf("distances %v, want %v", got, want)
	}
}
