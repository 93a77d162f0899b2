// Package article finds the article on a web page: the text without navigation, teasers of other
// articles, comments and notices.
//
// Call [Look] with a parsed page, then [Found.Text]. [Read] reads a page of a web archive as
// documents are read.
package article

import (
	"bytes"
	"context"
	"net/url"
	"strings"
	"time"

	readability "codeberg.org/readeck/go-readability/v2"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/web"
	"github.com/otisk/otisk/internal/lists"
)

// The methods by which a text is found.
const (
	ByStatement = "statement" // paragraphs that the page marks as the article for search engines
	ByArticle   = "article"   // the element that looks like an article
	ByPage      = "page"      // the page without boilerplate
)

// A Found is the article of a page.
type Found struct {
	Title  string
	Author string
	Date   time.Time // of publication; zero if unknown

	root    *html.Node // of the page
	element *html.Node // of another tree, that looks like the article; nil if none does
	says    string     // the article that the page states for search engines; "" for none
}

// Look searches a parsed page for its article. address is that of the page.
func Look(root *html.Node, address string) Found {
	f := Found{root: root, says: stated(root)}
	found := looksLike(root, address)
	f.element, f.Title, f.Author = found.Node, oneLine(found.Title()), beforeAuthor().ReplaceAllString(oneLine(found.Byline()), "")
	if at, err := found.PublishedTime(); err == nil {
		f.Date = at.UTC()
	}
	return f
}

// beforeAuthor matches the words before the name of an author.
var beforeAuthor = format.Pattern(`^(?i:(?:written )?by|von|autor(?:in|ka)?|napsala?|par|por)(?:\s*:\s*|\s+)`)

func oneLine(s string) string { return flow.OneLine(strings.ToValidUTF8(s, "\ufffd")) }

// maxElements is the maximum number of elements of a page in which looksLike searches,
// since its time can grow faster than linearly.
const maxElements = 50_000

// looksLike returns the element that looks like the article, in a copy of the tree; the zero
// value if there is none.
func looksLike(root *html.Node, address string) (found readability.Article) {
	defer func() {
		if recover() != nil {
			found = readability.Article{} // the whole page is used instead
		}
	}()
	u, err := url.Parse(address)
	if err != nil {
		return readability.Article{}
	}
	p := readability.NewParser()
	p.MaxElemsToParse = maxElements
	p.KeepClasses = true // setAside reads them
	found, err = p.ParseDocument(root, u)
	if err != nil {
		return readability.Article{}
	}
	return found
}

// Text returns the text of the article on the page data, which is HTML in UTF-8, and how it was
// found. It may change the tree of the page. The text is the first of these that exists: the
// paragraphs that the page marks as the article; the element that looks like one; the page without
// boilerplate. If the page has no text, Text returns "" or an error.
func (f Found) Text(ctx context.Context, data []byte, budget format.Budget) (text, way string, err error) {
	return f.text(ctx, budget, func() (string, error) { return PageText(ctx, data, budget, true) })
}

// text does what Text does. stripped returns the text of the page without boilerplate.
func (f Found) text(ctx context.Context, budget format.Budget, stripped func() (string, error)) (text, way string, err error) {
	p, blocks := page{ctx, budget}, blocksOf(f.root)
	whole, err := stripped()
	looks := p.looks(f, blocks, whole)
	if err != nil && (looks == "" || ctx.Err() != nil) {
		return "", "", err // otherwise the whole page is hidden until a script runs, and the article is not
	}
	text, way = whole, ByPage
	if looks != "" && !misses(looks, whole) && !isConsent(looks) {
		text, way = withoutLines(withLead(looks, blocks)), ByArticle
	}
	if part := statedPart(f.says, whole); len(part)*10 > len(looks)*7 {
		text, way = part, ByStatement
	}
	if ctx.Err() != nil {
		return "", "", context.Cause(ctx)
	}
	return text, way, nil
}

// A page reads elements of a page within its limits.
type page struct {
	ctx    context.Context
	budget format.Budget
}

// shortWords is the number of words below which the element that looks like the article may be only
// part of the article, or unrelated.
const shortWords = 150

// looks returns the text of the element that looks like the article, or of another element if that
// one is only a table, not part of an article, or much shorter. whole is the page without
// boilerplate.
func (p page) looks(f Found, blocks []block, whole string) string {
	text := p.element(f.element)
	if around := p.element(aroundTable(f.root, text)); len(around) > len(text) {
		return around
	}
	words := len(strings.Fields(text))
	beside := len(whole) > len(text) && !misses(text, whole) && isBeside(text, blocks)
	if !beside && words >= shortWords {
		return text
	}
	if body := p.element(namedBody(f.root)); beside && body != "" || len(strings.Fields(body)) > 2*words {
		return body
	}
	if rest := withoutBeside(whole, blocks); beside && len(rest) > len(text) {
		return rest
	}
	return text
}

