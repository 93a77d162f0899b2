package esclient

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/esclient/wire/wiretest"
	"github.com/otisk/otisk/store"
)

// A bulkServer answers bulk requests, item by item.
type bulkServer struct {
	mu    sync.Mutex
	sent  [][]string                                  // ids of each request
	item  func(id string, time int) string            // the answer for an item, "" for done; time counts from 1
	whole func(number int, body []byte) (int, string) // answer to a whole request; status 0 for none
	times map[string]int
}

const (
	busy      = `{"status":429,"error":{"type":"es_rejected_execution_exception","reason":"queue is full"}}`
	done      = `{"status":201}`
	conflicts = `{"status":409,"error":{"type":"version_conflict_engine_exception","reason":"it is there"}}`
)

func (s *bulkServer) answer(number int, r *http.Request) (int, string, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return 0, "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids, answers []string
	for line := range bytes.Lines(body) {
		var action map[string]struct {
			ID    string `json:"_id"`
			Index string `json:"_index"`
		}
		if json.Unmarshal(line, &action) != nil {
			continue
		}
		for verb, a := range action {
			if a.ID == "" {
				continue // a source
			}
			ids = append(ids, a.ID)
			s.times[a.ID]++
			said := ""
			if s.item != nil {
				said = s.item(a.ID, s.times[a.ID])
			}
			answers = append(answers, fmt.Sprintf(`{%q:%s}`, verb, strings.Replace(cmp.Or(said, done), "{", fmt.Sprintf(`{"_index":%q,`, strings.TrimSuffix(cmp.Or(a.Index, "x-7gram-1"), "-writes")), 1)))
		}
	}
	s.sent = append(s.sent, ids)
	if s.whole != nil {
		if status, text := s.whole(number, body); status > 0 {
			return status, text, nil
		}
	}
	return 200, `{"items":[` + strings.Join(answers, ",") + `]}`, nil
}

// withBulker runs a test in a bubble of synctest.
func withBulker(t *testing.T, cfg Config, s *bulkServer, do func(t *testing.T, b *bulker, f *fake)) {
	t.Helper()
	s.times = map[string]int{}
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, cfg, s.answer)
		b := newBulker(t.Context(), f.conn, func(context.Context) error { return nil })
		do(t, b, f)
		b.close()
		if b.bytes != 0 {
			t.Errorf("%d bytes are still under way after the end", b.bytes)
		}
	})
}

func put(t *testing.T, b *bulker, ticket *ticket, verb, id string) {
	t.Helper()
	switch verb {
	case "create":
		b.create(t.Context(), ticket, "x-7gram-1-writes", id, []byte(`{"a":1}`))
	case "update":
		b.update(t.Context(), ticket, "x-7gram-1-writes", id, place{1, 1}, []byte(`{"a":1}`))
	case "delete":
		b.delete(t.Context(), ticket, "x-7gram-1-writes", id)
	}
}

// TestItems compares the outcomes of items with the server's answers.
func TestItems(t *testing.T) {
	refused := func(status int, kind string) string {
		return fmt.Sprintf(`{"status":%d,"error":{"type":%q,"reason":"so it is"}}`, status, kind)
	}
	for _, tt := range []struct {
		verb, said string
		want       error // nil: it is done
		not        error // what it must not be
		text       string
		times      int
	}{
		{"create", done, nil, nil, "", 1},
		{"create", `{"status":200}`, nil, nil, "", 1},
		{"create", conflicts, nil, nil, "", 1},
		{"update", conflicts, wire.ErrServer, nil, "409 Conflict it is there", 1},
		{"delete", `{"status":404,"result":"not_found"}`, nil, nil, "", 1},
		{"delete", refused(404, wire.NoIndex), store.ErrDamaged, store.ErrRefused, "x-7gram-1, a part of the index, is gone", 1},
		{"update", `{"status":404,"error":{"type":"document_missing_exception","reason":"none"}}`, wire.ErrServer, store.ErrDamaged, "404", 1},
		{"create", refused(404, wire.NoIndex), store.ErrDamaged, store.ErrRefused, "is gone", 1},
		{"create", refused(400, "document_parsing_exception"), store.ErrRefused, nil, "400 Bad Request so it is", 1},
		{"create", refused(403, "security_exception"), wire.ErrServer, store.ErrRefused, "403", 1},
		{"create", refused(403, "cluster_block_exception"), store.ErrReadOnly, store.ErrRefused, "403", 1},
		{"create", `{"status":201,"_index":"zoo"}`, store.ErrDamaged, store.ErrRefused, "the alias x-7gram-1-writes leads to zoo", 1},
		{"create", busy, store.ErrRefused, nil, "(4 attempts in ", 4},
		{"create", refused(503, "unavailable_shards_exception"), wire.ErrServer, store.ErrRefused, "(4 attempts in ", 4},
		{"create", `{"status":500,"error":"a plain text"}`, wire.ErrServer, store.ErrRefused, "a plain text", 1},
	} {
		t.Run(tt.verb+" "+tt.said, func(t *testing.T) {
			s := &bulkServer{item: func(id string, _ int) string {
				if id == "this" {
					return tt.said
				}
				return ""
			}}
			withBulker(t, Config{Config: wire.Config{Retries: 3}}, s, func(t *testing.T, b *bulker, _ *fake) {
				this, other := new(ticket), new(ticket)
				put(t, b, this, tt.verb, "this")
				put(t, b, other, "create", "other")
				err := this.wait(t.Context())
				if !errors.Is(err, tt.want) || tt.not != nil && errors.Is(err, tt.not) || !strings.Contains(fmt.Sprint(err), tt.text) {
					t.Errorf("error is %v, want %v and not %v, with %q", err, tt.want, tt.not, tt.text)
				}
				if conflict(err) != (tt.verb == "update" && tt.said == conflicts) {
					t.Errorf("conflict(%v) = %v", err, conflict(err))
				}
				if err := other.wait(t.Context()); err != nil {
					t.Errorf("another item: %v, want it done", err)
				}
				if s.times["this"] != tt.times || s.times["other"] != 1 {
					t.Errorf("it was sent %d times and the other one %d times, want %d and 1", s.times["this"], s.times["other"], tt.times)
				}
			})
		})
	}
}

