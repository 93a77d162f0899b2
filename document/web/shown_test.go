package web_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
)

// TestHTMLShown reads the text that a browser shows, wherever it comes from. Each text was
// checked in Chromium.
func TestHTMLShown(t *testing.T) {
	const sheet = `<!DOCTYPE html><style>.b::before{content:"plag\69 arism and"} .a:after { content: attr(data-t) "ism" } .z{font-size:0} .z::before{font-size:16px;content:'plagiarism'}` +
		` .i::before{content:"\f101"} .d::before{content:"x";display:none}</style>`
	for body, want := range map[string]string{
		`<bdo dir="rtl">msira<b>igalp</b></bdo> here`:                                                                                 "plagiarism here",
		`<p style="direction:rtl;unicode-bidi:bidi-override">msiraigalp a<p>of it`:                                                    "a plagiarism\n\nof it",
		`<b style="direction:rtl;unicode-bidi:isolate-override">msiraigalp</b>`:                                                       "plagiarism",
		`<p style="position:absolute" class="b">X</p>`:                                                                                "plagiarism and X",
		`<b dir="rtl">plagiarism</b>`:                                                                                                 "plagiarism",
		`<b class="b"> more</b>`:                                                                                                      "plagiarism and more",
		`<b class="a" data-t="Plagiar"></b>`:                                                                                          "Plagiarism",
		`<b class="z">other words</b>`:                                                                                                "plagiarism",
		`<b class="i">one</b> <b class="d">two</b>`:                                                                                   "one two",
		`plag<wbr>iarism`:                                                                                                             "plagiarism",
		`<div style="display:inline">plag</div><div style="display:inline-block">iarism</div>`:                                        "plagiarism",
		`<div style="float:left">plag</div><div style="float:left">iarism</div>`:                                                      "plagiarism",
		`<ul><li style="display:inline">Home</li><li style="display:inline">About</li></ul>`:                                          "Home\n\nAbout",
		`<ul><li style="display:inline;margin-right:1em">home</li><li style="display:inline">about</li></ul>`:                         "home\n\nabout",
		`one<span style="display:block">two</span>three`:                                                                              "one\ntwo\nthree",
		`plag<div hidden><p>x</p></div>iarism`:                                                                                        "plagiarism",
		`plag<b style="position:absolute;color:transparent">x</b>iarism`:                                                              "plagiarism",
		`plag<b style="position:absolute;clip-path:polygon(0 0,0 0,0 0)">x</b>iarism`:                                                 "plagiarism",
		`plag<b style="position:absolute;scale:0">x</b>iarism`:                                                                        "plagiarism",
		`plag<b style="position:absolute;transform:translateX(-9999px)">x</b>iarism`:                                                  "plagiarism",
		`plag<b style="position:absolute;translate:-9999px">x</b>iarism`:                                                              "plagiarism",
		`plag<b style="position:absolute;inset:-9999px auto auto -9999px">x</b>iarism`:                                                "plagiarism",
		`plag<b style="letter-spacing:-1em;color:transparent">x</b>iarism`:                                                            "plagiarism",
		`plag<b style="word-spacing:-.25em"> </b>iarism`:                                                                              "plagiarism",
		`plag<b style="position:absolute;filter:opacity(0)">x</b>iarism`:                                                              "plagiarism",
		`plag<b style="position:absolute;opacity:.2"><b style="opacity:.2"><b style="opacity:.2">x</b></b></b>iarism`:                 "plagiarism",
		`plag<b style="position:absolute;mask:linear-gradient(transparent,transparent)">x</b>iarism`:                                  "plagiarism",
		`plag<b style="display:inline-block;content-visibility:hidden">x</b>iarism`:                                                   "plagiarism",
		`plag<b style="zoom:0.01">x</b>iarism`:                                                                                        "plagiarism",
		`plag<canvas>x</canvas>ia<video>x</video>ri<audio>x</audio>as<meter>x</meter>m`:                                               "plagiariasm",
		`plag<svg><title>x</title><desc>x</desc></svg>iarism, plag<dialog>x</dialog>iarism, plag<datalist><option>x</datalist>iarism`: "plagiarism, plagiarism, plagiarism",
		`plag<ruby><rp>x</rp></ruby>iarism <ruby>kan<rp>(<rt>ji<rp>)</ruby>`:                                                          "plagiarism kan",
	} {
		doc := &document.Document{Ext: "html", Format: "html"}
		if err := readtest.Read(t.Context(), doc, []byte(sheet+body), document.Options{}); err != nil {
			t.Fatal(err)
		}
		if doc.Text != want {
			t.Errorf("text of %s is %q, want %q", body, doc.Text, want)
		}
		turned := slices.ContainsFunc(doc.Flags, func(f document.Flag) bool { return f.Kind == document.InvisibleChars })
		if strings.Contains(body, "msira") != turned {
			t.Errorf("flags of %s are %+v", body, doc.Flags)
		}
	}
}
