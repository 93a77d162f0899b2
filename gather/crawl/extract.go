package crawl

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"

	readability "codeberg.org/readeck/go-readability/v2"
	"golang.org/x/net/html"
	htmlcharset "golang.org/x/net/html/charset"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/charset"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/web"
	"github.com/otisk/otisk/gather/fetch"
)

// A Page is a page as received.
type Page struct {
	URL      string
	Media    string // Content-Type
	Body     []byte
	Encoding string // of the characters; "" to detect it
}

// PageOf returns the page in a response. encoding may be "".
func PageOf(res *fetch.Response, encoding string) Page {
	return Page{URL: res.URL, Media: res.Header.Get("Content-Type"), Body: res.Body, Encoding: encoding}
}

// An Article is the article found on a page.
type Article struct {
	URL    string
	Title  string
	Author string
	Date   time.Time // of publication; zero if unknown
	Text   string    // paragraphs, separated by blank lines
	Way    string    // how its text was found: one of the constants below
	Note   string    // what was changed to read it; "" for nothing

	ruled struct{ title, author, date bool } // found by a rule for the site
}

// The methods by which a text is found.
const (
	ByRule      = "rule"      // by the rule for its site
	ByStatement = "statement" // paragraphs that the page marks as the article for search engines
	ByArticle   = "article"   // the element that looks like an article
	ByPage      = "page"      // the page without boilerplate
	ByFile      = "file"      // the response is a document, such as a PDF
	ByFeed      = "feed"      // the text in the feed, which is longer than that of the page
)

// Extract finds the article on a page: by the rule for its site, or else by
// heuristics. It returns an error if the page cannot be read or has no text.
func Extract(ctx context.Context, page Page, sites []Site) (*Article, error) {
	ctx, cancel := budget.Limit(ctx)
	defer cancel()
	site := siteOf(sites, page.URL)
	if site != nil && page.Encoding == "" {
		page.Encoding = site.Encoding
	}
	if !isPage(page) {
		return fromFile(ctx, page)
	}
	data, note, err := page.decoded(ctx)
	if err != nil {
		return nil, err
	}
	root, err := html.Parse(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", format.ErrDamaged, err)
	}
	a := &Article{URL: page.URL, Note: note}
	if site != nil {
		if err := site.apply(ctx, root, a); err != nil {
			return nil, err
		}
		var left bytes.Buffer
		if err := html.Render(&left, root); err != nil {
			return nil, fmt.Errorf("%w: %w", format.ErrDamaged, err)
		}
		data = left.Bytes() // without the elements that the rule removes
	}
	return a, a.guess(ctx, root, data)
}

// isPage reports whether a response is an HTML page.
func isPage(p Page) bool {
	kind, _, _ := mime.ParseMediaType(p.Media)
	switch kind {
	case "text/html", "application/xhtml+xml":
		return true
	}
	return web.LooksHTML(p.Body)
}

// decoded returns a page in UTF-8. The encoding in the HTTP header takes precedence
// over that in the page. Stray bytes in a page that is otherwise UTF-8 are replaced, as
// browsers do, and counted in note.
func (p Page) decoded(ctx context.Context) (data []byte, note string, err error) {
	declared := charsetOf(p.Media)
	if declared == "" {
		if _, name, certain := htmlcharset.DetermineEncoding(p.Body, ""); certain || bytes.Contains(bytes.ToLower(p.Body[:min(len(p.Body), 1024)]), []byte("charset")) {
			declared = name
		}
	}
	data, _, err = charset.Decode(ctx, &format.Source{Data: p.Body, Budget: budget, Encoding: p.Encoding}, declared)
	if errors.Is(err, format.ErrEncoding) && (p.Encoding == "" || strings.EqualFold(p.Encoding, "utf-8")) {
		if repaired, stray, ok := charset.Repair(p.Body); ok {
			return repaired, fmt.Sprintf("%d bytes that are not UTF-8 were replaced", stray), nil
		}
	}
	return data, "", err
}

// guess sets the fields that no rule has set.
func (a *Article) guess(ctx context.Context, root *html.Node, data []byte) error {
	says := stated(root) // first, since looksLike changes the tree
	var found readability.Article
	if a.Text == "" || a.Title == "" || a.Author == "" || a.Date.IsZero() {
		found = looksLike(root, a.URL)
	}
	a.Title = cmp.Or(a.Title, oneLine(found.Title()))
	a.Author = cmp.Or(a.Author, oneLine(found.Byline()))
	if at, err := found.PublishedTime(); err == nil && a.Date.IsZero() {
		a.Date = at.UTC()
	}
	if a.Text != "" {
		return nil
	}
	return a.choose(ctx, found.Node, says, data)
}

