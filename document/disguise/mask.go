package disguise

import (
	"context"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/normalize"
	"golang.org/x/text/unicode/norm"
)

// Some disguises show only in numbers, not in one word: strokes and dots on letters that have
// none in any language, raised or circled letters, words in small capitals. Transcriptions,
// chemistry and footnotes have a few of each. So this file examines the whole text first and
// removes only masks that occur throughout a passage.

// The families of masks.
const (
	struck   = iota // marks on letters
	raised          // letters above or below the line
	enclosed        // letters in circles and boxes, and numerals that are letters
	capitals        // small capitals
	families
)

// smallCapitals are the small capitals that look like capitals.
const smallCapitals, smallLetters = "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnoprstuvwyz"

// A mask is a masked letter and the family of its mask.
type mask struct {
	letter rune
	family int
}

// masks maps masked letters to their masks.
var masks = sync.OnceValue(func() map[rune]mask {
	m := map[rune]mask{}
	for i, plain := 0, []rune(smallLetters); i < len(plain); i++ {
		m[[]rune(smallCapitals)[i]] = mask{plain[i], capitals}
	}
	composed := func(from, to rune, family int) {
		for r := from; r <= to; r++ {
			if l := []rune(norm.NFKC.String(string(r))); len(l) == 1 && isLatinLetter(l[0]) {
				m[r] = mask{l[0], family}
			}
		}
	}
	for _, b := range [][2]rune{{0x2B0, 0x2B8}, {0x2E0, 0x2E3}, {0x1D2C, 0x1D6A}, {0x1D9B, 0x1DBF}, {0x2071, 0x209C}, {0x2C7C, 0x2C7D}} {
		composed(b[0], b[1], raised)
	}
	for _, b := range [][2]rune{{0x2160, 0x217F}, {0x24B6, 0x24E9}, {0x1F130, 0x1F149}} {
		composed(b[0], b[1], enclosed)
	}
	for i := range rune(26) {
		m[0x1F150+i], m[0x1F170+i] = mask{'A' + i, enclosed}, mask{'A' + i, enclosed} // black circles and squares
	}
	return m
})

func isLatinLetter(r rune) bool { return r < utf8.RuneSelf && isASCIILetter(byte(r)) }

// isStroke reports whether r is a combining mark for European letters, other than the marks of
// Church Slavonic numbers and abbreviations.
func isStroke(r rune) bool {
	switch {
	case r < 0x300:
		return false
	case r < 0x370:
		return r != 0x34F
	}
	in := r == 0x488 || r == 0x489 || 0x1AB0 <= r && r < 0x1B00 || 0x1DC0 <= r && r < 0x1E00 || 0x20D0 <= r && r < 0x2100 || 0xFE20 <= r && r < 0xFE30
	return in && unicode.IsMark(r) // some are not assigned yet
}

// isRare reports whether r may be masked or be a mask, although most texts may contain it.
func isRare(r rune) bool {
	return 0x300 <= r && r < 0x370 || 0x2E0 <= r && r <= 0x2E3 || 0x2071 <= r && r <= 0x209C || 0x20D0 <= r && r < 0x2100
}

// maskOf returns the mask of r.
func maskOf(r rune) (mask, bool) {
	switch {
	case r < 0x25F || 0x370 <= r && r < 0x488 || 0x2D00 <= r && r < 0xA700 || 0xA800 <= r && r < 0xFE00:
		return mask{}, false
	case isStroke(r):
		return mask{0, struck}, true
	}
	m, ok := masks()[r]
	return m, ok
}

// inWord reports whether r can be inside a masked word.
func inWord(r rune) bool {
	if unicode.IsLetter(r) || unicode.IsMark(r) || normalize.Invisible(r) {
		return true
	}
	_, ok := masks()[r]
	return ok
}

// A maskedWord is a word with the masks in it.
type maskedWord struct {
	start, end int
	letters    int
	plain      int // other letters
	masked     [families]int
	inside     [families]bool    // a masked letter is between letters
	seen       [families]letters // the letters that are masked
	left       letters           // consonants with a mark for which no composed letter exists
	odd        letters           // these, and consonants with a mark that few languages use
	phonetic   bool              // it has phonetic signs
}

