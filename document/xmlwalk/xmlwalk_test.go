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

// A recorder records the calls.
type recorder struct{ strings.Builder }

func (r *recorder) Start(name string, attrs []xml.Attr) {
	fmt.Fprintf(r, "<%s", name)
	for _, a := range attrs {
		fmt.Fprintf(r, " %s:%s=%q", a.Name.Space, a.Name.Local, a.Value)
	}
	r.WriteString(">")
}
func (r *recorder) End(name string) { fmt.Fprintf(r, "</%s>", name) }
func (r *recorder) Text(s []byte)   { fmt.Fprintf(r, "%s", bytes.ToUpper(s)) }

// TestWalk finds elements, attributes and text without prefixes of namespaces, expands predefined entities only, and
// names the line of an error.
func TestWalk(t *testing.T) {
	for _, tt := range []struct{ data, want, err string }{
		{`<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE a [<!ENTITY b "c">]><n:a b="c" d:e='f&amp;'>g<!-- c --><b/></n:a >`, "<a :b=\"c\" d:e=\"f&\">G<b></b></a>", ""},
		{`<?xml version="1.0" encoding="iso-8859-2"?><a>` + "\xf9</a>", "<a>Ů</a>", ""},
		{"<a>x &amp; &#65;&#x42;<![CDATA[<b>]]>\r\n</a>", "<a>X & AB<B>\n</a>", ""},
		{"<a>\n&nbsp;</a>", "<a>", "line 2"},
		{"<a>\n<b>\n</c>&x;", "<a>\n<b>\n</c>", "line 3"},
		{"<a>\xff</a>", "<a>", "line 1"},
		{`<a></b></a>`, "<a></b>", "without a start tag"},
		{`<a>text`, "<a>TEXT", "within an element"},
		{strings.Repeat("<a>", maxXMLDepth) + "<b>", strings.Repeat("<a>", maxXMLDepth), "nested more than"},
	} {
		for how, walk := range map[string]func(h Handler) error{
			"a stream": func(h Handler) error { return Walk(t.Context(), iotest.OneByteReader(strings.NewReader(tt.data)), h) },
			"memory":   func(h Handler) error { return WalkData(t.Context(), []byte(tt.data), h) },
		} {
			var got recorder
			err := walk(&got)
			if got.String() != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%.60q in %s: %.60q, %v, want %.60q, %q", tt.data, how, got.String(), err, tt.want, tt.err)
			}
		}
	}
}

// TestWalkReadError returns the error of a reader, even if the elements before it are closed.
func TestWalkReadError(t *testing.T) {
	for _, data := range []string{"", "<a>b</a>", "<a>b"} {
		for _, want := range []error{io.ErrUnexpectedEOF, format.ErrTooLarge} {
			r := io.MultiReader(strings.NewReader(data), iotest.ErrReader(want))
			if err := Walk(t.Context(), r, &recorder{}); !errors.Is(err, want) {
				t.Errorf("%q, then an error: %v, want %v", data, err, want)
			}
		}
	}
}
