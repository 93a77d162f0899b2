// Package normalize turns the text of a document into the words that are
// compared, and remembers where in the original text each word was.
//
// Comparison ignores case, punctuation and markup, but a report shows the
// reader's own text. So every [Word] carries the byte range it came from, and
// three things hold for any text: the ranges lie in the text, they rise and
// never overlap, and normalising the bytes of one range alone gives that word.
//
// Call [New] with the [Rules] once (or [NewSet] where file types have rules of
// their own), then [Normalizer.Paragraphs] for a text that fits in memory
// several times over, or [Normalizer.Scan] to walk a long one word by word.
//
// A text passes these steps: tags that part lines become line breaks; tags to
// delete vanish; tabs become spaces; characters to delete vanish; what is left
// is cut into words; words are composed (Unicode NFC) and lower-cased; stop
// words vanish. Letters, decimal digits and marks make words, all else separates
// them. Four things may surprise:
//
//   - What vanishes separates nothing: e-mail becomes email. So do characters that
//     show nothing, such as soft hyphens and zero-width spaces, under any rules.
//   - A combining accent goes with the character it is on, also where that
//     vanishes or separates words. So texts that Unicode calls equivalent, é and e
//     with an accent, have the same words.
//   - A final sigma is a sigma.
//   - A word of more than 1,024 bytes becomes several.
package normalize

import (
	"fmt"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A Mode says what separates the paragraphs of a text.
type Mode uint8

const (
	// Auto looks at the text and takes Line or Blank: see [Mode.Resolve].
	Auto Mode = iota
	// Line makes each line a paragraph.
	Line
	// Whole makes the whole text one paragraph.
	Whole
	// Blank separates paragraphs at lines that show nothing: with only white space,
	// invisible characters and deleted tags.
	Blank
)

// modeNames are the values of the setting new_line, by mode.
var modeNames = [...]string{Auto: "auto", Line: "true", Whole: "false", Blank: "blank"}

// String returns the mode as the setting new_line writes it.
func (m Mode) String() string {
	if int(m) < len(modeNames) {
		return modeNames[m]
	}
	return fmt.Sprintf("Mode(%d)", m)
}

// ParseMode returns the mode that the setting new_line names.
func ParseMode(s string) (Mode, error) {
	for m, name := range modeNames {
		if s == name {
			return Mode(m), nil
		}
	}
	return Auto, fmt.Errorf("unknown new_line %q: want true, false, blank or auto", s)
}

// deleteChars are the characters that vanish where no rule says
// otherwise: hyphens and apostrophes, so that e-mail is email and don't is dont.
const deleteChars = "-'`´‘’ʼ‐‑"

// Rules say how a text becomes words. The zero value deletes no characters;
// most callers start from [DefaultRules].
type Rules struct {
	NewLine         Mode     // what separates paragraphs
	NewLineTags     []string // become line breaks; <br> also matches <BR/> and <br class="x">
	DeleteTags      []string // vanish, without splitting a word; a tag may be any string
	DeleteChars     string   // vanish, without splitting a word; white space in it has no effect
	StopWords       []string // become a space; compared after normalisation
	KeepPunctuation bool     // only white space and control characters separate words
}

// DefaultRules returns the rules that hold without a configuration file.
func DefaultRules() Rules {
	return Rules{DeleteChars: deleteChars}
}

// A Word is one normalised word and its place in the original text.
type Word struct {
	Text       string
	Start, End int // byte range [Start, End) in the original text
}

// A Paragraph is the unit that percentages are given for. One without words
// does not exist: a line of asterisks is no paragraph.
type Paragraph struct {
	Start, End int // byte range of its lines, without the white space around them
	Words      []Word
}

// A Normalizer applies one set of rules. It is safe for use by several
// goroutines at once.
type Normalizer struct {
	rules   Rules
	table   table
	deleted map[rune]bool
	markup  markup
	stop    map[string]bool
}

// New prepares rules for use. It returns an error that names the setting for a
// tag or stop word that could never match, and for one that is not UTF-8.
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

// delete makes characters vanish, except white space and what always vanishes.
func (n *Normalizer) delete(chars string) error {
	if !utf8.ValidString(chars) {
		return fmt.Errorf("delete_chars: %q is not UTF-8", chars)
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

// addStopWords normalises the stop words as any other word, so that they match
// after lower-casing.
func (n *Normalizer) addStopWords(list []string) error {
	stop := make(map[string]bool, len(list))
	for _, sw := range list {
		words := 0
		for s := n.Scan(sw, Whole); s.Next(); words++ {
			stop[string(s.Word())] = true
		}
		if words != 1 {
			return fmt.Errorf("stopwords: %q is %d words, want 1", sw, words)
		}
	}
	n.stop = stop
	return nil
}

// Rules returns the rules that n was made from.
func (n *Normalizer) Rules() Rules { return n.rules }

// Mode returns what separates the paragraphs of text: the rules' mode, with Auto
// decided by looking at the text.
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

// Words returns the words of text, in order, and which of them begin a
// paragraph, counted from 0. A mode of Auto is resolved on text.
func (n *Normalizer) Words(text string, mode Mode) (words []Word, breaks []int) {
	return n.AppendWords(make([]Word, 0, len(text)/bytesPerWord), nil, text, mode)
}

// AppendWords appends to words and breaks what Words returns: breaks count from
// the first word that is appended.
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

// A room is memory that the words of one text after another take.
type room struct {
	stretch Stretch
	places  []Word
}

var rooms = sync.Pool{New: func() any { return new(room) }}

// bytesPerWord is how many bytes a word takes with what follows it, at least in
// most texts.
const bytesPerWord = 5

// closeLast sets the byte range of the last of ps, which s has left.
func closeLast(ps []Paragraph, s *Scanner) []Paragraph {
	if len(ps) > 0 {
		p := &ps[len(ps)-1]
		p.Start, p.End = s.Ended()
	}
	return ps
}

// asWord returns the current word. Most are in the text as they are, and then
// share its memory.
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
