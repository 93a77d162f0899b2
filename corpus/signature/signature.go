// Package signature finds the same text under another dress, and writes what is
// kept of a collection.
//
// The signature of a text is what is left of it without tags, diacritics, case and
// all but the letters a to z, hashed. [Of] returns it; [List] sorts those of a
// collection, so that equal ones are together, and [Select] writes the documents of
// a list.
package signature

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"regexp"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/otisk/otisk/corpus"
	"github.com/otisk/otisk/corpus/extsort"
	"github.com/otisk/otisk/corpus/work"
)

// A Sum is a signature. Eight digits of it are shown; but documents are the same
// only where all of it is, since of 100,000 texts two have the same eight digits
// more often than not.
type Sum [16]byte

// String returns the first eight hexadecimal digits, or - for a text without
// letters, which is the same as no other.
func (s Sum) String() string {
	if s == (Sum{}) {
		return "-"
	}
	return fmt.Sprintf("%x", s[:4])
}

var tag = regexp.MustCompile(`(?s)<!--.*?-->|<[/!?]?\pL[^<>]*>`)

// Of returns the signature of a text, and how many letters it has.
func Of(text string) (sum Sum, letters int) {
	plain := letterBytes(tag.ReplaceAllString(text, " "))
	if len(plain) > 0 {
		sum = sumOf(plain)
	}
	return sum, len(plain)
}

func sumOf(b []byte) (sum Sum) {
	whole := sha256.Sum256(b)
	copy(sum[:], whole[:])
	if sum == (Sum{}) {
		sum[0] = 1
	}
	return sum
}

// letterBytes returns the letters a to z of a text, with what is left of others
// without their diacritics.
func letterBytes(text string) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		c := text[i]
		if c >= utf8.RuneSelf {
			end := i + 1
			for end < len(text) && text[end] >= utf8.RuneSelf {
				end++
			}
			out = appendLetters(out, norm.NFKD.String(text[i:end]))
			i = end
			continue
		}
		out = appendLetters(out, text[i:i+1])
		i++
	}
	return out
}

func appendLetters(out []byte, text string) []byte {
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z':
			out = append(out, c)
		case 'A' <= c && c <= 'Z':
			out = append(out, c|0x20)
		}
	}
	return out
}

var idAttribute = regexp.MustCompile(`\s+id\s*=\s*"[^"]*"`)

// ButForID returns the signature of a document as it is, without its id, which in an
// object of JSON is the first of these fields that is there.
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
	Length int   // letters, or bytes
	Time   int64 // Unix seconds
	ID     string
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

// Options say how documents are compared.
type Options struct {
	ButForID bool // as they are, but for their ids
	Memory   int64
}

// Each calls fn with the signature of each document, in the order of the collection.
func Each(ctx context.Context, in *corpus.Input, o Options, fn func(Entry) error) (corpus.Summary, error) {
	worker := func() func(*corpus.Doc) (Entry, error) {
		return func(d *corpus.Doc) (Entry, error) {
			e := Entry{Time: d.Time.Unix()}
			if o.ButForID {
				e.Sum, e.Length = ButForID(d, in.IDFields())
			} else {
				e.Sum, e.Length = Of(d.Text)
			}
			return e, nil
		}
	}
	return corpus.Map(ctx, in, worker, func(d *corpus.Doc, e Entry) error {
		e.N, e.ID = d.N, d.ID
		return fn(e)
	})
}

// Groups calls fn with the documents of each signature, in order of signature.
func Groups(ctx context.Context, in *corpus.Input, o Options, dir *work.Folder, fn func([]Entry) error) (corpus.Summary, error) {
	s := extsort.New(dir.Path("signatures"), o.Memory/2)
	sum, err := Each(ctx, in, o, func(e Entry) error { return s.Add(e.encode()) })
	if err != nil {
		return sum, err
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
	err = s.Each(ctx, func(b []byte) error {
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
	return sum, err
}

// Keep calls fn with the ids of the documents to keep, in the order of the
// collection: of each group the one that better prefers.
func Keep(ctx context.Context, in *corpus.Input, o Options, dir *work.Folder, better func(a, b Entry) bool, fn func(id string) error) (corpus.Summary, error) {
	kept := extsort.New(dir.Path("kept"), o.Memory/4)
	sum, err := Groups(ctx, in, o, dir, func(group []Entry) error {
		best := group[0]
		for _, e := range group[1:] {
			if better(e, best) {
				best = e
			}
		}
		return kept.Add(append(binary.BigEndian.AppendUint32(nil, uint32(best.N)), best.ID...))
	})
	if err != nil {
		return sum, err
	}
	return sum, kept.Each(ctx, func(b []byte) error { return fn(string(b[4:])) })
}
