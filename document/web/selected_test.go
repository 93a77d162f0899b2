package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
)

// selected has style sheets that hide the word x of a page, or do not. Chromium agrees with each.
var selected = []struct {
	css, page string
	hides     bool
}{
	{".a:nth-child(2) {display:none}", `<b class=a>o</b><b class=a>x</b>`, true},
	{".a:nth-child(2) {display:none}", `<b class=a>x</b><b class=a>o</b>`, false},
	{"b:nth-child(odd) {display:none}", `<i>o</i><b>o</b><b>x</b>`, true},
	{"b:nth-child(2n+2) {display:none}", `<i>o</i><i>o</i><i>o</i><b>x</b>`, true},
	{"b:nth-child(-n+2) {display:none}", `<i>o</i><i>o</i><b>x</b>`, false},
	{"b:nth-of-type(2) {display:none}", `<b>o</b><i>o</i><b>x</b>`, true},
	{"b:first-child {display:none}", `<b>x</b><b>o</b>`, true},
	{"b:first-of-type {display:none}", `<i>o</i><b>x</b>`, true},
	{"b:nth-child(3) {display:none}", `<i>o</i><br><b>x</b>`, true},
	{"b:not(.v) {display:none}", `<b>x</b><b class=v>o</b>`, true},
	{"b:not(.v, .w) {display:none}", `<b class=w>x</b>`, false},
	{"b:not([title]) {display:none}", `<b title=t>x</b>`, false},
	{"b:not(:first-child) {display:none}", `<b>o</b><b>x</b>`, true},
	{":is(i, .h) b {display:none}", `<span class=h><b>x</b></span>`, true},
	{":where(i, u) > b {display:none}", `<u><b>x</b></u>`, true},
	{"b:is(.h, .k) {display:none}", `<b class=k>x</b>`, true},
	{"[data-k] {display:none}", `<b data-k=1>x</b>`, true},
	{"[data-k=two] {display:none}", `<b data-k=one>x</b>`, false},
	{"[data-k~='two'] {display:none}", `<b data-k="one two">x</b>`, true},
	{"[data-k^=on] {display:none}", `<b data-k="one">x</b>`, true},
	{"[data-k$=ne] {display:none}", `<b data-k="one">x</b>`, true},
	{"[data-k*=n] {display:none}", `<b data-k="one">x</b>`, true},
	{"[lang|=en] {display:none}", `<b lang="en-GB">x</b>`, true},
	{"i + b {display:none}", `<i>o</i><b>x</b>`, true},
	{"i + b {display:none}", `<i>o</i><u>o</u><b>x</b>`, false},
	{"i ~ b {display:none}", `<i>o</i><u>o</u><b>x</b>`, true},
	{".h > i + b {display:none}", `<span class=h><i>o</i><b>x</b></span>`, true},
	{".h > i + b {display:none}", `<span class=h><u><i>o</i><b>x</b></u></span>`, false},
	{".h i ~ u b {display:none}", `<span class=h><i>o</i><u><b>x</b></u></span>`, true},
	{".h { & b {display:none} }", `<span class=h><b>x</b></span>`, true},
	{".h { b {display:none} color: red }", `<span class=h><b>x</b></span>`, true},
	{".h { &.k {display:none} }", `<b class="h k">x</b>`, true},
	{".h, .k { > b {display:none} }", `<span class=k><b>x</b></span>`, true},
	{".h { @media screen { & b {display:none} } }", `<span class=h><b>x</b></span>`, true},
	{".h { .k { b {display:none} } }", `<span class=h><u class=k><b>x</b></u></span>`, true},
	{".h { .k { b {display:none} } }", `<span class=h><b>x</b></span>`, false},
	{":root { --d: none } b {display: var(--d)}", `<b>x</b>`, true},
	{":root { --d: none } b {display: var(--e)}", `<b>x</b>`, false},
	{"b {display: var(--e, none)}", `<b>x</b>`, true},
	{":root { --s: 0px; --t: var(--s) } b {font-size: var(--t)}", `<b>x</b>`, true},
	{".h { --d: none } b {display: var(--d, inline)}", `<span class=h><b>x</b></span>`, true},
	{".h { --d: none } b {display: var(--d, inline)}", `<b>x</b>`, false},
	{"b { --a: var(--b); --b: var(--a); display: var(--a, none) }", `<b>x</b>`, true},
	{"b {font-size: calc(2px - 1.9px)}", `<b>x</b>`, true},
	{"b {font-size: calc(1em * 0)}", `<b>x</b>`, true},
	{"b {font-size: calc(1em * (2 - 1))}", `<b>x</b>`, false},
	{"b {font-size: min(10px, 0px)}", `<b>x</b>`, true},
	{"b {font-size: clamp(10px, 0px, 20px)}", `<b>x</b>`, false},
	{"b {opacity: calc(1 - 1)}", `<b>x</b>`, true},
	{"b {position:absolute; left: calc(-100% - 9999px)}", `<b>x</b>`, true},
	{"@media (min-width: 1px) { b {display:none} }", `<b>x</b>`, true},
	{"@media screen and (min-width: 1px) and (max-width: 99999px) { b {display:none} }", `<b>x</b>`, true},
	{"@media (max-width: 1px) { b {display:none} }", `<b>x</b>`, false},
	{"@media not print { b {display:none} }", `<b>x</b>`, true},
	{"@media (width >= 1px) { b {display:none} }", `<b>x</b>`, true},
	{"@media print, (1px <= width < 99999px) { b {display:none} }", `<b>x</b>`, true},
	{"@media (prefers-color-scheme: dark) { b {display:none} }", `<b>x</b>`, false},
	{"b:hover {display:none} b:empty {display:none} b::selection {color:white}", `<b>x</b>`, false},
	{"b {display:none} :root b:not(.q) {display:inline}", `<b>x</b>`, false},
	{":where(.h) b {display:none} b {display:inline}", `<u class=h><b>x</b></u>`, false},
	{"@media (min-width: 600px) { .m\\:h {display:none} }", `<b class="m:h">x</b>`, true},
	{"b[title='a]b,c'] {display:none}", `<b title="a]b,c">x</b>`, true},
}

