package document

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/document/disguise"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/normalize"
)

// In a PDF, formulas, listings, diagrams and headings look like disguises: letters of
// other alphabets beside Latin ones, single letters in a row, hyphens that are called soft.
// They are undone like others, but only noted, unless they are in running text and what
// comes out are words of the document.

// Bounds of what is flagged in a PDF.
const (
	seriousWords  = 5    // of a document, in the place of which it has disguised ones
	seriousNear   = 2000 // bytes that so many of them are in
	seriousShare  = 200  // bytes of the text for one find, whatever comes out
	seriousSoft   = 10   // soft hyphens within a few lines
	proseSigns    = 25   // letters for one sign of code or formulas
	proseLeast    = 8    // words of a paragraph
	leastLetters  = 4    // of a word that is compared
	sentenceBytes = 1000 // of a paragraph that are looked at on each side
)

// honest returns the finds that are flagged in a PDF, and notes for the others.
func honest(original string, p *disguise.Plain) (serious []disguise.Find, notes []string) {
	by := map[disguise.Kind][]disguise.Find{}
	for _, f := range p.Finds {
		by[f.Kind] = append(by[f.Kind], f)
	}
	words := wordsOf(original)
	accused := map[disguise.Kind]bool{
		disguise.Script:    isSerious(p.Text, by[disguise.Script], words),
		disguise.Spaced:    isSerious(p.Text, by[disguise.Spaced], words),
		disguise.Invisible: isHidden(by[disguise.Invisible]),
	}
	for _, f := range p.Finds {
		if accused[f.Kind] {
			serious = append(serious, f)
		}
	}
	note := func(kind disguise.Kind, one, others string) {
		if n := len(by[kind]); n > 0 && !accused[kind] {
			notes = append(notes, format.Counted(n, one, others))
		}
	}
	note(disguise.Script, "%d word with letters of another script is read as it looks", "%d words with letters of another script are read as they look")
	note(disguise.Spaced, "%d word with spaces between its letters is joined", "%d words with spaces between their letters are joined")
	note(disguise.Invisible, softNote, softNotes)
	return serious, notes
}

const (
	softNote  = "%d place with soft hyphens inside words: they count for nothing"
	softNotes = "%d places with soft hyphens inside words: they count for nothing"
)

// withoutHyphens returns the finds that are flagged in a web page. Programs
// hyphenate all its long words, and these soft hyphens are noted.
func withoutHyphens(original string, p *disguise.Plain) (serious []disguise.Find, notes []string) {
	if !hyphenated(original) {
		return p.Finds, nil
	}
	n := 0
	for _, f := range p.Finds {
		if isSoft(f) {
			n++
		} else {
			serious = append(serious, f)
		}
	}
	if n > 0 {
		notes = append(notes, format.Counted(n, softNote, softNotes))
	}
	return serious, notes
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
// text, near each other, or so frequent that hardly a word is left as it was.
func isSerious(text string, finds []disguise.Find, words map[string]bool) bool {
	var at []int
	running := 0
	for _, f := range finds {
		if !prose(text, f) {
			continue
		}
		running++
		known := 0
		for _, w := range strings.Fields(strings.ToLower(text[f.Start:f.End])) {
			if w = strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) }); utf8.RuneCountInString(w) >= leastLetters && words[w] {
				known++
			}
		}
		if known > 0 {
			at = append(at, f.Start)
		}
	}
	for i := seriousWords - 1; i < len(at); i++ {
		if at[i]-at[i-seriousWords+1] < seriousNear {
			return true
		}
	}
	return running >= seriousWords && running*seriousShare > len(text)
}

// prose reports whether a find is within a paragraph of running text.
func prose(text string, f disguise.Find) bool {
	from, to := max(f.Start-sentenceBytes, 0), min(f.End+sentenceBytes, len(text))
	if i := strings.LastIndex(text[from:f.Start], "\n\n"); i >= 0 {
		from += i + 2
	}
	if i := strings.Index(text[f.End:to], "\n\n"); i >= 0 {
		to = f.End + i
	}
	letters, signs := 0, 0
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
