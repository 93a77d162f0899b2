package pdf

import (
	"fmt"
	"math"
	"strings"
)

// A font that draws other letters than it states may be used for some paragraphs only, beside
// honest text. So each font is judged by its own text on all pages: if that is no language, its
// letters are compared with the rendered page. A font that passed is not compared again.

// Limits for fonts.
const (
	wordsOfPiece = 5    // least words of a font on a page that count
	wordsOfFont  = 25   // least words of a font that are judged
	maxFontText  = 4096 // characters of a font that are kept to judge it
	maxCompared  = 40   // pages of a file that are rendered to compare fonts
)

// addFont records the font of a text object.
func (o *objects) addFont(obj, font handle) {
	if o.fonts == nil {
		o.fonts = map[handle]handle{}
	}
	for _, other := range o.fonts {
		o.several = o.several || other != font
		break
	}
	o.fonts[obj] = font
}

// everyPage is the number of pages in a font of type 3 of which each is examined; after them, ever fewer are.
const everyPage = 4

// mayDrawNothing reports whether a font is of type 3, whose glyphs are drawings of any kind, and the page is
// among those that are examined.
func (r *reader) mayDrawNothing(o *objects, font handle) bool {
	examined, known := o.type3[font]
	if known {
		return examined
	}
	m := r.engine
	if m.int(fnFontEmbedded, uint64(font)) == 1 && m.ok(fnFontData, uint64(font), 0, 0, m.out(4, 0)) && m.u32(0) == 0 {
		if !o.drawnFont {
			o.drawnFont = true
			r.drawnFonts++
		}
		examined = r.drawnFonts <= everyPage || r.drawnFonts&(r.drawnFonts-1) == 0
	}
	if o.type3 == nil {
		o.type3 = map[handle]bool{}
	}
	o.type3[font] = examined
	return examined
}

// swappedFonts returns the pairs of mapped and drawn letters of the first font of the page that
// draws other letters than it states; "" if none does.
func (r *reader) swappedFonts(page handle, fonts map[handle]handle) string {
	of, texts, order := r.fontTexts(fonts)
	for _, font := range order {
		if isLanguageOf(texts[font], wordsOfPiece) || r.blind || r.compared >= maxCompared {
			continue
		}
		key := r.signature(font)
		if r.fonts == nil {
			r.fonts = map[string]*fontText{}
		}
		known := r.fonts[key]
		if known == nil {
			known = &fontText{}
			r.fonts[key] = known
		}
		if known.add(texts[font]); known.honest || isLanguageOf(known.units, wordsOfFont) {
			continue
		}
		r.compared++
		if pairs := r.pairs(page, func(i int) bool { return of[i] == font }); pairs != "" {
			return pairs
		}
		known.honest = true
	}
	return ""
}

// A fontText is what the pages so far state in a font that may draw other letters.
type fontText struct {
	units  []uint16
	honest bool // the font draws the letters that it states
}

// add adds the text of a page.
func (t *fontText) add(units []uint16) {
	if len(t.units) < maxFontText {
		t.units = append(append(t.units, ' '), units...)
	}
}

// fontTexts returns the font of each character of the page, and the text of each font. Characters
// of another font separate words.
func (r *reader) fontTexts(fonts map[handle]handle) (of []handle, texts map[handle][]uint16, order []handle) {
	of, texts = make([]handle, len(r.units)), map[handle][]uint16{}
	object, last := handle(0), handle(0)
	start := 0 // of the characters in the last font
	add := func(end int) {
		if last == 0 {
			return
		}
		if texts[last] == nil {
			order = append(order, last)
		}
		texts[last] = append(append(texts[last], ' '), r.units[start:end]...)
	}
	font := handle(0)
	for i := range r.units {
		if obj := r.objectOf(i); obj == 0 {
			continue // a space that the engine added
		} else if obj != object {
			object, font = obj, fonts[obj]
		}
		if of[i] = font; font != 0 && font != last {
			add(i)
			last, start = font, i
		}
	}
	add(len(r.units))
	return of, texts, order
}

// signature returns the name of a font with the complexity of the outlines that it draws for
// common letters. Fonts with the same name and different mappings have different signatures.
func (r *reader) signature(font handle) string {
	m := r.engine
	var b strings.Builder
	name := m.malloc(maxFontName)
	if size := m.int(fnFontName, uint64(font), uint64(name), maxFontName); size > 0 && size <= maxFontName {
		b.Write(m.bytes(name, size))
	}
	m.free(name)
	for _, c := range "etaoinsr" {
		glyph := m.handle(fnGlyphPath, uint64(font), uint64(c), uint64(math.Float32bits(10)))
		segments := -1
		if glyph != 0 {
			segments = m.int(fnGlyphSegments, uint64(glyph))
		}
		fmt.Fprintf(&b, " %d", segments)
	}
	return b.String()
}

// maxFontName is the maximum size of the name of a font in bytes.
const maxFontName = 256
