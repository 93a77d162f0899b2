package search

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
)

// TestFilesThatChanged: if the index keeps no text and the file has changed, only its present
// text counts. The file is read only a few times, however long the runs are that it lost.
func TestFilesThatChanged(t *testing.T) {
	set := normSet(t, normalize.Line)
	const n = 5
	before, copied, after := numbered("before", 50), numbered("copied", 30), numbered("after", 50)
	indexed := strings.Join([]string{before, copied, after}, " ")
	words := strings.Fields(copied)
	s := index(t, set, n, map[string]string{"/file": indexed})
	for _, tt := range []struct {
		name, text   string
		matched, run int
	}{
		{"as it was", indexed, 26, 30},
		{"longer", indexed + " " + numbered("new", 20), 26, 30},
		{"cut in the copied part", before + " " + strings.Join(words[:17], " "), 13, 17},
		{"cut before it", before, 0, 0},
		{"empty", "", 0, 0},
		{"a word replaced", strings.Replace(indexed, "copied14", "other", 1), 21, 15},
		{"a paragraph more", strings.Replace(indexed, "copied20", "\ncopied20", 1), 16, 20}, // the n-grams after it have other places
	} {
		for _, exact := range []bool{true, false} {
			read := 0
			r := search(t, textless{s}, set, numbered("own", 20)+" "+copied, Options{N: n, Exact: exact, Reread: func(context.Context, store.Document) (string, error) {
				read++
				return tt.text, nil
			}})
			got := fmt.Sprint(r.Match.Matched, " ", r.Match.Run)
			for _, src := range r.Sources {
				got += fmt.Sprint(" ", src.Match.Matched, " ", src.Match.Run)
			}
			want := fmt.Sprintf("%d %d %d %d", tt.matched, tt.run, tt.matched, tt.run)
			if tt.matched == 0 {
				want = "0 0"
			}
			if got != want || read > 3 {
				t.Errorf("%s, exact %v: n-grams and run of the text and of its source %s, want %s; the file was read %d times", tt.name, exact, got, want, read)
			}
		}
	}
}

// TestKeptTextsAreNotReadAgain: the index keeps the text that was indexed, although the file
// may have changed.
func TestKeptTextsAreNotReadAgain(t *testing.T) {
	set := normSet(t, normalize.Line)
	s := index(t, set, 5, map[string]string{"/file": numbered("copied", 30)})
	r := search(t, s, set, numbered("copied", 30), Options{N: 5, Reread: func(context.Context, store.Document) (string, error) {
		t.Error("the file is read again")
		return "", nil
	}})
	if r.Score.Percent != 100 {
		t.Errorf("score %v, want 100", r.Score.Percent)
	}
}

// TestRulesThatAreGone: a source that was indexed by rules which the settings do not have
// ends the check, and is named: its words could not be compared.
func TestRulesThatAreGone(t *testing.T) {
	general := normSet(t, normalize.Line)
	with, err := normalize.NewSet(normalize.DefaultRules(), map[string]normalize.Rules{"tex": normalize.DefaultRules()})
	if err != nil {
		t.Fatal(err)
	}
	text := numbered("copied", 60)
	for _, tt := range []struct {
		name   string
		s      *memory.Store
		reader func(store.Reader) store.Reader
	}{
		{"with marks", sampleOf(0), func(r store.Reader) store.Reader { return r }},
		{"without marks", sampleOf(0), func(r store.Reader) store.Reader { return unmarked{r, new(int)} }},
		{"of a sample", sampleOf(16), func(r store.Reader) store.Reader { return r }},
	} {
		doc := &document.Document{Path: "/a.tex", Ext: "tex", Format: "tex", Text: text}
		if err := indexer.Add(t.Context(), tt.s, doc.Path, doc, indexer.Options{N: 5, Norms: with}); err != nil {
			t.Fatal(err)
		}
		if err := tt.s.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, err := check(t.Context(), tt.reader(tt.s), general, Options{N: 5}, plain(text))
		if want := `/a.tex: indexed with rules for "tex" files, which the settings do not have`; err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", tt.name, err, want)
		}
	}
}
