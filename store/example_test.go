package store_test

import (
	"context"
	"fmt"
	"iter"
	"log"
	"slices"
	"strings"

	"github.com/otisk/otisk/fingerprint"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
)

// Documents are added with their n-grams, committed, and found by them. The
// index is one in memory; every other kind does the same.
func Example() {
	ctx := context.Background()
	index := memory.New(store.Settings{KeepTexts: true})
	defer index.Close()
	for name, text := range map[string]string{
		"geese.txt": "white geese fly over the lake",
		"swans.txt": "white swans swim on the lake",
	} {
		if err := index.Add(ctx, store.Document{Path: name}, text, grams(text, 2), nil); err != nil {
			log.Fatal(err)
		}
	}
	if err := index.Commit(ctx); err != nil { // until then nothing is found
		log.Fatal(err)
	}

	asked := fingerprint.Grams(strings.Fields("swans over the lake"), 2)
	slices.Sort(asked)
	err := index.Lookup(ctx, 2, slices.Compact(asked), store.Limits{}, func(h store.Hit) error {
		for _, p := range h.Postings {
			doc, err := store.Entry(ctx, index, p.Doc)
			if err != nil {
				return err
			}
			fmt.Println(doc.Name(), "has one of them at word", p.Pos)
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Unordered output:
	// geese.txt has one of them at word 3
	// geese.txt has one of them at word 4
	// swans.txt has one of them at word 4
}

// grams returns the n-grams of n words of a text that is one paragraph.
func grams(text string, n int) []store.Grams {
	hashes := fingerprint.Grams(strings.Fields(text), n)
	var all iter.Seq[[]store.Hash] = func(yield func([]store.Hash) bool) { yield(hashes) }
	return []store.Grams{{N: n, Hashes: all}}
}
