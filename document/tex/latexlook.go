package tex

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/look"
	"github.com/otisk/otisk/internal/lists"
)

// A latexLook tracks how text looks: colour, size and transparency, which apply until the
// enclosing brace closes or the environment ends.
type latexLook struct {
	here   look.Look
	before []latexGroup
	around []latexEnvironment
	row    look.Tone            // background of the row of a table, up to its end
	cell   look.Tone            // background of the cell, up to its end
	names  map[string]look.Tone // colours defined in the file
}

// A latexEnvironment is an open environment, with the look and the numbers of groups and braces around it.
type latexEnvironment struct {
	name           string
	look           look.Look
	groups, braces int
}

// texBoxes are environments with a background.
var texBoxes = format.Names("tcolorbox", "mdframed", "framed", "shaded", "shaded*", "beamercolorbox", "beamerboxesrounded", "block", "alertblock", "exampleblock")

// texTables are environments whose cells are groups.
var texTables = format.Names("tabular", "tabular*", "tabularx", "tabulary", "longtable", "tabu", "tblr", "xltabular", "supertabular")

// begin enters an environment within this number of braces.
func (l *latexLook) begin(name string, braces int) {
	l.around = append(l.around, latexEnvironment{name, l.here, len(l.before), braces})
	if texBoxes[name] {
		l.here.Ground = look.Unknown
	}
}

// endCell leaves a cell within this number of braces, and the row if it is the last one.
func (l *latexLook) endCell(last bool, braces int) {
	if l.cell = (look.Tone{}); last {
		l.row = look.Tone{}
	}
	if n := len(l.around) - 1; n >= 0 && texTables[l.around[n].name] && l.around[n].braces == braces {
		l.restore(l.around[n])
	}
}

// restore returns to the look around an environment.
func (l *latexLook) restore(e latexEnvironment) {
	l.here, l.before = e.look, l.before[:min(len(l.before), e.groups)]
}

// end leaves the innermost environment, if it has this name.
func (l *latexLook) end(name string) {
	l.row, l.cell = look.Tone{}, look.Tone{}
	if n := len(l.around) - 1; n >= 0 && l.around[n].name == name {
		l.restore(l.around[n])
		l.around = l.around[:n]
	}
}

// A latexGroup is the look of text outside the braces of this depth.
type latexGroup struct {
	depth int
	look  look.Look
}

var texColour = format.Pattern(`\\definecolor\{([^{}]*)\}\{([^{}]*)\}\{([^{}]*)\}`)

// define reads the colour definitions of the file.
func (l *latexLook) define(text string) {
	for _, m := range texColour().FindAllStringSubmatch(text, look.MaxTones) {
		lists.Put(&l.names, m[1], texTone(m[2], m[3]))
	}
}

// texTone parses a colour of a model; it returns unknownTone if it cannot.
func texTone(model, value string) look.Tone {
	switch values := strings.Split(strings.ReplaceAll(value, " ", ""), ","); model {
	case "HTML":
		return look.Hex(value).Over(look.Unknown)
	case "gray":
		return look.Function("hsl", []string{"0", "0", strconv.FormatFloat(100*look.Share(values[0], 1), 'f', 2, 64)})
	case "RGB":
		return look.Function("rgb", values)
	case "rgb":
		for i := range values {
			values[i] = strconv.FormatFloat(100*look.Share(values[i], 1), 'f', 2, 64) + "%"
		}
		return look.Function("rgb", values)
	}
	return look.Unknown
}

// colour returns a named colour or a colour of a model.
func (l *latexLook) colour(model, value string) look.Tone {
	if model != "" {
		return texTone(model, value)
	}
	if t, ok := l.names[value]; ok {
		return t
	}
	return look.CSS(strings.ToLower(value))
}

// set changes the look until the brace of this depth closes.
func (l *latexLook) set(depth int, here look.Look) {
	l.before = append(l.before, latexGroup{depth, l.here})
	l.here = here
}

