package ngram

import (
	"bufio"
	"cmp"
	"container/heap"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/bits"
	"os"
	"runtime"
	"sync"

	"github.com/otisk/otisk/corpus/extsort"
	"github.com/otisk/otisk/corpus/ordered"
	"github.com/otisk/otisk/corpus/spill"
	"github.com/otisk/otisk/corpus/work"
	"github.com/otisk/otisk/internal/closing"
	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/lang/phrase"
)

// A lister looks up the words of n-grams, and sorts them.
type lister struct {
	o      Options
	n      int // words of the n-grams
	dir    *work.Folder
	counts counts

	mu     sync.Mutex
	sorter *extsort.Sorter
	top    topList
}

// A looker looks up the words of the n-grams that start in a block. It is for one goroutine.
type looker struct {
	l     *lister
	words *os.File
	found *spill.Files
	in    *bufio.Reader
	text  []byte // of a piece of the block
	from  int64  // where it is in the words
	batch []byte // records for the sorter
	ends  []int  // of these
}

const (
	leastPiece = 1 << 20
	batchBytes = 1 << 18
)

func (l *lister) look(ctx context.Context) (err error) {
	words, err := os.Open(l.dir.Path(wordsFile))
	if err != nil {
		return oserror.Cause(err)
	}
	defer closing.Into(&err, words)
	info, err := words.Stat()
	if err != nil {
		return oserror.Cause(err)
	}
	blocks := int((info.Size() + l.counts.Block - 1) / l.counts.Block)
	found, err := spill.Open(l.dir.Path(ofSize(foundFile, l.n)), blocks)
	if err != nil {
		return err
	}
	defer closing.Into(&err, found)
	state := func() *looker { return &looker{l: l, words: words, found: found, in: bufio.NewReaderSize(nil, 1<<16)} }
	block := func(ctx context.Context, k *looker, i int) error {
		if l.o.Progress != nil {
			l.o.Progress("look up", int64(i), int64(blocks))
		}
		return k.block(ctx, i)
	}
	return ordered.Each(ctx, blocks, state, block, (*looker).flush)
}

// block looks up the n-grams that start in a block, in pieces that fit into memory.
func (k *looker) block(ctx context.Context, i int) error {
	size := k.l.counts.Block
	for size > leastPiece && size > k.l.o.Memory/16/int64(runtime.GOMAXPROCS(0)) {
		size /= 2
	}
	for from := int64(0); from < k.l.counts.Block; from += size {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		k.from = int64(i)*k.l.counts.Block + from
		if err := k.read(int(size)); err != nil {
			return err
		}
		if len(k.text) == 0 {
			return nil // past the end of the words
		}
		if err := k.piece(i, from, from+size); err != nil {
			return phrase.Error("corpus.look-up", "look up n-grams in {name}: {cause}", "name", k.l.dir.Path(ofSize(foundFile, k.l.n)), "cause", oserror.Cause(err))
		}
	}
	return nil
}

// read reads the next size bytes of the words, fewer at the end.
func (k *looker) read(size int) error {
	if cap(k.text) < size {
		k.text = make([]byte, size)
	}
	n, err := k.words.ReadAt(k.text[:size], k.from)
	if k.text = k.text[:n]; err != nil && err != io.EOF {
		return phrase.Error("cause.read-file", "read {name}: {cause}", "name", k.words.Name(), "cause", oserror.Cause(err))
	}
	return nil
}

// piece looks up the n-grams that start in block i in [from, to).
func (k *looker) piece(i int, from, to int64) error {
	k.in.Reset(k.found.Reader(i))
	var place [4]byte
	for {
		if _, err := io.ReadFull(k.in, place[:]); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		count, err := binary.ReadUvarint(k.in)
		if err != nil {
			return err
		}
		at := int64(binary.LittleEndian.Uint32(place[:]))
		if at < from || at >= to || count < k.l.counts.Floor {
			continue
		}
		text, err := k.gram(int(at - from))
		if err != nil {
			return err
		}
		if err := k.add(text, count); err != nil {
			return err
		}
	}
}

