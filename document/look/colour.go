package look

import (
	"math"
	"strconv"
	"strings"
)

// colourNames are common colour names, and all names of nearly white colours.
var colourNames = map[string]string{
	"white": "ffffff", "snow": "fffafa", "ivory": "fffff0", "ghostwhite": "f8f8ff", "floralwhite": "fffaf0", "mintcream": "f5fffa",
	"azure": "f0ffff", "aliceblue": "f0f8ff", "seashell": "fff5ee", "whitesmoke": "f5f5f5", "honeydew": "f0fff0", "lavenderblush": "fff0f5",
	"black": "000000", "silver": "c0c0c0", "gray": "808080", "grey": "808080", "maroon": "800000", "red": "ff0000", "purple": "800080",
	"fuchsia": "ff00ff", "magenta": "ff00ff", "green": "008000", "lime": "00ff00", "olive": "808000", "yellow": "ffff00", "navy": "000080",
	"blue": "0000ff", "teal": "008080", "aqua": "00ffff", "cyan": "00ffff", "orange": "ffa500", "lightgray": "d3d3d3", "lightgrey": "d3d3d3",
	"darkgray": "a9a9a9", "darkgrey": "a9a9a9", "darkblue": "00008b", "darkred": "8b0000", "darkgreen": "006400", "brown": "a52a2a", "pink": "ffc0cb",
}

// CSS parses a colour in the syntax of CSS.
func CSS(s string) Tone {
	if hex, ok := strings.CutPrefix(s, "#"); ok {
		switch {
		case len(hex) == 4 && hex[3] == '0', len(hex) == 8 && hex[6] == '0':
			return Clear
		case len(hex) == 4:
			hex = hex[:3]
		case len(hex) == 8:
			hex = hex[:6]
		}
		return Hex(hex).Over(Unknown)
	}
	switch s {
	case "transparent":
		return Clear
	case "inherit", "initial", "unset", "":
		return Tone{}
	}
	if hex, ok := colourNames[s]; ok {
		return Hex(hex)
	}
	name, list, ok := strings.Cut(strings.TrimSuffix(s, ")"), "(")
	if !ok {
		return Unknown
	}
	switch parts := split(list, atComma); {
	case name == "light-dark" && len(parts) == 2:
		return CSS(strings.TrimSpace(parts[0]))
	case name == "color-mix" && len(parts) == 3:
		return mixed(parts[1], parts[2])
	}
	return Function(strings.TrimSuffix(name, "a"), strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune(" ,/", r) }))
}

// mixed returns the mixture of two colours, each with its share. The colour space is that of RGB,
// which makes no difference between colours that are alike.
func mixed(first, second string) Tone {
	a, share := portion(first)
	b, rest := portion(second)
	switch {
	case share < 0 && rest < 0:
		share = 0.5
	case share < 0:
		share = 1 - rest
	}
	if a.kind == clearTone && b.kind == clearTone {
		return Clear
	}
	if a.kind != rgb || b.kind != rgb {
		return Unknown
	}
	mix := func(a, b uint8) uint8 { return uint8(float64(a)*share + float64(b)*(1-share)) }
	return RGB(mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b))
}

// portion parses a colour with its share, -1 if none is stated.
func portion(s string) (Tone, float64) {
	s, share := strings.TrimSpace(s), -1.0
	if at := strings.LastIndexByte(s, ' '); at >= 0 && strings.HasSuffix(s, "%") {
		share = min(max(Share(s[at+1:], 1), 0), 1)
		s = strings.TrimSpace(s[:at])
	}
	return CSS(s), share
}

// Function parses rgb(255, 255, 255), and the other functions if the colour is white, black or grey.
func Function(function string, values []string) Tone {
	unknown := Unknown
	if len(values) < 3 {
		return unknown
	}
	if function != "color" && len(values) > 3 && Share(values[3], 1) <= 0.05 || len(values) > 4 && Share(values[4], 1) <= 0.05 {
		return Clear
	}
	switch function {
	case "rgb":
		var c [3]uint8
		for i := range c {
			c[i] = uint8(255 * min(max(Share(values[i], 255), 0), 1))
		}
		return Tone{rgb, c[0], c[1], c[2]}
	case "hsl":
		light := min(max(Share(values[2], 100), 0), 1)
		if Share(values[1], 100) <= 0.05 || light >= 0.97 || light <= 0.03 {
			return Grey(light)
		}
	case "hwb":
		white, black := Share(values[1], 100), Share(values[2], 100)
		if white+black >= 0.95 {
			return Grey(white / (white + black))
		}
	case "lab", "lch":
		return tinted(Share(values[0], 100), values[1:], function == "lch", 125, 150)
	case "oklab", "oklch":
		return tinted(Share(values[0], 1), values[1:], function == "oklch", 0.4, 0.4)
	case "color":
		if len(values) >= 4 && (strings.HasPrefix(values[0], "srgb") || strings.HasPrefix(values[0], "display-p3")) {
			return Function("rgb", percents(values[1:]))
		}
	}
	return unknown
}

// tinted returns a colour by its lightness, for [Function]: in polar form the first of values is
// the chroma, otherwise both are coordinates. side and most are their values for 100 %.
func tinted(light float64, values []string, polar bool, side, most float64) Tone {
	chroma := math.Abs(part(values[0], most))
	if !polar {
		chroma = max(math.Abs(part(values[0], side)), math.Abs(part(values[1], side)))
	}
	light = min(max(light, 0), 1)
	if chroma <= 0.03*most || light >= 0.985 || light <= 0.015 {
		return Grey(light)
	}
	return Unknown
}

// part parses a coordinate; whole is that of 100 %.
func part(s string, whole float64) float64 {
	if s == "none" {
		return 0
	}
	n := Share(s, 1)
	if strings.HasSuffix(s, "%") {
		return n * whole
	}
	return n
}

// Grey returns a grey with this lightness from 0 to 1.
func Grey(light float64) Tone {
	return RGB(level(light), level(light), level(light))
}

// percents returns numbers from 0 to 1 as percentages.
func percents(values []string) (list []string) {
	for i, v := range values {
		if n, err := strconv.ParseFloat(v, 64); err == nil && i < 3 {
			v = strconv.FormatFloat(100*n, 'f', -1, 64) + "%"
		}
		list = append(list, v)
	}
	return list
}

// Share parses a number or a percentage as a share of whole.
func Share(s string, whole float64) float64 {
	if percent, ok := strings.CutSuffix(s, "%"); ok {
		s, whole = percent, 100
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 1
	}
	return n / whole
}
