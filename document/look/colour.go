package look

import (
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
	return Function(strings.TrimSuffix(name, "a"), strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune(" ,/", r) }))
}

// Function parses rgb(255, 255, 255), and hsl() if the colour is white, black or grey.
func Function(function string, values []string) Tone {
	unknown := Unknown
	if len(values) < 3 {
		return unknown
	}
	if len(values) > 3 && Share(values[3], 1) <= 0.05 {
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
			return Tone{rgb, uint8(255 * light), uint8(255 * light), uint8(255 * light)}
		}
	}
	return unknown
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
