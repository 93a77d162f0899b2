package plain

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"strings"

	"golang.org/x/net/html"

	"github.com/otisk/otisk/document/charset"
	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
)

// A vertical file, a format of corpora, has one token a line, followed by tab-separated
// columns (lemma, part of speech), and tags on lines of their own: <doc …>, <p>, <s>; <g/>
// joins two tokens without a space. One file holds many documents. Other names than doc and
// p are detected.

// LooksVertical reports whether data starts like a vertical file with <doc>.
func LooksVertical(data []byte) bool {
	return format.StartsTag(bytes.TrimPrefix(format.Head(data), format.BOM), DefaultTags.Doc) && LooksVerticalAny(data)
}

// LooksVerticalAny reports whether data starts like a vertical file with any tag.
func LooksVerticalAny(data []byte) bool {
	head := bytes.TrimPrefix(format.Head(data), format.BOM)
	lines := bytes.Split(head, []byte("\n"))
	if name, end, _ := TagName(bytes.TrimSpace(lines[0])); len(lines) < 3 || name == "" || end {
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
	tags  Tags
	attrs map[string]string // attributes of the document tag
}

// Vertical reads one document of a vertical file.
func Vertical(ctx context.Context, src *format.Source) (*format.Text, error) {
	data, encoding, err := charset.Decode(ctx, src, "")
	if err != nil {
		return nil, err
	}
	data = bytes.TrimPrefix(data, format.BOM)
	r := verticalReader{tags: tagsOf(data)}
	pulse := format.NewPulse(ctx)
	for line := range bytes.Lines(data) {
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

// tagsOf returns the tags of a vertical file, or of a document of one, which starts with
// its tag. It returns [DefaultTags] if they cannot be determined.
func tagsOf(data []byte) Tags {
	head := format.Head(data)
	tags, err := FindTags(head, Tags{})
	if errors.Is(err, ErrNoDocTag) {
		first, _, _ := bytes.Cut(head, []byte("\n"))
		if name, end, _ := TagName(bytes.TrimSpace(first)); name != "" && !end && !smaller[strings.ToLower(name)] {
			tags, err = FindTags(head, Tags{Doc: name})
		}
	}
	if err != nil {
		return DefaultTags
	}
	return tags
}

// SplitVertical calls give for each document of a vertical file, and for the text before the
// first one. The tags of documents are detected by [FindTags]. The name of a document is its id.
func SplitVertical(ctx context.Context, src *format.Source, give func(name string, part *format.Source) error) error {
	data, encoding, err := charset.Decode(ctx, src, "")
	if err != nil {
		return err
	}
	data = bytes.TrimPrefix(data, format.BOM)
	id, from, at := "", 0, 0
	tags := tagsOf(data)
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
		if line := bytes.TrimRight(line, "\r\n"); format.StartsTag(line, tags.Doc) {
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
	if format.StartsTag(line, r.tags.Doc) {
		r.attrs = Attributes(line)
		return
	}
	token := bytes.TrimSpace(cutColumns(line))
	switch {
	case len(token) == 0:
	case token[0] == '<' && token[len(token)-1] == '>' && len(token) > 2:
		switch name := strings.Trim(string(bytes.Fields(token)[0]), "</>"); {
		case name == "g":
			r.Glue()
		case r.tags.Separates(name):
			r.Gap(flow.Part)
		}
	default:
		r.Text([]byte(html.UnescapeString(string(token))))
		r.Gap(flow.Space)
	}
}
