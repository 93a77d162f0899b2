package office

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/look"
	"github.com/otisk/otisk/document/ole"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
)

// A docFile has the structures of a document of Word 97 to 2003.
type docFile struct {
	main   []byte // stream WordDocument: characters, and pages of formatting
	table  []byte // stream 0Table or 1Table: all other structures
	size   [8]int // number of characters of the text, then of the other stories
	pieces []docPiece
	grpprl [][]byte // properties that pieces refer to
	chars  []docSpan
	paras  []docSpan
	styles []docStyle
	looks  look.Styles
	boxes  map[int]bool // references to text boxes
	drawn  []int        // characters where drawings are anchored
	word95 bool
}

// A docPiece is a contiguous run of characters in the stream (Pcd).
type docPiece struct {
	from, to int // range of characters
	offset   int // of the first byte in the stream
	narrow   bool
	change   look.Change // formatting of the whole piece
	deleted  docToggle
}

func (p docPiece) width() int {
	if p.narrow {
		return 1
	}
	return 2
}

// A docPlace is a range of characters.
type docPlaces struct{ from, to int }

// Offsets in the header of a document (FIB).
const (
	fibVersion = 2
	fibFlags   = 10
	fibSizes   = 0x4C
	fibCount   = 0x98 // number of pairs
	fibPairs   = 0x9A
)

// Bits of fibFlags.
const (
	flagEncrypted = 0x0100
	flagTable1    = 0x0200
)

// Numbers of the pairs (offset, size) of structures in the table stream that are read.
const (
	pairStyles       = 1
	pairNoteCalls    = 2
	pairNotes        = 3
	pairChars        = 12
	pairParagraphs   = 13
	pairPieces       = 33
	pairDrawings     = 40
	pairEndNoteCalls = 46
	pairEndNotes     = 47
	pairBoxes        = 56
)

// Indices of the stories after the text.
const (
	storyNotes       = 1
	storyHeaders     = 2
	storyComments    = 4
	storyEndNotes    = 5
	storyBoxes       = 6
	storyHeaderBoxes = 7
)

// word97 is the format version of Word 97.
const word97 = 193

// open reads the structures that reading the characters needs.
func (d *docFile) open(f *ole.File) error {
	var err error
	if d.main, err = f.Stream(wordStream); err != nil {
		return err
	}
	if err := checkDOC(d.main); err != nil {
		return err
	}
	if isWord95(d.main) {
		return d.open95()
	}
	name := "0Table"
	if u16(d.main, fibFlags)&flagTable1 != 0 {
		name = "1Table"
	}
	if d.table, err = f.Stream(name); err != nil {
		return err
	}
	if err := d.sizes(fibSizes); err != nil {
		return err
	}
	d.boxes, d.drawn = map[int]bool{}, plc(d.pair(pairDrawings), drawingSize).at
	d.readStyles()
	if d.chars, err = d.spans(pairChars, readChars); err != nil {
		return err
	}
	if d.paras, err = d.spans(pairParagraphs, readParagraphs); err != nil {
		return err
	}
	return d.readPieces()
}

// sizes reads the sizes of the stories, which are at this offset of the header.
func (d *docFile) sizes(at int) error {
	for i := range d.size {
		if d.size[i] = int(int32(u32(d.main, at+4*i))); d.size[i] < 0 || d.size[i] > len(d.main) {
			return fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.doc-story", "a story has the invalid size of {size} characters", "size", d.size[i]))
		}
	}
	return nil
}

// checkDOC returns an error if the stream is not a supported document.
func checkDOC(main []byte) error {
	switch {
	case len(main) < fibPairs:
		return fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.doc-short", "the header is too short"))
	case u16(main, fibFlags)&flagEncrypted != 0:
		return format.ErrEncrypted
	case u16(main, 0)>>8 != 0xA5 && u16(main, 0)>>8 != 0xA6: // of Word 95 for several languages
		return fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.doc-header", "the header is not that of a Word document"))
	case u16(main, fibVersion) < word97 && !isWord95(main):
		return fmt.Errorf("%w: %w", format.ErrBinary, phrase.Fixed("a document of Word 2 or older (open it in LibreOffice and save it as DOCX)"))
	}
	return nil
}

