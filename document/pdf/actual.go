package pdf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/otisk/otisk/lang/phrase"
)

// Marked content may state a replacement text, ActualText, which the engine returns in place
// of the drawn characters. Programs use it for ligatures, hyphens at line ends and formulas. A
// replacement with other words can hide a copy, since people and programs read different
// texts. So this file removes the marks and compares the drawn text.

// Thresholds for replaced words.
const (
	sameLetters   = 0.9 // least share of drawn letter pairs in a replacement that counts as the same text
	wordsReplaced = 3   // least words of a page if they are language
	wordsStrange  = 8   // least words if they are not
	maxMarks      = 64  // maximum number of marks examined for one text object
	glyphLetters  = 3   // maximum letters that one unmapped glyph may represent
)

// An actual is a mark with a replacement text.
type actual struct {
	object, mark handle
	stated       []byte // as in the file
	drawn        []uint16
	other        bool
}

// actuals holds the replacement marks of a page, and the marks around each text object.
type actuals struct {
	cut  bool // a text object has more than maxMarks marks
	list []*actual
	by   map[handle]*actual   // nil for a mark without ActualText
	of   map[handle][]*actual // by text object

	forms map[handle]matrix // matrices of the forms of these objects
}

// actual records the marks of a text object, in a form with this matrix.
func (r *reader) actual(a *actuals, obj handle, form matrix) {
	count := r.engine.int(fnMarkCount, uint64(obj))
	if count > maxMarks {
		count, a.cut = maxMarks, true
	}
	for i := range max(count, 0) {
		mark := r.engine.handle(fnMark, uint64(obj), uint64(i))
		if mark == 0 {
			continue
		}
		known, ok := a.by[mark]
		if !ok {
			known = r.stated(obj, mark)
			if a.by == nil {
				a.by, a.of = map[handle]*actual{}, map[handle][]*actual{}
			}
			if a.by[mark] = known; known != nil {
				a.list = append(a.list, known)
			}
		}
		if known != nil {
			a.of[obj] = append(a.of[obj], known)
		}
	}
	if form != identity && len(a.of[obj]) > 0 {
		if a.forms == nil {
			a.forms = map[handle]matrix{}
		}
		a.forms[obj] = form
	}
}

// placeActuals records where the text objects with a replacement text are that belong to a form: the engine
// returns the positions of their characters in the coordinates of the form.
func (r *reader) placeActuals(a *actuals, p *Page) {
	for obj, m := range a.forms {
		isStated := func(mark *actual) bool {
			return !(mark.other && p.AsDrawn) && slices.ContainsFunc(textUnits(mark.stated), func(u uint16) bool { return u >= ' ' })
		}
		if !slices.ContainsFunc(a.of[obj], isStated) {
			continue
		}
		if r.inForms == nil {
			r.inForms = map[handle]matrix{}
		}
		r.inForms[obj] = m
	}
}

// formOf returns the matrix for the positions of a character of the page.
func (r *reader) formOf(i int) matrix {
	if len(r.inForms) > 0 && i < len(r.units) {
		if m, ok := r.inForms[r.objectOf(i)]; ok {
			return m
		}
	}
	return identity
}

// actualKey returns the address of the key ActualText in the engine's memory.
func (r *reader) actualKey() uint64 {
	if r.key == 0 {
		r.key = r.engine.put([]byte("ActualText\x00"))
	}
	return uint64(r.key)
}

// stated returns a mark with its replacement text, nil if it has none.
func (r *reader) stated(obj, mark handle) *actual {
	m := r.engine
	if !m.ok(fnMarkText, uint64(mark), r.actualKey(), 0, 0, m.out(4, 0)) {
		return nil
	}
	size := int(m.u32(0))
	if size <= 0 || size > 2*r.left {
		return nil
	}
	buf := m.malloc(size)
	defer m.free(buf)
	if buf == 0 || !m.ok(fnMarkText, uint64(mark), r.actualKey(), uint64(buf), uint64(size), m.out(4, 0)) {
		return nil
	}
	return &actual{object: obj, mark: mark, stated: bytes.Clone(m.bytes(buf, size))}
}

// textUnits converts a text string of a PDF to UTF-16. The string is in UTF-16, UTF-8 or a
// single-byte encoding.
func textUnits(text []byte) []uint16 {
	switch {
	case bytes.HasPrefix(text, []byte{0xFE, 0xFF}):
		units := make([]uint16, len(text)/2-1)
		for i := range units {
			units[i] = binary.BigEndian.Uint16(text[2*i+2:])
		}
		return units
	case bytes.HasPrefix(text, []byte{0xEF, 0xBB, 0xBF}):
		return utf16.Encode([]rune(string(text[3:])))
	}
	units := make([]uint16, len(text))
	for i, c := range text {
		units[i] = uint16(c)
	}
	return units
}

