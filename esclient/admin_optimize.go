package esclient

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/internal/pause"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// Optimize implements [store.Store]. It commits, deletes what no entry refers to, and
// merges each shard into one segment, so that a look-up reads one dictionary for each
// shard. That takes time and disk space of the order of the index.
func (s *Store) Optimize(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.commit(ctx); err != nil {
		return err
	}
	if err := s.purge(ctx, s.now.epoch); err != nil {
		return err
	}
	if err := s.sweep(ctx, 0, s.swept()); err != nil {
		return err
	}
	list, err := s.c.list(ctx)
	if err != nil {
		return err
	}
	return lists.Each(list, func(index string) error { return s.c.merge(ctx, index) })
}

// retained is the time for which a server keeps deleted documents in its segments when all copies of a
// shard have them: it notes every 30 s how far the copies are (Elasticsearch 9.5, OpenSearch 3.8).
const retained = 35 * time.Second

// Expunge is Optimize, and merges again after some time, since the first merge keeps what was deleted
// shortly before. Then the segments of the server contain no deleted document, unless a copy of a
// shard is missing: the server keeps for that copy up to 12 hours of deletions.
func (s *Store) Expunge(ctx context.Context) error {
	if err := s.Optimize(ctx); err != nil {
		return err
	}
	if pause.For(ctx, retained) != nil {
		return ctx.Err()
	}
	return s.Optimize(ctx)
}

// swept returns the generation from which on documents are being written.
func (s *Store) swept() int64 {
	to := s.gens.Load() + 1
	for first := range s.adding {
		to = min(to, first)
	}
	return to
}

const mergeOp = "merge index"

// merge merges each shard of an index into one segment, and waits for that. If the task fails for
// a reason that may pass, such as a lost master, it starts another one.
func (c *conn) merge(ctx context.Context, index string) error {
	tries := c.Attempts(mergeOp, 0)
	for {
		err, again := c.mergeOnce(ctx, index)
		if err == nil {
			return nil
		}
		if err := tries.Next(ctx, err, again); err != nil {
			return err
		}
	}
}

// mergeOnce merges an index by a task of the server, because a connection may not last that long. It
// reports whether another task may succeed.
func (c *conn) mergeOnce(ctx context.Context, index string) (err error, again bool) {
	var started struct {
		Task string `json:"task"`
	}
	one := esapi.IndicesForcemergeRequest{Index: []string{index}, MaxNumSegments: new(1)}
	background := one
	background.WaitForCompletion = new(false)
	err = c.Do(ctx, wire.Request{Op: mergeOp, Call: wire.Plain(background), Out: &started})
	if wire.Status(err) == http.StatusBadRequest { // an older server without that parameter
		return c.Do(ctx, wire.Request{Op: mergeOp, Call: wire.Plain(one), Timeout: -1}), false
	}
	if err != nil {
		return err, false
	}
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		done, err, again := c.merged(ctx, started.Task)
		if done || err != nil {
			return err, again
		}
		if pause.For(ctx, wait) != nil {
			return fmt.Errorf("%w: %w", phrase.Fixed(mergeOp), ctx.Err()), false
		}
	}
}

// merged reports whether a task has ended. If its node is gone, so is the task: the index
// works on other nodes, and only the merge is missing, which is no reason to fail. If it failed,
// merged reports whether another task may succeed.
func (c *conn) merged(ctx context.Context, task string) (done bool, err error, again bool) {
	var t struct {
		Completed bool            `json:"completed"`
		Error     json.RawMessage `json:"error"`
	}
	err = c.Do(ctx, wire.Request{Op: mergeOp, Call: wire.Plain(esapi.TasksGetRequest{TaskID: task}), Out: &t})
	if wire.Status(err) == http.StatusNotFound {
		return true, nil, false
	}
	if err == nil && t.Error != nil {
		err, again = c.Refused(mergeOp, http.StatusInternalServerError, t.Error)
	}
	return t.Completed, err, again
}

// Recreate implements [store.Store]. It makes an empty build beside the old one and moves
// all aliases in one request, so another process sees either build.
func (s *Store) Recreate(ctx context.Context, settings store.Settings) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil && s.damage == nil {
		return err
	}
	err := s.recreate(ctx, settings)
	if err != nil {
		s.aborted = err
	}
	return err
}

