package office

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/otisk/otisk/document/charset"
	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/look"
	"github.com/otisk/otisk/lang/phrase"
)

// maxRTFDepth is the largest depth of nested groups.
const maxRTFDepth = 10_000

// rtfCharsets maps the character sets of fonts to code pages.
var rtfCharsets = map[int]int{
	0: 1252, 77: 10000, 128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258, 177: 1255, 178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250,
}

// rtfPages maps control words to code pages.
var rtfPages = map[string]int{"mac": 10000, "pc": 437, "pca": 850}

// usualPage is the code page of files that state none or an unknown one.
const usualPage = 1252

// rtfText maps control words to characters.
var rtfText = map[string]string{
	"emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "bullet": "•",
	"~": "\u00a0", "_": "\u2011", "emspace": " ", "enspace": " ", "qmspace": " ",
}

// An rtfState is the state of a group, restored at its end.
type rtfState struct {
	skip    bool   // not text, but destinations inside may be
	out     bool   // no destination inside is text
	field   string // destination whose text is collected; "" for none
	ends    string // destination that ends with the group
	fonts   bool   // inside the font table
	colors  bool   // inside the colour table
	styles  bool   // inside the style sheet
	side    bool   // the group is a note or a box
	instead bool   // the result of the shape repeats its content
	unshown bool   // inside a hidden shape
	look    look.Change
	lines   look.Change // of the paragraph
	style   rtfStyle
	around  look.Tone // background of the paragraph
	under   look.Tone // background of the page or the shape
	item    rtfItem
	deleted bool
	unicode int // number of fallback characters after \u
	page    int // code page
}

// An rtfReader reads the control words and text of an RTF file.
type rtfReader struct {
	*flow.Body
	data   []byte
	at     int
	state  rtfState
	stack  []rtfState
	star   bool // after \*: unknown destinations are skipped
	skipN  int  // fallback characters still to skip after \u
	high   rune // high surrogate
	fields map[string]*strings.Builder
	page   int         // code page of the file
	font   int         // number of the font being defined
	pages  map[int]int // code pages of the fonts
	tones  []look.Tone // colour table
	cells  look.Tone   // background of the cells of the row
	low    float64     // exact height of the row in points; 0 if none is stated
	colour [3]int
	begun  bool
	fresh  bool           // the paragraph has no text yet
	early  bool           // the file ends within a group
	names  map[int]string // of the styles of paragraphs
	start0 int            // start of the paragraph, outside of notes and boxes
	sides  int            // open notes and boxes
	object int            // length of the text at the start of the object
	hides  map[rtfStyle]bool
	lists  rtfLists
	unread besides

	lead    []byte      // first bytes of an incomplete character
	unknown map[int]int // number of bytes above ASCII by unknown code page
}

// LooksRTF reports whether data is Rich Text Format.
func LooksRTF(data []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(data, format.BOM), " \t\r\n"), []byte(`{\rtf`))
}

// RTF reads Rich Text Format. Tracked deletions, field codes, headers and footers are not text.
func RTF(ctx context.Context, src *format.Source) (*format.Text, error) {
	r := &rtfReader{
		Body: flow.NewBody(), data: src.Data[bytes.IndexByte(src.Data, '{'):], state: rtfState{unicode: 1, page: usualPage}, page: usualPage, pages: map[int]int{},
		fields: map[string]*strings.Builder{"title": {}, "author": {}}, colour: [3]int{-1, -1, -1}, unknown: map[int]int{}, hides: map[rtfStyle]bool{},
		fresh: true, names: map[int]string{},
	}
	if err := r.walk(ctx); err != nil {
		return nil, err
	}
	t, err := r.Done()
	for _, page := range slices.Sorted(maps.Keys(r.unknown)) {
		t.Note(phrase.Counted("said.code-page", "code page {name} is not known: {n} character above ASCII is read as Windows-{read}",
			"code page {name} is not known: {n} characters above ASCII are read as Windows-{read}", r.unknown[page], "name", strconv.Itoa(page), "read", strconv.Itoa(usualPage)))
	}
	if r.early {
		t.Note(phrase.Error("cause.rtf-ends", "RTF ends within a group"))
	}
	r.lists.labels.count(&r.unread.Unread, `\leveltext`)
	r.unread.Note(t)
	t.Title, t.Author = flow.OneLine(r.fields["title"].String()), flow.OneLine(r.fields["author"].String())
	return t, err
}

