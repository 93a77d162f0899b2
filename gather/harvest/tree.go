package harvest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
)

type element struct {
	name  string // without its name space
	attrs map[string]string
	text  string // its own, without that of the elements in it, trimmed
	kids  []*element

	raw []byte // its text while it is read
}

// The limits of a page: a repository is foreign, and XML can be made so that it
// takes any memory.
const (
	maxDepth    = 100
	maxElements = 2_000_000
)

var errBroken error = phrase.Error("cause.broken-xml", "broken XML")

// readXML reads a document. Entities that a document type declares are not
// replaced, so that none can grow.
func readXML(data []byte) (*element, error) {
	d := xml.NewDecoder(bytes.NewReader(data))
	d.Strict = false
	d.Entity = xml.HTMLEntity
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // it is UTF-8 by now
	top := &element{}
	open := []*element{top}
	for count := 0; ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errBroken, phrase.XML(err))
		}
		at := open[len(open)-1]
		switch t := token.(type) {
		case xml.StartElement:
			if count++; count > maxElements || len(open) > maxDepth {
				return nil, phrase.Error("gather.xml-large", "{cause}: more than {most} elements, or {depth} in each other", "cause", errBroken, "most", maxElements, "depth", maxDepth)
			}
			e := &element{name: t.Name.Local}
			for _, a := range t.Attr {
				lists.Put(&e.attrs, a.Name.Local, a.Value)
			}
			at.kids, open = append(at.kids, e), append(open, e)
		case xml.EndElement:
			at.text, at.raw = string(bytes.TrimSpace(at.raw)), nil
			if len(open) > 1 {
				open = open[:len(open)-1]
			}
		case xml.CharData:
			if len(open) > 1 {
				at.raw = append(at.raw, t...)
			}
		}
	}
	if len(open) > 1 {
		return nil, phrase.Error("gather.xml-ends", "{cause}: it ends within {element}", "cause", errBroken, "element", "<"+open[len(open)-1].name+">")
	}
	if len(top.kids) == 0 {
		return nil, phrase.Error("gather.no-element", "{cause}: there is no element", "cause", errBroken)
	}
	return top.kids[0], nil
}

func (e *element) kid(name string) *element {
	if e == nil {
		return nil
	}
	for _, k := range e.kids {
		if k.name == name {
			return k
		}
	}
	return nil
}

func (e *element) all(fn func(*element)) {
	if e == nil {
		return
	}
	fn(e)
	for _, k := range e.kids {
		k.all(fn)
	}
}

// value is the text of e, or of the first element in it that has some.
func (e *element) value() (text string) {
	e.all(func(e *element) {
		if text == "" {
			text = e.text
		}
	})
	return text
}

func (e *element) sum() string {
	h := sha256.New()
	var write func(*element)
	write = func(e *element) {
		fmt.Fprintf(h, "<%q %q", e.name, e.text)
		for _, name := range slices.Sorted(maps.Keys(e.attrs)) {
			fmt.Fprintf(h, " %q=%q", name, e.attrs[name])
		}
		for _, k := range e.kids {
			write(k)
		}
		fmt.Fprint(h, ">")
	}
	if e != nil {
		write(e)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// repair replaces invalid UTF-8, characters that XML does not allow, and references to such
// characters. It returns the number of replacements.
func repair(data []byte) (good []byte, count int) {
	good = make([]byte, 0, len(data))
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		switch {
		case r == utf8.RuneError && size == 1, !inXML(r):
			good = utf8.AppendRune(good, utf8.RuneError)
			count++
		case r == '&':
			if n := badReference(data); n > 0 {
				good = utf8.AppendRune(good, utf8.RuneError)
				count, size = count+1, n
				break
			}
			good = append(good, '&')
		default:
			good = append(good, data[:size]...)
		}
		data = data[size:]
	}
	return good, count
}

func inXML(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r >= 0x20 && r <= 0xD7FF || r >= 0xE000 && r <= 0xFFFD || r >= 0x10000 && r <= 0x10FFFF
}

// badReference returns the length of the reference that data starts with, if it
// is to a character that XML does not have; else 0.
func badReference(data []byte) int {
	const longest = 16
	end := bytes.IndexByte(data[:min(len(data), longest)], ';')
	if end < 3 || data[1] != '#' {
		return 0
	}
	digits, base := string(data[2:end]), 10
	if digits[0] == 'x' || digits[0] == 'X' {
		digits, base = digits[1:], 16
	}
	number, err := strconv.ParseUint(digits, base, 32)
	if err != nil && !errors.Is(err, strconv.ErrRange) || err == nil && inXML(rune(number)) {
		return 0
	}
	return end + 1
}
