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

	"github.com/otisk/otisk/store"
)

// A bulker sends items to the server, many in one request, by a few workers.
//
// It takes care of what esutil.BulkIndexer leaves to its user: the items of a
// request that was lost are sent again, and so is an item that the server
// refused for lack of room; every item is accounted for on the ticket it came
// with. Memory is bounded: put waits while too many bytes are under way.
//
// A worker that is free takes whatever has come together. So a lone small
// document is not held up, and many of them at once share a request.
type bulker struct {
	c       *conn
	ctx     context.Context // of the store: a request carries items of many callers
	check   func(context.Context) error
	limit   int // bytes waiting or under way
	workers sync.WaitGroup

	mu     sync.Mutex
	change *sync.Cond // waiting, taken or closed has changed
	queue  []item
	batch  int // bytes of a request
	bytes  int // of the items waiting or under way
	closed bool
}

// An item is one action of a bulk request.
type item struct {
	verb   string // create, update, delete
	index  string // the alias that it is written by
	body   []byte // the lines that are sent
	ticket *ticket
}

const (
	bulkWorkers = 3
	bulkBatch   = 4 << 20
	leastBatch  = 32 << 10
)

// newBulker starts the workers. check is called before each request.
func newBulker(ctx context.Context, c *conn, check func(context.Context) error) *bulker {
	b := &bulker{c: c, ctx: ctx, check: check, limit: int(c.cfg.Memory / 4)}
	b.batch = min(bulkBatch, b.limit/(bulkWorkers+1))
	b.change = sync.NewCond(&b.mu)
	for range bulkWorkers {
		b.workers.Go(b.work)
	}
	return b
}

// create adds a document. Where it is already, an earlier attempt put it there:
// ids are never used for two things.
func (b *bulker) create(ctx context.Context, t *ticket, index, id string, source []byte) error {
	body := fmt.Appendf(make([]byte, 0, len(source)+len(index)+64), `{"create":{"_index":%q,"_id":%q}}`+"\n", index, id)
	return b.put(ctx, item{"create", index, append(append(body, source...), '\n'), t})
}

// update changes fields of the document of that id if it is still at that
// place. A conflict is an error.
func (b *bulker) update(ctx context.Context, t *ticket, index, id string, at place, fields []byte) error {
	return b.put(ctx, item{"update", index, fmt.Appendf(nil,
		`{"update":{"_index":%q,"_id":%q,"if_seq_no":%d,"if_primary_term":%d}}`+"\n"+`{"doc":%s}`+"\n", index, id, at.SeqNo, at.Term, fields), t})
}

// delete removes the document of that id, if it is there.
func (b *bulker) delete(ctx context.Context, t *ticket, index, id string) error {
	return b.put(ctx, item{"delete", index, fmt.Appendf(nil, `{"delete":{"_index":%q,"_id":%q}}`+"\n", index, id), t})
}

// put queues an item. It waits while there is no room.
func (b *bulker) put(ctx context.Context, i item) error {
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
	if err := ctx.Err(); err != nil {
		return err
	}
	if b.closed {
		return errors.New("write to index: it is closed")
	}
	i.ticket.open.Add(1)
	b.queue = append(b.queue, i)
	b.bytes += len(i.body)
	b.change.Broadcast()
	return nil
}

// close lets the workers finish what is queued, and ends them.
func (b *bulker) close() {
	b.mu.Lock()
	b.closed = true
	b.change.Broadcast()
	b.mu.Unlock()
	b.workers.Wait()
}

func (b *bulker) work() {
	for {
		items := b.take()
		if items == nil {
			return
		}
		b.deliver(items)
	}
}

// take returns the next items, up to a request full of them; nil at the end.
func (b *bulker) take() []item {
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
	clear(b.queue[rest:]) // lets go of their bodies
	b.queue = b.queue[:rest]
	return items
}

// finish accounts for an item.
func (b *bulker) finish(i item, err error) {
	if err != nil {
		i.ticket.fail(err)
	}
	b.mu.Lock()
	b.bytes -= len(i.body)
	b.change.Broadcast()
	b.mu.Unlock()
	i.ticket.open.Done()
}

