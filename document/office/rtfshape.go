package office

import (
	"strings"
	"unicode"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/look"
	"github.com/otisk/otisk/internal/lists"
)

// A destination is a group whose text is not part of the running text. If it starts with \* and is
// unknown, its words count as unread.

// rtfSilent are destinations that show no text, or text that is not part of the document.
var rtfSilent = format.Names("aftncn", "atnauthor", "atndate", "atnicn", "atnid", "atnparent", "atnref", "atntime", "atrfend", "atrfstart", "background", "bkmkend", "bkmkstart",
	"blipuid", "category", "colorschememapping", "comment", "company", "creatim", "datafield", "datastore", "defchp", "defpap", "doccomm", "docvar", "ebcend", "ebcstart", "factoidname", "falt",
	"ffdeftext", "ffentrymcr", "ffexitmcr", "ffformat", "ffhelptext", "ffname", "ffstattext", "file", "filetbl", "fldtype", "fname", "fontemb", "fontfile", "formfield", "ftncn",
	"generator", "gridtbl", "hl", "hlinkbase", "hsv", "htmltag", "info", "keycode", "keywords", "latentstyles", "lchars", "fchars", "levelnumbers", "linkval", "listname", "listpicture",
	"liststylename", "lsdlockedexcept", "mailmerge", "manager", "mhtmltag", "mmathPr", "nextfile", "nonesttables", "nonshppict", "objalias", "objdata", "objname", "objsect",
	"objtime", "oldcprops", "oldpprops", "oldsprops", "oldtprops", "oleclsid", "panose", "password", "passwordhash", "pgp", "pgptbl", "picprop", "pict", "pn", "printim", "private", "private1",
	"propname", "protend", "protstart", "protusertbl", "pxe", "revtbl", "revtim", "rsid", "rsidtbl", "rxe", "staticval", "subject", "svb", "tc", "template", "themedata", "txe",
	"userprops", "wgrffmtfilter", "windowcaption", "writereservation", "writereservhash", "xe", "xform", "xmlattrname", "xmlattrvalue", "xmlclose", "xmlname", "xmlnstbl", "xmlopen",
	"pnseclvl", "aftnsep", "aftnsepc", "ftnsep", "ftnsepc", "mvfmf", "mvfml", "mvtof", "mvtol")

// rtfMargins are destinations for text on each page.
var rtfMargins = format.Names("header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf")

// rtfSeparators are destinations that normally hold a line and no words.
var rtfSeparators = format.Names("ftnsep", "ftnsepc", "ftncn", "aftnsep", "aftnsepc", "aftncn", "pntxta", "pntxtb")

// fieldCode is the destination of the code of a field.
const fieldCode = "fldinst"

// rtfOpen are destinations whose content is text in its place.
var rtfOpen = format.Names("shppict", "mmath", "moMath", "moMathPara")

// destination starts a destination if name is one; star reports whether it starts with \*.
func (r *rtfReader) destination(name string, star bool) {
	switch s := &r.state; name {
	case "stylesheet":
		s.styles, s.skip, s.out = true, true, true
	case "footnote":
		r.side(format.Footnote)
	case "shptxt", "dptxbxtext":
		if s.skip = s.out; !s.skip {
			s.look, s.under, s.around, s.item = look.Change{}, look.Unknown, look.Unknown, rtfItem{}
			r.side("")
		}
	case "shp":
		s.instead = false
	case "shpinst":
		if n := len(r.stack); n > 0 {
			r.stack[n-1].instead = true
		}
		s.skip = true
	case "do":
		s.skip = true
	case "object":
		s.skip, s.ends, r.object = true, name, r.Len()
		delete(r.fields, "objclass")
	case "upr": // the text again for old programs; the form in Unicode follows as ud
		s.skip = true
	case "result", "ud":
		s.skip = s.out
	case "shprslt":
		s.skip, s.out = s.skip || s.instead, s.out || s.instead
	case "sn", "sv", "objclass", "listtext", "pntext", "leveltext":
		r.begin(name)
	default:
		r.unreadDestination(name, star)
	}
}

// unreadDestination starts a destination whose content is not text.
func (r *rtfReader) unreadDestination(name string, star bool) {
	s := &r.state
	switch {
	case rtfOpen[name]:
	case s.out && rtfSilent[name]:
		s.field = ""
	case s.out:
	case rtfMargins[name], rtfSeparators[name], name == fieldCode, star && !rtfSilent[name]:
		s.skip, s.out = true, true
		r.begin(name)
	case rtfSilent[name], strings.HasPrefix(name, "m") && strings.HasSuffix(name, "Pr"):
		s.skip, s.out = true, true
	}
}

// begin starts a destination whose text is collected.
func (r *rtfReader) begin(name string) {
	r.state.field, r.state.ends = name, name
	r.fields[name] = &strings.Builder{}
}

// side starts a note or a box of text.
func (r *rtfReader) side(kind format.MarkKind) {
	if !r.state.skip {
		r.label()
		r.BeginSide(kind)
		r.Begin()
		r.state.side = true
		r.sides++
	}
}

// maxField limits the texts of title and author in bytes.
const maxField = 4096

// collect adds to the text of a destination.
func (r *rtfReader) collect(s string) {
	b := r.fields[r.state.field]
	if stated := r.state.field == "title" || r.state.field == "author"; !stated || b.Len() < maxField {
		b.WriteString(s)
	}
}

// endDestination uses the text of a destination that ends.
func (r *rtfReader) endDestination(name string) {
	text := ""
	if b := r.fields[name]; b != nil {
		text = b.String()
	}
	switch {
	case name == "object":
		if class := r.fields["objclass"]; r.Len() == r.object && !r.state.out && (class == nil || !strings.HasPrefix(class.String(), equationClass)) {
			r.unread.Part(`\object`)
		}
	case rtfTables[name]:
		r.lists.within = ""
	case name == "sn", name == "objclass", name == fieldCode:
	case name == "sv":
		r.shapeProperty(r.fields["sn"], text)
	case name == "listtext", name == "pntext":
		r.lists.stated = text
	case name == "leveltext":
		r.lists.level(text)
	case rtfMargins[name], name == "annotation":
		r.unread.count(`\`+name, text)
	default:
		r.unread.Words(`\`+name, countWords(text))
	}
}

// shapeProperty processes a property of a shape: the text of WordArt, or whether it is hidden.
func (r *rtfReader) shapeProperty(name *strings.Builder, value string) {
	if name == nil || r.state.out {
		return
	}
	switch n := len(r.stack); strings.TrimSpace(name.String()) {
	case "gtextUNICODE":
		r.BeginSide("")
		r.Builder.Text([]byte(value))
		r.EndSide()
	case "fHidden":
		if n >= 2 && strings.TrimSpace(value) == "1" { // the property is inside the group of the shape
			r.stack[n-2].unshown = true
		}
	}
}

// countWords counts the words of text that are neither numbers nor data in hexadecimal.
func countWords(text string) (n int) {
	return lists.Count(strings.Fields(text), wordOfLetters)
}

// wordOfLetters reports whether a word has at least two letters and no digits.
func wordOfLetters(word string) bool {
	letters := 0
	for _, c := range word {
		if unicode.IsDigit(c) {
			return false
		}
		if unicode.IsLetter(c) {
			letters++
		}
	}
	return letters >= 2
}