// maxElements is the maximum number of elements of a page in which looksLike searches,
// since its time can grow faster than linearly.
const maxElements = 50_000

// looksLike returns the element that looks like the article; the zero value if there
// is none.
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

// choose sets the text to the first of these that exists: the paragraphs that the
// page marks as the article; the element that looks like one; the page without
// boilerplate.
func (a *Article) choose(ctx context.Context, found *html.Node, says string, data []byte) error {
	setAside(found)
	looks := nodeText(ctx, found)
	if len(strings.Fields(looks)) < shortWords {
		looks = longerBody(ctx, data, looks)
	}
	whole, err := pageText(ctx, data, true)
	if err != nil && (looks == "" || ctx.Err() != nil) {
		return err // otherwise the whole page is hidden until a script runs, and the article is not
	}
	a.Text, a.Way = whole, ByPage
	if looks != "" && !misses(looks, whole) && !isConsent(looks) {
		a.Text, a.Way = looks, ByArticle
	}
	if text := statedPart(says, whole); len(text)*10 > len(looks)*7 {
		a.Text, a.Way = text, ByStatement
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if a.Text == "" {
		return errNoText
	}
	return nil
}

// shortWords is the number of words below which the element that looks like the article may be
// a part of it, or something else.
const shortWords = 150

// longerBody returns the text of the element that has the name of an article's text, if it is
// more than twice as long as the short text that was found; otherwise it returns that.
func longerBody(ctx context.Context, data []byte, short string) string {
	root, err := html.Parse(bytes.NewReader(data))
	if err != nil {
		return short
	}
	body := namedBody(root)
	setAside(body)
	if text := nodeText(ctx, body); len(strings.Fields(text)) > 2*len(strings.Fields(short)) {
		return text
	}
	return short
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
var consent = regexp.MustCompile(`(?i)cookie|datenschutz|privacy|consent|einwillig|gdpr|dsgvo|soukrom|súkrom|rodo\b|confidentialit|privacidad`)

// mostConsent is the most words of a consent notice. A longer text is about such notices.
const mostConsent = 600

// isConsent reports whether a text is a consent notice: a short text, half of which is in
// paragraphs with the words of such notices. On 990 pages, three articles that were lost
// to a notice are found, and no other one is lost (November 2026).
func isConsent(text string) bool {
	all, about := 0, 0
	for par := range strings.SplitSeq(text, "\n\n") {
		words := len(strings.Fields(par))
		if all += words; consent.MatchString(par) {
			about += words
		}
	}
	return all < mostConsent && 2*about >= all
}

// nodeText returns the text of an element; "" if there is none.
func nodeText(ctx context.Context, n *html.Node) string {
	if n == nil {
		return ""
	}
	var b bytes.Buffer
	b.WriteString("<!DOCTYPE html><body>")
	if html.Render(&b, n) != nil {
		return ""
	}
	text, err := pageText(ctx, b.Bytes(), false)
	if err != nil {
		return ""
	}
	return text
}

// pageText returns the text of a page in UTF-8; if strip is set, without boilerplate.
func pageText(ctx context.Context, data []byte, strip bool) (string, error) {
	t, err := web.HTML(ctx, &format.Source{Data: data, Ext: "html", Budget: budget, Decoded: "utf-8", Strip: strip})
	if err != nil {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		return "", err
	}
	return strings.TrimSpace(t.Text), nil
}

// fromFile reads a response that is a document of another format, such as a PDF.
func fromFile(ctx context.Context, p Page) (*Article, error) {
	dir, err := os.MkdirTemp("", "otisk-crawl")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := dir + "/article" + extensionOf(p)
	if err := os.WriteFile(path, p.Body, 0o600); err != nil {
		return nil, err
	}
	doc, err := document.Open(ctx, path, document.Options{MaxBytes: budget.Bytes, Memory: budget.Memory, Encoding: p.Encoding})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoText, err)
	}
	return &Article{URL: p.URL, Title: doc.Title, Author: doc.Author, Text: doc.Text, Way: ByFile}, nil
}

// extensionOf returns the file name extension of a response, for formats that are
// not detected by content.
func extensionOf(p Page) string {
	kind, _, _ := mime.ParseMediaType(p.Media)
	switch kind {
	case "text/plain":
		return ".txt"
	case "text/markdown":
		return ".md"
	}
	if u, err := url.Parse(p.URL); err == nil {
		if at := strings.LastIndexByte(u.Path, '.'); at >= 0 && len(u.Path)-at <= 6 && !strings.Contains(u.Path[at:], "/") {
			return u.Path[at:]
		}
	}
	return ""
}

// logged returns the title and the note of an article for the log.
func (a *Article) logged() string {
	if a.Note == "" {
		return a.Title
	}
	return a.Title + " (" + a.Note + ")"
}
