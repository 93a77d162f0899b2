package storetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/otisk/otisk/store"
)

// marked returns marks of a text with blocks of block bytes. The words are invented: a
// store does not look at the text.
func marked(text string, block int) *store.Marks {
	m := store.NewMarker(text, []int{3, 7})
	for from := 0; from < len(text); from += block {
		end := min(from+block, len(text))
		m.Add(end, (end-from)/6, []int{(end - from) / 9}, int64(end/13))
	}
	return m.Marks()
}

func idOf(path string) store.DocID {
	doc := Doc(path, "")
	return store.IDOf(doc.Prefix, doc.Path)
}

// pieces reads pieces of one document.
func pieces(t *testing.T, s store.Store, id store.DocID, choose func(*store.Marks) ([]store.Piece, error)) (list []string, err error) {
	ended := s.Pieces(t.Context(), []store.DocID{id}, func(_ int, m *store.Marks) ([]store.Piece, error) { return choose(m) },
		func(_ int, some []string, missing error) error {
			list, err = some, missing
			return nil
		})
	if ended != nil {
		return nil, ended
	}
	return list, err
}

func testPieces(t *testing.T, s store.Store) {
	rng := rand.New(rand.NewPCG(4, 2))
	texts := map[string]string{
		"/short": "a text", "/same": strings.Repeat("x", 300_000), "/raw": noise(rng, 400_000),
		"/long": strings.Repeat("žluťoučký kůň ", 100_000), "/mixed": strings.Repeat("y", 131_072) + noise(rng, 140_000) + strings.Repeat("a b ", 50_000),
	}
	for path, text := range texts {
		doc := Doc(path, text)
		doc.Text, doc.Marks = int64(len(text)), marked(text, 900)
		if err := s.Add(t.Context(), doc, text, []store.Grams{Grams(7, 1)}, nil); err != nil {
			t.Fatal(err)
		}
	}
	commit(t, s)
	for path, text := range texts {
		wanted := []store.Piece{{From: 0, To: 0}, {From: 0, To: int64(len(text))}, {From: int64(len(text)), To: int64(len(text))}}
		for range 20 {
			from := rng.Int64N(int64(len(text)))
			wanted = append(wanted, store.Piece{From: from, To: from + rng.Int64N(int64(len(text))-from+1)})
		}
		var marks *store.Marks
		list, err := pieces(t, s, idOf(path), func(m *store.Marks) ([]store.Piece, error) {
			marks = m
			return wanted, nil
		})
		if err != nil || len(list) != len(wanted) {
			t.Fatalf("%s: %d pieces, %v; want %d", path, len(list), err, len(wanted))
		}
		for i, p := range wanted {
			if list[i] != text[p.From:p.To] {
				t.Errorf("%s: bytes %d to %d are not those of the text", path, p.From, p.To)
			}
		}
		if want := marked(text, 900); !reflect.DeepEqual(marks, want) {
			t.Errorf("%s: marks differ: %+v, want %+v", path, marks, want)
		}
	}
	refused := errors.New("none of these")
	if _, err := pieces(t, s, idOf("/long"), func(*store.Marks) ([]store.Piece, error) { return nil, refused }); !errors.Is(err, refused) {
		t.Errorf("an error of choose comes back as %v", err)
	}
}

// noise returns characters that hardly compress.
func noise(rng *rand.Rand, bytes int) string {
	var b strings.Builder
	for b.Len() < bytes {
		fmt.Fprintf(&b, "%c", rune(1+rng.IntN(0x7ff)))
	}
	return b.String()
}

func testNoMarks(t *testing.T, s store.Store) {
	doc := Doc("/a", "a text")
	if err := s.Add(t.Context(), doc, "a text", []store.Grams{Grams(7, 1)}, nil); err != nil {
		t.Fatal(err)
	}
	commit(t, s)
	some := func(*store.Marks) ([]store.Piece, error) { return nil, nil }
	if _, err := pieces(t, s, idOf("/a"), some); !errors.Is(err, store.ErrNoMarks) {
		t.Errorf("Pieces without marks = %v, want ErrNoMarks", err)
	}
	if _, err := pieces(t, s, 99, some); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("Pieces of a missing document = %v, want ErrNotFound", err)
	}
}
