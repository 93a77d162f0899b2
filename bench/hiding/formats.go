package main

import (
	"fmt"
	"html"
	"strings"
	"unicode/utf16"

	"github.com/otisk/otisk/internal/testing/zipped"
)

// A way hides text in a format. room is set if the hidden text takes up space.
type way struct {
	name string
	room bool
	mark string // in the syntax of the format
}

// A format writes a text, with its hidden pieces hidden in one way.
type format struct {
	name  string
	ways  []way // empty if the format cannot hide text
	write func(text []paragraph, w way) []byte
}

var styleWays = []way{
	{"white", true, `style="color:#fff"`},
	{"white by name", true, `style="color: white"`},
	{"white in numbers", true, `style="color:rgb(255,255,255)"`},
	{"nearly white", true, `style="color:#fefefe"`},
	{"transparent", true, `style="color:transparent"`},
	{"opacity", true, `style="opacity:0"`},
	{"visibility", true, `style="visibility:hidden"`},
	{"display", false, `style="display:none"`},
	{"font-size 0", false, `style="font-size:0"`},
	{"font-size 1px", false, `style="font-size:1px"`},
	{"font-size 1pt", false, `style="font-size:1pt"`},
	{"outside", false, `style="position:absolute;left:-9999px"`},
	{"moved", false, `style="position:absolute;transform:translate(-9999px,0)"`},
	{"cut to a point", false, `style="position:absolute;clip-path:polygon(0 0,0 0,0 0)"`},
	{"masked", false, `style="position:absolute;mask:linear-gradient(transparent,transparent)"`},
	{"transparent, loose", false, `style="position:absolute;color:transparent"`},
	{"on a small scale", false, `style="position:absolute;scale:0"`},
	{"filter", false, `style="position:absolute;filter:opacity(0)"`},
}

var pageWays = append([]way{
	{"class, white", true, `class="w"`},
	{"class, hidden", false, `class="note h"`},
	{"attribute", false, "hidden"},
	{"variable", false, `class="var"`},
	{"calculation", false, `class="calc"`},
	{"attribute selector", false, `data-k="one"`},
	{"of a type", false, `class="note" lang="la"`},
	{"media", false, `class="media"`},
}, styleWays...)

var formats = []format{
	{"txt", nil, func(text []paragraph, _ way) []byte { return []byte(raw(text)) }},
	{"vert", nil, vertical},
	{"html", pageWays, page},
	{"md", styleWays, markdown},
	{"xml", []way{{"white", true, `style="color:#fff"`}, {"rend", false, `rend="hidden"`}, {"tiny", false, `style="font-size:1pt"`}}, tei},
	{"tex", []way{{"white", true, `\textcolor{white}{`}, {"rgb", true, `\textcolor[rgb]{1,1,1}{`}, {"phantom", true, `\phantom{`}, {"tiny", false, `{\fontsize{1}{1}\selectfont `}}, latex},
	{"docx", []way{{"white", true, `<w:color w:val="FFFFFF"/>`}, {"nearly white", true, `<w:color w:val="FEFEFE"/>`}, {"theme", true, `<w:color w:val="FFFFFF" w:themeColor="background1"/>`},
		{"style", true, `<w:rStyle w:val="White"/>`}, {"hidden", false, `<w:vanish/>`}, {"hidden style", false, `<w:rStyle w:val="Hidden"/>`}, {"1 pt", false, `<w:sz w:val="2"/>`}}, word},
	{"odt", odtWays, openDocument},
	{"rtf", rtfWays, rich},
	{"epub", pageWays, book},
	{"pdf", []way{{"white", true, "1 1 1 rg"}, {"nearly white", true, ".99 g"}, {"invisible", true, "3 Tr"}, {"1 pt", false, "/F 1 Tf"}, {"small, white", false, "1 g /F 4 Tf"}, {"small, invisible", false, "3 Tr /F 4 Tf"}}, portable},
}

// render joins paragraphs, with all pieces escaped and hidden ones between before and after.
func render(text []paragraph, escape func(string) string, before, after, start, end string) string {
	var b strings.Builder
	for _, p := range text {
		b.WriteString(start)
		for _, x := range p {
			if x.unseen {
				b.WriteString(before + escape(x.text) + after)
			} else {
				b.WriteString(escape(x.text))
			}
		}
		b.WriteString(end)
	}
	return b.String()
}

const styleSheet = `p { font-family: serif } .w { color: white } .note.h { display: none } :root { --none: none }
.var { display: var(--none) } .calc { font-size: calc(1px - .9px) } p { & [data-k^=on] { display: none } } span:is(.note):not(.h, .q)[lang] { display: none }
@media screen and (min-width: 300px) { .media { display: none } }`

