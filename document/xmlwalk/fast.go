package xmlwalk

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"strconv"
	"unicode/utf8"
	"unsafe"

	"github.com/otisk/otisk/document/format"
)

// A scanner parses XML in memory. It supports the constructs of nearly all files: tags with
// quoted attributes, and text. At the first other construct or error, encoding/xml takes
// over for the rest; encoding/xml reads byte by byte and takes about eight times as long.
type scanner struct {
	data     []byte
	at       int
	entities map[string]string
	attrs    []xml.Attr // of the last tag
	buf      []byte     // text with entities
}

// scan calls h for the content of data, from s.at, where depth elements are open. It stops at the
// end or at unsupported syntax, sets s.at to that offset, and returns the number of elements open
// there.
func (s *scanner) scan(ctx context.Context, depth int, h Handler) (int, error) {
	for s.at < len(s.data) {
		if s.data[s.at] != '<' {
			if !s.text(h) {
				return depth, nil
			}
			continue
		}
		start := s.at
		name, closing, empty, ok := s.tag()
		if !ok {
			s.at = start
			return depth, nil
		}
		if closing {
			if depth--; depth < 0 {
				return depth, errNotOpen(name)
			}
			h.End(name)
			continue
		}
		if depth++; depth > maxXMLDepth {
			return depth, errDeep
		}
		if err := format.Ended(ctx); err != nil {
			return depth, err
		}
		h.Start(name, s.attrs)
		if empty {
			depth--
			h.End(name)
		}
	}
	return depth, nil
}

// declaration skips an XML declaration that states no encoding other than UTF-8.
func (s *scanner) declaration() {
	end := bytes.Index(s.data[:min(len(s.data), 200)], []byte("?>"))
	if end < 0 || !bytes.HasPrefix(s.data, []byte(`<?xml version="1.0"`)) {
		return
	}
	rest := bytes.ToLower(s.data[len(`<?xml version="1.0"`):end])
	if len(bytes.TrimSpace(rest)) == 0 || bytes.HasPrefix(bytes.TrimSpace(rest), []byte(`encoding="utf-8"`)) {
		s.at = end + 2
	}
}

// asString returns data as a string that shares its memory, which must not be modified.
func asString(data []byte) string { return unsafe.String(unsafe.SliceData(data), len(data)) }

// text calls h with the text up to the next tag.
func (s *scanner) text(h Handler) bool {
	end := bytes.IndexByte(s.data[s.at:], '<')
	if end < 0 {
		end = len(s.data) - s.at
	}
	raw := s.data[s.at : s.at+end]
	if !usual(raw) || bytes.Contains(raw, []byte("]]>")) {
		return false
	}
	value, ok := s.value(raw)
	if !ok {
		return false
	}
	s.at += end
	h.Text(value)
	return true
}

// usual reports whether b is valid UTF-8 without control characters other than tab and LF.
func usual(b []byte) bool {
	ascii := true
	for _, c := range b {
		if c < ' ' && c != '\t' && c != '\n' {
			return false
		}
		ascii = ascii && c < utf8.RuneSelf
	}
	return ascii || utf8.Valid(b) && !bytes.Contains(b, []byte("\xef\xbf\xbe")) && !bytes.Contains(b, []byte("\xef\xbf\xbf"))
}

// value returns raw with its entities replaced.
func (s *scanner) value(raw []byte) ([]byte, bool) {
	at := bytes.IndexByte(raw, '&')
	if at < 0 {
		return raw, true
	}
	out := s.buf[:0]
	for at >= 0 {
		out = append(out, raw[:at]...)
		end := bytes.IndexByte(raw[at:min(len(raw), at+16)], ';')
		if end < 0 {
			return nil, false
		}
		var ok bool
		if out, ok = s.entity(out, raw[at+1:at+end]); !ok {
			return nil, false
		}
		raw = raw[at+end+1:]
		at = bytes.IndexByte(raw, '&')
	}
	s.buf = append(out, raw...)
	return s.buf, true
}