// letters is a bit set of the letters a to z and а to я.
type letters uint64

func (l *letters) add(r rune) {
	switch r = unicode.ToLower(r); {
	case 'a' <= r && r <= 'z':
		*l |= 1 << (r - 'a')
	case 'а' <= r && r <= 'я':
		*l |= 1 << (r - 'а' + 26)
	}
}

func (l letters) count() int { return bits.OnesCount64(uint64(l)) }

// maskedWords yields the words with masked letters until the context ends.
func (u *undoer) maskedWords(yield func(maskedWord) bool) {
	for at, last := 0, 0; at < len(u.in); {
		if c := u.in[at]; c < 0xC9 || c == 0xD0 || c == 0xD1 {
			at++
			continue
		}
		r, size := utf8.DecodeRuneInString(u.in[at:])
		if _, ok := maskOf(r); !ok {
			at += size
			continue
		}
		w := wordAround(u.in, at, last)
		if at, last = w.end, w.end; !u.going() || !yield(w) {
			return
		}
	}
}

// wordAround measures the word around an offset; the word starts at least or later.
func wordAround(text string, at, least int) maskedWord {
	w := maskedWord{start: at, end: at}
	for w.start > least {
		r, size := utf8.DecodeLastRuneInString(text[least:w.start])
		if !inWord(r) {
			break
		}
		w.start -= size
	}
	for w.end < len(text) {
		r, size := utf8.DecodeRuneInString(text[w.end:])
		if !inWord(r) {
			break
		}
		w.end += size
	}
	w.measure(text[w.start:w.end])
	return w
}

// measure counts the letters of a word and their masks.
func (w *maskedWord) measure(word string) {
	waiting := [families]bool{} // set after a letter and a masked letter
	for _, r := range word {
		m, ok := maskOf(r)
		switch {
		case ok && m.family == struck:
			w.masked[struck]++
			continue
		case ok:
			w.masked[m.family]++
			w.seen[m.family].add(m.letter)
		case !unicode.IsLetter(r):
			continue
		default:
			w.plain++
		}
		w.phonetic = w.phonetic || 0x250 <= r && r < 0x2B0
		for f := range waiting {
			w.inside[f] = w.inside[f] || waiting[f]
		}
		w.letters++
		if ok && w.letters > 1 {
			waiting[m.family] = true
		}
	}
	if w.masked[struck] > 0 {
		w.strokes(word)
	}
}

// strokes finds the letters of a word with marks that no language, or few, use.
func (w *maskedWord) strokes(word string) {
	eachLetter(norm.NFD.String(word), func(letter string, base rune) {
		switch composed := []rune(norm.NFC.String(letter)); {
		case strings.ContainsRune("aeiouyаеиоуыэюяіє", unicode.ToLower(base)):
		case len(composed) > 1 && isLeft(composed[1:]):
			w.left.add(base)
			w.odd.add(base)
		case 0x17F < composed[0] && isLatinLetter(base):
			w.odd.add(base)
		}
	})
}

// isLeft reports whether a mark is on one letter; ties are on two.
func isLeft(marks []rune) bool {
	return slices.ContainsFunc(marks, func(r rune) bool { return isStroke(r) && (r < 0x35C || r > 0x362) })
}

// eachLetter calls f for every Latin or Cyrillic letter of a word that has marks, with and
// without them.
func eachLetter(word string, f func(letter string, base rune)) {
	for at := 0; at < len(word); {
		base, size := utf8.DecodeRuneInString(word[at:])
		end := at + size
		for end < len(word) {
			r, size := utf8.DecodeRuneInString(word[end:])
			if !unicode.IsMark(r) {
				break
			}
			end += size
		}
		if end > at+size && (isLatinLetter(base) || unicode.Is(unicode.Cyrillic, base)) {
			f(word[at:end], base)
		}
		at = end
	}
}

// Limits for masked passages: consecutive words, their maximum extent in bytes, and the number
// of different masked letters.
const (
	maskNear      = 3000
	leastWord     = 4
	leastWorn     = 5
	mostWorn      = 30 // for masks that some honest texts have
	leastStrokes  = 3  // least occurrences of a mark that is removed
	leftKinds     = 4
	oddKinds      = 9
	raisedKinds   = 8
	capitalKinds  = 16 // grammatical abbreviations have fewer
	enclosedKinds = 3
)

