package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
)

func TestHTMLHidden(t *testing.T) {
	tests := []struct {
		name, html, want string
		why              string // of the one flag, "" for none
	}{
		{"attribute", "one <span hidden>not <span>this</span> this</span>two", "one two", "marked as hidden"},
		{"display", `one<span style="color: red; display:none">x</span>two`, "onetwo", "marked as hidden"},
		{"visibility", `one<div style="visibility: hidden"><div>x</div>y</div>two`, "one\n\ntwo", "drawn invisibly"},
		{"visible within hidden", `one <div style="visibility: hidden"><b style="visibility:visible">two</b></div>`, "one\n\ntwo", ""},
		{"the whole page until a script runs", `<html style="display:none"><body style="visibility: hidden; opacity:0"><p>one`, "one", ""},
		{"the whole page by a rule", `<style>body { visibility: hidden; height: 0; overflow: hidden }</style><p>one<p hidden>two`, "one", "marked as hidden"},
		{"opacity", `one <span style="opacity:0"><b style="color:black">x</b></span> two`, "one two", "drawn invisibly"},
		{"tiny", `one<span style="font-size:1px">x</span>two`, "onetwo", "too small to see"},
		{"of no size", `one<span style="font-size: 0">x</span>two`, "onetwo", "too small to see"},
		{"tiny share", `one<b style="font-size:50%"><b style="font-size:0.2em">x</b></b>two`, "onetwo", "too small to see"},
		{"tiny in the font", `one<span style="font: italic 1pt/1 serif">x</span>two`, "onetwo", "too small to see"},
		{"not tiny", `one<span style="font-size:1em">x</span>two`, "onextwo", ""},
		{"not tiny again", `one<span style="font-size:0"><b style="font-size:12pt">x</b></span>two`, "onextwo", ""},
		{"white", `one<span style="color:#FFF">x</span>two`, "one two", "white on white"},
		{"white by name", `one <span style="color: White !important">x</span> two`, "one two", "white on white"},
		{"white in numbers", `one <span style="color: rgb(255, 255, 255)">x</span> two`, "one two", "white on white"},
		{"white in percent", `one <span style="color: hsl(0 0% 100%)">x</span> two`, "one two", "white on white"},
		{"nearly white", `one <span style="color:#fefefe">x</span> two`, "one two", "white on white"},
		{"transparent", `one <span style="color: rgba(0,0,0,0)">x</span> two`, "one two", "drawn invisibly"},
		{"white by font", `one<font color="white">x</font>two`, "one two", "white on white"},
		{"white on a white ground", `<div style="background: #fff">one <span style="color:white">x</span></div>`, "one", "white on white"},
		{"white on a ground", `<div style="background:#000"><span style="color:#fff">x</span></div>`, "x", ""},
		{"white on a ground of a table", `<table><tr bgcolor="navy"><th style="color:#fff">x<td>y</table>`, "x\ty", ""},
		{"white on a picture", `<body background="sky.png"><p style="color:white">x`, "x", ""},
		{"white on a ground that it had", `<p style="background:#000">one</p><p style="color:#fff">x`, "one", "white on white"},
		{"white on a style sheet's ground", `<style>body { background: black }</style><p style="color:white">x</p>`, "x", ""},
		{"white where a style sheet is not known", `<link rel="stylesheet" href="a.css"><p style="color:white">x</p>`, "x", ""},
		{"black on black", `<p>one<p style="background:#000">x`, "one\n\nx", ""},
		{"black on black, stated", `<p>one<p style="color:#0a0a0a; background-color:#000">x`, "one", "in the colour of its ground"},
		{"class", `<style>/* c */ p, .a.b, i { color: red; color: #fff; }</style><q class="x">one</q> two<span class="b a">x</span>`, "one two", "white on white"},
		{"rule that another overrides", `<style>.a { display: none } #i { display: block }</style>one <b class="a" id="i">two</b>`, "one\ntwo", ""},
		{"rule for what is in something", `<style>div.n > p b { visibility: hidden }</style><b>one</b><div class="n"><p>two <i><b>x</b></i></p></div>`, "one\n\ntwo", "drawn invisibly"},
		{"rule for print", `<style>@media print { p { display: none } } @media screen { b { display: none } }</style><p>one <b>x</b>`, "one", "marked as hidden"},
		{"rule that is not evaluated", `<style>p:has(b) { background: black } p { color: white }</style><p>one`, "one", ""},
		{"outside", `one<span style="position:absolute; left:-9999px">x</span>`, "one", "outside of the page"},
		{"cut off", `one<span style="position:absolute;clip:rect(0,0,0,0)">x</span>`, "one", "marked as hidden"},
		{"box of no height", `one<div style="height:0;overflow:hidden">x</div>`, "one", "marked as hidden"},
		{"paragraph that another ends", `<p hidden>x<p>two`, "two", "marked as hidden"},
		{"item that another ends", `<ul><li style="display:none">x<li>two</ul>three`, "two\n\nthree", "marked as hidden"},
		{"element without content", `<input hidden>one`, "one", ""},
		{"background colour is none of the text", `<p style="background-color:#fff">one`, "one", ""},
		{"word glued by white letters", `copied<span style="color:#fff">x</span>from<span style="color:#fff">q</span>a book`, "copied from a book", "white on white"},
	}
	for _, tt := range tests {
		doc := &document.Document{Ext: "html"}
		if err := readtest.Read(t.Context(), doc, []byte(tt.html), document.Options{}); err != nil || doc.Text != tt.want {
			t.Errorf("%s: text %q, %v, want %q", tt.name, doc.Text, err, tt.want)
		}
		why := ""
		if len(doc.Flags) == 1 {
			why = doc.Flags[0].Detail
		}
		if n := len(doc.Flags); n > 1 {
			why = fmt.Sprint(n, " flags")
		}
		if why != tt.why {
			t.Errorf("%s: flags %+v, want one: %q", tt.name, doc.Flags, tt.why)
		}
	}
}