// unmask reads the drawn text of a page if its marks state other words, and records that in p.
// It keeps the stated text if the drawn text is not language, as its fonts may lack a mapping.
func (r *reader) unmask(page handle, a *actuals, p *Page) error {
	for _, mark := range a.list {
		r.engine.call(fnMarkRemove, uint64(mark.object), uint64(mark.mark), r.actualKey())
	}
	words, err := r.replaced(page, a, p)
	letters := utf8.RuneCountInString(strings.Join(words, ""))
	switch {
	case len(words) >= wordsReplaced && readable(words):
		p.Replaced, p.AsDrawn = letters, true
	case len(words) >= wordsStrange:
		p.Replaced = letters
	}
	for _, mark := range a.list {
		if !mark.other || !p.AsDrawn {
			r.restore(mark)
		}
	}
	if err != nil || !p.AsDrawn {
		return err
	}
	stated := r.text
	if err := r.reload(page); err != nil {
		return err
	}
	r.engine.call(fnTextClosePage, uint64(stated))
	return nil
}

// restore restores a removed mark.
func (r *reader) restore(a *actual) {
	at := r.engine.put(a.stated)
	defer r.engine.free(at)
	r.engine.call(fnMarkBlob, uint64(r.doc), uint64(a.object), uint64(a.mark), r.actualKey(), uint64(at), uint64(len(a.stated)))
}

// reload loads the characters of the page again into a new text page.
func (r *reader) reload(page handle) error {
	before, left := r.text, r.left
	if r.text = r.engine.handle(fnTextLoadPage, uint64(page)); r.text == 0 {
		r.text = before
		return errors.Join(phrase.Error("cause.pdf-text", "the text of the page is not available"), r.engine.err)
	}
	if err := r.load(); err != nil {
		r.engine.call(fnTextClosePage, uint64(r.text))
		r.text = before
		return err
	}
	r.left = left
	return nil
}

// replaced returns the words of the page that marks replace. The marks are removed at this
// time.
func (r *reader) replaced(page handle, a *actuals, p *Page) ([]string, error) {
	m, text, units, order := r.engine, r.text, r.units, r.order
	if err := r.reload(page); err != nil {
		return nil, err
	}
	defer func() {
		m.call(fnTextClosePage, uint64(r.text))
		r.text, r.units, r.order, r.objects, r.places = text, units, order, nil, make([]place, len(units))
	}()
	r.logical(nil)
	last, same := box{}, 0
	for i, u := range r.units {
		marks := a.of[r.objectOf(i)]
		if len(marks) == 0 {
			continue
		}
		if b, ok := r.charBox(i); !ok || b != last {
			last, same = b, 0
		}
		if same++; same == wholeWord { // the name of a symbol
			p.Whole++
		}
		for _, mark := range marks {
			if mark.drawn = append(mark.drawn, u); same == wholeWord {
				mark.drawn = mark.drawn[:len(mark.drawn)-wholeWord]
			} else if same > wholeWord {
				mark.drawn = mark.drawn[:len(mark.drawn)-1]
			}
		}
	}
	for _, mark := range a.list {
		mark.other = contradicts(mark.drawn, textUnits(mark.stated))
	}
	other := func(mark *actual) bool { return mark.other }
	return wordsOf(r.units, func(i int) bool { return slices.ContainsFunc(a.of[r.objectOf(i)], other) }), nil
}

// wordsOf returns the words of two letters or more whose letters all satisfy counts.
func wordsOf(units []uint16, counts func(i int) bool) (words []string) {
	for from := 0; from < len(units); {
		to, all := from, true
		for to < len(units) && unicode.In(rune(units[to]), unicode.Latin, unicode.Greek, unicode.Cyrillic) {
			all = all && counts(to)
			to++
		}
		if all && to-from > 1 {
			words = append(words, strings.ToLower(string(utf16.Decode(units[from:to]))))
		}
		from = to + 1
	}
	return words
}

// readable reports whether words are language: of a known language in Latin letters, or in
// another script, which no font yields by mistake.
func readable(words []string) bool {
	known := 0
	for _, w := range words {
		if commonWords[w] || []rune(w)[0] >= 0x370 {
			known++
		}
	}
	return float64(known) >= commonShare*float64(len(words))
}

// contradicts reports whether the stated text differs from the drawn text.
func contradicts(drawn, stated []uint16) bool {
	d, s := foldedLetters(drawn), foldedLetters(stated)
	if len(d) == 0 || string(d) == string(s) {
		return false
	}
	if len(s)-len(d) <= glyphLetters*silent(drawn) && within(d, s) {
		return false
	}
	pairs := map[[2]rune]int{}
	for i := 1; i < len(s); i++ {
		pairs[[2]rune{s[i-1], s[i]}]++
	}
	same := 0
	for i := 1; i < len(d); i++ {
		if pair := [2]rune{d[i-1], d[i]}; pairs[pair] > 0 {
			pairs[pair]--
			same++
		}
	}
	return same == 0 || float64(same) < sameLetters*float64(len(d)-1)
}

// foldedLetters returns the letters of a text in one case.
func foldedLetters(units []uint16) (letters []rune) {
	for _, c := range norm.NFKC.String(string(utf16.Decode(units))) {
		if unicode.IsLetter(c) {
			letters = append(letters, unicode.ToLower(c))
		}
	}
	return letters
}

// silent counts the characters without a meaning.
func silent(units []uint16) (n int) {
	for _, u := range units {
		if u == dropped || u == unicode.ReplacementChar || unicode.Is(unicode.Co, rune(u)) {
			n++
		}
	}
	return n
}

// within reports whether a is a subsequence of b.
func within(a, b []rune) bool {
	for _, c := range b {
		if len(a) > 0 && a[0] == c {
			a = a[1:]
		}
	}
	return len(a) == 0
}
