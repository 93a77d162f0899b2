package esclient_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/internal/testing/esnode"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/storetest"
)

// template puts a template for the indices of cfg, and deletes it when the test ends. kind is
// _index_template, or _template for the older kind.
func template(t *testing.T, cfg esclient.Config, kind, body string) (name string) {
	t.Helper()
	host := cfg.Hosts[0]
	name = cfg.Index + "-logs"
	patterns := fmt.Sprintf(`"index_patterns": ["%s-*"]`, cfg.Index)
	whole := fmt.Sprintf(`{%s, "priority": 500, "template": %s}`, patterns, body)
	if kind == "_template" {
		whole = fmt.Sprintf(`{%s, %s`, patterns, strings.TrimPrefix(body, "{"))
	}
	call(t, host, "PUT", "/"+kind+"/"+name, whole)
	t.Cleanup(func() { call(t, host, "DELETE", "/"+kind+"/"+name, "") })
	return name
}

// TestTemplates makes indices in a cluster with templates that would change them.
func TestTemplates(t *testing.T) {
	t.Parallel()
	host := server(t)
	for name, tt := range map[string]struct{ kind, body, changed string }{
		"final pipeline":      {"_index_template", `{"settings": {"index.final_pipeline": "absent"}}`, "absent"},
		"default pipeline":    {"_template", `{"settings": {"index.default_pipeline": "absent"}}`, "absent"},
		"no source":           {"_index_template", `{"mappings": {"_source": {"enabled": false}}}`, `"enabled":false`},
		"max result window":   {"_index_template", `{"settings": {"index.max_result_window": 107}}`, `"107"`},
		"max terms count":     {"_template", `{"settings": {"index.max_terms_count": 107}}`, `"107"`},
		"asynchronous writes": {"_index_template", `{"settings": {"index.translog.durability": "async"}}`, "async"},
		"hidden":              {"_index_template", `{"settings": {"index.hidden": true}}`, `"index.hidden":"true"`},
		"block on writes":     {"_index_template", `{"settings": {"index.blocks.write": true}}`, `"index.blocks.write":"true"`},
		"read-only":           {"_template", `{"settings": {"index.blocks.read_only": true}}`, `"index.blocks.read_only":"true"`},
		"hidden metadata":     {"_index_template", `{"settings": {"index.blocks.metadata": true}}`, `"index.blocks.metadata":"true"`},
		"few fields":          {"_index_template", `{"settings": {"index.max_docvalue_fields_search": 1}}`, `search":"1"`},
		"unmapped fields":     {"_index_template", `{"settings": {"index.query.parse.allow_unmapped_fields": false}}`, `unmapped_fields":"false"`},
		"order":               {"_index_template", `{"settings": {"index.sort.field": "gen", "index.sort.order": "desc"}, "mappings": {"properties": {"gen": {"type": "long"}}}}`, "absent"},
		"fields of its own":   {"_index_template", `{"mappings": {"dynamic": "strict", "numeric_detection": true, "dynamic_templates": [{"s": {"mapping": {"type": "long"}}}], "properties": {"doc": {"type": "date"}}}}`, "absent"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := config(t, host)
			name, applied := template(t, cfg, tt.kind, tt.body), ""
			cfg.Templates = func(names string) { applied = names }
			s := create(t, cfg)
			if applied != name {
				t.Errorf("templates that apply: %q, want %q", applied, name)
			}
			add(t, s, "/a", "the text", 1, 2)
			commit(t, s)
			if got := storetest.Lookup(t, open(t, cfg), 7, store.Limits{}, 1, 2); len(got) != 2 {
				t.Errorf("Lookup of two n-grams = %q", got)
			}
			if text, err := store.TextOf(t.Context(), s, store.IDOf("", "/a")); text != "the text" || err != nil {
				t.Errorf("Text() = %q, %v, want that of the document", text, err)
			}
			if got := call(t, host, "GET", "/"+cfg.Index+"-*?flat_settings&expand_wildcards=all", ""); strings.Contains(got, tt.changed) {
				t.Errorf("the template has changed an index to %s: %s", tt.changed, got)
			}
		})
	}
}

// TestRefusedTemplates has templates that no request can override: the index is not made, the error
// names the template, and nothing is left.
func TestRefusedTemplates(t *testing.T) {
	t.Parallel()
	host := server(t)
	for name, tt := range map[string]struct{ kind, body, want string }{
		"routing":        {"_index_template", `{"mappings": {"_routing": {"required": true}}}`, "_routing"},
		"part of source": {"_template", `{"mappings": {"_source": {"excludes": ["h", "z"]}}}`, "_source.excludes: [h z]"},
		"few fields":     {"_index_template", `{"settings": {"index.mapping.total_fields.limit": 1}}`, "Limit of total fields"},
		"data stream":    {"_index_template", `{"settings": {}}, "data_stream": {}`, "data streams only"},
		"short ids":      {"_template", `{"mappings": {"properties": {"doc": {"type": "keyword", "ignore_above": 5}}}}`, "properties.doc.ignore_above: 5"},
		"unsorted":       {"_template", `{"mappings": {"properties": {"gen": {"type": "long", "doc_values": false}}}}`, "properties.gen.doc_values: false"},
		"runtime field":  {"_index_template", `{"mappings": {"runtime": {"gen": {"type": "keyword"}}}}`, "runtime.gen"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := config(t, host)
			template := template(t, cfg, tt.kind, tt.body)
			_, err := esclient.Create(t.Context(), cfg, storetest.Settings())
			if !errors.Is(err, esclient.ErrTemplate) || !strings.Contains(err.Error(), template) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Create() = %v, want an error wrapping ErrTemplate that names %s and %s", err, template, tt.want)
			}
			if left := call(t, host, "GET", "/_cat/indices/"+cfg.Index+"-*?h=index&expand_wildcards=all", ""); left != "" {
				t.Errorf("indices are left: %s", left)
			}
		})
	}
}

