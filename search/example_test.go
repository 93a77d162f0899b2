package search_test

import (
	"context"
	"fmt"
	"log"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/fingerprint"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
)

// A text is checked against an index of one document. Package indexer fills an
// index from files; here it is done by hand.
func Example() {
	ctx := context.Background()
	norms, err := normalize.NewSet(normalize.DefaultRules(), nil)
	if err != nil {
		log.Fatal(err)
	}
	norm, _ := norms.For() // the rules for every type of file
	index := memory.New(store.Settings{KeepTexts: true})
	defer index.Close()
	const source = "The old harbour of the town was flooded twice in that century, and its merchants moved to the hills."
	if err := add(ctx, index, norm, "harbour.txt", source); err != nil {
		log.Fatal(err)
	}

	s, err := search.New(ctx, index, norms, search.Options{N: 5})
	if err != nil {
		log.Fatal(err)
	}
	suspect := "Nobody knows why the old harbour of the town was flooded twice in that century. Today there is a park."
	r, err := s.Search(ctx, &document.Document{Path: "essay.txt", Format: "text", Text: suspect})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d of %d words, %.0f %%\n", r.Score.Covered, r.Score.Words, r.Score.Percent)
	for _, p := range r.Passages {
		fmt.Printf("%s, %s: %q\n", r.Sources[p.Source].Name, p.Grade, suspect[p.Suspect.Start:p.Suspect.End])
	}
	// Output:
	// 12 of 20 words, 60 %
	// harbour.txt, verbatim: "the old harbour of the town was flooded twice in that century"
}

// add puts a text into an index with its n-grams of five words.
func add(ctx context.Context, index store.Store, norm *normalize.Normalizer, name, text string) error {
	var hashes []store.Hash
	roller := fingerprint.NewRoller(5)
	mode := norm.Mode(text)
	for _, p := range norm.Paragraphs(text, mode) {
		for _, w := range p.Words {
			if h, ok := roller.Add([]byte(w.Text)); ok {
				hashes = append(hashes, h)
			}
		}
		roller.Break()
	}
	doc := store.Document{Path: name, Format: "text", NewLine: mode.String()}
	grams := store.Grams{N: 5, Hashes: func(yield func([]store.Hash) bool) { yield(hashes) }}
	if err := index.Add(ctx, doc, text, []store.Grams{grams}, nil); err != nil {
		return err
	}
	return index.Commit(ctx)
}
