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

// symbolFonts are fonts whose glyphs do not represent the characters with their code points.
var symbolFonts = format.Names("symbol", "wingdings", "wingdings2", "wingdings3", "webdings", "marlett", "mtextra", "zapfdingbats", "opensymbol")

// symbolPlane is the start of the private use range for 8-bit codes of symbol fonts.
const symbolPlane = 0xF000

// symbol reads a character that is given by font and code. A character of a symbol font is not
// text.
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

// Characters that override the writing direction, and that end an override.
const (
	fromRight   = "\u202e"
	endOverride = "\u202c"
)

// override starts text with an explicit direction by a control character, as in plain text.
// Text that is stored backwards and shown from right to left is later reversed like that of
// other formats.
func (r *docxReader) override(rtl bool) {
	if r.turned = append(r.turned, rtl); rtl {
		r.Show([]byte(fromRight), &r.look)
	}
}

// overridden ends an override.
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
