package storage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/internal/lasting"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/internal/replace"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/serve/bucket"
)

// copiers is the number of files that are copied in parallel: each waits for the disk.
const copiers = 8

// backupTries is how often a backup starts again because files were deleted while it ran.
const backupTries = 5

// Backup copies the data folder at dir to the folder out, which it creates, while a server may be
// using it. The copy is a data folder of its own. copyIndex copies a collection. The database is the
// last file to get its name, so an interrupted backup has none. Uploads and reports in a bucket are
// files in the copy. Backup returns the number of collections in a cluster, which it does not copy.
func Backup(ctx context.Context, dir, out string, b *bucket.Bucket, copyIndex func(ctx context.Context, from, to string) error) (left int, err error) {
	if _, err := os.Stat(filepath.Join(dir, markName)); err == nil {
		return 0, phrase.Error("serve.backup-shared", "the database of {dir} is in PostgreSQL: back it up with pg_dump, and then copy the folder", "dir", dir)
	}
	if _, err := os.Stat(filepath.Join(dir, database)); err != nil {
		return 0, phrase.Error("serve.no-data", "{dir} is not the folder of a server", "dir", dir)
	}
	if entries, err := os.ReadDir(out); err == nil && len(entries) > 0 {
		return 0, phrase.Error("serve.backup-exists", "{dir} is not empty: name a new folder for the backup", "dir", out)
	}
	from, _, err := beside(ctx, dir, "")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	from.bucket = b
	if err := from.inBucket(ctx); err != nil {
		return 0, err
	}
	for _, sub := range []string{Files, Reports, Collections, Work} {
		if err := lasting.MkdirAll(filepath.Join(out, sub), 0o700); err != nil {
			return 0, err
		}
	}
	part := filepath.Join(out, database+".part")
	c := &copies{out: out}
	for try := 1; ; try++ {
		left, err = from.copyTo(ctx, c, part, copyIndex)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) || try == backupTries {
			return 0, fmt.Errorf("copy %s: %w", dir, err)
		}
	}
	if err := os.Rename(part, filepath.Join(out, database)); err != nil {
		return 0, err
	}
	return left, lasting.SyncDir(out)
}

// copyTo copies the database to part, then the files that its rows refer to, and removes copies of files
// that were deleted since an earlier try. The error is fs.ErrNotExist if one was deleted meanwhile.
func (f *Folder) copyTo(ctx context.Context, c *copies, part string, copyIndex func(ctx context.Context, from, to string) error) (left int, err error) {
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	if _, err := f.Read.ExecContext(ctx, "VACUUM INTO ?", part); err != nil {
		return 0, err
	}
	copied, err := sql.Open("sqlite", part)
	if err != nil {
		return 0, err
	}
	names := map[string][]string{}
	for sub, query := range references {
		if names[sub], err = column(ctx, copied, query); err != nil {
			return 0, errors.Join(err, copied.Close())
		}
	}
	if err := copied.QueryRowContext(ctx, `SELECT count(*) FROM collections WHERE index_name != ''`).Scan(&left); err != nil {
		return 0, errors.Join(err, copied.Close())
	}
	// The files of the copy are in its folder.
	_, err = copied.ExecContext(ctx, `DELETE FROM bucket`)
	if err := errors.Join(err, copied.Close()); err != nil {
		return 0, err
	}
	group, copying := errgroup.WithContext(ctx)
	group.SetLimit(copiers)
	for _, sub := range []string{Files, Reports} {
		if err := c.removeExcept(sub, names[sub]...); err != nil {
			return 0, err
		}
		for _, name := range names[sub] {
			group.Go(func() error { return c.copy(copying, f.Shelf(sub), name) })
		}
	}
	if err := group.Wait(); err != nil {
		return 0, err
	}
	if err := c.removeExcept(Collections); err != nil {
		return 0, err
	}
	for _, name := range names[Collections] {
		if err := copyIndex(ctx, f.Path(Collections, name), filepath.Join(c.out, Collections, name)); err != nil {
			return 0, err
		}
	}
	return left, nil
}

