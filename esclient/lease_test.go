package esclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/store"
)

// A headServer keeps the head of an index, and replaces it as a server does.
type headServer struct {
	mu     sync.Mutex
	seq    int64
	head   head
	reads  int
	writes int
	lose   int         // number of next writes whose responses are lost
	refuse bool        // what comes before the answer is refused, too
	onRead func(*head) // before each reading
}

// answer implements [wiretest.Answer].
func (s *headServer) answer(_ int, r *http.Request) (int, string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Method == http.MethodGet {
		s.reads++
		if s.onRead != nil {
			s.onRead(&s.head)
		}
		return 200, fmt.Sprintf(`{"_seq_no":%d,"_primary_term":1,"found":true,"_source":{"head":%s}}`, s.seq, marshal(s.head)), nil
	}
	s.writes++
	if s.refuse {
		return 403, `{"error":{"type":"security_exception","reason":"not now"},"status":403}`, nil
	}
	if r.URL.Query().Get("if_seq_no") != fmt.Sprint(s.seq) {
		return 409, conflicts, nil
	}
	body, err := io.ReadAll(r.Body)
	var doc struct {
		Head head `json:"head"`
	}
	if err := errors.Join(err, json.Unmarshal(body, &doc)); err != nil {
		return 0, "", err
	}
	s.seq, s.head = s.seq+1, doc.Head
	if s.lose > 0 {
		s.lose--
		return 0, "", io.ErrUnexpectedEOF
	}
	return 200, fmt.Sprintf(`{"_seq_no":%d,"_primary_term":1}`, s.seq), nil
}

// change replaces the head as another writer does.
func (s *headServer) change(fn func(*head)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fn(&s.head)
	s.seq++
}

var leased = names{"x", 1}

// acquire takes the lease of the index that s keeps.
func (s *headServer) acquire(t *testing.T) (*lease, head, error) {
	return newFake(t, Config{}, s.answer).acquire(t.Context(), leased, nil)
}

// TestLease: the head names the writer until the lease is released.
func TestLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &headServer{head: head{Epoch: 6, Tx: 4, Aborted: []int64{7, 8}, Session: 1 << 30}}
		l, before, err := s.acquire(t)
		if err != nil {
			t.Fatal(err)
		}
		if before.Session != 1<<30 || before.Owner != "" {
			t.Errorf("the head was %+v before, want that of nobody", before)
		}
		h := s.head
		if h.Session != 1<<30+1 || h.PID != os.Getpid() || h.Owner != owner() || h.Home != home() || !h.Expires.Equal(time.Now().Add(time.Minute)) {
			t.Errorf("the head is %+v, want that of this process for a minute", h)
		}
		if h.Tx != 9 || !slices.Equal(h.Aborted, []int64{7, 8}) {
			t.Errorf("the next transaction is %d, aborted are %v, want 9, after the last commit and what failed, and 7 and 8", h.Tx, h.Aborted)
		}
		if err := l.release(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		if h = s.head; h.Owner != "" || h.Home != "" || h.PID != 0 || h.Clean != (1<<30+2)<<genBits {
			t.Errorf("given back, the head is %+v, want it of nobody and clean", h)
		}
	})
}

// TestLeaseOfWhoLeftSomething: the name stays, and the next writer begins at once,
// with another transaction.
func TestLeaseOfWhoLeftSomething(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &headServer{}
		l, _, err := s.acquire(t)
		if err != nil {
			t.Fatal(err)
		}
		first := s.head
		if err := l.release(t.Context(), false); err != nil || s.head.Owner == "" || s.head.PID != 0 || s.head.Clean != first.Clean {
			t.Errorf("release = %v with %+v, want a head that says who left something", err, s.head)
		}
		begin := time.Now()
		l, before, err := s.acquire(t)
		if err != nil || before.Owner == "" || time.Since(begin) > 0 {
			t.Fatalf("the next acquire = %v after %v, with the owner before %q", err, time.Since(begin), before.Owner)
		}
		if h := s.head; !slices.Equal(h.Aborted, []int64{first.Tx}) || h.Tx != first.Tx+1 || h.Session != first.Session+1 {
			t.Errorf("the head is %+v after %+v, want its transaction aborted and the next one", h, first)
		}
		if err := l.release(t.Context(), true); err != nil {
			t.Error(err)
		}
	})
}

