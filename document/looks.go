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

// unseen notes that s stands here and is not seen. Where it takes room the words
// around it are two.
func (f *flow) unseen(s []byte, why string, room bool) {
	if room && strings.TrimSpace(string(s)) != "" {
		f.gap(space)
	}
	f.hide(s, why)
}
