package segment

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/storetest"
)

// smallIndex makes an index of a few commits in a folder of its own, and
// returns the folder and the hashes in it.
func smallIndex(t testing.TB) (dir string, hashes []store.Hash) {
	t.Helper()
	dir = t.TempDir()
	s := open(t, dir, Options{Workers: 1})
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 3 {
		for j := range 5 {
			list := storetest.Hashes(rng, 300)
			hashes = append(hashes, list...)
			addDoc(t, s, fmt.Sprint("/", i, j), fmt.Sprint("content of ", i, j), storetest.Grams(7, list...))
		}
		commit(t, s)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return dir, sorted(hashes)
}

// use opens the index in dir and reads and verifies all of it. It returns the
// first error; any panic fails the test.
func use(t testing.TB, dir string, hashes []store.Hash) (err error) {
	r, err := Open(dir)
	if err != nil {
		return err
	}
	defer r.Close()
	note := func(e error) {
		if e != nil && !errors.Is(e, store.ErrDamaged) {
			t.Errorf("%v: does not wrap ErrDamaged", e)
		}
		if err == nil {
			err = e
		}
	}
	ctx := context.Background()
	note(r.Lookup(ctx, 7, hashes, store.Limits{}, func(store.Hit) error { return nil }))
	note(r.Documents(ctx, func(d store.Document) error {
		_, err := r.Text(ctx, d.ID)
		return err
	}))
	note(r.Verify(ctx, note))
	return err
}

func TestEveryChangedByteIsFound(t *testing.T) {
	dir, hashes := smallIndex(t)
	if err := use(t, dir, hashes); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for _, name := range fileNames(t, dir) {
		if name == lockName {
			continue
		}
		path := filepath.Join(dir, name)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		places := []int{0, 1, len(data) / 2, len(data) - 1, len(data) - footerSize, len(data) - trailerSize}
		for range 40 {
			places = append(places, rng.IntN(len(data)))
		}
		for _, place := range places {
			old := data[place]
			data[place] ^= 1 << rng.IntN(8)
			changeFile(t, path, data)
			err := use(t, dir, hashes)
			if !errors.Is(err, store.ErrDamaged) && !errors.Is(err, store.ErrFormat) {
				t.Errorf("byte %d of %s changed: %v, want an error wrapping ErrDamaged", place, name, err)
			} else if !strings.Contains(err.Error(), name) {
				t.Errorf("byte %d of %s changed: %q does not name the file", place, name, err)
			}
			data[place] = old
		}
		changeFile(t, path, data)
	}
	if err := use(t, dir, hashes); err != nil {
		t.Errorf("with all bytes back: %v", err)
	}
}

func changeFile(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestTruncatedFileIsFound(t *testing.T) {
	dir, hashes := smallIndex(t)
	for _, name := range fileNames(t, dir) {
		if name == lockName {
			continue
		}
		path := filepath.Join(dir, name)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, length := range []int{0, 1, 100, len(data) / 2, len(data) - 1} {
			changeFile(t, path, data[:length])
			if err := use(t, dir, hashes); !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), name) {
				t.Errorf("%s cut to %d bytes: %v, want an error wrapping ErrDamaged that names it", name, length, err)
			}
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := use(t, dir, hashes); !errors.Is(err, store.ErrDamaged) && !errors.Is(err, store.ErrFormat) {
			t.Errorf("%s removed: %v, want an error wrapping ErrDamaged or ErrFormat", name, err)
		}
		changeFile(t, path, data)
	}
}

// TestFileCutWhileMapped: touching what is behind the end of a mapped file is a
// fault, which would end the program.
func TestFileCutWhileMapped(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not let a mapped file be cut")
	}
	dir, hashes := smallIndex(t)
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := os.Truncate(r.snap.segments[0].path, 0); err != nil {
		t.Fatal(err)
	}
	err = r.Lookup(context.Background(), 7, hashes, store.Limits{}, func(store.Hit) error { return nil })
	if !errors.Is(err, store.ErrDamaged) {
		t.Errorf("Lookup = %v, want an error wrapping ErrDamaged", err)
	}
}

