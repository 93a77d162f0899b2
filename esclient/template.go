package esclient

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// Index templates of the cluster change a new index. Settings and mappings of the request that
// creates it override those of templates, so the request states those that an index depends
// on, also at their default values. The others are compared after the
// creation, and an index that differs is deleted again.

var ownSettings = object{
	// They would change documents.
	"default_pipeline": "_none", "final_pipeline": "_none",
	// Searches use these limits up.
	"max_result_window": mostFetched, "max_terms_count": 65_536, "max_docvalue_fields_search": 100,
	// Searches cover parts without the fields of others.
	"query.parse.allow_unmapped_fields": true,
	// Otherwise a crash of the server loses a commit.
	"translog.durability": "request",
	// A hidden index is not listed.
	"hidden": false,
	// An index with some of these blocks cannot even be deleted.
	"blocks.read": false, "blocks.write": false, "blocks.metadata": false,
	"blocks.read_only": false, "blocks.read_only_allow_delete": false,
}

// policySettings name a policy that changes indices as they grow older: of Elasticsearch, and of OpenSearch.
var policySettings = []string{"index.lifecycle.name", "index.plugins.index_state_management.policy_id"}

// ErrTemplate means that a template of the cluster makes a new index unusable.
var ErrTemplate error = phrase.Error("cluster.template-changed", "a template of the cluster changes it")

// unchanged returns an error wrapping ErrTemplate if an index differs from what the request with
// this mapping asked for.
func (c *conn) unchanged(ctx context.Context, name string, asked object) error {
	var indices map[string]struct {
		Settings map[string]any `json:"settings"`
		Mappings object         `json:"mappings"`
	}
	one := esapi.IndicesGetRequest{Index: []string{name}, FlatSettings: new(true)}
	if err := c.Do(ctx, wire.Request{Op: "create index", Call: wire.Plain(one), Out: &indices}); err != nil {
		return err
	}
	settings := indices[name].Settings
	var differ []string
	for key, want := range ownSettings {
		if got := settings["index."+key]; fmt.Sprint(got) != fmt.Sprint(want) {
			differ = append(differ, fmt.Sprintf("index.%s: %v", key, got))
		}
	}
	for key, got := range settings {
		switch {
		case key == "index.mode" && got != "standard", key == "index.mapping.source.mode" && got != "stored",
			slices.Contains(policySettings, key): // a policy may close, rename or delete the index
			differ = append(differ, fmt.Sprintf("%s: %v", key, got))
		}
	}
	differ = append(differ, difference(asked, indices[name].Mappings)...)
	if len(differ) == 0 {
		return nil
	}
	slices.Sort(differ)
	return phrase.Error("cluster.template-made", "{index} would have {settings}, {cause}: {templates}", "index", name,
		"settings", strings.Join(differ, ", "), "cause", ErrTemplate, "templates", cmp.Or(c.templates(ctx, name), "?"))
}

// contradicted adds to a refusal of the request that creates an index the templates that may be its
// reason.
func (c *conn) contradicted(ctx context.Context, index string, refusal error) error {
	list := c.templates(ctx, index)
	if list == "" {
		return refusal
	}
	return phrase.Error("cluster.template-refused", "{cause}; {template}: {templates}", "cause", refusal, "template", ErrTemplate, "templates", list)
}

// difference returns the parameters that were not asked for: of _source, of _routing and of fields, since the server
// adds those of a template of the older kind; and runtime fields that hide a field. Other fields that only a template
// has are in no document.
func difference(asked, got object) (list []string) {
	fields, _ := asked["properties"].(object)
	runtime, _ := got["runtime"].(object)
	for name := range runtime {
		if _, ours := fields[name]; ours {
			list = append(list, "runtime."+name)
		}
	}
	present, _ := got["properties"].(object)
	for name, field := range fields {
		list = append(list, surplusParams("properties."+name, field, present[name])...)
	}
	for _, key := range []string{"_source", "_routing"} {
		list = append(list, surplusParams(key, asked[key], got[key])...)
	}
	return list
}

// surplusParams returns the parameters of part of a mapping that differ from those asked for.
func surplusParams(name string, asked, got any) (list []string) {
	want, _ := asked.(object)
	now, _ := got.(object)
	for param, v := range now {
		if param != "properties" && fmt.Sprint(v) != fmt.Sprint(want[param]) {
			list = append(list, fmt.Sprintf("%s.%s: %v", name, param, v))
		}
	}
	return list
}

// templates returns the names of the templates that apply to a new index of that name, "" if there
// are none or the server does not list them to this user. A template of the present kind makes
// the server ignore those of the older kind.
func (c *conn) templates(ctx context.Context, index string) string {
	type template struct {
		Patterns []string `json:"index_patterns"`
		Priority int64    `json:"priority"`
	}
	var present struct {
		List []struct {
			Name     string   `json:"name"`
			Template template `json:"index_template"`
		} `json:"index_templates"`
	}
	older := map[string]template{}
	matches := func(t template) bool {
		return slices.ContainsFunc(t.Patterns, func(pattern string) bool {
			ok, err := path.Match(pattern, index)
			return ok && err == nil
		})
	}
	const op = "list templates"
	best, priority := "", int64(-1)
	if err := c.Do(ctx, wire.Request{Op: op, Call: wire.Plain(esapi.IndicesGetIndexTemplateRequest{}), Out: &present}); err == nil {
		for _, t := range present.List {
			if matches(t.Template) && t.Template.Priority > priority {
				best, priority = t.Name, t.Template.Priority
			}
		}
	}
	if best != "" {
		return best
	}
	if err := c.Do(ctx, wire.Request{Op: op, Call: wire.Plain(esapi.IndicesGetTemplateRequest{}), Out: &older}); err == nil {
		maps.DeleteFunc(older, func(_ string, t template) bool { return !matches(t) })
	}
	return strings.Join(slices.Sorted(maps.Keys(older)), ", ")
}

// RemoveUnfinished deletes what an attempt to make the index of cfg has left, and returns the
// deleted indices. If the index exists, it deletes nothing. If there is nothing, the error wraps
// [store.ErrNoIndex].
func RemoveUnfinished(ctx context.Context, cfg Config) ([]string, error) {
	c, err := connect(ctx, cfg)
	if err != nil {
		return nil, err
	}
	n := names{base: c.cfg.Index, build: 1}
	indices, err := c.neighbours(ctx)
	if err != nil {
		return nil, err
	}
	left := slices.DeleteFunc(builds(indices, n.base), func(name string) bool { return !slices.Contains(n.all(nil), name) })
	if len(called(indices, n.part(documentsPart))) > 0 || len(left) == 0 {
		return nil, phrase.Error("cluster.absent", "open index {name} at {host}: {cause}", "name", n.base, "host", c.Where(), "cause", store.ErrNoIndex)
	}
	return left, c.drop(ctx, left)
}
