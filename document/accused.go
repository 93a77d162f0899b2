package document

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/document/disguise"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/normalize"
)

// Which disguises are flagged is decided here. All are undone, and those that nobody put
// there to hide a copy are noted: a slip of the keyboard, hyphens that programs put into
// words. In a PDF, formulas, listings, diagrams and headings look like disguises: letters
// of other alphabets beside Latin ones, single letters in a row. There only what is in
// running text is flagged, if what comes out are words of the document.

// Bounds of what is flagged.
const (
	rareWords = 3   // different ones, so few of which are a slip
	rareBytes = 40  // of one of them
	rareShare = 100 // bytes of the text for one of theirs
)

// Bounds of what is flagged in a PDF.
const (
	seriousWords  = 8    // of a document, in the place of which it has disguised ones
	seriousNear   = 2000 // bytes that so many of them are in
	seriousAmong  = 11   // finds that so many of them are among
	seriousShare  = 200  // bytes of the text for one find, whatever comes out
	seriousSoft   = 10   // soft hyphens within a few lines
	proseSigns    = 25   // letters for one sign of code or formulas
	proseLeast    = 8    // words of a paragraph
	leastLetters  = 4    // of a word that is compared
	sentenceBytes = 1000 // of a paragraph that are looked at on each side
)

// accused returns the finds in a text of a format that are flagged, and notes for the
// others. original is the text before they were undone.
func accused(kind, original string, p *disguise.Plain) (serious []disguise.Find, notes []string) {
	by := map[disguise.Kind][]disguise.Find{}
	for _, f := range p.Finds {
		by[f.Kind] = append(by[f.Kind], f)
	}
	flagged := map[disguise.Kind]bool{}
	for k, finds := range by {
		flagged[k] = !isRare(p.Text, finds)
	}
	soft := false // hyphens are honest
	if kind == "pdf" {
		words := wordsOf(original)
		for _, k := range []disguise.Kind{disguise.Script, disguise.Spaced} {
			flagged[k] = flagged[k] && isSerious(p.Text, by[k], words)
		}
		flagged[disguise.Invisible] = flagged[disguise.Invisible] && isHidden(by[disguise.Invisible])
	} else {
		if flagged[disguise.Script] {
			flagged[disguise.Script] = !isRare(p.Text, probable(p.Text, original, by[disguise.Script]))
		}
		soft = hyphenated(original)
	}
	noted := map[string]int{}
	for _, f := range p.Finds {
		if flagged[f.Kind] && !(soft && isSoft(f)) {
			serious = append(serious, f)
		} else {
			noted[noteOf(f)]++
		}
	}
	for _, m := range findNotes {
		if n := noted[m.one]; n > 0 {
			notes = append(notes, format.Counted(n, m.one, m.others))
		}
	}
	return serious, notes
}

// findNotes are what is said of finds that are not flagged, of one and of several.
var findNotes = []struct{ one, others string }{
	{scriptNote, "%d words with letters of another script are read as they look"},
	{spacedNote, "%d words with spaces between their letters are joined"},
	{softNote, "%d places with soft hyphens inside words: they count for nothing"},
	{invisibleNote, "%d places with characters inside words that show nothing: they count for nothing"},
}

const (
	scriptNote    = "%d word with letters of another script is read as it looks"
	spacedNote    = "%d word with spaces between its letters is joined"
	softNote      = "%d place with soft hyphens inside words: they count for nothing"
	invisibleNote = "%d place with characters inside words that show nothing: they count for nothing"
)

// noteOf returns what is said of a find that is not flagged.
func noteOf(f disguise.Find) string {
	switch {
	case f.Kind == disguise.Script:
		return scriptNote
	case f.Kind == disguise.Spaced:
		return spacedNote
	case isSoft(f):
		return softNote
	}
	return invisibleNote
}

// isRare reports whether the finds are those of a slip: one or two short words of a long
// text, however often.
func isRare(text string, finds []disguise.Find) bool {
	words, size := map[string]bool{}, 0
	for _, f := range finds {
		if f.End-f.Start > rareBytes {
			return false
		}
		words[strings.ToLower(text[f.Start:f.End])] = true
		size += f.End - f.Start
	}
	return len(words) < rareWords && size*rareShare <= len(text)
}

// hyphenated reports whether all characters that show nothing inside words are
// soft hyphens, and nearly all of these where a program that hyphenates puts them:
// in words of five letters or more, with two or more on each side.
func hyphenated(text string) bool {
	const (
		leastPiece = 2
		leastWord  = 5
		rare       = 10 // one in so many may be elsewhere
	)
	all, odd := 0, 0
	soft, short, letters, piece := 0, 0, 0, 0 // of this word: hyphens, those beside a letter alone, letters, and those after the last hyphen
	end := func() {
		if soft > 0 && piece == 1 {
			short++
		}
		if letters < leastWord {
			short = soft
		}
		all, odd = all+soft, odd+min(short, soft)
		soft, short, letters, piece = 0, 0, 0, 0
	}
	for _, r := range text {
		switch {
		case unicode.IsLetter(r):
			letters++
			piece++
		case unicode.IsMark(r) && !normalize.Invisible(r):
		case r == '\u00ad' && letters > 0:
			if soft++; piece < leastPiece {
				short++
			}
			piece = 0
		case normalize.Invisible(r) && letters > 0:
			return false
		default:
			end()
		}
	}
	end()
	return odd*rare <= all
}