func page(text []paragraph, w way) []byte {
	return []byte(`<!DOCTYPE html><html><head><meta charset="utf-8"><title>T</title><style>` + styleSheet + `</style></head><body>` +
		render(text, html.EscapeString, "<span "+w.mark+">", "</span>", "<p>", "</p>\n") + "</body></html>")
}

var markdownEscape = strings.NewReplacer("*", `\*`, "_", `\_`, "<", "&lt;", "#", `\#`, "[", `\[`, "`", "\\`", "|", `\|`).Replace

func markdown(text []paragraph, w way) []byte {
	return []byte(render(text, markdownEscape, "<span "+w.mark+">", "</span>", "", "\n\n"))
}

func tei(text []paragraph, w way) []byte {
	return []byte(`<?xml version="1.0"?><TEI><text><body>` + render(text, html.EscapeString, "<hi "+w.mark+">", "</hi>", "<p>", "</p>\n") + "</body></text></TEI>")
}

var latexEscape = strings.NewReplacer(`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "%", `\%`, "&", `\&`, "$", `\$`, "#", `\#`, "_", `\_`).Replace

func latex(text []paragraph, w way) []byte {
	return []byte("\\documentclass{article}\n\\usepackage{xcolor}\n\\begin{document}\n" + render(text, latexEscape, w.mark, "}", "", "\n\n") + "\\end{document}\n")
}

func vertical(text []paragraph, _ way) []byte {
	var b strings.Builder
	b.WriteString("<doc>\n")
	for _, p := range text {
		b.WriteString("<p>\n")
		for _, x := range p {
			for _, w := range strings.Fields(x.text) {
				b.WriteString(html.EscapeString(w) + "\n")
			}
		}
		b.WriteString("</p>\n")
	}
	return []byte(b.String() + "</doc>\n")
}

func word(text []paragraph, w way) []byte {
	run := `<w:t xml:space="preserve">`
	body := render(text, html.EscapeString, "</w:t></w:r><w:r><w:rPr>"+w.mark+"</w:rPr>"+run, "</w:t></w:r><w:r>"+run, "<w:p><w:r>"+run, "</w:t></w:r></w:p>")
	return zipped.Of("word/document.xml", `<?xml version="1.0"?><w:document xmlns:w="w"><w:body>`+body+"</w:body></w:document>",
		"word/styles.xml", `<w:styles><w:style w:type="character" w:styleId="White"><w:rPr><w:color w:val="FFFFFF"/></w:rPr></w:style>`+
			`<w:style w:type="character" w:styleId="Hidden"><w:basedOn w:val="Base"/></w:style><w:style w:type="character" w:styleId="Base"><w:rPr><w:vanish/></w:rPr></w:style></w:styles>`)
}

func openDocument(text []paragraph, w way) []byte {
	return zipped.Of("mimetype", "application/vnd.oasis.opendocument.text", "content.xml", `<?xml version="1.0"?><office:document-content>`+openContent(text, w)+`</office:document-content>`)
}

// openContent returns the body of an OpenDocument, for zipped and flat files.
func openContent(text []paragraph, w way) string {
	body := render(text, html.EscapeString, `<text:span text:style-name="T1">`, "</text:span>", `<text:p text:style-name="P1">`, "</text:p>")
	return `<office:automatic-styles><style:style style:name="T1" style:family="text"><style:text-properties ` + w.mark + `/></style:style></office:automatic-styles><office:body><office:text>` + body +
		`</office:text></office:body>`
}

func rich(text []paragraph, w way) []byte {
	escape := func(s string) string {
		var b strings.Builder
		for _, r := range s {
			switch {
			case r == '\\' || r == '{' || r == '}':
				b.WriteString(`\` + string(r))
			case r < 0x80:
				b.WriteRune(r)
			default:
				for _, u := range utf16.Encode([]rune{r}) {
					fmt.Fprintf(&b, `\u%d?`, int16(u))
				}
			}
		}
		return b.String()
	}
	return []byte(`{\rtf1\ansi{\colortbl;\red255\green255\blue255;\red253\green253\blue254;}` + "\n" + render(text, escape, "{"+w.mark, "}", `\pard `, "\\par\n") + "}")
}

func book(text []paragraph, w way) []byte {
	chapter := strings.Replace(string(page(text, w)), "<style>"+styleSheet+"</style>", `<link rel="stylesheet" href="style.css"/>`, 1)
	return zipped.Of("mimetype", "application/epub+zip", "META-INF/container.xml", `<container><rootfiles><rootfile full-path="content.opf"/></rootfiles></container>`,
		"content.opf", `<package><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>`,
		"a.xhtml", chapter, "style.css", styleSheet)
}
