package pdf

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/otisk/otisk/lang/phrase"
)

// A File is the text of a PDF file.
type File struct {
	Title, Author string
	Pages         []Page
	Labels        []string // page labels as viewers show them; nil if each is the page number
	Filled        []string // values of an XFA form
	Attached      []Attached
	Omitted       int  // attached files that exceed the limits or cannot be read
	Portfolio     bool // the file is a cover of its attached files
	Broken        int  // pages that could not be read
	Undrawn       bool // rendering takes too long, so that glyphs were not examined
	Unsure        int  // pages with text that counts as invisible and was not checked by rendering
	Unproved      int  // pages with text that drawings may hide and that was not checked by rendering
	Strange       int  // pages whose words are of no known language
	Jumbles       int  // of these, pages with hardly a word in any script
	Compared      int  // of these, pages whose glyphs were compared
	Many          int  // pages so complex that only their first part was searched for hidden text
}

// A Page has the lines of one page in drawing order.
type Page struct {
	Lines   []Line
	Height  float64 // in points, as all measures
	Images  int     // number of pictures
	Covered bool    // a picture covers the whole page
	Blank   bool    // its pictures show no text, such as a scanned empty page or a cover
	Spread  float64 // share of the page spanned by pictures and drawings
	Hidden  []Hidden
	Fields  []string // values of form fields, and free-text annotations
	Differ  int      // of these, texts that a field or an annotation shows and does not state
	values  []value

	Unread     Unread  // text that the page shows outside its text layer
	Unsearched float64 // share of the page of its drawings, if they were not searched for such text
	Recovered  []Line  // such text, recognised

	Aside map[string]int // words of annotations that are not read, by kind

	Comments int // number of comments, which are not text

	Whole int // words of which each is one glyph

	Recognized bool // the lines were recognised in a picture of the page

	// Swapped are pairs of mapped and drawn letters, as in "a→e b→x", if the fonts of the page
	// draw other letters than they state; otherwise "".
	Swapped string

	// Replaced counts the letters for which marks state other words than are drawn. AsDrawn
	// reports that the lines have the drawn words.
	Replaced int
	AsDrawn  bool
}

// A Line is one line of text.
type Line struct {
	Text        string
	Hyphen      bool // the line ends within a word; Text omits the hyphen
	Left, Right float64
	Base        float64 // baseline, from the bottom of the page
	Size        float64 // font size of the first character
	Doubts      []Span  // words that may be recognised wrongly
	Gaps        []Gap   // wide white space in the line, from left to right
	Notes       []Note  // references to notes, whose numbers Text omits
}

// A Note is a reference to a note before byte At of its line.
type Note struct {
	At     int
	Number string
}

// A Gap is white space as wide as between columns, from Left to Right. The text after it starts at
// byte At of its line. If that text is to the left of the text before, Right is less than Left.
type Gap struct {
	At          int
	Left, Right float64
}

// A Span is a range of bytes of a line.
type Span struct{ Start, End int }

// Hidden is invisible text. It is in no line.
type Hidden struct {
	Line, At int // its position: before byte At of line Line
	Chars    int
	Why      string
	Text     string
	Edge     bool // it continues a line that ends at the edge of the page
}

// hyphen is the character with which PDFium represents a hyphen at the end of a line together
// with the line end, and a glyph that states no character.
const hyphen = 0xFFFE

// Characters that fonts state for a hyphen that they draw, and for the letters l, c, d and m.
const (
	softHyphen   = 0xAD
	romanNumeral = 0x217C
)

func isASCIILetter(u uint16) bool { return u < 0x80 && unicode.IsLetter(rune(u)) }

