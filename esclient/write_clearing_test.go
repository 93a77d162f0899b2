package esclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"github.com/otisk/otisk/esclient/wire/wiretest"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/store"
)

// A clerk is a server for commits, rollbacks and purges: it keeps a head, executes bulk
// requests, and answers searches with the hits of the test.
type clerk struct {
	head     headServer
	bulk     bulkServer
	searches []string                             // their bodies
	find     func(number int, body string) string // what the search of that number finds, from 1: hits, separated by commas
}

// answer implements [wiretest.Answer].
func (k *clerk) answer(number int, r *http.Request) (int, string, error) {
	switch path := r.URL.Path; {
	case strings.HasSuffix(path, "/_bulk"):
		return k.bulk.answer(number, r)
	case strings.HasSuffix(path, "/_refresh"):
		return 200, `{"_shards":{"failed":0}}`, nil
	case strings.HasSuffix(path, "/_search"):
		body, err := io.ReadAll(r.Body)
		k.searches = append(k.searches, string(body))
		hits := ""
		if k.find != nil {
			hits = k.find(len(k.searches), string(body))
		}
		return 200, `{"took":1,"hits":{"total":{"value":0},"hits":[` + hits + `]}}`, err
	}
	return k.head.answer(number, r)
}

// written returns a store that writes to the clerk.
func (k *clerk) written(t *testing.T) *Store {
	t.Helper()
	k.bulk.times = map[string]int{}
	f := newFake(t, Config{}, k.answer)
	s := &Store{
		c: f.conn, names: leased, pending: map[store.DocID]*change{}, sizes: map[int]bool{7: true}, adding: map[int64]bool{},
		users: map[*view]int{}, tx: k.head.head.Tx,
		lease: &lease{c: f.conn, names: leased, head: k.head.head, until: time.Now().Add(time.Hour)},
	}
	s.lease.at = place{k.head.seq, 1}
	s.bulk = newBulker(t.Context(), f.conn, func(context.Context) error { return nil })
	t.Cleanup(s.bulk.close)
	s.show(k.head.head)
	return s
}

// a version of a document with n-grams and a text of these generations.
func versionWith(path string, text string, gram, chunk int64) *version {
	v := &version{From: 1, Doc: store.Document{Path: path}, Text: &piece{Gen: chunk, Units: 1}}
	v.Doc.ID, v.Doc.TextSum = store.IDOf("", path), text
	if gram != 0 {
		v.setSize(piece{N: 7, Gen: gram, Units: 2, Grams: 300})
	}
	v.id = entryID(chunk)
	return v
}

// hit returns v as a hit of a search.
func (v *version) hit() string {
	return fmt.Sprintf(`{"_id":%q,"_seq_no":1,"_primary_term":1,"_source":%s}`, v.id, v.encode())
}

// wasted returns the generations that s is to delete.
func (s *Store) wasted() (gens []int64) {
	for _, l := range s.waste {
		gens = append(gens, l.Gen)
	}
	slices.Sort(gens)
	return gens
}

// TestPlanThrowsAway: if a document is added twice in a transaction, the parts of the first
// version that the second does not inherit are deleted.
func TestPlanThrowsAway(t *testing.T) {
	for _, tt := range []struct {
		name string
		next *version
		want []int64
		gens []int64 // of what is planned
	}{
		{"the same text and size", versionWith("/a", "1", 20, 21), []int64{10, 11}, []int64{20, 21}},
		{"the same text, without the size", versionWith("/a", "1", 0, 21), []int64{11}, []int64{10, 21}},
		{"another text", versionWith("/a", "2", 0, 21), []int64{10, 11}, []int64{21}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := new(clerk).written(t)
			s.plan(versionWith("/a", "1", 10, 11))
			s.plan(tt.next)
			if got := s.wasted(); !slices.Equal(got, tt.want) {
				t.Errorf("%v are thrown away, want %v", got, tt.want)
			}
			if got := s.pending[tt.next.Doc.ID].next.gens(); !slices.Equal(got, tt.gens) {
				t.Errorf("the document has %v, want %v", got, tt.gens)
			}
		})
	}
}

// TestAbortNotesItsNumber: the number of a transaction that failed after something of it
// was written is of no commit ever, and the next one has another.
func TestAbortNotesItsNumber(t *testing.T) {
	k := &clerk{head: headServer{head: head{Epoch: 4, Tx: 6, Aborted: []int64{5}}}}
	s := k.written(t)
	s.settled = true
	v := versionWith("/a", "1", 10, 11)
	v.From = 6
	k.find = func(number int, body string) string {
		if number == 1 && strings.Contains(body, `{"terms":{"from":[5,6]}}`) {
			return v.hit()
		}
		return ""
	}
	if err := s.abort(t.Context()); err != nil {
		t.Fatal(err)
	}
	if h := k.head.head; !slices.Equal(h.Aborted, []int64{5, 6}) || h.Tx != 7 || h.Epoch != 4 {
		t.Errorf("the head has %v aborted, %d as the next and %d as the last commit, want 5 and 6, 7, 4", h.Aborted, h.Tx, h.Epoch)
	}
	if s.tx != 7 || s.settled || !slices.Equal(s.now.aborted, []int64{5, 6}) {
		t.Errorf("the store goes on with %d, %v, and reads without %v", s.tx, s.settled, s.now.aborted)
	}
	if got := s.wasted(); !slices.Equal(got, []int64{10, 11}) || k.bulk.times[v.id] != 1 {
		t.Errorf("%v are thrown away, and the entry was deleted %d times, want 10 and 11 of it, once", got, k.bulk.times[v.id])
	}
	if len(k.searches) != 3 || !strings.Contains(k.searches[2], `{"terms":{"to":[5,6]}}`) || !strings.Contains(k.searches[2], `{"range":{"to":{"gt":4}}}`) {
		t.Errorf("searched for %q, want the entries that say until 5 or 6, or after 4, too", k.searches)
	}
}

