package memory_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
)

// An index answers which documents have an n-gram, from its last commit.
func Example() {
	ctx := context.Background()
	s := memory.New(store.Settings{KeepTexts: true})
	hashes := []store.Hash{10, 20, 30} // of the three 7-grams of a text of nine words
	grams := store.Grams{N: 7, Hashes: slices.Values([][]store.Hash{hashes})}
	text := "one two three four five six seven eight nine"
	if err := s.Add(ctx, store.Document{Path: "/numbers.txt"}, text, []store.Grams{grams}, nil); err != nil {
		fmt.Println(err)
	}
	if err := s.Commit(ctx); err != nil {
		fmt.Println(err)
	}
	err := s.Lookup(ctx, 7, []store.Hash{20, 25}, store.Limits{}, func(h store.Hit) error {
		for _, p := range h.Postings {
			doc, err := store.Entry(ctx, s, p.Doc)
			if err != nil {
				return err
			}
			fmt.Println(h.Hash, "is n-gram", p.Pos, "of", doc.Path)
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: 20 is n-gram 1 of /numbers.txt
}