// wordsOf returns the words of a text as it is in the file, in lower case.
func wordsOf(text string) map[string]bool {
	words := map[string]bool{}
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		words[w] = true
	}
	return words
}

// isSerious reports whether enough of the finds are words of the document in running
// text, near each other and with few others between them, or so frequent that hardly a
// word is left as it was. Of pieces of a listing that were joined few are words.
func isSerious(text string, finds []disguise.Find, words map[string]bool) bool {
	type hit struct{ at, number int } // the number among all in running text
	var hits []hit
	running := 0
	for _, f := range finds {
		if !prose(text, f) {
			continue
		}
		if running++; isForms(text, f) {
			continue // a formula of words, which Word sets in letters of mathematics
		}
		if len(knownIn(text[f.Start:f.End], words)) > 0 {
			hits = append(hits, hit{f.Start, running})
		}
	}
	for i := seriousWords - 1; i < len(hits); i++ {
		first, last := hits[i-seriousWords+1], hits[i]
		if last.at-first.at < seriousNear && last.number-first.number < seriousAmong {
			return true
		}
	}
	return running >= seriousWords && running*seriousShare > len(text)
}

// knownIn returns the longer words of s that the document has as they are.
func knownIn(s string, words map[string]bool) []string {
	var known []string
	for _, w := range strings.Fields(strings.ToLower(s)) {
		if w = strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) }); utf8.RuneCountInString(w) >= leastLetters && words[w] {
			known = append(known, w)
		}
	}
	return known
}

// probable returns the finds of letters of another script that can be a disguise, in a
// text of another format than PDF. Greek letters are symbols with an index (αout, ρwater)
// as well, and who writes in two alphabets forgets to switch the keyboard: there they are
// one only where words of the document come out, many of them in the latter, or where
// hardly a word is left as it was.
func probable(text, original string, finds []disguise.Find) []disguise.Find {
	if len(finds)*seriousShare > len(text) {
		return finds
	}
	words, slips := wordsOf(original), !mostlyLatin(text)
	var list []disguise.Find
	for _, f := range finds {
		if !slips && !strings.HasPrefix(f.Detail, "Greek") || len(knownIn(text[f.Start:f.End], words)) > 0 {
			list = append(list, f)
		}
	}
	if slips && len(list) < seriousWords {
		return nil
	}
	return list
}

// mostlyLatin reports whether most letters of a text are Latin.
func mostlyLatin(text string) bool {
	letters, latin := 0, 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			letters++
			if unicode.Is(unicode.Latin, r) {
				latin++
			}
		}
	}
	return 2*latin > letters
}

// isForms reports whether all letters of a word were letters of mathematics.
func isForms(text string, f disguise.Find) bool {
	letters := 0
	for _, r := range text[f.Start:f.End] {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return f.Kind == disguise.Script && strings.HasPrefix(f.Detail, "foreign") && f.Count == letters
}

// prose reports whether a find is within a paragraph of running text. A comma or a full
// stop by itself is a sign of code.
func prose(text string, f disguise.Find) bool {
	from, to := max(f.Start-sentenceBytes, 0), min(f.End+sentenceBytes, len(text))
	if i := strings.LastIndex(text[from:f.Start], "\n\n"); i >= 0 {
		from += i + 2
	}
	if i := strings.Index(text[f.End:to], "\n\n"); i >= 0 {
		to = f.End + i
	}
	letters, signs := 0, strings.Count(text[from:to], " , ")+strings.Count(text[from:to], " . ")
	for _, r := range text[from:to] {
		switch {
		case unicode.IsLetter(r):
			letters++
		case unicode.IsSymbol(r) || strings.ContainsRune("{}[]();\\/_#@%&*", r):
			signs++
		}
	}
	return letters >= signs*proseSigns && len(strings.Fields(text[from:to])) >= proseLeast
}

// isHidden reports whether finds of invisible characters are more than hyphens that are
// called soft: other characters, or many of them at one place.
func isHidden(finds []disguise.Find) bool {
	for _, f := range finds {
		if !isSoft(f) || f.Count >= seriousSoft {
			return true
		}
	}
	return false
}

// isSoft reports whether a find is of soft hyphens.
func isSoft(f disguise.Find) bool {
	return f.Kind == disguise.Invisible && strings.HasPrefix(f.Detail, "U+00AD")
}
