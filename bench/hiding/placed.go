package main

import (
	"fmt"
	"strings"

	"github.com/otisk/otisk/internal/testing/zipped"
)

// wordHiders are ways to hide text in a Word document.
func wordHiders() (all []hider) {
	const text = `<w:r><w:t xml:space="preserve">%s </w:t></w:r>`
	for _, w := range []struct{ name, word string }{
		{"phonetic guides", `<w:r><w:ruby><w:rt><w:r><w:t>xq</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>%s</w:t></w:r></w:rubyBase></w:ruby></w:r><w:r><w:t xml:space="preserve"> </w:t></w:r>`},
		{"letters compressed to hardly any width", `<w:r><w:rPr><w:w w:val="1"/></w:rPr><w:t>xq</w:t></w:r>` + text},
		{"alternative content", `<mc:AlternateContent><mc:Choice Requires="nosuch"><w:r><w:t>xq</w:t></w:r></mc:Choice><mc:Fallback>` + text + `</mc:Fallback></mc:AlternateContent>`},
	} {
		all = append(all, hider{"DOCX, words", w.name, func(copied, _ []string, thin bool) ([]byte, error) {
			var b strings.Builder
			for i, word := range copied {
				if i%step(thin) == 1 {
					fmt.Fprintf(&b, w.word, word)
				} else {
					fmt.Fprintf(&b, text, word)
				}
			}
			return wordFile("<w:p>"+b.String()+"</w:p>", "", ""), nil
		}})
	}
	for _, w := range []struct{ name, body, part, content string }{
		{"text box", `<w:p><w:r><w:pict><v:shape><v:textbox><w:txbxContent><w:p><w:r><w:t>%s</w:t></w:r></w:p></w:txbxContent></v:textbox></v:shape></w:pict></w:r></w:p>`, "", ""},
		{"value of a drop-down list", `<w:p><w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:result w:val="0"/><w:listEntry w:val="%s"/></w:ddList></w:ffData></w:fldChar></w:r><w:r><w:instrText>FORMDROPDOWN</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`, "", ""},
		{"control with bound data", `<w:p><w:sdt><w:sdtPr><w:dataBinding w:xpath="/a" w:storeItemID="{1}"/></w:sdtPr><w:sdtContent><w:r><w:t>a</w:t></w:r></w:sdtContent></w:sdt></w:p>`, "customXml/item1.xml", "<a>%s</a>"},
		{"header", "", "word/header1.xml", "<w:hdr><w:p><w:r><w:t>%s</w:t></w:r></w:p></w:hdr>"},
		{"footer", "", "word/footer1.xml", "<w:ftr><w:p><w:r><w:t>%s</w:t></w:r></w:p></w:ftr>"},
		{"chart", "", "word/charts/chart1.xml", "<c:chartSpace><c:chart><c:title><a:p><a:r><a:t>%s</a:t></a:r></a:p></c:title></c:chart></c:chartSpace>"},
	} {
		all = append(all, hider{"DOCX", w.name, func(copied, own []string, _ bool) ([]byte, error) {
			fill := func(s string) string { return strings.Replace(s, "%s", strings.Join(copied, " "), 1) }
			return wordFile("<w:p>"+fmt.Sprintf(text, strings.Join(own, " "))+"</w:p>"+fill(w.body), w.part, fill(w.content)), nil
		}})
	}
	return all
}

// wordFile returns a Word document with this body and a further part, which it refers to.
func wordFile(body, part, content string) []byte {
	const names = ` xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:v="urn:schemas-microsoft-com:vml"`
	members := []string{"word/document.xml", `<?xml version="1.0"?><w:document` + names + `><w:body>` + body + "</w:body></w:document>"}
	if part != "" {
		kind := strings.Trim(strings.TrimSuffix(part[strings.LastIndex(part, "/")+1:], ".xml"), "1")
		members = append(members, part, content, "word/_rels/document.xml.rels",
			`<Relationships><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/`+strings.Replace(kind, "item", "customXml", 1)+`" Target="/`+part+`"/></Relationships>`)
	}
	if strings.HasPrefix(part, "customXml") {
		members = append(members, "customXml/_rels/item1.xml.rels", `<Relationships><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/customXmlProps" Target="itemProps1.xml"/></Relationships>`,
			"customXml/itemProps1.xml", `<ds:datastoreItem ds:itemID="{1}" xmlns:ds="http://schemas.openxmlformats.org/officeDocument/2006/customXml"/>`)
	}
	return zipped.Of(members...)
}

