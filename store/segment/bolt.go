package segment

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/otisk/otisk/store"
)

// A boltCatalogue is the catalogue of an index of version 1 or 2: a bbolt
// database with the buckets below, followed by the trailer of a manifest. It is
// only read: the first commit makes tables of it.
//
//	index      one key, "index": an index as JSON
//	documents  name (prefix and path) → a record as JSON
//	ids        id, 8 bytes big endian → name
//	live       number, 8 bytes big endian → id, 8 bytes big endian
//
// bbolt trusts its pages, so all of the file is checked before bbolt sees it.
type boltCatalogue struct {
	file *os.File
	db   *bolt.DB // the same
}

var (
	bucketIndex     = []byte("index")
	bucketDocuments = []byte("documents")
	bucketIDs       = []byte("ids")
	bucketLive      = []byte("live")
)

// boltPage is the size of the pages of the database.
const boltPage = 4096

// openBolt opens the database in f, whose checksum is right.
func openBolt(f *os.File) (*boltCatalogue, *index, error) {
	db, err := bolt.Open(f.Name(), 0, &bolt.Options{ReadOnly: true, Timeout: time.Second, NoStatistics: true})
	if err != nil {
		return nil, nil, fmt.Errorf("open %s: %w", f.Name(), err)
	}
	c := &boltCatalogue{f, db}
	x := new(index)
	err = c.view(func(tx *bolt.Tx) error {
		for _, name := range [][]byte{bucketIndex, bucketDocuments, bucketIDs, bucketLive} {
			if tx.Bucket(name) == nil {
				return fmt.Errorf("bucket %s is missing: %w", name, store.ErrDamaged)
			}
		}
		if err := json.Unmarshal(tx.Bucket(bucketIndex).Get(bucketIndex), x); err != nil {
			return fmt.Errorf("entry of the index: %w: %w", store.ErrDamaged, err)
		}
		return nil
	})
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return c, x, nil
}

func (c *boltCatalogue) close() error { return c.db.Close() }

// view calls fn with a transaction that reads the catalogue, unless the two
// pages cannot be read that bbolt reads to begin it: it has them mapped, and
// holds a lock meanwhile that a fault would leave locked for good.
func (c *boltCatalogue) view(fn func(*bolt.Tx) error) error {
	var pages [2 * boltPage]byte
	if _, err := c.file.ReadAt(pages[:], 0); err != nil {
		return fmt.Errorf("read %s: %w: %w", c.file.Name(), store.ErrDamaged, err)
	}
	if err := c.db.View(fn); err != nil {
		return fmt.Errorf("%s: %w", c.file.Name(), err)
	}
	return nil
}

// get implements catalogue.
func (c *boltCatalogue) get(id store.DocID) (r *record, err error) {
	err = c.view(func(tx *bolt.Tx) error {
		name := tx.Bucket(bucketIDs).Get(binary.BigEndian.AppendUint64(nil, uint64(id)))
		if name == nil {
			return nil
		}
		value := tx.Bucket(bucketDocuments).Get(name)
		if value == nil {
			return fmt.Errorf("id %v stands for %q, which has no entry: %w", id, name, store.ErrDamaged)
		}
		d, err := decodeRecord(name, value)
		r = &d
		return err
	})
	return r, err
}

// owner implements catalogue.
func (c *boltCatalogue) owner(number uint64) (id store.DocID, ok bool, err error) {
	err = c.view(func(tx *bolt.Tx) error {
		if value := tx.Bucket(bucketLive).Get(binary.BigEndian.AppendUint64(nil, number)); len(value) == 8 {
			id, ok = store.DocID(binary.BigEndian.Uint64(value)), true
		}
		return nil
	})
	return id, ok, err
}

// walk implements catalogue.
func (c *boltCatalogue) walk(ctx context.Context, from string, fn func(*record) error) error {
	var told error // by fn, returned as it is
	err := c.view(func(tx *bolt.Tx) error {
		documents := tx.Bucket(bucketDocuments).Cursor()
		for name, value := documents.Seek([]byte(from)); name != nil; name, value = documents.Next() {
			if told = context.Cause(ctx); told != nil {
				return nil
			}
			r, err := decodeRecord(name, value)
			if err != nil {
				return err
			}
			if told = fn(&r); told != nil {
				return nil
			}
		}
		return nil
	})
	if told != nil {
		return told
	}
	return err
}

// check implements catalogue.
func (c *boltCatalogue) check(problem func(error)) (live int, err error) {
	if _, err := readTrailer(c.file); err != nil {
		return 0, err
	}
	err = c.view(func(tx *bolt.Tx) error {
		for err := range tx.Check() {
			problem(damaged(c.file.Name(), "%v", err))
		}
		if ids, entries := tx.Bucket(bucketIDs).Stats().KeyN, tx.Bucket(bucketDocuments).Stats().KeyN; ids != entries {
			problem(damaged(c.file.Name(), "it has %d ids for %d documents", ids, entries))
		}
		live = tx.Bucket(bucketLive).Stats().KeyN
		return nil
	})
	return live, err
}

// convert writes a table of all that an older catalogue has.
func convert(ctx context.Context, d disk, path string, old catalogue) (r tableRecord, err error) {
	w, err := newTableWriter(d, path)
	if err != nil {
		return r, err
	}
	var live []owned
	err = old.walk(ctx, "", func(r *record) error {
		for _, number := range r.numbers() {
			live = append(live, owned{number, uint64(r.ID)})
		}
		value, err := encodeRecord(*r)
		if err == nil {
			err = w.put(entry{name: []byte(r.Name()), value: value})
		}
		return err
	})
	if err == nil {
		slices.SortFunc(live, func(a, b owned) int { return cmp.Compare(a.number, b.number) })
		r, err = w.end(live, nil)
	}
	return r, w.close(err)
}
