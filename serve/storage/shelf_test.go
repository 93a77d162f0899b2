package storage

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/serve/bucket"
	"github.com/otisk/otisk/serve/bucket/buckettest"
)

// bucketAt returns the bucket of a server, with a prefix.
func bucketAt(t *testing.T, s *buckettest.Server, prefix string) *bucket.Bucket {
	t.Helper()
	b, err := bucket.New(bucket.Config{Address: s.Address() + prefix, Region: "us-east-1", Key: "key", Secret: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func openAt(t *testing.T, dir string, b *bucket.Bucket) *Folder {
	t.Helper()
	f, err := Open(t.Context(), dir, Options{Bucket: b})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func write(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// TestShelf: a shelf does the same in a folder and in a bucket, and leaves no temporary file.
func TestShelf(t *testing.T) {
	t.Parallel()
	for name, b := range map[string]*bucket.Bucket{"folder": nil, "bucket": bucketAt(t, buckettest.Start(t), "/a")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := openAt(t, t.TempDir(), b)
			files := f.Shelf(Files)
			failure := errors.New("failure")
			for _, text := range []string{"first", "second"} {
				if err := files.Put(t.Context(), "a.txt", write(text)); err != nil {
					t.Fatal(err)
				}
			}
			if err := files.Put(t.Context(), "a.txt", func(w io.Writer) error { return errors.Join(write("half")(w), failure) }); !errors.Is(err, failure) {
				t.Errorf("Put = %v, want the failure", err)
			}
			if got, err := files.Read(t.Context(), "a.txt"); err != nil || string(got) != "second" {
				t.Errorf("Read = %q, %v, want the second text", got, err)
			}
			made := f.Path(Work, "made")
			if err := os.WriteFile(made, []byte("kept"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := files.MoveIn(t.Context(), made, "b.txt"); err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			path, err := files.Fetch(t.Context(), "b.txt", dir)
			if err != nil || filepath.Base(path) != "b.txt" {
				t.Fatalf("Fetch = %s, %v", path, err)
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != "kept" {
				t.Errorf("the fetched file has %q, %v", got, err)
			}
			for range 2 {
				if err := files.Remove(t.Context(), "b.txt"); err != nil {
					t.Errorf("Remove = %v", err)
				}
			}
			if _, err := files.Read(t.Context(), "b.txt"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("Read of a removed file = %v, want ErrNotExist", err)
			}
			if left, err := os.ReadDir(f.Path(Work)); err != nil || len(left) > 0 {
				t.Errorf("temporary files %v, %v", left, err)
			}
		})
	}
}

// TestSweepBucket: files without a row are removed after a day, others of the bucket never.
func TestSweepBucket(t *testing.T) {
	t.Parallel()
	s := buckettest.Start(t)
	b := bucketAt(t, s, "/a")
	other := bucketAt(t, s, "")
	f := openAt(t, t.TempDir(), b)
	for _, name := range []string{"1", "2", "3"} {
		if err := errors.Join(f.Shelf(Files).Put(t.Context(), name, write("x")), f.Shelf(Reports).Put(t.Context(), name, write("x"))); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "x")
	if err := errors.Join(os.WriteFile(path, nil, 0o600), other.Put(t.Context(), "files/foreign", path)); err != nil {
		t.Fatal(err)
	}
	addGiven(t, f, "2")
	if err := f.Sweep(t.Context()); err != nil || len(s.Keys()) != 8 {
		t.Errorf("Sweep = %v; the bucket has %q, want all", err, s.Keys())
	}
	s.Age(25 * time.Hour)
	if err := f.Sweep(t.Context()); err != nil || strings.Join(s.Keys(), " ") != "a/database.mark a/files/2 files/foreign" {
		t.Errorf("Sweep = %v; the bucket has %q, want the file with a row", err, s.Keys())
	}
}

// addGiven adds a row that refers to a file.
func addGiven(t *testing.T, f *Folder, file string) {
	t.Helper()
	err := f.Write(t.Context(), func(tx *Tx) {
		tx.Exec(`INSERT INTO groups VALUES ('g', 'G'); INSERT INTO given_texts (id, group_id, name, file, size, sum, created) VALUES ('1', 'g', 'n', ?, 1, '', 1)`, file)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestOtherBucket: a server uses only the bucket of its database, since it would remove the files of
// others and miss its own.
func TestOtherBucket(t *testing.T) {
	t.Parallel()
	s := buckettest.Start(t)
	dir := t.TempDir()
	b := bucketAt(t, s, "/a")
	f := openAt(t, dir, nil)
	addGiven(t, f, "file.txt")
	if err := errors.Join(f.Shelf(Files).Put(t.Context(), "file.txt", write("text")), f.Close()); err != nil {
		t.Fatal(err)
	}
	refused := func(dir string, b *bucket.Bucket, want string) {
		t.Helper()
		f, err := Open(t.Context(), dir, Options{Bucket: b})
		if err == nil {
			_ = f.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Open = %v, want an error with %q", err, want)
		}
	}
	refused(dir, b, "1 files of "+dir+" are not in the bucket "+s.Address()+"/a: copy")
	if err := b.Put(t.Context(), "files/file.txt", filepath.Join(dir, Files, "file.txt")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := openAt(t, dir, b).Close(); err != nil {
			t.Fatal(err)
		}
	}
	refused(dir, nil, "name it by --bucket")
	refused(t.TempDir(), b, "does not belong to the database of")
	refused(dir, bucketAt(t, s, "/b"), "are not in the bucket")
	s.Before = func(w http.ResponseWriter, _ *http.Request) bool {
		buckettest.Refuse(w, http.StatusForbidden, "AccessDenied")
		return true
	}
	refused(dir, b, "refuses the key")
}

// TestBackupBucket: a backup of a folder with a bucket has all files, and needs no bucket.
func TestBackupBucket(t *testing.T) {
	t.Parallel()
	dir, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	b := bucketAt(t, buckettest.Start(t), "")
	f := openAt(t, dir, b)
	addGiven(t, f, "file.txt")
	if err := f.Shelf(Files).Put(t.Context(), "file.txt", write("text")); err != nil {
		t.Fatal(err)
	}
	noIndex := func(context.Context, string, string) error { return nil }
	if _, err := Backup(t.Context(), dir, out, nil, noIndex); err == nil || !strings.Contains(err.Error(), "--bucket") {
		t.Errorf("Backup without the bucket = %v, want an error that names --bucket", err)
	}
	if _, err := Backup(t.Context(), dir, out, b, noIndex); err != nil {
		t.Fatal(err)
	}
	copied := openAt(t, out, nil)
	if got, err := copied.Shelf(Files).Read(t.Context(), "file.txt"); err != nil || string(got) != "text" {
		t.Errorf("the backup has %q, %v", got, err)
	}
}

// TestBackupAgain: a backup that starts again, since files were deleted while it ran, has nothing of what
// was deleted meanwhile, also where a file has a new content.
func TestBackupAgain(t *testing.T) {
	t.Parallel()
	dir, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	f := openAt(t, dir, nil)
	addGiven(t, f, "archive.zip")
	files := f.Shelf(Files)
	change := func(statement string) {
		t.Helper()
		if err := f.Write(t.Context(), func(tx *Tx) { tx.Exec(statement) }); err != nil {
			t.Fatal(err)
		}
	}
	change(`INSERT INTO given_texts (id, group_id, name, file, size, sum, created) VALUES ('2', 'g', 'm', 'single.txt', 1, '', 1);
		INSERT INTO collections (id, group_id, name, shared, created) VALUES ('c', 'g', 'C', 0, 1), ('d', 'g', 'D', 0, 1)`)
	if err := errors.Join(files.Put(t.Context(), "archive.zip", write("stays gone")), files.Put(t.Context(), "single.txt", write("gone"))); err != nil {
		t.Fatal(err)
	}
	tries := 0
	_, err := Backup(t.Context(), dir, out, nil, func(_ context.Context, _, to string) error {
		if err := os.Mkdir(to, 0o700); err != nil {
			return err
		}
		if tries++; tries > 1 {
			return nil
		}
		change(`DELETE FROM given_texts WHERE id = '2'; DELETE FROM collections WHERE id = 'd'`)
		return errors.Join(files.Remove(t.Context(), "single.txt"), files.Put(t.Context(), "archive.zip", write("stays")), fs.ErrNotExist)
	})
	if err != nil || tries != 2 {
		t.Fatalf("Backup = %v after %d collections", err, tries)
	}
	if got, err := os.ReadFile(filepath.Join(out, Files, "archive.zip")); err != nil || string(got) != "stays" {
		t.Errorf("the copy of the archive has %q, %v", got, err)
	}
	for _, path := range []string{filepath.Join(Files, "single.txt"), filepath.Join(Collections, "d")} {
		if _, err := os.Stat(filepath.Join(out, path)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is in the backup: %v", path, err)
		}
	}
}
