package office

import (
	"strconv"
	"strings"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/look"
	"github.com/otisk/otisk/document/ole"
)

// A docRun is the formatting of a run of characters.
type docRun struct {
	look    look.Change
	deleted bool
	special bool
	offset  int // offset of the first byte
	at      int // number of the first character
}

// A docParagraphLook is the formatting of a paragraph.
type docParagraphLook struct {
	kind  format.MarkKind
	style int
	table bool      // in a table
	row   bool      // end of a row
	shade look.Tone // background
}

// A docStyle is a style, identified by its number.
type docStyle struct {
	kind format.MarkKind
}

// A docToggle is a property that a run may inherit from its style or invert.
type docToggle uint8

const (
	toggleOff      docToggle = 0
	toggleOn       docToggle = 1
	toggleOpposite docToggle = 0x81
)

// Ids of the properties that are read (Sprm).
const (
	propDeleted    = 0x0800
	propHidden     = 0x083C
	propSpecial    = 0x0855
	propRaised     = 0x2A48
	propSize       = 0x4A43
	propColourNo   = 0x2A42
	propColour     = 0x6870
	propHighlight  = 0x2A0C
	propShade80    = 0x4866
	propShade      = 0xCA71
	propStyle      = 0x4A30
	propPlain      = 0x2A33
	propPictureAt  = 0x6A03
	propParaShade8 = 0x442D
	propParaShade  = 0xC64D
	propInTable    = 0x2416
	propRowEnd     = 0x2417
	propOutline    = 0x2640
	propParaStyle  = 0x4600
	propTable      = 0xD608 // its size field has two bytes
)

// properties calls fn for each property of a list, with its value.
func properties(b []byte, fn func(id int, value []byte)) {
	for len(b) >= 3 {
		id := u16(b, 0)
		b = b[2:]
		size := [8]int{1, 1, 2, 4, 2, 2, 0, 3}[id>>13]
		if size == 0 {
			size = int(b[0]) + 1
			if id == propTable && len(b) >= 2 {
				size = u16(b, 0) + 1
			}
		}
		if size > len(b) {
			return
		}
		fn(id, b[:size])
		b = b[size:]
	}
}

// docColours are the numbered colours.
var docColours = []look.Tone{1: look.Black, look.RGB(0, 0, 255), look.RGB(0, 255, 255), look.RGB(0, 255, 0), look.RGB(255, 0, 255), look.RGB(255, 0, 0), look.RGB(255, 255, 0),
	look.White, look.RGB(0, 0, 128), look.RGB(0, 128, 128), look.RGB(0, 128, 0), look.RGB(128, 0, 128), look.RGB(128, 0, 0), look.RGB(128, 128, 0), look.RGB(128, 128, 128), look.RGB(192, 192, 192)}

// docColour returns the colour with this number, and none for "automatic".
func docColour(n int) look.Tone {
	if n < len(docColours) {
		return docColours[n]
	}
	return look.Tone{}
}

// docRGB reads a colour (COLORREF).
func docRGB(b []byte) look.Tone {
	if b[3] != 0 {
		return look.Tone{}
	}
	return look.RGB(b[0], b[1], b[2])
}

// docPattern returns the background colour of a pattern in the first colour on the second.
func docPattern(fore, back look.Tone, pattern int) look.Tone {
	switch pattern {
	case 0:
		return back
	case 1:
		return fore.Over(look.Unknown)
	}
	return look.Unknown
}

// docShade reads a background (Shd80, or Shd with its size).
func docShade(b []byte) look.Tone {
	if len(b) == 2 {
		n := u16(b, 0)
		if n == 0xFFFF {
			return look.Tone{}
		}
		return docPattern(docColour(n&31), docColour(n>>5&31), n>>10)
	}
	if len(b) < 11 {
		return look.Unknown
	}
	return docPattern(docRGB(b[1:]), docRGB(b[5:]), u16(b, 9))
}

// character applies a character property to the run. style is the formatting of its styles.
func (r *docRun) character(id int, v []byte, d *docFile, style look.Change) {
	c := &r.look
	switch id {
	case propDeleted:
		r.deleted = v[0] == byte(toggleOn)
	case propHidden:
		c.Hidden = toggled(docToggle(v[0]), style.Hidden)
	case propSpecial:
		r.special = v[0] != 0
	case propRaised:
		c.Up = look.State(v[0] == 1)
	case propSize:
		c.Size = float64(u16(v, 0)) / 2 // unit: half points
	case propColourNo:
		c.Ink = docColour(int(v[0]))
	case propColour:
		c.Ink = docRGB(v)
	case propHighlight:
		c.Ground = docColour(int(v[0])).Over(c.Ground)
	case propShade80, propShade:
		c.Ground = docShade(v).Over(c.Ground)
	case propStyle:
		*c = c.Over(d.looks.Change(styleName(u16(v, 0))))
	case propPlain:
		*c = look.Change{}
	}
}

