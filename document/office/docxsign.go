package office

import (
	"encoding/xml"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/xmlwalk"
)

// symbolFonts are those whose signs are none of the characters that have their numbers.
var symbolFonts = format.Names("symbol", "wingdings", "wingdings2", "wingdings3", "webdings", "marlett", "mtextra", "zapfdingbats", "opensymbol")

// symbolPlane is where the numbers of signs that have 8 bits are written.
const symbolPlane = 0xF000

// symbol reads a character that is written by its font and number. One of a font of
// symbols is no text.
func (r *docxReader) symbol(attrs []xml.Attr) {
	font := strings.ReplaceAll(strings.ToLower(xmlwalk.Attr(attrs, "font")), " ", "")
	code, err := strconv.ParseUint(xmlwalk.Attr(attrs, "char"), 16, 16)
	if err != nil || font == "" || symbolFonts[font] {
		return
	}
	c := rune(code)
	if c >= symbolPlane && c <= symbolPlane+0xFF {
		c -= symbolPlane
	}
	if unicode.IsGraphic(c) && !r.fields.hide() {
		r.Show(utf8.AppendRune(nil, c), &r.look)
	}
}

// The characters that override the direction of what follows, and end that.
const (
	fromRight   = "\u202e"
	endOverride = "\u202c"
)

// override starts text whose direction is stated, as plain text states it: what is written
// backwards and shown from right to left is put right with all other text.
func (r *docxReader) override(rtl bool) {
	if r.turned = append(r.turned, rtl); rtl {
		r.Show([]byte(fromRight), &r.look)
	}
}

// overridden ends it.
func (r *docxReader) overridden() {
	top := len(r.turned) - 1
	if top < 0 {
		return
	}
	if r.turned[top] {
		r.Show([]byte(endOverride), &r.look)
	}
	r.turned = r.turned[:top]
}
