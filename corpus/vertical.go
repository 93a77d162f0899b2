package corpus

import (
	"bytes"
	"cmp"
	"context"
	"html"
	"time"
	"unicode/utf8"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/charset"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/plain"
	"github.com/otisk/otisk/internal/dates"
	"github.com/otisk/otisk/lang/phrase"
)

// Problems of a document in a vertical file.
var (
	ErrNoEnd   error = phrase.Error("cause.no-end-tag", "no end tag before the next document; it ends there")
	ErrNoStart error = phrase.Error("cause.text-outside", "text outside of any document; it is a document of its own")
	errNotUTF8 error = phrase.Error("corpus.not-utf8", "{cause}: its bytes are not UTF-8", "cause", document.ErrEncoding)
)

func (in *Input) parseVertical(f File, tags plain.Tags, data []byte, line int64, give func(*Doc, error)) {
	v := verticalParser{in: in, tags: tags, start: docStart(tags.Doc), end: []byte("\n</" + tags.Doc + ">")}
	for len(data) > 0 {
		end := cmp.Or(v.start.first(data), len(data))
		raw := v.untilStray(data[:end])
		if d, err := v.document(f, raw, line); d != nil {
			give(d, err)
		}
		line += int64(bytes.Count(raw, newline))
		data = data[len(raw):]
	}
}

type verticalParser struct {
	in    *Input
	tags  plain.Tags
	start startLine
	end   []byte // a line feed and the end tag of documents
}

// untilStray returns raw up to the first token after the end of its document, which
// starts a document of its own. If only tags and empty lines follow, it returns raw.
func (v *verticalParser) untilStray(raw []byte) []byte {
	end := bytes.Index(raw, v.end)
	if end < 0 {
		return raw
	}
	end += len(v.end)
	if next := bytes.IndexByte(raw[end:], '\n'); next >= 0 && v.text(raw[end+next+1:]) != "" {
		return raw[:end+next+1]
	}
	return raw
}

// document parses the lines of a document and reports its problems. It returns nil if
// raw has only empty lines outside of any document.
func (v *verticalParser) document(f File, raw []byte, line int64) (*Doc, error) {
	d := &Doc{Form: Vertical, Raw: raw, Time: f.Time, Where: place(f.Path, line, "line")}
	if v.start.startTag(raw) == nil && len(bytes.TrimSpace(raw)) == 0 {
		return nil, nil
	}
	raw, err := v.in.decoded(raw)
	tag := v.start.startTag(raw)
	attributes := plain.Attributes(tag)
	d.ID = attributes["id"]
	if date, ok := parseDate(attributes["date"]); ok {
		d.Time = date
	}
	d.ID = cmp.Or(d.ID, d.Where)
	if err != nil {
		return d, err
	}
	if d.Text = v.text(raw); tag == nil && d.Text == "" {
		return nil, nil // tags around all documents
	}
	d.normalised(v.in.Norms, true, "text/vertical", "vert")
	switch {
	case tag == nil:
		return d, ErrNoStart
	case !bytes.Contains(raw, v.end):
		return d, ErrNoEnd
	}
	return d, nil
}

// decoded converts the lines of a vertical file from in.Read.Encoding, by default
// UTF-8. If that fails, it returns them unchanged, with an error.
func (in *Input) decoded(raw []byte) ([]byte, error) {
	if in.Read.Encoding == "" {
		if !utf8.Valid(raw) {
			return raw, errNotUTF8
		}
		return raw, nil
	}
	text, _, err := charset.Decode(context.Background(), &format.Source{Data: raw, Encoding: in.Read.Encoding}, "")
	if err != nil {
		return raw, err
	}
	return text, nil
}

// startTag returns the first line of raw if it begins a document.
func (s startLine) startTag(raw []byte) []byte {
	if !bytes.HasPrefix(raw, s[1:]) || !startsDoc(raw[len(s)-1:]) {
		return nil
	}
	line, _, _ := bytes.Cut(raw, newline)
	return line
}

func parseDate(s string) (time.Time, bool) {
	return dates.Parse(s, time.RFC3339, time.DateTime, time.DateOnly, "2006-01", "2006")
}

// text returns the text of a document: the tokens of one column, separated by spaces
// except after <g/>, with an empty line between paragraphs.
func (v *verticalParser) text(raw []byte) string {
	text := make([]byte, 0, len(raw))
	var gap []byte
	for len(raw) > 0 {
		var line []byte
		line, raw, _ = bytes.Cut(raw, newline)
		if tag := bytes.TrimSpace(line); len(tag) > 2 && tag[0] == '<' && tag[len(tag)-1] == '>' {
			gap = v.gapAfter(tag, gap)
			continue
		}
		token := bytes.TrimSpace(Column(line, v.in.Column))
		switch {
		case len(token) == 0:
		case token[0] == '<' && token[len(token)-1] == '>' && len(token) > 2:
			gap = v.gapAfter(token, gap)
		default:
			if len(text) > 0 {
				text = append(text, gap...)
			}
			text, gap = appendToken(text, token), []byte(" ")
		}
	}
	return string(text)
}

// Column returns a column of a line, counted from 1; 0 means the first. It returns
// nil if the line has fewer columns.
func Column(line []byte, number int) []byte {
	for ; number > 1; number-- {
		_, rest, ok := bytes.Cut(line, tab)
		if !ok {
			return nil
		}
		line = rest
	}
	first, _, _ := bytes.Cut(line, tab)
	return first
}

var tab = []byte("\t")

func appendToken(text, token []byte) []byte {
	if bytes.IndexByte(token, '&') >= 0 {
		return append(text, html.UnescapeString(string(token))...)
	}
	return append(text, token...)
}

var parBreak = []byte("\n\n")

// gapAfter returns the separator of the tokens around a tag.
func (v *verticalParser) gapAfter(tag, gap []byte) []byte {
	name := string(bytes.Trim(bytes.Fields(tag)[0], "</>"))
	switch {
	case name == "g" && len(gap) == 1:
		return nil
	case v.tags.Separates(name):
		return parBreak
	}
	return gap
}
