package esclient_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/esclient"
)

// TestExamine: a template that applies, a block and the disks of a server are found, and without a right, what could not be read is.
func TestExamine(t *testing.T) {
	t.Parallel()
	host := server(t)
	cfg := config(t, host)
	x, err := esclient.Examine(t.Context(), cfg)
	if err != nil || !strings.HasPrefix(x.Server, "Elasticsearch ") || x.Health == "" || x.Templates != "" || len(x.Blocks) > 0 || len(x.Disks) == 0 || x.Disks[0].Marks == "" || len(x.Missing) > 0 || !x.Unlisted || len(x.Unknown) > 0 {
		t.Errorf("before the index is made: %+v, %v", x, err)
	}
	s := create(t, cfg)
	commit(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	name := template(t, cfg, "_index_template", `{}`)
	call(t, host, "PUT", "/"+cfg.Index+"-documents*/_settings", `{"index.blocks.write": true}`)
	x, err = esclient.Examine(t.Context(), cfg)
	if err != nil || x.Templates != name || len(x.Blocks) != 1 || !strings.HasPrefix(x.Blocks[0], cfg.Index+"-documents") || !strings.HasSuffix(x.Blocks[0], ": index.blocks.write") {
		t.Errorf("with a template and a block: %+v, %v", x, err)
	}
}

// TestExaminePrivileges: the privileges that a user lacks are those that Elasticsearch denies, and where it refuses requests, what was
// not read is said.
func TestExaminePrivileges(t *testing.T) {
	t.Parallel()
	to, err := url.Parse(server(t))
	if err != nil {
		t.Fatal(err)
	}
	forward := httputil.NewSingleHostReverseProxy(to)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Elastic-Product", "Elasticsearch")
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.HasSuffix(r.URL.Path, "/_has_privileges"):
			asked, err := io.ReadAll(r.Body)
			if err != nil || !strings.Contains(string(asked), `"names":["theses-*"]`) {
				t.Errorf("asked for privileges: %s, %v", asked, err)
			}
			_, _ = io.WriteString(w, `{"has_all_requested": false, "cluster": {"monitor": false}, "index": {"theses-*": {"read": true, "view_index_metadata": true, "write": true, "manage": false}}}`)
		case strings.HasPrefix(r.URL.Path, "/_cat/"):
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `{"error": {"type": "security_exception", "reason": "action [cluster:monitor/stats] is unauthorized"}, "status": 403}`)
		default:
			forward.ServeHTTP(w, r)
		}
	}))
	defer proxy.Close()
	cfg := config(t, to.String())
	cfg.Hosts, cfg.Index = []string{proxy.URL}, "theses"
	x, err := esclient.Examine(t.Context(), cfg)
	if err != nil || !slices.Equal(x.Missing, []string{"monitor (cluster)", "manage"}) || x.Unlisted || len(x.Disks) > 0 || len(x.Unknown) != 1 || !strings.Contains(x.Unknown[0].Error(), "read disks") {
		t.Errorf("with few rights: %+v, %v", x, err)
	}
}
