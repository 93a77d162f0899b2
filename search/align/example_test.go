package align_test

import (
	"context"
	"fmt"
	"log"

	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search/align"
)

// Two texts are prepared, and then aligned.
func Example() {
	const (
		source = `The old harbour of the town was flooded twice in the fourteenth century. ` +
			`Its merchants moved their warehouses to the hills, where the ruins can still be seen today.`
		suspect = `Nobody remembers the reason. The old harbour of the city was flooded twice in the fourteenth century. ` +
			`Its merchants then moved their warehouses to the hills, where ruins can still be seen today. A park is there now.`
	)
	al := align.New(align.DefaultParams())
	passages, err := al.Align(context.Background(), prepare(suspect), prepare(source))
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range passages {
		fmt.Println(suspect[p.Suspect.Start:p.Suspect.End])
		fmt.Println(source[p.Source.Start:p.Source.End])
		fmt.Printf("%d of %d words, %s\n", p.Matched, p.Words, p.Grade)
	}
	// Output:
	// The old harbour of the city was flooded twice in the fourteenth century. Its merchants then moved their warehouses to the hills, where ruins can still be seen today
	// The old harbour of the town was flooded twice in the fourteenth century. Its merchants moved their warehouses to the hills, where the ruins can still be seen today
	// 27 of 29 words, lightly edited
}

// prepare normalises a text and makes it ready for alignment.
func prepare(text string) *align.Prepared {
	n, err := normalize.New(normalize.DefaultRules())
	if err != nil {
		log.Fatal(err)
	}
	var words []normalize.Word
	for _, p := range n.Paragraphs(text, normalize.Whole) {
		words = append(words, p.Words...)
	}
	return align.Prepare(align.Text{Words: words, Text: text})
}
