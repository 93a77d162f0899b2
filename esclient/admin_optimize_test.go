package esclient

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/esclient/wire"
)

// TestMergeAgain: a merge whose task fails because the cluster has no master is started again; one that
// fails otherwise is not.
func TestMergeAgain(t *testing.T) {
	for _, tt := range []struct {
		name, failure string
		started       int
	}{
		{"no master", `{"type":"cluster_block_exception","reason":"blocked by: [SERVICE_UNAVAILABLE/2/no master];"}`, 2},
		{"another reason", `{"type":"illegal_argument_exception","reason":"no"}`, 1},
	} {
		started := 0
		f := newFake(t, Config{Config: wire.Config{Pause: time.Millisecond}}, func(_ int, r *http.Request) (int, string, error) {
			switch {
			case strings.HasSuffix(r.URL.Path, "/_forcemerge"):
				started++
				return 200, `{"task":"node:1"}`, nil
			case started == 1:
				return 200, `{"completed":true,"error":` + tt.failure + `}`, nil
			}
			return 200, `{"completed":true}`, nil
		})
		err := f.conn.merge(t.Context(), "x")
		if started != tt.started || (err == nil) != (tt.started == 2) || err != nil && !errors.Is(err, wire.ErrServer) {
			t.Errorf("%s: %d merges, %v, want %d", tt.name, started, err, tt.started)
		}
	}
}
