package esclient

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// A head is the document of the catalogue that records the state of the index. It is only
// replaced as a whole, and only by a writer that has read the present version
// (if_seq_no), so a commit and a change of the writer are atomic.
//
// The entries that a transaction writes carry its number. A commit sets Epoch to that
// number. The number of a transaction that failed, or whose writer died, is added to
// Aborted and never used again, so nothing of it becomes visible later, not even by a
// request that was still on its way.
type head struct {
	Epoch     int64             `json:"epoch"`               // the last commit; 0 before the first
	Tx        int64             `json:"tx"`                  // number of the last transaction
	Aborted   []int64           `json:"aborted"`             // failed transactions up to Tx
	Purged    int64             `json:"purged"`              // versions that ended by this commit may have been deleted
	Sizes     []int             `json:"sizes"`               // lengths of n-grams that have an index
	Bases     []store.Base      `json:"bases,omitempty"`     // of relative names
	Progress  string            `json:"progress,omitempty"`  // of the indexer at the last commit
	Bookmarks map[string]string `json:"bookmarks,omitempty"` // of sources of documents, by name
	Changed   time.Time         `json:"changed,omitzero"`    // time of the last commit
	Sums      *sums             `json:"sums,omitempty"`      // of the last commit; nil before the first
	Session   int64             `json:"session"`             // number of the writer's session
	Clean     int64             `json:"clean"`               // below it, generations without an entry have been deleted

	Owner   string       `json:"owner"` // description of the writer, "" for none
	Home    string       `json:"home"`  // machine of the writer
	PID     int          `json:"pid"`   // of the writer there
	Expires time.Time    `json:"expires"`
	Loading *loadedState `json:"loading,omitempty"` // settings to restore after a bulk load
	Frozen  bool         `json:"frozen,omitempty"`  // the parts are write-protected while they are split

	Nonce string `json:"nonce"` // random, identifies this version of the head
}

const headID = "head"

// keptAborted is how many failed transactions a head lists. Entries of older ones were
// deleted many sessions ago.
const keptAborted = 100

func (h *head) abort(tx int64) {
	h.Aborted = append(slices.Clone(h.Aborted), tx)
	h.Aborted = h.Aborted[max(0, len(h.Aborted)-keptAborted):]
}

func (h *head) writer() error {
	if h.Owner == "" {
		return phrase.Error("cluster.another-writer", "another writer")
	}
	return errors.New(h.Owner)
}

// Sums are the totals of the catalogue as of a commit. The head has them so that opening
// the index need not compute them.
type sums struct {
	Epoch     int64            `json:"epoch"` // the commit that they are valid for
	Documents int64            `json:"documents"`
	Text      int64            `json:"text"`
	Kept      int64            `json:"kept"`
	Sizes     []store.SizeInfo `json:"sizes"`
	Pairs     store.PairInfo   `json:"pairs"`
	About     map[string]int64 `json:"about,omitempty"` // number of documents by value of the field about; nil if there are too many values
	Units     map[string]int64 `json:"units"`           // blocks and chunks of each part but the catalogue
	Below     int64            `json:"below,omitempty"` // the generations of Units are below it
	Gone      []int64          `json:"gone,omitempty"`  // generations below Below that Units do not count, unless there are too many
}

// A place is the version of a document that was read or written.
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

// readHead returns the last head that was written; it does not depend on a refresh.
func (c *conn) readHead(ctx context.Context, n names) (head, place, error) {
	return c.readHeadUnless(ctx, n, nil)
}

func (c *conn) readHeadUnless(ctx context.Context, n names, missing func(context.Context) error) (head, place, error) {
	index := n.documents()
	var a headAnswer
	err := c.Do(ctx, c.urgent(wire.Request{
		Op: "read head of index", Call: wire.Plain(esapi.GetRequest{Index: index, DocumentID: headID}), Out: &a, Missing: missing,
	}))
	if wire.HasCause(err, wire.NoIndex) {
		return head{}, place{}, phrase.Error("index.read", "read index {name}: {cause}", "name", index, "cause", store.ErrNoIndex)
	}
	if wire.Status(err) == http.StatusNotFound || err == nil && (!a.Found || a.Source.Head == nil) {
		return head{}, place{}, phrase.Error("cluster.no-head", "read index {name}: it has no head: {cause}", "name", index, "cause", store.ErrDamaged)
	}
	if err != nil {
		return head{}, place{}, err
	}
	return *a.Source.Head, a.place, nil
}

// urgent divides the timeout of a request for the head into shorter ones, in all as long,
// so that a lost answer does not cost the lease.
func (c *conn) urgent(r wire.Request) wire.Request {
	r.Timeout = min(c.cfg.Timeout, leaseTime/4)
	r.Slow = wire.SlowAttempts * int(max(1, c.cfg.Timeout/r.Timeout))
	return r
}

var errConflict error = phrase.Error("cluster.head-replaced", "another writer replaced the head of the index")

// writeHead replaces the head whose version is p, or creates it if p is zero. If the
// answer to a write was lost, writeHead recognizes the head by its nonce.
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