// close restores the look of the enclosing group; depth is the number of open braces.
func (l *latexLook) close(depth int) {
	for n := len(l.before); n > 0 && l.before[n-1].depth > depth; n = len(l.before) {
		l.here, l.before = l.before[n-1].look, l.before[:n-1]
	}
}

// style interprets a command that changes the look of text, and reports whether it is one.
func (r *latexReader) style(name string) bool {
	depth := len(r.ends)
	here := r.look.here
	switch name {
	case "textcolor", "color":
		model := r.option()
		here.Ink = r.look.colour(model, r.argument())
		if name == "textcolor" {
			depth++
		}
	case "colorbox", "fcolorbox":
		for range map[string]int{"colorbox": 1, "fcolorbox": 2}[name] {
			model := r.option()
			here.Ground = r.look.colour(model, r.argument())
		}
		depth++
	case "rowcolor", "cellcolor":
		model := r.option()
		ground := r.look.colour(model, r.argument()).Over(look.Unknown)
		if r.optional(); name == "rowcolor" {
			r.look.row = ground
		} else {
			r.look.cell = ground
		}
		return true
	case "pagecolor":
		model := r.option()
		here.Ground = r.look.colour(model, r.argument())
	case "fontsize":
		n, ok := look.Points(texLength(r.argument()), look.DefaultSize)
		r.argument()
		if ok {
			here.Size = max(n, 0.001)
		}
	case "normalsize", "small", "large", "footnotesize", "Large", "normalfont":
		here.Size = 0
	case "transparent", "texttransparent":
		here.Veiled = look.Share(r.argument(), 1) <= 0.05
		if name == "texttransparent" {
			depth++
		}
	default:
		return r.hides(name)
	}
	r.look.set(depth, here)
	return true
}

// hides reads the arguments of a command that makes text invisible, and reports whether it is
// one.
func (r *latexReader) hides(name string) bool {
	switch name {
	case "scalebox":
		scale := look.Share(r.argument(), 1)
		r.optional()
		if scale > leastScale || scale < -leastScale {
			return true
		}
		r.Unseen([]byte(r.argument()), "too small to see", false)
	case "resizebox":
		wide, known := look.Points(texLength(r.argument()), look.DefaultSize)
		high, also := look.Points(texLength(r.argument()), look.DefaultSize)
		if known && wide <= 1 || also && high <= 1 {
			r.Unseen([]byte(r.argument()), "too small to see", false)
		}
	case "phantom", "hphantom":
		inner := r.argument()
		if next, _ := utf8.DecodeRuneInString(r.s[r.at:]); isSpacer(inner) && !(r.WithinWord() && unicode.IsLetter(next)) {
			r.Gap(flow.Space)
			break
		}
		r.Unseen([]byte(inner), "drawn invisibly", true)
	default:
		return false
	}
	return true
}

// isSpacer reports whether invisible text has no word, only a width: digits and signs, or one letter,
// which may be repeated. It aligns numbers in tables, or leaves room for a signature.
func isSpacer(s string) bool {
	var only rune
	for _, c := range s {
		switch {
		case !unicode.IsLetter(c):
		case only == 0:
			only = c
		case c != only:
			return false
		}
	}
	return true
}

// leastScale is the smallest scale factor at which text is legible.
const leastScale = 0.15

// texLength returns a length with its unit; the default unit is points.
func texLength(s string) string {
	s = strings.TrimSpace(s)
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return s + "pt"
	}
	return s
}

// option reads and returns the next argument in brackets.
func (r *latexReader) option() string {
	start := r.at
	r.optional()
	if r.at < start+2 {
		return ""
	}
	return r.s[start+1 : r.at-1]
}

// show adds text with the current look.
func (r *latexReader) show(s string) {
	l := r.look.here
	l.Ground = r.look.cell.Over(r.look.row).Over(l.Ground)
	r.Show([]byte(s), l)
}
