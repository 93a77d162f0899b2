// Package disguise detects and undoes changes to a text that hide a copy without changing how
// the text looks.
//
// It detects look-alike letters of another script (a Cyrillic а in a Latin word), letters
// separated by spaces, invisible characters inside words, and marks on all letters of a
// passage: strokes and dots that no language uses, circles, raised letters and small capitals.
// Call [Undo]. It undoes all of these in the text that it returns, except invisible
// characters, which it only reports, as they are removed from words anyway. All have honest
// reasons, too: a find is not a verdict.
package disguise

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/normalize"
)

// A Kind is a kind of disguise.
type Kind int

const (
	Script    Kind = iota // letters of another script inside words
	Spaced                // letters of a word separated by spaces
	Invisible             // invisible characters inside words
)

// A Find is a disguised place in a text.
type Find struct {
	Kind       Kind
	Start, End int // byte range in the text that Undo returns
	Count      int // number of disguised characters
	Detail     string
}

// near is the maximum distance of two finds of invisible characters that are merged, maxFinds
// the maximum number of finds for one text, and maxEdits the maximum number of changes to it.
const (
	near     = 200
	maxFinds = 10_000
	maxEdits = 1 << 20
)

// A Plain is a text whose disguises are undone.
type Plain struct {
	Text  string
	Finds []Find
	edits []edit // in rising order of offset
	first *Plain // result of the previous step, nil for the first

	Details phrase.Table // messages of details of finds

	More int // number of finds beyond maxFinds
	Left int // number of places left unchanged beyond maxEdits
}

// Moved converts an offset in the text given to Undo to one in the text that it returned.
func (p *Plain) Moved(at int) int {
	if p.first != nil {
		at = p.first.Moved(at)
	}
	return p.places(at)
}

// places is Moved for the last step.
func (p *Plain) places(at int) int {
	i := sort.Search(len(p.edits), func(i int) bool { return p.edits[i].start > at })
	if i == 0 {
		return at
	}
	e := p.edits[i-1]
	if at < e.end {
		return e.place
	}
	return at + e.shift
}

// An edit replaces [start, end) of the first text; the replacement is at place in the second
// text. After it, offsets differ by shift.
type edit struct {
	start, end, place, shift int
	text                     string
}

// A word is a run of letters, including marks and invisible characters.
type word struct {
	start, end int
	letters    int
	scripts    [scripts]int // letters of each script
	alike      [scripts]int // of these, letters that look like one of another script
	same       int          // letters that look like Latin letters
	forms      int          // Latin letters in other forms
	wide       int          // full-width Latin letters
	invisible  int
	detail     rune // the first invisible character
}

// The scripts with look-alike letters.
const (
	other = iota
	latin
	cyrillic
	greek
	exotic
	scripts
)

var scriptNames = [scripts]*phrase.Phrase{
	latin: phrase.Error("said.latin", "Latin"), cyrillic: phrase.Error("said.cyrillic", "Cyrillic"), greek: phrase.Error("said.greek", "Greek"), exotic: phrase.Error("said.foreign", "foreign"),
}

// maxPending is the maximum number of consecutive words entirely in another script that may be
// a disguise.
const maxPending = 5

// An undoer processes a text word by word.
type undoer struct {
	Plain
	ctx      context.Context
	pulse    *format.Pulse
	err      error // error of the context
	in       string
	latin    bool         // the previous word is Latin
	pending  []word       // previous words that could be Latin throughout
	spaced   int          // end of the last spaced word, 0 before the first
	tried    int          // end of the last row of single letters that was rejected
	dominant [scripts]int // letters so far, by script

	minSpaced int             // least length of a spaced word in letters
	loose     bool            // words of mixed scripts are frequent, so that short ones are disguised, too
	words     int             // spaced words so far
	row       int             // consecutive spaced words
	letters   int             // letters in spaced words so far
	brief     bool            // a spaced row seldom has several words
	mixed     int             // words of mixed scripts so far
	joined    map[string]int  // spaced words so far that cannot contain a line end, in lower case
	broken    int             // line ends so far inside a spaced word
	kept      int             // line ends so far between spaced words
	known     map[string]bool // words of the text; nil until needed
}

// Undo finds the disguises in text, which must be UTF-8, and undoes those that change words.
// The error is that of the context.
func Undo(ctx context.Context, text string) (*Plain, error) {
	if clean(text) {
		return &Plain{Text: text}, nil
	}
	return undo(ctx, text)
}

// undo joins words at narrow spaces, then removes masks from letters, then processes each
// word.
func undo(ctx context.Context, text string) (*Plain, error) {
	p := &Plain{Text: text}
	for _, step := range []func(context.Context, string) (*Plain, error){narrow, unmask, undoWords} {
		next, err := step(ctx, p.Text)
		if next != nil {
			next.after(p)
			p = next
		}
		if err != nil {
			return p, err
		}
	}
	return p, nil
}