// TestLeaseIsHeld: another writer is refused until the lease has expired, and
// then only waits whether its owner is silent.
func TestLeaseIsHeld(t *testing.T) {
	for _, tt := range []struct {
		name    string
		expires time.Duration
		beats   bool
		want    string // "" for the lease
		waits   time.Duration
	}{
		{"held", time.Second, false, "a machine far away has the lease, until", 0},
		{"expiring now", 0, false, "", 15 * time.Second},
		{"expired and silent", -time.Second, false, "", 15 * time.Second},
		{"held by a clock that is fast", time.Hour, true, "a machine far away has the lease", time.Minute},
		{"silent by a clock that is fast", time.Hour, false, "", time.Minute},
		{"expired by our clock alone", -time.Second, true, "a machine far away has the lease", 15 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &headServer{head: head{Tx: 3, Owner: "a machine far away", Home: "there", PID: 1, Expires: time.Now().Add(tt.expires)}}
				if tt.beats {
					s.onRead = func(*head) { s.seq++ }
				}
				begin := time.Now()
				l, _, err := s.acquire(t)
				if waited := time.Since(begin); waited != tt.waits {
					t.Errorf("it took %v, want %v", waited, tt.waits)
				}
				if tt.want == "" {
					if err != nil || !slices.Equal(s.head.Aborted, []int64{3}) {
						t.Fatalf("acquire = %v, aborted %v, want the lease and 3", err, s.head.Aborted)
					}
					if err := l.release(t.Context(), true); err != nil {
						t.Error(err)
					}
					return
				}
				if !errors.Is(err, store.ErrLocked) || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("acquire = %v, want store.ErrLocked with %q", err, tt.want)
				}
			})
		})
	}
}

// TestLeaseIsKept: it is renewed every ten seconds, and nothing is asked before
// a write meanwhile.
func TestLeaseIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &headServer{}
		l, _, err := s.acquire(t)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(65 * time.Second)
		synctest.Wait()
		if s.writes != 7 || !s.head.Expires.Equal(time.Now().Add(55*time.Second)) {
			t.Errorf("after 65 s the head was written %d times and the lease is until %v, want 7 and in 55 s", s.writes, time.Until(s.head.Expires))
		}
		if err := l.check(t.Context()); err != nil || s.writes != 7 {
			t.Errorf("check = %v after %d writes, want nothing asked", err, s.writes)
		}
		if err := l.release(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		if err := l.check(t.Context()); err != nil || s.writes != 8 {
			t.Errorf("check right after the last write = %v after %d writes, want nothing asked", err, s.writes)
		}
		time.Sleep(time.Minute)
		if err := l.check(t.Context()); err != nil || s.writes != 9 {
			t.Errorf("check after a silence = %v after %d writes, want the lease renewed", err, s.writes)
		}
	})
}

// TestLeaseIsLost: a writer that finds another session in the head writes nothing more.
func TestLeaseIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &headServer{}
		l, _, err := s.acquire(t)
		if err != nil {
			t.Fatal(err)
		}
		s.change(func(h *head) { h.Session, h.Owner = h.Session+1, "somebody faster" })
		taken := s.head
		for range 2 {
			err = l.change(t.Context(), func(h *head) { h.Epoch = 99 })
			if !errors.Is(err, store.ErrLocked) || !strings.Contains(err.Error(), "somebody faster has taken the lease") {
				t.Errorf("change = %v, want store.ErrLocked with who has it", err)
			}
		}
		if _, err := l.current(t.Context()); !errors.Is(err, store.ErrLocked) {
			t.Errorf("current = %v, want store.ErrLocked", err)
		}
		if err := l.check(t.Context()); !errors.Is(err, store.ErrLocked) {
			t.Errorf("check = %v, want store.ErrLocked", err)
		}
		if err := l.release(t.Context(), true); err != nil {
			t.Errorf("release of what is lost = %v, want nothing done", err)
		}
		if string(marshal(s.head)) != string(marshal(taken)) {
			t.Errorf("the head is %+v, want that of the other writer", s.head)
		}
	})
}

