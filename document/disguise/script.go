package disguise

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// alphabets pairs Latin letters with letters of other alphabets that look the same in most
// fonts. If both ways is set, a Latin letter may also replace the other. Exotic letters are
// those of rare alphabets, phonetic signs and small capitals.
var alphabets = []struct {
	script       int
	bothWays     bool
	latin, looks string
}{
	{cyrillic, true, "aeopcyxijshdqwABEKMHOPCTXIJSY", "аеорсухіјѕһԁԛԝАВЕКМНОРСТХІЈЅУ"},
	{cyrillic, false, "lkmtvyYGIQW", "ӏкмтѵүҮԌӀԚԜ"},
	{greek, true, "oavpuABEZHIKMNOPTYX", "οανρυΑΒΕΖΗΙΚΜΝΟΡΤΥΧ"},
	{greek, false, "icjC", "ιϲϳϹ"},
	{exotic, false, "ohungjqlSOLU", "օհսոցյզլՏՕԼՍ"},
	{exotic, false, "ACDEKRSTVWZBGHJLMP", "ᎪᏟᎠᎬᏦᎡᏚᎢᏙᎳᏃᏴᏀᎻᎫᏞᎷᏢ"},
	{exotic, false, "BPDTGKJCZFMNLSRVHWXYAEIOU", "ꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ"},
	{exotic, false, "BHIKMNOPCTYXZacoprky", "ⲂⲎⲒⲔⲘⲚⲞⲢⲤⲦⲨⲬⲌⲁⲥⲟⲣⲅⲕⲩ"},
	{exotic, false, "agocvwzsukmteA", "ɑɡᴏᴄᴠᴡᴢꜱᴜᴋᴍᴛᴇᴀ"},
}

// lookalikes maps each letter to the letters of the other scripts that look like it.
var lookalikes = sync.OnceValue(func() map[rune][scripts]rune {
	m := map[rune][scripts]rune{}
	for _, a := range alphabets {
		looks := []rune(a.looks)
		for i, l := range []rune(a.latin) {
			if a.bothWays {
				of := m[l]
				of[a.script] = looks[i]
				m[l] = of
			}
			m[looks[i]] = [scripts]rune{latin: l}
		}
	}
	for _, block := range formBlocks {
		for r := block[0]; r <= block[1]; r++ {
			if l := []rune(norm.NFKC.String(string(r))); len(l) == 1 && l[0] < 0x80 && unicode.IsLetter(r) {
				m[r] = [scripts]rune{latin: l[0]}
			}
		}
	}
	return m
})

// formBlocks are the Unicode blocks with additional forms of Latin letters: mathematical and
// full-width ones.
var formBlocks = [][2]rune{{0x2102, 0x2149}, {0xFF21, 0xFF5A}, {0x1D400, 0x1D6A5}}

// isForm reports whether r is a Latin letter in such a form.
func isForm(r rune) bool {
	for _, b := range formBlocks {
		if b[0] <= r && r <= b[1] {
			return lookalikes()[r][latin] != 0
		}
	}
	return false
}

func scriptOf(r rune) int {
	switch {
	case unicode.Is(unicode.Cyrillic, r):
		return cyrillic
	case unicode.Is(unicode.Greek, r):
		return greek
	case r > 0x24F && lookalikes()[r][latin] != 0:
		return exotic
	case unicode.Is(unicode.Latin, r):
		return latin
	}
	return other
}

// main returns the most frequent script so far.
func (u *undoer) main() int {
	best := latin
	for s := cyrillic; s <= greek; s++ {
		if u.dominant[s] > u.dominant[best] {
			best = s
		}
	}
	return best
}

// minWord is the least number of letters of a disguised word of two scripts: shorter ones are
// symbols of science.
const minWord = 3

// minGreek is the same for words with Greek letters, which formulas combine with Latin ones,
// and for words with exotic letters.
const minGreek = 5

// mixed returns the script that a word with letters of several scripts belongs to, or other
// for a word in one script.
func (w word) mixed(main int, loose bool) int {
	short, shortGreek := minWord, minGreek
	if loose {
		short, shortGreek = minWord-1, minWord
	}
	if w.letters < short || w.scripts[other] > 0 {
		return other
	}
	if (w.scripts[greek]+w.scripts[exotic] > w.forms || w.forms == w.letters) && w.letters < shortGreek {
		return other
	}
	if w.wide == w.letters { // typography of Chinese and Japanese, which normalize folds
		return other
	}
	if w.forms == w.letters {
		return latin
	}
	kinds, best, sure := 0, main, 0
	for s := latin; s <= exotic; s++ {
		if w.scripts[s] > 0 {
			kinds++
		}
		if s != exotic && w.scripts[main] == 0 && w.scripts[s] > w.scripts[best] {
			best = s
		}
	}
	// A letter without a look-alike identifies the script of the word.
	for s := latin; s <= greek; s++ {
		if w.scripts[s] > w.alike[s] {
			best = s
			sure++
		}
	}
	if kinds < 2 || sure > 1 || w.scripts[best] == 0 || best == greek && w.scripts[greek]*2 <= w.letters {
		return other
	}
	return best
}

// convertible reports whether each letter of another script in the word has a look-alike in
// this script.
func (u *undoer) convertible(w word, script int) bool {
	for _, r := range u.in[w.start:w.end] {
		if s := scriptOf(r); unicode.IsLetter(r) && s != script && double(r, s, script) == 0 {
			return false
		}
	}
	return true
}

// phonetic reports whether the word looks like a phonetic transcription, whose signs resemble
// letters.
func (u *undoer) phonetic(w word) bool {
	before, _ := utf8.DecodeLastRuneInString(u.in[:w.start])
	return w.scripts[exotic] > 0 && strings.ContainsRune("[/ˈˌ", before)
}

// foreign reports whether all letters of a word are of one script other than Latin and look
// like Latin letters.
func (w word) foreign() bool {
	return w.letters > 0 && (w.scripts[cyrillic] == w.letters && w.same == w.letters ||
		w.scripts[greek] == w.letters && w.same == w.letters && w.letters > 1)
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

// settle decides about the pending words, which look Latin but are in another script: between
// Latin words they are a disguise, otherwise a quotation.
func (u *undoer) settle(next int) {
	if next != latin || len(u.pending) > maxPending {
		next = other
	}
	for _, w := range u.pending {
		u.apply(w, next)
	}
	u.pending = u.pending[:0]
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
	u.mixed++
	start := u.now(w.start)
	u.change(w.start, w.end, b.String())
	u.find(Find{Script, start, start + b.Len(), count, u.replacing(script, from)})
}

// double returns the look-alike of r in script, 0 if there is none.
func double(r rune, from, script int) rune {
	if from == latin || script == latin {
		return lookalikes()[r][script]
	}
	return lookalikes()[lookalikes()[r][latin]][script]
}