func (s *Store) recreate(ctx context.Context, settings store.Settings) error {
	if err := s.drop(ctx); err != nil {
		return err
	}
	next := s.names.after()
	h, at, err := s.prepare(ctx, next, settings)
	if err != nil {
		return err
	}
	return s.switchTo(ctx, next, h, at, func() {
		s.tx, s.sizes, s.waste, s.settings = h.Tx, map[int]bool{}, nil, settings
		s.broken, s.damage = nil, nil
	})
}

// switchTo replaces this build with the next one: it moves all aliases in one request and
// continues the lease with the head of the next build. It calls then before any read of
// that build, and deletes the old one. If that fails, the next writer deletes it.
func (s *Store) switchTo(ctx context.Context, next names, h head, at place, then func()) error {
	old, err := s.c.list(ctx)
	if err != nil {
		return err
	}
	if err := s.c.alias(ctx, swap(next, old)); err != nil {
		s.broken = err // the outcome is unknown
		return err
	}
	s.names = next
	then()
	s.lease.move(next, at, h)
	s.show(h)
	s.untidy = s.dropBuilds(ctx, old) != nil || s.untidy
	return nil
}

func swap(next names, list []string) (actions []object) {
	for _, name := range list {
		build, _ := buildOf(next.base, name)
		action := object{"index": name, "alias": strings.TrimSuffix(name, fmt.Sprint("-", build))}
		if build == next.build {
			actions = append(actions, object{"add": action})
			continue
		}
		action["must_exist"] = false
		actions = append(actions, object{"remove": action})
	}
	return actions
}

// prepare makes the empty indices of another build, without aliases for reading, with a
// head whose writer is this process.
func (s *Store) prepare(ctx context.Context, n names, settings store.Settings) (head, place, error) {
	h := s.lease.get()
	h.Epoch, h.Tx, h.Aborted, h.Purged, h.Sizes, h.Bases = s.tx, s.tx+1, nil, 0, nil, nil
	h.Progress, h.Bookmarks = "", nil
	h.Changed = time.Now().UTC().Truncate(time.Second)
	if err := s.c.drop(ctx, n.all(nil)); err != nil { // left by an attempt that failed
		return h, place{}, err
	}
	if err := s.c.create(ctx, n, documentsPart, making{settings: &settings, loading: h.Loading != nil, hidden: true}); err != nil {
		return h, place{}, err
	}
	if err := s.c.create(ctx, n, textsPart, making{loading: h.Loading != nil, hidden: true}); err != nil {
		return h, place{}, err
	}
	at, err := s.c.writeHead(ctx, n, place{}, h)
	return h, at, err
}

func (c *conn) alias(ctx context.Context, actions []object) error {
	return c.Do(ctx, wire.Request{
		Op: "swap indices", Body: marshal(object{"actions": actions}),
		Call: func(body io.Reader) esapi.Request { return esapi.IndicesUpdateAliasesRequest{Body: body} },
	})
}

// dropBuilds deletes the indices of other builds in list. It keeps them, for the next
// writer to delete, while this process reads from another build.
func (s *Store) dropBuilds(ctx context.Context, list []string) error {
	s.views.Lock()
	for v := range s.users {
		if v.names != s.names {
			s.views.Unlock()
			return nil
		}
	}
	s.views.Unlock()
	others := slices.DeleteFunc(slices.Clone(list), func(name string) bool {
		build, ok := buildOf(s.names.base, name)
		return !ok || build == s.names.build
	})
	return s.c.drop(ctx, others)
}

// existing returns the parts of this build in list, without the catalogue.
func (s *Store) existing(list []string) []string {
	var parts []string
	for _, name := range list {
		if build, _ := buildOf(s.names.base, name); build != s.names.build {
			continue
		}
		part := strings.TrimSuffix(name[len(s.names.base)+1:], fmt.Sprint("-", s.names.build))
		if part != documentsPart {
			parts = append(parts, part)
		}
	}
	return parts
}
