package desk

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/otisk/otisk/gather/fetch"
	"github.com/otisk/otisk/internal/walk"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/work"
)

// The sources fill collections at intervals.
type sources struct {
	room
	queue       *work.Queue
	collections *collections
}

// A Source is a folder, a repository or a feed from which a collection is filled, once or at
// intervals.
type Source struct {
	ID      string    `json:"id"`
	Kind    string    `json:"kind" enum:"folder,oai,feed"`
	Address string    `json:"address"`        // path on the server, or URL
	Part    string    `json:"part,omitempty"` // set of a repository
	Hours   int       `json:"hours"`          // between two runs; 0 for one run
	By      string    `json:"by"`             // login
	Last    time.Time `json:"last,omitzero"`  // end of the last run
	Next    time.Time `json:"next,omitzero"`  // start of the next run, unless one is queued or running
	Running bool      `json:"running"`        // a run is queued or running
}

// gatherTime is the time after which a run of a source stops. The next one continues it at once,
// after other jobs.
const gatherTime = 10 * time.Minute

// mostHours is the limit of the time between two runs of a source.
const mostHours = 24 * 366

// checkSource validates a source. The folder of one that is a folder must be below one that the
// administrator has named.
func (d *sources) checkSource(s *Source) error {
	s.Address, s.Part = strings.TrimSpace(s.Address), strings.TrimSpace(s.Part)
	switch {
	case s.Hours < 0 || s.Hours > mostHours:
		return outside("hours", 0, mostHours)
	case longer(s.Address, 2000):
		return Wrong("address", "serve.long", "type at most {most} characters", "most", 2000)
	case longer(s.Part, mostLabel):
		return Wrong("part", "serve.long", "type at most {most} characters", "most", mostLabel)
	}
	switch s.Kind {
	case work.FolderSource:
		s.Part = ""
		return d.checkFolder(s)
	case work.OAISource, work.FeedSource:
		if err := fetch.Check(s.Address); err != nil {
			return Wrong("address", "serve.address", "type an address that begins with http:// or https://")
		}
		return nil
	}
	return Wrong("kind", "serve.source-kind", "unknown kind of source")
}

func (d *sources) checkFolder(s *Source) error {
	if len(d.opts.Roots) == 0 {
		return Wrong("address", "serve.no-roots", "this server reads no folders: the administrator allows them by --folder-root")
	}
	path, err := walk.Canonical(s.Address)
	if err == nil && filepath.IsAbs(s.Address) && walk.IsFolder(path) {
		for _, root := range d.opts.Roots {
			if top, err := walk.Canonical(root); err == nil {
				if _, ok := walk.Within(top, path); ok {
					s.Address = path
					return nil
				}
			}
		}
	}
	return Wrong("address", "serve.folder", "this is not the full path of a folder that the server may read")
}