func (r *rtfReader) walk(ctx context.Context) error {
	pulse := format.NewPulse(ctx)
	for r.at < len(r.data) {
		if err := pulse.Err(); err != nil {
			return err
		}
		switch c := r.data[r.at]; c {
		case '{':
			if len(r.stack) >= maxRTFDepth {
				return fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.groups-deep", "groups are nested more than {depth} deep", "depth", maxRTFDepth))
			}
			r.broken()
			r.stack = append(r.stack, r.state)
			r.state.side, r.state.ends, r.star, r.skipN = false, "", false, 0
			r.at++
		case '}':
			r.at++
			r.skipN = 0
			if !r.pop() {
				return nil // bytes after the outermost group are not RTF
			}
		case '\\':
			r.control()
		case '\r', '\n', 0:
			r.at++
		default:
			r.at++
			r.byte(c)
		}
	}
	for r.early = len(r.stack) > 0; r.pop(); {
	}
	return nil
}

func (r *rtfReader) pop() bool {
	r.broken()
	if r.state.side {
		r.sides--
		r.Finish()
		r.EndSide()
	}
	n := len(r.stack)
	if n == 0 {
		return false
	}
	ends := r.state.ends
	if ends != "" {
		r.endDestination(ends)
	}
	r.state, r.stack = r.stack[n-1], r.stack[:n-1]
	if ends == fieldCode {
		if shown := shownCode(r.fields[ends].String()); shown != "" {
			r.string(shown)
		}
	}
	return n > 1
}

// control reads a control word or symbol.
func (r *rtfReader) control() {
	r.at++
	if r.at >= len(r.data) {
		return
	}
	start := r.at
	for r.at < len(r.data) && 'a' <= r.data[r.at]|0x20 && r.data[r.at]|0x20 <= 'z' {
		r.at++
	}
	if r.at == start {
		r.at++
		r.symbol(r.data[start])
		return
	}
	name := string(r.data[start:r.at])
	number := r.at
	for r.at < len(r.data) && (r.data[r.at] == '-' && r.at == number || '0' <= r.data[r.at] && r.data[r.at] <= '9') {
		r.at++
	}
	value, err := strconv.Atoi(string(r.data[number:r.at]))
	given := err == nil
	if r.at < len(r.data) && r.data[r.at] == ' ' {
		r.at++
	}
	r.word(name, value, given)
}

// symbol reads a control symbol.
func (r *rtfReader) symbol(c byte) {
	switch c {
	case '\'':
		if r.at+2 <= len(r.data) {
			if b, err := strconv.ParseUint(string(r.data[r.at:r.at+2]), 16, 8); err == nil {
				r.at += 2
				r.byte(byte(b))
			}
		}
	case '*':
		r.star = true
	case '\\', '{', '}': // may be the second byte of a character
		r.byte(c)
	case '\r', '\n':
		r.word("par", 0, false)
	default:
		if s := rtfText[string(c)]; s != "" {
			r.string(s)
		}
	}
}

// word processes a control word. given reports whether it has a number.
func (r *rtfReader) word(name string, value int, given bool) {
	r.broken()
	star := r.star
	r.star = false
	on := !given || value != 0
	switch name {
	case "bin":
		r.at = min(r.at+max(value, 0), len(r.data))
	case "u":
		r.high = r.rune16(uint16(value))
		r.skipN = r.state.unicode
	case "uc":
		r.state.unicode = max(value, 0)
	case "ansicpg":
		r.page, r.state.page = value, value
	case "mac", "pc", "pca":
		r.page, r.state.page = rtfPages[name], rtfPages[name]
	case "fonttbl":
		r.state.fonts, r.state.skip, r.state.out = true, true, true
	case "colortbl":
		r.state.colors, r.state.skip, r.state.out = true, true, true
	case "title", "author":
		r.state.field = name
	case "deleted":
		r.state.deleted = on
	case "v", "fs", "cf", "cb", "highlight", "chcbpat", "cbpat", "clcbpat", "pard", "trowd", "charscalex", "super", "up", "nosupersub", "sub", "dn", "sbasedon",
		"expnd", "expndtw", "sl", "li", "lin", "fi", "posx", "posy", "posnegx", "posnegy", "absh", "trrh":
		r.looks(name, value, on)
	case "plain":
		r.state.look, r.state.deleted, r.state.style.character, r.state.page = look.Change{}, false, 0, r.page
	default:
		r.more(name, value, star)
	}
}

