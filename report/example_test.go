package report_test

import (
	"bytes"
	"context"
	"log"
	"os"
	"path/filepath"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
)

// A result is kept as JSON. Every other report can be made from that later,
// without the index.
func Example() {
	result, err := check("Nobody knows why the old harbour of the town was flooded twice in that century.",
		"The old harbour of the town was flooded twice in that century, and its merchants moved to the hills.")
	if err != nil {
		log.Fatal(err)
	}
	var kept bytes.Buffer
	if err := report.Write(&kept, "json", result, report.Options{}); err != nil {
		log.Fatal(err)
	}

	result, err = report.ReadJSON(&kept)
	if err != nil {
		log.Fatal(err)
	}
	if err := report.Write(os.Stdout, "text", result, report.Options{}); err != nil {
		log.Fatal(err)
	}
	// Output:
	// essay.txt
	// 15 words, 1 paragraph (text)
	// compared with the given files: 1 document, 15 5-grams
	//
	// Score: 80.0%
	// 12 of 15 words are in passages – 12 verbatim (80.0%)
	// Quotation marks and citations: neither quoted nor cited 12 words, 1 place
	// 5-grams: 72.7%, 8 of 11; longest run: 12 words
	//
	// Sources: 1
	//        score  words  best for  n-grams  run  document
	//     1  80.0%     12        12    72.7%   12  harbour.txt
	//
	// Paragraphs: 1
	//        n-grams  matched  run  source: n-grams, run
	//     1    72.7%  8 of 11   12  1: 72.7%, 12
	//
	// Places: 1 (1 passage)
	//     1  verbatim, 12 words, source 1 harbour.txt
	//        equal words: 12 of 12, longest run: 12 words
	//       | the old harbour of the town was flooded twice in that century
	//       > The old harbour of the town was flooded twice in that century
}

// check searches for one text in an index of one other.
func check(suspect, source string) (*report.Report, error) {
	ctx := context.Background()
	norms, err := normalize.NewSet(normalize.DefaultRules(), nil)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "otisk-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "harbour.txt"), []byte(source), 0o666); err != nil {
		return nil, err
	}
	index := memory.New(store.Settings{KeepTexts: true})
	defer index.Close()
	if _, err := indexer.Run(ctx, index, []string{dir}, indexer.Options{N: 5, Pairs: true, Base: dir, Norms: norms}); err != nil {
		return nil, err
	}
	s, err := search.New(ctx, index, norms, search.Options{N: 5, Texts: true})
	if err != nil {
		return nil, err
	}
	found, err := s.Search(ctx, &document.Document{Path: "essay.txt", Format: "text", Text: suspect})
	if err != nil {
		return nil, err
	}
	return &report.Report{Result: *found}, nil
}