// TestLostAnswers: a write whose answer is lost was done, and is done once.
func TestLostAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &headServer{}
		l, _, err := s.acquire(t)
		if err != nil {
			t.Fatal(err)
		}
		s.lose = 1
		if err := l.change(t.Context(), func(h *head) { h.Epoch++ }); err != nil {
			t.Errorf("change = %v, want it recognised as done", err)
		}
		if got := l.get().Epoch; got != 1 || s.head.Epoch != 1 {
			t.Errorf("the epoch is %d, and %d in the index, want 1", got, s.head.Epoch)
		}
		s.refuse = true
		if err := l.change(t.Context(), func(h *head) { h.Epoch++ }); err == nil {
			t.Error("change that was refused = nil, want an error")
		}
		s.refuse = false
		reads := s.reads
		if h, err := l.current(t.Context()); err != nil || h.Epoch != 1 || s.reads != reads+1 {
			t.Errorf("current = epoch %d, %v after %d readings, want 1 as the index is asked", h.Epoch, err, s.reads-reads)
		}
		if h, err := l.current(t.Context()); err != nil || h.Epoch != 1 || s.reads != reads+1 {
			t.Errorf("current again = epoch %d, %v after %d readings, want it known", h.Epoch, err, s.reads-reads)
		}
		// A write that comes late makes the next one of ours a conflict, and that is no reason to fail.
		s.change(func(h *head) { h.Purged = 5 })
		if err := l.change(t.Context(), func(h *head) { h.Epoch++ }); err != nil || s.head.Epoch != 2 || s.head.Purged != 5 {
			t.Errorf("change after a late write = %v, epoch %d, purged %d, want 2 and 5", err, s.head.Epoch, s.head.Purged)
		}
		if err := l.release(t.Context(), true); err != nil {
			t.Error(err)
		}
	})
}

// TestLeaseMoves: after another build took the place of this one, the head of
// that one is written.
func TestLeaseMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var paths []string
		s := &headServer{}
		f := newFake(t, Config{}, func(number int, r *http.Request) (int, string, error) {
			paths = append(paths, r.URL.Path)
			return s.answer(number, r)
		})
		l, _, err := f.acquire(t.Context(), leased, nil)
		if err != nil {
			t.Fatal(err)
		}
		h := l.get()
		h.Epoch, s.seq = 41, 900
		l.move(names{"x", 2}, place{900, 1}, h)
		if err := l.change(t.Context(), func(h *head) { h.Epoch++ }); err != nil || s.head.Epoch != 42 {
			t.Errorf("change = %v, epoch %d, want 42", err, s.head.Epoch)
		}
		if last := paths[len(paths)-1]; last != "/x-documents-2-writes/_doc/head" {
			t.Errorf("the head was written to %s, want the next build", last)
		}
		if err := l.release(t.Context(), true); err != nil {
			t.Error(err)
		}
	})
}

// TestFasterWriter: of two that find the index free one is refused.
func TestFasterWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &headServer{}
		f := newFake(t, Config{}, func(number int, r *http.Request) (int, string, error) {
			if r.Method != http.MethodGet && s.writes == 0 {
				s.change(func(h *head) { h.Session = 77 }) // between our reading and our writing
			}
			return s.answer(number, r)
		})
		_, _, err := f.acquire(t.Context(), leased, nil)
		if !errors.Is(err, store.ErrLocked) || !strings.Contains(err.Error(), "another writer was faster") || s.head.Session != 77 {
			t.Errorf("acquire = %v with session %d, want store.ErrLocked and the session of the other, 77", err, s.head.Session)
		}
	})
}

// TestLostAnswerOfTheHead loses the answer to the release of the lease. The request is
// repeated within the timeout of Close.
func TestLostAnswerOfTheHead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, Config{}, func(number int, r *http.Request) (int, string, error) {
			if number < 3 {
				<-r.Context().Done()
				return 0, "", r.Context().Err()
			}
			return 201, `{"_seq_no":2,"_primary_term":1}`, nil
		})
		l := &lease{c: f.conn, names: names{"x", 1}, at: place{1, 1}, stop: make(chan struct{})}
		ctx, cancel := context.WithTimeout(t.Context(), leaseTime)
		defer cancel()
		if err := l.release(ctx, true); err != nil || f.Sent() != 3 {
			t.Errorf("release = %v after %d requests, want none after 3", err, f.Sent())
		}
	})
	for _, tt := range []struct {
		timeout time.Duration
		times   int
		took    time.Duration
	}{{0, 12, 3 * time.Minute}, {5 * time.Second, 3, 15 * time.Second}, {2 * time.Minute, 24, 6 * time.Minute}} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(t, Config{Config: wire.Config{Timeout: tt.timeout}}.writing(), func(_ int, r *http.Request) (int, string, error) {
				<-r.Context().Done()
				return 0, "", r.Context().Err()
			})
			begin := time.Now()
			_, err := f.writeHead(t.Context(), names{"x", 1}, place{1, 1}, head{})
			pauses := time.Duration(tt.times) * 10 * time.Second
			if took := time.Since(begin); wire.KindOf(err) != wire.TimedOut || f.Sent() != tt.times || took < tt.took || took > tt.took+pauses {
				t.Errorf("with a time-out of %v: %v after %d requests in %v, want %d in %v and pauses", tt.timeout, err, f.Sent(), took, tt.times, tt.took)
			}
		})
	}
}
