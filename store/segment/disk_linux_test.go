package segment

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/storetest"
)

// mount mounts a file system with the given size in memory.
func mount(t *testing.T, size string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		need.Skip(t, "mounting a small file system takes root: "+err.Error())
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return dir
}

// TestFullDisk fills a disk of 4 MB. Committed documents stay, and deletions make room
// again.
func TestFullDisk(t *testing.T) {
	dir := mount(t, "4m")
	s, err := Create(dir, settings, Options{Workers: 1, Memory: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rng := rand.New(rand.NewPCG(1, 2))
	var want string
	var committed, hashes []store.Hash
	for i := 0; err == nil && i < 1000; i++ {
		committed = sorted(hashes)
		want = dump(t, s, committed)
		list := storetest.Hashes(rng, 40_000)
		hashes = append(hashes, list[:10]...)
		doc := storetest.Doc("/"+strings.Repeat("x", i), "content")
		if err = s.Add(t.Context(), doc, "text", []store.Grams{storetest.Grams(7, list...)}, nil); err == nil {
			err = s.Commit(t.Context())
		}
	}
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), dir) {
		t.Fatalf("filling the disk ends with %v, want an error wrapping ENOSPC that names a file in %s", err, dir)
	}
	_ = s.Commit(t.Context()) // drops what is pending, if an Add failed
	if got := dump(t, s, committed); got != want {
		t.Error("the last commit is not as it was")
	}
	wantClean(t, s)
	s = reopen(t, s, Options{Workers: 1, Memory: 1 << 20})
	if err := s.Recreate(t.Context(), settings); err != nil {
		t.Errorf("Recreate() on a full disk = %v", err)
	}
	addDoc(t, s, "/after", "content", storetest.Grams(7, 1))
	commit(t, s)
	wantClean(t, s)
}

// TestNoRoomAtAll fills a disk to the last byte. Documents can still be deleted, and the
// index emptied, each by a writer of its own; then there is room again.
func TestNoRoomAtAll(t *testing.T) {
	need.OneGoroutine(t)
	for name, act := range map[string]func(s *Store) error{
		"delete one": func(s *Store) error {
			return errors.Join(s.Delete(t.Context(), store.IDOf("", "/7")), s.Commit(t.Context()))
		},
		"delete all": func(s *Store) error {
			for i := range 200 {
				if err := s.Delete(t.Context(), store.IDOf("", fmt.Sprint("/", i))); err != nil {
					return err
				}
			}
			return s.Commit(t.Context())
		},
		"empty": func(s *Store) error { return s.Recreate(t.Context(), settings) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := mount(t, "6m")
			s := open(t, dir, Options{Workers: 1, inTurn: true})
			for i := range 200 {
				list := storetest.Hashes(rand.New(rand.NewPCG(1, uint64(i))), 1000)
				addDoc(t, s, fmt.Sprint("/", i), strings.Repeat(fmt.Sprint("text ", i), 100), storetest.Grams(7, list...))
			}
			commit(t, s)
			want := len(storetest.Documents(t, s))
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			fill(t, dir)
			s = open(t, dir, Options{Workers: 1, inTurn: true})
			if err := s.Add(t.Context(), storetest.Doc("/more", "more"), "more", []store.Grams{storetest.Grams(7, 1)}, nil); err == nil {
				if err = s.Commit(t.Context()); !errors.Is(err, syscall.ENOSPC) {
					t.Fatalf("there was room for one more document: %v", err)
				}
			}
			if got := len(storetest.Documents(t, s)); got != want {
				t.Fatalf("%d documents, want %d", got, want)
			}
			s = reopen(t, s, Options{Workers: 1, inTurn: true})
			if err := act(s); err != nil {
				t.Fatalf("on a full disk: %v", err)
			}
			if got := len(storetest.Documents(t, s)); got >= want {
				t.Errorf("%d documents, want less than %d", got, want)
			}
			if list := problems(t, s); len(list) > 0 {
				t.Errorf("Verify reports %v", list)
			}
			if name == "delete one" {
				return // its n-grams and text are still there
			}
			addDoc(t, s, "/after", "content", storetest.Grams(7, 1))
			commit(t, s)
			wantClean(t, s)
		})
	}
}

// fill uses up all room in dir.
func fill(t *testing.T, dir string) {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 64 << 10; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
}

// TestReadOnlyFileSystem reads from a read-only file system.
func TestReadOnlyFileSystem(t *testing.T) {
	dir := mount(t, "4m")
	s := open(t, dir, Options{})
	addDoc(t, s, "/a", "text", storetest.Grams(7, 1))
	commit(t, s)
	want := dump(t, s, []store.Hash{1})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	wantReadOnly(t, dir, want)
}

// wantReadOnly checks that the index in dir can be read, and not written to.
func wantReadOnly(t *testing.T, dir, want string) {
	t.Helper()
	r, err := Open(dir)
	if err != nil {
		t.Fatalf("Open = %v", err)
	}
	defer r.Close()
	if got := dump(t, r, []store.Hash{1}); got != want {
		t.Errorf("the reader sees %s, want %s", got, want)
	}
	if _, err := OpenWriter(dir, Options{}); !errors.Is(err, store.ErrReadOnly) || !strings.Contains(err.Error(), dir) {
		t.Errorf("OpenWriter = %v, want an error wrapping ErrReadOnly that names %s", err, dir)
	}
	if _, err := Create(dir+"/new", settings, Options{}); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("Create in it = %v, want an error wrapping ErrReadOnly", err)
	}
}

// TestReadOnlyFolder reads from a folder without permission to write, which does not stop
// root.
func TestReadOnlyFolder(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write to any folder; TestReadOnlyFileSystem replaces this")
	}
	dir := t.TempDir()
	s := open(t, dir, Options{})
	addDoc(t, s, "/a", "text", storetest.Grams(7, 1))
	commit(t, s)
	want := dump(t, s, []store.Hash{1})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o755) })
	wantReadOnly(t, dir, want)
}