// TestHiddenNewer checks newer ways of HTML and CSS to hide text, and that their honest uses show it.
func TestHiddenNewer(t *testing.T) {
	for _, tt := range []struct {
		page string
		seen bool
	}{
		{`<style>@layer a, b; @layer b {.x {display: inline}} @layer a {.x {display: none}}</style>`, true},
		{`<style>@layer a, b; @layer a {.x {display: inline}} @layer b {.x {display: none}}</style>`, false},
		{`<style>.x {display: none} @layer a {b.x#i {display: inline}}</style>`, false},
		{`<style>.x {display: inline} @layer a {b.x {display: none}}</style>`, true},
		{`<style>@layer a {.x {display: none}} .x {color: red}</style>`, false},
		{`<style>.x {display: inline}</style><!-- popover -->`, true},
		{`<style>.x {inline-size: 0; overflow: hidden}</style>`, false},
		{`<style>.x {inset-inline-start: -9999px; position: absolute}</style>`, false},
		{`<style>.x {color: oklch(1 0 0)}</style>`, false},
		{`<style>.x {color: light-dark(white, black); background: light-dark(black, white)}</style>`, true},
		{`<style>.x {transform: rotateY(90deg)}</style>`, false},
		{`<style>.x {transform: scale(0.5)}</style>`, true},
		{`<style>.x {color: attr(data-c type(<color>))}</style>`, false},
		{`<style>.x {color: attr(lang type(<color>))}</style>`, true},
		{`<style>.x {font-size: attr(data-n px)}</style>`, false},
		{`<style>.x {--c: attr(data-z type(<color>), white); color: var(--c)}</style>`, false},
		{`<style>.x {color: attr(data-c)}</style>`, true}, // a string is no colour
		{`<style>.x {color: #777; filter: brightness(10)}</style>`, false},
		{`<style>.x {filter: brightness(0.5)}</style>`, true},
		{`<style>.x {filter: invert(100%)}</style>`, false},
		{`<style>.x {filter: invert(1) invert()}</style>`, true},
		{`<style>.x {background: white; filter: invert(1)}</style>`, true},
		{`<style>p {background: black; color: white; filter: invert(1)} .x {color: black}</style>`, false},
		{`<style>.x {filter: blur(0px) opacity(0)}</style>`, false},
		{`<style>.x {filter: blur(2px) contrast(1)}</style>`, true},
		{`<style>.x {filter: contrast(0) brightness(4)}</style>`, false},
		{`<style>.x {mix-blend-mode: screen}</style>`, false},
		{`<style>.x {mix-blend-mode: multiply}</style>`, true},
		{`<style>.x {mix-blend-mode: difference; color: white}</style>`, true},
		{`<style>.x {mix-blend-mode: difference}</style>`, false},
		{`<style>p {background: url(a.png)} .x {mix-blend-mode: screen}</style>`, true},
		{`<style>.x {mix-blend-mode: saturation}</style>`, false},
		{`<style>@keyframes h {from, to {opacity: 0}} .x {animation: h 1s infinite}</style>`, false},
		{`<style>@keyframes h {from {opacity: 0} to {opacity: 1}} .x {animation: h 1s infinite}</style>`, true},
		{`<style>@keyframes h {from {opacity: 0} to {opacity: 1}} .x {opacity: 0; animation: h 1s forwards}</style>`, true},
		{`<style>@keyframes h {to {opacity: 0}} .x {animation: h 0s forwards}</style>`, false},
		{`<style>@keyframes h {to {opacity: 0}} .x {animation: h 1s}</style>`, true},
		{`<style>@-webkit-keyframes h {to {visibility: hidden}} .x {-webkit-animation: h 1s both}</style>`, false},
		{`<style>@keyframes h {from {color: white}} .x {animation-name: h; animation-duration: 9s; animation-play-state: paused}</style>`, false},
		{`<style>@keyframes h {0% {opacity: 0}} .x {animation: 99999s h}</style>`, false},
		{`<style>@keyframes h {0% {opacity: 0}} .x {animation: h 1s both; opacity: 0; animation-timeline: view()}</style>`, false},
		{`<style>@keyframes h {0% {opacity: 0} 9% {opacity: 1}} .x {animation: h both; animation-timeline: view()}</style>`, true},
		{`<style>.x {clip-path: inset(0 100% 0 0)}</style>`, false},
		{`<style>.x {clip-path: inset(0 10%)}</style>`, true},
		{`<style>.x {mask: linear-gradient(rgba(0,0,0,0) 0%, #0000)}</style>`, false},
		{`<style>.x {mask: linear-gradient(#000, rgba(0,0,0,0))}</style>`, true},
		{`<style>.x {letter-spacing: -1em}</style>`, false},
		{`<style>b {letter-spacing: -20px} .x {letter-spacing: normal}</style>`, true},
		{`<style>.x {letter-spacing: -0.1em}</style>`, true},
		{`<style>.x {background: currentcolor}</style>`, false},
		{`<style>.x {position: absolute; left: -150%}</style>`, true}, // as slides that a script moves
		{`<style>.x {clip-path: path("M0 0")}</style>`, false},
		{`<style>.x {clip-path: path("M0 0L0 0Z")}</style>`, false},
		{`<style>.x {fill: none}</style>`, true}, // no drawing
		{`<style>.x {transform: translate3d(0, 0, 0)}</style>`, true},
		{`<style>.x {content: url(a.png)}</style>`, false},
		{`<style>.x {-webkit-text-security: disc}</style>`, false},
		{`<style>.x {font-size-adjust: 0}</style>`, false},
	} {
		doc := &document.Document{Ext: "html"}
		if err := readtest.Read(t.Context(), doc, []byte("<html>"+tt.page+`<p>one <b class=x id=i data-c=White data-n=0 lang=black>word</b> two`), document.Options{}); err != nil {
			t.Fatal(err)
		}
		if seen := strings.Contains(doc.Text, "word"); seen != tt.seen || seen == (len(doc.Flags) > 0 || len(doc.Notes) > 0) {
			t.Errorf("%s: text %q, flags %v, notes %q, want the word: %v", tt.page, doc.Text, doc.Flags, doc.Notes, tt.seen)
		}
	}
	for _, tt := range []struct{ style, want string }{
		{"position: absolute; left: -200%", "left: -200%"},
		{"offset-path: path('M0 0 L-9999 0')", "offset-path"},
		{"clip-path: path('M900 900h9v9z')", "clip-path"},
		{"transform: perspective(1px) translateZ(2px)", "perspective"},
		{"offset-path: none", ""},
	} {
		doc := &document.Document{Ext: "html"}
		err := readtest.Read(t.Context(), doc, []byte(`<p>one <b style="`+tt.style+`">word</b> two`), document.Options{})
		if got := strings.Join(doc.Notes, "; "); err != nil || doc.Text != "one word two" || (got != "") != (tt.want != "") || !strings.HasSuffix(got, tt.want) || len(doc.Flags) > 0 {
			t.Errorf("%s: text %q, flags %v, notes %q, %v, want a note of %q", tt.style, doc.Text, doc.Flags, got, err, tt.want)
		}
	}
	for _, tt := range []struct {
		svg  string
		seen bool
	}{
		{`<text fill="none">word</text>`, false},
		{`<text style="fill: transparent">word</text>`, false},
		{`<g fill="none"><text>word</text></g>`, false},
		{`<g fill="none"><text fill="black">word</text></g>`, true},
		{`<text fill="none" stroke="red">word</text>`, true},
		{`<text fill-opacity="0">word</text>`, false},
		{`<text>word</text>`, true},
	} {
		doc := &document.Document{Ext: "html"}
		err := readtest.Read(t.Context(), doc, []byte(`<p>one <svg stroke="none">`+tt.svg+`</svg> two`), document.Options{})
		if seen := strings.Contains(doc.Text, "word"); err != nil || seen != tt.seen || seen == (len(doc.Flags) > 0 || len(doc.Notes) > 0) {
			t.Errorf("%s: text %q, flags %v, notes %q, %v, want the word: %v", tt.svg, doc.Text, doc.Flags, doc.Notes, err, tt.seen)
		}
	}
	for _, tt := range []struct{ page, want string }{
		{`<p>one <b popover>x</b>two`, "one two"},
		{`<style>b {display: block !important}</style><p>one <b hidden="until-found">x</b>two`, "one two"},
		{`<style>b::before {content: attr(data-a type(<string>))}</style><p>one <b data-a="shown">two</b>`, "one showntwo"},
		{`<dialog open>one</dialog>`, "one"},
		{`<p>one<div popover open>x</div>`, "one"},
	} {
		doc := &document.Document{Ext: "html"}
		if err := readtest.Read(t.Context(), doc, []byte(tt.page), document.Options{}); err != nil || strings.Join(strings.Fields(doc.Text), " ") != tt.want {
			t.Errorf("%s: text %q, %v, want %q", tt.page, doc.Text, err, tt.want)
		}
	}
}
