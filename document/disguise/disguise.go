// Package disguise finds what was done to a text so that a copy is not found
// although it reads the same, and undoes it.
//
// Known are letters of another script that look alike (a Cyrillic а in a Latin word),
// letters separated by spaces, characters that show nothing inside words, and what is
// put on all letters of a stretch: strokes and dots that no language has there,
// circles, raised letters and small capitals. [Undo] is all that is to be called. All are
// undone in the text it returns but characters that show nothing: these are only
// reported, since they are left out of words anyway. All have honest reasons too: a find
// is no verdict.
package disguise

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/normalize"
)

// A Kind is a way in which text is disguised.
type Kind int

const (
	Script    Kind = iota // letters of another script inside words
	Spaced                // letters of a word separated by spaces
	Invisible             // characters that show nothing, inside words
)

// A Find is a place where text is disguised.
type Find struct {
	Kind       Kind
	Start, End int // byte range in the text that Undo returns
	Count      int // characters concerned
	Detail     string
}

// near is how far apart two finds of invisible characters may be that are reported
// of as one, maxFinds how many there may be of one text, and maxEdits how many
// places of it are changed.
const (
	near     = 200
	maxFinds = 10_000
	maxEdits = 1 << 20
)

// A Plain is a text with its disguises undone.
type Plain struct {
	Text  string
	Finds []Find
	edits []edit // by rising place
	first *Plain // what was done to the text before, nil for nothing

	More int // finds that are not in Finds, of which there are too many
	Left int // places that were not changed, being too many
}

// Moved returns where a place of the text that Undo was given is in the one it
// returned.
func (p *Plain) Moved(at int) int {
	if p.first != nil {
		at = p.first.Moved(at)
	}
	return p.places(at)
}

// places is Moved, of the text that the edits were made in.
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

// An edit puts text in the place of [start, end) of the first text, which is at
// place in the second; after it, places differ by shift.
type edit struct {
	start, end, place, shift int
	text                     string
}

// A word is a run of letters, with marks and invisible characters in it.
type word struct {
	start, end int
	letters    int
	scripts    [scripts]int // letters of each script
	alike      [scripts]int // of them, those that look like a letter of another
	same       int          // letters that look like Latin ones
	forms      int          // Latin letters in other forms
	invisible  int
	detail     rune // the first invisible one
}

// The scripts that have letters which look alike.
const (
	other = iota
	latin
	cyrillic
	greek
	exotic
	scripts
)

var scriptNames = [scripts]string{other: "other", latin: "Latin", cyrillic: "Cyrillic", greek: "Greek", exotic: "foreign"}

// maxPending is how many words in a row may be of another script altogether and
// yet be a disguise.
const maxPending = 5

// An undoer walks a text word by word.
type undoer struct {
	Plain
	ctx      context.Context
	pulse    *format.Pulse
	err      error // of the context
	in       string
	latin    bool         // the word before is Latin
	pending  []word       // words before, all of whose letters could be Latin
	spaced   int          // where the last spaced word ended, 0 before the first
	tried    int          // where the last row of single letters ended that was none
	dominant [scripts]int // letters so far, by script

	minSpaced int             // letters in a row that are a spaced word
	loose     bool            // words of several scripts are frequent: short ones are disguised, too
	words     int             // spaced words so far
	row       int             // of them, those after the last other word
	letters   int             // in spaced words so far
	brief     bool            // spaced words are hardly ever several in a row
	mixed     int             // words of several scripts so far
	joined    map[string]int  // spaced words so far that no line may break, in lower case
	broken    int             // ends of lines so far that were found to be within a spaced word
	kept      int             // and those between two
	known     map[string]bool // words of the text, nil while none were asked for
}

// Undo finds the disguises in text, which must be UTF-8, and undoes those that
// change its words. The error is that of the context.
func Undo(ctx context.Context, text string) (*Plain, error) {
	if clean(text) {
		return &Plain{Text: text}, nil
	}
	return undo(ctx, text)
}

// undo joins what narrow spaces part, takes off the masks of words, and then looks at
// every one.
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

