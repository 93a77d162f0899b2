// Package layout converts the lines on the pages of a PDF into running text. A PDF states
// neither words nor paragraphs: layout joins lines, including words across line ends, and
// omits running heads, which would interrupt sentences.
//
// [PDF] is the reader. [Ready] waits for the engine, so that waiting does not count against
// the limit of time of a file.
package layout

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/pdf"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
)

// Looks reports whether data is a PDF. If other bytes precede the header, it must also have a
// PDF trailer or binary bytes, since a text may quote the header.
func Looks(data []byte) bool {
	before, _, found := bytes.Cut(data[:min(len(data), 1024)], []byte("%PDF-"))
	if !found {
		return false
	}
	before = bytes.TrimSpace(bytes.TrimPrefix(before, []byte("\ufeff")))
	return len(before) == 0 || bytes.Contains(data, []byte("%%EOF")) || bytes.ContainsAny(data, "\x00\x01\x02\x03\x04\x05\x06\x07")
}

// Ready waits for an engine.
func Ready(ctx context.Context, src *format.Source) (done func(), err error) {
	return pdf.Ready(ctx, options(src))
}

func options(src *format.Source) pdf.Options {
	return pdf.Options{MaxText: int(src.Bytes), Memory: src.Memory}
}

// PDF reads the text of a PDF. Call [Ready] first.
func PDF(ctx context.Context, src *format.Source) (*format.Text, error) {
	f, err := pdf.Read(ctx, src.Data, options(src))
	if err != nil {
		return nil, pdfError(err)
	}
	mendCyrillic(f.Pages)
	mendCork(f.Pages)
	read, err := recognize(ctx, src, f)
	if err != nil {
		return nil, err
	}
	gathered := order(f.Pages)
	t := text(f)
	t.Title, t.Author = flow.OneLine(mendStated(f.Title, t.Text)), flow.OneLine(mendStated(f.Author, t.Text))
	pictures := pictures(f.Pages)
	noteTextless(t, f, pictures)
	noteGathered(t, gathered, len(f.Pages))
	read.addNotes(t, src, len(f.Pages))
	swapped(t, f.Pages)
	replaced(t, f.Pages)
	if attach(t, f); f.Portfolio {
		return &format.Text{Attached: t.Attached}, nil
	}
	return t, check(t, f, len(pictures), read)
}

// attach passes the attached files on and counts those that are not read. The pages of a portfolio
// only say that it is one.
func attach(t *format.Text, f *pdf.File) {
	for _, a := range f.Attached {
		t.Attached = append(t.Attached, format.Attached{Name: a.Name, Data: a.Data})
	}
	t.Note(phrase.Counted("said.attached-unread", "{n} attached file is not read", "{n} attached files are not read", f.Omitted))
}

// unsaid returns the values of an XML form if the file has no form fields with them.
func unsaid(f *pdf.File) []string {
	if slices.ContainsFunc(f.Pages, func(p pdf.Page) bool { return len(p.Fields) > 0 }) {
		return nil
	}
	return f.Filled
}

// text joins the lines of pages.
func text(f *pdf.File) *format.Text {
	pages := f.Pages
	heads := runningHeads(pages)
	numbered := omitLineNumbers(pages, heads)
	b := builder{leading: leading(pages), accused: map[string]bool{}, known: knownWords(pages)}
	for _, s := range hidings(pages) {
		b.accused[s.why] = s.suspicious()
	}
	for i, p := range pages {
		b.page(p, heads[i])
	}
	b.values(unsaid(f))
	t, _ := b.Done()
	t.Pages, t.PageLabels = b.pages, f.Labels
	noteLineNumbers(t, numbered, len(pages))
	return t
}

// check returns the reason why a file has no text, nil if it has some.
func check(t *format.Text, f *pdf.File, pictures int, read *recognition) error {
	err := t.Check()
	if why := read.missing(); err != nil && why != nil {
		return fmt.Errorf("%w: %w: %w", format.ErrNoLayer, scanned(pictures, f), why)
	}
	if err != nil && pictures > 0 {
		return fmt.Errorf("%w: %w: %w", format.ErrNoLayer, scanned(pictures, f), phrase.Error("said.scan-unread", "a scan without recognised text"))
	}
	if err != nil && f.Broken > 0 {
		return fmt.Errorf("%w: %w", format.ErrDamaged, broken(f))
	}
	if err == nil && isMeaningless(t.Text) {
		err = fmt.Errorf("%w: %w", format.ErrNoLayer, fontsSilent)
		if why := read.missing(); why != nil {
			err = fmt.Errorf("%w: %w", err, why)
		}
	}
	return err
}

