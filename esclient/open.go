package esclient

import (
	"cmp"
	"context"
	"errors"

	"github.com/otisk/otisk/store"
)

// Create opens the index for writing, and makes it with these settings if it does not
// exist. An existing index keeps the settings it was made with, which Settings returns.
// If another writer has the index, the error names it and wraps store.ErrLocked.
func Create(ctx context.Context, cfg Config, settings store.Settings) (*Store, error) {
	c, err := connect(ctx, cfg.writing())
	if err != nil {
		return nil, err
	}
	n, m, _, err := c.locate(ctx)
	if errors.Is(err, store.ErrNoIndex) {
		if err := c.begin(ctx, names{c.cfg.Index, 1}, settings); err != nil {
			return nil, err
		}
		n, m, err = c.locateNew(ctx)
	}
	if err != nil {
		return nil, err
	}
	s, err := openStore(ctx, c, n, m)
	if err == nil && s.damage != nil {
		return nil, errors.Join(s.damage, s.abandon())
	}
	return s, err
}

// OpenStore opens the index for writing. If there is none, the error wraps
// store.ErrNoIndex. An index that has lost a part can be opened to call Recreate; every
// other method returns an error wrapping store.ErrDamaged.
func OpenStore(ctx context.Context, cfg Config) (*Store, error) {
	c, err := connect(ctx, cfg.writing())
	if err != nil {
		return nil, err
	}
	n, m, _, err := c.locate(ctx)
	if err != nil {
		return nil, err
	}
	return openStore(ctx, c, n, m)
}

// Remove deletes the index of cfg with all its parts, or what is left of it. No index is not an error.
func Remove(ctx context.Context, cfg Config) error {
	c, err := connect(ctx, cfg)
	if err != nil {
		return err
	}
	list, err := c.list(ctx)
	if err != nil {
		return err
	}
	return c.drop(ctx, list)
}

// locateNew finds an index that was just made. A busy server acknowledges an alias before
// it shows it, so locateNew retries.
func (c *conn) locateNew(ctx context.Context) (names, meta, error) {
	tries := c.Attempts("open index", 0)
	for {
		n, m, _, err := c.locate(ctx)
		if !errors.Is(err, store.ErrNoIndex) {
			return n, m, err
		}
		if err := tries.Next(ctx, err, true); err != nil {
			return n, m, err
		}
	}
}

// begin makes an empty index. It adds the alias of the catalogue last, so that other
// processes do not see the index before it is complete.
func (c *conn) begin(ctx context.Context, n names, settings store.Settings) error {
	if err := c.vacant(ctx, n); err != nil {
		return err
	}
	if err := c.create(ctx, n, documentsPart, making{settings: &settings, hidden: true}); err != nil {
		return err
	}
	if _, err := c.writeHead(ctx, n, place{}, head{}); err != nil && !errors.Is(err, errConflict) {
		return err
	}
	if err := c.create(ctx, n, textsPart, making{}); errors.Is(err, ErrTemplate) {
		return errors.Join(err, c.drop(ctx, []string{n.documents()}))
	} else if err != nil {
		return err
	}
	if c.cfg.Templates != nil {
		if list := c.templates(ctx, n.documents()); list != "" {
			c.cfg.Templates(list)
		}
	}
	add := object{"index": n.documents(), "alias": n.part(documentsPart)}
	return c.alias(ctx, []object{{"add": add}})
}

func openStore(ctx context.Context, c *conn, n names, m meta) (*Store, error) {
	c.cfg.Expect = cmp.Or(c.cfg.Expect, m.Expect)
	indices, err := c.neighbours(ctx)
	if err == nil {
		err = c.aliased(ctx, n, indices)
	}
	if err != nil {
		return nil, err
	}
	l, before, err := c.acquire(ctx, n, presentParts(indices, n))
	if err != nil {
		return nil, err
	}
	life, end := context.WithCancel(context.Background())
	s := &Store{
		c: c, names: n, settings: *m.Settings, lease: l, end: end, tx: l.head.Tx,
		pending: map[store.DocID]*change{}, sizes: map[int]bool{}, adding: map[int64]bool{}, users: map[*view]int{},
	}
	s.bulk = newBulker(life, c, l.check)
	s.gens.Store(l.head.Session << genBits)
	for _, size := range l.head.Sizes {
		s.sizes[size] = true
	}
	s.damage = complete(indices, n, l.head.Sizes)
	s.broken = s.damage
	s.show(l.head)
	if s.damage != nil {
		return s, nil
	}
	if err := s.recover(ctx, before); err != nil {
		return nil, errors.Join(err, s.abandon())
	}
	return s, nil
}

// recover cleans up after a writer that did not close the index. before is the head that
// the writer left.
func (s *Store) recover(ctx context.Context, before head) error {
	if before.Frozen {
		if err := s.thaw(ctx); err != nil {
			return err
		}
	}
	if before.Owner != "" {
		if err := s.rollback(ctx); err != nil {
			return err
		}
		if err := s.sweep(ctx, before.Clean, s.lease.head.Session<<genBits); err != nil {
			return err
		}
	}
	if before.Loading != nil {
		if err := s.endLoad(ctx); err != nil {
			return err
		}
	}
	if s.c.cfg.BulkLoad && s.now.epoch == 0 {
		return s.beginLoad(ctx)
	}
	return nil
}

// abandon ends a store that could not be opened, and leaves the cleaning up to the next
// writer.
func (s *Store) abandon() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	s.end()
	s.bulk.close()
	return s.lease.release(ctx, false)
}
