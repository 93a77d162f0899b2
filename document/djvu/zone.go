package djvu

import (
	"encoding/binary"
	"strings"
	"unicode"
)

const (
	zonePage      = 1
	zoneParagraph = 4 // columns and regions have the types in between
	zoneLine      = 5 // words and characters have higher types
)

// zoneSize is the size of a zone in bytes:
//
//	1 type    2 x    2 y    2 width    2 height    2 text offset    3 text size
//	3 number of child zones, which follow
//
// Two-byte numbers are offset by 0x8000. Positions are relative to the previous zone or to the
// parent.
const (
	zoneSize  = 17
	zoneDepth = 16 // maximum nesting depth; there are seven types
)

// A zone is a part of the text with its position and its child zones.
type zone struct {
	kind                     byte
	left, bottom, right, top int
	start, size              int // of the text, in bytes
	inner                    []*zone
}

type zones struct {
	text   []byte // to which offsets refer
	data   []byte // remaining zones
	points float64
	lines  []Line
}

// zone reads the next zone with its children. before is the previous child of parent.
func (z *zones) zone(parent, before *zone, depth int) (*zone, error) {
	if len(z.data) < zoneSize || depth > zoneDepth {
		return nil, errText
	}
	number := func(at int) int { return int(binary.BigEndian.Uint16(z.data[at:])) - 0x8000 }
	n := &zone{kind: z.data[0], start: number(9), size: int(u24(z.data[11:]))}
	x, y, width, height := number(1), number(3), number(5), number(7)
	children := int(u24(z.data[14:]))
	z.data = z.data[zoneSize:]
	down := n.kind == zonePage || n.kind == zoneParagraph || n.kind == zoneLine // placed below the previous zone
	switch {
	case before != nil && down:
		x, y = x+before.left, before.bottom-y-height
	case before != nil:
		x, y = x+before.right, y+before.bottom
	case parent != nil:
		x, y = x+parent.left, parent.top-y-height
	}
	switch {
	case before != nil:
		n.start += before.start + before.size
	case parent != nil:
		n.start += parent.start
	}
	n.left, n.bottom, n.right, n.top = x, y, x+width, y+height
	for range children {
		var last *zone
		if len(n.inner) > 0 {
			last = n.inner[len(n.inner)-1]
		}
		inner, err := z.zone(n, last, depth+1)
		if err != nil {
			return n, err
		}
		n.inner = append(n.inner, inner)
	}
	return n, nil
}

// add adds the lines of a zone. Some programs write only words, or only the page.
func (z *zones) add(n *zone) {
	if n.kind < zoneLine && len(n.inner) > 0 && n.inner[0].kind <= zoneLine {
		for _, inner := range n.inner {
			z.add(inner)
		}
		return
	}
	if n.start < 0 || n.start > len(z.text) {
		return
	}
	text := z.text[n.start:min(n.start+n.size, len(z.text))]
	if n.kind >= zoneLine {
		z.line(string(text), n.left, n.right, n.bottom, n.top)
		return
	}
	z.plain(string(text), float64(n.top)*z.points)
}

// line adds a line with a position in pixels.
func (z *zones) line(text string, left, right, bottom, top int) {
	if text = clean(text); text != "" {
		z.lines = append(z.lines, Line{text, float64(left) * z.points, float64(right) * z.points, float64(bottom) * z.points, float64(top) * z.points})
	}
}

// Default positions of lines without one.
const (
	usualLine = 14 // line spacing in points
	usualSize = 10 // font size in points
)

// plain adds text without positions from the height top downwards, with an empty line between
// paragraphs.
func (z *zones) plain(text string, top float64) {
	for _, line := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' }) {
		if strings.ContainsAny(line, separators) {
			top -= usualLine
		}
		if line = clean(line); line != "" {
			z.lines = append(z.lines, Line{line, 0, float64(len(line)) * usualSize / 2, top - usualSize, top})
		}
		top -= usualLine
	}
}

// separators end columns, regions and paragraphs.
const separators = "\v\x1d\x1f"

// clean returns a line in valid UTF-8 with collapsed white space.
func clean(line string) string {
	line = strings.ToValidUTF8(line, "\ufffd")
	return strings.Join(strings.FieldsFunc(line, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}

func u24(b []byte) uint32 { return uint32(b[0])<<16 | uint32(b[1])<<8 | uint32(b[2]) }