// A reader reads one file.
type reader struct {
	ctx    context.Context
	engine *machine
	doc    handle
	left   int // bytes of text left of the limit

	filler   handle            // form environment, 0 before the first use
	text     handle            // text page of the current page
	paper    box               // its visible part
	key      handle            // key ActualText, 0 before the first use
	overlaid bool              // invisible text lies over a picture
	units    []uint16          // characters in UTF-16
	order    []int             // the engine's index of each, nil if it is the same
	objects  []handle          // text object of each; see [reader.objectOf]
	places   []place           // where each is; see [reader.charBox]
	spare    []byte            // memory for a picture
	seen     []string          // why each is invisible, nil if all are visible
	inForms  map[handle]matrix // of text objects whose characters have positions in a form

	pauses     int                 // left of the limit for rendering
	blind      bool                // rendering is off
	layered    bool                // the file may have optional content
	patterned  bool                // the file has patterns outside of compressed objects
	shaded     bool                // the file may have patterns
	uncoloured bool                // one may have the current colour
	masks      bool                // the file may have soft masks or blend modes
	blank      map[pictureKey]bool // pictures that show no text
	many       int                 // pages that exceed maxObjects
	unproved   int                 // pages with text that drawings may hide and that counts as visible, not verified by rendering
	unsure     int                 // pages with possibly invisible text that was not rendered

	strange int // pages whose words are of no known language
	jumbles int // of these, pages with hardly a word in any script
	waiting int // the first of these
	drawn   int // of these, rendered pages
	honest  int // of these, pages without a finding

	pixels int // of pictures decoded to search for text
	looks  int // pages searched for text outside the text layer
	beyond int // pages beyond the limits of both

	pictured bool // a page without a text layer shows text

	sparse  int  // pages beyond the limit of pixels whose recognised text covers little of their picture
	partial bool // one of them shows more text

	fonts    map[string]*fontText // by signature
	compared int                  // pages rendered to compare one font

	drawnFonts int // pages in a font of type 3

	carons int // carons drawn separately so far
}

// page reads one page.
func (r *reader) page(index int) (Page, error) {
	m := r.engine
	m.err = nil
	page := m.handle(fnLoadPage, uint64(r.doc), uint64(index))
	if page == 0 {
		return Page{}, errors.Join(phrase.Error("cause.pdf-page", "no page"), m.err)
	}
	defer m.call(fnClosePage, uint64(page))
	if r.text = m.handle(fnTextLoadPage, uint64(page)); r.text == 0 {
		return Page{}, errors.Join(phrase.Error("cause.pdf-text", "the text of the page is not available"), m.err)
	}
	defer func() { m.call(fnTextClosePage, uint64(r.text)) }()
	r.upright(page)

	p := Page{Height: float64(math.Float32frombits(uint32(m.call(fnPageHeight, uint64(page)))))}
	r.fields(page, &p)
	if err := r.load(); err != nil {
		return p, err
	}
	objects := r.objectsOf(page)
	r.paper = objects.paper
	objects.drawings.notes, objects.drawings.read = r.appearances(page)
	if len(objects.actuals.list) > 0 {
		if err := r.unmask(page, &objects.actuals, &p); err != nil {
			return p, err
		}
	}
	r.placeActuals(&objects.actuals, &p)
	r.logical(objects.actuals.of)
	if r.looseAccents() {
		r.accents()
	}
	p.Images, p.Spread = objects.images, objects.spread()
	if objects.cut || objects.actuals.cut {
		r.many++
	}
	if p.Swapped = r.swapped(page, index); p.Swapped == "" && objects.several {
		p.Swapped = r.swappedFonts(page, objects.fonts)
	}
	r.overlaid = false
	r.seen = r.unseen(objects)
	r.shown(page, &objects)
	r.dropRepeated(objects.scene.texts)
	p.Covered = objects.covered() && !r.overlaid
	if r.pauses <= 0 && !r.blind {
		return p, errSlow
	}
	r.lines(&p)
	r.unread(page, &objects, &p)
	return p, m.err
}

// Samples of characters that decide the direction of the text of a page, and their least share.
const (
	directions     = 4
	directionChars = 40
	directionShare = 0.8
)

// upright turns the page so that most of its text runs from left to right, and reads its text
// again if that changes the page: the engine returns the lines of other text in another order.
func (r *reader) upright(page handle) {
	m := r.engine
	count := m.int(fnCountChars, uint64(r.text))
	var seen [directions]int
	all := 0
	for i := 0; i < count; i += max(1, count/directionChars) {
		if !m.ok(fnMatrix, uint64(r.text), uint64(i), m.out(4, 0)) {
			continue
		}
		x, y := m.f32(0), m.f32(1)
		switch {
		case x > math.Abs(y):
			seen[0]++
		case y > math.Abs(x):
			seen[1]++
		case -x > math.Abs(y):
			seen[2]++
		case -y > math.Abs(x):
			seen[3]++
		}
		all++
	}
	turn := slices.Index(seen[:], slices.Max(seen[:]))
	if float64(seen[turn]) < directionShare*float64(all) || all == 0 || m.int(fnGetRotation, uint64(page)) == turn {
		return
	}
	m.call(fnSetRotation, uint64(page), uint64(turn))
	if text := m.handle(fnTextLoadPage, uint64(page)); text != 0 {
		m.call(fnTextClosePage, uint64(r.text))
		r.text = text
	}
}

