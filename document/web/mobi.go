package web

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/otisk/otisk/document/charset"
	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/lang/phrase"
)

// A Mobipocket or Kindle book is a Palm database: a list of records. The first one describes the
// text; the following ones have the text, one HTML page.

// LooksMobi reports whether data is a Mobipocket, Kindle or PalmDOC book (.mobi, .azw, .azw3).
func LooksMobi(data []byte) bool {
	return len(data) > 78 && (bytes.HasPrefix(data[60:], []byte("BOOKMOBI")) || bytes.HasPrefix(data[60:], []byte("TEXtREAd")))
}

// A mobiBook is an open book.
type mobiBook struct {
	data    []byte
	records []int // offset of each record, and the end of the last one
	head    []byte
	most    int64
}

// Offsets in the first record.
const (
	mobiSize       = 4 // size of the text
	mobiCount      = 8 // number of text records
	mobiEncrypted  = 12
	mobiName       = 16 // start of the header that follows
	mobiLength     = 20 // length of that header
	mobiPage       = 28
	mobiVersion    = 36
	mobiFlags      = 128
	mobiParts      = 192
	mobiTrailing   = 242
	mobiUTF8       = 65001
	mobiRaw        = 1
	mobiPacked     = 2
	mobiWithFields = 0x40
	mobiKindle8    = 8
)

var errMobi = fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.mobi-records", "the records of the book are not valid"))

// Mobi reads a book. If a file has a book in two versions, the older one is read.
func Mobi(ctx context.Context, src *format.Source) (*format.Text, error) {
	b := &mobiBook{data: src.Data, most: src.Bytes}
	if err := b.open(); err != nil {
		return nil, err
	}
	t, err := b.read(ctx, src)
	if err != nil {
		return nil, err
	}
	b.fields(t)
	return t, b.noteNewer(ctx, src, t)
}

// read reads the text of the book.
func (b *mobiBook) read(ctx context.Context, src *format.Source) (*format.Text, error) {
	text, beside, err := b.text(ctx)
	if err != nil {
		return nil, err
	}
	page := *src
	page.Data = bytes.ReplaceAll(text, []byte("<mbp:pagebreak"), []byte("<hr"))
	if page.Encoding == "" {
		page.Encoding = "windows-1252"
		if b.word(mobiPage) == mobiUTF8 {
			page.Data, page.Encoding = bytes.ToValidUTF8(page.Data, []byte("\uFFFD")), "utf-8"
		}
	}
	t, err := HTML(ctx, &page)
	if err != nil {
		return nil, err
	}
	var unread format.Unread
	for drawing := range bytes.SplitSeq(beside, []byte("<svg")) {
		if _, inside, ok := bytes.Cut(drawing, []byte(">")); ok && bytes.Contains(drawing, []byte("</svg>")) {
			unread.Words("<svg>", len(bytes.Fields(tags().ReplaceAll(inside, []byte(" ")))))
		}
	}
	unread.NoteMany(t)
	return t, nil
}

// tags matches tags of XML.
var tags = format.Pattern(`<[^<>]*>`)

// maxBoundary is the maximum length of the record between two versions of a book.
const maxBoundary = 16

// noteNewer notes the words that the newer version of the book in the same file has in addition.
func (b *mobiBook) noteNewer(ctx context.Context, src *format.Source, t *format.Text) error {
	for i := 1; i+2 < len(b.records); i++ {
		if r := b.record(i); !bytes.HasPrefix(r, []byte("BOUNDARY")) || len(r) > maxBoundary {
			continue
		}
		newer := &mobiBook{data: b.data, records: b.records[i+1:], most: b.most}
		if newer.head = newer.record(0); len(newer.head) < mobiFlags {
			break
		}
		var unread format.Unread
		if other, err := newer.read(ctx, src); err == nil {
			unread.Words("KF8", len(strings.Fields(other.Text))-len(strings.Fields(t.Text)))
		} else if format.Ended(ctx) != nil {
			return err
		} else {
			unread.Part("KF8")
		}
		unread.NoteMany(t)
		break
	}
	return nil
}

// open reads the list of records.
func (b *mobiBook) open() error {
	count := int(binary.BigEndian.Uint16(b.data[76:]))
	if len(b.data) < 78+8*count {
		return errMobi
	}
	last := 78 + 8*count
	for i := range count {
		at := int(binary.BigEndian.Uint32(b.data[78+8*i:]))
		if at < last || at > len(b.data) {
			return errMobi
		}
		b.records, last = append(b.records, at), at
	}
	b.records = append(b.records, len(b.data))
	if count == 0 || len(b.record(0)) < 16 {
		return errMobi
	}
	if b.head = b.record(0); binary.BigEndian.Uint16(b.head[mobiEncrypted:]) != 0 {
		return format.ErrEncrypted
	}
	return nil
}

