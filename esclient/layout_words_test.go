package esclient

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestWords encodes numbers and decodes them, and compares the order of words with that of the numbers.
func TestWords(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 61))
	for _, w := range []words{gramWords, pairWords} {
		before, last := uint64(0), ""
		numbers := []uint64{0, 1, 60, 61, 62, w.most/firstBase - 1, w.most / firstBase, w.most - 1, w.most}
		for range 1000 {
			numbers = append(numbers, rng.Uint64N(w.most+1))
		}
		for _, number := range numbers {
			word := string(w.append(nil, number))
			if got, ok := w.value(word); len(word) != w.chars || !ok || got != number {
				t.Fatalf("the word of %d is %q, which has the value %d, %v", number, word, got, ok)
			}
			if last != "" && (before < number) != (last < word) {
				t.Fatalf("%d has the word %q, %d %q", before, last, number, word)
			}
			before, last = number, word
		}
	}
}

// TestWordCharacters: words contain no white space, and nothing that JSON escapes.
func TestWordCharacters(t *testing.T) {
	for _, d := range []struct {
		digits
		base int
	}{{firstDigits, firstBase}, {restDigits, restBase}} {
		if got := string(marshal(d.chars)); len(d.chars) != d.base || got != `"`+d.chars+`"` || strings.ContainsAny(d.chars, " \t\n") {
			t.Errorf("%d digits are %q, in JSON %s", d.base, d.chars, got)
		}
	}
}

// TestOtherWords: a word with other characters, or with a number that is too high, has no value.
func TestOtherWords(t *testing.T) {
	for _, word := range []string{"        ", "AAAAAAAA", "!!!!!!!\"", "!!!!!!!\x7f", "}!!!!!!!", "!!!\\!!!!", "!!!!!!\xc3\x81", string(gramWords.append(nil, 1<<gramBits))} {
		if v, ok := gramWords.value(word); ok {
			t.Errorf("the word %q has the value %d", word, v)
		}
	}
}

// TestMarshal: no character of a word is escaped.
func TestMarshal(t *testing.T) {
	var back object
	got := marshal(object{"h": "<>&"})
	if err := json.Unmarshal(got, &back); string(got) != `{"h":"<>&"}` || err != nil || back["h"] != "<>&" {
		t.Errorf("marshal = %s, %v, %v", got, back, err)
	}
}
