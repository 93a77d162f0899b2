package fingerprint_test

import (
	"fmt"
	"strings"

	"github.com/otisk/otisk/fingerprint"
)

// Two sentences share the n-grams of the words that both have in a row.
func Example() {
	known := make(map[fingerprint.Hash]bool)
	for _, h := range fingerprint.Grams(strings.Fields("we saw white geese fly over the lake"), 3) {
		known[h] = true
	}
	for i, h := range fingerprint.Grams(strings.Fields("all white geese fly over water"), 3) {
		if known[h] {
			fmt.Println("shared: words", i, "to", i+2)
		}
	}
	// Output:
	// shared: words 1 to 3
	// shared: words 2 to 4
}

// No n-gram reaches over the end of a paragraph.
func ExampleRoller() {
	r := fingerprint.NewRoller(2)
	for _, paragraph := range []string{"white geese fly", "alone", "over water"} {
		for word := range strings.FieldsSeq(paragraph) {
			if h, ok := r.Add([]byte(word)); ok {
				fmt.Printf("%012x ends with %s\n", h, word)
			}
		}
		r.Break()
	}
	fmt.Printf("%012x is the hash of the words with a space between\n", fingerprint.Of([]byte("white geese")))
	// Output:
	// 2abce90bb7f6 ends with geese
	// d3c6c7efffa8 ends with fly
	// 90f0ef4bb2f4 ends with water
	// 2abce90bb7f6 is the hash of the words with a space between
}

// Pairs survive what n-grams do not: here the order of the words, and their
// endings.
func ExamplePairer() {
	pairs := func(text string) map[fingerprint.Pair]bool {
		var p fingerprint.Pairer
		found := make(map[fingerprint.Pair]bool)
		for word := range strings.FieldsSeq(text) {
			if pair, ok := p.Add([]byte(word)); ok {
				found[pair] = true
			}
		}
		return found
	}
	a, b := pairs("the harbour was flooded"), pairs("flooding of the harbours")
	for pair := range a {
		fmt.Println(b[pair])
	}
	// Output: true
}
