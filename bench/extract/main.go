// Command extract measures how well otisk crawl finds the text of an article on a
// page, by precision and recall of words. For comparison, it measures the text of the
// whole page, the page after --boilerplate strip, a page of a web archive, and the extraction library alone.
//
//	go run ./bench/extract [-list] SET...
//
// A SET is a folder of one of these forms:
//
//	NAME.html with NAME.txt, the text of the article
//	ground-truth.json with html/*.html.gz, as in scrapinghub/article-extraction-benchmark
//	evaldata.json with eval/*.html, as in tests of adbar/trafilatura
//	test-pages/*/source.html with expected.html, as in test of mozilla/readability
//	*.html.gz with PUBLISHER.json and meta.info, as in tests/resources/parser/test_data/cz of flairNLP/fundus
//
// Texts are compared as multisets of words. F is the mean over the pages. A page is
// lost if less than half of its words are found. In evaldata.json, snippets that the
// article has and has not are counted; F is over all of them, and a page is lost if none
// of the former is found.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"unicode"

	readability "codeberg.org/readeck/go-readability/v2"
	"golang.org/x/net/html"
	"golang.org/x/text/unicode/norm"

	"net/url"

	"github.com/otisk/otisk/document/article"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/web"
	"github.com/otisk/otisk/gather/crawl"
)

func main() {
	list := flag.Bool("list", false, "also list each page and method with an F below 0.9")
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(context.Background(), os.Stdout, flag.Args(), *list); err != nil {
		fmt.Fprintf(os.Stderr, "extract: error: %v\n", err)
		os.Exit(1)
	}
}

// A page is a page with the expected text of its article.
type page struct {
	name string
	data []byte
	want string

	with, without []string // in place of want: snippets that the article has, and has not
}

// A method finds text on a page.
type method struct {
	name string
	text func(context.Context, []byte) string
}

var methods = []method{
	{"whole page", func(ctx context.Context, data []byte) string { return read(ctx, data, false) }},
	{"--boilerplate strip", func(ctx context.Context, data []byte) string { return read(ctx, data, true) }},
	{"web archive", archived},
	{"library alone", library},
	{"otisk crawl", gathered},
}

// address is the address passed for all pages.
const address = "https://www.example.org/article.html"

func read(ctx context.Context, data []byte, strip bool) string {
	t, err := web.HTML(ctx, &format.Source{Data: data, Ext: "html", Strip: strip, Budget: format.Budget{Bytes: 64 << 20}})
	if err != nil {
		return ""
	}
	return t.Text
}

func archived(ctx context.Context, data []byte) string {
	t, err := article.Read(ctx, &format.Source{Data: data, Ext: "html", Budget: format.Budget{Bytes: 64 << 20}})
	if err != nil {
		return ""
	}
	return t.Text
}

func library(_ context.Context, data []byte) string {
	at, err := url.Parse(address)
	if err != nil {
		return ""
	}
	root, err := html.Parse(bytes.NewReader(data))
	if err != nil {
		return ""
	}
	found, err := readability.FromDocument(root, at)
	if err != nil {
		return ""
	}
	var b strings.Builder
	_ = found.RenderText(&b) // after an error, the text is empty
	return b.String()
}

func gathered(ctx context.Context, data []byte) string {
	a, err := crawl.Extract(ctx, crawl.Page{URL: address, Media: "text/html", Body: data}, nil)
	if err != nil {
		return ""
	}
	return a.Text
}

// A score is the result of a method on the pages of a set.
type score struct {
	pages, lost      int
	hit, found, want int
	f                float64
	snippets         bool // hit, found and want count snippets
}

func run(ctx context.Context, out io.Writer, sets []string, list bool) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "set\tpages\tmethod\tprecision\trecall\tF\tpages lost")
	for _, set := range sets {
		pages, err := readSet(set)
		if err != nil {
			return fmt.Errorf("%s: %w", set, err)
		}
		for _, m := range methods {
			var s score
			for _, p := range pages {
				if precision, recall := s.page(m.text(ctx, p.data), p); list && 2*precision*recall < 0.9*(precision+recall) {
					fmt.Fprintf(out, "%s: %s: %s has precision %.2f, recall %.2f\n", set, p.name, m.name, precision, recall)
				}
			}
			if s.snippets {
				s.f = f1(share(s.hit, s.found), share(s.hit, s.want)) * float64(s.pages)
			}
			fmt.Fprintf(w, "%s\t%d\t%s\t%.3f\t%.3f\t%.3f\t%d\n", short(set), s.pages, m.name, share(s.hit, s.found), share(s.hit, s.want), s.f/float64(max(s.pages, 1)), s.lost)
		}
	}
	return w.Flush()
}

// short returns the last two parts of a path.
func short(path string) string {
	parts := strings.Split(strings.Trim(strings.ReplaceAll(path, "\\", "/"), "/"), "/")
	return strings.Join(parts[max(0, len(parts)-2):], "/")
}

func share(part, all int) float64 { return float64(part) / float64(max(all, 1)) }

// page counts the words or snippets found on a page.
func (s *score) page(got string, p page) (precision, recall float64) {
	if p.with == nil {
		return s.add(got, p.want)
	}
	got = plain(got)
	has := func(list []string) (count int) {
		for _, snippet := range list {
			if strings.Contains(got, plain(snippet)) {
				count++
			}
		}
		return count
	}
	hit, wrong := has(p.with), has(p.without)
	if s.snippets = true; hit == 0 {
		s.lost++
	}
	s.pages++
	s.hit, s.found, s.want = s.hit+hit, s.found+hit+wrong, s.want+len(p.with)
	return share(hit, hit+wrong), share(hit, len(p.with))
}

// plain returns a text in one line, composed and without soft hyphens, which Otisk ignores, too.
func plain(text string) string {
	text = strings.ReplaceAll(norm.NFC.String(text), "\u00ad", "")
	return strings.Join(strings.Fields(text), " ")
}

func f1(p, r float64) float64 {
	if p+r == 0 {
		return 0
	}
	return 2 * p * r / (p + r)
}

// add counts the words found on a page, and returns their precision and recall.
func (s *score) add(got, want string) (precision, recall float64) {
	has, wants := words(got), words(want)
	hit, found, all := 0, 0, 0
	for word, n := range has {
		found += n
		hit += min(n, wants[word])
	}
	for _, n := range wants {
		all += n
	}
	p, r := share(hit, found), share(hit, all)
	if p+r > 0 {
		s.f += 2 * p * r / (p + r)
	}
	if r < 0.5 {
		s.lost++
	}
	s.pages++
	s.hit, s.found, s.want = s.hit+hit, s.found+found, s.want+all
	return p, r
}

// words returns the number of occurrences of each word in a text.
func words(text string) map[string]int {
	count := map[string]int{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		count[w]++
	}
	return count
}
