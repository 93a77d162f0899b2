// Package djvu reads the text layer of DjVu files, in which libraries keep scanned books:
// recognised text with its position on the page.
//
// Call [Pages]. Pictures are not read.
package djvu

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
)

const signature = "AT&TFORM"

// Looks reports whether data is a DjVu file.
func Looks(data []byte) bool { return bytes.HasPrefix(data, []byte(signature)) }

// A Page has the lines of one page in text order.
type Page struct {
	Height float64 // in points, as all measures
	Lines  []Line
	Broken bool // the text layer is damaged
	Blank  bool // hardly anything is drawn

	Unread format.Unread // words of annotations
}

// A Line is one line of text.
type Line struct {
	Text                     string
	Left, Right, Bottom, Top float64 // from the bottom left corner
}

type reader struct {
	ctx   context.Context
	pulse *format.Pulse
	left  int64 // bytes of text left of the limit
}

// errElsewhere reports that the pages of a file are in other files.
var errElsewhere = fmt.Errorf("%w: %w", format.ErrBinary, phrase.Error("cause.djvu-elsewhere", "an index of DjVu pages in other files (bundle them by djvmcvt -b)"))

// Pages returns the pages of a file. A page with a damaged text layer is empty and marked as
// broken.
func Pages(ctx context.Context, data []byte, most int64) ([]Page, error) {
	r := &reader{ctx: ctx, pulse: format.NewPulse(ctx), left: most}
	kind, chunks, ok := form(data[min(len("AT&T"), len(data)):])
	if !ok {
		return nil, damaged(phrase.Error("cause.djvu-chunk", "its first chunk"))
	}
	switch kind {
	case "DJVU":
		p, err := r.page(chunks)
		return []Page{p}, err
	case "DJVM":
		return r.bundle(data, chunks)
	}
	return nil, damaged(phrase.Error("cause.djvu-holds", "it holds {kind}, no pages", "kind", fmt.Sprintf("%q", kind)))
}

func damaged(what *phrase.Phrase) error {
	return fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.djvu", "DjVu: {cause}", "cause", what))
}

func form(data []byte) (kind string, chunks []byte, ok bool) {
	name, body, _, ok := chunk(data)
	if !ok || name != "FORM" || len(body) < 4 {
		return "", nil, false
	}
	return string(body[:4]), body[4:], true
}

// chunk splits off the first chunk of data. A chunk longer than data is truncated.
func chunk(data []byte) (name string, body, rest []byte, ok bool) {
	const head = 8
	if len(data) < head {
		return "", nil, nil, false
	}
	size := int(min(int64(binary.BigEndian.Uint32(data[4:])), int64(len(data)-head)))
	end := head + size
	return string(data[:4]), data[head:end], data[min(end+size%2, len(data)):], true
}

// bundle reads the pages of a multi-page file in the order of its directory.
func (r *reader) bundle(data, chunks []byte) ([]Page, error) {
	const bundled, head, offset = 0x80, 3, 4
	name, list, _, ok := chunk(chunks)
	if !ok || name != "DIRM" || len(list) < head {
		return nil, damaged(phrase.Error("cause.djvu-directory", "its directory"))
	}
	if list[0]&bundled == 0 {
		return nil, errElsewhere
	}
	count := int(binary.BigEndian.Uint16(list[1:]))
	if list = list[head:]; len(list) < count*offset {
		return nil, damaged(phrase.Error("cause.djvu-directory", "its directory"))
	}
	var pages []Page
	seen := map[int]bool{}
	for i := range count {
		at := int(binary.BigEndian.Uint32(list[i*offset:]))
		if at >= len(data) || seen[at] {
			pages = append(pages, Page{Broken: true}) // or data shared by pages
			continue
		}
		seen[at] = true
		if kind, chunks, ok := form(data[at:]); ok && kind == "DJVU" {
			p, err := r.page(chunks)
			if err != nil {
				return nil, err
			}
			pages = append(pages, p)
		}
	}
	return pages, nil
}

const (
	usualHeight = 842 // points
	usualDPI    = 300
)

// page reads a page. It returns errors only for limits of the whole file.
func (r *reader) page(chunks []byte) (page Page, err error) {
	p, dpi := Page{Height: usualHeight}, float64(usualDPI)
	drawn := 0
	defer func() { page.Blank = drawn < leastDrawn }()
	for {
		if err := r.pulse.Err(); err != nil {
			return p, err
		}
		name, body, rest, ok := chunk(chunks)
		if !ok {
			return p, nil
		}
		var err error
		switch name {
		case "INFO":
			if len(body) >= 8 {
				if d := binary.LittleEndian.Uint16(body[6:]); d >= 25 && d <= 6000 {
					dpi = float64(d)
				}
				p.Height = float64(binary.BigEndian.Uint16(body[2:])) * 72 / dpi
			}
		case "TXTz":
			if body, err = unpack(r.ctx, body, r.left); err == nil {
				err = r.text(&p, body, dpi)
			}
		case "TXTa":
			err = r.text(&p, body, dpi)
		case "ANTz":
			if body, err = unpack(r.ctx, body, r.left); err == nil {
				p.Unread.Words("ANTa", notedWords(body))
			}
		case "ANTa":
			p.Unread.Words("ANTa", notedWords(body))
		case "INCL", "TH44", "CIDa":
		default:
			drawn += len(body)
		}
		if err != nil {
			if errors.Is(err, format.ErrTooLarge) || format.Ended(r.ctx) != nil {
				return p, err
			}
			p.Broken = true
		}
		chunks = rest
	}
}

// leastDrawn is the least number of bytes of the picture of a page with text; a page of one colour has less.
const leastDrawn = 200

var quoted = format.Pattern(`"(?:[^"\\]|\\.)*"`)

// notedWords counts the words in the strings of annotations.
func notedWords(body []byte) (n int) {
	return lists.Sum(quoted().FindAll(body, -1), func(s []byte) int { return len(bytes.Fields(s[1 : len(s)-1])) })
}

func (r *reader) text(p *Page, body []byte, dpi float64) error {
	const head = 3
	if len(body) < head {
		return errText
	}
	size := int(u24(body))
	if size > len(body)-head {
		return errText
	}
	if r.left -= int64(size); r.left < 0 {
		return fmt.Errorf("%w: %w", format.ErrTooLarge, phrase.Error("cause.text-over-limit", "more text than the limit"))
	}
	z := &zones{text: body[head : head+size], points: 72 / dpi}
	if rest := body[head+size:]; len(rest) > 1 {
		z.data = rest[1:] // skip the version
		if n, err := z.zone(nil, nil, 0); err == nil {
			z.add(n)
		}
	}
	if len(z.lines) == 0 { // without usable zones, take the text as a whole
		z.plain(string(z.text), p.Height)
	}
	p.Lines = append(p.Lines, z.lines...)
	return nil
}

var errText = fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.djvu-text", "text of a DjVu page"))
