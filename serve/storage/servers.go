package storage

import (
	"context"
	"time"
)

// Lease is the time after its last sign of life at which a server has ended.
const Lease = 30 * time.Second

// clock is the time of the database, which all servers share.
const clock = `CAST(unixepoch('subsec') * 1000 AS INTEGER)`

// Beat records a sign of life of a server, removes the servers without one, and queues the jobs of
// those again, without using up a try. It reports whether id is the oldest server, which schedules.
// Unless servers share the folder, id is the only one.
func (f *Folder) Beat(ctx context.Context, id string) (oldest bool, err error) {
	f.server.Store(id)
	err = f.Write(ctx, func(tx *Tx) {
		tx.Exec(`INSERT INTO servers (id, seen) VALUES (?, `+clock+`) ON CONFLICT (id) DO UPDATE SET seen = excluded.seen`, id)
		// One that was seen in the future was seen before the clock was turned back.
		tx.Exec(`DELETE FROM servers WHERE id != ?1 AND (NOT ?3 OR seen NOT BETWEEN `+clock+` - ?2 AND `+clock+` + ?2)`, id, Lease.Milliseconds(), f.Shared())
		requeue(tx)
		tx.Row(`SELECT id = ? FROM servers ORDER BY rowid LIMIT 1`, id).Scan(&oldest)
	})
	return oldest, err
}

// Servers returns the number of servers that use a shared folder; 0 for one that this process has
// locked.
func (f *Folder) Servers(ctx context.Context) (n int, err error) {
	err = f.Read.QueryRowContext(ctx, `SELECT count(*) FROM servers WHERE ?1 AND seen BETWEEN `+clock+` - ?2 AND `+clock+` + ?2`, f.Shared(), Lease.Milliseconds()).Scan(&n)
	return n, err
}

// Leave removes a server that stops, and queues its running jobs again.
func (f *Folder) Leave(ctx context.Context, id string) error {
	return f.Write(ctx, func(tx *Tx) {
		tx.Exec(`DELETE FROM servers WHERE id = ?`, id)
		requeue(tx)
	})
}

// requeue queues the jobs again whose server has ended, without using up a try.
func requeue(tx *Tx) {
	tx.Exec(`UPDATE jobs SET state = 'queued', ready = 0, tries = max(tries - 1, 0) WHERE state = 'running' AND server NOT IN (SELECT id FROM servers)`)
}
