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
