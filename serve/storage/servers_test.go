package storage_test

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/otisk/otisk/serve/bucket"
	"github.com/otisk/otisk/serve/bucket/buckettest"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/storage/storagetest"
)

// TestAlone: servers with a database, a bucket and a cluster need no shared folder, unless a collection
// is in one.
func TestAlone(t *testing.T) {
	t.Parallel()
	storagetest.NeedPostgres(t)
	b, err := bucket.New(bucket.Config{Address: buckettest.Start(t).Address(), Region: "us-east-1", Key: "key", Secret: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	database := storagetest.Schema(t, os.Getenv(storagetest.Variable), t.TempDir())
	open := func(dir string, alone bool) (*storage.Folder, error) {
		f, err := storage.Open(t.Context(), dir, storage.Options{Database: database, Bucket: b, Alone: alone})
		if err == nil {
			t.Cleanup(func() { _ = f.Close() })
		}
		return f, err
	}
	first, err := open(t.TempDir(), true)
	if err != nil {
		t.Fatal(err)
	}
	second, err := open(t.TempDir(), true)
	if err != nil {
		t.Fatal(err)
	}
	err = first.Shelf(storage.Files).Put(t.Context(), "a.txt", func(w io.Writer) error { _, err := io.WriteString(w, "text"); return err })
	if err != nil {
		t.Fatal(err)
	}
	if got, err := second.Shelf(storage.Files).Read(t.Context(), "a.txt"); err != nil || string(got) != "text" {
		t.Errorf("the second server reads %q, %v", got, err)
	}
	shared := t.TempDir()
	if _, err := open(shared, false); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t.TempDir(), false); err == nil || !strings.Contains(err.Error(), "belongs to another folder") {
		t.Errorf("a second folder without a cluster: %v, want a refusal", err)
	}
	if err := first.Write(t.Context(), addCollection); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t.TempDir(), true); err == nil || !strings.Contains(err.Error(), "belongs to another folder") {
		t.Errorf("a second folder with a collection in a folder: %v, want a refusal", err)
	}
	if _, err := open(shared, true); err != nil {
		t.Errorf("the shared folder: %v", err)
	}
}

// addCollection adds a collection in a folder.
func addCollection(tx *storage.Tx) {
	tx.Exec(`INSERT INTO groups VALUES ('g', 'G')`)
	tx.Exec(`INSERT INTO collections (id, group_id, name, shared, private, contact, created) VALUES ('c', 'g', 'n', FALSE, FALSE, '', 1)`)
}