// after puts p after what was done to the text before.
func (p *Plain) after(first *Plain) {
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

// undoWords looks at every word, and once more with less caution where disguises are
// frequent.
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

// going counts a step, and reports whether there is time for it.
func (u *undoer) going() bool {
	if u.err == nil {
		u.err = u.pulse.Err()
	}
	return u.err == nil
}

// within returns a stretch that was undone, without the disguises in it.
func (u *undoer) within(text string) string {
	p, err := Undo(u.ctx, text)
	if err != nil {
		u.err = err
	}
	return p.Text
}

// frequent reports whether a text has so many disguised words that they are no
// accident.
func frequent(words int, text string) bool { return words >= 3 && words*often > len(text) }

// walk takes one word after the other.
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

// edited returns the text with all edits made. It takes just the memory of the
// result, and none where nothing is to be changed.
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

// latinWord returns where the word at from ends, which is from where none is.
// plain says that it consists of Latin letters of one or two bytes and nothing
// else, which most words do; of another word only the start is looked at.
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

// word takes the word at from and returns where it ends.
func (u *undoer) word(from int) int {
	w := u.measure(from)
	switch w.letters {
	case 0:
		return u.blank(from)
	case 1:
		return u.single(w)
	}
	return u.take(w)
}

// take decides about a word and returns where it ends.
func (u *undoer) take(w word) int {
	target, script := w.mixed(u.main(), u.loose), w.script()
	if target != other && !u.convertible(w, target) {
		target = u.main()
	}
	if target != other && (!u.convertible(w, target) || u.phonetic(w)) {
		target = other // honestly mixed
	}
	if u.loose && w.foreign() && u.main() == latin {
		target = latin
	}
	if target != other {
		script = target
	}
	foreign := target == other && w.foreign() && (len(u.pending) > 0 || u.main() == latin) // in Russian or Greek they are words
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
	for at := from; at < len(u.in); {
		r, size := utf8.DecodeRuneInString(u.in[at:])
		switch {
		case isBlank(r):
			return u.hidden(w)
		case unicode.IsLetter(r):
			w.count(r)
			w.end = at + size
		case unicode.IsMark(r) && !normalize.Invisible(r):
			w.end = at + size
		case normalize.Invisible(r):
		default:
			return u.hidden(w)
		}
		at += size
	}
	return u.hidden(w)
}

func (w *word) count(r rune) {
	s := scriptOf(r)
	w.letters++
	w.scripts[s]++
	like, ok := lookalikes[r]
	if !ok {
		return
	}
	w.alike[s]++
	if l := like[latin]; l != 0 && lookalikes[l][s] == r {
		w.same++
	}
	if s == exotic && isForm(r) {
		w.forms++
	}
}

// hidden counts the invisible characters within the word.
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

// apply writes the word in the script, as it is for other, and reports its
// invisible characters, which some scripts need.
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
	u.find(Find{Invisible, start, end, w.invisible, fmt.Sprintf("%U inside words", w.detail)})
}

func (u *undoer) find(f Find) {
	if len(u.Finds) < maxFinds {
		u.Finds = append(u.Finds, f)
	} else {
		u.More++
	}
}

// now returns where a place of the text read so far is in the new one.
func (u *undoer) now(at int) int {
	if n := len(u.edits); n > 0 {
		return at + u.edits[n-1].shift
	}
	return at
}

// change puts text in the place of [start, end). Behind maxEdits it leaves the
// text as it is: no text that is read by people has so many.
func (u *undoer) change(start, end int, text string) {
	if len(u.edits) == maxEdits {
		u.Left++
		return
	}
	place := u.now(start)
	u.edits = append(u.edits, edit{start, end, place, place + len(text) - end, text})
}

// blank takes the letters at from that show nothing, and puts a space in their
// place if they are between letters that show.
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
	u.find(Find{Invisible, start, start + 1, count, fmt.Sprintf("%U in the place of spaces", first)})
	return end
}

// turn is the character after which text is written from right to left.
const turn = '\u202e'

// maxTurned is how many bytes of turned text are put right together.
const maxTurned = 1000

// turned takes text at from that is written backwards and turned round, so that
// it is seen as it would be without both.
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
	u.find(Find{Invisible, at, at + len(text), utf8.RuneCountInString(rest[:n]), fmt.Sprintf("%U turns text round", turn)})
	return end
}

// backwards returns the characters of s from the last to the first, with marks
// after their letters.
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

// isBlank reports whether r is a letter by name and a blank by looks.
func isBlank(r rune) bool { return r == 0x3164 || r == 0x115F || r == 0x1160 || r == 0xFFA0 }

// A width says how wide a space is, beside others.
type width uint8

// The widths of spaces.
const (
	none width = iota
	thin
	usual
	broad
)

// widthOf returns how wide a space is, none for another character.
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

// gapBefore returns how many bytes the space at the start of s takes, 0 where there is
// none or it is wider than others are.
func gapBefore(s string, widest width) int {
	r, size := utf8.DecodeRuneInString(s)
	if w := widthOf(r); w == none || w > widest {
		return 0
	}
	return size
}

// withoutGaps returns s without its spaces and the ends of lines in old files.
func withoutGaps(s string) string {
	return strings.Map(func(r rune) rune {
		if isSpace(r) || r == '\r' {
			return -1
		}
		return r
	}, s)
}
