package xmlwalk

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/otisk/otisk/document/format"
)

// A recorder records the calls, and joins consecutive texts.
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

// checkWalks parses data in memory, as a stream in windows of several sizes, and by
// encoding/xml alone: all find the same content and the same error.
func checkWalks(t *testing.T, data string) {
	t.Helper()
	var slow recorder
	dec := xml.NewDecoder(strings.NewReader(data))
	dec.CharsetReader = declaredReader
	errSlow := walk(t.Context(), dec, place{}, &slow)
	check := func(how string, fast string, err error) {
		if fast != slow.String() || fmt.Sprint(err) != fmt.Sprint(errSlow) {
			t.Errorf("%q %s: %q, %v, want %q, %v", data, how, fast, err, slow.String(), errSlow)
		}
	}
	var whole recorder
	err := WalkData(t.Context(), []byte(data), &whole)
	check("in memory", whole.String(), err)
	for _, size := range []int{1, 7, 40, 4096} {
		var windows recorder
		err := walkWindows(t.Context(), strings.NewReader(data), size, &windows)
		check(fmt.Sprintf("in windows of %d bytes", size), windows.String(), err)
	}
}

// walkSamples are pieces of XML, usual and unusual and wrong ones.
var walkSamples = []string{
	`<a/>`, `<a></a>`, `<a b="c" d:e='f'>g</a >`, `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\r\n<a>b</a>\n", `<?xml version="1.0" encoding="iso-8859-2"?><a>` + "\xf9</a>",
	`<a>x &amp; y &lt;&gt;&quot;&apos; &#65;&#x41; &#xD800;</a>`, `<a>&nbsp;</a>`, `<a>&nothing;</a>`, `<a>&amp</a>`, `<a b="&amp;&#10;"/>`, `<a b="<"/>`, `<a b=c/>`, `<a b/>`, `<a b="1"c="2"/>`,
	`<a>]]></a>`, `<a><![CDATA[<b>]]></a>`, `<a><!-- c --></a>`, `<a><?p q?></a>`, `<!DOCTYPE a [<!ENTITY b "c">]><a>d</a>`, "<a>\x01</a>", "<a>\xff</a>", "<a>\uffff</a>", "<a>b\rc\r\nd</a>",
	`<a`, `<`, `</a>`, `<a></b></a>`, `<a:b:c/>`, `<:a/>`, `<a:/>`, `<1/>`, `<-a/>`, `<ů/>`, `<a ů="1"/>`, `<a ="1"/>`, `<a b = "c"/>`, `<a b="c`, `< a/>`, `<a/ >`, `text`, `<a>text`, ``, "\ufeff<a/>", `<a b="` + "\x02" + `"/>`, `</a b="c">`, `<a></a/>`, `<.a/>`, `<a.b-c_1/>`,
	"<a>\n" + strings.Repeat("<b c='d'>text &amp; more</b>\n<e/>", 9) + "\n</a>", "<a>\n" + strings.Repeat("<b>text\n</b>", 9) + "<!-- c -->\n</a>", "<a>\n" + strings.Repeat("<b>text\n</b>", 9) + "</",
	"<a>\n<b>\n</c>&x;", `<a b="]]>"/>`, `<a>&#9;&#0;</a>`, `<a>&#X41;</a>`, `<a>&#;</a>`, `<a>&#+5;</a>`, `<a>&#1_1;</a>`, `<a b='"'/>`,
}

func TestWalksAgree(t *testing.T) {
	for _, s := range walkSamples {
		checkWalks(t, s)
	}
}

// TestWalkReadError returns the error of a reader, even if the elements before it are closed.
func TestWalkReadError(t *testing.T) {
	for _, data := range []string{"", "<a>b</a>", "<a>b"} {
		for _, size := range []int{1, 7, 4096} {
			for _, want := range []error{io.ErrUnexpectedEOF, format.ErrTooLarge} {
				r := io.MultiReader(strings.NewReader(data), iotest.ErrReader(want))
				if err := walkWindows(t.Context(), r, size, &recorder{}); !errors.Is(err, want) {
					t.Errorf("%q, then an error, in windows of %d bytes: %v, want %v", data, size, err, want)
				}
			}
		}
	}
}

// FuzzWalk holds the fast way to that of the library.
func FuzzWalk(f *testing.F) {
	for _, s := range walkSamples {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data string) { checkWalks(t, data) })
}
