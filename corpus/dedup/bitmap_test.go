package dedup

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// TestBitmap is the same in memory and in a file, which has all its bytes on disk.
func TestBitmap(t *testing.T) {
	const size = 20 << 20
	path := filepath.Join(t.TempDir(), "bits")
	inMemory, err := newBitmap(size, size, "")
	if err != nil {
		t.Fatal(err)
	}
	inFile, err := newBitmap(size, 1<<20, path)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		from := r.Uint64N(size)
		to := from + r.Uint64N(min(300, size-from)+1)
		inMemory.set(from, to)
		inFile.set(from, to)
	}
	for i := range uint64(size) {
		if inMemory.contains(i) != inFile.contains(i) {
			t.Fatalf("bit %d is %v in memory and %v in a file", i, inMemory.contains(i), inFile.contains(i))
		}
	}
	if err := inFile.close(); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() != size/8+8 {
		t.Errorf("the file is %v, %v; want %d bytes", info, err, size/8+8)
	}
	if _, err := newBitmap(size, 1<<20, filepath.Join(path, "none")); err == nil {
		t.Error("a bitmap is made where no file can be")
	}
}
