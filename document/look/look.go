// Package look determines which text formatting hides.
//
// A [Look] is the visible formatting of a stretch of text, and [Look.Unseen] returns why it is
// invisible. Office formats compute looks from changes and styles; web pages from style
// sheets, [Sheet], and from the attributes of each [Element].
package look

import (
	"cmp"
	"math"
	"strconv"
)

// A Tone is the colour of text or of its background. The zero value means that none is stated.
type Tone struct {
	kind    toneKind
	r, g, b uint8
}

type toneKind uint8

const (
	noTone      toneKind = iota
	rgb                  // r, g and b
	clearTone            // transparent
	unknownTone          // a picture or a derived colour
)

// Tones with names.
var (
	White   = RGB(255, 255, 255)
	Black   = RGB(0, 0, 0)
	Clear   = Tone{kind: clearTone}   // transparent
	Unknown = Tone{kind: unknownTone} // a picture or a derived colour
)

// RGB returns the tone with these values of red, green and blue.
func RGB(r, g, b uint8) Tone { return Tone{rgb, r, g, b} }

// Stated reports whether a colour is stated.
func (t Tone) Stated() bool { return t.kind != noTone }

// Colour reports whether the colour is known.
func (t Tone) Colour() bool { return t.kind == rgb }

// Lightness returns the lightness of a grey, from 0 to 1; ok is false for other colours.
func (t Tone) Lightness() (light float64, ok bool) {
	return float64(t.r) / 255, t.kind == rgb && t.r == t.g && t.g == t.b
}

// MaxTones is the maximum number of colours in a table.
const MaxTones = 1000

// nearTone is the maximum difference, of 255, at which two colours are indistinguishable.
const nearTone = 16

// Like reports whether the two colours are indistinguishable.
func (t Tone) Like(o Tone) bool {
	near := func(a, b uint8) bool { return math.Abs(float64(a)-float64(b)) <= nearTone }
	return t.kind == rgb && o.kind == rgb && near(t.r, o.r) && near(t.g, o.g) && near(t.b, o.b)
}

// Over returns t if it is stated and not transparent, otherwise under.
func (t Tone) Over(under Tone) Tone {
	if t.kind == noTone || t.kind == clearTone {
		return under
	}
	return t
}

// Hex parses a colour such as FFFFFF or FFF; the result states nothing if s is invalid.
func Hex(s string) Tone {
	if len(s) == 3 {
		s = string([]byte{s[0], s[0], s[1], s[1], s[2], s[2]})
	}
	n, err := strconv.ParseUint(s, 16, 32)
	if err != nil || len(s) != 6 {
		return Tone{}
	}
	return Tone{rgb, uint8(n >> 16), uint8(n >> 8), uint8(n)}
}

// A Look is the formatting of a stretch of text that may make it invisible.
type Look struct {
	Hidden bool    // takes up no space
	Veiled bool    // takes up space, but is not drawn
	Narrow bool    // compressed to hardly any width
	Away   bool    // outside the page
	Loose  bool    // out of the text flow, so that it takes up no space beside other text
	Size   float64 // in points, 0 if not stated
	Line   float64 // exact height of the lines in points, 0 if not stated
	Apart  float64 // space between letters in points, negative if they overlap
	Up     bool    // raised above the line
	Ink    Tone
	Ground Tone
}

// Raised reports whether text with this look is raised above the line.
func (l Look) Raised() bool { return l.Up }

// overlap is the share of the font size by which letters overlap if they are unreadable.
const overlap = 0.6

// minPoints is the font size in points up to which text is unreadable.
const minPoints = 2

// Unseen returns why text with this look is invisible, "" if it is visible, and whether it
// takes up space, so that the words on both sides are separate.
func (l Look) Unseen() (why string, room bool) {
	ink, ground := l.Ink, l.Ground
	if ink.kind == noTone {
		ink = Black
	}
	if ground.kind == noTone {
		ground = White
	}
	switch {
	case l.Hidden:
		return "marked as hidden", false
	case l.Away:
		return "outside of the page", false
	case l.Size > 0 && l.Size <= minPoints, l.Line > 0 && l.Line <= minPoints:
		return "too small to see", false
	case l.Narrow, l.Apart < -overlap*cmp.Or(l.Size, DefaultSize):
		return "too narrow to see", false
	case l.Veiled, ink.kind == clearTone:
		return "drawn invisibly", !l.Loose
	case l.Ink.kind == noTone || !ink.Like(ground):
		return "", false
	case ground.Like(White):
		return "white on white", !l.Loose
	}
	return "in the colour of its ground", !l.Loose
}

// A Change has the properties of a look that a style or direct formatting sets. Zero values are
// unset.
type Change struct {
	Hidden, Veiled Stated
	Narrow         Stated // compressed to hardly any width
	Away           Stated // outside the page
	Up             Stated // raised above the line
	Size           float64
	Line, Apart    float64 // see Look
	Ink, Ground    Tone
}

// Stated is an optional boolean.
type Stated uint8

// The values of Stated.
const (
	Unsaid Stated = iota
	Yes
	No
)

// State returns Yes or No.
func State(yes bool) Stated {
	if yes {
		return Yes
	}
	return No
}

// Over returns c, with the values of under for those that c does not state.
func (c Change) Over(under Change) Change {
	c.Hidden, c.Veiled, c.Narrow = cmp.Or(c.Hidden, under.Hidden), cmp.Or(c.Veiled, under.Veiled), cmp.Or(c.Narrow, under.Narrow)
	c.Away, c.Up = cmp.Or(c.Away, under.Away), cmp.Or(c.Up, under.Up)
	c.Size, c.Line, c.Apart = cmp.Or(c.Size, under.Size), cmp.Or(c.Line, under.Line), cmp.Or(c.Apart, under.Apart)
	c.Ink = cmp.Or(c.Ink, under.Ink)
	c.Ground = c.Ground.Over(under.Ground)
	return c
}

func (c Change) Look() Look {
	return Look{Hidden: c.Hidden == Yes, Veiled: c.Veiled == Yes, Narrow: c.Narrow == Yes, Away: c.Away == Yes, Up: c.Up == Yes,
		Size: c.Size, Line: c.Line, Apart: c.Apart, Ink: c.Ink, Ground: c.Ground}
}

// A Style is a named change that inherits from a parent.
type Style struct {
	Change
	Parent string
}

// Styles maps names to styles.
type Styles map[string]*Style

// maxParent is the maximum number of ancestors of a style.
const maxParent = 50

// Change returns the change of a style and its ancestors.
func (s Styles) Change(name string) Change {
	var c Change
	for range maxParent {
		st := s[name]
		if st == nil {
			break
		}
		c = c.Over(st.Change)
		name = st.Parent
	}
	return c
}
