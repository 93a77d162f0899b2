package disguise

import (
	"fmt"
	"strings"
	"testing"
)

// split puts a space in the middle of every second word of four letters or more.
func split(text, space string) string {
	words := strings.Fields(text)
	turn := 0
	for i, w := range words {
		if len(w) < 4 || strings.ContainsAny(w, ".,;") {
			continue
		}
		if turn++; turn%2 == 0 {
			words[i] = w[:len(w)/2] + space + w[len(w)/2:]
		}
	}
	return strings.Join(words, " ")
}

func TestNarrow(t *testing.T) {
	const text = "the passage that was copied here was found by words that the passage shares with the passage here, " +
		"and what was found here was copied with words that were copied, as the words that were found here share"
	for _, space := range []string{"\u2006", "\u2009", "\u200a", "\u202f", "\u205f"} {
		p := undoing(t, split(text, space))
		if p.Text != text {
			t.Errorf("Undo of %q inside words is %q", space, p.Text)
		}
		if want := fmt.Sprintf("%U inside words", []rune(space)[0]); len(p.Finds) == 0 || p.Finds[0].Detail != want || p.Finds[0].Kind != Spaced {
			t.Errorf("finds of %q are %+v, want %s", space, p.Finds, want)
		}
	}
}

// Words that are nowhere whole are joined where they are many and nothing else has
// narrow spaces.
func TestNarrowAll(t *testing.T) {
	var all, want []string
	for i := range 30 {
		w := "plag" + strings.Repeat(string(rune('a'+i%26)), 1+i/26) + "ism" + string(rune('a'+i/2%26))
		all, want = append(all, w[:4]+string(rune('a'+i%26))+"\u200a"+w[4:]), append(want, w[:4]+string(rune('a'+i%26))+w[4:])
	}
	if got := undoing(t, "it is "+strings.Join(all, " or ")+" as it is").Text; got != "it is "+strings.Join(want, " or ")+" as it is" {
		t.Errorf("got %q", got)
	}
}

// Thin spaces of honest texts stay.
func TestNarrowHonest(t *testing.T) {
	for _, text := range []string{
		"Qu’est-ce\u202f? Il dit\u202f: «\u202foui\u202f» et non\u202f; voilà\u202f! Est-ce\u202f? Où\u202f?",
		"z.\u2009B. und d.\u2009h. von J.\u2009S. Bach, u.\u2009a. im Jahr 10\u2009000 mit 5\u2009kg und 3\u2009%",
		"a force of 3\u2009kg\u2009m and 4\u2009mol\u2009l, of 5\u2009kW\u2009h and 6\u2009kg\u2009m with 2\u2009mW\u2009cm, sin\u2009x and log\u2009n and d\u2009x",
		strings.ReplaceAll("in narrow lines the words of a text are parted by thin spaces and all of these words are here elsewhere", " ", "\u2009"),
		"the words in narrow lines are here, and narrow\u2009lines are in\u2009words and in\u2009narrow lines\u2009are here, into the words",
	} {
		if p := undoing(t, text); p.Text != text || len(p.Finds) > 0 {
			t.Errorf("Undo(%q) = %q, %+v", text, p.Text, p.Finds)
		}
	}
}

// The places of a text that was changed twice are those of its words.
func TestMovedTwice(t *testing.T) {
	text := "copied words here: co\u200apied wo\u200ards he\u200are plаgiаt and c o p i e d end"
	p := undoing(t, text)
	if want := "copied words here: copied words here plagiat and copied end"; p.Text != want {
		t.Fatalf("got %q, want %q", p.Text, want)
	}
	for _, w := range []string{"and", "end"} {
		if got := p.Moved(strings.Index(text, w)); !strings.HasPrefix(p.Text[got:], w) {
			t.Errorf("Moved(place of %s) = %d: %q", w, got, p.Text[got:])
		}
	}
	if len(p.Finds) != 5 {
		t.Errorf("finds %+v, want five", p.Finds)
	}
}
