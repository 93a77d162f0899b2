package crawl

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"mime"
	"net/url"
	"os"
	"strings"
	"time"

	"golang.org/x/net/html"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/article"
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
	Way    string    // how its text was found: one of the constants below, or of package article
	Note   string    // repair that was necessary to read it; "" for none

	ruled struct{ title, author, date bool } // found by a rule for the site
}

// The methods by which a text is found, besides those of package article.
const (
	ByRule = "rule" // by the rule for its site
	ByFile = "file" // the response is a document, such as a PDF
	ByFeed = "feed" // the text in the feed, which is longer than that of the page
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

func isPage(p Page) bool {
	kind, _, _ := mime.ParseMediaType(p.Media)
	switch kind {
	case "text/html", "application/xhtml+xml":
		return true
	}
	return web.LooksHTML(p.Body)
}

// decoded returns a page in UTF-8. The encoding in the HTTP header takes precedence
// over that in the page. note counts the bytes that were replaced.
func (p Page) decoded(ctx context.Context) (data []byte, note string, err error) {
	data, _, stray, err := web.Decode(ctx, &format.Source{Data: p.Body, Budget: budget, Encoding: p.Encoding, Stated: charsetOf(p.Media)})
	if stray > 0 {
		note = fmt.Sprintf("%d bytes that are not UTF-8 were replaced", stray)
	}
	return data, note, err
}

func (a *Article) guess(ctx context.Context, root *html.Node, data []byte) (err error) {
	if a.Text != "" && a.Title != "" && a.Author != "" && !a.Date.IsZero() {
		return nil
	}
	found := article.Look(root, a.URL)
	a.Title, a.Author = cmp.Or(a.Title, found.Title), cmp.Or(a.Author, found.Author)
	if a.Date.IsZero() {
		a.Date = found.Date
	}
	if a.Text != "" {
		return nil
	}
	if a.Text, a.Way, err = found.Text(ctx, data, budget); err == nil && a.Text == "" {
		err = errNoText
	}
	return err
}

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

func (a *Article) logged() string {
	if a.Note == "" {
		return a.Title
	}
	return a.Title + " (" + a.Note + ")"
}
