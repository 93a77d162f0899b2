package plain_test

import (
	"strings"
	"testing"

	"github.com/otisk/otisk/document/plain"
)

func TestFindTags(t *testing.T) {
	lines := func(tags string) []byte { return []byte(strings.ReplaceAll(tags, " ", "\n") + "\n") }
	for _, test := range []struct {
		name, head string
		given      plain.Tags
		want       plain.Tags
		err        string
	}{
		{"the usual names", "<doc> <p> a </p> </doc>", plain.Tags{}, plain.Tags{Doc: "doc", Par: "p"}, ""},
		{"Czech names, one document in the head", "<dokument> <odstavec> <veta> a </veta> </odstavec>", plain.Tags{}, plain.Tags{Doc: "dokument", Par: "odstavec"}, ""},
		{"a root element", "<corpus> <text> <p> a </p> </text> <text> <p> b </p> </text>", plain.Tags{}, plain.Tags{Doc: "text", Par: "p"}, ""},
		{"a text within a doc", "<doc> <text> <p> a </p> </text> </doc>", plain.Tags{}, plain.Tags{Doc: "doc", Par: "p"}, ""},
		{"a root element with the name of a document", "<text> <article> <p> a </p> </article> <article> <p> b </p> </article> </text>", plain.Tags{}, plain.Tags{Doc: "article", Par: "p"}, ""},
		{"unknown names", "<speech> <turn> a </turn> <turn> b </turn> </speech> <speech> <turn> c </turn> </speech>", plain.Tags{}, plain.Tags{Doc: "speech", Par: "turn"}, ""},
		{"no paragraphs", "<text> <s> a </s> <s> b </s> </text>", plain.Tags{}, plain.Tags{Doc: "text", Par: "p"}, ""},
		{"capitals", "<DOC> <P> a </P> </DOC>", plain.Tags{}, plain.Tags{Doc: "DOC", Par: "P"}, ""},
		{"sentences only", "<s> a </s> <s> b </s>", plain.Tags{}, plain.Tags{}, "its tags are <s>"},
		{"no tags", "a b c", plain.Tags{}, plain.Tags{}, "its tags are none"},
		{"two kinds of paragraphs", "<doc> <verse> a </verse> <verse> a </verse> <note> b </note> <note> b </note> </doc>", plain.Tags{}, plain.Tags{Doc: "doc"}, "<verse>, <note>"},
		{"given", "<corpus> <text> <p> a </p> </text> <text> <p> b </p> </text>", plain.Tags{Doc: "corpus"}, plain.Tags{Doc: "corpus", Par: "p"}, ""},
		{"each document is a paragraph", "<doc> <p> a </p> </doc>", plain.Tags{Par: "doc"}, plain.Tags{Doc: "doc", Par: "doc", Only: true}, ""},
		{"tokens like tags", "<doc> <p> < <3 <a=b> </p> </doc>", plain.Tags{}, plain.Tags{Doc: "doc", Par: "p"}, ""},
	} {
		got, err := plain.FindTags(lines(test.head), test.given)
		if got != test.want || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: FindTags = %v, %v; want %v, %q", test.name, got, err, test.want, test.err)
		}
	}
}

func TestCountTags(t *testing.T) {
	tags, sentences := plain.CountTags([]byte("<doc id=\"1\">\n<s>\na\n<g/>\n< \n<3\n</s>\n<veta id='2'>\r\nb\n</veta>\n</doc>"))
	if tags != 7 || sentences != 2 {
		t.Errorf("%d tags and %d sentences, want 7 and 2", tags, sentences)
	}
}