func TestNewerVersionIsRefused(t *testing.T) {
	dir, hashes := smallIndex(t)
	path := filepath.Join(dir, fileNames(t, dir)[0])
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	le.PutUint32(data[len(data)-8:], 9)
	changeFile(t, path, data)
	want := "version 9, this program knows up to version 1"
	if err := use(t, dir, hashes); !errors.Is(err, store.ErrFormat) || !strings.Contains(err.Error(), want) {
		t.Errorf("Open = %v, want an error wrapping ErrFormat with %q", err, want)
	}
	if _, err := OpenWriter(dir, Options{}); !errors.Is(err, store.ErrFormat) {
		t.Errorf("OpenWriter = %v, want an error wrapping ErrFormat", err)
	}
	if _, err := Create(dir, settings, Options{}); !errors.Is(err, store.ErrFormat) {
		t.Errorf("Create = %v, want an error wrapping ErrFormat", err)
	}
}

func TestNewerSegmentIsRefused(t *testing.T) {
	f := writeSegment(t, corpora()["few"], 100)
	data := append([]byte(nil), f.data...)
	le.PutUint32(data[8:], 9)
	if _, err := parse("s", data); !errors.Is(err, store.ErrFormat) {
		t.Errorf("parse = %v, want an error wrapping ErrFormat", err)
	}
}

// mend makes the checksum of the tables right, so that what is behind it is
// tested too.
func mend(data []byte) {
	if len(data) < headerSize+footerSize {
		return
	}
	f := footerAt(data[len(data)-footerSize:])
	if tables := uint64(len(data) - footerSize); f.documents <= tables {
		f.size = uint64(len(data))
		f.sum = sumTables(data[:headerSize], data[f.documents:tables], appendFooter(nil, f))
		copy(data[len(data)-footerSize:], appendFooter(nil, f))
	}
}

// FuzzSegment reads a damaged segment in all ways. Whatever it holds, there is
// an error or an answer within the bounds that the segment states.
func FuzzSegment(f *testing.F) {
	for name, g := range corpora() {
		if len(g) <= 20_000 {
			f.Add([]byte(writeSegment(f, g[:min(len(g), 600)], 50).data), uint64(len(name)), uint16(1))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, seed uint64, changes uint16) {
		rng := rand.New(rand.NewPCG(seed, 1))
		data = append([]byte(nil), data...)
		for range changes % 8 {
			if len(data) > 0 {
				data[rng.IntN(len(data))] = byte(rng.Uint32())
			}
		}
		mend(data)
		s, err := parse("fuzz", data)
		if err != nil {
			wantRefused(t, err)
			return
		}
		readAll(t, s, rng)
	})
}

func wantRefused(t *testing.T, err error) {
	t.Helper()
	if err != nil && !errors.Is(err, store.ErrDamaged) && !errors.Is(err, store.ErrFormat) {
		t.Fatalf("%v: wraps neither ErrDamaged nor ErrFormat", err)
	}
}

// readAll walks and searches s, up to so many steps.
func readAll(t *testing.T, s *file, rng *rand.Rand) {
	steps := 1 << 14
	for i := 0; i < len(s.chunks) && steps > 0; i++ {
		shift := s.chunkShift()
		wantRefused(t, s.walk(uint64(i)<<shift, uint64(i+1)<<shift, func(h uint64, p cursor) error {
			if h>>shift != uint64(i) {
				t.Fatalf("chunk %d has hash %x", i, h)
			}
			return readCursor(t, s, p, &steps)
		}))
		if _, _, _, err := s.find(uint64(i)<<shift | rng.Uint64()>>(64-shift)); err != nil {
			wantRefused(t, err)
		}
	}
}

func readCursor(t *testing.T, s *file, p cursor, steps *int) error {
	for ; *steps > 0; *steps-- {
		o, ok, err := p.next()
		if !ok || err != nil {
			return err
		}
		if i := s.pieceOf(o, 0); o >= s.grams || o < uint64(s.piece(i).first) || o >= s.pieceEnd(i) {
			t.Fatalf("ordinal %d of %d is in piece %d", o, s.grams, i)
		}
	}
	return fmt.Errorf("enough: %w", store.ErrDamaged)
}

// TestChunkChecksumIsOfItsBytes pins what the checksum of a chunk covers.
func TestChunkChecksumIsOfItsBytes(t *testing.T) {
	f := writeSegment(t, corpora()["random"], 1000)
	for i, c := range f.chunks {
		if got := crc32.Checksum(f.data[c.offset:c.end], castagnoli); got != c.sum {
			t.Errorf("chunk %d: checksum %08x, the table says %08x", i, got, c.sum)
		}
	}
}
