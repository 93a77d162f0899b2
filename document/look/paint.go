package look

import (
	"math"
	"strings"
)

// A paint is the effect of the filters and the blend mode of an element on the colours of its text.
type paint struct {
	filter, blend string
	under         Tone   // ground under the element
	around        *paint // of an element around it
}

// repaint applies properties that change colours after they are drawn.
func (e *Element) repaint(set map[string]string) {
	p := paint{under: e.Look.Ground, around: e.paint}
	filter := set["filter"][:min(len(set["filter"]), maxValue)]
	for name, argument := range calls(filter) {
		switch name {
		case "opacity":
			e.faint = 1 - (1-e.faint)*Share(argument, 1)
		case "blur":
			if n, ok := Points(argument, DefaultSize); ok && n >= DefaultSize {
				e.faint = 1
			}
		case "brightness", "contrast", "invert", "saturate", "hue-rotate", "sepia", "grayscale":
			p.filter = filter
		}
	}
	if blend := set["mix-blend-mode"]; blend != "normal" {
		p.blend = blend
	}
	if p.filter != "" || p.blend != "" {
		e.paint = &p
	}
}

// calls yields the names and the arguments of the functions in a value.
func calls(value string) func(yield func(name, argument string) bool) {
	return func(yield func(name, argument string) bool) {
		for value != "" {
			name, rest, ok := strings.Cut(value, "(")
			if !ok {
				return
			}
			argument, after := bracket(rest)
			if value = after; !yield(strings.TrimSpace(name), strings.TrimSpace(argument)) {
				return
			}
		}
	}
}

// painted returns the colours of text and of its ground as they are displayed.
func (e Element) painted(ink, ground Tone) (Tone, Tone) {
	within := false // the ground is that of an element with the paint
	for p := e.paint; p != nil; p = p.around {
		under := White
		if p.under.Stated() {
			under = p.under
		}
		within = within || p == e.grounded
		if !within {
			under = ground
		}
		ink = p.on(ink, under)
		if within {
			ground = p.on(ground, under)
		}
	}
	return ink, ground
}

// on returns a colour as it is displayed over another one.
func (p *paint) on(t, under Tone) Tone {
	if t.kind != rgb {
		return t
	}
	for name, argument := range calls(p.filter) {
		n := Share(argument, 1)
		if argument == "" {
			n = 1
		}
		switch name {
		case "brightness":
			t = t.each(func(c float64) float64 { return c * n })
		case "contrast":
			t = t.each(func(c float64) float64 { return (c-0.5)*n + 0.5 })
		case "invert":
			t = t.each(func(c float64) float64 { return c*(1-n) + (1-c)*n })
		case "saturate", "hue-rotate", "sepia", "grayscale":
			if t.r != t.g || t.g != t.b {
				return Unknown // these leave greys as they are
			}
		}
	}
	switch mix, ok := blends[p.blend]; {
	case p.blend == "" || under.kind == clearTone:
		return t
	case !ok || under.kind != rgb:
		return Unknown
	default:
		tone := func(under, c uint8) uint8 { return level(mix(float64(under)/255, float64(c)/255)) }
		return RGB(tone(under.r, t.r), tone(under.g, t.g), tone(under.b, t.b))
	}
}

// each returns a colour with each of its values, from 0 to 1, changed.
func (t Tone) each(change func(float64) float64) Tone {
	c := func(v uint8) uint8 { return level(change(float64(v) / 255)) }
	return RGB(c(t.r), c(t.g), c(t.b))
}

// level returns a value from 0 to 1 as a byte.
func level(v float64) uint8 { return uint8(math.Round(255 * min(max(v, 0), 1))) }

// blends are the modes that mix each value of a colour with that of the ground.
var blends = map[string]func(under, c float64) float64{
	"multiply":     func(u, c float64) float64 { return u * c },
	"screen":       func(u, c float64) float64 { return u + c - u*c },
	"darken":       func(u, c float64) float64 { return min(u, c) },
	"lighten":      func(u, c float64) float64 { return max(u, c) },
	"difference":   func(u, c float64) float64 { return math.Abs(u - c) },
	"exclusion":    func(u, c float64) float64 { return u + c - 2*u*c },
	"plus-lighter": func(u, c float64) float64 { return u + c },
	"overlay":      hardLight,
	"hard-light":   func(u, c float64) float64 { return hardLight(c, u) },
	"soft-light": func(u, c float64) float64 {
		if c <= 0.5 {
			return u - (1-2*c)*u*(1-u)
		}
		return u + (2*c-1)*(math.Sqrt(u)-u)
	},
	"color-dodge": func(u, c float64) float64 {
		if u == 0 {
			return 0
		}
		return u / max(1-c, 1e-9)
	},
	"color-burn": func(u, c float64) float64 {
		if u == 1 {
			return 1
		}
		return 1 - (1-u)/max(c, 1e-9)
	},
	// The last four replace the hue, the saturation or both, which a grey does not have.
	"hue": func(u, _ float64) float64 { return u }, "saturation": func(u, _ float64) float64 { return u }, "color": func(u, _ float64) float64 { return u },
	"luminosity": func(_, c float64) float64 { return c },
}

// hardLight multiplies dark values of u and screens light ones.
func hardLight(u, c float64) float64 {
	if u <= 0.5 {
		return 2 * u * c
	}
	return 1 - 2*(1-u)*(1-c)
}
