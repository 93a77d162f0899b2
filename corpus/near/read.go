package near

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/otisk/otisk/corpus"
	"github.com/otisk/otisk/corpus/roll"
	"github.com/otisk/otisk/corpus/work"
	"github.com/otisk/otisk/fingerprint"
	"github.com/otisk/otisk/lang/phrase"
)

// readStep reads the documents: it writes their sets to setsFile, 8 bytes a hash in
// ascending order, and their [Doc]s to docsFile.
const (
	readStep = "read"
	setsFile = "sets"
	docsFile = "docs"
)

type signature struct {
	words       uint32
	set, shorts []uint64 // in ascending order
}

// Read reads a collection and writes the sets of its documents to dir.
func Read(ctx context.Context, in *corpus.Input, o Options, dir *work.Folder) (*Data, error) {
	d := &Data{o: o, dir: dir, list: map[uint32][]uint32{}}
	if !dir.Done(rankStep, &d.Summary) && !dir.Done(readStep, &d.Summary) {
		sum, err := d.read(ctx, in)
		if err != nil {
			return nil, err
		}
		if err := dir.Finish(readStep, sum, setsFile, docsFile); err != nil {
			return nil, err
		}
		d.Summary = sum
	}
	if err := dir.Read(docsFile, d.load); err != nil {
		return nil, err
	}
	for i, doc := range d.Docs {
		if doc.Same >= 0 {
			d.list[uint32(doc.Same)] = append(d.list[uint32(doc.Same)], uint32(i))
		}
	}
	return d, nil
}

type setWriter struct {
	sets, docs *bufio.Writer
	known      map[[2]uint64]int32 // first document by digest of the set
	buf        []byte
}

func (d *Data) read(ctx context.Context, in *corpus.Input) (sum corpus.Summary, err error) {
	// An interrupted run may have left this file during rankStep.
	if err := os.Remove(d.dir.Path(ranksFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return sum, err
	}
	err = d.dir.Write(setsFile, func(sets *bufio.Writer) error {
		return d.dir.Write(docsFile, func(docs *bufio.Writer) error {
			w := setWriter{sets: sets, docs: docs, known: map[[2]uint64]int32{}}
			if d.o.By == Rarest {
				sum, err = d.readRarest(ctx, in, &w)
			} else {
				sum, err = corpus.Map(ctx, in, d.o.newWorker, w.write)
			}
			return err
		})
	})
	return sum, err
}

// write writes one document. If an earlier document has an equal set, the set is not written again.
func (w *setWriter) write(d *corpus.Doc, s signature) error {
	same, key := int32(-1), digest(s.set)
	if first, ok := w.known[key]; ok && len(s.set) > 0 {
		same = first
	} else {
		w.known[key] = int32(d.N)
	}
	w.buf = binary.AppendUvarint(w.buf[:0], uint64(len(d.ID)))
	w.buf = append(w.buf, d.ID...)
	for _, x := range []int64{int64(s.words), d.Time.Unix(), int64(len(s.set)), int64(len(s.shorts)), int64(same)} {
		w.buf = binary.AppendVarint(w.buf, x)
	}
	if _, err := w.docs.Write(w.buf); err != nil {
		return err
	}
	if same >= 0 {
		s.set = nil
	}
	for _, list := range [][]uint64{s.set, s.shorts} {
		w.buf, _ = binary.Append(w.buf[:0], binary.LittleEndian, list)
		if _, err := w.sets.Write(w.buf); err != nil {
			return err
		}
	}
	return nil
}

// digest returns a 128-bit hash of a set.
func digest(set []uint64) (key [2]uint64) {
	for _, h := range set {
		key[0] = mix(key[0] + h)
		key[1] = (key[1] ^ h) * 0x9FB21C651E98DF25
		key[1] ^= key[1] >> 29
	}
	return key
}

// load reads the list of documents.
func (d *Data) load(r *bufio.Reader) error {
	at := int64(0)
	for {
		size, err := binary.ReadUvarint(r)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		id := make([]byte, size)
		if _, err := io.ReadFull(r, id); err != nil {
			return err
		}
		var x [5]int64
		for i := range x {
			if x[i], err = binary.ReadVarint(r); err != nil {
				return err
			}
		}
		doc := Doc{ID: string(id), Words: uint32(x[0]), Time: x[1], Size: uint32(x[2]), Shorts: uint32(x[3]), Same: int32(x[4])}
		if doc.set = at; doc.Same < 0 {
			at += 8 * x[2]
		} else {
			doc.set = d.Docs[doc.Same].set
		}
		doc.short = at
		at += 8 * x[3]
		d.Docs = append(d.Docs, doc)
	}
}

func (o *Options) newWorker() func(*corpus.Doc) (signature, error) {
	switch o.By {
	case Paragraphs:
		return o.paragraphs
	case Simhash:
		return newSimhasher().document
	}
	return (&shingler{words: o.Words}).document
}

type shingler struct {
	words  int
	hashes []uint64 // of the document, in order
	sorter spreader
}

func (s *shingler) document(d *corpus.Doc) (sig signature, err error) {
	roller := roll.New(s.words, false)
	s.hashes = s.hashes[:0]
	d.Words(func(word []byte, _ int) {
		sig.words++
		if h, ok := roller.Add(fingerprint.Sum64(word)); ok {
			s.hashes = append(s.hashes, h)
		}
	})
	sig.set = make([]uint64, len(s.hashes))
	s.sorter.sort(sig.set, s.hashes)
	sig.set = slices.Compact(sig.set)
	return sig, tooMany(sig.set)
}

func (o *Options) paragraphs(d *corpus.Doc) (s signature, err error) {
	h, length, at := uint64(0), 0, 0
	end := func() {
		switch {
		case length == 0:
		case length < o.Short:
			s.shorts = append(s.shorts, h)
		default:
			s.set = append(s.set, h)
		}
		h, length = 0, 0
	}
	d.Words(func(word []byte, paragraph int) {
		if paragraph != at {
			end()
			at = paragraph
		}
		h = mix(h + fingerprint.Sum64(word))
		length++
		s.words++
	})
	end()
	s.set, s.shorts = sorted(s.set), sorted(s.shorts)
	return s, tooMany(s.set)
}

func sorted(set []uint64) []uint64 {
	slices.Sort(set)
	return slices.Compact(set)
}

// mostHashes is the limit of hashes in a set, because positions in it have 31 bits.
const mostHashes = 1<<31 - 1

func tooMany(set []uint64) error {
	if len(set) > mostHashes {
		return phrase.Error("corpus.shingles", "a document has {shingles} different shingles; the limit is {limit}", "shingles", len(set), "limit", mostHashes)
	}
	return nil
}

// mix is a bijection that spreads the bits of a hash.
func mix(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