// TestAttemptsOfItems shows that a request has all its attempts again whenever
// some of its items are accepted, and not otherwise.
func TestAttemptsOfItems(t *testing.T) {
	s := &bulkServer{item: func(id string, time int) string {
		if time < 3*int(id[0]-'0') {
			return busy
		}
		return ""
	}}
	withBulker(t, Config{Config: wire.Config{Retries: 3}}, s, func(t *testing.T, b *bulker, _ *fake) {
		ticket := new(ticket)
		b.mu.Lock() // so that one request has all of them
		for id := range 5 {
			i := item{"create", "x-7gram-1-writes", fmt.Appendf(nil, "{\"create\":{\"_index\":\"x-7gram-1-writes\",\"_id\":\"%d\"}}\n{\"a\":1}\n", id), ticket}
			ticket.open.Add(1)
			b.queue, b.bytes = append(b.queue, i), b.bytes+len(i.body)
		}
		b.change.Broadcast()
		b.mu.Unlock()
		if err := ticket.wait(t.Context()); err != nil {
			t.Errorf("items of which one is accepted at every third attempt: %v, want all done", err)
		}
		if got := s.times["4"]; got != 12 {
			t.Errorf("the last one was sent %d times, want 12", got)
		}
	})
}

// TestWholeRequests compares the outcomes of the items of a request that fails as a whole.
func TestWholeRequests(t *testing.T) {
	for _, tt := range []struct {
		name   string
		whole  func(number int, body []byte) (int, string)
		times  int
		kind   wire.Kind
		refuse bool
	}{
		{"busy once", func(n int, _ []byte) (int, string) { return 429 * b2i(n == 1), wiretest.Unavailable }, 2, "", false},
		{"gone for good", func(int, []byte) (int, string) { return 503, wiretest.Unavailable }, 4, wire.Red, false},
		{"busy for good", func(int, []byte) (int, string) { return 429, busy }, 4, wire.Overloaded, false},
		{"forbidden", func(int, []byte) (int, string) { return 403, `{"error":{"type":"security_exception"}}` }, 1, wire.Forbidden, false},
		{"too few answers once", func(n int, _ []byte) (int, string) { return 200 * b2i(n == 1), `{"items":[]}` }, 2, "", false},
		{"no answer that fits", func(int, []byte) (int, string) { return 200, `{"items":[{},{}]}` }, 4, wire.Broken, false},
		{"too large whatever it is", func(int, []byte) (int, string) { return 413, "<html>" }, 1, wire.Refused, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &bulkServer{whole: tt.whole}
			withBulker(t, Config{Config: wire.Config{Retries: 3}}, s, func(t *testing.T, b *bulker, _ *fake) {
				ticket := new(ticket)
				put(t, b, ticket, "create", "a")
				err := ticket.wait(t.Context())
				if wire.KindOf(err) != tt.kind || errors.Is(err, store.ErrRefused) != tt.refuse {
					t.Errorf("error is %v of kind %q, want %q", err, wire.KindOf(err), tt.kind)
				}
				if got := s.times["a"]; got != tt.times {
					t.Errorf("it was sent %d times, want %d", got, tt.times)
				}
			})
		})
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestTooLarge makes requests smaller until they fit, and remembers what fits:
// each worker runs into the limit once for each halving, and not once for each
// request.
func TestTooLarge(t *testing.T) {
	const limit = 200_000
	tooLarge := 0
	s := &bulkServer{whole: func(_ int, body []byte) (int, string) {
		if len(body) > limit {
			tooLarge++
			return 413, "<html>"
		}
		return 0, ""
	}}
	withBulker(t, Config{}, s, func(t *testing.T, b *bulker, _ *fake) {
		source := []byte(`{"a":"` + strings.Repeat("x", 10_000) + `"}`)
		ticket := new(ticket)
		for i := range 2000 {
			b.create(t.Context(), ticket, "x-7gram-1-writes", fmt.Sprint("id", i), source)
		}
		if err := ticket.wait(t.Context()); err != nil {
			t.Error(err)
		}
		if b.batch > limit || b.batch < limit/4 {
			t.Errorf("requests have %d bytes now, want them near the limit of %d", b.batch, limit)
		}
		if tooLarge == 0 || tooLarge > 5*bulkWorkers {
			t.Errorf("%d requests were too large, want some and at most %d", tooLarge, 5*bulkWorkers)
		}
		for i := range 2000 {
			if s.times[fmt.Sprint("id", i)] == 0 {
				t.Fatalf("item %d was never sent", i)
			}
		}
		b.shrink(1)
		if b.batch != leastBatch {
			t.Errorf("requests shrink to %d bytes, want %d at least", b.batch, leastBatch)
		}
		b.shrink(limit)
		if b.batch != leastBatch {
			t.Errorf("requests grow to %d bytes", b.batch)
		}
	})
}

// TestGivenUpTicket shows that nothing more is sent for a caller who has given
// up, and that the others do not notice.
func TestGivenUpTicket(t *testing.T) {
	s := &bulkServer{item: func(id string, time int) string {
		if time == 1 {
			return busy
		}
		return ""
	}}
	withBulker(t, Config{}, s, func(t *testing.T, b *bulker, f *fake) {
		lost, other := new(ticket), new(ticket)
		put(t, b, lost, "create", "lost")
		put(t, b, other, "create", "other")
		synctest.Wait()
		stopped := errors.New("stopped")
		lost.fail(stopped)
		lost.fail(errors.New("later"))
		if err := lost.wait(t.Context()); !errors.Is(err, stopped) {
			t.Errorf("the ticket has %v, want the first error", err)
		}
		if err := other.wait(t.Context()); err != nil {
			t.Error(err)
		}
		if got := fmt.Sprint(s.times["lost"], s.times["other"]); got != "1 2" {
			t.Errorf("sent %s times, want 1 and 2", got)
		}
	})
}

// TestRoom lets items wait while too many bytes are under way, until there is
// room, the caller gives up, or the bulker is closed.
func TestRoom(t *testing.T) {
	s := &bulkServer{}
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		s.times = map[string]int{}
		f := newFake(t, Config{}, func(n int, r *http.Request) (int, string, error) {
			<-hold
			return s.answer(n, r)
		})
		b := newBulker(t.Context(), f.conn, func(context.Context) error { return nil })
		b.limit, b.batch = 1000, 500
		source := []byte(strings.Repeat("x", 300))
		create := func(ctx context.Context, id string) error {
			one := new(ticket)
			b.create(ctx, one, "x-7gram-1-writes", id, source)
			return one.failed()
		}
		ticket := new(ticket)
		for i := range 2 {
			b.create(t.Context(), ticket, "x-7gram-1-writes", fmt.Sprint(i), source)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		begin := time.Now()
		err := create(ctx, "2")
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != time.Minute {
			t.Errorf("put without room = %v after %v, want it to wait until the end of the context", err, time.Since(begin))
		}
		waiting := make(chan error)
		go func() { waiting <- create(t.Context(), "3") }()
		synctest.Wait()
		select {
		case err := <-waiting:
			t.Errorf("put without room = %v, want it to wait", err)
		default:
		}
		close(hold)
		if err := <-waiting; err != nil {
			t.Errorf("put with room again = %v", err)
		}
		if err := ticket.wait(t.Context()); err != nil {
			t.Error(err)
		}
		b.close()
		if err := create(t.Context(), "4"); err == nil || !strings.Contains(err.Error(), "closed") {
			t.Errorf("put after the end = %v, want an error", err)
		}
		if got := fmt.Sprint(slices.Sorted(slices.Values(slices.Concat(s.sent...)))); got != "[0 1 3]" {
			t.Errorf("sent %s, want 0, 1 and 3", got)
		}
	})
}

// TestLostLeaseStopsBulk shows that nothing is sent without the right to write.
func TestLostLeaseStopsBulk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, Config{}, wiretest.Always(200, "{}"))
		b := newBulker(t.Context(), f.conn, func(context.Context) error { return store.ErrLocked })
		ticket := new(ticket)
		put(t, b, ticket, "create", "a")
		if err := ticket.wait(t.Context()); !errors.Is(err, store.ErrLocked) || f.Sent() > 0 {
			t.Errorf("error is %v after %d requests, want store.ErrLocked and none", err, f.Sent())
		}
		b.close()
	})
}