func TestSelected(t *testing.T) {
	for _, tt := range selected {
		page := "<!DOCTYPE html><html><head><style>" + tt.css + "</style></head><body><p>" + tt.page + " z</p></body></html>"
		doc := &document.Document{Ext: "html"}
		if err := readtest.Read(t.Context(), doc, []byte(page), document.Options{}); err != nil {
			t.Errorf("%s: %v", tt.css, err)
		}
		if hides := !strings.Contains(doc.Text, "x"); hides != tt.hides || hides && len(doc.Flags) != 1 || len(doc.Notes) > 0 {
			t.Errorf("%s on %s: text %q, flags %v, notes %q; hides should be %v", tt.css, tt.page, doc.Text, doc.Flags, doc.Notes, tt.hides)
		}
	}
}

// TestUndecided reads pages whose style sheets may hide text in ways that are not evaluated, or that show text elsewhere.
func TestUndecided(t *testing.T) {
	prose := strings.Repeat("these are words of prose that somebody copied ", 3)
	for _, tt := range []struct{ page, text, note string }{
		{"<style>p:has(b) {display:none}</style><p>one", "one", ":has"},
		{"<style>p:last-child {color:white}</style><p>one", "one", ":last-child"},
		{"<style>@media (max-width: 600px) { p {display:none} }</style><p>one", "one", ""},
		{"<style>@container (width > 1px) { p {font-size:0} }</style><p>one", "one", "@container"},
		{"<style>p::first-line {color:white}</style><p>one", "one", "::first-line"},
		{"<style>p:last-child {margin:0} @media (min-width: 600px) { p {float:left} }</style><p>one", "one", ""},
		{`<p>one<template shadowrootmode="open"><p>two</template>`, "one\n\ntwo", ""},
		{`<p>one<template><p>two</template>`, "one", ""},
		{`<p>one<iframe srcdoc="<p>two</p>"></iframe>`, "one\n\ntwo", ""},
		{`<p>one<iframe style="display:none" srcdoc="<p>two</p>"></iframe>`, "one", ""},
		{`<p>one<iframe src="data:text/html,<p>two%20three</p>"></iframe>`, "one\n\ntwo three", ""},
		{`<p>one<object data="data:text/html;base64,PHA+dHdv"></object>`, "one\n\ntwo", ""},
		{`<p>one<input value="` + prose + `">`, "one\n\n" + strings.TrimSpace(prose), ""},
		{`<p>one<input hidden value="` + prose + `">`, "one", ""},
		{`<p>one<input type=hidden value="` + prose + `">`, "one", ""},
		{`<p>one` + strings.Repeat(`<input placeholder="some few words">`, 10), "one", "30 words that may be shown are not read"},
		{`<p>one<img alt="` + prose + `">`, "one", "24 words that may be shown are not read"},
		{`<p>one<img src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><text>` + prose + `</text></svg>">`, "one", "24 words that may be shown are not read"},
		{`<p>one<script>document.write("` + prose + `")</script>`, "one", "24 words that may be shown are not read"},
		{`<p>one<script>var x = "` + prose + `"</script>`, "one", ""},
		{`<style>p::before {content: open-quote "two three " counter(c)}</style><p>one`, "two three 0one", ""},
		{`<style>:root {--c: "two "} p::before {content: var(--c)}</style><p>one`, "two one", ""},
		{`<style>li::marker {content: "two "}</style><ul><li>one</ul>`, "two one", ""},
		{`<style>b::before {content: counter(k, lower-alpha)}</style><p><b style="counter-set: k 15"></b><b style="counter-set: k 14"></b><b style="counter-set: k 5"></b>`, "one", ""},
		{`<style>ol {counter-reset: k} li {counter-increment: k} li::before {content: counters(k, ".") " "}</style><ol><li>a<ol><li>b<li>c</ol><li>d</ol>`, "1 a\n\n1.1 b\n\n1.2 c\n\n2 d", ""},
		{`<style>i {counter-increment: k} p::after {content: " of " counter(k)}</style><p>one <i>a</i> <i>b</i>`, "one a b of 2", ""},
		{`<style>p {counter-reset: k 1; counter-increment: k -1} p::before {content: "\201e" counter(k, none) "two" counters(k, ") ", upper-roman)}</style><p> one`, "„two0 one", ""},
		{`<style>q {quotes: "two " " three" "four" "five"}</style><p>one <q>a <q>b</q></q>`, "one two a fourbfive three", ""},
		{`<style>p {quotes: "two " ""} p::before {content: open-quote} p::after {content: no-close-quote}</style><p>one<p>three`, "two one\n\ntwo three", ""},
		{`<ul style="list-style-type: 'two '"><li>one<li style="display: block">three</ul>`, "two one\n\nthree", ""},
		{`<style>p {display: list-item; list-style: inside "two "}</style><p>one`, "two one", ""},
		{`<style>p::before {content: attr(data-a, "two ")}</style><p>one`, "two one", ""},
		{`<style>p {--a: attr(title)} p::before {content: var(--a)}</style><p title="two ">one`, "two one", ""},
		{`<style>p::after {content: " two"}</style><p>one<p>three`, "one two\n\nthree two", ""},
		{`<link rel=stylesheet href="data:text/css,p::before{content:'two '}"><p>one`, "two one", ""},
		{`<p>one<iframe src="data:,two%20%3Cb"></iframe>`, "one\n\ntwo <b", ""},
		{`<style>@counter-style a {symbols: "` + prose + `"} p::before {content: counter(k, a)}</style><p>one`, "0one", "24 words that may be shown are not read: @counter-style"},
		{`<style>@property --a {initial-value: "` + prose + `"}</style><p>one`, "one", ": @property"},
		{`<style>p:has(b)::before {content: "` + prose + `"} p:checked {quotes: "` + prose + `"}</style><p>one`, "one", "48 words that may be shown are not read: :checked, :has"},
		{`<style>p:hover::before {content: "few words"}</style><p>one`, "one", ""},
		{`<p style="text-overflow: '` + prose + `'">one`, "one", ": text-overflow"},
		{`<style>p {--a: "` + strings.Repeat(prose, 10) + `"} p::before {content: var(--a) var(--a)}</style><p>one`, "one", ": var()"},
		{`<style>p::before {content: url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'%3E%3Ctext%3E` + prose + `%3C/text%3E%3C/svg%3E")}</style><p>one`, "one", ": data:image/svg+xml"},
		{`<p>one<img src="a.png" alt="` + prose + `"><img src="a.png" alt="a few words">`, "one", "24 words that may be shown are not read: alt"},
		{`<p onclick="this.innerHTML='` + prose + `'">one`, "one", ": onclick"},
		{`<p>one<script>document.body.append(["` + strings.ReplaceAll(strings.TrimSpace(prose), " ", `", "`) + `"].join(" "))</script>`, "one", "24 words that may be shown are not read: <script>"},
		{`<p>one<template>` + prose + `</template><script>f()</script>`, "one", ": <template>"},
		{`<p style="display: flex">` + strings.Repeat(`<b style="order: 2">a</b><b style="order: 1">b</b>`, 10), strings.Repeat("ab", 10), "20 parts of the page are displayed in another order than they are read"},
		{`<p style="display: flex">` + strings.Repeat(`<b style="order: 1">a</b><b style="order: 1">b</b>`, 10), strings.Repeat("ab", 10), ""},
	} {
		doc := &document.Document{Ext: "html"}
		if err := readtest.Read(t.Context(), doc, []byte(tt.page), document.Options{}); err != nil || doc.Text != tt.text {
			t.Errorf("%.120s: text %q, %v, want %q", tt.page, doc.Text, err, tt.text)
		}
		if notes := fmt.Sprint(doc.Notes); tt.note == "" && len(doc.Notes) > 0 || !strings.Contains(notes, tt.note) {
			t.Errorf("%.120s: notes %s, want %q", tt.page, notes, tt.note)
		}
	}
}
