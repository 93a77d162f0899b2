package xmltree_test

import (
	"strings"
	"testing"

	"github.com/otisk/otisk/internal/xmltree"
)

// TestParse reads elements with their lines, texts and attributes.
func TestParse(t *testing.T) {
	data := "\ufeff<?xml version='1.0'?>\n<list Kind='a' kind='b'> x &amp;\n<item>  y </item><x:item/></list>\n<next/>"
	list, err := xmltree.Limits{Depth: 2}.Parse([]byte(data))
	if err != nil || len(list) != 2 {
		t.Fatalf("Parse = %d elements, %v, want 2", len(list), err)
	}
	e := list[0]
	if e.Name != "list" || e.Line != 2 || e.Value() != "x &" || e.Attr("KIND") != "b" || e.Attr("none") != "" || len(e.Children) != 2 {
		t.Errorf("the first element is %+v", e)
	}
	for i, want := range []string{"  y ", ""} {
		if c := e.Children[i]; c.Name != "item" || c.Line != 3 || c.Text() != want {
			t.Errorf("child %d is %+v, want the text %q", i, c, want)
		}
	}
}

// TestParseErrors reads what the limits exclude.
func TestParseErrors(t *testing.T) {
	for _, tt := range []struct {
		limits     xmltree.Limits
		data, want string
	}{
		{xmltree.Limits{Depth: 2}, "<a>\n<b/></a>", ""},
		{xmltree.Limits{Depth: 1}, "<a>\n<b/></a>", "line 2: elements are nested more than 1 deep"},
		{xmltree.Limits{Depth: 1}, "<a/>\n\n x", "line 3: text outside of any element"},
		{xmltree.Limits{Depth: 1, Text: true}, "<a/>\n\n x", ""},
		{xmltree.Limits{Depth: 1}, "<!DOCTYPE a><a/>", "line 1: <!DOCTYPE> and entity declarations are not allowed"},
		{xmltree.Limits{Depth: 1}, "<?xml version='1.0' encoding='klingon'?><a/>", `unknown encoding "klingon"`},
		{xmltree.Limits{Depth: 1}, "<a>\n", "line 2: broken XML"},
	} {
		_, err := tt.limits.Parse([]byte(tt.data))
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%q: error %v, want %q", tt.data, err, tt.want)
		}
	}
}
