package document

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/document/disguise"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/normalize"
)

// This file decides which disguises are flagged. All are undone; those that are likely honest
// get a note instead: typing errors, hyphens inserted by programs. In a PDF, formulas,
// listings, diagrams and headings look like disguises, as they have Greek letters beside Latin
// ones or single letters in a row. There, only finds in running text are flagged, and only if
// they yield words of the document.

// Limits for flags.
const (
	rareWords = 3   // this few different words are a typing error
	rareBytes = 40  // maximum length of such a word
	rareShare = 100 // bytes of text for one byte of such words
)

// Limits for disguises that are far apart, in a format other than PDF.
const (
	scatteredNear  = 8    // this many within scatteredBytes are a disguise
	scatteredBytes = 1000 // also in one of the many words of a passage
	scatteredShare = 2000 // bytes of text for one find
)

// Limits for flags in a PDF.
const (
	seriousWords  = 8    // disguised words that must occur undisguised elsewhere in the document
	seriousNear   = 2000 // maximum distance between seriousWords finds, in bytes
	seriousAmong  = 11   // maximum number of consecutive finds that contain seriousWords such words
	seriousShare  = 200  // bytes of text for one find that suffice in any case
	seriousSoft   = 10   // soft hyphens within a few lines
	proseSigns    = 25   // letters for one sign of code or formulas
	proseLeast    = 8    // least words of a paragraph
	leastLetters  = 4    // least letters of a word that is compared
	sentenceBytes = 1000 // bytes of a paragraph that are examined on each side
)

// accused returns the finds that are flagged in a text of this format, and notes for the
// others. original is the text before disguises were undone. No flag rests on a guessed encoding.
func accused(kind, original string, p *disguise.Plain, guessed bool) (serious []disguise.Find, notes []*phrase.Phrase) {
	by := map[disguise.Kind][]disguise.Find{}
	for _, f := range p.Finds {
		by[f.Kind] = append(by[f.Kind], f)
	}
	flagged := map[disguise.Kind]bool{}
	for k, finds := range by {
		flagged[k] = !isRare(p.Text, finds)
	}
	flagged[disguise.Script] = flagged[disguise.Script] && !guessed
	soft := false                        // the hyphens are honest
	if kind == "pdf" || kind == "djvu" { // with the text of programs for recognition, too
		words := wordsOf(original)
		for _, k := range []disguise.Kind{disguise.Script, disguise.Spaced} {
			flagged[k] = flagged[k] && isSerious(p.Text, by[k], words)
		}
		flagged[disguise.Invisible] = flagged[disguise.Invisible] && isHidden(by[disguise.Invisible])
	} else {
		for k, finds := range by {
			switch {
			case k == disguise.Spaced && flagged[k]:
				finds = running(p.Text, original, finds)
			case k == disguise.Script && flagged[k]:
				finds = replaced(p.Text, original, finds)
			}
			flagged[k] = flagged[k] && !isRare(p.Text, finds) && !areScattered(p.Text, finds)
		}
		soft = hyphenated(original)
	}
	noted := map[noteKind]int{}
	for _, f := range p.Finds {
		if flagged[f.Kind] && !(soft && isSoft(f)) {
			serious = append(serious, f)
		} else {
			noted[noteKind{f.Kind, isSoft(f)}]++
		}
	}
	for _, m := range findNotes {
		if n := noted[m.noteKind]; n > 0 {
			notes = append(notes, phrase.Counted(m.name, m.one, m.others, n))
		}
	}
	return serious, notes
}

// A noteKind is the kind of finds that have a note in common.
type noteKind struct {
	kind disguise.Kind
	soft bool // only soft hyphens
}

// findNotes are the notes for finds that are not flagged, in singular and plural.
var findNotes = []struct {
	noteKind
	name, one, others string
}{
	{noteKind{disguise.Script, false}, "said.read-as-look", "{n} word with letters of another script is read as it looks", "{n} words with letters of another script are read as they look"},
	{noteKind{disguise.Spaced, false}, "said.words-joined", "{n} word with spaces between its letters is joined", "{n} words with spaces between their letters are joined"},
	{noteKind{disguise.Invisible, true}, "said.soft-hyphens", "{n} place with soft hyphens inside words: they are ignored", "{n} places with soft hyphens inside words: they are ignored"},
	{noteKind{disguise.Invisible, false}, "said.show-nothing", "{n} place with invisible characters inside words: they are ignored", "{n} places with invisible characters inside words: they are ignored"},
}

// isRare reports whether the finds are typing errors: one or two short words of a long text,
// however often.
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

// areScattered reports whether the finds are short, few and far apart throughout a long text, as the letters of another
// alphabet that typists and programs for recognition leave in a book, spaced words for emphasis, and invisible characters
// in names and lines of code copied from pages. A copied passage has them near each other.
func areScattered(text string, finds []disguise.Find) bool {
	var at []int
	for _, f := range finds {
		if f.Count > rareBytes || f.Kind == disguise.Invisible && f.Count >= scatteredNear {
			return false
		}
		at = append(at, f.Start)
	}
	return farApart(at, len(text))
}

// farApart reports whether places in a text of this size are few and far apart.
func farApart(at []int, size int) bool {
	for i := scatteredNear - 1; i < len(at); i++ {
		if at[i]-at[i+1-scatteredNear] < scatteredBytes {
			return false
		}
	}
	return len(at)*scatteredShare < size
}