// scanned states that pages of f are only pictures.
func scanned(pages int, f *pdf.File) error {
	return phrase.Error("said.scan", "only pictures on {pages} of {all} pages", "pages", pages, "all", len(f.Pages))
}

// broken states that pages of f cannot be read.
func broken(f *pdf.File) *phrase.Phrase {
	return phrase.Error("said.pages-unreadable", "{pages} of {all} pages cannot be read", "pages", f.Broken, "all", len(f.Pages))
}

// pdfError converts errors of the engine.
func pdfError(err error) error {
	if errors.Is(err, pdf.ErrEncrypted) {
		return format.ErrEncrypted
	}
	for from, to := range map[error]error{pdf.ErrDamaged: format.ErrDamaged, pdf.ErrTooLarge: format.ErrTooLarge} {
		if errors.Is(err, from) {
			return fmt.Errorf("%w: %w", to, err)
		}
	}
	return err
}

// pictures returns the pages that show only pictures.
func pictures(pages []pdf.Page) []int {
	var only []int
	for i, p := range pages {
		if len(p.Fields) == 0 && !p.Recognized && isPicture(p) {
			only = append(only, i)
		}
	}
	return only
}

// stampChars is the maximum number of characters on a page that counts as a picture: a page
// number or a library stamp.
const stampChars = 60

// leastSpread is the least share of a page that pictures must span to be its text. A page with
// only a small photo is noted, not flagged, as is an empty page of a scan, or a short text before a photo.
const leastSpread = 0.25

// isPicture reports whether a page shows only a picture.
func isPicture(p pdf.Page) bool {
	if len(p.Lines) == 0 {
		return p.Images > 0
	}
	chars := lists.Sum(p.Lines, func(l pdf.Line) int { return flow.Visible(l.Text) })
	return p.Covered && chars < stampChars || p.Unread.Words >= pictureWords && p.Unread.Words > pictureTimes*(chars/wordChars)
}

// A page with some lines of text counts as a picture if its drawings show this many words and
// this many times the words of its text.
const (
	pictureWords = 100
	pictureTimes = 3
	wordChars    = 5 // letters of a word, approximately
)

// maxNumbers is the maximum number of pages or ranges in a note.
const maxNumbers = 20

// numbers formats page numbers, as in "2, 5–7".
func numbers(pages []int) string {
	var list []string
	for from := 0; from < len(pages); {
		to := from
		for to+1 < len(pages) && pages[to+1] == pages[to]+1 {
			to++
		}
		if len(list) == maxNumbers {
			return strings.Join(list, ", ") + " …"
		}
		s := strconv.Itoa(pages[from] + 1)
		if to > from {
			s += "–" + strconv.Itoa(pages[to]+1)
		}
		list = append(list, s)
		from = to + 1
	}
	return strings.Join(list, ", ")
}

// noteTextless notes pages without text.
func noteTextless(t *format.Text, f *pdf.File, pictures []int) {
	if n := len(pictures); n > 0 {
		t.Note(phrase.Error("said.pages-of-pictures", "only pictures without text on {pages} of {all} pages: {list}", "pages", n, "all", len(f.Pages), "list", numbers(pictures)))
	}
	if large := slices.DeleteFunc(slices.Clone(pictures), func(i int) bool { return f.Pages[i].Spread < leastSpread || f.Pages[i].Blank }); len(large) > 0 {
		at := t.Pages[large[0]]
		t.Flags = append(t.Flags, format.Flag{Kind: format.NoTextLayer, Start: at, End: at, Count: len(large), Detail: "pages that are pictures"})
	}
	if f.Broken > 0 {
		t.Note(broken(f))
	}
	for _, s := range hidings(f.Pages) {
		if !s.suspicious() {
			s.addNote(t, len(f.Pages))
		}
	}
	noteLimits(t, f)
	noteWhole(t, f)
	bad := meaningless(t.Text)
	unsaid := bad*5 > utf8.RuneCountInString(t.Text)
	if bad >= leastBad && bad*badShare > utf8.RuneCountInString(t.Text) || unsaid || f.Jumbles*2 > len(f.Pages) {
		t.Note(fontsSilent)
	}
	if unsaid {
		t.Flags = append(t.Flags, format.Flag{Kind: format.UnknownFont, Start: 0, End: len(t.Text), Count: bad, Detail: "characters without a meaning"})
	}
}

