package main

import (
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/otisk/otisk/internal/testing/zipped"
)

// markups are formats of markup, of mail and of slides. Most cannot hide text.
var markups = []format{
	{"adoc", nil, func(text []paragraph, _ way) []byte { return []byte(raw(text)) }},
	{"rst", nil, func(text []paragraph, _ way) []byte { return []byte(escaped(text, `\`, "*`|_")) }},
	{"org", nil, func(text []paragraph, _ way) []byte { return []byte(raw(text)) }},
	{"typ", nil, func(text []paragraph, _ way) []byte { return []byte(escaped(text, `\`, "*_$#@<`=~/[]")) }},
	{"ipynb", styleWays, notebook},
	{"dbk", nil, func(text []paragraph, _ way) []byte {
		return []byte(`<?xml version="1.0"?><article xmlns="http://docbook.org/ns/docbook">` + render(text, html.EscapeString, "", "", "<para>", "</para>\n") + "</article>")
	}},
	{"nxml", nil, func(text []paragraph, _ way) []byte {
		return []byte(`<?xml version="1.0"?><article article-type="research-article"><body>` + render(text, html.EscapeString, "", "", "<p>", "</p>\n") + "</body></article>")
	}},
	{"eml", pageWays, message},
	{"fodt", odtWays, flat},
	{"pptx", slideWays, slides},
}

// odtWays, slideWays and rtfWays are the ways to hide text in these formats.
var (
	odtWays   = []way{{"white", true, `fo:color="#ffffff"`}, {"nearly white", true, `fo:color="#fdfdfd"`}, {"hidden", false, `text:display="none"`}, {"1 pt", false, `fo:font-size="1pt"`}}
	slideWays = []way{{"in the colour of its box", true, `<a:solidFill><a:srgbClr val="FFF0F0"/></a:solidFill>`}}
	rtfWays   = []way{{"white", true, `\cf1 `}, {"nearly white", true, `\cf2 `}, {"hidden", false, `\v `}, {"1 pt", false, `\fs2 `}}
)

// converted are the formats that LibreOffice writes, which takes minutes.
var converted = []format{
	{"doc", rtfWays, func(text []paragraph, w way) []byte { return convert(rich(text, w), "rtf", "doc") }},
	{"ppt", nil, func(text []paragraph, w way) []byte { return convert(slides(text, w), "pptx", "ppt") }},
	{"odp", nil, func(text []paragraph, w way) []byte { return convert(slides(text, w), "pptx", "odp") }},
}

// convert converts a file by LibreOffice. It returns nil if that fails.
func convert(data []byte, from, to string) []byte {
	dir, err := os.MkdirTemp("", "otisk-convert")
	if err != nil {
		return nil
	}
	defer os.RemoveAll(dir)
	source := filepath.Join(dir, "a."+from)
	if err := os.WriteFile(source, data, 0o600); err != nil {
		return nil
	}
	profile := filepath.Join(os.TempDir(), "otisk-convert-profile") // a new one takes seconds
	cmd := exec.Command("soffice", "-env:UserInstallation=file://"+profile, "--headless", "--convert-to", to, "--outdir", dir, source)
	if out, err := cmd.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "hiding: soffice: %v %s\n", err, out)
		return nil
	}
	made, err := os.ReadFile(filepath.Join(dir, "a."+to))
	if err != nil {
		return nil
	}
	return made
}

// escaped returns a text with sign before each character of markup.
func escaped(text []paragraph, sign, markup string) string {
	return render(text, func(s string) string {
		var b strings.Builder
		for _, r := range s {
			if strings.ContainsRune(markup, r) {
				b.WriteString(sign)
			}
			b.WriteRune(r)
		}
		return b.String()
	}, "", "", "", "\n\n")
}

func notebook(text []paragraph, w way) []byte {
	data, err := json.Marshal(map[string]any{"nbformat": 4, "nbformat_minor": 2, "metadata": struct{}{},
		"cells": []any{map[string]any{"cell_type": "markdown", "metadata": struct{}{}, "source": string(markdown(text, w))}}})
	if err != nil {
		panic(err) // it is made of strings
	}
	return data
}

func message(text []paragraph, w way) []byte {
	return []byte("From: a@example.org\r\nTo: b@example.org\r\nSubject: T\r\nMIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n" + string(page(text, w)))
}

func flat(text []paragraph, w way) []byte {
	return []byte(`<?xml version="1.0"?><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" office:mimetype="application/vnd.oasis.opendocument.text">` +
		openContent(text, w) + `</office:document>`)
}

// slides returns a presentation of one slide with a coloured box.
func slides(text []paragraph, w way) []byte {
	const names = ` xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	body := render(text, html.EscapeString, `</a:t></a:r><a:r><a:rPr lang="en">`+w.mark+`</a:rPr><a:t>`, `</a:t></a:r><a:r><a:t>`, `<a:p><a:r><a:t>`, `</a:t></a:r></a:p>`)
	return zipped.Of(
		"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>`+
			`<Override PartName="/ppt/presentation.xml" ContentType="application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"/><Override PartName="/ppt/slides/slide1.xml" ContentType="application/vnd.openxmlformats-officedocument.presentationml.slide+xml"/></Types>`,
		"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="`+office+`officeDocument" Target="ppt/presentation.xml"/></Relationships>`,
		"ppt/presentation.xml", `<p:presentation`+names+`><p:sldIdLst><p:sldId id="256" r:id="rId1"/></p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/></p:presentation>`,
		"ppt/_rels/presentation.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="`+office+`slide" Target="slides/slide1.xml"/></Relationships>`,
		"ppt/slides/slide1.xml", `<p:sld`+names+`><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/><p:sp><p:nvSpPr><p:cNvPr id="2" name="T"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr>`+
			`<p:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="9000000" cy="6000000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom><a:solidFill><a:srgbClr val="FFF0F0"/></a:solidFill></p:spPr><p:txBody><a:bodyPr/>`+body+`</p:txBody></p:sp></p:spTree></p:cSld></p:sld>`)
}
