package dedup

import (
	"bytes"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/otisk/otisk/corpus"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/lang/phrase"
)

// A jsonLayout parses JSON Lines: each line is a document with its text in a field.
// The rest of the line is copied byte for byte.
type jsonLayout struct{ wordReader }

func newJSON(o *Options, hash bool) *jsonLayout {
	l := &jsonLayout{}
	l.init(o, hash)
	return l
}

func (l *jsonLayout) parse(b *block) {
	for at := 0; at < len(b.Data); {
		end := at + lineEnd(b.Data[at:])
		b.lines = append(b.lines, uint32(end))
		start := at
		if b.Offset == 0 && at == 0 && bytes.HasPrefix(b.Data, format.BOM) {
			start = len(format.BOM)
		}
		d := doc{par: uint32(len(b.pars)), token: b.toks, from: uint32(start), to: uint32(end)}
		b.docs = append(b.docs, d)
		if err := l.line(b, &b.docs[len(b.docs)-1], b.Data[start:end]); err != nil {
			where := fmt.Sprintf("%s: byte %d", b.path, b.Offset+int64(at))
			b.bad = append(b.bad, problem{where, phrase.Error("corpus.line-stays", "{cause}; the line stays as it is", "cause", err)})
		}
		at = end + 1
	}
}

// line parses a line. It sets the document's from and to to the start and end of the
// text, without its quotation marks.
func (l *jsonLayout) line(b *block, d *doc, line []byte) error {
	if len(bytes.TrimSpace(line)) == 0 {
		return nil
	}
	start, end, err := corpus.FindField(line, l.o.Field)
	if err != nil {
		return err
	}
	if !utf8.Valid(line) {
		return errNotUTF8
	}
	text, ok := corpus.Unquote(line[start:end])
	if !ok {
		return phrase.Error("corpus.field-string", "field {field}: its value is not a string", "field", l.o.Field)
	}
	at := int(d.from)
	d.from, d.to = uint32(at+start+1), uint32(at+end-1)
	first := len(b.cuts)
	l.addText(b, text)
	toRaw(b.Data[d.from:d.to], d.from, b.cuts[first:])
	return nil
}

// toRaw converts ascending offsets in a decoded string to offsets in its raw form,
// which starts at base.
func toRaw(raw []byte, base uint32, offsets []uint32) {
	at, decoded := 0, uint32(0)
	for i, want := range offsets {
		for decoded < want {
			size, width := oneRaw(raw[at:])
			at += size
			decoded += uint32(width)
		}
		offsets[i] = base + uint32(at)
	}
}

// oneRaw returns how many bytes the first character takes raw, and how many
// decoded.
func oneRaw(raw []byte) (size, width int) {
	if raw[0] != '\\' {
		return 1, 1
	}
	if raw[1] != 'u' {
		return 2, 1
	}
	r := hexRune(raw[2:])
	if utf16.IsSurrogate(r) {
		if len(raw) >= 12 && raw[6] == '\\' && raw[7] == 'u' {
			if both := utf16.DecodeRune(r, hexRune(raw[8:])); both != utf8.RuneError {
				return 12, utf8.RuneLen(both)
			}
		}
		r = utf8.RuneError
	}
	return 6, utf8.RuneLen(r)
}

func hexRune(digits []byte) (r rune) {
	for _, c := range digits[:4] {
		switch {
		case c <= '9':
			c -= '0'
		case c >= 'a':
			c -= 'a' - 10
		default:
			c -= 'A' - 10
		}
		r = r<<4 | rune(c)
	}
	return r
}

func (l *jsonLayout) format(b *block, mark bool) {
	for i := range b.docs {
		start, end := uint32(0), b.lines[i]
		if i > 0 {
			start = b.lines[i-1] + 1
		}
		if last, _ := b.end(i); b.docs[i].empty && last > b.docs[i].par && !mark {
			continue // paragraphs without words are kept
		}
		if mark {
			b.markObject(i, start, end)
		} else {
			b.out = append(b.out, b.Data[start:b.docs[i].from]...)
			b.eachPiece(i, func(from, to uint32, bad bool) {
				if !bad {
					b.out = append(b.out, b.Data[from:to]...)
				}
			})
			b.out = append(b.out, b.Data[b.docs[i].to:end]...)
		}
		b.out = append(b.out, '\n')
	}
}

// markObject writes a line with an added field that marks the duplicate paragraphs.
func (b *block) markObject(i int, start, end uint32) {
	line := b.Data[start:end]
	last, _ := b.end(i)
	if b.docs[i].par == last {
		b.out = append(b.out, line...)
		return
	}
	brace := bytes.LastIndexByte(line, '}')
	b.out = append(b.out, line[:brace]...)
	b.out = append(b.out, `,"duplicate":[`...)
	for p := b.docs[i].par; p < last; p++ {
		sign := byte('0')
		if b.pars[p].bad {
			sign = '1'
		}
		if p > b.docs[i].par {
			b.out = append(b.out, ',')
		}
		b.out = append(b.out, sign)
	}
	b.out = append(b.out, ']')
	b.out = append(b.out, line[brace:]...)
}