// gram returns the n-gram that starts at an offset of the text. If it continues after
// the piece, gram reads more.
func (k *looker) gram(at int) ([]byte, error) {
	for more := 1 << 12; ; more *= 2 {
		if text := gramOf(k.text[at:], k.l.n); text != nil {
			return text, nil
		}
		had := len(k.text)
		longer := append(k.text, make([]byte, more)...)
		n, err := k.words.ReadAt(longer[had:], k.from+int64(had))
		k.text = longer[:had+n]
		switch {
		case n > 0:
		case err == io.EOF:
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		}
	}
}

// gramOf returns the first n words of b, nil if b ends within them.
func gramOf(b []byte, n int) []byte {
	for end, c := range b {
		if c > ' ' || c != ' ' && c != '\n' {
			continue
		}
		if n--; n == 0 {
			return b[:end]
		}
	}
	return nil
}

func (k *looker) add(text []byte, count uint64) error {
	k.batch = k.l.o.encode(k.batch, text, count)
	k.ends = append(k.ends, len(k.batch))
	if len(k.batch) < batchBytes {
		return nil
	}
	return k.flush()
}

func (k *looker) flush() error {
	k.l.mu.Lock()
	defer k.l.mu.Unlock()
	from := 0
	for _, end := range k.ends {
		if err := k.l.add(k.batch[from:end]); err != nil {
			return err
		}
		from = end
	}
	k.batch, k.ends = k.batch[:0], k.ends[:0]
	return nil
}

func (l *lister) add(record []byte) error {
	if l.o.Top > 0 {
		text, count := l.o.decode(record)
		l.top.add(string(text), count)
		return nil
	}
	l.counts.Sum.Listed++
	return l.sorter.Add(record)
}

// encode appends a record whose bytes sort by the options: the text, a zero byte and
// the count, or the count in descending order and the text. Counts have as few bytes
// as possible, so that the first bytes of a record include text.
func (o *Options) encode(b, text []byte, count uint64) []byte {
	var eight [8]byte
	if o.ByText {
		binary.BigEndian.PutUint64(eight[:], count)
		b = append(append(b, text...), 0)
		return append(append(b, eight[8-size(count):]...), byte(size(count)))
	}
	binary.BigEndian.PutUint64(eight[:], ^count)
	b = append(append(b, byte(8-size(count))), eight[8-size(count):]...)
	return append(b, text...)
}

// size returns the number of significant bytes of n.
func size(n uint64) int { return max(1, (bits.Len64(n)+7)/8) }

func (o *Options) decode(b []byte) (text []byte, count uint64) {
	var eight [8]byte
	if o.ByText {
		last := len(b) - 1
		from := last - int(b[last])
		copy(eight[8-int(b[last]):], b[from:last])
		return b[:from-1], binary.BigEndian.Uint64(eight[:])
	}
	n := 8 - int(b[0])
	for i, c := range b[1 : 1+n] {
		eight[8-n+i] = ^c
	}
	return b[1+n:], binary.BigEndian.Uint64(eight[:])
}

func (l *lister) list(ctx context.Context, emit func([]byte, uint64) error) error {
	for _, t := range l.top.list {
		if err := l.sorter.Add(l.o.encode(nil, []byte(t.text), t.count)); err != nil {
			return errors.Join(err, l.sorter.Close())
		}
	}
	return l.sorter.Each(ctx, func(b []byte) error { return emit(l.o.decode(b)) })
}

// A topList has the most frequent n-grams, the least of them first; of equal counts the
// first by text.
type topList struct {
	limit int
	list  []textCount
}

type textCount struct {
	text  string
	count uint64
}

func (t *topList) add(text string, count uint64) {
	if heap.Push(t, textCount{text, count}); len(t.list) > t.limit {
		heap.Pop(t)
	}
}

func (t *topList) Len() int { return len(t.list) }
func (t *topList) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(t.list[i].count, t.list[j].count), cmp.Compare(t.list[j].text, t.list[i].text)) < 0
}
func (t *topList) Swap(i, j int) { t.list[i], t.list[j] = t.list[j], t.list[i] }
func (t *topList) Push(x any)    { t.list = append(t.list, x.(textCount)) }
func (t *topList) Pop() any {
	last := t.list[len(t.list)-1]
	t.list = t.list[:len(t.list)-1]
	return last
}
