package esclient_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/esclient/wire/wiretest"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/storetest"
)

// The privileges of the roles in docs/ELASTICSEARCH.md. "monitor on the cluster" is the one on
// the cluster, all others are on indices.
const onCluster = " on the cluster"

var (
	readerRole = []string{"monitor" + onCluster, "read", "view_index_metadata", "monitor"}
	writerRole = []string{"monitor" + onCluster, "read", "view_index_metadata", "write", "manage"}
)

// actionOf returns the action that a request needs, and the privileges that grant it, by the
// documentation of Elasticsearch.
func actionOf(r *http.Request) (action string, grants []string) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	last := parts[len(parts)-1]
	is := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(parts, n) })
	}
	reading := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case last == "":
		return "cluster:monitor/main", []string{"monitor" + onCluster}
	case is("_tasks"):
		return "cluster:monitor/task/get", []string{"monitor" + onCluster}
	case is("_cluster", "_nodes"):
		return "cluster:monitor/" + strings.TrimPrefix(last, "_"), []string{"monitor" + onCluster}
	case is("_index_template", "_template"):
		return "indices:admin/index_template/get", []string{"monitor" + onCluster}
	case is("_search", "_msearch", "_pit", "point_in_time"), is("_doc") && reading:
		return "indices:data/read/search", []string{"read"}
	case is("_bulk", "_doc", "_create"):
		return "indices:data/write/bulk", []string{"write"}
	case is("_settings") && reading:
		return "indices:monitor/settings/get", []string{"view_index_metadata", "monitor", "manage"}
	case is("_stats"):
		return "indices:monitor/stats", []string{"monitor", "manage"}
	case reading:
		return "indices:admin/get", []string{"view_index_metadata", "manage"}
	}
	return "indices:admin/" + strings.TrimPrefix(last, "_"), []string{"manage"}
}

// asRole returns the address of a proxy that refuses what a role does not grant, as Elasticsearch does.
func asRole(t *testing.T, host string, role []string) string {
	t.Helper()
	target, err := url.Parse(host)
	if err != nil {
		t.Fatal(err)
	}
	pass := httputil.NewSingleHostReverseProxy(target)
	s := wiretest.Quiet(httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		action, grants := actionOf(r)
		if slices.ContainsFunc(grants, func(p string) bool { return slices.Contains(role, p) }) {
			pass.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Elastic-Product", "Elasticsearch")
		w.WriteHeader(http.StatusForbidden)
		reason := fmt.Sprintf("action [%s] is unauthorized for user [otisk] with effective roles [some], this action is granted by the privileges [%s,all]", action, strings.Join(grants, ","))
		fmt.Fprintf(w, `{"error":{"root_cause":[{"type":"security_exception","reason":%q}],"type":"security_exception","reason":%q},"status":403}`, reason, reason)
	})))
	s.Start()
	t.Cleanup(s.Close)
	return s.URL
}

// readAll reads an index in each way that a search, info and verify do.
func readAll(ctx context.Context, cfg esclient.Config) error {
	r, err := esclient.Open(ctx, cfg)
	if err != nil {
		return err
	}
	info, err := r.Info(ctx)
	if err == nil {
		err = r.Measure(ctx, &info)
	}
	if err == nil {
		_, err = store.TextOf(ctx, r, store.IDOf("", "/a"))
	}
	if err == nil {
		err = r.Verify(ctx, func(error) {})
	}
	return errors.Join(err, r.Close())
}

// writeAll makes an index, adds and deletes documents, merges it and empties it.
func writeAll(ctx context.Context, cfg esclient.Config) error {
	s, err := esclient.Create(ctx, cfg, storetest.Settings())
	if err != nil {
		return err
	}
	for _, path := range []string{"/a", "/b"} {
		err = errors.Join(err, s.Add(ctx, storetest.Doc(path, "text"), "text", []store.Grams{storetest.Grams(7, 1, 2)}, nil))
	}
	for _, do := range []func() error{
		func() error { return s.Commit(ctx) },
		func() error { return s.Delete(ctx, store.IDOf("", "/b")) },
		func() error { return s.Commit(ctx) },
		func() error { return s.Optimize(ctx) },
		func() error { return s.Recreate(ctx, storetest.Settings()) },
	} {
		if err == nil {
			err = do()
		}
	}
	return errors.Join(err, s.Close())
}

// TestRoles: the roles of the documentation suffice, and without one of their privileges, an
// operation fails with an error that names it. optional are those that none of the operations
// needs.
func TestRoles(t *testing.T) {
	t.Parallel()
	host := server(t)
	filled := config(t, host)
	s := create(t, filled)
	add(t, s, "/a", "the text", 1, 2)
	commit(t, s)
	for _, tt := range []struct {
		name     string
		role     []string
		do       func(context.Context, esclient.Config) error
		optional []string
	}{
		{"reader", readerRole, readAll, []string{"monitor" + onCluster}},
		{"writer", writerRole, writeAll, []string{"view_index_metadata"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			use := func(role []string) error {
				cfg := filled
				if tt.name == "writer" {
					cfg = config(t, host)
				}
				cfg.Hosts, cfg.Retries = []string{asRole(t, host, role)}, -1
				return tt.do(t.Context(), cfg)
			}
			if err := use(tt.role); err != nil {
				t.Fatalf("with %q: %v", tt.role, err)
			}
			for i, lacking := range tt.role {
				err := use(slices.Delete(slices.Clone(tt.role), i, i+1))
				if slices.Contains(tt.optional, lacking) {
					if err != nil {
						t.Errorf("without %q: %v, want no error", lacking, err)
					}
					continue
				}
				var e *wire.Error
				if !errors.As(err, &e) {
					t.Errorf("without %q: %v, want an error of the server", lacking, err)
					continue
				}
				name, cluster := e.Privilege()
				if cluster {
					name += onCluster
				}
				if name != lacking {
					t.Errorf("without %q: %v names %q", lacking, err, name)
				}
			}
		})
	}
}
