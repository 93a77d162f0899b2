package storage

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/otisk/otisk/lang/phrase"
)

// markOf selects the mark of the bucket of the database, "" if its files are in the folder.
const markOf = `SELECT coalesce(max(mark), '') FROM bucket`

// belongInBucket compares the mark of the bucket with that of the database. At the first start with a
// bucket, both get one. It returns an error if the bucket belongs to another database, or lacks a
// file: a server would remove the files that its database does not know.
func (f *Folder) belongInBucket(ctx context.Context) error {
	if f.bucket == nil {
		return f.inBucket(ctx)
	}
	var mark string
	err := f.Read.QueryRowContext(ctx, markOf).Scan(&mark)
	if err != nil {
		return err
	}
	found, err := f.readMark(ctx)
	switch {
	case err != nil:
		return err
	case found != mark && found != "":
		return f.otherBucket()
	case found != "":
		return nil
	}
	if err := f.complete(ctx); err != nil {
		return err
	}
	err = f.Write(ctx, func(tx *Tx) {
		tx.Row(markOf).Scan(&mark)
		if mark == "" { // unless another server, or a start that was interrupted, has stored one
			mark = rand.Text()
			tx.Exec(`INSERT INTO bucket VALUES (?)`, mark)
		}
	})
	if err != nil {
		return err
	}
	return f.writeMark(ctx, mark)
}

// writeMark stores the mark in the bucket.
func (f *Folder) writeMark(ctx context.Context, mark string) error {
	path := f.Temporary()
	defer os.Remove(path)
	if err := os.WriteFile(path, []byte(mark), 0o600); err != nil {
		return err
	}
	return f.bucket.Put(ctx, markName, path)
}

// inBucket returns an error unless the files of the database are in the bucket of the folder, or in
// the folder if it has none.
func (f *Folder) inBucket(ctx context.Context) error {
	var mark string
	err := f.Read.QueryRowContext(ctx, markOf).Scan(&mark)
	switch {
	case err != nil:
		return err
	case f.bucket == nil && mark == "":
		return nil
	case f.bucket == nil:
		return phrase.Error("serve.needs-bucket", "the files of {dir} are in a bucket: name it by --bucket", "dir", f.dir)
	}
	found, err := f.readMark(ctx)
	if err == nil && (found != mark || mark == "") {
		err = f.otherBucket()
	}
	return err
}

func (f *Folder) otherBucket() error {
	return phrase.Error("serve.other-bucket", "the bucket {address} does not belong to the database of {dir}", "address", f.bucket.Address, "dir", f.dir)
}

// readMark returns the mark in the bucket, "" if there is none.
func (f *Folder) readMark(ctx context.Context) (string, error) {
	path := f.Temporary()
	defer os.Remove(path)
	err := f.bucket.Get(ctx, markName, path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	data, err := os.ReadFile(path)
	return string(data), err
}

// complete returns an error if a file of the database is not in the bucket.
func (f *Folder) complete(ctx context.Context) error {
	missing := 0
	for _, kind := range []string{Files, Reports} {
		names, err := column(ctx, f.Read, references[kind])
		if err != nil {
			return err
		}
		known := map[string]bool{}
		err = f.Shelf(kind).each(ctx, func(name string, _ time.Time) error {
			known[name] = true
			return nil
		})
		if err != nil {
			return err
		}
		for _, name := range names {
			if !known[name] {
				missing++
			}
		}
	}
	if missing > 0 {
		return phrase.Error("serve.not-in-bucket", "{n} files of {dir} are not in the bucket {address}: copy the folders files and reports to it first", "n", missing, "dir", f.dir, "address", f.bucket.Address)
	}
	return nil
}
