package office

import (
	"encoding/xml"
	"strings"

	"github.com/otisk/otisk/document/archive"
	"github.com/otisk/otisk/document/look"
	"github.com/otisk/otisk/document/xmlwalk"
)

// A theme has the colours of slides, by the names that text and boxes refer to.
type theme struct {
	tones map[string]look.Tone
	named map[string]string // names of the master, such as bg1, for names of the theme, such as lt1
	open  string            // colour that is being defined
}

func (t *theme) Start(name string, attrs []xml.Attr) {
	switch {
	case name == "clrMap" && len(t.named) == 0:
		for _, a := range attrs {
			t.named[a.Name.Local] = a.Value
		}
	case themeColours[name]:
		t.open = name
	case t.open != "":
		t.tones[t.open] = drawnTone(name, attrs, nil)
	}
}

func (t *theme) End(name string) {
	if name == t.open {
		t.open = ""
	}
}
func (*theme) Text([]byte) {}

// themeColours are the elements of a theme that define colours.
var themeColours = map[string]bool{"dk1": true, "lt1": true, "dk2": true, "lt2": true, "accent1": true, "accent2": true, "accent3": true, "accent4": true, "accent5": true, "accent6": true,
	"hlink": true, "folHlink": true}

// tone returns the colour with a name.
func (t *theme) tone(name string) look.Tone {
	if t == nil {
		return look.Unknown
	}
	if of, ok := t.named[name]; ok {
		name = of
	}
	return t.tones[name].Over(look.Unknown)
}

// themeOf returns the theme of the master of a slide.
func (r *slideReader) themeOf(c *archive.Container, slide archive.Relations) *theme {
	layouts := slide.OfType("slideLayout")
	if len(layouts) == 0 {
		return nil
	}
	masters := c.Relations(layouts[0]).OfType("slideMaster")
	if len(masters) == 0 {
		return nil
	}
	master := masters[0]
	if r.themes[master] == nil {
		t := &theme{tones: map[string]look.Tone{}, named: map[string]string{}}
		c.WalkIf(master, t)
		for _, name := range c.Relations(master).OfType("theme") {
			c.WalkIf(name, t)
		}
		r.themes[master] = t
	}
	return r.themes[master]
}

// drawnTone returns the colour of an element of DrawingML.
func drawnTone(name string, attrs []xml.Attr, t *theme) look.Tone {
	value := xmlwalk.Attr(attrs, "val")
	switch name {
	case "srgbClr":
		return look.Hex(value).Over(look.Unknown)
	case "sysClr":
		return look.Hex(xmlwalk.Attr(attrs, "lastClr")).Over(look.Unknown)
	case "schemeClr":
		return t.tone(value)
	case "prstClr":
		return look.CSS(strings.ToLower(value)).Over(look.Unknown)
	case "scrgbClr":
		share := func(name string) string { return xmlwalk.Attr(attrs, name) }
		if r := share("r"); r == share("g") && r == share("b") && (number(r) == 0 || number(r) >= 100_000) { // unit: 1/1000 percent
			return look.Grey(number(r) / 100_000)
		}
	}
	return look.Unknown
}

// modified returns a colour whose lightness an element changes. Only that of grey is computed.
func modified(t look.Tone, name, value string) look.Tone {
	light, grey := t.Lightness()
	share := number(value) / 100_000
	switch {
	case !grey || name != "lumMod" && name != "lumOff":
		return look.Unknown
	case name == "lumMod":
		return look.Grey(light * share)
	}
	return look.Grey(light + share)
}