func (b *mobiBook) record(i int) []byte {
	if i < 0 || i+1 >= len(b.records) {
		return nil
	}
	return b.data[b.records[i]:b.records[i+1]]
}

// word returns the 32-bit number at an offset of the first record, 0 if the record is too short.
func (b *mobiBook) word(at int) uint32 {
	if at+4 > len(b.head) {
		return 0
	}
	return binary.BigEndian.Uint32(b.head[at:])
}

// text decompresses the records of the text, and returns the drawings and styles after it separately.
func (b *mobiBook) text(ctx context.Context) (pages, beside []byte, err error) {
	kind, count := binary.BigEndian.Uint16(b.head), int(binary.BigEndian.Uint16(b.head[mobiCount:]))
	if kind != mobiRaw && kind != mobiPacked {
		return nil, nil, fmt.Errorf("%w: %w", format.ErrBinary, phrase.Error("cause.mobi-huff", "a book compressed by HUFF/CDIC (convert it to EPUB)"))
	}
	var text []byte
	for i := 1; i <= count; i++ {
		if err := format.Ended(ctx); err != nil {
			return nil, nil, err
		}
		r := b.record(i)
		if r == nil {
			return nil, nil, errMobi
		}
		if r = r[:len(r)-b.trailing(r)]; kind == mobiRaw {
			text = append(text, r...)
		} else {
			text = unpackPalm(text, r)
		}
		if int64(len(text)) > b.most {
			return nil, nil, fmt.Errorf("%w: %w", format.ErrTooLarge, phrase.Error("said.unpacks-more", "unpacks to more than {bytes} bytes", "bytes", b.most))
		}
	}
	pages = b.firstPart(text)
	return pages, text[len(pages):], nil
}

// trailing returns how many bytes at the end of a record are not text.
func (b *mobiBook) trailing(r []byte) int {
	if b.word(mobiLength) < 228 || mobiTrailing+2 > len(b.head) {
		return 0
	}
	flags, size := binary.BigEndian.Uint16(b.head[mobiTrailing:]), 0
	for f := flags >> 1; f > 0; f >>= 1 {
		if f&1 == 0 {
			continue
		}
		n := 0
		for at := max(len(r)-size-4, 0); at < len(r)-size; at++ {
			if r[at]&0x80 != 0 {
				n = 0
			}
			n = n<<7 | int(r[at]&0x7F)
		}
		size = min(size+n, len(r))
	}
	if flags&1 != 0 && size < len(r) {
		size += int(r[len(r)-size-1]&3) + 1
	}
	return min(size, len(r))
}

// firstPart returns the pages of a Kindle 8 book without the styles and pictures after them.
func (b *mobiBook) firstPart(text []byte) []byte {
	if b.word(mobiVersion) < mobiKindle8 {
		return text
	}
	parts := b.record(int(int32(b.word(mobiParts))))
	if len(parts) < 20 || !bytes.HasPrefix(parts, []byte("FDST")) {
		return text
	}
	return text[:min(int(binary.BigEndian.Uint32(parts[16:])), len(text))]
}

// unpackPalm appends a record decompressed by the PalmDOC algorithm to out: literal bytes,
// bytes after a space, and references to earlier bytes.
func unpackPalm(out, r []byte) []byte {
	for len(r) > 0 {
		c := r[0]
		r = r[1:]
		switch {
		case c >= 1 && c <= 8:
			n := min(int(c), len(r))
			out = append(out, r[:n]...)
			r = r[n:]
		case c < 0x80:
			out = append(out, c)
		case c >= 0xC0:
			out = append(out, ' ', c^0x80)
		case len(r) > 0:
			pair := int(c)<<8 | int(r[0])
			r = r[1:]
			from := len(out) - pair>>3&0x7FF
			for range pair&7 + 3 {
				if from >= 0 && from < len(out) {
					out = append(out, out[from])
				}
				from++
			}
		}
	}
	return out
}

// EXTH record types that are read.
const (
	mobiAuthor = 100
	mobiDate   = 106
	mobiTitle  = 503
)

// fields reads title, author and year.
func (b *mobiBook) fields(t *format.Text) {
	at := mobiName + int(b.word(mobiLength))
	if b.word(mobiFlags)&mobiWithFields == 0 || at < 0 || at+12 > len(b.head) || !bytes.HasPrefix(b.head[at:], []byte("EXTH")) {
		return
	}
	list := b.head[at+12:]
	for n := binary.BigEndian.Uint32(b.head[at+8:]); n > 0 && len(list) >= 8; n-- {
		id, size := binary.BigEndian.Uint32(list), int(binary.BigEndian.Uint32(list[4:]))
		if size < 8 || size > len(list) {
			return
		}
		value := flow.OneLine(charset.PageString(int(b.word(mobiPage)), list[8:size]))
		switch id {
		case mobiAuthor:
			t.Author = value
		case mobiTitle:
			t.Title = value
		case mobiDate:
			t.Year = format.Year(value)
		}
		list = list[size:]
	}
}