// pageHiders are ways to show text in a web page outside of its text, or by style sheets.
func pageHiders() (all []hider) {
	for _, w := range []struct{ name, word, style string }{
		{"::before of each word", `<b data-a="%s"></b> `, "b::before { content: attr(data-a) }"},
		{"counter() for each letter", "", "b::before { content: counter(k, lower-alpha) }"},
		{"letters hidden by var()", `%s<i>xq</i> `, ":root { --a: 0 } i { font-size: var(--a) }"},
		{"letters hidden by calc()", `%s<i>xq</i> `, "i { font-size: calc(1px - 1px) }"},
		{"letters hidden by :nth-child()", `<u>%s<i></i><i>xq</i></u> `, "i:nth-child(2) { display: none }"},
		{"letters hidden by :is() and nesting", `%s<i>xq</i> `, ":is(p) { & i { display: none } }"},
		{"letters hidden by :has()", `<u>%s<i>xq</i><s></s></u> `, "u:has(s) i { font-size: 0 }"},
		{"letters hidden by :checked", `<input type=checkbox checked>%s<i>xq</i> `, ":checked + i { font-size: 0 }"},
	} {
		all = append(all, hider{"HTML, words", w.name, func(copied, _ []string, thin bool) ([]byte, error) {
			var b strings.Builder
			for i, word := range copied {
				switch {
				case i%step(thin) != 1:
					b.WriteString(word + " ")
				case w.word == "":
					for _, c := range word {
						fmt.Fprintf(&b, `<b style="counter-set: k %d"></b>`, c-'a'+1)
					}
					b.WriteString(" ")
				default:
					fmt.Fprintf(&b, w.word, word)
				}
			}
			return []byte("<!DOCTYPE html><style>" + w.style + "</style><p>" + b.String()), nil
		}})
	}
	const picture = "data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22%3E%3Ctext y=%229%22%3E%s%3C/text%3E%3C/svg%3E"
	for _, w := range []struct{ name, page string }{
		{"content", `<style>p.a::after { content: "%s" }</style><p class=a>`},
		{"content with var()", `<style>:root { --a: "%s" } p.a::after { content: var(--a) }</style><p class=a>`},
		{"content with attr()", `<style>p.a::after { content: attr(title) }</style><p class=a title="%s">`},
		{"::marker", `<style>li::marker { content: "%s" }</style><ul><li>a</ul>`},
		{"list-style-type", `<ul style="list-style-type: '%s'"><li>a</ul>`},
		{"quotes", `<style>q { quotes: "%s" "" }</style><p><q>a</q>`},
		{"open-quote", `<style>p.a { quotes: "%s" "" } p.a::before { content: open-quote }</style><p class=a>`},
		{"counters() with a separator", `<style>i { counter-reset: k } b::before { content: counters(k, " %s ") }</style><i><i><b></b></i></i>`},
		{"@counter-style", `<style>@counter-style a { system: cyclic; symbols: "%s" } b::before { content: counter(k, a) }</style><b></b>`},
		{"@property", `<style>@property --a { syntax: "*"; inherits: false; initial-value: "%s" } b::before { content: var(--a) }</style><b></b>`},
		{"content after :has()", `<style>p:has(b)::after { content: "%s" }</style><p>a<b>b</b>`},
		{"text-overflow", `<style>p.a { width: 3em; overflow: hidden; white-space: nowrap; text-overflow: "%s" }</style><p class=a>a long line of text`},
		{"style sheet in its address", `<link rel=stylesheet href='data:text/css,p.a::after{content:"%s"}'><p class=a>`},
		{"imported style sheet in its address", `<style>@import url('data:text/css,p.a::after{content:"%s"}');</style><p class=a>`},
		{"shadow tree", `<div><template shadowrootmode=open><p>%s</template></div>`},
		{"iframe srcdoc", `<iframe srcdoc="<p>%s"></iframe>`},
		{"iframe with a page in its address", `<iframe src="data:text/html,<p>%s"></iframe>`},
		{"object with a page in its address", `<object data="data:text/html,<p>%s"></object>`},
		{"SVG", `<svg><text y=9>%s</text></svg>`},
		{"img with SVG in its address", `<img src='` + picture + `'>`},
		{"background with SVG in its address", `<p style="background: url('` + picture + `')">a`},
		{"MathML", `<math><mtext>%s</mtext></math>`},
		{"value of a field", `<input value="%s">`},
		{"placeholder of a field", `<input placeholder="%s">`},
		{"label of an option", `<select><option label="%s"></select>`},
		{"alt of a missing picture", `<img src="none.png" alt="%s">`},
		{"document.write()", `<script>document.write("%s")</script>`},
		{"innerHTML of a variable", `<p id=a></p><script>const t = "%s"; a.innerHTML = t</script>`},
		{"event handler", `<p id=a></p><img src=x: onerror="a.textContent = '%s'">`},
		{"template shown by a script", `<template id=a>%s</template><script>document.body.append(a.content)</script>`},
	} {
		all = append(all, hider{"HTML", w.name, func(copied, own []string, _ bool) ([]byte, error) {
			return []byte("<!DOCTYPE html><p>" + strings.Join(own, " ") + "</p>" + strings.Replace(w.page, "%s", strings.Join(copied, " "), 1)), nil
		}})
	}
	return all
}
