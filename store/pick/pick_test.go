package pick

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/store"
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
		p := New([]string{tt.typed}, Options{Prefix: tt.prefix, Folders: tt.folders, Bases: bases, File: func(path string) string {
			if strings.HasPrefix(path, "/") {
				return path
			}
			return ""
		}})
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

func TestMissed(t *testing.T) {
	for typed, want := range map[string]string{
		"theses/novak.txt":       "document not in index; near it is theses/2001/novak.txt, library:theses/2001/novak.txt",
		"theses/2001/nowak.TXT":  "document not in index; near it is theses/2001/novak.txt, library:theses/2001/novak.txt",
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
