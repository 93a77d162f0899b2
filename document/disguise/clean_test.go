package disguise

import (
	"reflect"
	"strings"
	"testing"
)

// FuzzClean: text that the fast check accepts as clean has no disguises when examined word by word.
func FuzzClean(f *testing.F) {
	for _, s := range []string{
		"Příliš žluťoučký kůň, and the quick brown fox — “so” it is.",
		"a v i o u t", "x š t ě s t í y", "o\u00a0p\u00a0i\u00a0s\u00a0y", "pla\u200bgiat", "the prοblem", "to Аhoj", "pla\u034fgiat", "\ufeffa", "\u2005b\u2005c\u2005",
		"se\u0301 to a\u0308", "ờ ạ ẩ ợ ế", "pla\u2060giat", "B\u034e A B A C",
		"ö ö ö ö ö", "word a ö a ö a", " a ª º a µ ", "\ufeff„a b c d‘", "n ⁿ ⁿ ⁿ n n", everySecond("\u0301")(prose), inFont(2, "aeohklmnpst", "ₐₑₒₕₖₗₘₙₚₛₜ")(prose),
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "?")
		g := gaps{last: -1}
		if _, harmless := g.follow(text, 0, len(text)); harmless != clean(text) {
			t.Fatalf("%q is clean: %v, harmless throughout: %v", text, !harmless, harmless)
		}
		if !clean(text) {
			return
		}
		if p := undone(t, text); len(p.Finds) > 0 || p.Text != text {
			t.Fatalf("%q is clean, but has %+v", text, p.Finds)
		}
	})
}

func TestClean(t *testing.T) {
	for text, want := range map[string]bool{
		"": true,
		"Příliš žluťoučký kůň, „and“ the quick brown fox — so it is… 5 €": true,
		"se\u0301 to a":                 true, // accents by themselves
		"byl v\u00a0domě a\u00a0šel":    true,
		"a v i o tom":                   true, // four short words
		"d a v i o tom":                 false,
		"š t ě s t í":                   false,
		"s\u2005t\u2005e\u2005z\u2005i": false,
		"zero\u200bwidth":               false,
		"soft\u00adhyphen":              false,
		"слово":                         false,
		"plɑgiarism":                    false,
		"prοblem":                       false,
	} {
		if got := clean(text); got != want {
			t.Errorf("clean(%q) = %v", text, got)
		}
	}
}

// FuzzCleanFromTheMiddle: disguises in a long text are found if the fast check starts in the middle.
func FuzzCleanFromTheMiddle(f *testing.F) {
	for _, s := range []string{"a v i o u t", "tak a v lese", "x š t ě s t í y", "pla\u200bgiat", "tak a ö lese a v\u00a0i o u", "№ 5 a ö a b", "e\u0301 e\u0301 e\u0301 a e"} {
		f.Add(s, s, uint8(3))
	}
	f.Fuzz(func(t *testing.T, one, other string, words uint8) {
		between := strings.Repeat("more of the text ", int(words%16))
		text := strings.ToValidUTF8(between+one+between+other+between+one, "?")
		g := gaps{last: -1}
		if _, harmless := g.follow(text, 0, len(text)); harmless != clean(text) {
			t.Fatalf("%q is clean: %v, harmless throughout: %v", text, !harmless, harmless)
		}
	})
}

// TestPlain: most text is found clean without following its gaps.
func TestPlain(t *testing.T) {
	for text, want := range map[string]bool{
		"": true,
		"\ufeffPříliš žluťoučký kůň, „and“ the quick brown fox — so it is… 5 €": true,
		"v lese i na louce s ním": true,
		"tak a v lese":            false, // to be looked at
		"tak a ö lese":            false,
		"tak ö a lese":            false,
		"tak ö ö":                 true,
		"slovo\u00a0to":           false,
		"soft\u00adhyphen":        false,
		"слово":                   false,
	} {
		for i := range 20 {
			if text := strings.Repeat("w", i) + " " + text; plain(text, 0) == len(text) != (want && !strings.Contains(text, "\ufeff")) {
				t.Errorf("%q is plain: %v", text, !want)
			}
		}
		from := len(text) - len(strings.TrimPrefix(text, "\ufeff"))
		if got := plain(text, from) == len(text); got != want {
			t.Errorf("%q is plain: %v", text, got)
		}
	}
}

// Every disguise that Undo knows must not look clean, wherever it is.
func TestCleanMissesNothing(t *testing.T) {
	for _, trick := range []string{"plаgiat", "prοblem", "p l a g i", "š t ě s t", "pla\u200bgiat", "pla\u00adgiat", "o\u00a0p\u00a0i\u00a0s\u00a0y", "pla\ufe0fgiat", "plɑgiarism", "shօwn", "ｗord", "two\u3164words", "two\u2800words"} {
		for i := range 20 {
			text := strings.Repeat("w", i) + " " + trick + " and more"
			if p := undone(t, text); len(p.Finds) > 0 && clean(text) {
				t.Errorf("%q looks clean, but has %+v", text, p.Finds)
			}
			if got := undoing(t, text); !reflect.DeepEqual(got, undone(t, text)) {
				t.Errorf("Undo(%q) = %+v", text, got)
			}
		}
	}
}

func BenchmarkUndo(b *testing.B) {
	for name, text := range map[string]string{
		"English": strings.Repeat("It was a bright cold day in April, and the clocks were striking thirteen. ", 2000),
		"Czech":   strings.Repeat("Byl jasný, studený dubnový den i hodiny odbíjely třináctou v tom domě. ", 2000),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				undoing(b, text)
			}
		})
		b.Run(name+"/every word", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				undone(b, text)
			}
		})
	}
}
