package document

import (
	"encoding/binary"
	"fmt"
	"unicode"

	"github.com/otisk/otisk/normalize"
)

// Bounds of what is told about marks of vowels: fewer words are no passage.
const (
	vowelShare = 1 // percent of a text's words that are in such a script
	vowelWords = 7 // and how many at least
)

// vowels returns a note where words are in a script that may leave out its vowels: a copy
// of a text that has them, in one that has not, shares no word with it, and the other way
// round. So it is told of sources and of texts that are checked, with marks or without.
func vowels(text string) []string {
	if !mayOmitVowels(text) {
		return nil
	}
	words, bare, marked := 0, 0, 0 // words, those of such a script, and those of them with marks
	in, script, mark := false, false, false
	end := func() {
		switch {
		case !in:
			return
		case script && mark:
			marked++
			fallthrough
		case script:
			bare++
		}
		words++
		in, script, mark = false, false, false
	}
	for _, r := range text {
		switch {
		case r < unicode.MaxASCII && !('a' <= r|0x20 && r|0x20 <= 'z'):
			end()
		case unicode.IsLetter(r), unicode.IsMark(r):
			in = true
			script = script || normalize.OmitsVowels(r)
			mark = mark || normalize.MarksVowel(r)
		case !normalize.Invisible(r):
			end()
		}
	}
	end()
	if bare < vowelWords || bare*100 < vowelShare*words {
		return nil
	}
	return []string{fmt.Sprintf("%d of %d words in Arabic, Hebrew or Syriac script have marks of vowels: a word with them and one without are different words here", marked, bare)}
}

// mayOmitVowels tells most texts that have no letter of such a script by their bytes: in
// UTF-8 all of these letters start with 0xD6 to 0xE0, or with 0xEF and more. Eight bytes
// that are all below are passed at once.
func mayOmitVowels(text string) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for len(text) > 0 {
		eight := text[:min(8, len(text))]
		text = text[len(eight):]
		if len(eight) == 8 {
			w := binary.LittleEndian.Uint64([]byte(eight))
			if (w&^highs+(0x80-0xD6&0x7F)*ones)&w&highs == 0 {
				continue
			}
		}
		for i := range len(eight) {
			if b := eight[i]; b >= 0xD6 && (b <= 0xE0 || b >= 0xEF) {
				return true
			}
		}
	}
	return false
}
