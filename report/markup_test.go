package report

import (
	"strings"
	"testing"
)

func TestMarkup(t *testing.T) {
	odd := "a<b>&\"'\t\r\n\x00\xff]]>\uffff\ufffd€😀"
	tests := []struct {
		name  string
		write func(m *markup)
		want  string
	}{
		{"root alone", func(m *markup) { m.open("root", number("n", 1)) }, `<root n="1"/>`},
		{"attributes without a value", func(m *markup) { m.open("root", text("left-out", ""), required("kept", "")) }, `<root kept=""/>`},
		{"nested", func(m *markup) {
			m.open("root")
			m.open("list")
			m.leaf("item", "one")
			m.leaf("item", "")
			m.close()
			m.leaf("last", "", number("n", 2))
		}, "<root>\n  <list>\n    <item>one</item>\n    <item/>\n  </list>\n  <last n=\"2\"/>\n</root>"},
		{"white space is text", func(m *markup) { m.open("root"); m.leaf("text", " \n ") }, "<root>\n  <text> \n </text>\n</root>"},
		{"odd characters in a text", func(m *markup) { m.open("root"); m.leaf("text", odd) },
			"<root>\n  <text>a&lt;b&gt;&amp;\"'\t&#13;\n\ufffd\ufffd]]&gt;\ufffd\ufffd€😀</text>\n</root>"},
		{"odd characters in an attribute", func(m *markup) { m.open("root", text("a", odd)) },
			`<root a="a&lt;b&gt;&amp;&quot;'&#9;&#13;&#10;` + "\ufffd\ufffd]]&gt;\ufffd\ufffd€😀\"/>"},
	}
	for _, tt := range tests {
		var b strings.Builder
		m := &markup{w: &b}
		tt.write(m)
		m.close()
		want := `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + tt.want + "\n"
		if got := b.String(); got != want || m.err != nil {
			t.Errorf("%s:\n%s\nwant\n%s\nerror %v", tt.name, got, want, m.err)
		}
	}
}
