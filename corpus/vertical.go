package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"time"
	"unicode/utf8"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/plain"
)

// What may be wrong with a document of a vertical file.
var (
	errNoEnd   = errors.New("no </doc> before the next document; it ends there")
	errNoStart = errors.New("text outside of any <doc>; it is a document of its own")
	errNotUTF8 = fmt.Errorf("%w: its bytes are not UTF-8", document.ErrEncoding)
)

func looksVertical(head []byte) bool { return plain.LooksVertical(head) }

// takeVertical gives the documents of a block of a vertical file.
func (in *Input) takeVertical(f File, data []byte, line int64, give func(*Doc, error)) {
	for len(data) > 0 {
		end := firstDoc(data)
		if end == 0 {
			end = len(data)
		}
		raw := in.untilStray(data[:end])
		if d := in.verticalDoc(f, raw, line); d != nil {
			give(d, d.check())
		}
		line += int64(bytes.Count(raw, newline))
		data = data[len(raw):]
	}
}

// untilStray returns raw up to the text that follows the end of its document, which is one of its
// own; all of raw where only tags and empty lines do.
func (in *Input) untilStray(raw []byte) []byte {
	end := bytes.Index(raw, docEnd)
	if end < 0 {
		return raw
	}
	end += len(docEnd)
	if next := bytes.IndexByte(raw[end:], '\n'); next >= 0 && verticalText(raw[end+next+1:], in.Column) != "" {
		return raw[:end+next+1]
	}
	return raw
}

var docEnd = []byte("\n</doc>")

// verticalDoc makes a document of its lines, nil where there are none but empty
// ones outside of a <doc>.
func (in *Input) verticalDoc(f File, raw []byte, line int64) *Doc {
	d := &Doc{Form: Vertical, Raw: raw, Time: f.Time, Where: place(f.Path, line, "line")}
	tag := startTag(raw)
	if tag == nil && len(bytes.TrimSpace(raw)) == 0 {
		return nil
	}
	attributes := plain.Attributes(tag)
	d.ID = attributes["id"]
	if date, ok := parseDate(attributes["date"]); ok {
		d.Time = date
	}
	if d.ID == "" {
		d.ID = d.Where
	}
	if !utf8.Valid(raw) {
		return d
	}
	if d.Text = verticalText(raw, in.Column); tag == nil && d.Text == "" {
		return nil // tags around all documents
	}
	d.normalised(in.Norms, true, "text/vertical", "vert")
	return d
}

// check returns what is wrong with a document of a vertical file.
func (d *Doc) check() error {
	switch ends := d.Raw; {
	case d.norm == nil:
		return errNotUTF8
	case startTag(ends) == nil:
		return errNoStart
	case !bytes.Contains(ends, docEnd):
		return errNoEnd
	}
	return nil
}

// startTag returns the first line of raw if it begins a document.
func startTag(raw []byte) []byte {
	if !bytes.HasPrefix(raw, docLine[1:]) || !startsDoc(raw[len(docLine)-1:]) {
		return nil
	}
	line, _, _ := bytes.Cut(raw, newline)
	return line
}

// parseDate reads a date as collections have them.
func parseDate(s string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, time.DateTime, time.DateOnly, "2006-01", "2006"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// verticalText returns the text of a document: its tokens, which are a column, with
// a space between two, or none after <g/>, and an empty line between paragraphs.
func verticalText(raw []byte, column int) string {
	text := make([]byte, 0, len(raw))
	var gap []byte
	for len(raw) > 0 {
		var line []byte
		line, raw, _ = bytes.Cut(raw, newline)
		if tag := bytes.TrimSpace(line); len(tag) > 2 && tag[0] == '<' && tag[len(tag)-1] == '>' {
			gap = gapAfter(tag, gap)
			continue
		}
		token := bytes.TrimSpace(Column(line, column))
		switch {
		case len(token) == 0:
		case token[0] == '<' && token[len(token)-1] == '>' && len(token) > 2:
			gap = gapAfter(token, gap)
		default:
			if len(text) > 0 {
				text = append(text, gap...)
			}
			text, gap = appendToken(text, token), []byte(" ")
		}
	}
	return string(text)
}

// Column returns a column of a line, counted from 1, or the first for 0; nil where it
// has fewer.
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

var blankLine = []byte("\n\n")

// gapAfter returns what is between the tokens around a tag.
func gapAfter(tag, gap []byte) []byte {
	name := bytes.Trim(bytes.Fields(tag)[0], "</>")
	switch string(name) {
	case "g":
		if len(gap) == 1 {
			return nil
		}
	case "p", "head", "div", "text", "doc", "chapter", "table", "item":
		return blankLine
	}
	return gap
}
