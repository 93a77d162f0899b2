package segment_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/otisk/otisk/fingerprint"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/segment"
)

// The example creates an index in a folder, adds documents, and looks up n-grams of two words,
// which package fingerprint hashes.
func Example() {
	dir, err := os.MkdirTemp("", "otisk-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	w, err := segment.Create(dir, store.Settings{KeepTexts: true}, segment.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()

	ctx := context.Background()
	hashes := fingerprint.Grams([]string{"white", "geese", "fly"}, 2)
	grams := store.Grams{N: 2, Hashes: func(yield func([]store.Hash) bool) { yield(hashes) }}
	if err := w.Add(ctx, store.Document{Path: "geese.txt"}, "White geese fly", []store.Grams{grams}, nil); err != nil {
		log.Fatal(err)
	}
	if err := w.Commit(ctx); err != nil {
		log.Fatal(err)
	}

	asked := fingerprint.Grams([]string{"geese", "fly"}, 2)
	err = w.Lookup(ctx, 2, asked, store.Limits{}, func(h store.Hit) error {
		for _, p := range h.Postings {
			d, err := store.Entry(ctx, w, p.Doc)
			if err != nil {
				return err
			}
			fmt.Printf("%s, 2-gram %d\n", d.Path, p.Pos)
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output: geese.txt, 2-gram 1
}
