package esclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// A bulker sends items to the server in bulk requests, by a few workers.
//
// It does what esutil.BulkIndexer leaves to its user: it resends the items of a lost
// request and items that the server rejected for lack of room, and reports the outcome
// of each item on the ticket that came with it. Memory is bounded: put waits while too
// many bytes are queued or being sent.
//
// A free worker takes all items that are queued. So a single small document is sent at
// once, and many of them share a request.
type bulker struct {
	c       *conn
	ctx     context.Context // of the store, because a request has items of many callers
	check   func(context.Context) error
	limit   int // bytes queued or being sent
	workers sync.WaitGroup

	mu     sync.Mutex
	change *sync.Cond // waiting, taken or closed has changed
	queue  []item
	batch  int // bytes of a request
	bytes  int // of the items queued or being sent
	closed bool
}

type item struct {
	verb   string // create, update, delete
	index  string // the alias for writing
	body   []byte // its lines of the request
	ticket *ticket
}

const (
	bulkWorkers = 3
	bulkBatch   = 4 << 20
	leastBatch  = 32 << 10
)

// newBulker starts the workers. Before each request they call check, whose error fails
// the items.
func newBulker(ctx context.Context, c *conn, check func(context.Context) error) *bulker {
	b := &bulker{c: c, ctx: ctx, check: check, limit: int(c.cfg.Memory / 4)}
	b.batch = min(bulkBatch, b.limit/(bulkWorkers+1))
	b.change = sync.NewCond(&b.mu)
	for range bulkWorkers {
		b.workers.Go(b.work)
	}
	return b
}

// create adds a document. If its id exists, an earlier attempt succeeded: ids are never
// reused.
func (b *bulker) create(ctx context.Context, t *ticket, index, id string, source []byte) {
	body := fmt.Appendf(make([]byte, 0, len(source)+len(index)+64), `{"create":{"_index":%q,"_id":%q}}`+"\n", index, id)
	b.put(ctx, item{"create", index, append(append(body, source...), '\n'), t})
}

// update sets fields of the document of that id if its version is still at. If it is
// not, the item fails with status 409.
func (b *bulker) update(ctx context.Context, t *ticket, index, id string, at place, fields []byte) {
	b.put(ctx, item{"update", index, fmt.Appendf(nil,
		`{"update":{"_index":%q,"_id":%q,"if_seq_no":%d,"if_primary_term":%d}}`+"\n"+`{"doc":%s}`+"\n", index, id, at.SeqNo, at.Term, fields), t})
}

// delete removes the document of that id if it exists.
func (b *bulker) delete(ctx context.Context, t *ticket, index, id string) {
	b.put(ctx, item{"delete", index, fmt.Appendf(nil, `{"delete":{"_index":%q,"_id":%q}}`+"\n", index, id), t})
}

// put queues an item, unless its ticket has failed. It waits while the items before it exceed b.limit bytes.
func (b *bulker) put(ctx context.Context, i item) {
	stop := context.AfterFunc(ctx, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.change.Broadcast()
	})
	defer stop()
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.bytes > 0 && b.bytes+len(i.body) > b.limit && ctx.Err() == nil && !b.closed {
		b.change.Wait()
	}
	if i.ticket.fail(ctx.Err()); b.closed {
		i.ticket.fail(errors.New("write to index: the store is closed"))
	}
	if i.ticket.failed() != nil {
		return
	}
	i.ticket.open.Add(1)
	b.queue = append(b.queue, i)
	b.bytes += len(i.body)
	b.change.Broadcast()
}

// close returns when the workers have sent the queued items and ended.
func (b *bulker) close() {
	b.mu.Lock()
	b.closed = true
	b.change.Broadcast()
	b.mu.Unlock()
	b.workers.Wait()
}

func (b *bulker) work() {
	for {
		items := b.nextItems()
		if items == nil {
			return
		}
		b.deliver(items)
	}
}

// nextItems waits for items and returns as many as fit into a request; nil after close.
func (b *bulker) nextItems() []item {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.queue) == 0 && !b.closed {
		b.change.Wait()
	}
	count := fitting(b.queue, b.batch)
	if count == 0 {
		return nil
	}
	items := append([]item(nil), b.queue[:count]...)
	rest := copy(b.queue, b.queue[count:])
	clear(b.queue[rest:]) // frees their bodies
	b.queue = b.queue[:rest]
	return items
}

func (b *bulker) finish(i item, err error) {
	i.ticket.fail(err)
	b.mu.Lock()
	b.bytes -= len(i.body)
	b.change.Broadcast()
	b.mu.Unlock()
	i.ticket.open.Done()
}

