package plain

import (
	"bytes"
	"context"
	"regexp"
	"strings"

	"golang.org/x/net/html"

	"github.com/otisk/otisk/document/charset"
	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
)

// A vertical file, a format of corpora, has one token a line, followed by tab-separated
// columns (lemma, part of speech), and tags on lines of their own: <doc …>, <p>, <s>; <g/>
// joins two tokens without a space. One file holds many documents.

// LooksVertical reports whether data starts like a vertical file.
func LooksVertical(data []byte) bool {
	head := bytes.TrimPrefix(format.Head(data), format.BOM)
	lines := bytes.Split(head, []byte("\n"))
	if len(lines) < 3 || !format.StartsTag(lines[0], "doc") {
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

// A verticalReader reads the text of one document.
type verticalReader struct {
	flow.Builder
	attrs map[string]string // attributes of the document tag
}

// Vertical reads one document of a vertical file.
func Vertical(ctx context.Context, src *format.Source) (*format.Text, error) {
	data, encoding, err := charset.Decode(ctx, src, "")
	if err != nil {
		return nil, err
	}
	var r verticalReader
	pulse := format.NewPulse(ctx)
	for line := range bytes.Lines(bytes.TrimPrefix(data, format.BOM)) {
		if err := pulse.Err(); err != nil {
			return nil, err
		}
		r.line(bytes.TrimRight(line, "\r\n"))
	}
	t, err := r.Done()
	t.Title, t.Author, t.Encoding = flow.OneLine(r.attrs["title"]), flow.OneLine(r.attrs["author"]), encoding
	t.Year = format.Year(r.attrs["year"] + " " + r.attrs["date"])
	return t, err
}

// SplitVertical calls give for each document of a vertical file, and for the text before the
// first <doc>. The name of a document is its id.
func SplitVertical(ctx context.Context, src *format.Source, give func(name string, part *format.Source) error) error {
	data, encoding, err := charset.Decode(ctx, src, "")
	if err != nil {
		return err
	}
	data = bytes.TrimPrefix(data, format.BOM)
	id, from, at := "", 0, 0
	cut := func() error {
		part := *src
		part.Data, part.Decoded = data[from:at], encoding
		return give(id, &part)
	}
	pulse := format.NewPulse(ctx)
	for line := range bytes.Lines(data) {
		if err := pulse.Err(); err != nil {
			return err
		}
		if line := bytes.TrimRight(line, "\r\n"); format.StartsTag(line, "doc") {
			if err := cut(); err != nil {
				return err
			}
			id, from = flow.OneLine(Attributes(line)["id"]), at
		}
		at += len(line)
	}
	return cut()
}

var attribute = regexp.MustCompile(`([\pL_][\pL\pN_.-]*)\s*=\s*(?:"([^"]*)"|'([^']*)')`)

// Attributes returns the attributes of a tag in a vertical file by name in lower case. Of
// attributes with the same name, the first one counts.
func Attributes(tag []byte) map[string]string {
	attrs := map[string]string{}
	for _, m := range attribute.FindAllSubmatch(tag, -1) {
		name := strings.ToLower(string(m[1]))
		if _, ok := attrs[name]; !ok {
			attrs[name] = html.UnescapeString(string(m[2]) + string(m[3]))
		}
	}
	return attrs
}

// line reads a token or a tag.
func (r *verticalReader) line(line []byte) {
	if format.StartsTag(line, "doc") {
		r.attrs = Attributes(line)
		return
	}
	token := bytes.TrimSpace(cutColumns(line))
	switch {
	case len(token) == 0:
	case token[0] == '<' && token[len(token)-1] == '>' && len(token) > 2:
		switch name := strings.Trim(string(bytes.Fields(token)[0]), "</>"); name {
		case "g":
			r.Glue()
		case "p", "head", "div", "text", "doc", "chapter", "table", "item":
			r.Gap(flow.Part)
		}
	default:
		r.Text([]byte(html.UnescapeString(string(token))))
		r.Gap(flow.Space)
	}
}