// running returns the finds of spaced letters that may be a disguise, in a text of a format other than
// PDF: those in running text that yield words of the document, or all of them if hardly a word is left
// intact, and those too long for a heading. Title pages, headings, tables and formulas have spaced
// letters, too.
func running(text, original string, finds []disguise.Find) []disguise.Find {
	everywhere, words := len(finds)*seriousShare > len(text), wordsOf(original)
	return slices.DeleteFunc(slices.Clone(finds), func(f disguise.Find) bool {
		known := everywhere || containsKnown(text[f.Start:f.End], words)
		return f.End-f.Start <= rareBytes && !(known && prose(text, f))
	})
}

// hyphenated reports whether all invisible characters inside words are soft hyphens, nearly
// all of them where a hyphenation program puts them: in words of five letters or more, with at
// least two letters on each side.
func hyphenated(text string) bool {
	const (
		leastPiece = 2
		leastWord  = 5
		rare       = 10 // at most one in this many may be elsewhere
	)
	all, odd := 0, 0
	soft, short, letters, piece := 0, 0, 0, 0 // of the current word: hyphens, hyphens that separate a single letter, letters, and letters after the last hyphen
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
	before := rune(0)
	for _, r := range text {
		switch {
		case unicode.IsLetter(r), r == '\u00ad' && strings.ContainsRune("ÂÃÄÅÐÑ", before): // a letter in UTF-8, read as Latin-1
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
		before = r
	}
	end()
	return odd*rare <= all
}

// wordsOf returns the lower-case words of the undisguised text.
func wordsOf(text string) map[string]bool {
	words := map[string]bool{}
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), notLetter) {
		words[w] = true
	}
	return words
}

// isSerious reports whether enough finds are words of the document in running text, near each
// other and with few other finds between them, or whether finds are so frequent that hardly a
// word is left intact. Joined pieces of a listing seldom are words.
func isSerious(text string, finds []disguise.Find, words map[string]bool) bool {
	type hit struct{ at, number int } // index among all finds in running text
	var hits []hit
	running := 0
	for _, f := range finds {
		if !prose(text, f) {
			continue
		}
		if running++; isForms(text, f) {
			continue // a formula in words, which Word sets in mathematical letters
		}
		if containsKnown(text[f.Start:f.End], words) {
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

// containsKnown reports whether one of the longer words of s also occurs in the document undisguised.
func containsKnown(s string, words map[string]bool) bool {
	return slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(s), notLetter), func(w string) bool {
		return utf8.RuneCountInString(w) >= leastLetters && words[w]
	})
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) }

// replaced returns the finds of letters of another script that may be a disguise, in a text of
// a format other than PDF. Greek and mathematical letters also are symbols with an
// index (αout, OR𝑖), authors who write in two alphabets forget to switch the keyboard, and their words of one letter may
// belong to either language. In such texts a find counts only if it yields words of the document, many different ones for typing errors, or if hardly
// a word is left intact.
func replaced(text, original string, finds []disguise.Find) []disguise.Find {
	words, slips, several := wordsOf(original), !nearlyLatin(text), len(finds)*seriousShare <= len(text)
	russian := strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Cyrillic, r) })
	different := map[string]bool{}
	list := slices.DeleteFunc(slices.Clone(finds), func(f disguise.Find) bool {
		w := strings.ToLower(text[f.Start:f.End])
		symbol := slips || strings.HasPrefix(f.Detail, "Greek") || strings.HasPrefix(f.Detail, "foreign")
		if isCode(text, f) || several && symbol && !containsKnown(w, words) || russian && utf8.RuneCountInString(w) == 1 {
			return true
		}
		different[w] = true
		return false
	})
	if slips && (len(list) < seriousWords || len(different) <= rareWords) {
		return nil
	}
	return list
}

// isCode reports whether a find is a part of a code with digits, such as 24А4.
func isCode(text string, f disguise.Find) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:f.Start])
	after, _ := utf8.DecodeRuneInString(text[f.End:])
	return unicode.IsDigit(before) || unicode.IsDigit(after)
}

// nearlyLatin reports whether nine of ten letters of a text are Latin.
func nearlyLatin(text string) bool {
	return 10*lists.Runes(text, func(r rune) bool { return unicode.Is(unicode.Latin, r) }) > 9*lists.Runes(text, unicode.IsLetter)
}

// isForms reports whether all letters of a word were mathematical letters.
func isForms(text string, f disguise.Find) bool {
	return f.Kind == disguise.Script && strings.HasPrefix(f.Detail, "foreign") && f.Count == lists.Runes(text[f.Start:f.End], unicode.IsLetter)
}

// prose reports whether a find is in a paragraph of running text. A comma or a full stop
// between spaces is a sign of code.
func prose(text string, f disguise.Find) bool {
	from, to := max(f.Start-sentenceBytes, 0), min(f.End+sentenceBytes, len(text))
	if i := strings.LastIndex(text[from:f.Start], "\n\n"); i >= 0 {
		from += i + 2
	}
	after, _, _ := strings.Cut(text[f.End:to], "\n\n")
	to = f.End + len(after)
	signs := strings.Count(text[from:to], " , ") + strings.Count(text[from:to], " . ") + lists.Runes(text[from:to], func(r rune) bool {
		return unicode.IsSymbol(r) || strings.ContainsRune("{}[]();\\/_#@%&*", r)
	})
	return lists.Runes(text[from:to], unicode.IsLetter) >= signs*proseSigns && len(strings.Fields(text[from:to])) >= proseLeast
}

// isHidden reports whether finds of invisible characters are more than soft hyphens: other
// characters, or many of them at one place.
func isHidden(finds []disguise.Find) bool {
	return slices.ContainsFunc(finds, func(f disguise.Find) bool { return !isSoft(f) || f.Count >= seriousSoft })
}

// isSoft reports whether a find consists of soft hyphens.
func isSoft(f disguise.Find) bool {
	return f.Kind == disguise.Invisible && strings.HasPrefix(f.Detail, "U+00AD")
}