// after sets the result of the previous step.
func (p *Plain) after(first *Plain) {
	p.Details.Merge(first.Details)
	if len(first.edits) == 0 {
		return
	}
	p.first = first
	p.More += first.More
	p.Left += first.Left
	for _, f := range first.Finds {
		if f.Start, f.End = p.places(f.Start), p.places(f.End); f.End > f.Start {
			p.Finds = append(p.Finds, f)
		}
	}
	sort.SliceStable(p.Finds, func(i, j int) bool { return p.Finds[i].Start < p.Finds[j].Start })
	if n := len(p.Finds); n > maxFinds {
		p.Finds, p.More = p.Finds[:maxFinds], p.More+n-maxFinds
	}
}

// undoWords processes each word and, if disguises are frequent, repeats this with lower
// thresholds.
func undoWords(ctx context.Context, text string) (*Plain, error) {
	u := &undoer{ctx: ctx, pulse: format.NewPulse(ctx), in: text, minSpaced: minSpaced, joined: map[string]int{}}
	u.walk()
	spaced, mixed := frequent(u.words, text), frequent(u.mixed, text)
	if (spaced || mixed) && u.err == nil {
		next := &undoer{ctx: ctx, pulse: u.pulse, in: text, minSpaced: minSpaced, loose: mixed, joined: u.joined}
		if spaced {
			u.know()
			next.known = u.known
			next.minSpaced, next.brief = minOften, u.letters < briefWord*u.words
			for w := range u.joined {
				next.known[w] = next.known[w] || utf8.RuneCountInString(w) > 1
			}
		}
		next.walk()
		return &next.Plain, next.err
	}
	return &u.Plain, u.err
}

// going counts a step and reports whether the context is still valid.
func (u *undoer) going() bool {
	if u.err == nil {
		u.err = u.pulse.Err()
	}
	return u.err == nil
}

// within returns a processed stretch of the text without its disguises.
func (u *undoer) within(text string) string {
	p, err := Undo(u.ctx, text)
	if err != nil {
		u.err = err
	}
	return p.Text
}

// frequent reports whether there are too many disguised words for an accident.
func frequent(words int, text string) bool { return words >= 3 && words*often > len(text) }

// walk processes the words in order.
func (u *undoer) walk() {
	text := u.in
	for at := 0; at < len(text) && u.going(); {
		end, plain := latinWord(text, at)
		switch {
		case end == at: // no letter
			r, size := utf8.DecodeRuneInString(text[at:])
			switch at += size; {
			case r == turn:
				at = u.turned(at - size)
			case u.often() && unicode.IsDigit(r):
				at = u.digits(at - size)
			}
		case !plain:
			at = u.word(at)
		case end-at <= 2 && utf8.RuneCountInString(text[at:end]) == 1:
			at = u.single(u.measure(at))
		default:
			if len(u.pending) > 0 {
				u.settle(latin)
			}
			u.dominant[latin] += end - at
			u.latin, u.row = true, 0
			at = end
		}
	}
	u.settle(other)
	u.Text = u.edited()
}

// edited returns the text with all edits. It allocates exactly the result, and nothing if
// there are no edits.
func (u *undoer) edited() string {
	if len(u.edits) == 0 {
		return u.in
	}
	var b strings.Builder
	b.Grow(u.now(len(u.in)))
	copied := 0
	for _, e := range u.edits {
		b.WriteString(u.in[copied:e.start])
		b.WriteString(e.text)
		copied = e.end
	}
	b.WriteString(u.in[copied:])
	return b.String()
}

func isASCIILetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// latinWord returns the end of the word at from, or from if there is none. plain reports that
// the word has only Latin letters of one or two bytes, as most words; of other words it
// examines only the start.
func latinWord(text string, from int) (end int, plain bool) {
	for at := from; at < len(text); {
		c := text[at]
		if c < utf8.RuneSelf {
			if !isASCIILetter(c) {
				return at, true
			}
			at++
			continue
		}
		if 0xC3 <= c && c <= 0xC9 && at+1 < len(text) && !(c == 0xC3 && (text[at+1] == 0x97 || text[at+1] == 0xB7)) && !(c == 0xC9 && text[at+1] >= 0x90) {
			at += 2 // U+00C0 to U+024F without the signs × and ÷
			continue
		}
		r, _ := utf8.DecodeRuneInString(text[at:])
		if unicode.IsLetter(r) || at > from && (unicode.IsMark(r) || normalize.Invisible(r)) {
			return at + 1, false
		}
		return at, true
	}
	return len(text), true
}

