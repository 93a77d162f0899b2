package document

import (
	"regexp"
	"strconv"
	"strings"
)

// A latexLook follows how the text of LaTeX looks: colours, sizes and what is
// transparent, until the braces close.
type latexLook struct {
	look   look
	before []latexGroup
	names  map[string]tone // colours that the file defines
}

// A latexGroup is how text looked outside of the braces of that depth.
type latexGroup struct {
	depth int
	look  look
}

var texColour = regexp.MustCompile(`\\definecolor\{([^{}]*)\}\{([^{}]*)\}\{([^{}]*)\}`)

// define takes the colours that the file defines.
func (l *latexLook) define(text string) {
	for _, m := range texColour.FindAllStringSubmatch(text, maxTones) {
		if l.names == nil {
			l.names = map[string]tone{}
		}
		l.names[m[1]] = texTone(m[2], m[3])
	}
}

// texTone reads a colour of a model; unknownTone where it is not understood.
func texTone(model, value string) tone {
	switch values := strings.Split(strings.ReplaceAll(value, " ", ""), ","); model {
	case "HTML":
		return hexTone(value).over(tone{kind: unknownTone})
	case "gray":
		return toneOf("hsl", []string{"0", "0", strconv.FormatFloat(100*share(values[0], 1), 'f', 2, 64)})
	case "RGB":
		return toneOf("rgb", values)
	case "rgb":
		for i := range values {
			values[i] = strconv.FormatFloat(100*share(values[i], 1), 'f', 2, 64) + "%"
		}
		return toneOf("rgb", values)
	}
	return tone{kind: unknownTone}
}

// colour returns the colour of a name or of a model.
func (l *latexLook) colour(model, value string) tone {
	if model != "" {
		return texTone(model, value)
	}
	if t, ok := l.names[value]; ok {
		return t
	}
	return cssTone(strings.ToLower(value))
}

// set changes the look until the braces of that depth close.
func (l *latexLook) set(depth int, look look) {
	l.before = append(l.before, latexGroup{depth, l.look})
	l.look = look
}

// close takes the look of what is around, now that braces of that depth are
// open.
func (l *latexLook) close(depth int) {
	for n := len(l.before); n > 0 && l.before[n-1].depth > depth; n = len(l.before) {
		l.look, l.before = l.before[n-1].look, l.before[:n-1]
	}
}

// style does what a command says about how text looks, and reports whether it is
// one of them.
func (r *latexReader) style(name string) bool {
	here := len(r.ends)
	look := r.look.look
	switch name {
	case "textcolor", "color":
		model := r.option()
		look.ink = r.look.colour(model, r.argument())
		if name == "textcolor" {
			here++
		}
	case "colorbox", "fcolorbox":
		for range map[string]int{"colorbox": 1, "fcolorbox": 2}[name] {
			model := r.option()
			look.ground = r.look.colour(model, r.argument())
		}
		here++
	case "pagecolor":
		model := r.option()
		look.ground = r.look.colour(model, r.argument())
	case "fontsize":
		n, ok := points(texLength(r.argument()), defaultSize)
		r.argument()
		if ok {
			look.size = max(n, 0.001)
		}
	case "normalsize", "small", "large", "footnotesize", "Large", "normalfont":
		look.size = 0
	case "transparent", "texttransparent":
		look.veiled = share(r.argument(), 1) <= 0.05
		if name == "texttransparent" {
			here++
		}
	case "phantom", "hphantom":
		inner := r.argument()
		r.unseen([]byte(inner), "drawn invisibly", true)
		return true
	case "iffalse":
		if i := strings.Index(r.near(), `\fi`); i >= 0 {
			r.at += i + len(`\fi`)
		}
		return true
	default:
		return false
	}
	r.look.set(here, look)
	return true
}

// texLength is a length, which without a unit is in points.
func texLength(s string) string {
	s = strings.TrimSpace(s)
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return s + "pt"
	}
	return s
}

// option returns the argument in brackets that follows, and goes behind it.
func (r *latexReader) option() string {
	start := r.at
	r.optional()
	if r.at < start+2 {
		return ""
	}
	return r.s[start+1 : r.at-1]
}

// show adds text that looks as it does here.
func (r *latexReader) show(s string) {
	if why, room := r.look.look.unseen(); why != "" {
		r.unseen([]byte(s), why, room)
		return
	}
	r.flow.text([]byte(s))
}
