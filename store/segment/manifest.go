package segment

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// A manifest lists the files of one generation: an index as JSON, followed by a trailer of
// 24 bytes:
//
//	magic   8 bytes
//	length  u64  of the JSON
//	version u32  of the format of the whole index
//	crc32c  u32  of everything before it
//
// The manifests of all versions end in such a trailer and are named alike. So a program
// recognises an index of a later version, and does not mistake it for damage.
const trailerSize = 24

var manifestMagic = [8]byte{'O', 'T', 'I', 'S', 'K', 'm', 'a', 'n'}

// indexVersion is the version of the format of the whole index.
const indexVersion = 1

// ErrOutdated means that an index was made before the first release, in a format that
// no release reads.
var ErrOutdated error = phrase.Error("damage.outdated", "its format is older than the first release, and this program reads version {known}", "known", indexVersion).Of(store.ErrFormat)

// ErrNotIndex means that a folder has files of other programs, or is a file.
var ErrNotIndex error = phrase.Error("damage.not-index", "not the folder of an index")

// Name patterns of the files of an index.
const (
	manifestName = "manifest-%08d"
	tableName    = "documents-%08d"
	segmentName  = "segment-%08d"
	packName     = "texts-%08d"
	spillName    = "spill-%08d"
	lockName     = "lock"
	tmpManifest  = "tmp-manifest"

	// earlyName is the pattern of manifests from before the first release.
	earlyName = "catalogue-%08d.db"
)

// A listing holds the numbers of the index files in a folder, by kind.
type listing struct {
	manifests, tables, segments, packs, spills []uint64

	tmp     bool
	early   bool // a program older than the first release made an index
	foreign bool // the folder has other files, too
}

func notFolder(path string) error {
	return fmt.Errorf("%s: %w: %w", path, store.ErrFormat, phrase.Error("said.file-no-index", "it is a file, but an index is a folder").Of(ErrNotIndex))
}

// list lists the index files in dir. If dir does not exist, the error wraps
// [store.ErrNoIndex].
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
		case scan(&l.manifests, manifestName, name), scan(&l.tables, tableName, name), scan(&l.segments, segmentName, name), scan(&l.packs, packName, name),
			scan(&l.spills, spillName, name):
		case name == tmpManifest:
			l.tmp = true
		case scan(new([]uint64), earlyName, name):
			l.early = true
		case name != lockName && name != reserveName:
			l.foreign = true
		}
	}
	return l, nil
}

// scan parses name by a pattern, and appends its number if it matches exactly.
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

// newest returns the current generation, the highest one.
func (l *listing) newest(dir string) (uint64, error) {
	newest := uint64(0)
	for _, g := range l.manifests {
		newest = max(newest, g)
	}
	switch {
	case newest > 0:
		return newest, nil
	case l.early:
		return 0, fmt.Errorf("%s: %w", dir, ErrOutdated)
	case len(l.tables) > 0 || len(l.segments) > 0 || len(l.packs) > 0:
		return 0, damaged(dir, "damage.no-manifest", "it has no {name}", "name", strings.Replace(manifestName, "%08d", "NNNNNNNN", 1))
	case l.foreign:
		return 0, fmt.Errorf("%s: %w: %w", dir, store.ErrFormat, phrase.Error("said.files-no-index", "it has files, but no index").Of(ErrNotIndex))
	}
	return 0, fmt.Errorf("%s: %w", dir, store.ErrNoIndex)
}

// Exists reports whether there is an index in that folder, even if it is damaged or
// outdated.
func Exists(dir string) bool {
	_, err := newestOf(dir)
	return err == nil || errors.Is(err, store.ErrDamaged) || errors.Is(err, ErrOutdated)
}

// unlisted returns the names of index files that the manifest of a generation does not
// list, except for those that making reports as being written.
func (l *listing) unlisted(x *index, generation uint64, making func(file uint64) bool) (names []string) {
	without := func(form string, numbers []uint64, listed func(uint64) bool) {
		for _, number := range numbers {
			if !listed(number) && (form == manifestName || !making(number)) {
				names = append(names, fmt.Sprintf(form, number))
			}
		}
	}
	without(manifestName, l.manifests, func(g uint64) bool { return g == generation })
	isTable := func(file uint64) bool {
		return slices.ContainsFunc(x.Tables, func(r tableRecord) bool { return r.File == file })
	}
	without(tableName, l.tables, isTable)
	without(segmentName, l.segments, func(file uint64) bool {
		return slices.ContainsFunc(x.Segments, func(r segmentRecord) bool { return r.File == file })
	})
	without(packName, l.packs, func(file uint64) bool {
		return slices.ContainsFunc(x.Packs, func(r packRecord) bool { return r.File == file })
	})
	without(spillName, l.spills, func(uint64) bool { return false })
	if l.tmp {
		names = append(names, tmpManifest)
	}
	return names
}

// readManifest reads and checks a manifest.
func readManifest(f *os.File) (*index, error) {
	st, err := f.Stat() // not by name, which a later commit may have removed
	if err != nil {
		return nil, err
	}
	data := make([]byte, st.Size())
	if _, err := f.ReadAt(data, 0); err != nil {
		return nil, err
	}
	if len(data) < trailerSize || [8]byte(data[len(data)-trailerSize:]) != manifestMagic {
		return nil, damaged(f.Name(), "damage.manifest-end", "it does not end with the trailer of a manifest")
	}
	data, trailer := data[:len(data)-trailerSize], data[len(data)-trailerSize:]
	if length := le.Uint64(trailer[8:]); length != uint64(len(data)) {
		return nil, damaged(f.Name(), "damage.trailer", "its trailer says {bytes} bytes precede it, there are {found}", "bytes", length, "found", len(data))
	}
	if sumManifest(data, trailer) != le.Uint32(trailer[20:]) {
		return nil, damaged(f.Name(), "damage.checksum", "its checksum is wrong")
	}
	if version := le.Uint32(trailer[16:]); version != indexVersion {
		return nil, otherVersion(f.Name(), version, indexVersion)
	}
	x := new(index)
	if err := json.Unmarshal(data, x); err != nil {
		return nil, damaged(f.Name(), "damage.json", "its JSON is invalid: {cause}", "cause", told(err))
	}
	return x, nil
}

// sumManifest returns the checksum of the JSON and the trailer of a manifest.
func sumManifest(data, trailer []byte) uint32 {
	return crc32.Update(crc32.Checksum(data, castagnoli), castagnoli, trailer[:20])
}

// writeManifest writes the manifest at path, which commits it. If writing or renaming
// fails, there is none.
func writeManifest(d disk, path string, x *index) error {
	data, err := json.Marshal(x)
	if err != nil {
		return err
	}
	trailer := le.AppendUint64(slices.Clone(manifestMagic[:]), uint64(len(data)))
	trailer = le.AppendUint32(trailer, indexVersion)
	tmp := filepath.Join(filepath.Dir(path), tmpManifest)
	f, err := d.create(tmp)
	if err == nil {
		_, err = f.Write(append(data, le.AppendUint32(trailer, sumManifest(data, trailer))...))
		err = f.close(err)
	}
	if err == nil {
		err = d.rename(tmp, path)
	}
	if err != nil {
		_ = d.remove(tmp) // otherwise the next writer removes it
		return phrase.Error("cause.write-file", "write {name}: {cause}", "name", filepath.Base(path), "cause", refused(err))
	}
	return nil
}