// wears reports whether the word may be disguised by masks of the family and is not common in
// science or print.
func (w maskedWord) wears(family int) bool {
	n := w.masked[family]
	switch {
	case n == 0:
		return false
	case family == capitals:
		return w.letters >= leastWord && n == w.letters
	case w.phonetic:
		return false
	case family == struck:
		return w.odd != 0
	}
	return w.letters >= leastWord && (w.inside[family] || n == w.letters)
}

// worn reports for each family whether words near each other wear it.
func (u *undoer) worn() (is [families]bool) {
	rows := [families]int{struck: mostWorn, raised: mostWorn, enclosed: leastWorn, capitals: mostWorn}
	var wear [families][]maskedWord
	for w := range u.maskedWords {
		for f, row := range rows {
			if is[f] || !w.wears(f) {
				continue
			}
			if wear[f] = append(wear[f], w); len(wear[f]) > row {
				wear[f] = wear[f][1:]
			}
			is[f] = len(wear[f]) == row && w.end-wear[f][0].start < maskNear && diverse(wear[f], f)
		}
	}
	return is
}

// diverse reports whether words mask more different letters than any language or notation.
func diverse(words []maskedWord, family int) bool {
	var seen, left, odd letters
	for _, w := range words {
		seen |= w.seen[family]
		left |= w.left
		odd |= w.odd
	}
	switch family {
	case struck:
		return left.count() >= leftKinds && odd.count() >= oddKinds
	case raised:
		return seen.count() >= raisedKinds
	case capitals:
		return seen.count() >= capitalKinds
	}
	return seen.count() >= enclosedKinds
}

// unmask removes masks that occur throughout a passage. It returns nil if there are none.
func unmask(ctx context.Context, text string) (*Plain, error) {
	u := &undoer{in: text, pulse: format.NewPulse(ctx)}
	is := u.worn()
	if is == [families]bool{} {
		return nil, u.err
	}
	strokes := u.wornStrokes()
	for w := range u.maskedWords {
		u.uncover(w, is, strokes)
	}
	u.Text = u.edited()
	return &u.Plain, u.err
}

// wornStrokes returns the marks that occur repeatedly on letters of the text.
func (u *undoer) wornStrokes() map[rune]bool {
	times := map[rune]int{}
	for w := range u.maskedWords {
		if w.left == 0 || w.phonetic {
			continue
		}
		eachLetter(norm.NFD.String(u.in[w.start:w.end]), func(letter string, base rune) {
			for _, r := range letter[utf8.RuneLen(base):] {
				if !norm.NFC.IsNormalString(string(base) + string(r)) {
					continue // an accent beside a mark
				}
				times[r]++
			}
		})
	}
	strokes := map[rune]bool{}
	for r, n := range times {
		strokes[r] = isStroke(r) && n >= leastStrokes
	}
	return strokes
}

// uncover writes a word without the masks to be removed.
func (u *undoer) uncover(w maskedWord, is [families]bool, strokes map[rune]bool) {
	var b strings.Builder
	count, detail := 0, ""
	word := u.in[w.start:w.end]
	take := w.masks(is, u.in[:w.start])
	for _, r := range word {
		m, ok := maskOf(r)
		switch {
		case !ok || !take[m.family] || m.family == struck && !strokes[r]:
			b.WriteRune(r)
			continue
		case m.family == struck:
			detail = u.inside(r)
		default:
			detail = u.replacing(latin, exotic)
			b.WriteRune(m.letter)
		}
		count++
	}
	if count == 0 || b.Len() == 0 {
		return
	}
	start := u.now(w.start)
	u.change(w.start, w.end, b.String())
	u.find(Find{Script, start, start + b.Len(), count, detail})
}

// masks returns which of these masks the word has. A letter raised after a number belongs to
// the number.
func (w maskedWord) masks(is [families]bool, before string) [families]bool {
	r, _ := utf8.DecodeLastRuneInString(before)
	number := unicode.IsDigit(r)
	if w.phonetic {
		is = [families]bool{capitals: is[capitals]}
	}
	is[raised] = is[raised] && !number && w.letters > 1
	return is
}