// entity appends the character of the entity with this name.
func (s *scanner) entity(out, name []byte) ([]byte, bool) {
	switch string(name) {
	case "amp":
		return append(out, '&'), true
	case "lt":
		return append(out, '<'), true
	case "gt":
		return append(out, '>'), true
	case "quot":
		return append(out, '"'), true
	case "apos":
		return append(out, '\''), true
	}
	if digits, ok := bytes.CutPrefix(name, []byte("#")); ok {
		base := 10
		if hex, ok := bytes.CutPrefix(digits, []byte("x")); ok {
			digits, base = hex, 16
		}
		n, err := strconv.ParseUint(string(digits), base, 32)
		if err != nil || n < ' ' && n != '\t' && n != '\n' || n >= 0xD800 && n < 0xE000 || n == 0xFFFE || n == 0xFFFF || n > utf8.MaxRune {
			return nil, false
		}
		return utf8.AppendRune(out, rune(n)), true
	}
	value, ok := s.entities[string(name)]
	return append(out, value...), ok
}

// isName marks the bytes of names that the scanner supports.
var isName = func() (is [256]bool) {
	for c := range is {
		is[c] = 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c == '.'
	}
	return is
}()

// name reads a name with at most one prefix.
func (s *scanner) name() (n xml.Name, ok bool) {
	start := s.at
	part := func() string {
		from := s.at
		for s.at < len(s.data) && isName[s.data[s.at]] {
			s.at++
		}
		return asString(s.data[from:s.at])
	}
	n.Local = part()
	if s.at < len(s.data) && s.data[s.at] == ':' {
		s.at++
		n.Space, n.Local = n.Local, part()
		if n.Space == "" {
			return n, false
		}
	}
	first := byte('0')
	if start < len(s.data) {
		first = s.data[start]
	}
	return n, n.Local != "" && (first|0x20 >= 'a' || first == '_') && (s.at >= len(s.data) || s.data[s.at] != ':' && s.data[s.at] < utf8.RuneSelf)
}

// spaces skips white space and reports whether there was any.
func (s *scanner) spaces() bool {
	start := s.at
	for s.at < len(s.data) && (s.data[s.at] == ' ' || s.data[s.at] == '\n' || s.data[s.at] == '\t' || s.data[s.at] == '\r') {
		s.at++
	}
	return s.at > start
}

// tag reads a tag and stores its attributes in s.attrs.
func (s *scanner) tag() (local string, closing, empty, ok bool) {
	s.at++
	if s.at < len(s.data) && s.data[s.at] == '/' {
		closing = true
		s.at++
	}
	name, ok := s.name()
	s.attrs = s.attrs[:0]
	for ok {
		parted := s.spaces()
		if s.at >= len(s.data) {
			break
		}
		switch c := s.data[s.at]; {
		case c == '>':
			s.at++
			return name.Local, closing, false, true
		case c == '/' && !closing && s.at+1 < len(s.data) && s.data[s.at+1] == '>':
			s.at += 2
			return name.Local, false, true, true
		}
		ok = parted && !closing && s.attribute()
	}
	return "", false, false, false
}

// attribute reads an attribute with a quoted value.
func (s *scanner) attribute() bool {
	name, ok := s.name()
	if !ok || s.at+1 >= len(s.data) || s.data[s.at] != '=' {
		return false
	}
	quote := s.data[s.at+1]
	if quote != '"' && quote != '\'' {
		return false
	}
	s.at += 2
	end := bytes.IndexByte(s.data[s.at:], quote)
	if end < 0 {
		return false
	}
	raw := s.data[s.at : s.at+end]
	if !usual(raw) || bytes.IndexByte(raw, '<') >= 0 || bytes.Contains(raw, []byte("]]>")) {
		return false
	}
	value, ok := s.value(raw)
	if !ok {
		return false
	}
	text := asString(raw)
	if len(value) != len(raw) {
		text = string(value)
	}
	s.attrs = append(s.attrs, xml.Attr{Name: name, Value: text})
	s.at += end + 1
	return true
}

// moved adds lines to the line number of an error.
func moved(err error, lines int) error {
	var syntax *xml.SyntaxError
	if errors.As(err, &syntax) {
		syntax.Line += lines
	}
	return err
}