func u16(b []byte, at int) int    { return int(binary.LittleEndian.Uint16(b[at:])) }
func u32(b []byte, at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }

// pair returns the bytes of the structure with this number, nil if there is none.
func (d *docFile) pair(i int) []byte {
	if d.word95 {
		return d.pair95(i)
	}
	at := fibPairs + 8*i
	if i >= u16(d.main, fibCount) || at+8 > len(d.main) {
		return nil
	}
	from, size := int64(u32(d.main, at)), int64(u32(d.main, at+4))
	if size == 0 || from+size > int64(len(d.table)) {
		return nil
	}
	return d.table[from : from+size]
}

// readPieces reads the piece table (Clx).
func (d *docFile) readPieces() error {
	b := d.pair(pairPieces)
	for len(b) >= 5 && b[0] == 1 { // properties shared by pieces (Prc)
		size := 3 + u16(b, 1)
		if size > len(b) {
			return errPieces
		}
		d.grpprl = append(d.grpprl, b[3:size])
		b = b[size:]
	}
	if len(b) < 5 || b[0] != 2 || int64(u32(b, 1)) > int64(len(b)-5) {
		return errPieces
	}
	list := plc(b[5:5+u32(b, 1)], 8)
	for i, v := range list.values {
		p := docPiece{from: list.at[i], to: list.at[i+1]}
		p.offset = int(u32(v, 2) & 0x3FFFFFFF)
		if d.word95 {
			p.narrow = u16(d.main, fibFlags)&flagWide == 0
		} else if p.narrow = u32(v, 2)&0x40000000 != 0; p.narrow {
			p.offset /= 2
		}
		if p.to < p.from || i > 0 && p.from != list.at[i] || p.offset+(p.to-p.from)*p.width() > len(d.main) {
			return errPieces
		}
		if !d.word95 {
			d.pieceChange(&p, u16(v, 6))
		}
		d.pieces = append(d.pieces, p)
	}
	if len(d.pieces) == 0 {
		return errPieces
	}
	return nil
}

var errPieces = fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.doc-pieces", "the piece table is not valid"))

// A docList is a list of offsets with a value for the range between each two of them (Plc).
type docList struct {
	at     []int
	values [][]byte
}

// plc reads a list whose values have size bytes.
func plc(b []byte, size int) (l docList) {
	n := (len(b) - 4) / (4 + size)
	if n <= 0 {
		return l
	}
	for i := range n + 1 {
		l.at = append(l.at, int(int32(u32(b, 4*i))))
	}
	b = b[4*(n+1):]
	for i := range n {
		l.values = append(l.values, b[i*size:(i+1)*size])
	}
	return l
}

// docSides are notes of one kind, or text boxes.
type docSides struct {
	kind   format.MarkKind
	places []docPlaces
	calls  []int // by note: the character of the text that refers to it
}

// sides returns the notes and text boxes.
func (d *docFile) sides() []docSides {
	return []docSides{
		{format.Footnote, d.parts(storyNotes, pairNotes, 0), plc(d.pair(pairNoteCalls), 2).at},
		{format.Footnote, d.parts(storyEndNotes, pairEndNotes, 0), plc(d.pair(pairEndNoteCalls), 2).at},
		d.boxSides(),
	}
}

// start returns the first character of a story.
func (d *docFile) start(story int) (start int) {
	return lists.Sum(d.size[:story], func(n int) int { return n })
}

// parts returns the ranges of the parts of a story, from a list whose values have size bytes.
func (d *docFile) parts(story, pair, size int) []docPlaces {
	start := d.start(story)
	at := plc(d.pair(pair), size).at
	var places []docPlaces
	for i := range max(len(at)-1, 0) {
		from, to := max(at[i], 0), min(at[i+1], d.size[story])
		places = append(places, docPlaces{start + from, start + max(from, to)})
	}
	return places
}

// drawingSize is the size of the value for a drawing in its list, in bytes.
const drawingSize = 26