// Least number of characters without a meaning that is noted, and one in so many of the text.
const (
	leastBad = 5
	badShare = 20
)

// Least numbers of words of one glyph each that are noted and flagged.
const (
	wholeNoted   = 3
	wholeFlagged = 20
)

// noteWhole notes and flags words that a font draws as one glyph each: it may draw any others.
func noteWhole(t *format.Text, f *pdf.File) {
	words := lists.Sum(f.Pages, func(p pdf.Page) int { return p.Whole })
	if words >= wholeFlagged {
		t.Flags = append(t.Flags, format.Flag{Kind: format.UnknownFont, Start: 0, End: len(t.Text), Count: words, Detail: "words drawn as one glyph each"})
	} else if words >= wholeNoted {
		t.Note(phrase.Error("said.words-of-one-glyph", "a font draws {words} words as one glyph each, which may show other words than the text states", "words", words))
	}
}

var fontsSilent = phrase.Error("said.fonts-silent", "the fonts do not state which characters they show")

// isMeaningless reports whether most characters of a text have no meaning. A file of such text is
// not flagged, since nothing is hidden beside a text that is read.
func isMeaningless(text string) bool { return meaningless(text)*2 > flow.Visible(text) }

// noteLimits adds notes about parts that were not examined.
func noteLimits(t *format.Text, f *pdf.File) {
	note := func(n int, name, text string) {
		if n > 0 {
			t.Note(phrase.Error(name, text, "pages", n, "all", len(f.Pages)))
		}
	}
	comments, words, differ := 0, 0, 0
	var unread, unsearched []int
	largest, all := 0.0, 0.0
	for i, p := range f.Pages {
		comments += p.Comments
		differ += p.Differ
		if p.Unread.Lines > 0 && len(p.Recovered) == 0 && !p.Recognized && !isPicture(p) {
			unread = append(unread, i)
			words += p.Unread.Words
		}
		if p.Unsearched > 0 {
			unsearched = append(unsearched, i)
			largest, all = max(largest, p.Unsearched), all+p.Unsearched
		}
	}
	if len(unread) > 0 {
		t.Note(phrase.Error("said.shown-unread", "pictures or drawings on {pages} of {all} pages show text that is not read, about {words} words: {list}", "pages", len(unread), "all", len(f.Pages), "words", words, "list", numbers(unread)))
	}
	if largest >= leastSpread || all >= mostUnsearched {
		t.Note(phrase.Error("said.pictures-unsearched", "pictures on {pages} of {all} pages were not searched for text, as that takes too long: {list}", "pages", len(unsearched), "all", len(f.Pages), "list", numbers(unsearched)))
	}
	t.Note(phrase.Counted("said.comments", "{n} comment on the pages is omitted", "{n} comments on the pages are omitted", comments))
	t.Note(phrase.Counted("said.fields-differ", "{n} form field or annotation shows other words than it states: both are read", "{n} form fields or annotations show other words than they state: both are read", differ))
	noteAside(t, f)
	note(f.Many, "said.draws-much", "{pages} of {all} pages are so complex that only a part was searched for hidden text")
	note(f.Unsure, "said.taken-for-hidden", "{pages} of {all} pages have text that counts as hidden: rendering them to verify that takes too long")
	note(f.Unproved, "said.drawings-may-hide", "{pages} of {all} pages have text that drawings may hide: rendering them to verify that takes too long")
	if left := f.Strange - f.Jumbles - f.Compared; f.Undrawn || left*2 > len(f.Pages) {
		note(f.Strange-f.Compared, "said.no-known-language", "{pages} of {all} pages are in no known language: their letters were not compared with the rendered page")
	}
}

