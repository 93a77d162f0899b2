package segment

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/otisk/otisk/store"
)

// A catalogue file is a bbolt database, followed by a trailer of 24 bytes:
//
//	magic  8 bytes
//	length u64  of the database before it
//	version u32 of the format of the whole index
//	crc32c u32  of the database and the trailer up to here
//
// Whatever a later version looks like, its catalogue ends in such a trailer and
// is named like this. So a version that is not known is not taken for damage.
//
// Version 2 has bases, which an older program would lose when it commits; of
// documents in version 1, the path is the whole path.
//
// The database of a generation never changes: bbolt locks a file for as long as
// it is open, so a writer and its readers cannot share one. A commit changes a
// copy. That costs the size of the catalogue, 750 bytes a document, and
// lets a reader check all of it by one checksum before bbolt, which trusts its
// pages, sees it.
const (
	trailerSize = 24
	pageSize    = 4096 // of the database
)

var catalogueMagic = [8]byte{'O', 'T', 'I', 'S', 'K', 'c', 'a', 't'}

// indexVersion is the version of the format of the whole index.
const indexVersion = 2

// Names of files in an index.
const (
	catalogueName = "catalogue-%08d.db"
	segmentName   = "segment-%08d"
	packName      = "texts-%08d"
	lockName      = "lock"
	tmpCatalogue  = "tmp-catalogue"
)

// A listing is what of ours a folder holds.
type listing struct {
	catalogues, segments, packs []uint64
	tmp                         bool
	foreign                     bool // there is something else
}

// list lists dir.
func list(dir string) (l listing, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return l, fmt.Errorf("%s: %w", dir, store.ErrNoIndex)
	}
	if err != nil {
		if st, serr := os.Stat(dir); serr == nil && !st.IsDir() {
			return l, fmt.Errorf("%s: %w: it is a file, an index is a folder", dir, store.ErrFormat)
		}
		return l, err
	}
	for _, e := range entries {
		name := e.Name()
		switch {
		case scan(&l.catalogues, catalogueName, name), scan(&l.segments, segmentName, name), scan(&l.packs, packName, name):
		case name == tmpCatalogue:
			l.tmp = true
		case name != lockName:
			l.foreign = true
		}
	}
	return l, nil
}

// scan appends the number in name if it is exactly of that form.
func scan(numbers *[]uint64, form, name string) bool {
	before, after, _ := strings.Cut(form, "%08d")
	digits := strings.TrimSuffix(strings.TrimPrefix(name, before), after)
	number, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || fmt.Sprintf(form, number) != name {
		return false
	}
	*numbers = append(*numbers, number)
	return true
}

// newest returns the generation that counts.
func (l *listing) newest(dir string) (uint64, error) {
	newest := uint64(0)
	for _, g := range l.catalogues {
		newest = max(newest, g)
	}
	switch {
	case newest > 0:
		return newest, nil
	case len(l.segments) > 0 || len(l.packs) > 0:
		return 0, damaged(dir, "it has no %s", strings.Replace(catalogueName, "%08d", "NNNNNNNN", 1))
	case l.foreign:
		return 0, fmt.Errorf("%s: %w: it has files, but none of an index", dir, store.ErrFormat)
	}
	return 0, fmt.Errorf("%s: %w", dir, store.ErrNoIndex)
}

// Exists says whether there is an index in that folder, sound or not.
func Exists(dir string) bool {
	_, err := newestOf(dir)
	return err == nil || errors.Is(err, store.ErrDamaged)
}

// unlisted returns the files of ours that the catalogue of a generation, with
// the index x, does not list.
func (l *listing) unlisted(x *index, generation uint64) (names []string) {
	without := func(form string, numbers []uint64, listed func(uint64) bool) {
		for _, number := range numbers {
			if !listed(number) {
				names = append(names, fmt.Sprintf(form, number))
			}
		}
	}
	without(catalogueName, l.catalogues, func(g uint64) bool { return g == generation })
	without(segmentName, l.segments, func(file uint64) bool {
		return slices.ContainsFunc(x.Segments, func(r segmentRecord) bool { return r.File == file })
	})
	without(packName, l.packs, func(file uint64) bool {
		return slices.ContainsFunc(x.Packs, func(r packRecord) bool { return r.File == file })
	})
	if l.tmp {
		names = append(names, tmpCatalogue)
	}
	return names
}

