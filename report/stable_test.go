package report

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/beevik/etree"
)

// TestStableSchemas: the schemas still describe all that those of version 1.0 describe, in
// testdata/1.0. Fields may be added; none may be removed, get another type or become optional.
func TestStableSchemas(t *testing.T) {
	names, err := filepath.Glob("testdata/1.0/*")
	if err != nil || len(names) != 4 {
		t.Fatalf("testdata/1.0 has %v, %v; want four schemas", names, err)
	}
	for _, name := range names {
		promised, present := facts(t, name), facts(t, filepath.Join("schema", filepath.Base(name)))
		if len(promised) < 20 {
			t.Errorf("%s: only %d facts were found", name, len(promised))
		}
		for _, fact := range promised {
			if !slices.Contains(present, fact) {
				t.Errorf("%s: version 1.0 has %s, and the schema no longer has it", filepath.Base(name), fact)
			}
		}
	}
}

// facts returns the properties of each field of a schema, each as a path and a value. Descriptions and
// the order of fields are left out.
func facts(t *testing.T, name string) (list []string) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(name, ".json") {
		var schema any
		if err := json.Unmarshal(data, &schema); err != nil {
			t.Fatal(err)
		}
		return jsonFacts(schema, "")
	}
	doc := etree.NewDocument()
	if err := doc.ReadFromBytes(data); err != nil {
		t.Fatal(err)
	}
	return xmlFacts(doc.Root(), "")
}

func jsonFacts(v any, path string) (list []string) {
	switch v := v.(type) {
	case map[string]any:
		for key, below := range v {
			if _, text := below.(string); key == "description" && text || key == "title" && text || strings.HasPrefix(key, "$") && key != "$ref" && key != "$defs" {
				continue
			}
			list = append(list, jsonFacts(below, path+"/"+key)...)
		}
	case []any: // required fields, enumerations, alternatives: sets
		for _, below := range v {
			list = append(list, jsonFacts(below, path+"[]")...)
		}
	default:
		list = append(list, fmt.Sprintf("%s = %v", path, v))
	}
	return list
}

func xmlFacts(e *etree.Element, path string) (list []string) {
	if e.Tag == "annotation" {
		return nil
	}
	path += "/" + e.Tag
	if name := e.SelectAttrValue("name", e.SelectAttrValue("ref", e.SelectAttrValue("value", ""))); name != "" {
		path += "(" + name + ")"
	}
	list = append(list, path)
	for _, a := range e.Attr {
		if a.Key != "name" && a.Key != "ref" && a.Key != "value" && a.Space != "xmlns" {
			list = append(list, path+" "+a.Key+" = "+a.Value)
		}
	}
	for _, below := range e.ChildElements() {
		list = append(list, xmlFacts(below, path)...)
	}
	return list
}
