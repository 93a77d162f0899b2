package hint

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestKeys: two words have one key if and only if they have one form; a word without a form has the key 0.
func TestKeys(t *testing.T) {
	words := []string{"", "a", "of", "--", "I'", "§1", "cat", "cats", "abcdef", "abcdefg", "abcdef7", "abcde7", "abcdefg7", "7abc", "ab7",
		"až", "žák", "žáci", "šířeji", "šířejí", "příliš", "přílišn", "přílišný", "přílišt7", "жук", "жукам", "жуками", "жукамих", "да", "漢", "漢字", "漢字漢字漢字漢字", "漢字漢字漢字", "ab\x00", "ab", "abc\x00"}
	r := rand.New(rand.NewPCG(6, 6))
	for i := range 400 {
		var b strings.Builder
		for range r.IntN(11) {
			b.WriteString([]string{"a", "b", "0", "9", "/", ":", "ž", "ж", "漢", "\x00", "\x7f", "𝒳"}[r.IntN(6+6*(i%2))])
		}
		words = append(words, b.String())
	}
	for _, a := range words {
		if (keyOf(a) == 0) != (form(a) == "") || keyOf(a) != 0 && keyOf(a) != keyOfForm(form(a)) {
			t.Errorf("the form of %q is %q, its key %x", a, form(a), keyOf(a))
		}
		for _, b := range words {
			if (keyOf(a) == keyOf(b)) != (form(a) == form(b)) {
				t.Errorf("%q and %q have forms %q and %q, and keys %x and %x", a, b, form(a), form(b), keyOf(a), keyOf(b))
			}
		}
	}
}

// TestNumbering: copies of two numberings in turn, with further forms each time, number forms as maps do.
func TestNumbering(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	word := func(most int) key {
		return keyOf(fmt.Sprintf("%c%c%c", 'a'+r.IntN(20), 'a'+r.IntN(most), 'a'+r.IntN(20)))
	}
	var bases [2]numbering
	var numbers [2]map[key]int32
	check := func(n *numbering, want map[key]int32, k key) {
		t.Helper()
		number, known := want[k]
		if !known {
			number = int32(len(want))
			want[k] = number
		}
		if got := n.of(k); got != number || len(n.keys) != len(want) || n.keys[got] != k {
			t.Fatalf("number %d, %d forms, want %d, %d", got, len(n.keys), number, len(want))
		}
	}
	for i := range bases {
		numbers[i] = map[key]int32{}
		for range 100 + 900*i {
			check(&bases[i], numbers[i], word(4))
		}
	}
	var n numbering
	for range 20 {
		i := r.IntN(2)
		want := map[key]int32{}
		for k, number := range numbers[i] {
			want[k] = number
		}
		n.extend(&bases[i])
		for range r.IntN(3000) {
			check(&n, want, word(20))
		}
	}
}