// deliver sends items until each is accepted or finally rejected. It counts attempts
// from the last one after which an item was accepted.
func (b *bulker) deliver(items []item) {
	a := b.c.Attempts(writeOp, 0)
	for len(items) > 0 {
		before := len(items)
		var why error
		items, why = b.attempt(items)
		if len(items) == 0 {
			return
		}
		if len(items) < before {
			a.Progress()
		}
		if err := a.Next(b.ctx, why, true); err != nil {
			for _, i := range items {
				b.finish(i, err)
			}
			return
		}
	}
}

const writeOp = "write to index"

func (b *bulker) attempt(items []item) (again []item, why error) {
	var body bytes.Buffer
	live := items[:0:len(items)]
	for _, i := range items {
		if err := i.ticket.failed(); err != nil {
			b.finish(i, err) // the caller has given up
			continue
		}
		live = append(live, i)
		body.Write(i.body)
	}
	if len(live) == 0 {
		return nil, nil
	}
	result, err, retry := b.send(body.Bytes())
	switch {
	case err != nil && retry:
		return live, err
	case wire.Status(err) == http.StatusRequestEntityTooLarge && len(live) > 1:
		return b.split(live, b.shrink(body.Len()/2))
	case err != nil:
		for _, i := range live {
			b.finish(i, err)
		}
		return nil, nil
	case !result.covers(live):
		return live, &wire.Error{Kind: wire.Broken, Where: b.c.Where(), Op: writeOp, Reason: phrase.Error("cluster.not-every-item", "the answer does not cover every item")}
	}
	return b.account(live, result)
}

// send sends one request, and reports whether another attempt may succeed.
func (b *bulker) send(body []byte) (result bulkAnswer, err error, again bool) {
	if err := b.check(b.ctx); err != nil {
		return result, err, false
	}
	err, again = b.c.Try(b.ctx, wire.Request{
		Op: writeOp, Body: body, Out: &result,
		Call: func(body io.Reader) esapi.Request { return esapi.BulkRequest{Body: body, RequireAlias: new(true)} },
	})
	if e, ok := errors.AsType[*wire.Error](err); ok && e.Status == http.StatusRequestEntityTooLarge {
		e.Item = true // the server may accept a smaller request
	}
	return result, err, again
}

// shrink limits later requests to size bytes, because a proxy may accept less than the
// server does. It returns the limit for this one: size, or less if another worker has
// already found a lower limit.
func (b *bulker) shrink(size int) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	size = min(b.batch, size)
	b.batch = max(size, leastBatch)
	return size
}

// split sends items in requests of size bytes after one was too large. Each request
// also respects the lowest limit that any worker has found meanwhile.
func (b *bulker) split(items []item, size int) (again []item, why error) {
	for len(items) > 0 {
		count := fitting(items, min(size, b.room()))
		rest, err := b.attempt(slices.Clone(items[:count]))
		again, why = append(again, rest...), errors.Join(why, err)
		items = items[count:]
	}
	return again, why
}

func (b *bulker) room() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.batch
}

// fitting returns how many of items fit into a request of size bytes, but at least one.
func fitting(items []item, size int) (count int) {
	for count < len(items) && (count == 0 || size >= len(items[count].body)) {
		size -= len(items[count].body)
		count++
	}
	return count
}

type bulkAnswer struct {
	Items []map[string]itemAnswer `json:"items"`
}

type itemAnswer struct {
	Index  string          `json:"_index"`
	Status int             `json:"status"`
	Error  json.RawMessage `json:"error"`
}

func (r bulkAnswer) covers(items []item) bool {
	return !slices.ContainsFunc(r.Items, func(i map[string]itemAnswer) bool { return len(i) != 1 }) && len(r.Items) == len(items)
}

// account records the final outcomes, and returns the items to send again and the reason.
func (b *bulker) account(items []item, result bulkAnswer) (again []item, why error) {
	for n, i := range items {
		for _, r := range result.Items[n] {
			err, retry := b.verdict(i, r)
			if retry {
				again, why = append(again, i), err
				continue
			}
			b.finish(i, err)
		}
	}
	return again, why
}

func (b *bulker) verdict(i item, r itemAnswer) (err error, again bool) {
	if r.Status < 300 {
		if i.index != writesOf(r.Index) {
			err = phrase.Error("cluster.alias-moved", "{what}: the alias {alias} leads to {index}: {cause}", "what", phrase.Fixed(writeOp), "alias", i.index, "index", r.Index, "cause", store.ErrDamaged)
		}
		return err, false
	}
	refused, again := b.c.Refused(writeOp, r.Status, r.Error)
	if i.verb == "create" && r.Status == http.StatusConflict ||
		i.verb == "delete" && r.Status == http.StatusNotFound && !wire.HasCause(refused, wire.NoIndex) {
		return nil, false // an earlier attempt did it
	}
	refused.Item = true
	return orGone(refused, r.Index), again
}

// conflict reports whether err is a version conflict of an update.
func conflict(err error) bool { return wire.Status(err) == http.StatusConflict }
