package esclient

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/otisk/otisk/store"
)

// TestDividedLookup: a look-up that takes too long is not repeated whole: an eighth of it is asked for
// next. One that is too large for a proxy is asked for in halves.
func TestDividedLookup(t *testing.T) {
	for _, tt := range []struct {
		status int
		err    error
		want   string
	}{
		{0, context.DeadlineExceeded, "[4000 500 500 500 500 500 500 500 500]"},
		{http.StatusRequestEntityTooLarge, nil, "[4000 2000 1000 1000 2000 1000 1000]"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var asked []int
			f := newFake(t, Config{}, func(_ int, r *http.Request) (int, string, error) {
				body, err := io.ReadAll(r.Body)
				if err != nil {
					return 0, "", err
				}
				count := strings.Count(string(body), `"!!!!`)
				asked = append(asked, count)
				if count > 1000 {
					return tt.status, "<html>", tt.err
				}
				return 200, `{"took":1,"hits":{"hits":[]}}`, nil
			})
			v := &view{sizes: []int{7}}
			v.c, v.names = f.conn, names{"x", 1}
			hashes := make([]store.Hash, 4000)
			for i := range hashes {
				hashes[i] = store.Hash(i)
			}
			if err := v.Lookup(t.Context(), 7, hashes, store.Limits{}, func(store.Hit) error { return nil }); err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(asked); got != tt.want {
				t.Errorf("the server was asked for %s hashes, want %s", got, tt.want)
			}
		})
	}
}
