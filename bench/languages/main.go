// Command languages copies a passage within one text in each of many languages, changes its
// spelling in many ways, and prints which copies are found, which are not but are reported
// as compared less well, and which are missed in silence.
//
//	go run ./bench/languages -udhr FOLDER [-v]
//
// The folder has the Universal Declaration of Human Rights in XML, as data/udhr of
// github.com/eric-muller/udhr. Of each language, the first half is the source, in an
// index; the suspect is the second half with some 200 words of the first, changed.
package main

import (
	"context"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
)

// languages are the file names of the texts, udhr_NAME.xml.
var languages = strings.Fields(`eng deu_1996 fra spa por_BR ita pol ces slk hun ron_2006 tur vie ind swh
	rus ukr bul srp_cyrl ell_monotonic kat hye amh arb pes_1 urd heb hin ben tam tel mar nep
	cmn_hans cmn_hant jpn kor tha lao khm mya bod`)

func main() {
	udhr := flag.String("udhr", "", "`folder` of the texts")
	verbose := flag.Bool("v", false, "print each cell")
	flag.Parse()
	if *udhr == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(context.Background(), os.Stdout, *udhr, *verbose); err != nil {
		fmt.Fprintf(os.Stderr, "languages: error: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, udhr string, verbose bool) error {
	dir, err := os.MkdirTemp("", "otisk-languages")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Fprintf(out, "%-14s %7s %6s %6s %6s\n", "language", "changes", "found", "told", "silent")
	for _, name := range languages {
		paragraphs, err := read(filepath.Join(udhr, "udhr_"+name+".xml"))
		if err != nil {
			return err
		}
		t, err := newTrial(ctx, dir, paragraphs)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := t.all(ctx, out, name, verbose); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// read returns the paragraphs of a text.
func read(path string) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var paragraphs []string
	d := xml.NewDecoder(f)
	for {
		token, err := d.Token()
		if err == io.EOF {
			return paragraphs, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "para" {
			var p string
			if err := d.DecodeElement(&p, &e); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			if p = strings.Join(strings.Fields(p), " "); p != "" {
				paragraphs = append(paragraphs, p)
			}
		}
	}
}

// A trial has the source of one language in an index.
type trial struct {
	searcher *search.Searcher
	path     string // of the suspect
	own      []string
	copied   []string
}

// newTrial indexes the first half of the paragraphs and chooses what is copied of it.
func newTrial(ctx context.Context, dir string, paragraphs []string) (*trial, error) {
	half := len(paragraphs) / 2
	t := &trial{path: filepath.Join(dir, "suspect.txt"), own: paragraphs[half:]}
	share := len(strings.Join(paragraphs, "")) / 8 // some 200 words of 1,800
	for _, p := range paragraphs[half/4 : half] {
		if share > 0 {
			t.copied = append(t.copied, p)
			share -= len(p)
		}
	}
	norms, err := normalize.NewSet(normalize.DefaultRules(), nil)
	if err != nil {
		return nil, err
	}
	index := memory.New(store.Settings{KeepTexts: true})
	if err := indexer.AddText(ctx, index, "source", strings.Join(paragraphs[:half], "\n\n"), 7, norms); err != nil {
		return nil, err
	}
	if err := index.Commit(ctx); err != nil {
		return nil, err
	}
	t.searcher, err = search.New(ctx, index, norms, search.Options{N: 7, Texts: true})
	return t, err
}

// The outcomes of a change.
const (
	found = iota
	told
	silent
)

// enough is the share of the copied characters that must be in passages.
const enough = 0.8

// all tries all changes and prints a line, or with verbose one each.
func (t *trial) all(ctx context.Context, out io.Writer, name string, verbose bool) error {
	plain := strings.Join(t.copied, "\n\n")
	var counts [3]int
	var missed []string
	for _, c := range changes {
		changed := c.of(plain)
		if changed == plain && c.name != "none" {
			continue
		}
		outcome, share, notes, err := t.try(ctx, changed)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		counts[outcome]++
		if outcome == silent {
			missed = append(missed, c.name)
		}
		if verbose {
			fmt.Fprintf(out, "%-14s %-34s %-6s %3.0f %% %s\n", name, c.name, [...]string{"found", "told", "silent"}[outcome], 100*share, notes)
		}
	}
	fmt.Fprintf(out, "%-14s %7d %6d %6d %6d  %s\n", name, counts[0]+counts[1]+counts[2], counts[0], counts[1], counts[2], strings.Join(missed, ", "))
	return nil
}

// try searches the suspect with a changed copy, and returns the share of its characters
// that are in passages, and what is reported besides.
func (t *trial) try(ctx context.Context, changed string) (outcome int, share float64, notes string, err error) {
	middle := len(t.own) / 2
	before, after := strings.Join(t.own[:middle], "\n\n")+"\n\n", "\n\n"+strings.Join(t.own[middle:], "\n\n")
	if err := os.WriteFile(t.path, []byte(before+changed+after), 0o666); err != nil {
		return 0, 0, "", err
	}
	doc, err := document.Open(ctx, t.path, document.Options{})
	if err != nil {
		return 0, 0, "", err
	}
	start, end := len(before), len(before)+len(changed)
	if doc.Text != before+changed+after { // a disguise is undone, which changes lengths
		end = len(doc.Text) - len(after)
	}
	result, err := t.searcher.Search(ctx, doc)
	if err != nil {
		return 0, 0, "", err
	}
	covered := 0
	at := start
	for _, p := range result.Passages {
		from, to := onRune(doc.Text, max(p.Suspect.Start, at)), onRune(doc.Text, min(p.Suspect.End, end))
		if from < to {
			covered += utf8.RuneCountInString(doc.Text[from:to])
			at = to
		}
	}
	share = float64(covered) / float64(max(1, utf8.RuneCountInString(doc.Text[start:end])))
	for _, u := range result.Unsearched {
		notes += u.Kind + "; "
	}
	for _, f := range doc.Flags {
		notes += f.Detail + "; "
		break
	}
	notes += strings.Join(doc.Notes, "; ")
	switch {
	case share >= enough:
		return found, share, notes, nil
	case notes != "":
		return told, share, notes, nil
	}
	return silent, share, "", nil
}

// onRune returns the start of the character at an offset.
func onRune(text string, at int) int {
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}