// nearDrawing is the largest distance of a drawing from text on it, in characters: about a page.
const nearDrawing = 3000

// mayBeOnDrawing reports whether a character may be on a drawing, whose colour is unknown.
func (d *docFile) mayBeOnDrawing(at int) bool {
	i, _ := slices.BinarySearch(d.drawn, at-nearDrawing)
	return i < len(d.drawn) && d.drawn[i] <= at+nearDrawing
}

// boxSides returns the text boxes; each is referred to from the anchor of its drawing.
func (d *docFile) boxSides() docSides {
	const boxSize, boxNumber = 22, 14
	drawings := plc(d.pair(pairDrawings), drawingSize)
	calls := map[uint32]int{}
	for i, v := range drawings.values {
		calls[u32(v, 0)] = drawings.at[i]
	}
	s := docSides{places: d.parts(storyBoxes, pairBoxes, boxSize)}
	for i, v := range plc(d.pair(pairBoxes), boxSize).values {
		at, ok := calls[u32(v, boxNumber)]
		if !ok || d.boxes[at] {
			at = d.size[0] + i // no anchor
		}
		d.boxes[at] = true
		s.calls = append(s.calls, at)
	}
	return s
}

// A docSpan is a range of bytes with the properties of its characters or paragraph.
type docSpan struct {
	from, to int
	style    int // of a paragraph
	props    []byte
}

const docPageSize = 512

// spans reads the formatting pages in a list (PlcBteChpx, PlcBtePapx), in order.
func (d *docFile) spans(pair int, read func(page []byte, count int) []docSpan) ([]docSpan, error) {
	list := plc(d.pair(pair), 4)
	if len(list.values) > len(d.main)/docPageSize+1 {
		return nil, fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.doc-formats", "the number of formatting pages is not valid"))
	}
	var spans []docSpan
	for _, v := range list.values {
		at := int(u32(v, 0)&0x3FFFFF) * docPageSize
		if at+docPageSize > len(d.main) {
			return nil, fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.doc-format", "a formatting page is missing"))
		}
		page := d.main[at : at+docPageSize]
		if count := int(page[docPageSize-1]); 4*(count+1) < docPageSize {
			spans = append(spans, read(page, count)...)
		}
	}
	slices.SortStableFunc(spans, func(a, b docSpan) int { return a.from - b.from })
	return spans, nil
}

// readChars reads a page of character properties (ChpxFkp).
func readChars(page []byte, count int) []docSpan {
	var spans []docSpan
	for i := range count {
		s := docSpan{from: int(u32(page, 4*i)), to: int(u32(page, 4*i+4))}
		if at := 4*(count+1) + i; at < docPageSize-1 && page[at] != 0 {
			at = 2 * int(page[at])
			s.props = page[at+1 : min(at+1+int(page[at]), docPageSize)]
		}
		spans = append(spans, s)
	}
	return spans
}

// readParagraphs reads a page of paragraph properties (PapxFkp).
func readParagraphs(page []byte, count int) []docSpan {
	const entry = 13
	var spans []docSpan
	for i := range count {
		s := docSpan{from: int(u32(page, 4*i)), to: int(u32(page, 4*i+4))}
		if at := 4*(count+1) + entry*i; at < docPageSize-1 && page[at] != 0 {
			at = 2 * int(page[at])
			size := 2*int(page[at]) - 1
			if size < 0 {
				at++
				size = 2 * int(page[at])
			}
			if b := page[at+1 : max(at+1, min(at+1+size, docPageSize))]; len(b) >= 2 {
				s.style, s.props = u16(b, 0), b[2:]
			}
		}
		spans = append(spans, s)
	}
	return spans
}

// spanAt returns the span that contains the byte at offset, or a span without properties.
func spanAt(spans []docSpan, offset int) docSpan {
	i, _ := slices.BinarySearchFunc(spans, offset, func(s docSpan, at int) int {
		if s.to <= at {
			return -1
		}
		return 1
	})
	if i == len(spans) {
		return docSpan{to: int(^uint(0) >> 1)}
	}
	if spans[i].from > offset {
		return docSpan{to: spans[i].from}
	}
	return spans[i]
}
