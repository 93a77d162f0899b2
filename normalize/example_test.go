package normalize_test

import (
	"fmt"
	"log"

	"github.com/otisk/otisk/normalize"
)

// Words keep their place, so that a report can mark them in the text itself.
func Example() {
	n, err := normalize.New(normalize.DefaultRules())
	if err != nil {
		log.Fatal(err)
	}
	const text = "Don't reply\nto this e-mail.\n\nCafé Louvre"
	for _, p := range n.Paragraphs(text, normalize.Blank) {
		fmt.Printf("%q\n", text[p.Start:p.End])
		for _, w := range p.Words {
			fmt.Printf("  %-6s %s\n", w.Text, text[w.Start:w.End])
		}
	}
	// Output:
	// "Don't reply\nto this e-mail."
	//   dont   Don't
	//   reply  reply
	//   to     to
	//   this   this
	//   email  e-mail
	// "Café Louvre"
	//   café   Café
	//   louvre Louvre
}

// A long text is walked word by word, in memory that does not grow with it.
func ExampleNormalizer_Scan() {
	n, err := normalize.New(normalize.DefaultRules())
	if err != nil {
		log.Fatal(err)
	}
	s := n.Scan("One line.\nAnother line.", normalize.Line)
	for s.Next() {
		start, end := s.Span()
		fmt.Printf("paragraph %d: %s at [%d, %d)\n", s.Paragraph(), s.Word(), start, end)
	}
	// Output:
	// paragraph 0: one at [0, 3)
	// paragraph 0: line at [4, 8)
	// paragraph 1: another at [10, 17)
	// paragraph 1: line at [18, 22)
}

// Rules decide what separates words. Pages that were saved as plain text have
// tags in them.
func ExampleRules() {
	rules := normalize.DefaultRules()
	rules.NewLineTags = []string{"<br>", "<p>"}
	rules.DeleteTags = []string{"<b>", "</b>"}
	rules.StopWords = []string{"the"}
	n, err := normalize.New(rules)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range n.Paragraphs(`The <b>s</b>tart<p class="x">The end`, normalize.Line) {
		for _, w := range p.Words {
			fmt.Println(w.Text)
		}
	}
	// Output:
	// start
	// end
}
