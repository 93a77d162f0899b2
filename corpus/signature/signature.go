// Package signature finds texts that differ only in case, diacritics, digits, tags and
// punctuation, and filters a collection by a list of documents.
//
// The signature of a text is a hash of its letters a to z, after tags, diacritics and
// case are removed; digits can be included. [Of] returns the signature of a text, [Read] those of a
// collection; [Select] writes the documents of a list.
package signature

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/otisk/otisk/corpus"
	"github.com/otisk/otisk/corpus/extsort"
	"github.com/otisk/otisk/corpus/work"
	"github.com/otisk/otisk/internal/lists"
)

// A Sum is a signature. Documents are the same if their complete sums are equal. Only
// eight digits are displayed; among 100,000 texts, two probably share these.
type Sum [16]byte

// String returns the first eight hexadecimal digits, or "-" for a text without a
// signature, which is never the same as another.
func (s Sum) String() string {
	if s == (Sum{}) {
		return "-"
	}
	return fmt.Sprintf("%x", s[:4])
}

var tag = regexp.MustCompile(`(?s)<!--.*?-->|<[/!?]?\pL[^<>]*>`)

// Of returns the signature of a text and the number of characters that it is computed from:
// the letters a to z and, if digits is true, the digits. If most letters are of other
// scripts, foreign is true and the text has no signature: two different Russian texts may
// have only a name in Latin letters in common.
func Of(text string, digits bool) (sum Sum, length int, foreign bool) {
	plain, others := plainBytes(tag.ReplaceAllString(text, " "))
	letters := len(plain)
	for _, c := range plain {
		if c <= '9' {
			letters--
		}
	}
	if !digits && letters < len(plain) {
		plain = slices.DeleteFunc(plain, func(c byte) bool { return c <= '9' })
	}
	if foreign = others > letters; len(plain) > 0 && !foreign {
		sum = sumOf(plain)
	}
	return sum, len(plain), foreign
}

func sumOf(b []byte) (sum Sum) {
	whole := sha256.Sum256(b)
	copy(sum[:], whole[:])
	if sum == (Sum{}) {
		sum[0] = 1
	}
	return sum
}

// plainBytes returns the digits and the letters a to z of a text, including letters whose
// diacritics were removed, and the number of other letters.
func plainBytes(text string) (out []byte, others int) {
	out = make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		c := text[i]
		if c >= utf8.RuneSelf {
			end := i + 1
			for end < len(text) && text[end] >= utf8.RuneSelf {
				end++
			}
			plain := norm.NFKD.String(text[i:end])
			out = appendPlain(out, plain)
			others += otherLetters(plain)
			i = end
			continue
		}
		out = appendPlain(out, text[i:i+1])
		i++
	}
	return out, others
}

// otherLetters returns the number of letters of a text that are not ASCII.
func otherLetters(text string) (count int) {
	return lists.Runes(text, func(r rune) bool { return r >= utf8.RuneSelf && unicode.IsLetter(r) })
}

func appendPlain(out []byte, text string) []byte {
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			out = append(out, c)
		case 'A' <= c && c <= 'Z':
			out = append(out, c|0x20)
		}
	}
	return out
}

var idAttribute = regexp.MustCompile(`\s+(?i:(?:xml:)?id)\s*=\s*(?:"[^"]*"|'[^']*')`)

// ButForID returns the signature of the unchanged bytes of a document without its id. In
// a JSON object, the id is the first of idFields that is present.
func ButForID(d *corpus.Doc, idFields []string) (Sum, int) {
	raw := d.Raw
	switch d.Form {
	case corpus.Vertical:
		first, rest, _ := bytes.Cut(raw, []byte("\n"))
		raw = append(append(idAttribute.ReplaceAll(first, nil), '\n'), rest...)
	case corpus.JSONLines:
		for _, name := range idFields {
			if start, end, err := corpus.FindField(raw, name); err == nil {
				raw = append(append(bytes.Clone(raw[:start]), '0'), raw[end:]...)
				break
			}
		}
	default:
		raw = []byte(d.Text)
	}
	return sumOf(raw), len(raw)
}

// An Entry is a document with its signature.
type Entry struct {
	Sum    Sum
	N      int   // number of the document
	Length int   // letters and digits, or bytes
	Time   int64 // Unix seconds
	ID     string

	foreign bool // no signature, because most letters are not a to z; not on disk
}

// encode writes an entry so that entries sort by signature, then number.
func (e *Entry) encode() []byte {
	b := append([]byte{}, e.Sum[:]...)
	b = binary.BigEndian.AppendUint32(b, uint32(e.N))
	b = binary.BigEndian.AppendUint32(b, uint32(e.Length))
	b = binary.BigEndian.AppendUint64(b, uint64(e.Time))
	return append(b, e.ID...)
}

const headBytes = 32

