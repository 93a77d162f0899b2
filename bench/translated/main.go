// Command translated plants translated passages in other texts, and counts how many of them a
// finder of hints finds.
//
//	go run ./bench/translated -ntrex FOLDER -progit FOLDER [-languages cs,sk,de,pl] [-out DIR]
//	go run ./bench/translated -ntrex FOLDER -progit FOLDER -index [-english FOLDER] [-made N] [-lengths 200]
//
// FOLDER are copies of github.com/MicrosoftTranslator/NTREX (news; the files newstest2019-*.txt
// of NTREX-128) and of github.com/progit/progit (a book on a program; its folders en, cs and so
// on). One of them may be left out. The dictionaries are those of "otisk lexicon list".
//
// English texts are cut into sources of 3,500 words, and their translations into passages of
// 50 to 400 words. Each passage is put into the middle of 2,400 words from the translation of
// the next source of the same text: words on the same subject, by the same people, that do not
// come from the source. Degraded forms of a passage have words replaced, sentences reordered,
// or every second sentence from elsewhere. False hints are counted between translations and
// sources that they do not come from: of the other text, and of the same one.
//
// With -index, all sources, the English texts in a folder and N documents of 480 words, made of
// pieces of 60 words of these, are indexed as "otisk index --translated" does, and each suspect is
// searched in that index. It prints how often the source of the passage is among the documents that
// keys name, how often the result shows it, the size of the keys, and the CPU time of a search.
//
// With -out, the passages of 200 words are written as pairs of files, suspects/N.txt and
// sources/N.txt, with their places in truth.tsv, to try "otisk compare --translated" on.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/otisk/otisk/language"
	"github.com/otisk/otisk/lexicon"
	"github.com/otisk/otisk/search/translated"
)

// options hold the flags.
type options struct {
	ntrex, progit, out, languages string
	index                         bool
	english, temp                 string // with index
	made                          int
	lengths                       string
}

func main() {
	var o options
	flag.StringVar(&o.ntrex, "ntrex", "", "`folder` with the files of NTREX-128")
	flag.StringVar(&o.progit, "progit", "", "`folder` with the languages of Pro Git")
	flag.StringVar(&o.languages, "languages", "cs,sk,de,pl", "`languages` of the translations")
	flag.StringVar(&o.out, "out", "", "`folder` to write pairs of files to")
	flag.BoolVar(&o.index, "index", false, "measure how often the source is found in an index")
	flag.StringVar(&o.english, "english", "", "`folder` of English texts that are added to the index")
	flag.IntVar(&o.made, "made", 0, "`number` of further documents, made of pieces of the others")
	flag.StringVar(&o.lengths, "lengths", "50,100,200,400", "`words` of the passages, with -index")
	flag.StringVar(&o.temp, "temp", "", "`folder` for the index (default: that of the system)")
	flag.Parse()
	if o.ntrex == "" && o.progit == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(context.Background(), os.Stdout, o); err != nil {
		fmt.Fprintf(os.Stderr, "translated: error: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, o options) error {
	shelf, err := lexicon.Default()
	if err != nil {
		return err
	}
	finder := translated.New(func(ctx context.Context, from, to string) (forward, backward []*lexicon.Lexicon, err error) {
		return shelf.Between(ctx, from, to, func(err error) { fmt.Fprintf(os.Stderr, "translated: warning: %v\n", err) })
	})
	finder.CacheAt(func(languages [][2]string) (p translated.Place) {
		p.File, p.Stamp, p.Lexica = shelf.Kept(languages)
		return p
	})
	for code := range strings.SplitSeq(o.languages, ",") {
		l := language.Of(code)
		if l == nil {
			return fmt.Errorf("unknown language %q", code)
		}
		books, err := readBooks(o, l)
		if err != nil {
			return err
		}
		m := &counter{ctx: ctx, finder: finder, out: out}
		fmt.Fprintf(out, "\n%s\n", l.Code)
		if o.index {
			if err := m.indexed(o, books); err != nil {
				return err
			}
			continue
		}
		if err := m.unrelated(books); err != nil {
			return err
		}
		for _, b := range books {
			if err := m.book(b); err != nil {
				return err
			}
			if o.out != "" {
				if err := write(o.out, b); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