// AddSource adds a source to a collection of the actor's group and queues its first run. It returns
// ErrInUse if the collection has the source already.
func (d *sources) AddSource(ctx context.Context, a accounts.Actor, collection string, s Source) (id string, err error) {
	if err := errors.Join(may(a, accounts.ChangeCollections), d.collections.checkOwn(ctx, inGroup(a), collection)); err != nil {
		return "", err
	}
	if err := d.checkSource(&s); err != nil {
		return "", err
	}
	s.ID = accounts.NewID()
	err = d.folder.Write(ctx, func(tx *storage.Tx) {
		tx.Change(ErrInUse, `INSERT INTO sources (id, collection_id, user_id, kind, address, part, every, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			s.ID, collection, a.User, s.Kind, s.Address, s.Part, int64(s.Hours)*time.Hour.Milliseconds(), now())
		d.insertRun(tx, s.ID)
		note(tx, a, "add source", collection, s.Address)
	})
	d.queue.Wake()
	return s.ID, err
}

// insertRun queues a run of a source, as an addition of the user who added it, and sets the time of
// the one after it, which counts if this one fails.
func (d *sources) insertRun(tx *storage.Tx, source string) {
	var collection string
	if !tx.Row(`SELECT collection_id FROM sources WHERE id = ?`, source).Scan(&collection) {
		return // deleted meanwhile
	}
	at := d.opts.Now().UnixMilli()
	tx.Exec(`UPDATE sources SET last = ?1, next = CASE WHEN every = 0 THEN 0 ELSE ?1 + every END WHERE id = ?2`, at, source)
	job := insertJob(tx, work.Queued, work.Gather, collection)
	tx.Exec(`INSERT INTO additions (id, collection_id, job_id, user_id, file, name, size, state, created, kind, source_id)
		SELECT ?, collection_id, ?, user_id, '', address, 0, ?, ?, kind, id FROM sources WHERE id = ?`, accounts.NewID(), job, work.Queued, now(), source)
}

// openRun selects the open runs of sources.
const openRun = `SELECT 1 FROM additions x WHERE x.source_id = s.id AND x.state IN ('queued', 'running')`

// Sources returns the sources of a collection of the actor's group.
func (d *sources) Sources(ctx context.Context, a accounts.Actor, collection string) ([]Source, error) {
	return listFor(ctx, errors.Join(may(a, accounts.ChangeCollections), d.collections.checkOwn(ctx, inGroup(a), collection)), d.folder.Read, func(row func(...any) error, s *Source) error {
		var every int64
		err := row(&s.ID, &s.Kind, &s.Address, &s.Part, &every, &s.By, millis{&s.Last}, millis{&s.Next}, &s.Running)
		s.Hours = int(every / time.Hour.Milliseconds())
		return err
	}, `SELECT s.id, kind, address, part, every, login, last, next, EXISTS (`+openRun+`) FROM sources s JOIN users u ON u.id = user_id WHERE collection_id = ? ORDER BY s.created`, collection)
}

// RunSource queues a run of a source at once. It returns ErrBusy if one is queued or running.
func (d *sources) RunSource(ctx context.Context, a accounts.Actor, id string) error {
	err := d.change(ctx, may(a, accounts.ChangeCollections), func(tx *storage.Tx) {
		var open bool
		tx.RowOr(ErrNotFound, `SELECT EXISTS (`+openRun+`) FROM sources s JOIN collections c ON c.id = s.collection_id WHERE s.id = ? AND c.group_id = ?`, id, a.Group).Scan(&open)
		if open {
			tx.Fail(ErrBusy)
		}
		d.insertRun(tx, id)
	})
	d.queue.Wake()
	return err
}

// DeleteSource deletes a source and ends its run. Documents stay in the collection.
func (d *sources) DeleteSource(ctx context.Context, a accounts.Actor, id string) error {
	var jobs []string
	err := d.change(ctx, may(a, accounts.ChangeCollections), func(tx *storage.Tx) {
		var collection, address string
		tx.RowOr(ErrNotFound, `DELETE FROM sources WHERE id = ? AND collection_id IN (SELECT id FROM collections WHERE group_id = ?) RETURNING collection_id, address`, id, a.Group).Scan(&collection, &address)
		jobs = rows(tx, scanString, `UPDATE additions SET state = 'cancelled', finished = ? WHERE source_id = ? AND state IN ('queued', 'running') RETURNING job_id`, now(), id)
		for _, job := range jobs {
			cancelJob(tx, job)
		}
		note(tx, a, "delete source", collection, address)
	})
	if err != nil {
		return err
	}
	for _, job := range jobs {
		d.queue.Cancel(job)
	}
	return os.RemoveAll(d.folder.Path(storage.Sources, id))
}

// dueSources queues a run of each source whose time has come. If the clock was turned back to before
// the last run, the time of the next one means nothing, and the source is due.
func (d *sources) dueSources(ctx context.Context) error {
	at := d.opts.Now().UnixMilli()
	due, err := list(ctx, d.folder.Read, scanString, `SELECT id FROM sources s WHERE next != 0 AND (next <= ? OR last > ?) AND NOT EXISTS (`+openRun+`)`, at, at)
	if err != nil || len(due) == 0 {
		return err
	}
	err = d.folder.Write(ctx, func(tx *storage.Tx) {
		for _, id := range due {
			d.insertRun(tx, id)
		}
	})
	d.queue.Wake()
	return err
}

// setSource sets the source of a job, and the marks of documents that were deleted.
func (d *sources) setSource(ctx context.Context, j work.Job, task *work.Task) error {
	s := work.Source{Roots: d.opts.Roots, Allow: d.opts.Allow, Most: gatherTime}
	var id string
	err := d.folder.Read.QueryRowContext(ctx, `SELECT s.id, s.kind, s.address, s.part FROM additions a JOIN sources s ON s.id = a.source_id WHERE a.job_id = ?`, j.ID).Scan(&id, &s.Kind, &s.Address, &s.Part)
	if err != nil {
		return err
	}
	if s.State, err = filepath.Abs(d.folder.Path(storage.Sources, id)); err != nil {
		return err
	}
	if err := os.MkdirAll(s.State, 0o700); err != nil {
		return err
	}
	task.Source = &s
	task.Gone, err = list(ctx, d.folder.Read, scanString, `SELECT mark FROM forgotten WHERE collection_id = ?`, j.Collection)
	return err
}

// finishRun sets when a source runs again, and deletes earlier runs without result.
func finishRun(tx *storage.Tx, at time.Time, j work.Job, more bool) {
	tx.Exec(`UPDATE sources SET last = ?1, next = CASE WHEN ?2 THEN ?1 WHEN every = 0 THEN 0 ELSE ?1 + every END WHERE id = (SELECT source_id FROM additions WHERE job_id = ?3)`, at.UnixMilli(), more, j.ID)
	tx.Exec(`DELETE FROM additions WHERE source_id = (SELECT source_id FROM additions WHERE job_id = ?1) AND source_id != '' AND job_id != ?1 AND state = 'done' AND added = 0 AND skipped = '[]'`, j.ID)
}
