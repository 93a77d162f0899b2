package web

import (
	"archive/zip"
	"context"
	"encoding/xml"
	"path"
	"slices"
	"strings"

	"github.com/otisk/otisk/document/archive"
	"github.com/otisk/otisk/document/charset"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/xmlwalk"
)

// HoldsEPUB reports whether a member of a zip archive states that the archive is an EPUB book.
func HoldsEPUB(f *zip.File) bool {
	return f.Name == "META-INF/container.xml" || archive.MIME(f) == "application/epub+zip"
}

// EPUB reads the chapters of a book in reading order.
func EPUB(ctx context.Context, src *format.Source) (*format.Text, error) {
	c, err := archive.NewContainer(ctx, src)
	if err != nil {
		return nil, err
	}
	root := rootFile{}
	c.WalkIf("META-INF/container.xml", xmlwalk.Starts(root.start))
	if !c.Has(root.path) {
		root.path = c.Resolve("", "*.opf")
	}
	book := packageFile{items: map[string]bookItem{}}
	if err := c.Walk(root.path, xmlwalk.Starts(book.start)); err != nil {
		return nil, err
	}
	r := newHTMLReader(ctx)
	missing := root.others
	for _, id := range book.spine {
		item, listed := book.items[id]
		name := c.Resolve(root.path, item.href)
		switch {
		case item.contents:
		case !listed:
			missing.Part("idref " + id)
		case !item.page || !c.Has(name):
			missing.Part(item.href)
		default:
			if err := r.chapter(c, name, src); err != nil {
				return nil, err
			}
		}
	}
	for id, item := range book.items {
		if item.page && !item.contents && !slices.Contains(book.spine, id) {
			missing.Words(item.href, r.wordsOfChapter(c, c.Resolve(root.path, item.href), src))
		}
	}
	t, err := r.done()
	missing.Note(t)
	props := c.Fields(root.path, "title", "creator", "date")
	t.Title, t.Author, t.Year = props.Get("title"), props.Get("creator"), format.Year(props.Get("date"))
	return t, err
}

// wordsOfChapter counts the words of a page that is not in the reading order, 0 if they are few.
func (r *htmlReader) wordsOfChapter(c *archive.Container, name string, book *format.Source) int {
	page := newHTMLReader(r.ctx)
	if !c.Has(name) || page.chapter(c, name, book) != nil {
		return 0
	}
	n := len(strings.Fields(page.flow.String()))
	if n < leastUnread {
		return 0
	}
	return n
}

// chapter adds a page of a book.
func (r *htmlReader) chapter(c *archive.Container, name string, book *format.Source) error {
	data, err := c.Read(name)
	if err != nil {
		return err
	}
	r.linked = func(href string) (string, bool) {
		css, err := c.Read(c.Resolve(name, href))
		return string(css), err == nil
	}
	page := *book
	page.Data = data
	if data, _, err = charset.Decode(r.ctx, &page, declaredCharset(data)); err != nil {
		return err
	}
	return r.page(data)
}

// A rootFile reads the path of the package document from META-INF/container.xml.
type rootFile struct {
	path   string
	others format.Unread // package documents of other versions of the book
}

func (r *rootFile) start(name string, attrs []xml.Attr) {
	if path := xmlwalk.Attr(attrs, "full-path"); name == "rootfile" && r.path == "" {
		r.path = path
	} else if name == "rootfile" {
		r.others.Part(path)
	}
}

// A packageFile reads the files and their order from the package document.
type packageFile struct {
	items map[string]bookItem // by id
	spine []string            // ids
}

// A bookItem is a file of a book.
type bookItem struct {
	href     string
	page     bool // it is HTML
	contents bool // it lists the chapters
}

func (p *packageFile) start(name string, attrs []xml.Attr) {
	switch name {
	case "item":
		href := xmlwalk.Attr(attrs, "href")
		page := strings.Contains(xmlwalk.Attr(attrs, "media-type"), "html") || strings.HasSuffix(strings.ToLower(path.Ext(href)), "html")
		p.items[xmlwalk.Attr(attrs, "id")] = bookItem{href, page, strings.Contains(" "+xmlwalk.Attr(attrs, "properties")+" ", " nav ")}
	case "itemref":
		p.spine = append(p.spine, xmlwalk.Attr(attrs, "idref"))
	}
}
