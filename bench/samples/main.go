// Command samples makes the Czech suspect of the sample collection, an essay
// with passages of the collected novels at known places, and the table of these
// places in samples/README.md. Run it in the root of the project:
//
//	go run ./bench/samples
//
// Its output depends only on the texts that it reads.
package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/otisk/otisk/bench/plant"
)

const (
	host       = "testdata/czech/salda-zivot-ironicky.txt"
	collection = "samples/collection/czech"
	essay      = "samples/suspects/czech-essay.txt"
	readme     = "samples/README.md"

	hostSentences = 150
	lineWidth     = 80
	seed          = 1
)

// The table is between these lines of the README.
const (
	tableStart = "<!-- planted: made by bench/samples -->\n"
	tableEnd   = "<!-- end of planted -->\n"
)

// planted are the copies in the essay, in no order.
var planted = []struct {
	how     string
	kind    plant.Kind
	words   int // minimum of each source
	sources []string
}{
	{"word for word", plant.Verbatim, 150, []string{"nemcova-babicka.txt"}},
	{"word for word", plant.Verbatim, 70, []string{"dyk-krysar.txt"}},
	{"word for word, short", plant.Verbatim, 20, []string{"cech-vylet-pana-broucka-do-mesice.txt"}},
	{"one word in 12 swapped for another", plant.Swapped(12), 120, []string{"arbes-newtonuv-mozek.txt"}},
	{"one word in 16 left out, as many put in", plant.LeftOut(16), 120, []string{"nemcova-babicka.txt"}},
	{"sentences in another order", plant.Reordered, 80, []string{"cech-vylet-pana-broucka-do-mesice.txt"}},
	{"woven of two sources", plant.Woven, 80, []string{"dyk-krysar.txt", "arbes-newtonuv-mozek.txt"}},
}

func main() {
	if err := run("."); err != nil {
		fmt.Fprintf(os.Stderr, "samples: error: %v\n", err)
		os.Exit(1)
	}
}

func run(root string) error {
	text, table, err := compose(root)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(root, essay), []byte(text), 0o644); err != nil {
		return fmt.Errorf("write essay: %w", err)
	}
	page, err := read(root, readme)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(page, tableStart)
	_, after, ended := strings.Cut(rest, tableEnd)
	if !ok || !ended {
		return fmt.Errorf("write table: %s has no place for it", readme)
	}
	page = before + tableStart + table + tableEnd + after
	if err := os.WriteFile(filepath.Join(root, readme), []byte(page), 0o644); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

// compose returns the essay and the table of what is planted in it.
func compose(root string) (text, table string, err error) {
	body, err := read(root, host)
	if err != nil {
		return "", "", err
	}
	own := plant.Parse(host, body).Sentences[:hostSentences]
	r := rand.New(rand.NewPCG(seed, 0))
	how := map[*plant.Origin]string{}
	var copies [][]plant.Run
	for _, p := range planted {
		var passages []plant.Passage
		for _, name := range p.sources {
			body, err := read(root, filepath.Join(collection, name))
			if err != nil {
				return "", "", err
			}
			passages = append(passages, plant.Pick(r, plant.Parse(name, body), p.words))
		}
		runs := p.kind(r, plant.Words(own), passages...)
		for _, run := range runs {
			how[run.Origin] = p.how
		}
		copies = append(copies, runs)
	}
	text, places := plant.Layout(plant.Insert(r, own, copies), lineWidth)
	return text, tableOf(text, places, how), nil
}

// read reads a text and converts its line ends to \n.
func read(root, name string) (string, error) {
	body, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		return "", fmt.Errorf("read text: %w", err)
	}
	return strings.ReplaceAll(string(body), "\r\n", "\n"), nil
}

// tableOf writes a row for each place, in the order of the text.
func tableOf(text string, places []plant.Place, how map[*plant.Origin]string) string {
	var b strings.Builder
	b.WriteString("| how | essay | source | its place |\n")
	b.WriteString("|---|---|---|---|\n")
	slices.SortFunc(places, func(a, b plant.Place) int { return a.Start - b.Start })
	for _, p := range places {
		o := p.Origin
		fmt.Fprintf(&b, "| %s | %s | `%s` | %s |\n", how[o], characters(text, p.Start, p.End), o.Source.Name, characters(o.Source.Body, o.Start, o.End))
	}
	return b.String()
}

// characters formats a range of bytes in code points. Its end is exclusive.
func characters(text string, start, end int) string {
	offset, length := plant.CodePoints(text, start, end)
	return fmt.Sprintf("%d–%d", offset, offset+length)
}
