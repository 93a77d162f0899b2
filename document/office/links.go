package office

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"

	"github.com/otisk/otisk/document/archive"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/xmlwalk"
	"github.com/otisk/otisk/lang/phrase"
)

// errMaster reports a master document without text.
var errMaster = fmt.Errorf("%w: %w", format.ErrEmpty, phrase.Error("cause.master-document", "it only links to the files with the text"))

// Links returns the addresses of the files that a master document of LibreOffice or Word shows
// in its text, in order, as its reader passes them to Linked of [format.Source]. It returns none
// for other files.
func Links(ctx context.Context, src *format.Source) ([]string, error) {
	if !archive.IsZip(src.Data) {
		return nil, nil
	}
	c, err := archive.NewContainer(ctx, src)
	if err != nil {
		return nil, err
	}
	if c.Has("content.xml") {
		return odfLinks(ctx, c)
	}
	main := mainPart(c, "word/document.xml")
	parts := c.Relations(main)
	if !slices.ContainsFunc(parts, func(r archive.Relation) bool { return r.Outside != "" && strings.HasSuffix(r.Type, "/subDocument") }) {
		return nil, nil
	}
	var found []string // the parts of a master document
	err = c.Walk(main, xmlwalk.Starts(func(name string, attrs []xml.Attr) {
		if address := parts.Outside(xmlwalk.Attr(attrs, "id")); name == "subDoc" && address != "" {
			found = append(found, address)
		}
	}))
	return found, err
}

// odfLinks returns the links of an OpenDocument text.
func odfLinks(ctx context.Context, c *archive.Container) ([]string, error) {
	data, err := c.Read("content.xml")
	if err != nil || !bytes.Contains(data, []byte("section-source")) {
		return nil, err
	}
	w := &linkedSections{}
	err = xmlwalk.WalkData(ctx, data, w)
	return w.found, err
}

// A linkedSections collects the addresses of linked sections without content.
type linkedSections struct {
	open  []string // by open section: its address; "" for none
	found []string
}

func (w *linkedSections) Start(name string, attrs []xml.Attr) {
	switch name {
	case "section":
		w.open = append(w.open, "")
	case "section-source":
		if n := len(w.open); n > 0 && xmlwalk.Attr(attrs, "section-name") == "" {
			w.open[n-1] = xmlwalk.Attr(attrs, "href")
		}
	}
}

func (w *linkedSections) End(name string) {
	if n := len(w.open); name == "section" && n > 0 {
		if w.open[n-1] != "" {
			w.found = append(w.found, w.open[n-1])
		}
		w.open = w.open[:n-1]
	}
}

func (w *linkedSections) Text(s []byte) {
	if len(w.open) > 0 && len(bytes.TrimSpace(s)) > 0 {
		clear(w.open)
	}
}