// load loads the characters of the page.
func (r *reader) load() error {
	m := r.engine
	r.units, r.order, r.objects, r.inForms = nil, nil, nil, nil
	count := m.int(fnCountChars, uint64(r.text))
	if count <= 0 {
		return m.err
	}
	if r.left -= count; r.left < 0 {
		return ErrTooLarge
	}
	buf := m.malloc(2 * (count + 1))
	defer m.free(buf)
	if buf == 0 {
		return m.err
	}
	got := m.int(fnGetText, uint64(r.text), 0, uint64(count), uint64(buf))
	units := m.units16(buf, max(got, 0))
	for len(units) > 0 && units[len(units)-1] == 0 {
		units = units[:len(units)-1]
	}
	r.units = r.align(units, count)
	r.places = make([]place, len(r.units))
	for i, u := range r.units {
		switch {
		case u == hyphen && m.int(fnUnicode, uint64(r.text), uint64(i)) == 0:
			r.units[i] = unicode.ReplacementChar
		case u == softHyphen && r.isDash(i):
			r.units[i] = '-'
		case u >= romanNumeral && u < romanNumeral+4 && (i > 0 && isASCIILetter(r.units[i-1]) || i+1 < len(r.units) && isASCIILetter(r.units[i+1])):
			r.units[i] = uint16("lcdm"[u-romanNumeral])
		}
	}
	return m.err
}

// objectOf returns the text object of a character of the page, 0 if it has none. Several searches ask
// for all of them, so that those of the page are asked for once.
func (r *reader) objectOf(i int) handle {
	if r.objects == nil {
		r.objects = make([]handle, len(r.units))
		for j := range r.objects {
			r.objects[j] = r.engine.handle(fnTextObject, uint64(r.text), r.at(j))
		}
	}
	return r.objects[i]
}

// align places the text of the page at the engine's character indices. It drops characters
// without a meaning, but keeps their indices, so that the following characters are looked up
// correctly.
func (r *reader) align(text []uint16, count int) []uint16 {
	if len(text) == count || len(text) == 0 {
		return text
	}
	units := make([]uint16, count)
	for i := range units {
		units[i] = dropped
	}
	if !r.alignBetween(units, text, 0, len(text)-1, r.charIndex(0), r.charIndex(len(text)-1)) {
		return text
	}
	return units
}

// alignBetween does that for text[from:to+1], which is at first to last. It returns false if
// the engine is inconsistent.
func (r *reader) alignBetween(units, text []uint16, from, to, first, last int) bool {
	switch {
	case first < 0 || last >= len(units) || last-first < to-from:
		return false
	case last-first == to-from:
		copy(units[first:], text[from:to+1])
		return true
	case to-from == 1:
		units[first], units[last] = text[from], text[to]
		return true
	}
	middle := (from + to) / 2
	at := r.charIndex(middle)
	return r.alignBetween(units, text, from, middle, first, at) && r.alignBetween(units, text, middle, to, at, last)
}

// charIndex returns the engine's index of a character of its text, -1 if there is none.
func (r *reader) charIndex(i int) int {
	return r.engine.int(fnCharIndex, uint64(r.text), uint64(i))
}

// lines splits the characters of the page into lines.
func (r *reader) lines(p *Page) {
	for from := 0; from < len(r.units); {
		to := from
		for to < len(r.units) && (!endsLine(r.units[to]) || r.continues(to) || r.interrupted(from, to)) {
			to++
		}
		r.line(p, from, to, to < len(r.units) && r.units[to] == hyphen)
		for to < len(r.units) && endsLine(r.units[to]) {
			to++
		}
		from = to
	}
}

// continues drops a line end of the engine between two characters that touch, as in a file that places each
// letter on its own, and reports whether it is one.
func (r *reader) continues(i int) bool {
	end := i + 2
	if i == 0 || end >= len(r.units) || r.units[i] != '\r' || r.units[i+1] != '\n' || r.units[i-1] <= ' ' || r.units[end] <= ' ' || r.units[end] >= hyphen {
		return false
	}
	gap, ok := r.gap(i-1, end)
	size := r.size(i - 1)
	if !ok || math.Abs(gap) >= touching*size || !r.aligned(i-1, end) {
		return false
	}
	r.units[i], r.units[i+1] = dropped, dropped
	return true
}

