package container

import (
	"cmp"
	"io"
	"math"
	"time"

	"github.com/otisk/otisk/document/archive"
	"github.com/otisk/otisk/document/format"
)

// budget returns the limits for an archive member.
func (r *reader) budget() format.Budget {
	return format.Budget{Bytes: r.opts.MaxBytes, Time: cmp.Or(r.opts.Time, math.MaxInt64)}
}

// sevenZip reads a 7-Zip archive.
func (r *reader) sevenZip(from seeker) error {
	size, err := from.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	return archive.SevenZip(r.ctx, from, size, r.budget(), r.opts.Skip, r.member)
}

// member reports an archive member or the error of unpacking it.
func (r *reader) member(m archive.Member, err error) error {
	rec := Record{Name: m.Name, Ext: extension(m.Name), Data: m.Data}
	if !m.ModTime.IsZero() {
		rec.ModTime = m.ModTime.UTC().Truncate(time.Second)
	}
	return r.give(rec, err)
}