// TestRemoveUnfinished removes what a stopped attempt to make an index left, and no index.
func TestRemoveUnfinished(t *testing.T) {
	t.Parallel()
	host := server(t)
	cfg := filled(t, host)
	if list, err := esclient.RemoveUnfinished(t.Context(), cfg); !errors.Is(err, store.ErrNoIndex) || len(list) > 0 {
		t.Errorf("RemoveUnfinished of an index = %q, %v, want an error wrapping ErrNoIndex", list, err)
	}
	name := cfg.Index + "-documents-1"
	if _, err := esnode.Call("POST", host+"/_aliases", fmt.Sprintf(`{"actions": [{"remove": {"index": %q, "alias": %q}}]}`, name, cfg.Index+"-documents")); err != nil {
		t.Fatal(err)
	}
	call(t, host, "DELETE", "/"+cfg.Index+"-7gram-1", "")
	list, err := esclient.RemoveUnfinished(t.Context(), cfg)
	if want := fmt.Sprint([]string{name, cfg.Index + "-texts-1"}); err != nil || fmt.Sprint(list) != want {
		t.Errorf("RemoveUnfinished = %q, %v, want %s", list, err, want)
	}
	if left := call(t, host, "GET", "/_cat/indices/"+cfg.Index+"-*?h=index", ""); left != "" {
		t.Errorf("indices are left: %s", left)
	}
}

// TestRefusedLater: a template that changes the part for n-grams, which the first document makes, is named.
func TestRefusedLater(t *testing.T) {
	t.Parallel()
	cfg := config(t, server(t))
	name := template(t, cfg, "_template", `{"mappings": {"properties": {"h": {"type": "text", "search_analyzer": "keyword"}}}}`)
	s := create(t, cfg)
	err := s.Add(t.Context(), storetest.Doc("/a", "the text"), "the text", []store.Grams{storetest.Grams(7, 1)}, nil)
	if !errors.Is(err, esclient.ErrTemplate) || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "properties.h.search_analyzer: keyword") {
		t.Errorf("Add() = %v, want an error wrapping ErrTemplate that names %s and the parameter", err, name)
	}
}

// TestPolicy: an index that a policy would close, rename or delete is not made. The test's servers lack policies, so
// a proxy adds the setting.
func TestPolicy(t *testing.T) {
	t.Parallel()
	host := server(t)
	cfg := config(t, host)
	with := fault{"policy", func(p *proxy, w http.ResponseWriter, r *http.Request, body []byte) {
		_, answer := p.forward(r, body)
		w.Header().Set("X-Elastic-Product", "Elasticsearch")
		_, _ = w.Write(bytes.Replace(answer, []byte(`"index.uuid"`), []byte(`"index.lifecycle.name": "month", "index.uuid"`), 1))
	}}
	cfg.Hosts = []string{newProxy(t, host, func(r *http.Request) *fault {
		if r.Method == http.MethodGet && strings.Contains(r.URL.RawQuery, "flat_settings") {
			return &with
		}
		return nil
	}).URL}
	_, err := esclient.Create(t.Context(), cfg, storetest.Settings())
	if !errors.Is(err, esclient.ErrTemplate) || !strings.Contains(err.Error(), "index.lifecycle.name: month") {
		t.Errorf("Create() = %v, want an error wrapping ErrTemplate that names the policy", err)
	}
	if left := call(t, host, "GET", "/_cat/indices/"+cfg.Index+"-*?h=index", ""); left != "" {
		t.Errorf("indices are left: %s", left)
	}
}

// TestNoNodeForShards: if a template has conditions that no node meets, the error has the reason of the server, and
// nothing is left.
func TestNoNodeForShards(t *testing.T) {
	t.Parallel()
	host := server(t)
	cfg := config(t, host)
	cfg.Timeout = 8 * time.Second
	template(t, cfg, "_index_template", `{"settings": {"index.routing.allocation.require.box": "hot"}}`)
	_, err := esclient.Create(t.Context(), cfg, storetest.Settings())
	if want := "index.routing.allocation.require"; wire.KindOf(err) != wire.Red || !strings.Contains(err.Error(), want) {
		t.Errorf("Create() = %v, want an error of kind Red with %s", err, want)
	}
	if left := call(t, host, "GET", "/_cat/indices/"+cfg.Index+"-*?h=index", ""); left != "" {
		t.Errorf("indices are left: %s", left)
	}
}
