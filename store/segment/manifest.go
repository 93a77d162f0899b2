package segment

import (
	"bytes"
	"encoding/json"
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

	"github.com/otisk/otisk/store"
)

// A manifest lists what a generation has: an index as JSON, followed by a
// trailer of 24 bytes:
//
//	magic  8 bytes
//	length u64  of what is before it
//	version u32 of the format of the whole index
//	crc32c u32  of all up to here
//
// Whatever a later version looks like, its manifest ends in such a trailer and
// is named like this. So a version that is not known is not taken for damage.
//
// In versions 1 and 2, in place of the JSON there is a database with the whole
// catalogue (bolt.go), which each commit copied and each opening read. Of documents
// in version 1, the path is the whole path; version 2 has bases.
const trailerSize = 24

var catalogueMagic = [8]byte{'O', 'T', 'I', 'S', 'K', 'c', 'a', 't'}

// indexVersion is the version of the format of the whole index. boltVersion is
// the last whose catalogue is a database.
const (
	indexVersion = 4
	boltVersion  = 2
)

// Names of files in an index.
const (
	catalogueName = "catalogue-%08d.db"
	tableName     = "documents-%08d"
	segmentName   = "segment-%08d"
	packName      = "texts-%08d"
	spillName     = "spill-%08d"
	lockName      = "lock"
	tmpCatalogue  = "tmp-catalogue"
)

// A listing is what of ours a folder holds.
type listing struct {
	catalogues, tables, labels, segments, packs, spills []uint64

	tmp     bool
	foreign bool // there is something else
}

func notFolder(path string) error {
	return fmt.Errorf("%s: %w: it is a file, an index is a folder", path, store.ErrFormat)
}

// list lists dir.
func list(dir string) (l listing, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return l, fmt.Errorf("%s: %w", dir, store.ErrNoIndex)
	}
	if err != nil {
		if st, serr := os.Stat(dir); serr == nil && !st.IsDir() {
			return l, notFolder(dir)
		}
		return l, err
	}
	for _, e := range entries {
		name := e.Name()
		switch {
		case scan(&l.catalogues, catalogueName, name), scan(&l.tables, tableName, name), scan(&l.labels, labelName, name), scan(&l.segments, segmentName, name), scan(&l.packs, packName, name),
			scan(&l.spills, spillName, name):
		case name == tmpCatalogue:
			l.tmp = true
		case name != lockName && name != reserveName:
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
	case len(l.tables) > 0 || len(l.segments) > 0 || len(l.packs) > 0:
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

// unlisted returns the files of ours that the manifest of a generation, with the
// index x, does not list, but for those that are being made.
func (l *listing) unlisted(x *index, generation uint64, making func(file uint64) bool) (names []string) {
	without := func(form string, numbers []uint64, listed func(uint64) bool) {
		for _, number := range numbers {
			if !listed(number) && (form == catalogueName || !making(number)) {
				names = append(names, fmt.Sprintf(form, number))
			}
		}
	}
	without(catalogueName, l.catalogues, func(g uint64) bool { return g == generation })
	isTable := func(file uint64) bool {
		return slices.ContainsFunc(x.Tables, func(r tableRecord) bool { return r.File == file })
	}
	without(tableName, l.tables, isTable)
	without(labelName, l.labels, isTable)
	without(segmentName, l.segments, func(file uint64) bool {
		return slices.ContainsFunc(x.Segments, func(r segmentRecord) bool { return r.File == file })
	})
	without(packName, l.packs, func(file uint64) bool {
		return slices.ContainsFunc(x.Packs, func(r packRecord) bool { return r.File == file })
	})
	without(spillName, l.spills, func(uint64) bool { return false })
	if l.tmp {
		names = append(names, tmpCatalogue)
	}
	return names
}

// readTrailer checks the trailer and the checksum of a manifest, and returns
// its version.
func readTrailer(f *os.File) (version uint32, err error) {
	st, err := f.Stat()
	if err != nil {
		return 0, err
	}
	var trailer [trailerSize]byte
	if _, err := f.ReadAt(trailer[:], max(0, st.Size()-trailerSize)); err != nil || [8]byte(trailer[:]) != catalogueMagic {
		return 0, damaged(f.Name(), "it does not end as a catalogue does")
	}
	length := le.Uint64(trailer[8:])
	if length != uint64(st.Size()-trailerSize) {
		return 0, damaged(f.Name(), "it has %d bytes, its trailer says %d", st.Size(), length)
	}
	sum, err := sumCatalogue(io.NewSectionReader(f, 0, int64(length)), trailer[:])
	if err != nil {
		return 0, err
	}
	if sum != le.Uint32(trailer[20:]) {
		return 0, damaged(f.Name(), "its checksum is wrong")
	}
	if version = le.Uint32(trailer[16:]); version > indexVersion {
		return version, otherVersion(f.Name(), version, indexVersion)
	}
	return version, nil
}

// sumCatalogue returns the checksum of what is before a trailer, and of the
// trailer.
func sumCatalogue(before io.Reader, trailer []byte) (uint32, error) {
	sum := crc32.New(castagnoli)
	if _, err := io.CopyBuffer(sum, struct{ io.Reader }{before}, make([]byte, 256<<10)); err != nil {
		return 0, err
	}
	_, err := sum.Write(trailer[:20])
	return sum.Sum32(), err
}

// readManifest reads the index that a manifest of the present version has.
func readManifest(f *os.File) (*index, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	data := make([]byte, st.Size()-trailerSize)
	if _, err := f.ReadAt(data, 0); err != nil {
		return nil, err
	}
	x := new(index)
	if err := json.Unmarshal(data, x); err != nil {
		return nil, damaged(f.Name(), "it is no list of files: %v", err)
	}
	return x, nil
}

// writeManifest makes the manifest path, which is the commit. After an error
// there is none.
func writeManifest(d disk, path string, x *index) error {
	data, err := json.Marshal(x)
	if err != nil {
		return err
	}
	trailer := le.AppendUint64(slices.Clone(catalogueMagic[:]), uint64(len(data)))
	trailer = le.AppendUint32(trailer, indexVersion)
	sum, err := sumCatalogue(bytes.NewReader(data), trailer)
	if err != nil {
		return err
	}
	tmp := filepath.Join(filepath.Dir(path), tmpCatalogue)
	f, err := d.create(tmp)
	if err == nil {
		_, err = f.Write(append(data, le.AppendUint32(trailer, sum)...))
		err = f.close(err)
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
