package document

import (
	"math"
	"strconv"
	"strings"
)

// A tone is the colour of text or of what is behind it. The zero value says
// that none is stated.
type tone struct {
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

var (
	white = tone{rgb, 255, 255, 255}
	black = tone{rgb, 0, 0, 0}
)

// nearTone is by how much of 255 a colour may differ from another so that
// nobody tells them apart.
const nearTone = 16

// like reports whether nobody tells the two colours apart.
func (t tone) like(o tone) bool {
	near := func(a, b uint8) bool { return math.Abs(float64(a)-float64(b)) <= nearTone }
	return t.kind == rgb && o.kind == rgb && near(t.r, o.r) && near(t.g, o.g) && near(t.b, o.b)
}

// over returns t where it is stated and drawn, under otherwise.
func (t tone) over(under tone) tone {
	if t.kind == noTone || t.kind == clearTone {
		return under
	}
	return t
}

// hexTone reads a colour such as FFFFFF or FFF, noTone if s is none.
func hexTone(s string) tone {
	if len(s) == 3 {
		s = string([]byte{s[0], s[0], s[1], s[1], s[2], s[2]})
	}
	n, err := strconv.ParseUint(s, 16, 32)
	if err != nil || len(s) != 6 {
		return tone{}
	}
	return tone{rgb, uint8(n >> 16), uint8(n >> 8), uint8(n)}
}

// A look says how a stretch of text is drawn, as far as it may not be seen.
type look struct {
	hidden bool    // takes no room
	veiled bool    // takes room, but is not drawn
	away   bool    // outside of the page
	size   float64 // in points, 0 where it is not stated
	ink    tone
	ground tone
}

// minPoints is the size in points up to which nobody reads a character.
const minPoints = 2

// unseen says why text that looks so is not seen, "" where it is, and whether
// it takes room: then words on both its sides are seen as two.
func (l look) unseen() (why string, room bool) {
	ink, ground := l.ink, l.ground
	if ink.kind == noTone {
		ink = black
	}
	if ground.kind == noTone {
		ground = white
	}
	switch {
	case l.hidden:
		return "marked as hidden", false
	case l.away:
		return "outside of the page", false
	case l.size > 0 && l.size <= minPoints:
		return "too small to see", false
	case l.veiled, ink.kind == clearTone:
		return "drawn invisibly", true
	case l.ink.kind == noTone || !ink.like(ground):
		return "", false
	case ground.like(white):
		return "white on white", true
	}
	return "in the colour of its ground", true
}

// A change says what a style, or formatting of its own, states of a look. What
// is not stated has its zero value.
type change struct {
	hidden, veiled stated
	size           float64
	ink, ground    tone
}

// stated is yes or no where it is said.
type stated uint8

const (
	unsaid stated = iota
	yes
	no
)

// over returns what c states, and what under does where c states nothing.
func (c change) over(under change) change {
	if c.hidden == unsaid {
		c.hidden = under.hidden
	}
	if c.veiled == unsaid {
		c.veiled = under.veiled
	}
	if c.size == 0 {
		c.size = under.size
	}
	if c.ink.kind == noTone {
		c.ink = under.ink
	}
	c.ground = c.ground.over(under.ground)
	return c
}

func (c change) look() look {
	return look{hidden: c.hidden == yes, veiled: c.veiled == yes, size: c.size, ink: c.ink, ground: c.ground}
}

// A style is a named change, on top of another.
type style struct {
	change
	parent string
}

// styles are known by name.
type styles map[string]*style

// maxParent is how many styles a style may be on top of.
const maxParent = 50

// change returns what a style and those that it is on top of state.
func (s styles) change(name string) change {
	var c change
	for range maxParent {
		st := s[name]
		if st == nil {
			break
		}
		c = c.over(st.change)
		name = st.parent
	}
	return c
}

// unseen notes that s stands here and is not seen. Where it takes room the words
// around it are two.
func (f *flow) unseen(s []byte, why string, room bool) {
	if room && strings.TrimSpace(string(s)) != "" {
		f.gap(space)
	}
	f.hide(s, why)
	f.broken = true
}
