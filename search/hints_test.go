package search

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search/exclude"
	"github.com/otisk/otisk/search/hint"
)

// lastParagraphs hints at the last paragraph of each source, from the last one of the suspect.
type lastParagraphs struct{ suspect *hint.Text }

func (lastParagraphs) Kind() string { return hint.KindRewritten }

func (lastParagraphs) Prepare(suspect *hint.Text) hint.Search { return lastParagraphs{suspect} }

func (l lastParagraphs) Find(_ context.Context, source *hint.Text) ([]hint.Found, error) {
	last := func(t *hint.Text) hint.Range { return hint.Range{From: t.Breaks[len(t.Breaks)-1], To: len(t.Words)} }
	return []hint.Found{{Suspect: last(l.suspect), Origin: last(source), Figure: .5, Strength: hint.Strong}}, nil
}

// TestHintsOutsideLists: two lists of references, or a stretch whose kind is excluded, make no hint.
func TestHintsOutsideLists(t *testing.T) {
	const (
		prose = "Most lanes of the old town lead down to the river where barges once waited for salt."
		books = "Literatura\n\nČERMÁK, František. Jazyk a jazykověda. Praha: Karolinum, 2011. ISBN 978-80-246-1946-0.\n\n" +
			"ECO, Umberto. Jak napsat diplomovou práci. Olomouc: Votobia, 1997. ISBN 80-7198-173-7."
		others = "Literatura\n\nNOVÁK, Jan. Dějiny mostů a brodů. Brno: Host, 2004. ISBN 80-7294-123-4.\n\n" +
			"POKORNÁ, Eva. Sůl na řece. Plzeň: Fraus, 1999. ISBN 80-7238-045-2."
		tale = "Nobody remembered who had painted the gate green, nor why the miller had paid for it twice."
	)
	set := normSet(t, normalize.Blank)
	for _, tt := range []struct {
		suspect, source string
		noHints         []string
		want            int
	}{
		{prose, tale, nil, 1},
		{prose + "\n\n" + books, others, nil, 0},
		{prose + "\n\n" + books, tale, nil, 1},
		{prose + "\n\n" + books, tale, []string{exclude.Bibliography}, 0},
		{prose + "\n\n" + books, tale, []string{exclude.Abstract}, 1},
		{prose, others, []string{exclude.Bibliography}, 1},
	} {
		t.Run(fmt.Sprintf("%.4s to %.4s without %s", tt.suspect[strings.LastIndex(tt.suspect, "\n")+1:], tt.source, tt.noHints), func(t *testing.T) {
			s := keyedIndex(t, set, map[string]string{"/source": tt.source})
			r := search(t, s, set, tt.suspect, Options{N: 3, AlignAll: true, Hints: []hint.Finder{lastParagraphs{}}, NoHints: tt.noHints})
			if len(r.Hints) != tt.want || len(r.Sources) != tt.want {
				t.Errorf("%d hints at %d sources, want %d: %+v", len(r.Hints), len(r.Sources), tt.want, r.Hints)
			}
		})
	}
}

// wordFinder hints at nothing, and records the words that it gets.
type wordFinder struct{ suspect, source *[]string }

func (wordFinder) Kind() string { return hint.KindRewritten }

func (w wordFinder) Prepare(suspect *hint.Text) hint.Search {
	*w.suspect = lettersOf(suspect)
	return w
}

func (w wordFinder) Find(_ context.Context, source *hint.Text) ([]hint.Found, error) {
	*w.source = lettersOf(source)
	return nil, nil
}

// lettersOf returns the words of a text that have letters.
func lettersOf(t *hint.Text) (list []string) {
	for _, w := range t.Words {
		if w.Text != "" {
			list = append(list, w.Text)
		}
	}
	return list
}

// TestFindersGetNoWordsOfPassages: a hint is not judged by the words of a passage beside it.
func TestFindersGetNoWordsOfPassages(t *testing.T) {
	const (
		copied = "Most lanes of the old town lead down to the river where barges once waited for salt and for wine from the south."
		own    = "Nobody remembered who had painted the gate green."
		others = "Our miller keeps seven geese and a blind horse."
	)
	set := normSet(t, normalize.Blank)
	s := keyedIndex(t, set, map[string]string{"/source": others + "\n\n" + copied})
	var suspect, source []string
	r := search(t, s, set, own+"\n\n"+copied, Options{N: 3, AlignAll: true, Hints: []hint.Finder{wordFinder{&suspect, &source}}})
	if len(r.Passages) != 1 || r.Passages[0].Words != 23 {
		t.Fatalf("passages %+v, want one of 23 words", r.Passages)
	}
	if got, want := strings.Join(suspect, " "), "nobody remembered who had painted the gate green"; got != want {
		t.Errorf("the suspect is compared by %q, want %q", got, want)
	}
	if got, want := strings.Join(source, " "), "our miller keeps seven geese and a blind horse"; got != want {
		t.Errorf("the source is compared by %q, want %q", got, want)
	}
}
