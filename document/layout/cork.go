package layout

import (
	"strings"
	"unicode"

	"github.com/otisk/otisk/document/pdf"
)

// If TeX embeds its letters as bitmaps, the PDF does not identify them: character codes of T1,
// TeX's encoding, are read as Latin 1, so that «příliš» becomes «p°íli²».

// corkLow and corkHigh are the characters 0 to 31 and 128 to 191 of T1; those at 192 and above
// are almost the same as in Latin 1.
var (
	corkLow = []string{"`", "´", "ˆ", "˜", "¨", "˝", "˚", "ˇ", "˘", "¯", " ", "¸", "˛", "‚", "‹", "›",
		"“", "”", "„", "«", "»", "–", "—", "", "", "ı", "ȷ", "ff", "fi", "fl", "ffi", "ffl"}
	corkHigh   = []rune("ĂĄĆČĎĚĘĞĹĽŁŃŇŊŐŔŘŚŠŞŤŢŰŮŸŹŽŻĲİđ§ăąćčďěęğĺľłńňŋőŕřśšşťţűůÿźžżĳ¡¿£")
	corkOthers = map[rune]string{0xD7: "Œ", 0xDF: "SS", 0xF7: "œ", 0xFF: "ß"}
)

// Thresholds for signs within words that indicate T1. Turkish and Romanian have only two frequent letters of
// this kind.
const (
	corkShare    = 200 // maximum number of letters per sign
	corkKinds    = 4
	corkFewKinds = 2  // if these are frequent
	corkFrequent = 20 // maximum number of signs per sign of a frequent kind
)

// isCork reports whether a text with these signs within words, by kind, and this number of letters is in T1.
func isCork(kinds map[rune]int, letters int) bool {
	signs, frequent := 0, 0
	for _, n := range kinds {
		signs += n
	}
	for _, n := range kinds {
		if n*corkFrequent >= signs {
			frequent++
		}
	}
	return signs*corkShare >= letters && (len(kinds) >= corkKinds || frequent >= corkFewKinds)
}

// mendCork reads the lines as T1 if so many signs are inside words that they must be letters.
func mendCork(pages []pdf.Page) {
	letters, kinds := 0, map[rune]int{}
	for _, p := range pages {
		for _, l := range p.Lines {
			var before rune
			within := rune(0)
			for _, r := range l.Text {
				if unicode.IsLetter(r) {
					letters++
					if within != 0 {
						kinds[within]++
					}
				}
				within = 0
				if corkSign(r) && unicode.IsLetter(before) {
					within = r
				}
				before = r
			}
		}
	}
	if !isCork(kinds, letters) {
		mendGerman(pages)
		return
	}
	for _, p := range pages {
		for i := range p.Lines {
			p.Lines[i].Text = fromCork(p.Lines[i].Text)
		}
	}
}

// In German the only letter that indicates T1 is ß, which is read as ÿ, beside ligatures that
// are read as unprintable characters.
const (
	leastSharp = 3  // least number of ÿ after small letters
	leastJoins = 10 // least number of common German words
)

// germanJoins are words that are frequent in German texts.
var germanJoins = map[string]bool{"und": true, "der": true, "die": true, "das": true, "nicht": true, "ist": true}

// mendGerman reads ÿ as ß in a German text that has many ÿ and no ß.
func mendGerman(pages []pdf.Page) {
	sharp, joins := 0, 0
	for _, p := range pages {
		for _, l := range p.Lines {
			if strings.ContainsRune(l.Text, 'ß') {
				return
			}
			var before rune
			for _, r := range l.Text {
				if r == 'ÿ' && unicode.IsLower(before) {
					sharp++
				}
				before = r
			}
			for w := range strings.FieldsSeq(l.Text) {
				if germanJoins[w] {
					joins++
				}
			}
		}
	}
	if sharp < leastSharp || joins < leastJoins {
		return
	}
	for _, p := range pages {
		for i := range p.Lines {
			p.Lines[i].Text = strings.Map(func(r rune) rune {
				if r == 'ÿ' {
					return 'ß'
				}
				return r
			}, fromLow(p.Lines[i].Text))
		}
	}
}

// fromLow decodes the T1 letters that are control characters in Latin 1.
func fromLow(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r < 0x20 }) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if r < 0x20 {
			b.WriteString(corkLow[r])
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// corkSign reports whether r is a T1 letter whose code is not a letter in Latin 1.
func corkSign(r rune) bool { return r >= 0x80 && r < 0xC0 && r != 0xA0 && r != 0xAD }

func fromCork(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r < 0x20:
			b.WriteString(corkLow[r])
		case r >= 0x80 && r < 0xC0:
			b.WriteRune(corkHigh[r-0x80])
		case corkOthers[r] != "":
			b.WriteString(corkOthers[r])
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
