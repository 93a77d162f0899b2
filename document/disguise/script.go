package disguise

import (
	"fmt"
	"strings"
	"unicode"
)

// alphabets pairs letters that look the same in most fonts: Latin ones with
// Cyrillic and Greek ones.
var alphabets = []struct {
	script       int
	latin, looks string
}{
	{cyrillic, "aeopcyxijshdqwABEKMHOPCTXIJSY", "аеорсухіјѕһԁԛԝАВЕКМНОРСТХІЈЅУ"},
	{greek, "oavpuABEZHIKMNOPTYX", "οανρυΑΒΕΖΗΙΚΜΝΟΡΤΥΧ"},
}

// lookalikes are for each letter the letters of the other scripts that look
// like it.
var lookalikes = func() map[rune][4]rune {
	m := map[rune][4]rune{}
	for _, a := range alphabets {
		looks := []rune(a.looks)
		for i, l := range []rune(a.latin) {
			of := m[l]
			of[a.script] = looks[i]
			m[l] = of
			m[looks[i]] = [4]rune{latin: l}
		}
	}
	return m
}()

func scriptOf(r rune) int {
	switch {
	case unicode.Is(unicode.Latin, r):
		return latin
	case unicode.Is(unicode.Cyrillic, r):
		return cyrillic
	case unicode.Is(unicode.Greek, r):
		return greek
	}
	return other
}

// main returns the script that most letters so far are of.
func (u *undoer) main() int {
	best := latin
	for s := cyrillic; s <= greek; s++ {
		if u.dominant[s] > u.dominant[best] {
			best = s
		}
	}
	return best
}

// minWord is how many letters a word of two scripts has at least: shorter ones
// are symbols of science.
const minWord = 3

// minGreek is the same for words with Greek letters, which formulas put beside
// Latin ones.
const minGreek = 5

// mixed returns the script that a word of two scripts seems to be meant in, other
// if it is of one.
func (w word) mixed(main int) int {
	if w.letters < minWord || w.scripts[other] > 0 {
		return other
	}
	kinds, best := 0, main
	for s := latin; s <= greek; s++ {
		if w.scripts[s] == 0 {
			continue
		}
		kinds++
		if w.scripts[s] > w.scripts[best] {
			best = s
		}
	}
	// A letter without a double tells which script the word is in.
	for s := latin; s <= greek; s++ {
		if w.scripts[s] > w.alike[s] {
			best = s
		}
	}
	if kinds != 2 || w.scripts[best] == 0 || w.scripts[greek] > 0 && w.letters < minGreek {
		return other
	}
	return best
}

// convertible reports whether each letter of the word that is of another script
// has a double in this one.
func (u *undoer) convertible(w word, script int) bool {
	for _, r := range u.in[w.start:w.end] {
		if s := scriptOf(r); unicode.IsLetter(r) && s != script && double(r, s, script) == 0 {
			return false
		}
	}
	return true
}

// foreign reports whether a word is of one script, not Latin, and could be read
// as Latin.
func (w word) foreign() bool {
	return w.letters > 0 && (w.scripts[cyrillic] == w.letters && w.alike[cyrillic] == w.letters ||
		w.scripts[greek] == w.letters && w.alike[greek] == w.letters && w.letters > 1)
}

// in reports whether all letters of the word are of the script.
func (w word) in(script int) bool { return w.letters > 0 && w.scripts[script] == w.letters }

// script returns the script of all letters, other if there are several.
func (w word) script() int {
	for s := latin; s <= greek; s++ {
		if w.in(s) {
			return s
		}
	}
	return other
}

// settle decides about the word before, which could be of another script: it
// is a disguise where the words on both sides are Latin, and a quotation where
// one is not.
func (u *undoer) settle(next int) {
	if !u.hasPend {
		return
	}
	u.hasPend = false
	if next != latin {
		next = other
	}
	u.apply(u.pending, next)
}

// replace writes a word with the letters of the script.
func (u *undoer) replace(w word, script int) {
	var b strings.Builder
	count, from := 0, other
	for _, r := range u.in[w.start:w.end] {
		if s := scriptOf(r); unicode.IsLetter(r) && s != script {
			if as := double(r, s, script); as != 0 {
				r, from = as, s
				count++
			}
		}
		b.WriteRune(r)
	}
	start := u.now(w.start)
	u.change(w.start, w.end, b.String())
	u.find(Find{Script, start, start + b.Len(), count, fmt.Sprintf("%s letters in the place of %s", scriptNames[from], scriptNames[script])})
}

// double returns the letter of script that looks like r, 0 if there is none.
func double(r rune, from, script int) rune {
	if from == latin || script == latin {
		return lookalikes[r][script]
	}
	return lookalikes[lookalikes[r][latin]][script]
}