// checkCatalogue checks the trailer and the checksum of a catalogue.
func checkCatalogue(f *os.File) error {
	st, err := f.Stat()
	if err != nil {
		return err
	}
	var trailer [trailerSize]byte
	if _, err := f.ReadAt(trailer[:], max(0, st.Size()-trailerSize)); err != nil || [8]byte(trailer[:]) != catalogueMagic {
		return damaged(f.Name(), "it does not end as a catalogue does")
	}
	length := le.Uint64(trailer[8:])
	if length != uint64(st.Size()-trailerSize) {
		return damaged(f.Name(), "it has %d bytes, its trailer says %d", st.Size(), length)
	}
	sum, err := sumCatalogue(io.NewSectionReader(f, 0, int64(length)), trailer[:])
	if err != nil {
		return err
	}
	if sum != le.Uint32(trailer[20:]) {
		return damaged(f.Name(), "its checksum is wrong")
	}
	if version := le.Uint32(trailer[16:]); version > indexVersion {
		return otherVersion(f.Name(), version, indexVersion)
	}
	return nil
}

// sumCatalogue returns the checksum of a database and its trailer.
func sumCatalogue(database io.Reader, trailer []byte) (uint32, error) {
	sum := crc32.New(castagnoli)
	if _, err := io.CopyBuffer(sum, struct{ io.Reader }{database}, make([]byte, 256<<10)); err != nil {
		return 0, err
	}
	_, err := sum.Write(trailer[:20])
	return sum.Sum32(), err
}

// writeCatalogue makes the catalogue path: what prepare makes at a path,
// changed by change. After an error there is none.
func writeCatalogue(d disk, dir, path string, prepare func(path string) error, change func(*bolt.Tx) error) error {
	tmp := filepath.Join(dir, tmpCatalogue)
	err := prepare(tmp)
	if err == nil {
		var length int64
		if length, err = d.changeDatabase(tmp, change); err == nil {
			err = d.appendTrailer(tmp, length)
		}
	}
	if err == nil {
		err = d.rename(tmp, path)
	}
	if err != nil {
		_ = d.remove(tmp) // else the next writer does it
		return fmt.Errorf("write %s: %w", filepath.Base(path), refused(err))
	}
	return nil
}

// empty makes an empty file.
func (d disk) empty(path string) error {
	f, err := d.create(path)
	if err != nil {
		return err
	}
	return f.file.Close()
}

// copyDatabase copies the database of the catalogue at from.
func (d disk) copyDatabase(from, to string) error {
	out, err := d.create(to)
	if err != nil {
		return err
	}
	defer out.file.Close() // synced when it has been changed
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	st, err := in.Stat()
	if err == nil {
		_, err = io.CopyN(out, in, st.Size()-trailerSize)
	}
	return err
}

// compactDatabase copies what is in a database into a new one.
func (d disk) compactDatabase(from *bolt.DB, to string) error {
	if err := d.empty(to); err != nil {
		return err
	}
	return d.withDatabase(to, func(db *bolt.DB) error { return bolt.Compact(db, from, 1<<20) })
}

// withDatabase opens the database at path for fn to change. That is not synced.
func (d disk) withDatabase(path string, fn func(*bolt.DB) error) (err error) {
	if err := d.before("write", path); err != nil {
		return err
	}
	db, err := bolt.Open(path, 0o666, &bolt.Options{
		Timeout: time.Second, PageSize: pageSize, NoSync: true, NoGrowSync: true,
		FreelistType: bolt.FreelistMapType, NoStatistics: true,
	})
	if err != nil {
		return err
	}
	defer func() { // also where fn ends by a fault, or the file stays locked
		if cerr := db.Close(); err == nil {
			err = cerr
		}
	}()
	return fn(db)
}

// changeDatabase changes the database at path and returns its length.
func (d disk) changeDatabase(path string, change func(*bolt.Tx) error) (length int64, err error) {
	err = d.withDatabase(path, func(db *bolt.DB) error {
		if err := db.Update(change); err != nil {
			return err
		}
		return db.View(func(tx *bolt.Tx) error { length = tx.Size(); return nil })
	})
	return length, err
}

// appendTrailer cuts the file at path to the database and appends the trailer.
func (d disk) appendTrailer(path string, length int64) error {
	f, err := d.open(path, 0)
	if err != nil {
		return err
	}
	trailer := append([]byte(nil), catalogueMagic[:]...)
	trailer = le.AppendUint64(trailer, uint64(length))
	trailer = le.AppendUint32(trailer, indexVersion)
	sum, err := sumCatalogue(io.NewSectionReader(f.file, 0, length), trailer)
	if err == nil {
		err = f.truncate(length)
	}
	if err == nil {
		_, err = f.WriteAt(le.AppendUint32(trailer, sum), length)
	}
	return f.close(err)
}