func toggled(t docToggle, style look.Stated) look.Stated {
	switch {
	case t == toggleOn, t == toggleOpposite && style != look.Yes:
		return look.Yes
	case t == toggleOff, t == toggleOpposite:
		return look.No
	}
	return look.Unsaid
}

// runAt returns the formatting of the character at a byte of a piece, and the end of the run with
// that formatting.
func (d *docFile) runAt(p docPiece, offset int) (docRun, int) {
	span, para := spanAt(d.chars, offset), spanAt(d.paras, offset)
	around := d.paragraphOf(para)
	style := d.looks.Change(styleName(around.style))
	r := docRun{offset: offset}
	properties(span.props, func(id int, v []byte) { r.character(id, v, d, style) })
	r.look = p.change.Over(r.look).Over(style)
	r.look.Ground = r.look.Ground.Over(around.shade)
	r.deleted = r.deleted || p.deleted == toggleOn
	return r, min(span.to, para.to)
}

// pieceChange applies the properties of a whole piece (Prm).
func (d *docFile) pieceChange(p *docPiece, prm int) {
	const one, hidden, deleted = 1, 0x5C, 0x41
	if prm&one == 0 {
		value := docToggle(prm >> 8)
		switch prm >> 1 & 0x7F {
		case hidden:
			p.change.Hidden = toggled(value, look.Unsaid)
		case deleted:
			p.deleted = value
		}
		return
	}
	if i := prm >> 1; i < len(d.grpprl) {
		var r docRun
		properties(d.grpprl[i], func(id int, v []byte) { r.character(id, v, d, look.Change{}) })
		if p.change = r.look; r.deleted {
			p.deleted = toggleOn
		}
	}
}

// paragraphAt returns the formatting of the paragraph that contains the byte at offset.
func (d *docFile) paragraphAt(offset int) docParagraphLook {
	return d.paragraphOf(spanAt(d.paras, offset))
}

func (d *docFile) paragraphOf(s docSpan) docParagraphLook {
	p := docParagraphLook{style: s.style}
	outline := -1
	properties(s.props, func(id int, v []byte) {
		switch id {
		case propInTable:
			p.table = v[0] != 0
		case propRowEnd:
			p.row = v[0] != 0
		case propOutline:
			outline = int(v[0])
		case propParaStyle:
			p.style = u16(v, 0)
		case propParaShade, propParaShade8:
			p.shade = docShade(v).Over(p.shade)
		}
	})
	if p.style < len(d.styles) {
		p.kind = d.styles[p.style].kind
	}
	if 0 <= outline && outline < 9 {
		p.kind = format.Heading
	}
	return p
}

func styleName(n int) string { return strconv.Itoa(n) }

// readStyles reads the styles (STSH). It ignores damaged styles, which do not affect the text.
func (d *docFile) readStyles() {
	d.looks = look.Styles{}
	b := d.pair(pairStyles)
	if len(b) < 6 {
		return
	}
	head, base := u16(b, 0), u16(b, 4)
	for b = b[min(2+head, len(b)):]; len(b) >= 2; {
		size := u16(b, 0)
		if b = b[2:]; size > len(b) {
			return
		}
		d.readStyle(b[:size], base)
		b = b[min(size+size%2, len(b)):]
	}
}

// readStyle reads a style (STD): its base style, its name and its lists of properties. Its number
// is the number of styles before it.
func (d *docFile) readStyle(b []byte, base int) {
	d.styles = append(d.styles, docStyle{})
	if base < 10 || len(b) < base+2 {
		return
	}
	const paragraphStyle, noStyle = 1, 0xFFF
	built, kind, parent, lists := u16(b, 0)&0xFFF, u16(b, 2)&15, u16(b, 2)>>4, u16(b, 4)&15
	name := base + 2
	at := name + 2*u16(b, base) + 2
	if at > len(b) {
		return
	}
	st := &look.Style{}
	if parent != noStyle {
		st.Parent = styleName(parent)
	}
	d.looks[styleName(len(d.styles)-1)] = st
	s := &d.styles[len(d.styles)-1]
	s.kind = docStyleKind(built, ole.String16(b[name:at-2]))
	for i := range lists {
		if at += at % 2; at+2 > len(b) {
			return
		}
		list := b[at+2 : min(at+2+u16(b, at), len(b))]
		at += 2 + len(list)
		if i == lists-1 { // character properties; they follow paragraph properties
			var r docRun
			properties(list, func(id int, v []byte) { r.character(id, v, d, look.Change{}) })
			st.Change = r.look.Over(st.Change)
		} else if kind == paragraphStyle && len(list) >= 2 {
			st.Ground = d.paragraphOf(docSpan{props: list[2:]}).shade
		}
	}
}

// docStyleKind returns the kind of paragraphs with a style, by the number of a built-in style or
// by its name.
func docStyleKind(built int, name string) format.MarkKind {
	const heading1, heading9, title = 1, 9, 62
	if heading1 <= built && built <= heading9 || built == title {
		return format.Heading
	}
	name, _, _ = strings.Cut(name, ",") // further names are aliases
	return kindOfStyle(strings.ReplaceAll(name, " ", ""))
}
