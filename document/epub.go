package document

import (
	"context"
	"encoding/xml"
	"net/url"
	"path"
	"strings"
)

// readEPUB reads the chapters of a book in the order in which it is read.
func readEPUB(ctx context.Context, doc *Document, data []byte, opts Options) error {
	c, err := newContainer(ctx, data, opts)
	if err != nil {
		return err
	}
	root := rootFile{}
	if err := c.walk("META-INF/container.xml", &root); err != nil {
		return err
	}
	book := packageFile{items: map[string]string{}}
	if err := c.walk(root.path, &book); err != nil {
		return err
	}
	doc.Format, doc.Parted = "epub", true
	r := &htmlReader{doc: &Document{}}
	for _, id := range book.spine {
		name := path.Join(path.Dir(root.path), book.items[id])
		if book.items[id] == "" || !c.has(name) {
			continue
		}
		if err := c.chapter(name, r, opts); err != nil {
			return err
		}
	}
	props := c.properties(root.path, "title", "creator")
	doc.Title, doc.Author = props["title"], props["creator"]
	doc.Text, doc.Marks, doc.Flags = r.flow.String(), r.flow.marks, r.flow.flags
	return hasText(doc)
}

// chapter adds a page of the book.
func (c *container) chapter(name string, r *htmlReader, opts Options) error {
	data, err := c.read(name)
	if err != nil {
		return err
	}
	r.linked = func(href string) (string, bool) {
		css, err := c.read(path.Join(path.Dir(name), href))
		return string(css), err == nil
	}
	if data, _, err = decode(data, declaredCharset(data), opts); err != nil {
		return err
	}
	return r.page(data)
}

// A rootFile takes from META-INF/container.xml where the package is.
type rootFile struct{ path string }

func (r *rootFile) start(name string, attrs []xml.Attr) {
	if name == "rootfile" && r.path == "" {
		r.path = attr(attrs, "full-path")
	}
}
func (*rootFile) end(string)  {}
func (*rootFile) text([]byte) {}

// A packageFile takes from the package which files there are, and their order.
type packageFile struct {
	items map[string]string // paths by id
	spine []string          // ids
}

func (p *packageFile) start(name string, attrs []xml.Attr) {
	switch name {
	case "item":
		if !strings.Contains(attr(attrs, "media-type"), "html") || strings.Contains(attr(attrs, "properties"), "nav") {
			return
		}
		href := attr(attrs, "href")
		if plain, err := url.PathUnescape(href); err == nil {
			href = plain
		}
		p.items[attr(attrs, "id")] = href
	case "itemref":
		p.spine = append(p.spine, attr(attrs, "idref"))
	}
}
func (*packageFile) end(string)  {}
func (*packageFile) text([]byte) {}
