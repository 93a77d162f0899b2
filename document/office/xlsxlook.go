package office

import (
	"encoding/xml"
	"strconv"
	"strings"

	"github.com/otisk/otisk/document/look"
	"github.com/otisk/otisk/document/xmlwalk"
)

// cellLooks are the cell formats of a workbook by number. Invisible cells are read and counted, not
// flagged: the background is not known for certain, since tables and conditional formatting also
// colour cells.
type cellLooks struct {
	inks    []look.Tone     // colours of fonts
	grounds []look.Tone     // colours of fills; white for no fill
	blank   map[string]bool // number formats that show nothing
	unseen  []bool          // formats whose text is invisible
	plain   []bool          // formats on white, in which white letters are invisible
	within  string          // name of the open list
	pattern bool            // the open fill is visible
}

// blankFormat has four empty sections: for positive and negative numbers, zero, and text.
const blankFormat = ";;;"

func (l *cellLooks) Start(name string, attrs []xml.Attr) {
	switch name {
	case "fonts", "fills", "cellXfs", "cellStyleXfs", "dxfs", "borders":
		l.within = name
	case "numFmt":
		if l.within == "" && xmlwalk.Attr(attrs, "formatCode") == blankFormat {
			l.blank[xmlwalk.Attr(attrs, "numFmtId")] = true
		}
	}
	switch l.within + " " + name {
	case "fonts font":
		l.inks = append(l.inks, look.Unknown)
	case "fonts color":
		if n := len(l.inks); n > 0 {
			l.inks[n-1] = cellTone(attrs)
		}
	case "fills fill":
		l.grounds, l.pattern = append(l.grounds, look.Hex("FFFFFF")), false
	case "fills patternFill", "fills gradientFill":
		kind := xmlwalk.Attr(attrs, "patternType")
		if n := len(l.grounds); n > 0 && kind != "none" && (kind != "" || name == "gradientFill") {
			l.grounds[n-1], l.pattern = look.Unknown, kind == "solid"
		}
	case "fills fgColor":
		if n := len(l.grounds); n > 0 && l.pattern {
			l.grounds[n-1] = cellTone(attrs)
		}
	case "cellXfs xf":
		ink, ground := tone(l.inks, xmlwalk.Attr(attrs, "fontId")), tone(l.grounds, xmlwalk.Attr(attrs, "fillId"))
		l.unseen = append(l.unseen, l.blank[xmlwalk.Attr(attrs, "numFmtId")] || ink.Like(ground))
		l.plain = append(l.plain, ground.Like(look.Hex("FFFFFF")))
	}
}

func (l *cellLooks) End(name string) {
	if name == l.within {
		l.within = ""
	}
}

func (*cellLooks) Text([]byte) {}

// hides reports whether cells of a format are invisible; white reports whether white letters in
// them are.
func (l *cellLooks) hides(number string) (hidden, white bool) {
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || n >= len(l.unseen) {
		return false, number == "" // without a format
	}
	return l.unseen[n], l.plain[n]
}

// tone returns the colour with this number in a list.
func tone(list []look.Tone, number string) look.Tone {
	if n, err := strconv.Atoi(number); err == nil && n >= 0 && n < len(list) {
		return list[n]
	}
	return look.Unknown
}

// cellTone returns an RGB colour or white: theme colour 0 is the background, and indices 9 and 1 of
// the default palette are white. Other colours are unknown.
func cellTone(attrs []xml.Attr) look.Tone {
	if rgb := xmlwalk.Attr(attrs, "rgb"); len(rgb) == 8 {
		return look.Hex(rgb[2:])
	}
	white := xmlwalk.Attr(attrs, "theme") == "0" && strings.Trim(xmlwalk.Attr(attrs, "tint"), "0.") == ""
	if number := xmlwalk.Attr(attrs, "indexed"); white || number == "9" || number == "1" {
		return look.Hex("FFFFFF")
	}
	return look.Unknown
}