// leastAside is the least number of words of annotations that is noted.
const leastAside = 20

// noteAside notes annotations that are not read: files, sound and films, and comments of some length.
func noteAside(t *format.Text, f *pdf.File) {
	var comments, files format.Unread
	for _, p := range f.Pages {
		for kind, words := range p.Aside {
			switch kind {
			case "FileAttachment", "Sound", "Movie", "Screen", "3D", "RichMedia":
				files.Part(kind)
			default:
				comments.Words(kind, words)
			}
		}
	}
	if comments.Sum() >= leastAside {
		comments.Note(t)
	}
	files.Note(t)
}

// mostUnsearched is the size of drawings that are not searched, in pages, beyond which it is noted although
// none is large.
const mostUnsearched = 0.5

// meaningless counts characters without a meaning.
func meaningless(text string) int {
	return lists.Runes(text, func(r rune) bool {
		return r == utf8.RuneError || unicode.Is(unicode.Co, r) || unicode.IsControl(r) && !unicode.IsSpace(r)
	})
}

// A builder joins lines to paragraphs.
type builder struct {
	flow.Builder
	pages   []int             // start of each page
	accused map[string]bool   // reasons of invisible text that is flagged
	leading float64           // usual line spacing
	last    *pdf.Line         // previous line, on this page or the last
	width   extent            // horizontal extent of the page's lines
	glue    bool              // the previous line ended inside a word
	known   func(string) bool // reports whether a word is on any page
}

// An extent is the horizontal range of most lines.
type extent struct{ left, right float64 }

// page adds a page without its running heads.
func (b *builder) page(p pdf.Page, heads []bool) {
	start, crossed, from := -1, true, b.Len()
	b.width = reach(p.Lines, heads)
	hidden := p.Hidden
	for i := range p.Lines {
		l := &p.Lines[i]
		at := b.Len()
		if !heads[i] {
			at = b.line(l, crossed)
			if start < 0 {
				start = at
			}
			crossed = false
		}
		for len(hidden) > 0 && hidden[0].Line <= i {
			b.hide(hidden[0], at)
			hidden = hidden[1:]
		}
	}
	for _, h := range hidden {
		b.hide(h, b.Len())
	}
	if at := b.values(p.Fields); start < 0 {
		start = at
	}
	b.pages = append(b.pages, start)
	if p.Recognized {
		b.Mark(format.Recognized, from)
	}
	b.recovered(p.Recovered)
}

// recovered adds lines that were recognised in pictures of a page with a text layer.
func (b *builder) recovered(lines []pdf.Line) {
	if len(lines) == 0 {
		return
	}
	b.last, b.glue, b.width = nil, false, reach(lines, make([]bool, len(lines)))
	from := b.Len()
	for i := range lines {
		b.line(&lines[i], false)
	}
	b.Mark(format.Recognized, from)
	b.last, b.glue = nil, false
}

// values adds the values of form fields as paragraphs and returns the start of the first.
func (b *builder) values(values []string) (start int) {
	start = b.Len()
	for i, v := range values {
		at := b.Start(flow.Part)
		if i == 0 {
			start = at
		}
		b.Text([]byte(v))
		b.last = nil
	}
	return start
}

// hide flags invisible text if it may hide a copy.
func (b *builder) hide(h pdf.Hidden, at int) {
	if b.accused[h.Why] {
		b.Hidden(min(at+h.At, b.Len()), h.Chars, h.Why)
	}
}

// line adds one line and returns its start.
func (b *builder) line(l *pdf.Line, crossed bool) int {
	text := strings.TrimSpace(l.Text)
	lower := startsLower(text)
	beside := !crossed && b.beside(l)
	if beside && b.isNoteMark(l, text) {
		last := *b.last
		last.Right = l.Right
		b.last = &last
		b.NoteMark(text)
		return b.Len()
	}
	gap := flow.Space
	switch {
	case b.last == nil:
		gap = flow.Part
	case b.dropCap(l, text):
		gap, beside = flow.None, false
	case beside:
	case b.ends(l, crossed, lower):
		gap = flow.Part
	case b.glue && lower:
		gap = flow.None
	case isSpaced(b.last.Text) && startsAlone(text):
		gap = flow.Line // unclear whether the word continues: disguise decides by the words of the document
	}
	text, b.glue = cutHyphen(text)
	b.glue = b.glue || l.Hyphen
	start := b.Start(gap)
	b.words(text, l)
	b.Glue()
	if beside && l.Size < b.last.Size {
		l = &pdf.Line{Text: l.Text, Left: b.last.Left, Right: l.Right, Base: b.last.Base, Size: b.last.Size}
	}
	b.last = l
	return start
}

