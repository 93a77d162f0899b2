package office

import (
	"encoding/xml"
	"path"
	"strings"
	"unicode"

	"github.com/otisk/otisk/document/archive"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/xmlwalk"
)

// mainPart returns the name of the member with the text, usual if neither a relation nor the list of types
// states it.
func mainPart(c *archive.Container, usual string) string {
	for _, part := range c.Relations("").OfType("officeDocument") {
		if c.Has(part) {
			return part
		}
	}
	if part := c.MainPart(); !c.Has(usual) && c.Has(part) {
		return part
	}
	return usual
}

// partsOf returns the members of a kind that the main part refers to, or else the one with the
// usual name if there is one.
func partsOf(c *archive.Container, parts archive.Relations, main, kind string) []string {
	if found := parts.OfType(kind); len(found) > 0 {
		return found
	}
	if usual := path.Join(path.Dir(main), kind+".xml"); c.Has(usual) {
		return []string{usual}
	}
	return nil
}

// Word writes some content in several versions (AlternateContent): choices that require namespaces,
// and a fallback for programs that know none of these. The first choice with known ones is read.

// knownVersions are the prefixes of the namespaces that Word knows.
var knownVersions = format.Names("wps", "wpg", "wpc", "wpi", "wp14", "wp15", "w14", "w15", "w16", "w16se", "w16cid", "w16cex", "w16sdtdh", "w16sdtfl", "w16du",
	"a14", "a16", "am3d", "aink", "asvg", "c14", "c15", "c16", "c16r2", "c16r3", "cx", "cx1", "cx2", "cx3", "cx4", "cx5", "cx6", "cx7", "cx8", "dgm14", "m", "o", "oel", "p14", "pic14", "r", "v", "ve", "w", "w10", "wne", "x14", "x15")

// alternatives tracks, for each open AlternateContent, whether a version of it was read.
type alternatives []bool

// skips reports whether an element is a version that is not read.
func (a *alternatives) skips(name string, attrs []xml.Attr) bool {
	n := len(*a)
	switch name {
	case "AlternateContent":
		*a = append(*a, false)
	case "Choice":
		if n == 0 {
			return false
		}
		for prefix := range strings.FieldsSeq(xmlwalk.Attr(attrs, "Requires")) {
			if !knownVersions[prefix] {
				return true
			}
		}
		taken := (*a)[n-1]
		(*a)[n-1] = true
		return taken
	case "Fallback":
		return n == 0 || (*a)[n-1]
	}
	return false
}

// end leaves an element.
func (a *alternatives) end(name string) {
	if n := len(*a); name == "AlternateContent" && n > 0 {
		*a = (*a)[:n-1]
	}
}

// countParts adds the words of the parts that are not read to u. Equal parts count once, damaged ones as
// empty; counted has those that were counted before.
func countParts(c *archive.Container, parts archive.Relations, u *format.Unread, counted map[string]bool) {
	for _, rel := range parts {
		kind := path.Base(rel.Type)
		if rel.Target == "" || silentParts[kind] || counted[rel.Target] {
			continue
		}
		var text partText
		c.WalkIf(rel.Target, &text)
		counted[rel.Target] = true
		if n := countWords(text.String()); !counted[text.String()] {
			counted[text.String()] = true
			u.Words(rel.Target, n)
		}
	}
}

// equationClass starts the names of programs for formulas, whose objects have no prose.
const equationClass = "Equation"

// diagram adds the text of a diagram as a side text.
func (r *docxReader) diagram(id string) {
	if r.chunks == nil || r.chunks.parts.Target(id) == "" {
		return
	}
	var text partText
	r.chunks.container.WalkIf(r.chunks.parts.Target(id), &text)
	r.BeginSide("")
	r.Builder.Text([]byte(text.String()))
	r.EndSide()
}

// silentParts are the types of relations to parts without text of the document, or whose text is
// read or counted elsewhere.
var silentParts = format.Names("styles", "stylesWithEffects", "settings", "webSettings", "fontTable", "theme", "numbering", "footnotes", "endnotes", "customXml",
	"image", "hyperlink", "subDocument", "aFChunk", "commentsExtended", "commentsIds", "commentsExtensible", "people", "glossaryDocument", "oleObject", "package", "control", "attachedTemplate",
	"diagramData", "diagramLayout", "diagramQuickStyle", "diagramColors", "diagramDrawing", "printerSettings", "vbaProject", "wordVbaData", "keyMapCustomizations", "attachedToolbars", "recipientData",
	"mailMergeSource", "mailMergeHeaderSource", "frame", "transform", "video", "audio", "ink", "customXmlProps", "themeOverride", "font", "classificationlabels", "documenttasks", "tasks",
	"slide", "notesSlide", "notesMaster", "tags", "media", "drawing", "table", "pivotTable")

// boundWords counts the words of the data that content controls show and text lacks. Word replaces
// the content of such a control by the data when it opens the document.
func boundWords(c *archive.Container, r *docxReader, text string) (words int) {
	if len(r.bound) == 0 {
		return 0
	}
	text = strings.Join(strings.Fields(text), " ")
	for _, item := range r.chunks.parts.OfType("customXml") {
		for _, props := range c.Relations(item).OfType("customXmlProps") {
			var id string
			c.WalkIf(props, xmlwalk.Starts(func(name string, attrs []xml.Attr) {
				if name == "datastoreItem" {
					id = xmlwalk.Attr(attrs, "itemID")
				}
			}))
			if !r.bound[id] {
				continue
			}
			var values textNodes
			c.WalkIf(item, &values)
			for _, v := range values {
				if fields := strings.Fields(v); len(fields) >= proseBound && !strings.Contains(text, strings.Join(fields, " ")) {
					words += len(fields)
				}
			}
		}
	}
	return words
}

// proseBound is the least number of words of a value that is prose, and not a title or a date.
const proseBound = 8

// textNodes collects the texts of elements.
type textNodes []string

func (*textNodes) Start(string, []xml.Attr) {}
func (*textNodes) End(string)               {}
func (t *textNodes) Text(s []byte)          { *t = append(*t, string(s)) }

// A partText handler collects the words of a part: paragraphs, and the labels of charts. It omits the
// prompts of placeholders.
type partText struct {
	text   []byte
	depth  int // of elements with text
	shape  int // where the text of the open shape starts
	prompt bool
}

// String returns the text.
func (p *partText) String() string { return string(p.text) }

// shownText are the elements of parts whose content is text.
var shownText = format.Names("t", "v", "text", "div")

func (p *partText) Start(name string, _ []xml.Attr) {
	switch {
	case shownText[name]:
		p.depth++
	case name == "sp":
		p.shape, p.prompt = len(p.text), false
	case name == "ph":
		p.prompt = true
	case name == "p" || name == "pt":
		p.text = append(p.text, ' ')
	}
}

func (p *partText) End(name string) {
	switch {
	case shownText[name]:
		p.depth--
	case name == "sp" && p.prompt:
		p.text, p.prompt = p.text[:p.shape], false
	}
}

func (p *partText) Text(s []byte) {
	if p.depth > 0 && strings.ContainsFunc(string(s), unicode.IsLetter) {
		p.text = append(p.text, s...)
	}
}