func decode(b []byte) (e Entry) {
	copy(e.Sum[:], b)
	e.N, e.Length = int(binary.BigEndian.Uint32(b[16:])), int(binary.BigEndian.Uint32(b[20:]))
	e.Time, e.ID = int64(binary.BigEndian.Uint64(b[24:])), string(b[headBytes:])
	return e
}

// Options set how documents are compared.
type Options struct {
	ButForID bool // compare the unchanged bytes without the ids
	Digits   bool // compare digits, too
	Memory   int64
}

// readStep reads the documents and writes their entries to entriesFile, each with its
// length before it.
const (
	readStep    = "read"
	entriesFile = "entries"
)

// A List is the signatures of a collection on disk.
type List struct {
	found
	o   Options
	dir *work.Folder
}

// found is the stored result of readStep.
type found struct {
	Summary corpus.Summary
	Foreign int // documents without a signature, because most letters are not a to z
}

// Read computes the signatures of a collection, or loads those of an earlier run.
func Read(ctx context.Context, in *corpus.Input, o Options, dir *work.Folder) (*List, error) {
	l := &List{o: o, dir: dir}
	if dir.Done(readStep, &l.found) {
		return l, nil
	}
	if err := dir.Write(entriesFile, func(w *bufio.Writer) error { return l.read(ctx, in, w) }); err != nil {
		return nil, err
	}
	return l, dir.Finish(readStep, l.found, entriesFile)
}

func (l *List) read(ctx context.Context, in *corpus.Input, w *bufio.Writer) (err error) {
	var size []byte
	worker := func() func(*corpus.Doc) (Entry, error) {
		return func(d *corpus.Doc) (Entry, error) {
			e := Entry{Time: d.Time.Unix()}
			if l.o.ButForID {
				e.Sum, e.Length = ButForID(d, in.IDFields())
			} else {
				e.Sum, e.Length, e.foreign = Of(d.Text, l.o.Digits)
			}
			return e, nil
		}
	}
	l.Summary, err = corpus.Map(ctx, in, worker, func(d *corpus.Doc, e Entry) error {
		e.N, e.ID = d.N, d.ID
		if e.foreign {
			l.Foreign++
		}
		record := e.encode()
		size = binary.AppendUvarint(size[:0], uint64(len(record)))
		if _, err := w.Write(size); err != nil {
			return err
		}
		_, err := w.Write(record)
		return err
	})
	return err
}

// records calls fn with the encoded entry of each document, in the order of the
// collection. The entry is valid only during the call.
func (l *List) records(ctx context.Context, fn func(record []byte) error) error {
	return l.dir.Read(entriesFile, func(r *bufio.Reader) error {
		var record []byte
		for ctx.Err() == nil {
			size, err := binary.ReadUvarint(r)
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			record = slices.Grow(record[:0], int(size))[:size]
			if _, err := io.ReadFull(r, record); err != nil {
				return err
			}
			if err := fn(record); err != nil {
				return err
			}
		}
		return context.Cause(ctx)
	})
}

// Each calls fn with the signature of each document, in the order of the collection.
func (l *List) Each(ctx context.Context, fn func(Entry) error) error {
	return l.records(ctx, func(record []byte) error { return fn(decode(record)) })
}

// Groups calls fn with the documents of each signature, in order of signature.
func (l *List) Groups(ctx context.Context, fn func([]Entry) error) error {
	s := extsort.New(l.dir.Path("signatures"), l.o.Memory/2)
	if err := l.records(ctx, s.Add); err != nil {
		return errors.Join(err, s.Close())
	}
	var group []Entry
	flush := func() error {
		if len(group) == 0 {
			return nil
		}
		err := fn(group)
		group = group[:0]
		return err
	}
	err := s.Each(ctx, func(b []byte) error {
		e := decode(b)
		if len(group) > 0 && (e.Sum != group[0].Sum || e.Sum == Sum{}) {
			if err := flush(); err != nil {
				return err
			}
		}
		group = append(group, e)
		return nil
	})
	if err == nil {
		err = flush()
	}
	return err
}

// EachKept calls fn with the ids of the documents to keep, in the order of the collection:
// from each group, the document that better prefers to the others.
func (l *List) EachKept(ctx context.Context, better func(a, b Entry) bool, fn func(id string) error) error {
	kept := extsort.New(l.dir.Path("kept"), l.o.Memory/4)
	err := l.Groups(ctx, func(group []Entry) error {
		best := group[0]
		for _, e := range group[1:] {
			if better(e, best) {
				best = e
			}
		}
		return kept.Add(append(binary.BigEndian.AppendUint32(nil, uint32(best.N)), best.ID...))
	})
	if err != nil {
		return errors.Join(err, kept.Close())
	}
	return kept.Each(ctx, func(b []byte) error { return fn(string(b[4:])) })
}
