package desk

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/indexes"
)

// A Health is the state of a server.
type Health struct {
	Jobs map[string]int `json:"jobs"`           // by state
	Used int64          `json:"used"`           // bytes of the data folder
	Free int64          `json:"free,omitempty"` // bytes left on its disk, 0 where unknown

	Remains []Remain `json:"remains,omitempty" doc:"what deletions still have to remove, the oldest first"`

	Cluster *indexes.Cluster `json:"cluster,omitempty" doc:"with the collections, unless they are in folders"`
}

// Health returns the state of the server.
func (d *Desk) Health(ctx context.Context, a accounts.Actor) (*Health, error) {
	if err := may(a, accounts.ReadHealth); err != nil {
		return nil, err
	}
	jobs, err := d.Jobs(ctx)
	if err != nil {
		return nil, err
	}
	h := &Health{Jobs: jobs, Free: free(d.folder.Path()), Cluster: d.indexes.Cluster(ctx)}
	if h.Remains, err = d.remains.waiting(ctx); err != nil {
		return nil, err
	}
	err = filepath.WalkDir(d.folder.Path(), func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			if os.IsNotExist(err) { // removed meanwhile
				return nil
			}
			return err
		}
		if info, err := e.Info(); err == nil {
			h.Used += info.Size()
		}
		return ctx.Err()
	})
	return h, err
}

// Cluster returns the state of the cluster with the collections, nil if there is none.
func (d *Desk) Cluster(ctx context.Context) *indexes.Cluster { return d.indexes.Cluster(ctx) }

// Full reports whether the disk is full, so that uploads are refused.
func (d *Desk) Full() bool { return d.folder.Full() }

// ReadOnly returns why nothing can be written to the data folder, nil if it can.
func (d *Desk) ReadOnly() error { return d.folder.ReadOnly() }

// Jobs returns the number of jobs by state.
func (d *Desk) Jobs(ctx context.Context) (map[string]int, error) {
	type count struct {
		state string
		n     int
	}
	counts, err := list(ctx, d.folder.Read, func(row func(...any) error, c *count) error { return row(&c.state, &c.n) },
		`SELECT state, count(*) FROM jobs GROUP BY state`)
	jobs := map[string]int{}
	for _, c := range counts {
		jobs[c.state] = c.n
	}
	return jobs, err
}
