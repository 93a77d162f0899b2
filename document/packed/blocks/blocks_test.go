package blocks

import (
	"bytes"
	"compress/bzip2"
	"errors"
	"io"
	"os"
	"testing"
	"testing/iotest"

	"github.com/otisk/otisk/internal/testing/need"
)

// sample has four streams, one of them empty, and nine blocks.
func sample(t testing.TB) (packed, plain []byte) {
	t.Helper()
	packed, err := os.ReadFile("testdata/streams.bz2")
	if err != nil {
		t.Fatal(err)
	}
	plain, err = io.ReadAll(bzip2.NewReader(bytes.NewReader(packed)))
	if err != nil {
		t.Fatal(err)
	}
	return packed, plain
}

// readAll returns the readable text and the reported errors.
func readAll(r io.Reader) (text []byte, told []error) {
	buf := make([]byte, 1000)
	for {
		n, err := r.Read(buf)
		text = append(text, buf[:n]...)
		switch {
		case err == io.EOF:
			return text, told
		case err != nil:
			told = append(told, err)
		}
		if err != nil && !errors.Is(err, ErrBlock) {
			return text, told
		}
	}
}

func TestReader(t *testing.T) {
	packed, plain := sample(t)
	for _, workers := range []int{1, 2, 5} {
		for name, from := range map[string]io.Reader{"whole": bytes.NewReader(packed), "in small pieces": iotest.OneByteReader(bytes.NewReader(packed))} {
			b := NewReader(from, workers)
			text, told := readAll(b)
			b.Close()
			if len(told) > 0 || !bytes.Equal(text, plain) {
				t.Errorf("%s, %d workers: %d bytes of %d, %v", name, workers, len(text), len(plain), told)
			}
		}
	}
}

// TestDamage changes each part of a file: the text read is part of the original, in order,
// and lost text is reported.
func TestDamage(t *testing.T) {
	packed, plain := sample(t)
	for at := 0; at < len(packed); at += len(packed) / need.Rounds(50) {
		damaged := bytes.Clone(packed)
		damaged[at] ^= 0x10
		b := NewReader(bytes.NewReader(damaged), 2)
		text, told := readAll(b)
		b.Close()
		same := bytes.Equal(text, plain)
		if len(told) == 0 && !same {
			t.Errorf("byte %d of %d: %d bytes of %d are given, and nothing is told", at, len(packed), len(text), len(plain))
		}
		if len(plain)-len(text) > 210_000 {
			t.Errorf("byte %d: %d bytes are lost", at, len(plain)-len(text))
		}
		before := 0
		for before < len(text) && text[before] == plain[before] {
			before++
		}
		if !bytes.HasSuffix(plain, text[before:]) {
			t.Errorf("byte %d: what is given is not what is before and after the damage", at)
		}
	}
}

// TestCut tells that a file ends early, wherever it does within a stream.
func TestCut(t *testing.T) {
	packed, plain := sample(t)
	for size := 4; size < len(packed)-1; size += len(packed) / need.Rounds(40) {
		b := NewReader(bytes.NewReader(packed[:size]), 2)
		text, told := readAll(b)
		b.Close()
		if !bytes.HasPrefix(plain, text) || len(told) == 0 {
			t.Errorf("of %d bytes: %d bytes of text, told %v", size, len(text), told)
		}
	}
}

// TestJoined unpacks a block that has the mark of another one in it, by chance.
func TestJoined(t *testing.T) {
	packed, plain := sample(t)
	b := NewReader(bytes.NewReader(nil), 1)
	defer b.Close()
	_, start := findMark(packed, 0, 0)
	_, end := findMark(packed, start/8, start+1)
	s := &splitter{data: packed}
	whole := s.block(start, end)
	first, second := s.block(start, start+100_003), s.block(start+100_003, end)
	b.held = &part{mark: blockMark, bits: second.bits, size: second.size}
	got := b.joined(&part{mark: blockMark, bits: first.bits, size: first.size, sum: whole.sum, err: io.ErrUnexpectedEOF})
	if got.err != nil || !bytes.HasPrefix(plain, got.text) || len(got.text) < 90_000 {
		t.Errorf("%d bytes, %v", len(got.text), got.err)
	}
}

// TestClose ends running work although most of the file is unread.
func TestClose(t *testing.T) {
	packed, _ := sample(t)
	b := NewReader(bytes.NewReader(packed), 2)
	if _, err := b.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	b.Close()
	if n, err := b.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("after Close: %d bytes, %v", n, err)
	}
}

func FuzzReader(f *testing.F) {
	packed, _ := sample(f)
	f.Add(packed[len(packed)-80:])
	f.Add([]byte("BZh9\x17\x72\x45\x38\x50\x90\x00\x00\x00\x00"))
	f.Add([]byte("BZh91AY&SY"))
	f.Fuzz(func(t *testing.T, data []byte) {
		b := NewReader(bytes.NewReader(data), 2)
		text, told := readAll(b)
		b.Close()
		want, err := io.ReadAll(bzip2.NewReader(bytes.NewReader(data)))
		if err == nil && (len(told) > 0 || !bytes.Equal(text, want)) {
			t.Errorf("%d bytes and %v, want %d bytes", len(text), told, len(want))
		}
		if err != nil && len(told) == 0 && !bytes.Equal(text, want) {
			t.Errorf("nothing is told, where compress/bzip2 says %v", err)
		}
	})
}

func BenchmarkReader(b *testing.B) {
	packed, plain := sample(b)
	b.SetBytes(int64(len(plain)))
	for b.Loop() {
		r := NewReader(bytes.NewReader(packed), 0)
		if _, err := io.Copy(io.Discard, r); err != nil {
			b.Fatal(err)
		}
		r.Close()
	}
}

// BenchmarkOne is package compress/bzip2 alone, for comparison.
func BenchmarkOne(b *testing.B) {
	packed, plain := sample(b)
	b.SetBytes(int64(len(plain)))
	for b.Loop() {
		if _, err := io.Copy(io.Discard, bzip2.NewReader(bytes.NewReader(packed))); err != nil {
			b.Fatal(err)
		}
	}
}