// aligned reports whether two characters have the same baseline.
func (r *reader) aligned(i, j int) bool {
	_, a, aok := r.origin(i)
	_, b, bok := r.origin(j)
	return aok && bok && math.Abs(a-b) < sameLine*r.size(i)
}

// interrupted reports whether the line end at character i only surrounds invisible text, after which
// the line that starts at from continues.
func (r *reader) interrupted(from, i int) bool {
	if r.seen == nil {
		return false
	}
	isSeen := func(j int) bool { return r.units[j] > ' ' && r.units[j] < hyphen && r.seen[j] == "" }
	before, after := i-1, i+1
	for before >= from && !isSeen(before) {
		before--
	}
	for after < len(r.units) && !isSeen(after) {
		after++
	}
	if before < from || after == len(r.units) || !r.hidesLetter(before+1, after) {
		return false
	}
	gap, ok := r.gap(before, after)
	return ok && gap < columnGap*r.size(before) && r.aligned(before, after)
}

// hidesLetter reports whether a letter among the characters [from, to) is invisible.
func (r *reader) hidesLetter(from, to int) bool {
	for i := from; i < to; i++ {
		if r.seen[i] != "" && isLetter(r.units[i]) {
			return true
		}
	}
	return false
}

// Maximum difference in height of two characters of a line, and distance of characters that touch, relative to
// the font size.
const (
	sameLine = 0.1
	touching = 0.1
)

func endsLine(u uint16) bool { return u == '\n' || u == '\r' || u == hyphen }

// line adds a line of the visible characters in [from, to).
func (r *reader) line(p *Page, from, to int, hyphenated bool) {
	between := r.distances(from, to)
	p.Whole += between.whole
	w := shownLine{reader: r, from: from, to: to, first: -1, last: -1, missing: append(r.missing(between), r.afterNumber(from, to)...), tracked: r.tracked(between), columns: r.columns(between)}
	marked := from // end of the last mark of a note
	var notes []Note
	for i := from; i < to; i++ {
		if end := r.noteMark(from, to, i); end > marked {
			notes = append(notes, Note{w.len(), strings.Trim(string(utf16.Decode(r.units[max(i, marked):end])), "[],")})
			marked = end
		}
		switch {
		case r.units[i] == dropped || endsLine(r.units[i]) || i < marked || i > from && (r.seen == nil || r.seen[i-1] == "") && r.doubled(i):
		case r.seen != nil && r.seen[i] != "":
			w.hide(p, i)
		default:
			w.show(i)
		}
	}
	if w.first < 0 {
		return
	}
	l := Line{Text: string(utf16.Decode(w.units)), Hyphen: hyphenated, Gaps: w.gaps, Notes: notes}
	r.place(&l, w.first, w.last)
	p.Lines = append(p.Lines, l)
}

// A shownLine is the visible text of a line so far.
type shownLine struct {
	*reader
	from, to    int
	units       []uint16
	first, last int       // visible characters, -1 before the first
	why         string    // why the previous character is invisible
	missing     []int     // characters that miss a space before them
	tracked     []int     // characters after a space that is not seen
	columns     []distant // characters left that may start a column
	gaps        []Gap
}

// hide adds an invisible character to those of the page.
func (w *shownLine) hide(p *Page, i int) {
	if w.seen[i] != w.why {
		p.Hidden = append(p.Hidden, Hidden{Line: len(p.Lines), At: w.len(), Why: w.seen[i]})
	}
	h := &p.Hidden[len(p.Hidden)-1]
	if w.why = w.seen[i]; w.reader.units[i] > ' ' {
		h.Chars++
	}
	h.Text += string(utf16.Decode(w.reader.units[i : i+1]))
	h.Edge = h.Edge || (h.Why == Outside || h.Why == Cropped) && w.runsOff(i)
}

// runsOff reports whether a character off the page is beside its edge, and a visible one of its line inside
// of the same edge.
func (w *shownLine) runsOff(i int) bool {
	near := edgeReach * w.size(i)
	beside := func(i int) (at [4]bool) {
		b, ok := w.charBox(i)
		if !ok {
			return at
		}
		isAt := func(low, high, edge float64) bool { return high > edge-near && low < edge+near }
		return [...]bool{
			isAt(b.left, b.right, w.paper.left), isAt(b.left, b.right, w.paper.right),
			isAt(b.bottom, b.top, w.paper.bottom), isAt(b.bottom, b.top, w.paper.top),
		}
	}
	edges := beside(i)
	for j := w.from; j < w.to && edges != [4]bool{}; j++ {
		if w.reader.units[j] <= ' ' || w.seen[j] != "" {
			continue
		}
		for edge, at := range beside(j) {
			if at && edges[edge] {
				return true
			}
		}
	}
	return false
}