// TestPurgeHeedsReaders: nothing is deleted that a reader of this process sees.
func TestPurgeHeedsReaders(t *testing.T) {
	k := &clerk{head: headServer{head: head{Epoch: 3, Tx: 10}}}
	s := k.written(t)
	_, release := s.use() // of commit 3
	k.head.head.Epoch = 9
	s.lease.head.Epoch = 9
	s.show(k.head.head)
	v := versionWith("/a", "1", 10, 11)
	v.To = 3
	one := func() func(int, string) string {
		left := true
		return func(_ int, body string) string {
			if strings.Contains(body, `{"range":{"to":`) && !strings.Contains(body, `"gens"`) && left {
				left = false
				return v.hit()
			}
			return ""
		}
	}
	for _, want := range []int64{3, 8} {
		k.find, k.searches = one(), nil
		if err := s.purge(t.Context(), 8); err != nil {
			t.Fatal(err)
		}
		if got := k.head.head.Purged; got != want {
			t.Errorf("the head says that versions gone by %d may be deleted, want %d", got, want)
		}
		for _, body := range k.searches {
			if condition := fmt.Sprintf(`{"range":{"to":{"lte":%d}}}`, want); !strings.Contains(body, condition) {
				t.Errorf("a search is %s, want one with %s", body, condition)
			}
		}
		release()
		release = func() {}
	}
	for _, id := range []string{blockID(10, 0), blockID(10, 1), blockID(11, 0), v.id} {
		if k.bulk.times[id] != 2 {
			t.Errorf("%s was deleted %d times, want once by each purge", id, k.bulk.times[id])
		}
	}
}

// TestEntryWithOtherParts: an entry whose list of generations is another one than that of
// its parts would be found by blocks that are not its own.
func TestEntryWithOtherParts(t *testing.T) {
	v := versionWith("/a", "1", 10, 11)
	for _, gens := range [][]int64{{10}, {11, 10}, {10, 12}, {10, 11, 12}, nil} {
		var e entrySource
		if err := json.Unmarshal(v.encode(), &e); err != nil {
			t.Fatal(err)
		}
		if _, err := e.version(); err != nil {
			t.Fatalf("the entry as it was written: %v", err)
		}
		e.Gens = gens
		if _, err := e.version(); !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), "entry of /a: gens do not match its parts") {
			t.Errorf("an entry with %v in the place of 10 and 11 = %v, want store.ErrDamaged", gens, err)
		}
	}
}

// TestPlanAfterDelete: a document that is added after it was deleted inherits nothing from
// the deleted version, even if it is added twice.
func TestPlanAfterDelete(t *testing.T) {
	s := new(clerk).written(t)
	v := versionWith("/a", "1", 10, 11)
	s.plan(v)
	if err := s.Delete(t.Context(), v.Doc.ID); err != nil {
		t.Fatal(err)
	}
	if got := s.wasted(); !slices.Equal(got, []int64{10, 11}) {
		t.Errorf("deleted, %v are thrown away, want 10 and 11", got)
	}
	for _, gen := range []int64{20, 30} {
		s.plan(versionWith("/a", "1", gen, gen+1))
		if c := s.pending[v.Doc.ID]; !c.fresh || c.next.gens()[0] != gen {
			t.Errorf("the change is %+v, want one that takes nothing over", c)
		}
	}
}

