package xmlwalk

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
	"testing"
)

// A recorder writes down what it is given; texts that follow each other are one.
type recorder struct{ strings.Builder }

func (r *recorder) Start(name string, attrs []xml.Attr) {
	fmt.Fprintf(r, "\n<%s", name)
	for _, a := range attrs {
		fmt.Fprintf(r, " %s:%s=%q", a.Name.Space, a.Name.Local, a.Value)
	}
	r.WriteString(">\n")
}
func (r *recorder) End(name string) { fmt.Fprintf(r, "\n</%s>\n", name) }
func (r *recorder) Text(s []byte)   { fmt.Fprintf(r, "%s", bytes.ToUpper(s)) }

// checkWalks reads data in memory and as a stream, which is encoding/xml alone: both find the
// same, and the same fault.
func checkWalks(t *testing.T, data string) {
	t.Helper()
	var fast, slow recorder
	errFast := WalkData(t.Context(), []byte(data), &fast)
	errSlow := Walk(t.Context(), strings.NewReader(data), &slow)
	if fast.String() != slow.String() || fmt.Sprint(errFast) != fmt.Sprint(errSlow) {
		t.Errorf("%q: in memory %q, %v; as a stream %q, %v", data, fast.String(), errFast, slow.String(), errSlow)
	}
}

// walkSamples are pieces of XML, usual and unusual and wrong ones.
var walkSamples = []string{
	`<a/>`, `<a></a>`, `<a b="c" d:e='f'>g</a >`, `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\r\n<a>b</a>\n", `<?xml version="1.0" encoding="iso-8859-2"?><a>` + "\xf9</a>",
	`<a>x &amp; y &lt;&gt;&quot;&apos; &#65;&#x41; &#xD800;</a>`, `<a>&nbsp;</a>`, `<a>&nothing;</a>`, `<a>&amp</a>`, `<a b="&amp;&#10;"/>`, `<a b="<"/>`, `<a b=c/>`, `<a b/>`, `<a b="1"c="2"/>`,
	`<a>]]></a>`, `<a><![CDATA[<b>]]></a>`, `<a><!-- c --></a>`, `<a><?p q?></a>`, `<!DOCTYPE a [<!ENTITY b "c">]><a>d</a>`, "<a>\x01</a>", "<a>\xff</a>", "<a>\uffff</a>", "<a>b\rc\r\nd</a>",
	`<a`, `<`, `</a>`, `<a></b></a>`, `<a:b:c/>`, `<:a/>`, `<a:/>`, `<1/>`, `<-a/>`, `<ů/>`, `<a ů="1"/>`, `<a ="1"/>`, `<a b = "c"/>`, `<a b="c`, `< a/>`, `<a/ >`, `text`, `<a>text`, ``, "\ufeff<a/>", `<a b="` + "\x02" + `"/>`, `</a b="c">`, `<a></a/>`, `<.a/>`, `<a.b-c_1/>`,
	"<a>\n<b>\n</c>&x;", `<a b="]]>"/>`, `<a>&#9;&#0;</a>`, `<a>&#X41;</a>`, `<a>&#;</a>`, `<a>&#+5;</a>`, `<a>&#1_1;</a>`, `<a b='"'/>`,
}

func TestWalksAgree(t *testing.T) {
	for _, s := range walkSamples {
		checkWalks(t, s)
	}
}

// FuzzWalk holds the fast way to that of the library.
func FuzzWalk(f *testing.F) {
	for _, s := range walkSamples {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data string) { checkWalks(t, data) })
}
