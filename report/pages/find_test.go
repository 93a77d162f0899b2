package pages

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// spotsOf returns the letters of pages, with the number of each in place of its box.
func spotsOf(pages ...string) (list []spot) {
	for i, p := range pages {
		for _, r := range p {
			for _, l := range fold(r) {
				list = append(list, spot{letter: l, page: int32(i), box: box{left: float32(len(list))}})
			}
		}
	}
	return list
}

// TestMatch: letters are found around what only pages have, and where a page has them
// in another order.
func TestMatch(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var words []string
	for range 3000 {
		words = append(words, fmt.Sprintf("%c%c%cslovo%c%c", 'a'+rnd.IntN(26), 'a'+rnd.IntN(26), 'a'+rnd.IntN(26), 'a'+rnd.IntN(26), 'a'+rnd.IntN(26)))
	}
	text := strings.Join(words, " ")
	var pages []string
	for i := 0; i < len(words); i += 300 {
		body, note := strings.Join(words[i:i+200], " "), strings.Join(words[i+200:i+250], " ")
		pages = append(pages, fmt.Sprintf("Kapitola první %d %s %s-\n%s", i/300, body, strings.Join(words[i+250:i+300], " "), note)) // notes at the foot
	}
	letters, spots := lettersOf(text), spotsOf(pages...)
	missing, last := 0, map[int32]bool{}
	for i, j := range match(letters, spots) {
		switch {
		case j < 0:
			missing++
		case spots[j].letter != letters[i].letter || last[j]:
			t.Fatalf("letter %d is found at %d: %c, want an unused %c", i, j, spots[j].letter, letters[i].letter)
		default:
			last[j] = true
		}
	}
	if missing > 0 {
		t.Errorf("%d of %d letters were not found", missing, len(letters))
	}
}

// TestMatchNothing: words that no page has are found nowhere, and those after them are.
func TestMatchNothing(t *testing.T) {
	hidden := strings.Repeat("quxwordnever onanypage ", 50)
	before, after := "these are the first words of a page ", "and these are the last words of it"
	letters := lettersOf(before + hidden + after)
	found := match(letters, spotsOf(before+after))
	for i, j := range found {
		inside := letters[i].from >= len(before) && letters[i].from < len(before)+len(hidden)
		if inside != (j < 0) {
			t.Fatalf("letter %d, %c: found at %d", i, letters[i].letter, j)
		}
	}
}

// TestFold: letters are compared as they are drawn, not as they are coded.
func TestFold(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"Žluťoučký", "zlutoucky"}, {"ﬁnále", "finale"}, {"mo ˇ znosti", "moznosti"}, {"ﬂ-ﬄ 1²", "flffl12"}, {"ЖУК", "жук"}, {"漢字", "漢字"},
	} {
		var got strings.Builder
		for _, r := range tt.in {
			for _, l := range fold(r) {
				got.WriteRune(l)
			}
		}
		if got.String() != tt.want {
			t.Errorf("fold(%q) = %q, want %q", tt.in, got.String(), tt.want)
		}
	}
}

// TestPieces: a word over the end of a line has two boxes, and one that was hardly found
// none.
func TestPieces(t *testing.T) {
	at := func(c rune, left, top float32) spot { return spot{letter: c, box: box{left, top, left + 8, top + 10}} }
	spots := []spot{at('h', 90, 0), at('a', 98, 0), at('r', 0, 20), at('b', 8, 20)}
	got := pieces(lettersOf("harb"), []int32{0, 1, 2, 3}, spots)
	want := []word{{0, 2, 0, 90, 0, 106, 10}, {2, 4, 0, 0, 20, 16, 30}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("pieces: %v, want %v", got, want)
	}
	if got := pieces(lettersOf("harb"), []int32{0, -1, -1, 3}, spots); got != nil {
		t.Errorf("pieces of a word with two letters of four: %v, want none", got)
	}
}
