package segment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/storetest"
)

// smallIndex makes an index of a few commits, and returns its folder and hashes.
func smallIndex(t testing.TB) (dir string, hashes []store.Hash) { return indexOf(t, 300) }

// indexOf makes an index of 3 commits, each of 5 documents with the given number of
// n-grams.
func indexOf(t testing.TB, grams int) (dir string, hashes []store.Hash) {
	t.Helper()
	dir = t.TempDir()
	s := open(t, dir, Options{Workers: 1})
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 3 {
		for j := range 5 {
			list := storetest.Hashes(rng, grams)
			hashes = append(hashes, list...)
			addDoc(t, s, fmt.Sprint("/", i, j), fmt.Sprint("content of ", i, j), storetest.Grams(7, list...))
		}
		commit(t, s)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, reserveName)); err != nil { // nothing reads it
		t.Fatal(err)
	}
	return dir, sorted(hashes)
}

// use opens the index in dir, and reads and verifies all of it. It returns the first error.
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
	note(r.Documents(ctx, "", func(d store.Document) error {
		_, err := store.TextOf(ctx, r, d.ID)
		return err
	}))
	note(r.Verify(ctx, note))
	return err
}

func TestEveryChangedByteIsFound(t *testing.T) {
	need.OneGoroutine(t)
	dir, hashes := smallIndex(t)
	if err := use(t, dir, hashes); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for _, name := range fileNames(t, dir) {
		if name == lockName || name == reserveName {
			continue
		}
		path := filepath.Join(dir, name)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		places := []int{0, 1, len(data) / 2, len(data) - 1, len(data) - footerSize, len(data) - trailerSize}
		for range need.Rounds(40) {
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

// TestNoAnswerFromDamage changes each byte of each file: reads then give the same answer,
// or an error wrapping ErrDamaged.
// TestVerifyTellsOfCauses: damage of the entries is one problem. Its consequences are not reported.
func TestVerifyTellsOfCauses(t *testing.T) {
	dir, _ := smallIndex(t)
	for _, name := range fileNames(t, dir) {
		if !strings.HasPrefix(name, "documents-") {
			continue
		}
		path := filepath.Join(dir, name)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		data[len(data)/2] ^= 1
		changeFile(t, path, data)
		r, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		var problems []error
		err = r.Verify(t.Context(), func(problem error) { problems = append(problems, problem) })
		if err != nil || len(problems) != 1 || !strings.Contains(problems[0].Error(), name) {
			t.Errorf("with a changed byte in %s: problems %v, %v, want one, about it", name, problems, err)
		}
		return
	}
	t.Fatal("the index has no table of documents")
}

func TestNoAnswerFromDamage(t *testing.T) {
	need.OneGoroutine(t)
	t.Run("present format", func(t *testing.T) {
		dir, hashes := indexOf(t, 20)
		for _, h := range hashes[:100] { // absent ones are looked up as well
			hashes = append(hashes, h^1<<20)
		}
		testNoAnswer(t, dir, sorted(hashes))
	})
	t.Run("with pairs", func(t *testing.T) {
		testNoAnswer(t, copyIndex(t, filepath.Join("testdata", "format-1")), releasedHashes)
	})
}

func testNoAnswer(t *testing.T, dir string, hashes []store.Hash) {
	want, err := answers(dir, hashes)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(7, 8))
	for _, name := range fileNames(t, dir) {
		path := filepath.Join(dir, name)
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		for place := int64(0); place < size(path); place += 1 + rng.Int64N(1+size(path)/int64(need.Seeds(2000))) {
			was := flip(t, f, place, 1<<rng.IntN(8))
			got, err := answers(dir, hashes)
			switch {
			case err != nil && !errors.Is(err, store.ErrDamaged):
				t.Errorf("byte %d of %s changed: %v, want an error wrapping ErrDamaged", place, name, err)
			case err != nil && !strings.Contains(err.Error(), name):
				t.Errorf("byte %d of %s changed: %q does not name the file", place, name, err)
			case err == nil && got != want:
				t.Errorf("byte %d of %s changed: other answers, and no error", place, name)
			}
			if _, err := f.WriteAt(was, place); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// flip changes bits of a byte, and returns its old value.
func flip(t testing.TB, f *os.File, place int64, bits byte) []byte {
	t.Helper()
	was := make([]byte, 1)
	_, err := f.ReadAt(was, place)
	if err == nil {
		_, err = f.WriteAt([]byte{was[0] ^ bits}, place)
	}
	if err != nil {
		t.Fatal(err)
	}
	return was
}

// answers returns everything that a search reads from the index in dir.
func answers(dir string, hashes []store.Hash) (string, error) {
	r, err := Open(dir)
	if err != nil {
		return "", err
	}
	defer r.Close()
	ctx := context.Background()
	var b strings.Builder
	list := func(h store.Hit) error {
		fmt.Fprintln(&b, h)
		return nil
	}
	err = r.Lookup(ctx, 7, hashes, store.Limits{}, list)
	if err == nil {
		err = r.LookupPairs(ctx, hashes, store.Limits{}, list)
	}
	if err == nil {
		err = r.Documents(ctx, "", func(d store.Document) error {
			text, err := store.TextOf(ctx, r, d.ID)
			fmt.Fprintln(&b, d, text)
			return err
		})
	}
	return b.String(), err
}

// TestLookupChecksWhatItReads changes bits of segments of all kinds, with large blocks,
// wide tables and lists of many pages.
func TestLookupChecksWhatItReads(t *testing.T) {
	need.OneGoroutine(t)
	rng := rand.New(rand.NewPCG(15, 16))
	for name, g := range corpora() {
		f := writeSegment(t, g, 1000)
		want := g.want()
		asked := sorted(g)
		rng.Shuffle(len(asked), func(i, j int) { asked[i], asked[j] = asked[j], asked[i] })
		asked = sorted(asked[:min(len(asked), 300)])
		data := bytes.Clone(f.data)
		refused := 0
		for range 60 {
			place := headerSize + rng.Uint64N(f.end-headerSize)
			data[place] ^= 1 << rng.IntN(8)
			if err := lookAll(t, data, asked, want); err != nil {
				wantRefused(t, err)
				refused++
			}
			copy(data[place:], f.data[place:place+1])
		}
		if refused == 0 {
			t.Errorf("%s: no change was noticed, in %d bytes", name, len(data))
		}
	}
}

// TestLookupChecksEachPart changes a bit in each part that the look-up of one hash reads:
// each change is an error.
func TestLookupChecksEachPart(t *testing.T) {
	need.OneGoroutine(t)
	for _, name := range []string{"random", "repeats", "all equal"} {
		g := corpora()[name]
		f := writeSegment(t, g, 1000)
		want := g.want()
		rng := rand.New(rand.NewPCG(17, 18))
		var asked []store.Hash
		for range 100 {
			asked = append(asked, g[rng.IntN(len(g))])
		}
		asked = sorted(asked)
		data := bytes.Clone(f.data)
		for i := range 5 {
			for part, place := range f.placesOf(t, uint64(asked[len(asked)-1-i*len(asked)/6])) {
				data[place] ^= 1
				if err := lookAll(t, data, asked, want); !errors.Is(err, store.ErrDamaged) {
					t.Errorf("%s: a bit of %s changed: %v, want an error wrapping ErrDamaged", name, part, err)
				}
				data[place] ^= 1
			}
		}
	}
}

// placesOf returns the offset of a byte in each part that the look-up of h reads.
func (s *file) placesOf(t *testing.T, h uint64) map[string]uint64 {
	t.Helper()
	c, posting, ok, err := s.find(h)
	if !ok || err != nil {
		t.Fatalf("find(%x) = %v, %v", h, ok, err)
	}
	b := h & (1<<s.chunkShift() - 1) >> (s.lowBits() + blockBits)
	filter, _ := s.filterAt(h)
	rel, _ := s.relOf(c, b)
	bl, err := s.block(c, b)
	if err != nil {
		t.Fatal(err)
	}
	places := map[string]uint64{"filter": filter, "rel": rel, "unary bits": bl.unary / 8, "low bits": bl.endBit(s.lowBits()) / 8}
	for key := bl.from; key < bl.to; key++ {
		if s.posting(c, key) == posting {
			places["postings"] = (c.postings*8 + key*uint64(c.postingBits)) / 8
		}
	}
	if posting >= s.grams {
		list := c.offset*8 + (posting-s.grams)*uint64(s.listBits())
		last := list + uint64(len(ordinals(t, s.cursor(c, posting)))-1)*uint64(s.listBits())
		places["the first of a list"], places["the last of a list"] = list/8, last/8
	}
	return places
}

// lookAll looks up hashes in a segment as Lookup does, and compares the result with want.
func lookAll(t *testing.T, data []byte, hashes []store.Hash, want map[uint64][]uint64) error {
	t.Helper()
	s, err := parse("changed", data)
	if err != nil {
		return err // a page is that of a table too
	}
	l, b := lookup{lines: []line{{view: &view{file: s}}}}, hashBatch{hashes, make([][]found, 1)}
	if err := l.find(t.Context(), &b); err != nil {
		return err
	}
	if len(b.found[0]) != len(hashes) {
		t.Fatalf("%d of %d hashes found, and no error", len(b.found[0]), len(hashes))
	}
	for _, f := range b.found[0] {
		got, err := read(s.cursor(f.chunk, f.posting))
		if err != nil {
			return err
		}
		if h := uint64(hashes[f.place]); !slices.Equal(got, want[h]) {
			t.Fatalf("hash %x has %d n-grams, want %d or others, and no error", h, len(got), len(want[h]))
		}
	}
	return nil
}

// TestMergeRefusesDamage changes each byte of the segments of an index: merging them is an
// error, and the index stays unchanged.
func TestMergeRefusesDamage(t *testing.T) {
	dir, hashes := smallIndex(t)
	s := open(t, dir, Options{Workers: 2})
	want := dump(t, s, hashes)
	rng := rand.New(rand.NewPCG(9, 10))
	for _, v := range s.snap.segments {
		f, err := os.OpenFile(v.path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		for range 40 {
			first, last := v.chunks[0].offset, v.chunks[len(v.chunks)-1].end
			place := int64(first) + rng.Int64N(int64(last-first))
			was := flip(t, f, place, 1<<rng.IntN(8))
			if err := s.Optimize(t.Context()); !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), v.path) {
				t.Fatalf("byte %d of %s changed: Optimize() = %v, want an error wrapping ErrDamaged that names it", place, v.path, err)
			}
			if _, err := f.WriteAt(was, place); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if got := dump(t, s, hashes); got != want {
		t.Error("a merge that was refused has changed the index")
	}
	if err := s.Optimize(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantClean(t, s)
}

// TestMoveRefusesDamage: a text with a wrong checksum is not moved to another pack with a
// new one.
func TestMoveRefusesDamage(t *testing.T) {
	dir, _ := smallIndex(t)
	s := open(t, dir, Options{Workers: 1})
	if err := errors.Join(s.Delete(t.Context(), store.IDOf("", "/0 0")), s.Commit(t.Context())); err != nil {
		t.Fatal(err)
	}
	pack := s.snap.packs[s.snap.index.Packs[0].File].Name()
	f, err := os.OpenFile(pack, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	flip(t, f, size(pack)-1, 1)
	if err := s.Optimize(t.Context()); !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), pack) {
		t.Errorf("Optimize() = %v, want an error wrapping ErrDamaged that names %s", err, pack)
	}
}

func changeFile(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestTruncatedFileIsFound(t *testing.T) {
	need.OneGoroutine(t)
	dir, hashes := smallIndex(t)
	for _, name := range fileNames(t, dir) {
		if name == lockName || name == reserveName {
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
		if err := use(t, dir, hashes); !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), name[:9]) {
			t.Errorf("%s removed: %v, want an error wrapping ErrDamaged that names it", name, err)
		}
		changeFile(t, path, data)
	}
}

// TestVerifyTellsOfLeftovers: files and bytes that no manifest lists are reported as
// harmless, and the next writer removes them.
func TestVerifyTellsOfLeftovers(t *testing.T) {
	dir, hashes := smallIndex(t)
	want, err := answers(dir, hashes)
	if err != nil {
		t.Fatal(err)
	}
	pack := filepath.Join(dir, fmt.Sprintf(packName, 1))
	data, err := os.ReadFile(pack)
	if err != nil {
		t.Fatal(err)
	}
	changeFile(t, pack, append(data, "more"...))
	names := []string{tmpManifest, fmt.Sprintf(segmentName, 99), fmt.Sprintf(packName, 99), fmt.Sprintf(spillName, 99), fmt.Sprintf(manifestName, 1)}
	for _, name := range names {
		changeFile(t, filepath.Join(dir, name), []byte("remains"))
	}
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var told []string
	err = r.Verify(t.Context(), func(err error) {
		if !errors.Is(err, store.ErrLeftover) || errors.Is(err, store.ErrDamaged) {
			t.Errorf("Verify reports %v, want an error wrapping ErrLeftover only", err)
		}
		told = append(told, err.Error())
	})
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(told, "\n")
	for _, part := range append(names, pack+": its last 4 bytes are not part of the index") {
		if !strings.Contains(all, part) {
			t.Errorf("Verify reports\n%s\nwhich lacks %q", all, part)
		}
	}
	wantClean(t, open(t, dir, Options{}))
	if got, err := answers(dir, hashes); got != want || err != nil {
		t.Errorf("after a writer has been there the answers are others, or %v", err)
	}
}

// TestFileCutWhileMapped: an access past the end of a mapped file is a fault, which must
// not end the program.
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

// TestFaultWhileWriting truncates files under a writer, as if the disk failed: every
// operation returns an error.
func TestFaultWhileWriting(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not let a mapped file be cut")
	}
	dir, hashes := smallIndex(t)
	want, err := answers(dir, hashes)
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	id := store.IDOf("", "/0 0")
	for form, acts := range map[string]map[string]func(s *Store) error{
		segmentName: {
			"Optimize": func(s *Store) error { return s.Optimize(ctx) },
			"Commit":   func(s *Store) error { return errors.Join(s.Delete(ctx, id), s.Commit(ctx)) },
		},
		tableName: {
			"Add":      func(s *Store) error { return s.Add(ctx, storetest.Doc("/0 0", "new"), "new", nil, nil) },
			"Delete":   func(s *Store) error { return s.Delete(ctx, id) },
			"Optimize": func(s *Store) error { return s.Optimize(ctx) },
		},
	} {
		for what, act := range acts {
			broken := copyIndex(t, dir)
			s := open(t, broken, Options{Workers: 2})
			for _, name := range fileNames(t, broken) {
				if strings.HasPrefix(name, form[:7]) {
					if err := os.Truncate(filepath.Join(broken, name), 0); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := act(s); !errors.Is(err, store.ErrDamaged) {
				t.Errorf("%s with %s cut = %v, want an error wrapping ErrDamaged", what, form, err)
			}
			for _, name := range fileNames(t, dir) {
				data, err := os.ReadFile(filepath.Join(dir, name))
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(broken, name), data, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := answers(broken, hashes); got != want || err != nil {
				t.Errorf("%s with %s cut, and mended: other answers, %v", what, form, err)
			}
		}
	}
}

func TestNewerVersionIsRefused(t *testing.T) {
	dir, hashes := smallIndex(t)
	path := newestManifest(t, dir)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	trailer := data[len(data)-trailerSize:]
	le.PutUint32(trailer[16:], 9)
	le.PutUint32(trailer[20:], sumManifest(data[:len(data)-trailerSize], trailer))
	changeFile(t, path, data)
	want := "it has version 9, this program reads version 1"
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

func newestManifest(t *testing.T, dir string) string {
	t.Helper()
	generation, err := newestOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, fmt.Sprintf(manifestName, generation))
}

func TestNewerSegmentIsRefused(t *testing.T) {
	f := writeSegment(t, corpora()["few"], 100)
	data := append([]byte(nil), f.data...)
	le.PutUint32(data[8:], 9)
	mend(data)
	if _, err := parse("s", data); !errors.Is(err, store.ErrFormat) {
		t.Errorf("parse = %v, want an error wrapping ErrFormat", err)
	}
}

// mend corrects the checksum of the footer, so that checks after it are tested too.
func mend(data []byte) {
	if len(data) < headerSize+footerSize {
		return
	}
	f := footerAt(data[len(data)-footerSize:])
	f.size = uint64(len(data))
	sums, tops := twoLevels(f.pages)
	if f.pages > f.size || f.pages+sums+tops+footerSize != f.size {
		return
	}
	f.tops = f.pages + sums
	var pages pageSums
	pages.add(data[:f.pages])
	copy(data[f.pages:], appendSums(nil, pages.checksums()))
	copy(data[f.size-footerSize:], appendFooter(nil, f))
	f.sum = crc32.Checksum(data[f.tops:f.size-footerSize+sumAt], castagnoli)
	copy(data[f.size-footerSize:], appendFooter(nil, f))
}

// FuzzSegment reads a damaged segment in all ways. Each read is an error, or an answer
// within the bounds that the segment states.
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
		if err := s.ensureDocuments(); err != nil {
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

// readAll walks and searches s, up to a number of steps.
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

// TestPageChecksumIsOfItsBytes pins the bytes that the checksum of a page covers.
func TestPageChecksumIsOfItsBytes(t *testing.T) {
	f := writeSegment(t, corpora()["random"], 1000)
	last := uint64(len(f.pages.data))
	if tables := f.chunks[len(f.chunks)-1].end + uint64(f.pieces*16+len(f.chunks)*16); last != tables {
		t.Errorf("%d bytes have checksums, want the %d of header, chunks, documents and chunk table", last, tables)
	}
	for i := uint64(0); i*1024 < last; i++ {
		got, want := crc32.Checksum(f.data[i*1024:min(i*1024+1024, last)], castagnoli), le.Uint32(f.pages.sums[i*4:])
		if got != want {
			t.Errorf("page %d: checksum %08x, the table says %08x", i, got, want)
		}
	}
}
