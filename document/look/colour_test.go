package look

import "testing"

// TestCSS: white, black and transparent are recognised in every syntax of colours.
func TestCSS(t *testing.T) {
	for s, want := range map[string]Tone{
		"oklch(1 0 0)": White, "oklch(100% 0 none)": White, "oklab(1 0 0)": White, "lab(100 0 0)": White, "lab(100% 0 0 / 1)": White, "lch(100% 0 40deg)": White,
		"hwb(0 100% 0%)": White, "color(srgb 1 1 1)": White, "color(display-p3 1 1 1)": White, "light-dark(white, black)": White, "color-mix(in srgb, white, white)": White,
		"color-mix(in oklab, white 100%, black)": White, "color-mix(in srgb, black 0%, rgb(255, 255, 255))": White, "oklch(0 0 0)": Black, "lab(0 0 0)": Black,
		"oklch(0.6 0.2 30)": Unknown, "lab(50 40 59)": Unknown, "color-mix(in srgb, red, blue)": RGB(127, 0, 127), "color-mix(in srgb, transparent, transparent)": Clear,
		"color-mix(in srgb, currentcolor, white)": Unknown, "color(srgb 1 1 1 / 0)": Clear, "oklch(1 0 0 / 0)": Clear, "color-mix(": Unknown, "color()": Unknown,
	} {
		if got := CSS(s); got != want {
			t.Errorf("CSS(%q) = %v, want %v", s, got, want)
		}
		if got := Ground("none " + s + " fixed"); want.Colour() && got != want {
			t.Errorf("Ground(%q) = %v, want %v", s, got, want)
		}
	}
}

// TestFlattens tells transforms that leave nothing to see from those that only make text smaller.
func TestFlattens(t *testing.T) {
	for s, want := range map[string]bool{
		"scale(0)": true, "scale(0, 1)": true, "scale(1,0)": true, "scalex(0)": true, "scale3d(0,0,0)": true, "rotatey(90deg)": true, "rotatex(0.25turn)": true, "rotatex(-270deg)": true,
		"matrix(0,0,0,0,0,0)": true, "matrix(1, 0, 0, 0, 0, 0)": true, "translate(0, 0) scale(0)": true, "rotate(y 90deg)": true, "scale(0.001)": true,
		"scale(0.5)": false, "scale(1)": false, "rotate(90deg)": false, "rotatey(45deg)": false, "matrix(1,0,0,1,0,0)": false, "rotatex(180deg)": false, "": false, "none": false, "scale(": false, "scale()": false,
	} {
		if got := flattens(s); got != want {
			t.Errorf("flattens(%q) = %v, want %v", s, got, want)
		}
	}
}