// word processes the word at from and returns its end.
func (u *undoer) word(from int) int {
	w := u.measure(from)
	switch w.letters {
	case 0:
		return u.blank(from)
	case 1:
		return u.single(w)
	}
	return u.undoWord(w)
}

// undoWord processes a word and returns its end.
func (u *undoer) undoWord(w word) int {
	target, script := w.mixed(u.main(), u.loose), w.script()
	if target != other && !u.convertible(w, target) {
		target = u.main()
	}
	if target != other && (!u.convertible(w, target) || u.phonetic(w)) {
		target = other // honest mixture
	}
	if u.loose && w.foreign() && u.main() == latin {
		target = latin
	}
	if target != other {
		script = target
	}
	foreign := target == other && w.foreign() && (len(u.pending) > 0 || u.main() == latin) // in a Russian or Greek text these are words
	if !foreign {
		u.settle(script)
		u.apply(w, target)
	} else if u.latin || len(u.pending) > 0 {
		u.pending = append(u.pending, w)
	} else {
		u.apply(w, other)
	}
	if target != other {
		u.dominant[target] += w.letters
	} else {
		for s, n := range w.scripts {
			u.dominant[s] += n
		}
	}
	u.latin = script == latin
	return w.end
}

// measure counts the letters of the word at from.
func (u *undoer) measure(from int) word {
	w := word{start: from, end: from}
	hidden, table := false, kinds()
	for at := from; at < len(u.in); {
		r, size := utf8.DecodeRuneInString(u.in[at:])
		k := kind{inside: true, shown: true, letter: 1}
		switch {
		case r < rune(len(table)):
			k = table[r]
		case 0x3041 <= r && r < 0x3097, 0x4E00 <= r && r < 0xA000, 0xAC00 <= r && r < 0xD7A4: // most of East Asia
		default:
			k = kindOf(r)
		}
		if !k.inside {
			break
		}
		at += size
		if k.letter > 0 {
			w.letters++
			w.scripts[k.script]++
			w.alike[k.script] += int(k.alike)
			w.same += int(k.same)
			w.forms += int(k.form)
			w.wide += int(k.wide)
		}
		if k.shown {
			w.end = at
		}
		hidden = hidden || k.invisible
	}
	if hidden {
		return u.hidden(w)
	}
	return w
}

// A kind is what measure needs to know of a character. The numbers are 0 or 1.
type kind struct {
	inside, shown, invisible                bool // may be in a word, is part of one, is invisible
	letter, script, alike, same, form, wide uint8
}

// kinds holds the kinds of the first characters, most scripts of which use spaces.
var kinds = sync.OnceValue(func() *[0x1000]kind {
	var t [0x1000]kind
	for r := range t {
		t[r] = kindOf(rune(r))
	}
	return &t
})

func kindOf(r rune) kind {
	k := kind{invisible: normalize.Invisible(r)}
	letter := unicode.IsLetter(r)
	k.shown = letter || unicode.IsMark(r) && !k.invisible
	k.inside = (k.shown || k.invisible) && !isBlank(r)
	if !letter {
		return k
	}
	s := scriptOf(r)
	k.letter, k.script = 1, uint8(s)
	like, ok := lookalikes()[r]
	if !ok {
		return k
	}
	k.alike = 1
	if l := like[latin]; l != 0 && lookalikes()[l][s] == r {
		k.same = 1
	}
	if s == exotic && isForm(r) {
		k.form = 1
		if r < 0x10000 && r >= 0xFF21 {
			k.wide = 1
		}
	}
	return k
}

// hidden counts the invisible characters in the word.
func (u *undoer) hidden(w word) word {
	for _, r := range u.in[w.start:w.end] {
		if normalize.Invisible(r) {
			if w.invisible == 0 {
				w.detail = r
			}
			w.invisible++
		}
	}
	return w
}

// apply writes the word in the script, unchanged for other, and reports its invisible
// characters, which some scripts need.
func (u *undoer) apply(w word, script int) {
	start := u.now(w.start)
	if script != other {
		u.replace(w, script)
	}
	if w.invisible > 0 && w.scripts[other] == 0 {
		u.note(start, u.now(w.end), w)
	}
}

// note reports the invisible characters of a word.
func (u *undoer) note(start, end int, w word) {
	if n := len(u.Finds); n > 0 && u.Finds[n-1].Kind == Invisible && start-u.Finds[n-1].End < near {
		u.Finds[n-1].End = end
		u.Finds[n-1].Count += w.invisible
		return
	}
	u.find(Find{Invisible, start, end, w.invisible, u.inside(w.detail)})
}

func (u *undoer) find(f Find) {
	if len(u.Finds) < maxFinds {
		u.Finds = append(u.Finds, f)
	} else {
		u.More++
	}
}

