package container

import (
	"cmp"
	"math"
	"time"

	"github.com/otisk/otisk/document/archive"
	"github.com/otisk/otisk/document/format"
)

// tar reads a tar archive, with the limits of any archive.
func (r *reader) tar() error {
	budget := format.Budget{Bytes: r.opts.MaxBytes, Time: cmp.Or(r.opts.Time, math.MaxInt64)}
	return archive.Tar(r.ctx, r.from, budget, func(m archive.Member, err error) error {
		rec := Record{Name: m.Name, Ext: extension(m.Name), Data: m.Data}
		if !m.ModTime.IsZero() {
			rec.ModTime = m.ModTime.UTC().Truncate(time.Second)
		}
		return r.give(rec, err)
	})
}