// isNoteMark reports whether l, which is beside the previous line, is the mark of a note: a small
// raised number after a word of some length or after its punctuation.
func (b *builder) isNoteMark(l *pdf.Line, text string) bool {
	if n, ok := marginNumber(text); !ok || n > 999 || l.Size > markSize*b.last.Size || l.Base-b.last.Base < markRaise*b.last.Size || b.glue {
		return false
	}
	before := strings.TrimRight(strings.TrimSpace(b.last.Text), ".,;:!?\"”“’»)")
	word := before[strings.LastIndexFunc(before, func(r rune) bool { return !unicode.IsLetter(r) })+1:]
	return utf8.RuneCountInString(word) >= markWord || word != "" && len(before) < len(strings.TrimSpace(b.last.Text))
}

// Marks of notes relative to the word before, as in package pdf.
const (
	markSize  = 0.85
	markRaise = 0.15
	markWord  = 4 // least letters of the word, as x² and km² are not notes
)

// dropCap reports whether the previous line is a drop cap: a large first letter of the first word
// of l, whose text is given. A letter that is a word is one if the rest is not a word of the
// document.
func (b *builder) dropCap(l *pdf.Line, text string) bool {
	letter := strings.TrimLeft(strings.TrimSpace(b.last.Text), "\"“„«‘")
	r, size := utf8.DecodeRuneInString(letter)
	if size < len(letter) || !unicode.IsUpper(r) || !startsLower(text) || b.last.Size < dropSize*l.Size || l.Left < b.last.Left || l.Left-b.last.Right > dropGap*l.Size ||
		l.Base < b.last.Base-l.Size/2 || l.Base > b.last.Base+b.last.Size {
		return false
	}
	return !strings.ContainsRune("AIOUVKSZYEÀÉИОСВКУЯ", r) || !b.known(firstWord(text))
}

// Sizes of a large first letter relative to its text: the letter, and the space after it.
const (
	dropSize = 1.5
	dropGap  = 0.8
)

func firstWord(s string) string {
	if end := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }); end >= 0 {
		return s[:end]
	}
	return s
}

// knownWords returns a function that reports whether a word is on any of the pages, other than at
// the start of a line.
func knownWords(pages []pdf.Page) func(string) bool {
	words := sync.OnceValue(func() map[string]bool {
		m := map[string]bool{}
		for _, p := range pages {
			for _, l := range p.Lines {
				for i, w := range strings.FieldsFunc(l.Text, func(r rune) bool { return !unicode.IsLetter(r) }) {
					if i > 0 {
						m[w] = true
					}
				}
			}
		}
		return m
	})
	return func(w string) bool { return words()[w] }
}

// words adds the text of a line and marks doubtful words, which lines with references to notes do not have.
func (b *builder) words(text string, l *pdf.Line) {
	at := 0
	for _, n := range l.Notes {
		n.At = max(at, min(n.At, len(text)))
		b.Text([]byte(mend(text[at:n.At])))
		b.NoteMark(n.Number)
		at = n.At
	}
	for _, d := range l.Doubts {
		if d.End = min(d.End, len(text)); d.Start >= d.End { // part of a removed hyphen
			continue
		}
		b.Text([]byte(mend(text[at:d.Start])))
		start := b.Len()
		b.Text([]byte(mend(text[d.Start:d.End])))
		b.Mark(format.Doubtful, start)
		at = d.End
	}
	b.Text([]byte(mend(text[at:])))
}

// beside reports whether l continues the previous line at about the same height, such as
// superscripts, subscripts and the text after them.
func (b *builder) beside(l *pdf.Line) bool {
	if b.last == nil {
		return false
	}
	em := max(l.Size, b.last.Size)
	gap := l.Left - b.last.Right
	return math.Abs(l.Base-b.last.Base) < 0.6*em && gap > -0.5*em && gap < 1.5*em
}

