package desk

import (
	"context"
	"database/sql"
	"time"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/lti"
)

// Times of a key for learning platforms, which keep the key set for a while.
const (
	keyLead = 24 * time.Hour     // a new key is published before it signs
	keyKept = 7 * 24 * time.Hour // an old key is published after its successor was made
)

// A PlatformKey is a key of this server for learning platforms.
type PlatformKey struct {
	ID      string    `json:"id" doc:"kid in the key set"`
	Created time.Time `json:"created"`
	Signs   bool      `json:"signs" doc:"signs answers to platforms; others are published and sign later, or did before"`

	data []byte
}

// platformKeys returns the published keys, the oldest first.
func (d *platforms) platformKeys(ctx context.Context, db querier) ([]PlatformKey, error) {
	keys, err := list(ctx, db, func(row func(...any) error, k *PlatformKey) error { return row(&k.ID, &k.data, millis{&k.Created}) },
		`SELECT id, key, created FROM platform_keys ORDER BY created, id`)
	if err != nil || len(keys) == 0 {
		return keys, err
	}
	signs, first, now := 0, 0, d.opts.Now()
	for i := 1; i < len(keys); i++ {
		age := now.Sub(keys[i].Created)
		if age >= keyLead {
			signs = i
		}
		if age >= keyKept {
			first = i
		}
	}
	keys[signs].Signs = true
	return keys[first:], nil
}

// PlatformKeys returns the published keys of this server for learning platforms, the oldest first.
func (d *platforms) PlatformKeys(ctx context.Context, a accounts.Actor) ([]PlatformKey, error) {
	if err := may(a, accounts.ManagePlatforms); err != nil {
		return nil, err
	}
	return d.platformKeys(ctx, d.folder.Read)
}

// PlatformKey returns the key that signs answers to learning platforms, beside the other published
// keys; or ErrNotFound before the first platform is registered.
func (d *platforms) PlatformKey(ctx context.Context) (signs *lti.Key, err error) {
	keys, err := d.platformKeys(ctx, d.folder.Read)
	if err != nil {
		return nil, err
	}
	var others []*lti.Key
	for _, k := range keys {
		read, err := lti.ReadKey(k.ID, k.data)
		if err != nil {
			return nil, err
		}
		if k.Signs {
			signs = read
		} else {
			others = append(others, read)
		}
	}
	if signs == nil {
		return nil, ErrNotFound
	}
	return signs.Beside(others...), nil
}

// RotatePlatformKey makes a new key for learning platforms. It is published at once and signs a day
// later; the one before is published for a week. With stolen, all earlier keys become invalid at once:
// platforms that keep the key set refuse answers until they read it again.
func (d *platforms) RotatePlatformKey(ctx context.Context, a accounts.Actor, stolen bool) error {
	if err := may(a, accounts.ManagePlatforms); err != nil {
		return err
	}
	return d.folder.Write(ctx, func(tx *sql.Tx) error {
		keys, err := d.platformKeys(ctx, tx)
		if err != nil {
			return err
		}
		var last PlatformKey
		if len(keys) > 0 {
			last = keys[len(keys)-1]
			if !stolen && !last.Signs {
				return Wrong("key", "lti.key-waits", "the last new key signs at {time} at the earliest", "time", last.Created.Add(keyLead).Format(time.RFC3339))
			}
			if _, err := tx.ExecContext(ctx, `DELETE FROM platform_keys WHERE ? OR created < ?`, stolen, keys[0].Created.UnixMilli()); err != nil {
				return err
			}
		}
		if err := d.insertPlatformKey(ctx, tx); err != nil {
			return err
		}
		return note(ctx, tx, a, "rotate platform key", last.ID, "")
	})
}

func (d *platforms) insertPlatformKey(ctx context.Context, tx *sql.Tx) error {
	data, err := lti.NewKey()
	if err != nil {
		return err
	}
	return exec(ctx, tx, `INSERT INTO platform_keys (id, key, created) VALUES (?, ?, ?)`, accounts.NewID(), data, d.opts.Now().UnixMilli())
}