// looks processes control words for the look of text.
func (r *rtfReader) looks(name string, value int, on bool) {
	l := &r.state.look
	switch name {
	case "v":
		l.Hidden = look.State(on)
		if r.state.styles {
			r.hides[r.state.style] = on
		}
	case "sbasedon":
		base := rtfStyle{paragraph: value}
		if r.state.style.paragraph == 0 {
			base = rtfStyle{character: value}
		}
		if r.state.styles && r.hides[base] {
			r.hides[r.state.style] = true
		}
	case "charscalex":
		l.Narrow = look.State(0 < value && value < narrowScale)
	case "super":
		l.Up = look.State(on)
	case "up", "dn":
		l.Up = look.State(name == "up" && value > 0)
		l.Away = look.State(outside(-float64(value) / 2)) // unit: half points
	case "nosupersub", "sub":
		l.Up = look.No
	case "expnd":
		l.Apart = float64(value) / 4 // unit: quarter points
	case "expndtw":
		l.Apart = float64(value) / 20
	case "sl", "absh": // negative if exact
		r.state.lines.Line = max(-float64(value)/20, 0)
	case "trrh":
		r.low = max(-float64(value)/20, 0)
	case "li", "lin", "fi", "posx", "posy", "posnegx", "posnegy":
		if outside(float64(value) / 20) {
			r.state.lines.Away = look.Yes
		}
	case "fs":
		l.Size = float64(value) / 2 // unit: half points
	case "cf":
		l.Ink = r.tone(value)
	case "cb", "highlight", "chcbpat":
		l.Ground = r.tone(value)
	case "cbpat":
		r.state.around = r.tone(value)
	case "pard":
		r.state.around, r.state.item, r.state.style, r.state.lines = r.state.under, rtfItem{}, rtfStyle{}, look.Change{}
	case "clcbpat":
		if !r.tone(value).Like(look.White) {
			r.cells = look.Unknown // it may apply to any cell of the row
		}
	case "trowd":
		r.cells, r.low = look.Tone{}, 0
	}
}

// unseenStyle reports whether the styles of the text hide it. A character style reverses the
// setting of the paragraph style.
func (r *rtfReader) unseenStyle() bool {
	if len(r.hides) == 0 {
		return false
	}
	s := r.state.style
	return r.hides[rtfStyle{paragraph: s.paragraph}] != r.hides[rtfStyle{character: s.character}]
}

// An rtfStyle has the numbers of the styles of text. Number 0 is not that of a hidden style.
type rtfStyle struct{ paragraph, character int }

// tone returns the colour with this number, noTone for "automatic".
func (r *rtfReader) tone(n int) look.Tone {
	if n < 0 || n >= len(r.tones) {
		return look.Tone{}
	}
	return r.tones[n]
}

// more processes control words for tables and gaps, and destinations.
func (r *rtfReader) more(name string, value int, star bool) {
	if r.state.field != "" && rtfGaps[name] {
		r.collect(" ")
	}
	switch name {
	case "f", "fcharset", "cpg", "red", "green", "blue":
		r.define(name, value)
	case "par", "sect", "page", "column":
		if !r.state.skip && !r.state.deleted {
			r.label()
			r.endParagraph()
			r.Begin()
			r.fresh = true
		}
	case "dropcapli":
		if !r.state.skip {
			r.JoinNext()
		}
	case "s":
		r.state.style = rtfStyle{paragraph: value}
	case "cs":
		if r.state.style.character = value; r.state.styles {
			r.state.style.paragraph = 0
		}
	case "line", "lbr":
		r.gapHere(flow.Line)
	case "tab":
		r.gapHere(flow.Space)
	case "cell", "nestcell":
		r.gapHere(flow.Cell)
	case "row", "nestrow":
		r.cells, r.low = look.Tone{}, 0
		r.gapHere(flow.Line)
	default:
		if s := rtfText[name]; s != "" {
			r.string(s)
		} else if !r.lists.word(&r.state, name, value) {
			r.destination(name, star)
		}
	}
}