// ends reports whether the paragraph ends before l: at a larger distance, after a short line
// that ends a sentence, or before an indented line after the end of a sentence. In doubt the
// paragraph continues, as a paragraph that is too long loses no n-gram.
func (b *builder) ends(l *pdf.Line, crossed, lower bool) bool {
	if b.glue && lower {
		return false
	}
	em := max(l.Size, 6)
	sentence := endsSentence(b.last.Text)
	down := b.last.Base - l.Base
	if !crossed && down > 0 {
		if l.Size > b.last.Size*1.15 || l.Size < b.last.Size*0.85 && down > em*0.8 {
			return true
		}
		if down > 1.3*max(b.leading*min(l.Size/max(b.last.Size, 1), 1), em) {
			return true
		}
	}
	short := b.last.Right < b.width.right-4*em
	indented := l.Left > b.width.left+0.8*em && l.Left > b.last.Left+0.8*em
	if sentence && (short || indented) && !lower {
		return true
	}
	return crossed && sentence && indented
}

func startsLower(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLower(r)
}

// endsSentence reports whether a line ends like a sentence or a heading.
func endsSentence(s string) bool {
	s = strings.TrimRight(s, " \u00a0\"'”“’‘»«)]")
	r, _ := utf8.DecodeLastRuneInString(s)
	return strings.ContainsRune(".!?:;…", r)
}

// cutHyphen removes the hyphen at the end of a line that splits a word.
func cutHyphen(s string) (string, bool) {
	for _, h := range []string{"-", "\u2010", "\u00ad"} {
		if cut, ok := strings.CutSuffix(s, h); ok {
			r, _ := utf8.DecodeLastRuneInString(cut)
			if unicode.IsLetter(r) {
				return cut, true
			}
		}
	}
	return s, false
}

// ligatures maps ligatures to letters.
var ligatures = strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl", "ﬅ", "st", "ﬆ", "st")

// accents maps the accent glyphs that old fonts draw before their letter to combining marks
// and the letters that take them.
var accents = map[rune]struct {
	mark    rune
	letters string
}{
	'´': {'\u0301', "aeiouyıAEIOUY"},
	'ˇ': {'\u030C', "cdenrstzCDENRSTZlL"},
	'˚': {'\u030A', "uUaA"},
	'¨': {'\u0308', "aeiouAEIOU"},
}

// mend resolves ligatures and combines accents with their letters.
func mend(s string) string {
	s = ligatures.Replace(s)
	if !strings.ContainsAny(s, "´ˇ˚¨") {
		return s
	}
	var b strings.Builder
	runes := []rune(s)
	for i := 0; i < len(runes); i++ {
		a, ok := accents[runes[i]]
		if !ok || i+1 == len(runes) || !strings.ContainsRune(a.letters, runes[i+1]) {
			b.WriteRune(runes[i])
			continue
		}
		i++
		letter := runes[i]
		if letter == 'ı' {
			letter = 'i'
		}
		b.WriteString(norm.NFC.String(string([]rune{letter, a.mark})))
	}
	return b.String()
}

// leading returns the usual line spacing.
func leading(pages []pdf.Page) float64 {
	var steps []float64
	for _, p := range pages {
		for i := 1; i < len(p.Lines); i++ {
			if d := p.Lines[i-1].Base - p.Lines[i].Base; d > 4 && d < 60 {
				steps = append(steps, d)
			}
		}
		if len(steps) > 10_000 {
			break
		}
	}
	if len(steps) == 0 {
		return 14
	}
	slices.Sort(steps)
	return steps[len(steps)/2]
}

// reach returns the horizontal range of the lines of a page, without the outermost tenth.
func reach(lines []pdf.Line, heads []bool) extent {
	var left, right []float64
	for i, l := range lines {
		if !heads[i] {
			left, right = append(left, l.Left), append(right, l.Right)
		}
	}
	if len(left) == 0 {
		return extent{}
	}
	slices.Sort(left)
	slices.Sort(right)
	return extent{left[len(left)/10], right[len(right)*9/10]}
}
