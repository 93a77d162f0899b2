// Package normalize converts the text of a document into the words that are
// compared, with the position of each word in the original text.
//
// Comparison ignores case, punctuation and markup, but a report shows the
// original text. Therefore every [Word] has its byte range in the original. For
// any text, three properties hold: all ranges are within the text, they are
// ascending and do not overlap, and normalising the bytes of one range alone
// returns the same word.
//
// Call [New] once with the [Rules] (or [NewSet] if file types have different
// rules). Then call [Normalizer.Paragraphs] for a text that fits in memory
// several times over, or [Normalizer.Scan] to read a long text word by word.
//
// Normalisation has these steps: line-breaking tags become line breaks; tags to
// delete are deleted; tabs become spaces; characters to delete are deleted; the
// rest is split into words; words are composed (Unicode NFC), converted to lower
// case, and folded (fold.go), so that ligatures and variants of spelling in Arabic, Chinese, Greek
// and other scripts are equal; stop words are removed. Words consist of letters,
// decimal digits and marks; all other characters separate words. In scripts without
// spaces, the characters at a place decide whether a word ends there (unspaced.go). Five details may surprise:
//
//   - Deleted characters do not separate words: e-mail becomes email. Characters
//     that are not displayed, such as soft hyphens and zero-width spaces, are
//     deleted under any rules.
//   - A word that a hyphen divides at a line end continues in the next line, except if each line
//     is a paragraph (divide.go).
//   - A combining accent is treated like its base character: if that is deleted or
//     separates words, so is the accent. Therefore canonically equivalent texts,
//     such as é and e with a combining accent, have the same words.
//   - A final sigma becomes a plain sigma.
//   - A word of more than 1,024 bytes is split into several.
package normalize

import (
	"fmt"
	"strconv"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/otisk/otisk/lang/phrase"
)

// A Mode is a way of separating the paragraphs of a text.
type Mode uint8

const (
	// Auto chooses Line or Blank by the text: see [Mode.Resolve].
	Auto Mode = iota
	// Line makes each line a paragraph.
	Line
	// Whole makes the whole text one paragraph.
	Whole
	// Blank separates paragraphs at blank lines: those with only white space,
	// invisible characters and deleted tags.
	Blank
)

// modeNames has the value of the setting new_line for each mode.
var modeNames = [...]string{Auto: "auto", Line: "true", Whole: "false", Blank: "blank"}

// String returns the value of the setting new_line for the mode.
func (m Mode) String() string {
	if int(m) < len(modeNames) {
		return modeNames[m]
	}
	return fmt.Sprintf("Mode(%d)", m)
}

// ParseMode parses a value of the setting new_line.
func ParseMode(s string) (Mode, error) {
	for m, name := range modeNames {
		if s == name {
			return Mode(m), nil
		}
	}
	return Auto, phrase.Error("settings.new-line", "unknown new_line {value}: want true, false, blank or auto", "value", strconv.Quote(s))
}

// Version is the version of the steps that no rule changes: which characters belong to words,
// how they are folded, and where words of scripts without spaces end. It changes whenever a
// text may have other words. An index stores it, since texts of two versions cannot be compared.
const Version = "2"

// deleteChars are the characters that are deleted by default: hyphens and
// apostrophes, so that e-mail becomes email and don't becomes dont.
const deleteChars = "-'`´‘’ʼ‐‑"

// Rules are the settings by which a text is split into words. The zero value deletes no
// characters; most callers start from [DefaultRules].
type Rules struct {
	NewLine         Mode     // the separator of paragraphs
	NewLineTags     []string // tags that become line breaks; <br> also matches <BR/> and <br class="x">
	DeleteTags      []string // tags, or any strings, that are deleted without splitting a word
	DeleteChars     string   // characters that are deleted without splitting a word; white space has no effect
	StopWords       []string // words that become a space; compared after normalisation
	KeepPunctuation bool     // only white space and control characters separate words
}

// DefaultRules returns the rules that apply without a configuration file.
func DefaultRules() Rules {
	return Rules{DeleteChars: deleteChars}
}

// A Word is a normalised word and its position in the original text.
type Word struct {
	Text       string
	Start, End int // byte range [Start, End) in the original text
}

// A Paragraph is the unit for which percentages are computed. It has at least one word:
// a line of asterisks, for example, is not a paragraph.
type Paragraph struct {
	Start, End int // byte range of its lines, without the white space around them
	Words      []Word
}

// A Normalizer applies one set of rules. It is safe for concurrent use.
type Normalizer struct {
	rules   Rules
	table   table
	deleted map[rune]bool
	markup  markup
	stop    map[string]bool
}

