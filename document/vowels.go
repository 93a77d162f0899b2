package document

import (
	"encoding/binary"
	"fmt"
	"unicode"

	"github.com/otisk/otisk/normalize"
)

// Limits for the note about vowel marks: fewer words are no passage.
const (
	vowelShare = 1 // percent of the words of a text that are in such a script
	vowelWords = 7 // least number of such words
)

// vowels returns a note if words are in a script that may omit its vowels: a word with vowel
// marks does not match the same word without them, so that a copy shares no word with its
// source. The note concerns sources and suspects, with and without marks.
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
	return []string{fmt.Sprintf("%d of %d words in Arabic, Hebrew or Syriac script have vowel marks: a word with and one without vowel marks count as different words", marked, bare)}
}

// mayOmitVowels rules out most texts without such a script by their bytes: in UTF-8 all these
// letters start with 0xD6 to 0xE0, or with 0xEF and more. It skips eight smaller bytes at
// once.
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
