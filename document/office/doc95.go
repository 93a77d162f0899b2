package office

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/otisk/otisk/document/charset"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/lang/phrase"
)

// A document of Word 6 or 95 is one stream: characters of one byte in the code page of its
// Windows, or of two bytes if it is of East Asia, and lists of notes in the format of Word 97, at other offsets of the header. Its
// formatting has another encoding, which is not read: hidden copies are unlikely in files of
// that time.

// Offsets in the header of Word 6 and 95.
const (
	fib95Language = 6
	fib95Set      = 0x14 // character set
	fib95From     = 0x18 // offset of the text
	fib95Sizes    = 0x34
	fib95Least    = 0x168
	flagPieces    = 0x0004 // saved by "fast save": the text is in pieces
	flagWide      = 0x1000 // characters have two bytes
	macintosh     = 0x100
	word6         = 101
)

// fib95Pairs maps the pairs of Word 97 to their offsets in the header.
var fib95Pairs = map[int]int{pairNoteCalls: 0x68, pairNotes: 0x70, pairPieces: 0x160, pairEndNoteCalls: 0x1D2, pairEndNotes: 0x1DA}

// isWord95 reports whether the stream is a document of Word 6 or 95.
func isWord95(main []byte) bool {
	return len(main) >= fib95Least && u16(main, fibVersion) >= word6 && u16(main, fibVersion) < word97
}

// pair95 returns the bytes of the structure with this number.
func (d *docFile) pair95(i int) []byte {
	at, ok := fib95Pairs[i]
	if !ok || at+8 > len(d.main) {
		return nil
	}
	from, size := int64(u32(d.main, at)), int64(u32(d.main, at+4))
	if size == 0 || from+size > int64(len(d.main)) {
		return nil
	}
	return d.main[from : from+size]
}

// open95 reads the structures that reading the characters needs.
func (d *docFile) open95() error {
	d.word95, d.boxes = true, map[int]bool{}
	if err := d.sizes(fib95Sizes); err != nil {
		return err
	}
	if u16(d.main, fibFlags)&flagPieces != 0 {
		return d.readPieces()
	}
	whole := docPiece{offset: int(u32(d.main, fib95From)), narrow: u16(d.main, fibFlags)&flagWide == 0}
	for _, n := range d.size {
		whole.to += n
	}
	if whole.to = min(whole.to, (len(d.main)-whole.offset)/whole.width()); whole.to < d.size[0] {
		return fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.doc-longer", "the text is longer than the file"))
	}
	d.pieces = []docPiece{whole}
	return nil
}

const english95 = 0x09

// languages95 maps languages to their code page if it is not that of Western Europe.
var languages95 = map[int]int{
	0x01: 1256, 0x02: 1251, 0x05: 1250, 0x08: 1253, 0x0D: 1255, 0x0E: 1250, 0x15: 1250, 0x18: 1250, 0x19: 1251, 0x1A: 1250, 0x1B: 1250, 0x1C: 1250,
	0x1F: 1254, 0x22: 1251, 0x23: 1251, 0x24: 1250, 0x25: 1257, 0x26: 1257, 0x27: 1257, 0x2F: 1251,
}

// letters95 returns the characters of all bytes in the code page of the text, and the name of the
// code page.
func (d *docFile) letters95(ctx context.Context, src *format.Source) (*[256]rune, string, error) {
	page, name, err := d.page95(ctx, src)
	if err != nil {
		return nil, "", err
	}
	letters := new([256]rune)
	for i := range letters {
		letters[i], _ = charset.FromPage(page, []byte{byte(i)})
	}
	return letters, name, nil
}

// page95 returns the code page of the text: the given one, that of a Macintosh if the header states
// that, or that of the language of Word. English Word was used for all languages: then the code page
// is detected from the text.
func (d *docFile) page95(ctx context.Context, src *format.Source) (page int, name string, err error) {
	language := u16(d.main, fib95Language) & 0xFF
	if page = languages95[language]; page == 0 {
		page = usualPage
	}
	if u16(d.main, fib95Set) == macintosh && src.Encoding == "" {
		if page == 1250 {
			return 10029, "x-mac-ce", nil
		}
		return 10000, "macintosh", nil
	}
	if language != english95 && src.Encoding == "" {
		return page, "windows-" + strconv.Itoa(page), nil
	}
	var text []byte
	for _, p := range d.pieces {
		for _, b := range d.main[p.offset : p.offset+p.to-p.from] {
			text = append(text, max(b, ' ')) // replaces control characters
		}
	}
	_, name, err = charset.Decode(ctx, &format.Source{Data: text, Encoding: src.Encoding, Budget: src.Budget}, "")
	if ended := format.Ended(ctx); ended != nil {
		return 0, "", ended
	}
	if n, ok := strings.CutPrefix(name, "windows-"); ok && err == nil {
		if p, err := strconv.Atoi(n); err == nil && charset.HasPage(p) {
			page = p
		}
	}
	return page, "windows-" + strconv.Itoa(page), nil
}