// edgeReach is the maximum distance of a character from the edge of the page that cuts its line, relative to
// the font size.
const edgeReach = 1.5

// show adds a visible character with the spaces around it that the engine omits.
func (w *shownLine) show(i int) {
	unit := w.reader.units[i]
	if takesRoom(w.why) || w.why == Outside || w.why == Cropped {
		if n := len(w.units); n > 1 && w.units[n-1] == ' ' && unit > ' ' && w.generated(w.last, i) {
			w.units = w.units[:n-1]
		}
		if unit != ' ' && w.apart(w.from, w.to, w.last, i) {
			w.space()
		}
	}
	if slices.Contains(w.missing, i) {
		w.space()
	} else if n := len(w.units); n > 0 && slices.Contains(w.tracked, i) {
		w.units = w.units[:n-1]
	}
	if len(w.columns) > 0 && w.columns[0].index == i {
		w.gaps = append(w.gaps, Gap{At: w.len(), Left: w.columns[0].left, Right: w.columns[0].right})
		w.columns = w.columns[1:]
	}
	if w.why = ""; unit > ' ' {
		if w.first < 0 {
			w.first = i
		}
		w.last = i
	}
	w.units = append(w.units, unit)
	if w.separates(i) {
		w.units = append(w.units, ' ')
	}
}

// space adds a space between words.
func (w *shownLine) space() {
	if n := len(w.units); n > 0 && w.units[n-1] != ' ' {
		w.units = append(w.units, ' ')
	}
}

// len returns the bytes of the text in UTF-8.
func (w *shownLine) len() int { return len(string(utf16.Decode(w.units))) }

// doubled reports whether a letter repeats the previous one with a small shift, to look bold.
func (r *reader) doubled(i int) bool {
	if r.units[i] != r.units[i-1] || r.units[i] <= ' ' {
		return false
	}
	a, ok := r.charBox(i - 1)
	if !ok {
		return false
	}
	b, ok := r.charBox(i)
	if !ok || a == b { // two letters of one ligature
		return false
	}
	return math.Abs(b.left-a.left) < boldShift*(a.right-a.left) && math.Abs(b.bottom-a.bottom) < boldShift*(a.top-a.bottom)
}

// boldShift is the maximum shift of a repeated letter relative to its size.
const boldShift = 0.2

// separates reports whether the space at i between single letters is wide enough to separate
// spaced words.
func (r *reader) separates(i int) bool {
	if i < 1 || i+2 >= len(r.units) || r.units[i] != ' ' || r.units[i+2] > ' ' || i > 1 && r.units[i-2] != ' ' && !endsLine(r.units[i-2]) {
		return false
	}
	a, ok := r.charBox(i - 1)
	if !ok {
		return false
	}
	b, ok := r.charBox(i + 1)
	return ok && b.left-a.right > wordGap*r.size(i-1)
}

// wordGap is the least width, relative to the font size, of a space between spaced words: one
// space has a quarter to a third, three have more.
const wordGap = 0.5

// place sets the position of a line by its first and last character.
func (r *reader) place(l *Line, first, last int) {
	a, ok := r.charBox(first)
	if !ok {
		return
	}
	l.Left, l.Right = a.left, a.right
	l.Base, l.Size = a.bottom, r.size(first)
	if _, y, ok := r.origin(first); ok {
		l.Base = y
	}
	if b, ok := r.charBox(last); ok {
		l.Right = b.right
	}
}

// A place is what the engine states of a character, which several searches ask for.
type place struct {
	box                 box // including its side bearings
	size                float64
	asked, boxed, sized bool // the box is asked for, and known; the size is known
}

// charBox returns the box of a character, including its side bearings.
func (r *reader) charBox(i int) (box, bool) {
	p := &r.places[i]
	if !p.asked {
		p.asked = true
		p.box, p.boxed = r.rect(fnLooseBox, uint64(r.text), r.at(i))
	}
	return r.formOf(i).of(p.box), p.boxed
}

// rect calls a function that returns left, top, right and bottom.
func (r *reader) rect(f function, of ...uint64) (box, bool) {
	m := r.engine
	var args [3]uint64 // appending would allocate, for each character of a page
	n := copy(args[:], of)
	args[n] = m.out(4, 0)
	if !m.ok(f, args[:n+1]...) {
		return box{}, false
	}
	return box{m.f32(0), m.f32(3), m.f32(2), m.f32(1)}, true
}

