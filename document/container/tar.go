package container

import (
	"cmp"
	"io"
	"math"
	"time"

	"github.com/otisk/otisk/document/archive"
	"github.com/otisk/otisk/document/format"
)

// budget is what a member of an archive may take.
func (r *reader) budget() format.Budget {
	return format.Budget{Bytes: r.opts.MaxBytes, Time: cmp.Or(r.opts.Time, math.MaxInt64)}
}

// tar reads a tar archive.
func (r *reader) tar() error { return archive.Tar(r.ctx, r.from, r.budget(), r.member) }

// sevenZip reads an archive of 7-Zip.
func (r *reader) sevenZip(from seeker) error {
	size, err := from.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	return archive.SevenZip(r.ctx, from, size, r.budget(), r.member)
}

// member gives a member of an archive, or why it cannot be unpacked.
func (r *reader) member(m archive.Member, err error) error {
	rec := Record{Name: m.Name, Ext: extension(m.Name), Data: m.Data}
	if !m.ModTime.IsZero() {
		rec.ModTime = m.ModTime.UTC().Truncate(time.Second)
	}
	return r.give(rec, err)
}
