// Package look says what formatting hides.
//
// A [Look] is how a stretch of text is drawn, as far as it may not be seen, and
// [Look.Unseen] why it is not. Office formats put it together from changes and
// styles; pages of the web from style sheets, [Sheet], and what each [Element]
// has of its own.
package look

import (
	"math"
	"strconv"
)

// A Tone is the colour of text or of what is behind it. The zero value says
// that none is stated.
type Tone struct {
	kind    toneKind
	r, g, b uint8
}

type toneKind uint8

const (
	noTone      toneKind = iota
	rgb                  // r, g and b
	clearTone            // nothing is drawn
	unknownTone          // a picture, a colour that follows from something else
)

// Tones that formats name.
var (
	White   = RGB(255, 255, 255)
	Black   = RGB(0, 0, 0)
	Clear   = Tone{kind: clearTone}   // nothing is drawn
	Unknown = Tone{kind: unknownTone} // a picture, a colour that follows from something else
)

// RGB returns the tone of these shares of red, green and blue.
func RGB(r, g, b uint8) Tone { return Tone{rgb, r, g, b} }

// Stated reports whether there is anything to say of the colour.
func (t Tone) Stated() bool { return t.kind != noTone }

// Colour reports whether it is one that is known.
func (t Tone) Colour() bool { return t.kind == rgb }

// MaxTones is how many colours of a table count.
const MaxTones = 1000

// nearTone is by how much of 255 a colour may differ from another so that
// nobody can tell them apart.
const nearTone = 16

// Like reports whether nobody can tell the two colours apart.
func (t Tone) Like(o Tone) bool {
	near := func(a, b uint8) bool { return math.Abs(float64(a)-float64(b)) <= nearTone }
	return t.kind == rgb && o.kind == rgb && near(t.r, o.r) && near(t.g, o.g) && near(t.b, o.b)
}

// Over returns t where it is stated and drawn, under otherwise.
func (t Tone) Over(under Tone) Tone {
	if t.kind == noTone || t.kind == clearTone {
		return under
	}
	return t
}

// Hex reads a colour such as FFFFFF or FFF, a Tone that states nothing if s is none.
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

// A Look says how a stretch of text is drawn, as far as it may not be seen.
type Look struct {
	Hidden bool    // takes no room
	Veiled bool    // takes room, but is not drawn
	Away   bool    // outside of the page
	Loose  bool    // takes no room beside other text
	Size   float64 // in points, 0 where it is not stated
	Ink    Tone
	Ground Tone
}

// minPoints is the size in points up to which nobody reads a character.
const minPoints = 2

// Unseen says why text that looks so is not seen, "" where it is, and whether
// it takes room: then words on both its sides are seen as two.
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
	case l.Size > 0 && l.Size <= minPoints:
		return "too small to see", false
	case l.Veiled, ink.kind == clearTone:
		return "drawn invisibly", !l.Loose
	case l.Ink.kind == noTone || !ink.Like(ground):
		return "", false
	case ground.Like(White):
		return "white on white", !l.Loose
	}
	return "in the colour of its ground", !l.Loose
}

// A Change says what a style, or formatting of its own, states of a look. What
// is not stated has its zero value.
type Change struct {
	Hidden, Veiled Stated
	Size           float64
	Ink, Ground    Tone
}

// Stated is yes or no where it is said.
type Stated uint8

// What a change can say.
const (
	Unsaid Stated = iota
	Yes
	No
)

// Over returns what c states, and what under does where c states nothing.
func (c Change) Over(under Change) Change {
	if c.Hidden == Unsaid {
		c.Hidden = under.Hidden
	}
	if c.Veiled == Unsaid {
		c.Veiled = under.Veiled
	}
	if c.Size == 0 {
		c.Size = under.Size
	}
	if c.Ink.kind == noTone {
		c.Ink = under.Ink
	}
	c.Ground = c.Ground.Over(under.Ground)
	return c
}

func (c Change) Look() Look {
	return Look{Hidden: c.Hidden == Yes, Veiled: c.Veiled == Yes, Size: c.Size, Ink: c.Ink, Ground: c.Ground}
}

// A Style is a named change, on top of another.
type Style struct {
	Change
	Parent string
}

// Styles are known by name.
type Styles map[string]*Style

// maxParent is how many styles a style may be on top of.
const maxParent = 50

// Change returns what a style and those that it is on top of state.
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