// inkBox returns the box of the drawn part of a character.
func (r *reader) inkBox(i int) (box, bool) {
	m := r.engine
	if !m.ok(fnCharBox, uint64(r.text), r.at(i), m.out(8, 0), m.out(8, 1), m.out(8, 2), m.out(8, 3)) {
		return box{}, false
	}
	return r.formOf(i).of(box{left: m.f64(0), right: m.f64(1), bottom: m.f64(2), top: m.f64(3)}), true
}

// isDash reports whether a character is drawn as a dash.
func (r *reader) isDash(i int) bool {
	b, ok := r.inkBox(i)
	return ok && b.top > b.bottom && b.right-b.left > b.top-b.bottom
}

// origin returns the origin of a character on its baseline.
func (r *reader) origin(i int) (x, y float64, ok bool) {
	m := r.engine
	if !m.ok(fnOrigin, uint64(r.text), r.at(i), m.out(8, 0), m.out(8, 1)) {
		return 0, 0, false
	}
	x, y = m.f64(0), m.f64(1)
	at := r.formOf(i).of(box{x, y, x, y})
	return at.left, at.bottom, true
}

// size returns the drawn size of a character in points. The font size alone is unreliable, as
// many programs set it to 1 and scale. If it is too small to read, the ink of the letters
// around decides: old TeX and Ghostscript make bitmap fonts with their own scale, which the
// size ignores.
func (r *reader) size(i int) float64 {
	stated := r.statedSize(i)
	if stated <= 0 || stated >= minSize {
		return stated
	}
	if drawn, ok := r.inkSize(i, stated); !ok {
		return minSize // only signs, which may be small at any size
	} else if drawn > ownScale*stated {
		return drawn
	}
	return stated
}

const (
	ownScale  = 3    // least height, relative to the size, of letters in a font with its own scale
	capHeight = 0.72 // height of capitals relative to the size
	inkReach  = 12   // characters on each side that may be of the same font
)

// inkSize returns the font size of a character by the highest letter of the same size near it
// in its line, or by the width of characters there. ok is false if there are none.
func (r *reader) inkSize(i int, stated float64) (size float64, ok bool) {
	room, count := 0.0, 0.0
	look := func(j int) {
		if r.units[j] == ' ' || r.units[j] == dropped || r.statedSize(j) != stated {
			return
		}
		if b, known := r.charBox(j); known {
			room, count = room+b.right-b.left, count+1
		}
		if isLetter(r.units[j]) {
			ok = true
			size = max(size, r.inkHeight(j)/capHeight)
		}
	}
	for j := i; j >= 0 && j > i-inkReach && (j == i || !endsLine(r.units[j])); j-- {
		look(j)
	}
	for j := i + 1; j < len(r.units) && j < i+inkReach && !endsLine(r.units[j]); j++ {
		look(j)
	}
	if mean := room / max(count, 1); mean > minRoom {
		size = max(size, mean/meanWidth)
	}
	return size, ok
}

// Widths of characters: bitmap fonts also have dots and strokes at the codes of letters, which
// are small at any size.
const (
	meanWidth = 0.5 // approximate mean width of a letter relative to its size
	minRoom   = 1.2 // width in points that letters of 2 points do not reach
)

// inkHeight returns the height of a character, or its width if the font states no height.
func (r *reader) inkHeight(i int) float64 {
	if b, ok := r.inkBox(i); ok && b.top > b.bottom {
		return b.top - b.bottom
	}
	loose, _ := r.charBox(i)
	return loose.right - loose.left
}

// isLetter reports whether u is a letter or a digit. Surrogates count as letters, as
// mathematical letters are encoded by them.
func isLetter(u uint16) bool {
	return unicode.IsLetter(rune(u)) || unicode.IsDigit(rune(u)) || utf16.IsSurrogate(rune(u))
}

// statedSize returns the font size of a character by the font size and the matrix of its text.
func (r *reader) statedSize(i int) float64 {
	p := &r.places[i]
	if !p.sized {
		m := r.engine
		p.sized, p.size = true, math.Float64frombits(m.call(fnFontSize, uint64(r.text), r.at(i)))
		if m.ok(fnMatrix, uint64(r.text), r.at(i), m.out(4, 0)) {
			p.size *= math.Hypot(m.f32(2), m.f32(3))
		}
	}
	return p.size
}
