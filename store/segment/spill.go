package segment

import (
	"encoding/binary"
	"hash/crc32"
	"path/filepath"
	"slices"

	"github.com/otisk/otisk/lang/phrase"
)

const (
	// spillPart is how many bytes are written to a spill at once, exceeded by one bucket at
	// most.
	spillPart = 256 << 10
	// maxTogether limits the entries of one bucket, in all buffers and spills, that are
	// sorted at once. One buffer with its spill has at most twice maxBucket. Only text that
	// repeats itself has more.
	maxTogether = 4 * maxBucket
	// maxSpilled limits the entries of a list.
	maxSpilled = 1 << 28
)

// A spill is a file for the runs of a full buffer: unsorted entries, bucket by bucket. It
// lasts until the next commit, which makes one segment per list. So each entry is sorted
// and packed once, however often the buffer overflows. No manifest lists a spill; only its
// writer reads it. One segment for each full buffer takes a quarter more time, since it is unpacked and
// packed again; 224 MB of buffers instead of 96 then gain nothing.
type spill struct {
	file *outFile
	size int64 // of the complete runs
}

// newSpill creates the file at path.
func newSpill(d disk, path string) (*spill, error) {
	f, err := d.create(path)
	if err != nil {
		return nil, err
	}
	return &spill{file: f}, nil
}

// append appends the entries of r. After an error they are still in memory.
func (s *spill) append(r *run) error {
	var buf []byte
	start, at := s.size, s.size // offsets of buf and of the bucket
	for i := range r.buckets {
		b := &r.buckets[i]
		from := len(buf)
		for j := range b.blocks {
			buf = appendEntries(buf, b.part(j))
		}
		b.offset, b.sum = at, crc32.Checksum(buf[from:], castagnoli)
		at += int64(len(buf) - from)
		if len(buf) >= spillPart || i == len(r.buckets)-1 {
			if _, err := s.file.WriteAt(buf, start); err != nil {
				return phrase.Error("cause.write-file", "write {name}: {cause}", "name", filepath.Base(s.path()), "cause", refused(err))
			}
			start, buf = at, buf[:0]
		}
	}
	s.size, r.spill = at, s
	return nil
}

func appendEntries(b []byte, entries []uint64) []byte {
	from := len(b)
	b = slices.Grow(b, 8*len(entries))[:from+8*len(entries)]
	for i, e := range entries {
		le.PutUint64(b[from+8*i:], e)
	}
	return b
}

func (s *spill) path() string { return s.file.file.Name() }

// drop closes and removes the file. If that fails, the next writer removes it.
func (s *spill) drop() {
	_ = s.file.shut()
	_ = s.file.disk.remove(s.path())
}

// appendBucket appends the entries of bucket i of r to all. buf is scratch space.
func (r *run) appendBucket(all []uint64, buf *[]byte, i int) ([]uint64, error) {
	b := &r.buckets[i]
	if r.spill == nil {
		for j := range b.blocks {
			all = append(all, b.part(j)...)
		}
		return all, nil
	}
	data := slices.Grow((*buf)[:0], 8*b.count)[:8*b.count]
	*buf = data
	if _, err := r.spill.file.file.ReadAt(data, b.offset); err != nil {
		return all, phrase.Error("cause.read-file", "read {name}: {cause}", "name", filepath.Base(r.spill.path()), "cause", err)
	}
	if crc32.Checksum(data, castagnoli) != b.sum {
		return all, damaged(r.spill.path(), "damage.bucket-sum", "checksum of bucket {bucket} is wrong", "bucket", i)
	}
	at := len(all)
	all = slices.Grow(all, b.count)[:at+b.count]
	_, _ = binary.Decode(data, le, all[at:])
	return all, nil
}

// fits reports whether the lists can be written as one segment each: no bucket has more
// than mostInBucket entries to sort, and no list too many.
func fits(lists map[int][]*run, mostInBucket int) bool {
	for _, runs := range lists {
		entries := uint64(0)
		for _, r := range runs {
			entries += max(r.entries, r.grams)
		}
		if entries > maxSpilled {
			return false
		}
		for i := range runs[0].buckets {
			count := 0
			for _, r := range runs {
				count += r.buckets[i].count
			}
			if count > mostInBucket {
				return false
			}
		}
	}
	return true
}