// deliver sends items until each is accepted or refused for good. Attempts are
// counted from the last one that got something accepted.
func (b *bulker) deliver(items []item) {
	a := b.c.attempts(writeOp)
	for len(items) > 0 {
		before := len(items)
		var why error
		items, why = b.attempt(items)
		if len(items) == 0 {
			return
		}
		if len(items) < before {
			a.progress()
		}
		if err := a.next(b.ctx, why, true); err != nil {
			for _, i := range items {
				b.finish(i, err)
			}
			return
		}
	}
}

const writeOp = "write to index"

// attempt sends items once, and returns those to be sent again, and why.
func (b *bulker) attempt(items []item) (again []item, why error) {
	var body bytes.Buffer
	live := items[:0:len(items)]
	for _, i := range items {
		if err := i.ticket.failed(); err != nil {
			b.finish(i, err) // its caller has given up
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
	case status(err) == http.StatusRequestEntityTooLarge && len(live) > 1:
		return b.split(live, b.shrink(body.Len()/2))
	case err != nil:
		for _, i := range live {
			b.finish(i, err)
		}
		return nil, nil
	case !result.covers(live):
		return live, &Error{Kind: Broken, Where: b.c.where, Op: writeOp, Reason: "the answer does not account for every item"}
	}
	return b.account(live, result)
}

// send sends one request, and says whether another attempt makes sense.
func (b *bulker) send(body []byte) (result bulkAnswer, err error, again bool) {
	if err := b.check(b.ctx); err != nil {
		return result, err, false
	}
	err, again = b.c.try(b.ctx, request{
		op: writeOp, body: body, out: &result,
		call: func(body io.Reader) esapi.Request { return esapi.BulkRequest{Body: body, RequireAlias: new(true)} },
	})
	var e *Error
	if errors.As(err, &e) && e.Status == http.StatusRequestEntityTooLarge {
		e.item = true // this request is too large, and another one may not be
	}
	return result, err, again
}

// shrink makes requests smaller from now on, since a proxy may allow for less
// than the server does. It returns how large a request may be in place of one
// that was too large: size, or less where another worker has learnt more.
func (b *bulker) shrink(size int) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	size = min(b.batch, size)
	b.batch = max(size, leastBatch)
	return size
}

// split sends items by requests of size bytes, where one was too large for the
// server. It is the workers together that learn what fits: each piece is as
// small as any of them knows it must be.
func (b *bulker) split(items []item, size int) (again []item, why error) {
	for len(items) > 0 {
		count := fitting(items, min(size, b.room()))
		rest, err := b.attempt(slices.Clone(items[:count]))
		again, why = append(again, rest...), errors.Join(why, err)
		items = items[count:]
	}
	return again, why
}

// room returns how many bytes a request has at most.
func (b *bulker) room() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.batch
}

// fitting returns how many of items a request of size bytes has room for, one
// at least.
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

// covers says whether there is an answer for each of items.
func (r bulkAnswer) covers(items []item) bool {
	for _, i := range r.Items {
		if len(i) != 1 {
			return false
		}
	}
	return len(r.Items) == len(items)
}

// account finishes the items that were answered for good.
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

// verdict returns the error of an item, and whether to send it again.
func (b *bulker) verdict(i item, r itemAnswer) (err error, again bool) {
	a := answer{status: r.Status}
	if len(r.Error) > 0 && json.Unmarshal(r.Error, &a.cause) != nil {
		a.text = string(r.Error)
	}
	switch {
	case r.Status < 300 && i.index != writesOf(r.Index):
		return fmt.Errorf("%s: the alias %s leads to %s: %w", writeOp, i.index, r.Index, store.ErrDamaged), false
	case r.Status < 300,
		i.verb == "create" && r.Status == http.StatusConflict,
		i.verb == "delete" && r.Status == http.StatusNotFound && !a.has(noIndex):
		return nil, false
	}
	err = &Error{Kind: a.kind(), Where: b.c.where, Op: writeOp, Status: a.status, Reason: a.reason(), said: a, item: true}
	return orGone(err, r.Index), a.again()
}

// conflict says whether err is that of an update that came too late.
func conflict(err error) bool { return status(err) == http.StatusConflict }