// detail returns the English text of a detail of a find, and records its message.
func (u *undoer) detail(name, text string, args ...any) string {
	return u.Details.Add(phrase.Error(name, text, args...))
}

// inside returns the detail of a character inside words.
func (u *undoer) inside(c rune) string {
	return u.detail("said.inside-words", "{character} inside words", "character", fmt.Sprintf("%U", c))
}

// replacing returns the detail of letters of one script in the place of those of another.
func (u *undoer) replacing(from, by int) string {
	return u.detail("said.letters-for", "{script} letters in the place of {other}", "script", scriptNames[by], "other", scriptNames[from])
}

// now converts an offset in the text processed so far to one in the new text.
func (u *undoer) now(at int) int {
	if n := len(u.edits); n > 0 {
		return at + u.edits[n-1].shift
	}
	return at
}

// change replaces [start, end) with text. After maxEdits changes it leaves the text unchanged:
// no honest text needs that many.
func (u *undoer) change(start, end int, text string) {
	if len(u.edits) == maxEdits {
		u.Left++
		return
	}
	place := u.now(start)
	u.edits = append(u.edits, edit{start, end, place, place + len(text) - end, text})
}

// blank processes blank letters at from and replaces them with a space if they are between
// visible letters.
func (u *undoer) blank(from int) int {
	end := from
	for {
		r, size := utf8.DecodeRuneInString(u.in[end:])
		if !isBlank(r) {
			break
		}
		end += size
	}
	u.settle(other)
	if !u.latin && u.main() == latin {
		return end
	}
	start := u.now(from)
	count := utf8.RuneCountInString(u.in[from:end])
	first, _ := utf8.DecodeRuneInString(u.in[from:])
	u.change(from, end, " ")
	u.find(Find{Invisible, start, start + 1, count, u.detail("said.place-of-spaces", "{character} in the place of spaces", "character", fmt.Sprintf("%U", first))})
	return end
}

// turn is the character that starts text from right to left.
const turn = '\u202e'

// maxTurned is the maximum length in bytes of reversed text that is restored.
const maxTurned = 1000

// turned restores text at from that is written backwards and displayed in reverse, so that it
// reads normally.
func (u *undoer) turned(from int) int {
	start := from + len(string(turn))
	rest := u.in[start:min(start+maxTurned, len(u.in))]
	n := strings.IndexFunc(rest, func(r rune) bool { return r == '\u202c' || r == '\n' || r >= 0x590 && r < 0x900 || r == turn })
	if n < 0 {
		n = len(rest)
	}
	r, size := utf8.DecodeRuneInString(rest[n:])
	if strings.IndexFunc(rest[:n], func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) < 0 || r != '\u202c' && r != '\n' && start+n < len(u.in) {
		return start
	}
	u.settle(other)
	end := start + n
	if r == '\u202c' {
		end += size
	}
	text := u.within(backwards(rest[:n]))
	at := u.now(from)
	u.change(from, end, text)
	u.find(Find{Invisible, at, at + len(text), utf8.RuneCountInString(rest[:n]), u.detail("said.turns-round", "{character} turns text round", "character", fmt.Sprintf("%U", turn))})
	return end
}

// backwards returns s with its characters in reverse order, marks after their letters.
func backwards(s string) string {
	out := make([]byte, 0, len(s))
	for end := len(s); end > 0; {
		at := end
		for at > 0 {
			r, size := utf8.DecodeLastRuneInString(s[:at])
			if at -= size; !unicode.IsMark(r) {
				break
			}
		}
		out = append(out, s[at:end]...)
		end = at
	}
	return string(out)
}

// isBlank reports whether r is classified as a letter and displayed as a blank.
func isBlank(r rune) bool { return r == 0x3164 || r == 0x115F || r == 0x1160 || r == 0xFFA0 }

// A width is a class of widths of spaces.
type width uint8

// The widths of spaces.
const (
	none width = iota
	thin
	usual
	broad
)

// widthOf returns the width of a space, none for other characters.
func widthOf(r rune) width {
	switch {
	case r == ' ', r == '\u00a0', r == 0x2004, r == 0x2005:
		return usual
	case isNarrow(r):
		return thin
	case 0x2000 <= r && r <= 0x200A:
		return broad
	}
	return none
}

func isSpace(r rune) bool { return widthOf(r) > none }

// gapBefore returns the size in bytes of the space at the start of s, 0 if there is none or it
// is wider than widest.
func gapBefore(s string, widest width) int {
	r, size := utf8.DecodeRuneInString(s)
	if w := widthOf(r); w == none || w > widest {
		return 0
	}
	return size
}

// withoutGaps returns s without spaces and without CR.
func withoutGaps(s string) string {
	return strings.Map(func(r rune) rune {
		if isSpace(r) || r == '\r' {
			return -1
		}
		return r
	}, s)
}
