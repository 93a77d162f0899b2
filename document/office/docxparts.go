package office

import (
	"encoding/xml"
	"strings"
	"unicode"

	"github.com/otisk/otisk/document/archive"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/xmlwalk"
)

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

// proseBeside is the least number of words of a header, footer or chart that is more than a
// running head or labels.
const proseBeside = 30

// wordsBeside counts the words of headers, footers and charts with as many words as prose. Damaged
// parts count as empty.
func wordsBeside(c *archive.Container, parts archive.Relations) (words int) {
	known := map[string]bool{}
	for _, kind := range []string{"header", "footer", "chart"} {
		for _, part := range parts.OfType(kind) {
			var text partText
			c.WalkIf(part, &text)
			if n := len(strings.Fields(text.String())); n >= proseBeside && !known[text.String()] {
				known[text.String()] = true
				words += n
			}
		}
	}
	return words
}

// A partText handler collects the words of a part: paragraphs, and the labels of charts.
type partText struct {
	strings.Builder
	depth int // of elements with text
}

func (p *partText) Start(name string, _ []xml.Attr) {
	switch {
	case name == "t" || name == "v":
		p.depth++
	case name == "p" || name == "pt":
		p.WriteByte(' ')
	}
}

func (p *partText) End(name string) {
	if name == "t" || name == "v" {
		p.depth--
	}
}

func (p *partText) Text(s []byte) {
	if p.depth > 0 && strings.ContainsFunc(string(s), unicode.IsLetter) {
		p.Write(s)
	}
}
