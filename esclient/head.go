package esclient

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/store"
)

// A head is the document of the catalogue that says in which state the index is. It
// is only ever replaced as a whole, and only by who has seen the last one, so
// each change of it is atomic: a commit, and the change of writers.
//
// A transaction has a number, which the entries written in it carry. To commit
// is to set Epoch to that number. A transaction that failed, or whose writer
// died, leaves its number in Aborted and never to be used again, so that
// nothing of it can appear later, not even by a request that was on its way.
type head struct {
	Epoch     int64             `json:"epoch"`               // the last commit; 0 before the first
	Tx        int64             `json:"tx"`                  // the last number that was given to a transaction
	Aborted   []int64           `json:"aborted"`             // transactions up to Tx that failed
	Purged    int64             `json:"purged"`              // versions gone by this commit may have been deleted
	Sizes     []int             `json:"sizes"`               // lengths of n-grams that there are
	Bases     []store.Base      `json:"bases,omitempty"`     // that names are relative to
	Progress  string            `json:"progress,omitempty"`  // of an indexer, as of the last commit
	Bookmarks map[string]string `json:"bookmarks,omitempty"` // how far sources of documents are in the index, by name
	Changed   time.Time         `json:"changed,omitzero"`    // time of the last commit
	Sums      *sums             `json:"sums,omitempty"`      // of the last commit; nil before the first
	Session   int64             `json:"session"`             // counts the writers that there were
	Clean     int64             `json:"clean"`               // older generations that no entry has are deleted

	Owner   string       `json:"owner"` // the writer, "" for none
	Home    string       `json:"home"`  // machine of the owner
	PID     int          `json:"pid"`   // of the owner, there
	Expires time.Time    `json:"expires"`
	Loading *loadedState `json:"loading,omitempty"` // what to restore after a bulk load
	Frozen  bool         `json:"frozen,omitempty"`  // the parts cannot be written to, because they are being split

	Nonce string `json:"nonce"` // distinguishes this writing of the head from others
}

const headID = "head"

// keptAborted is how many failed transactions a head remembers. What is older
// was cleaned up many sessions ago.
const keptAborted = 100

func (h *head) abort(tx int64) {
	h.Aborted = append(slices.Clone(h.Aborted), tx)
	h.Aborted = h.Aborted[max(0, len(h.Aborted)-keptAborted):]
}

// writer names the owner for messages.
func (h *head) writer() string {
	if h.Owner == "" {
		return "another writer"
	}
	return h.Owner
}

// Sums are what the catalogue adds up to as of a commit. Who opens the index
// would have to ask for them else.
type sums struct {
	Epoch     int64            `json:"epoch"` // the commit: of another one they say nothing
	Documents int64            `json:"documents"`
	Text      int64            `json:"text"`
	Kept      int64            `json:"kept"`
	Sizes     []store.SizeInfo `json:"sizes"`
	Pairs     store.PairInfo   `json:"pairs"`
	About     map[string]int64 `json:"about,omitempty"` // each of what these have there, with its number of documents; nil where that is much
	Units     map[string]int64 `json:"units"`           // blocks and chunks of each part but the catalogue
	Below     int64            `json:"below,omitempty"` // they have generations below that
	Gone      []int64          `json:"gone,omitempty"`  // of those below that are there and not counted, as far as these are few
}

// A place is the version of the head that was read or written.
type place struct {
	SeqNo int64 `json:"_seq_no"`
	Term  int64 `json:"_primary_term"`
}

func (p *place) Whole() bool { return p.Term > 0 }

type headAnswer struct {
	place
	Found  bool `json:"found"`
	Source struct {
		Head *head `json:"head"`
	} `json:"_source"`
}

// readHead returns the head of the documents index. The server answers this
// from the last write, not from the last refresh.
func (c *conn) readHead(ctx context.Context, n names) (head, place, error) {
	return c.readHeadUnless(ctx, n, nil)
}

// readHeadUnless reads the head, unless missing says why it cannot be read.
func (c *conn) readHeadUnless(ctx context.Context, n names, missing func(context.Context) error) (head, place, error) {
	index := n.documents()
	var a headAnswer
	err := c.Do(ctx, c.urgent(wire.Request{
		Op: "read head of index", Call: wire.Plain(esapi.GetRequest{Index: index, DocumentID: headID}), Out: &a, Missing: missing,
	}))
	if wire.Said(err, wire.NoIndex) {
		return head{}, place{}, fmt.Errorf("read index %s: %w", index, store.ErrNoIndex)
	}
	if wire.Status(err) == http.StatusNotFound || err == nil && (!a.Found || a.Source.Head == nil) {
		return head{}, place{}, fmt.Errorf("read index %s: it has no head: %w", index, store.ErrDamaged)
	}
	if err != nil {
		return head{}, place{}, err
	}
	return *a.Source.Head, a.place, nil
}

// urgent returns a request for the head with as much patience as others have, but
// more attempts: one whose answer is lost must not take until the lease ends.
func (c *conn) urgent(r wire.Request) wire.Request {
	r.Timeout = min(c.cfg.Timeout, leaseTime/4)
	r.Slow = wire.SlowAttempts * int(max(1, c.cfg.Timeout/r.Timeout))
	return r
}

// errConflict means that the head was changed by somebody else.
var errConflict = errors.New("somebody else changed the head of the index")

// writeHead replaces the head that is at p. A write whose answer was lost is
// recognised by its nonce.
func (c *conn) writeHead(ctx context.Context, n names, p place, h head) (place, error) {
	h.Nonce = rand.Text()
	put := esapi.IndexRequest{Index: n.writes(documentsPart), DocumentID: headID, RequireAlias: new(true)}
	if p.Term == 0 {
		put.OpType = "create"
	} else {
		put.IfSeqNo, put.IfPrimaryTerm = new(int(p.SeqNo)), new(int(p.Term))
	}
	var a place
	err := c.Do(ctx, c.urgent(wire.Request{
		Op: "write head of index", Body: marshal(map[string]any{"head": h}), Out: &a,
		Call: func(body io.Reader) esapi.Request { put := put; put.Body = body; return put },
	}))
	if wire.Status(err) != http.StatusConflict {
		return a, orGone(err, n.documents())
	}
	now, at, err := c.readHead(ctx, n)
	if err != nil {
		return place{}, err
	}
	if now.Nonce != h.Nonce {
		return place{}, errConflict
	}
	return at, nil
}