// withoutBeside returns a text without the paragraphs that are in elements that are not part of an
// article.
func withoutBeside(text string, blocks []block) string {
	beside := map[string]bool{}
	for _, b := range blocks {
		beside[b.text] = b.beside
	}
	var kept []string
	for par := range strings.SplitSeq(text, "\n\n") {
		if !beside[strings.Join(strings.Fields(par), " ")] {
			kept = append(kept, par)
		}
	}
	return strings.Join(kept, "\n\n")
}

// element returns the text of an element without the parts that do not belong to the article; ""
// for nil.
func (p page) element(n *html.Node) string {
	setAside(n)
	return Element(p.ctx, n, p.budget)
}

// aroundTable returns the element with paragraphs around the table that has nearly all of a text,
// if its lines are too short for sentences: a list of names within an article, for example. It
// returns nil if there is none.
func aroundTable(root *html.Node, text string) *html.Node {
	const shortLine, least = 70, 50 // bytes; words
	if len(text) >= shortLine*(1+strings.Count(text, "\n")) {
		return nil
	}
	table, words := (*html.Node)(nil), len(strings.Fields(text))
	for n := range root.Descendants() {
		if n.DataAtom != atom.Table {
			continue
		}
		if all, _ := wordsOf(n); 10*all >= 9*words {
			table = n // the innermost
		}
	}
	if table == nil {
		return nil
	}
	within := wordsInParagraphs(table)
	for n := range table.Ancestors() {
		if n.DataAtom == atom.Body {
			break
		}
		if wordsInParagraphs(n) >= within+least {
			return n
		}
	}
	return nil
}

// withLead returns the text of an article with its lead, if that is not in it.
func withLead(text string, blocks []block) string {
	for par := range strings.SplitSeq(text, "\n\n") {
		words := strings.Fields(par)
		if len(words) < leastLead {
			continue
		}
		lead := lists.Filter(leadOf(blocks, strings.Join(words[:leastLead], " ")), func(par string) bool { return !strings.Contains(text, par) })
		return strings.Join(append(lead, text), "\n\n")
	}
	return text
}

// isBeside reports whether nearly all of a text is in elements that are not part of an article, such
// as a note on the author, and enough of the page is in others.
func isBeside(text string, blocks []block) bool {
	has := strings.Join(strings.Fields(text), " ")
	var found, whole struct{ all, beside int } // words
	for _, b := range blocks {
		if b.words < leastLead {
			continue
		}
		beside := 0
		if b.beside {
			beside = b.words
		}
		whole.all, whole.beside = whole.all+b.words, whole.beside+beside
		if strings.Contains(has, b.text) {
			found.all, found.beside = found.all+b.words, found.beside+beside
		}
	}
	return 10*found.beside > 9*found.all && 2*(whole.all-whole.beside) > found.all
}

// longWords is the minimum number of words of a long paragraph. Long paragraphs are
// seldom navigation.
const longWords = 25

// misses reports whether whole has at least three long paragraphs and text has none
// of them: then text is a cookie notice or the like. A text with only a few of them
// can be the article, since pages also have comments and other articles.
func misses(text, whole string) bool {
	has := strings.Join(strings.Fields(text), " ")
	count := 0
	for par := range strings.SplitSeq(whole, "\n\n") {
		words := strings.Fields(par)
		if len(words) < longWords {
			continue
		}
		if count++; strings.Contains(has, strings.Join(words[:8], " ")) {
			return false
		}
	}
	return count >= 3
}

// consent matches the words of consent notices in several languages.
var consent = format.Pattern(`(?i)cookie|datenschutz|privacy|consent|einwillig|gdpr|dsgvo|soukrom|súkrom|rodo\b|confidentialit|privacidad`)

// mostConsent is the most words of a consent notice. A longer text is about such notices.
const mostConsent = 600

// isConsent reports whether a text is a consent notice: a short text, half of which is in
// paragraphs with the words of such notices. On 990 pages, three articles that were lost
// to a notice are found, and no other one is lost (November 2026).
func isConsent(text string) bool {
	all, about := 0, 0
	for par := range strings.SplitSeq(text, "\n\n") {
		words := len(strings.Fields(par))
		if all += words; consent().MatchString(par) {
			about += words
		}
	}
	return all < mostConsent && 2*about >= all
}

// Element returns the text of an element; "" if there is none.
func Element(ctx context.Context, n *html.Node, budget format.Budget) string {
	if n == nil {
		return ""
	}
	var b bytes.Buffer
	b.WriteString("<!DOCTYPE html><body>")
	if html.Render(&b, n) != nil {
		return ""
	}
	text, err := PageText(ctx, b.Bytes(), budget, false)
	if err != nil {
		return ""
	}
	return text
}

// PageText returns the text of a page in UTF-8; if strip is set, without boilerplate.
func PageText(ctx context.Context, data []byte, budget format.Budget, strip bool) (string, error) {
	t, err := web.HTML(ctx, &format.Source{Data: data, Ext: "html", Budget: budget, Decoded: "utf-8", Strip: strip})
	if err != nil {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		return "", err
	}
	return strings.TrimSpace(t.Text), nil
}