// rtfGaps are the control words that separate words.
var rtfGaps = format.Names("par", "sect", "page", "column", "line", "tab", "cell", "nestcell", "row", "nestrow")

func (r *rtfReader) gapHere(g flow.Gap) {
	if !r.state.skip {
		r.Gap(g)
	}
}

// define processes control words in the font and colour tables.
func (r *rtfReader) define(name string, value int) {
	switch name {
	case "f":
		if r.font = value; !r.state.fonts {
			r.state.page = cmp.Or(r.pages[value], r.page)
		}
	case "fcharset":
		if page, ok := rtfCharsets[value]; ok && r.state.fonts {
			r.pages[r.font] = page
		}
	case "cpg":
		if r.state.fonts {
			r.pages[r.font] = value
		}
	case "red":
		r.colour[0] = value
	case "green":
		r.colour[1] = value
	case "blue":
		r.colour[2] = value
	}
}

// byte reads a byte in the code page, unless it is a fallback after \u.
func (r *rtfReader) byte(b byte) {
	if r.skipN > 0 {
		r.skipN--
		return
	}
	page := r.state.page
	if !charset.HasPage(page) {
		if b >= utf8.RuneSelf && !r.state.skip && !r.state.deleted {
			r.unknown[page]++
		}
		page = usualPage
	}
	r.lead = append(r.lead, b)
	if c, ok := charset.FromPage(page, r.lead); ok {
		r.lead = r.lead[:0]
		r.char(c)
	}
}

// endParagraph ends a paragraph and marks it by the name of its style.
func (r *rtfReader) endParagraph() {
	if r.sides == 0 {
		name, _, _ := strings.Cut(r.names[r.state.style.paragraph], ";")
		r.Mark(kindOfStyle(strings.ReplaceAll(name, " ", "")), r.start0)
		r.start0 = r.Len()
	}
	r.Finish()
}

// maxStyleName is the maximum length of the name of a style that is of interest.
const maxStyleName = 40

// broken ends an incomplete character.
func (r *rtfReader) broken() {
	if len(r.lead) > 0 {
		r.lead = r.lead[:0]
		r.char(utf8.RuneError)
	}
}

// rune16 reads a UTF-16 code unit; it returns the unit if it is a high surrogate.
func (r *rtfReader) rune16(u uint16) rune {
	c := rune(u)
	if utf16.IsSurrogate(c) {
		if pair := utf16.DecodeRune(r.high, c); pair != unicode.ReplacementChar {
			r.string(string(pair))
			return 0
		}
		return c
	}
	r.string(string(c))
	return 0
}

// char reads a character.
func (r *rtfReader) char(c rune) {
	if r.state.colors && c == ';' {
		if c := r.colour; len(r.tones) >= look.MaxTones {
		} else if min(c[0], c[1], c[2]) < 0 {
			r.tones = append(r.tones, look.Tone{})
		} else {
			r.tones = append(r.tones, look.RGB(uint8(c[0]), uint8(c[1]), uint8(c[2])))
		}
		r.colour = [3]int{-1, -1, -1}
		return
	}
	r.string(string(c))
}

// string adds text to the destination of the group.
func (r *rtfReader) string(s string) {
	switch {
	case r.state.field != "":
		r.collect(s)
	case r.state.styles:
		if i := r.state.style.paragraph; len(r.names[i]) < maxStyleName {
			r.names[i] += s
		}
	case r.state.skip || r.state.deleted:
	default:
		l := r.state.look.Over(r.state.lines)
		l.Line = cmp.Or(l.Line, r.low)
		l.Ground = l.Ground.Over(r.state.around.Over(r.cells))
		if l.Hidden == look.Unsaid && r.unseenStyle() || r.state.unshown {
			l.Hidden = look.Yes
		}
		if !r.begun {
			r.begun = true
			r.Begin()
		}
		r.label()
		r.Show([]byte(s), l.Look())
	}
}