// references select the names that rows refer to, by folder.
var references = map[string]string{
	Files:       `SELECT file FROM checks UNION SELECT file FROM additions WHERE state IN ('queued', 'running') AND file != '' UNION SELECT file FROM given_texts`,
	Reports:     `SELECT ` + reportName + ` FROM checks WHERE reported > 0`,
	Collections: `SELECT id FROM collections WHERE index_name = ''`,
	Sources:     `SELECT id FROM sources`,
	Work:        `SELECT '' WHERE false`,
}

// column returns the values of a query for one column.
func column(ctx context.Context, db Querier, query string) (list []string, err error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var v string
		if err := rows.Scan(&v); err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, rows.Err()
}

// copies are the files that a backup has copied to a folder, with their originals.
type copies struct {
	out  string
	made sync.Map // fs.FileInfo by path in the copy
}

// removeExcept removes the copies of a kind that have other names.
func (c *copies) removeExcept(sub string, names ...string) error {
	kept := lists.Set(names)
	entries, err := os.ReadDir(filepath.Join(c.out, sub))
	for _, e := range entries {
		if err == nil && !kept[e.Name()] {
			err = os.RemoveAll(filepath.Join(c.out, sub, e.Name()))
		}
	}
	return err
}

// copy copies a file, unless an earlier try has and it did not change since: a deletion takes texts out of
// archives, and quotations out of reports. In a bucket, it may have changed.
func (c *copies) copy(ctx context.Context, s *Shelf, name string) error {
	to := filepath.Join(c.out, s.kind, name)
	if err := ctx.Err(); err != nil {
		return err
	}
	var now fs.FileInfo
	if s.bucket() == nil {
		var err error
		if now, err = os.Stat(s.path(name)); err != nil {
			return err
		}
		if made, ok := c.made.Load(to); ok && os.SameFile(made.(fs.FileInfo), now) && made.(fs.FileInfo).ModTime().Equal(now.ModTime()) {
			return nil
		}
	}
	err := s.Use(ctx, name, func(path string) error {
		in, err := os.Open(path)
		if err != nil {
			return err
		}
		defer in.Close()
		return replace.File(to, 0o600, true, func(w io.Writer) error {
			_, err := io.Copy(w, in)
			return err
		})
	})
	if err == nil && now != nil {
		c.made.Store(to, now)
	}
	return err
}

// Sweep removes files of some kinds that no row refers to, without kinds those of all: they are left over from
// interrupted requests and deletions, and temporary ones from servers that have ended. In a folder that is
// not shared, no request may be running.
func (f *Folder) Sweep(ctx context.Context, kinds ...string) error {
	if f.readOnly != nil {
		return nil
	}
	if len(kinds) == 0 {
		kinds = slices.Collect(maps.Keys(references))
	}
	for _, sub := range kinds {
		query := references[sub]
		if sub == Work && f.Shared() {
			query = `SELECT id FROM servers`
		}
		names, err := column(ctx, f.Read, query)
		if err != nil {
			return err
		}
		known := lists.Set(names)
		shelf := f.Shelf(sub)
		err = shelf.each(ctx, func(name string, stored time.Time) error {
			owner, temporary := name, false
			if sub == Work { // names of reports have the sign, too
				owner, _, temporary = strings.Cut(name, ofServer)
			}
			if known[owner] || !shelf.abandoned(stored, temporary) {
				return nil
			}
			return shelf.Remove(ctx, name)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// unclaimedAge is the age after which a file without a row in a shared folder or a bucket is left
// over: before, a server may be receiving it.
const unclaimedAge = 24 * time.Hour

// abandoned reports whether no server can be about to refer to a file without a row that was stored
// at the given time. A temporary one is of a server that has ended.
func (s *Shelf) abandoned(stored time.Time, temporary bool) bool {
	age := unclaimedAge
	if temporary {
		age = Lease
	}
	return !s.Waits() || time.Since(stored) > age
}

// reportName is the name of the report of a check.
const reportName = `id || CASE reported WHEN 1 THEN '' ELSE '-' || reported END || '.json'`
