package document

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/net/html"
)

// A vertical file, as corpora use it, has one token a line, with columns after
// a tab (lemma, part of speech), and structure as tags on lines of their own:
// <doc …>, <p>, <s>; <g/> says that no space stands between two tokens. One
// file holds many documents.

// looksLikeVertical reports whether data starts as a vertical file does.
func looksLikeVertical(data []byte) bool {
	head := bytes.TrimPrefix(data[:min(len(data), headSize)], utf8BOM)
	lines := bytes.Split(head, []byte("\n"))
	if len(lines) < 3 || !startsTag(lines[0], "doc") {
		return false
	}
	for _, l := range lines[1 : len(lines)-1] {
		if l = bytes.TrimSpace(l); !bytes.HasPrefix(l, []byte("<")) && bytes.ContainsRune(bytes.TrimSpace(cutColumns(l)), ' ') {
			return false
		}
	}
	return true
}

func cutColumns(line []byte) []byte {
	token, _, _ := bytes.Cut(line, []byte("\t"))
	return token
}

// A verticalReader gives the documents of one vertical file to fn.
type verticalReader struct {
	flow
	meta  Document
	doc   Document
	fn    func(*Document, error) error
	count int
	asIs  bool
}

func eachVertical(ctx context.Context, meta Document, data []byte, opts Options, fn func(*Document, error) error) error {
	data, encoding, err := decode(data, "", opts)
	if err != nil {
		return err
	}
	meta.Encoding, meta.Format, meta.Parted = encoding, "vertical", true
	r := &verticalReader{meta: meta, doc: meta, fn: fn, asIs: opts.AsIs}
	r.doc.Path = ""
	data = bytes.TrimPrefix(data, utf8BOM)
	from := 0
	for at := 0; at < len(data); {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		end := at + bytes.IndexByte(data[at:], '\n') + 1
		if end == at {
			end = len(data)
		}
		line := bytes.TrimRight(data[at:end], "\r\n")
		if startsTag(line, "doc") {
			if err := r.finish(data[from:at]); err != nil {
				return err
			}
			from = at
			r.begin(string(line))
		} else {
			r.line(line)
		}
		at = end
	}
	if err := r.finish(data[from:]); err != nil {
		return err
	}
	if r.count == 0 {
		return ErrEmpty
	}
	return nil
}

var verticalAttr = regexp.MustCompile(`([\pL_][\pL\pN_.-]*)\s*=\s*"([^"]*)"`)

// begin starts a document with the attributes of its tag.
func (r *verticalReader) begin(tag string) {
	attrs := map[string]string{}
	for _, m := range verticalAttr.FindAllStringSubmatch(tag, -1) {
		attrs[strings.ToLower(m[1])] = oneLine(html.UnescapeString(m[2]))
	}
	r.doc = r.meta
	r.doc.Title, r.doc.Author = attrs["title"], attrs["author"]
	r.doc.Path = attrs["id"]
}

// line takes a token or a tag.
func (r *verticalReader) line(line []byte) {
	token := bytes.TrimSpace(cutColumns(line))
	switch {
	case len(token) == 0:
	case token[0] == '<' && token[len(token)-1] == '>' && len(token) > 2:
		switch name := strings.Trim(string(bytes.Fields(token)[0]), "</>"); name {
		case "g":
			r.pending = noGap
		case "p", "head", "div", "text", "doc", "chapter", "table", "item":
			r.gap(part)
		}
	default:
		r.flow.text([]byte(html.UnescapeString(string(token))))
		r.gap(space)
	}
}

// finish gives the current document to fn. What stands before the first <doc>
// is one if it has text.
func (r *verticalReader) finish(raw []byte) error {
	doc := r.doc
	doc.Text, r.flow = r.String(), flow{}
	if hasText(&doc) != nil {
		return nil
	}
	r.count++
	if doc.Path == "" {
		doc.Path = fmt.Sprint(r.count)
	}
	doc.Path = r.meta.Path + memberMark + doc.Path
	doc.Bytes, doc.Content = int64(len(raw)), contentOf(raw)
	if !r.asIs {
		reveal(&doc)
	}
	return r.fn(&doc, nil)
}