// New returns a Normalizer for rules. If a tag or stop word can never match, or a
// setting is not UTF-8, it returns an error that names the setting.
func New(rules Rules) (*Normalizer, error) {
	n := &Normalizer{rules: rules, table: tableOf(rules.KeepPunctuation)}
	if err := n.markup.add("new_line_tags", rules.NewLineTags, breaks); err != nil {
		return nil, err
	}
	if err := n.markup.add("delete_tags", rules.DeleteTags, tag); err != nil {
		return nil, err
	}
	if err := n.delete(rules.DeleteChars); err != nil {
		return nil, err
	}
	n.table.fill(&n.markup)
	return n, n.addStopWords(rules.StopWords)
}

// delete adds characters to delete. It ignores white space and invisible
// characters, which are always deleted.
func (n *Normalizer) delete(chars string) error {
	if !utf8.ValidString(chars) {
		return phrase.Error("settings.delete-utf8", "delete_chars: {characters} is not UTF-8", "characters", strconv.Quote(chars))
	}
	n.deleted = make(map[rune]bool)
	for _, r := range norm.NFC.String(chars) {
		if c := n.class(r); c != keep && c != split {
			continue
		}
		n.deleted[r] = true
		if r < tableSize {
			n.table.class[r] = gone
		}
	}
	return nil
}

// addStopWords normalises the stop words like any other word, so that they match
// normalised words.
func (n *Normalizer) addStopWords(list []string) error {
	stop := make(map[string]bool, len(list))
	for _, sw := range list {
		words := 0
		for s := n.Scan(sw, Whole); s.Next(); words++ {
			stop[string(s.Word())] = true
		}
		if words != 1 {
			return phrase.Error("settings.stopword", "stopwords: {word} is {words} words, want 1", "word", strconv.Quote(sw), "words", words)
		}
	}
	n.stop = stop
	return nil
}

// Rules returns the rules that n was made from.
func (n *Normalizer) Rules() Rules { return n.rules }

// separated returns n with another separator of paragraphs.
func (n *Normalizer) separated(by Mode) *Normalizer {
	other := *n
	other.rules.NewLine = by
	return &other
}

// Mode returns the mode of the rules, with Auto resolved on text.
func (n *Normalizer) Mode(text string) Mode { return n.rules.NewLine.Resolve(text) }

// Paragraphs returns the paragraphs of text, in order. A mode of Auto is
// resolved on text.
func (n *Normalizer) Paragraphs(text string, mode Mode) []Paragraph {
	var ps []Paragraph
	s := n.Scan(text, mode)
	for s.Next() {
		if s.Paragraph() == len(ps) {
			ps = append(closeLast(ps, s), Paragraph{})
		}
		p := &ps[len(ps)-1]
		p.Words = append(p.Words, s.asWord())
	}
	return closeLast(ps, s)
}

// Words returns the words of text, in order. breaks has the indexes of the words
// that begin a paragraph. A mode of Auto is resolved on text.
func (n *Normalizer) Words(text string, mode Mode) (words []Word, breaks []int) {
	return n.AppendWords(make([]Word, 0, len(text)/bytesPerWord), nil, text, mode)
}

// AppendWords appends the results of [Normalizer.Words] to words and breaks. The
// indexes in breaks are relative to the first word that is appended.
func (n *Normalizer) AppendWords(words []Word, breaks []int, text string, mode Mode) ([]Word, []int) {
	room := rooms.Get().(*room)
	st, s, before := &room.stretch, n.Scan(text, mode), len(words)
	s.placing, s.places = true, room.places
	defer func() {
		room.places = s.places
		rooms.Put(room)
	}()
	for first := before; s.Fill(st); first = len(words) {
		for _, b := range st.Breaks {
			breaks = append(breaks, first-before+b)
		}
		normalised, from := string(st.Text), 0
		for i, w := range s.places {
			w.Text = normalised[from:st.Ends[i]]
			words, from = append(words, w), st.Ends[i]+1
		}
	}
	return words, breaks
}

// A room is memory for words, reused from one text to the next.
type room struct {
	stretch Stretch
	places  []Word
}

var rooms = sync.Pool{New: func() any { return new(room) }}

// bytesPerWord is the least number of bytes per word, including separators, in
// most texts. It determines the initial capacity for words.
const bytesPerWord = 5

// closeLast sets the byte range of the last paragraph in ps, which s has just
// finished.
func closeLast(ps []Paragraph, s *Scanner) []Paragraph {
	if len(ps) > 0 {
		p := &ps[len(ps)-1]
		p.Start, p.End = s.Ended()
	}
	return ps
}

// asWord returns the current word. If the word is unchanged in the text, as most
// are, it shares the memory of the text.
func (s *Scanner) asWord() Word {
	text := s.text[s.start:s.end]
	if text != string(s.Word()) {
		text = string(s.Word())
	}
	return Word{Text: text, Start: s.start, End: s.end}
}

// class returns the class of a character in composed form.
func (n *Normalizer) class(r rune) class {
	switch {
	case r < tableSize:
		return n.table.class[r]
	case n.deleted[r]:
		return gone
	}
	return classify(r, n.rules.KeepPunctuation)
}
