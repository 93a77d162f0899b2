package indexer_test

import (
	"context"
	"fmt"
	"log"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
)

// Two texts are indexed in memory, and a third is checked against them.
func ExampleAddText() {
	ctx := context.Background()
	norms, err := normalize.NewSet(normalize.DefaultRules(), nil)
	if err != nil {
		log.Fatal(err)
	}
	index := memory.New(store.Settings{KeepTexts: true})
	for name, text := range map[string]string{
		"harbour": "The old harbour of the town was flooded twice in that century, and its merchants moved to the hills.",
		"bridge":  "A bridge of stone replaced the ferry when the road to the mines was built.",
	} {
		if err := indexer.AddText(ctx, index, name, text, 7, norms); err != nil {
			log.Fatal(err)
		}
	}
	if err := index.Commit(ctx); err != nil {
		log.Fatal(err)
	}
	searcher, err := search.New(ctx, index, norms, search.Options{N: 7})
	if err != nil {
		log.Fatal(err)
	}
	essay := "Nobody knows why the old harbour of the town was flooded twice in that century."
	result, err := searcher.Search(ctx, &document.Document{Path: "essay", Format: "text", Text: essay})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range result.Passages {
		fmt.Printf("%s: %q is in %s\n", p.Grade, essay[p.Suspect.Start:p.Suspect.End], result.Sources[p.Source].Name)
	}
	// Output:
	// verbatim: "the old harbour of the town was flooded twice in that century" is in harbour
}
