package esclient

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/esclient/wire/wiretest"
	"github.com/otisk/otisk/store"
)

// TestWholeAnswers: an answer of another program with status 200, such as a proxy under
// maintenance, is not taken for "nothing found" or "done".
func TestWholeAnswers(t *testing.T) {
	const stranger = `{"message":"we are back soon"}`
	for _, tt := range []struct {
		name, right string
		ask         func(ctx context.Context, c *conn) error
	}{
		{"search", `{"took":1,"hits":{"hits":[]}}`, func(ctx context.Context, c *conn) error {
			v := &view{c: c, names: leased, sizes: []int{7}}
			return v.Lookup(ctx, 7, []store.Hash{1}, store.Limits{}, func(store.Hit) error { return nil })
		}},
		{"head", `{"_seq_no":1,"_primary_term":1,"found":true,"_source":{"head":{}}}`, func(ctx context.Context, c *conn) error {
			_, _, err := c.readHead(ctx, leased)
			return err
		}},
		{"commit", `{"_seq_no":2,"_primary_term":1}`, func(ctx context.Context, c *conn) error {
			at, err := c.writeHead(ctx, leased, place{1, 1}, head{})
			if err == nil && at != (place{2, 1}) {
				t.Errorf("the head was written at %v, want what the server said", at)
			}
			return err
		}},
		{"refresh", `{"_shards":{"failed":0}}`, func(ctx context.Context, c *conn) error { return c.refresh(ctx, "x-documents-1") }},
		{"point in time", `{"id":"p"}`, func(ctx context.Context, c *conn) error {
			_, err := c.openPoint(ctx, "open index", "x-documents-1", nil)
			return err
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake(t, Config{}, func(number int, _ *http.Request) (int, string, error) {
					if number < 3 {
						return 200, stranger, nil
					}
					return 200, tt.right, nil
				})
				if err := tt.ask(t.Context(), f.conn); err != nil || f.Sent() != 3 {
					t.Errorf("after %d requests: %v, want what the third one was answered", f.Sent(), err)
				}
				f = newFake(t, Config{}, wiretest.Always(200, stranger))
				err := tt.ask(t.Context(), f.conn)
				if wire.KindOf(err) != wire.NotElasticsearch || !errors.Is(err, wire.ErrServer) || !strings.Contains(err.Error(), "without what Elasticsearch always sends") {
					t.Errorf("answered by somebody else: %v, want an error that says so", err)
				}
			})
		})
	}
}