// TestAbortBeforeSettling: if no entries were written, the parts are deleted, and the number
// of the transaction is reused.
func TestAbortBeforeSettling(t *testing.T) {
	k := &clerk{head: headServer{head: head{Epoch: 4, Tx: 6}}}
	s := k.written(t)
	s.plan(versionWith("/a", "1", 10, 11))
	old := versionWith("/b", "1", 20, 21)
	next := versionWith("/b", "1", 0, 31)
	next.inherit(old)
	s.pending[next.Doc.ID] = &change{next: next, old: old, resolved: true}
	s.bases = new([]store.Base)
	if err := s.abort(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := s.wasted(); !slices.Equal(got, []int64{10, 11, 31}) {
		t.Errorf("%v are thrown away, want 10, 11 and 31, but not 20, which the old version has", got)
	}
	if len(s.pending) != 0 || s.bases != nil || s.tx != 6 || k.head.writes != 0 {
		t.Errorf("%d changes and the bases %v are left, the number is %d after %d writes of the head", len(s.pending), s.bases, s.tx, k.head.writes)
	}
}

// TestCounts: fewer blocks than the head records are damage, more are not, and those of
// replaced versions are not counted.
func TestCounts(t *testing.T) {
	for _, tt := range []struct {
		name                     string
		documents, grams, former int
		want                     string
	}{
		{"all", 2, 5, 0, ""},
		{"all, and what was replaced", 2, 8, 3, ""},
		{"more", 2, 6, 0, ""},
		{"a block less", 2, 4, 0, "x-7gram-1 has 4 blocks, the head of the index records 5"},
		{"a block less, with what was replaced", 2, 7, 3, "x-7gram-1 has 4 blocks"},
		{"an entry less", 1, 5, 0, "catalogue of index x has 1 documents, its head records 2"},
		{"an entry more", 3, 5, 0, "catalogue of index x has 3 documents, its head records 2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := head{Epoch: 3, Sizes: []int{7}, Sums: &sums{Epoch: 3, Documents: 2, Units: map[string]int64{"7gram": 5}, Below: 40, Gone: []int64{7}}}
			f := newFake(t, Config{}, wiretest.Always(200, fmt.Sprintf(`{"took":1,"aggregations":{"kinds":{"buckets":{
				"documents":{"doc_count":%d},"7gram":{"doc_count":%d},"7gram gone":{"doc_count":%d}}}}}`, tt.documents, tt.grams, tt.former)))
			v := new(view)
			v.set(f.conn, leased, store.Settings{}, h)
			p := newPoints(f.conn, leased, h)
			p.counts = v.counts()
			short, failed, _ := p.count(t.Context(), "open index", "p")
			if failed != nil || (short == nil) != (tt.want == "") || short != nil && (!errors.Is(short, store.ErrDamaged) || !strings.Contains(short.Error(), tt.want)) {
				t.Errorf("count = %v, %v, want %q", short, failed, tt.want)
			}
			if query := string(marshal(p.counts.of)); !strings.Contains(query, `{"range":{"gen":{"lt":40}}}`) || !strings.Contains(query, `{"terms":{"gen":[7]}}`) {
				t.Errorf("counted is %s, want generations below 40, and those of 7", query)
			}
		})
	}
}

// TestShortChunk: of a text with a chunk that has less than it should, no piece is made.
func TestShortChunk(t *testing.T) {
	w := &wanted{
		version: &version{Doc: store.Document{Path: "/a"}, Text: &piece{Gen: 1, Units: 2, Bytes: 8}},
		pieces:  []store.Piece{{From: 2, To: 7}}, bounds: []int64{0, 4, 8}, chunks: map[int]string{0: "abcd", 1: "efgh"},
	}
	if got, err := w.cut(); err != nil || !slices.Equal(got, []string{"cdefg"}) {
		t.Errorf("cut = %q, %v, want cdefg", got, err)
	}
	w.chunks[1] = "ef"
	if got, err := w.cut(); !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), "chunk 1 has 2 bytes, want 3") {
		t.Errorf("cut without an end = %q, %v, want store.ErrDamaged", got, err)
	}
}

// TestSettle: the entry of a version that is replaced in its own transaction is deleted, with
// the parts that the new one does not inherit; that of an older version is ended.
func TestSettle(t *testing.T) {
	for _, tt := range []struct {
		name  string
		from  int64 // of the version there is
		text  string
		fresh bool
		gens  []int64 // of the new one
		waste []int64
	}{
		{"same text", 2, "1", false, []int64{10, 21}, nil},
		{"same text, deleted between", 2, "1", true, []int64{21}, nil},
		{"another text", 2, "2", false, []int64{21}, nil},
		{"same text, of this transaction", 6, "1", false, []int64{10, 21}, []int64{11}},
		{"another text, of this transaction", 6, "2", false, []int64{21}, []int64{10, 11}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := &clerk{head: headServer{head: head{Epoch: 4, Tx: 6}}}
			s := k.written(t)
			old, next := versionWith("/a", "1", 10, 11), versionWith("/a", tt.text, 0, 21)
			old.From = tt.from
			k.find = func(int, string) string { return old.hit() }
			s.pending[next.Doc.ID] = &change{next: next, fresh: tt.fresh}
			if err := s.settle(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := next.gens(); !slices.Equal(got, tt.gens) || next.From != 6 {
				t.Errorf("the new version has %v, from %d, want %v from 6", got, next.From, tt.gens)
			}
			if got := s.wasted(); !slices.Equal(got, tt.waste) {
				t.Errorf("%v are thrown away, want %v", got, tt.waste)
			}
			if k.bulk.times[old.id] != 1 || k.bulk.times[next.id] != 1 || len(s.pending) != 0 || !s.settled {
				t.Errorf("written %v, with %d changes left", k.bulk.times, len(s.pending))
			}
		})
	}
}
