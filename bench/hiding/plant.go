package main

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/document"
)

// A piece is a stretch of text that is either visible or hidden.
type piece struct {
	text   string
	unseen bool
}

// A paragraph is consecutive pieces.
type paragraph []piece

// raw returns all characters of the text, visible or hidden, as a program without handling
// of disguises reads them.
func raw(text []paragraph) string {
	var b strings.Builder
	for _, p := range text {
		for _, x := range p {
			b.WriteString(x.text)
		}
		b.WriteString("\n\n")
	}
	return b.String()
}

// A trick disguises a paragraph of words.
type trick struct {
	name  string
	kind  document.FlagKind
	hides bool // by formatting, which plain text lacks
	plant func(words []string) paragraph
}

// tricks are the disguises that are planted. Most change every second word, so that no seven
// consecutive words are unchanged.
var tricks = []trick{
	{"look-alike letters", document.MixedScript, false, second(alike)},
	{"several alphabets", document.MixedScript, false, second(mixed)},
	{"zero-width characters", document.InvisibleChars, false, second(between("\u200b"))},
	{"soft hyphens", document.InvisibleChars, false, second(between("\u00ad"))},
	{"turned round", document.InvisibleChars, false, second(turned)},
	{"blank letters for spaces", document.InvisibleChars, false, func(words []string) paragraph {
		return paragraph{{text: strings.Join(words, "\u3164")}}
	}},
	{"narrow spaces", document.SpacedWord, false, second(narrow)},
	{"spaced words", document.SpacedWord, false, second(spaced)},
	{"spaced sentences", document.SpacedWord, false, func(words []string) paragraph {
		return paragraph{{text: strings.Join(strings.Split(strings.Join(words, " "), ""), " ")}}
	}},
	{"hidden words", document.HiddenText, true, hiddenWords},
	{"hidden inside words", document.HiddenText, true, hiddenInside},
	{"white letters for spaces", document.HiddenText, true, glued},
}

// second returns a trick that changes every second word of at least four letters.
func second(change func(string) string) func([]string) paragraph {
	return func(words []string) paragraph {
		out := make([]string, len(words))
		turn := 0
		for i, w := range words {
			if out[i] = w; utf8.RuneCountInString(w) >= 4 {
				if turn++; turn%2 == 0 {
					out[i] = change(w)
				}
			}
		}
		return paragraph{{text: strings.Join(out, " ")}}
	}
}

var (
	cyrillic = strings.NewReplacer("a", "а", "e", "е", "o", "о", "c", "с", "p", "р", "x", "х", "y", "у", "i", "і", "s", "ѕ", "A", "А", "B", "В", "E", "Е", "H", "Н", "K", "К", "M", "М", "O", "О", "P", "Р", "T", "Т")
	several  = strings.NewReplacer("a", "а", "o", "ο", "e", "е", "v", "ν", "p", "р", "u", "ս", "i", "і", "h", "һ", "n", "ո")
)

func alike(w string) string { return cyrillic.Replace(w) }
func mixed(w string) string { return several.Replace(w) }

// middle returns the offset of the second half of a word.
func middle(w string) int {
	half := utf8.RuneCountInString(w) / 2
	for i := range w {
		if half == 0 {
			return i
		}
		half--
	}
	return len(w)
}

func between(s string) func(string) string {
	return func(w string) string { return w[:middle(w)] + s + w[middle(w):] }
}

// narrow inserts a hair space into a word, but not into a number, where such spaces are
// honest.
func narrow(w string) string {
	if strings.ContainsAny(w, "0123456789") {
		return w
	}
	return between("\u200a")(w)
}

func turned(w string) string {
	runes := []rune(w)
	for i, j := 0, len(runes)-1; i < j; i, j = i+1, j-1 {
		runes[i], runes[j] = runes[j], runes[i]
	}
	return "\u202e" + string(runes) + "\u202c"
}

// spaced separates the letters of a word by spaces, but not the punctuation around them.
func spaced(w string) string {
	var b strings.Builder
	letter := false
	for _, r := range w {
		if letter && unicode.IsLetter(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		letter = unicode.IsLetter(r)
	}
	return b.String()
}

func hiddenWords(words []string) paragraph {
	var p paragraph
	for i, w := range words {
		p = append(p, piece{text: w + " "})
		if i%2 == 1 {
			p = append(p, piece{text: "xyzzy", unseen: true}, piece{text: " "})
		}
	}
	return p
}

// hiddenInside inserts hidden letters into words, which take up no space.
func hiddenInside(words []string) paragraph {
	var p paragraph
	for i, w := range words {
		if i%2 == 0 || utf8.RuneCountInString(w) < 4 {
			p = append(p, piece{text: w + " "})
			continue
		}
		p = append(p, piece{text: w[:middle(w)]}, piece{text: "q", unseen: true}, piece{text: w[middle(w):] + " "})
	}
	return p
}

func glued(words []string) paragraph {
	var p paragraph
	for i, w := range words {
		if i > 0 {
			p = append(p, piece{text: "x", unseen: true})
		}
		p = append(p, piece{text: w})
	}
	return p
}
