package document

import (
	"encoding/base64"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/otisk/otisk/document/internal/sample"
	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/internal/testing/zipped"
)

// A shape is a legal file that is hostile to a reader: it repeats one construct n times.
type shape struct {
	name string // file name; its extension selects the format where the content does not
	what string // that is repeated
	n    int
	data func(t testing.TB, n int) []byte
}

// shapes returns at least one shape for each format, and one for each container and archive.
func shapes() []shape {
	const words = "Příliš žluťoučký kůň úpěl ďábelské ódy "
	rep := strings.Repeat
	text := func(data func(n int) string) func(testing.TB, int) []byte {
		return func(_ testing.TB, n int) []byte { return []byte(data(n)) }
	}
	// nested repeats one string n times, then another.
	nested := func(before, open, middle, shut, after string) func(testing.TB, int) []byte {
		return text(func(n int) string { return before + rep(open, n) + middle + rep(shut, n) + after })
	}
	// numbered repeats a pattern with the numbers from 0 to n.
	numbered := func(n int, pattern string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(pattern, "#", fmt.Sprint(i)))
		}
		return b.String()
	}
	each := func(before, pattern, after string) func(testing.TB, int) []byte {
		return text(func(n int) string { return before + numbered(n, pattern) + after })
	}
	word := func(body func(n int) string, more ...func(n int) string) func(testing.TB, int) []byte {
		return func(t testing.TB, n int) []byte {
			var parts []string
			for _, m := range more {
				parts = append(parts, m(n))
			}
			return sample.DOCX(body(n), parts...)
		}
	}
	is := func(s string) func(int) string { return func(int) string { return s } }
	p := func(s string) string { return "<w:p><w:r><w:t>" + s + "</w:t></w:r></w:p>" }
	list := []shape{
		{"2003.xml", "paragraphs of Word 2003", 3000, func(_ testing.TB, n int) []byte {
			return []byte(`<w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml"><w:body>` + rep(p(words), n) + `</w:body></w:wordDocument>`)
		}},
		{"a.docx", "paragraphs", 3000, word(func(n int) string { return rep(p(words), n) })},
		{"a.docx", "runs in a paragraph", 5000, word(func(n int) string {
			return "<w:p>" + rep("<w:r><w:rPr><w:b/></w:rPr><w:t>word </w:t></w:r>", n) + "</w:p>"
		})},
		{"a.docx", "breaks in a paragraph", 10_000, word(func(n int) string {
			return "<w:p><w:r><w:t>a</w:t>" + rep("<w:br/><w:tab/>", n) + "<w:t>b</w:t></w:r></w:p>"
		})},
		{"a.docx", "hidden runs", 3000, word(func(n int) string {
			return "<w:p>" + rep("<w:r><w:rPr><w:vanish/></w:rPr><w:t>no</w:t></w:r><w:r><w:t>yes </w:t></w:r>", n) + "</w:p>"
		})},
		{"a.docx", "styles on styles", 2000, word(func(n int) string {
			return numbered(n, "<w:p><w:pPr><w:pStyle w:val='s#'/></w:pPr><w:r><w:t>word</w:t></w:r></w:p>")
		},
			is("word/styles.xml"), func(n int) string {
				var b strings.Builder
				for i := range n {
					fmt.Fprintf(&b, "<w:style w:type='paragraph' w:styleId='s%d'><w:basedOn w:val='s%d'/></w:style>", i, i+1)
				}
				return "<w:styles>" + b.String() + "</w:styles>"
			})},
		{"a.docx", "footnotes", 2000, word(func(n int) string {
			return numbered(n, "<w:p><w:r><w:t>word</w:t><w:footnoteReference w:id='#'/></w:r></w:p>")
		},
			is("word/footnotes.xml"), func(n int) string {
				return "<w:footnotes>" + numbered(n, "<w:footnote w:id='#'>"+p("note")+"</w:footnote>") + "</w:footnotes>"
			})},
		{"a.docx", "references of one footnote", 2000, word(func(n int) string {
			return rep("<w:p><w:r><w:t>word</w:t><w:footnoteReference w:id='2'/></w:r></w:p>", n)
		},
			is("word/footnotes.xml"), is("<w:footnotes><w:footnote w:id='2'>"+p("note")+"</w:footnote></w:footnotes>"))},
		{"a.docx", "footnotes of a paragraph", 2000, word(func(n int) string {
			return "<w:p><w:r><w:t>word</w:t>" + numbered(n, "<w:footnoteReference w:id='#'/>") + "</w:r></w:p>"
		},
			is("word/footnotes.xml"), func(n int) string {
				return "<w:footnotes>" + numbered(n, "<w:footnote w:id='#'>"+p("note")+"</w:footnote>") + "</w:footnotes>"
			})},
		{"a.docx", "files in the text", 500, word(func(n int) string { return p(words) + numbered(n, "<w:altChunk r:id='r#'/>") },
			is("word/_rels/document.xml.rels"), func(n int) string {
				return "<Relationships>" + numbered(n, "<Relationship Id='r#' Type='x/aFChunk' Target='none#.txt'/>") + "</Relationships>"
			})},
		{"a.docx", "cells of a row", 3000, word(func(n int) string { return "<w:tbl><w:tr>" + rep("<w:tc>"+p("cell")+"</w:tc>", n) + "</w:tr></w:tbl>" })},
		{"a.docx", "rows", 3000, word(func(n int) string { return "<w:tbl>" + rep("<w:tr><w:tc>"+p("cell")+"</w:tc></w:tr>", n) + "</w:tbl>" })},
		{"a.docx", "tables in tables", 800, word(func(n int) string {
			return rep("<w:tbl><w:tr><w:tc>", n) + p(words) + rep("</w:tc></w:tr></w:tbl>", n)
		})},
		{"a.docx", "text boxes in text boxes", 800, word(func(n int) string {
			return rep("<w:p><w:r><w:t>a</w:t><w:txbxContent>", n) + p(words) + rep("</w:txbxContent></w:r></w:p>", n)
		})},
		{"a.docx", "fields in fields", 1500, word(func(n int) string {
			return "<w:p>" + rep("<w:r><w:fldChar w:fldCharType='begin'/><w:instrText>IF</w:instrText><w:fldChar w:fldCharType='separate'/><w:t>a</w:t></w:r>", n) +
				rep("<w:r><w:t>b</w:t><w:fldChar w:fldCharType='end'/></w:r>", n) + "</w:p>"
		})},
		{"a.docx", "fields that do not end", 3000, word(func(n int) string {
			return rep("<w:p><w:r><w:fldChar w:fldCharType='begin'/><w:instrText>IF a</w:instrText></w:r></w:p>", n) + p(words)
		})},
		{"a.docx", "formulas", 2000, word(func(n int) string { return "<w:p>" + rep("<m:oMath><m:r><m:t>x</m:t></m:r></m:oMath>", n) + "</w:p>" })},
		{"a.docx", "characters of fonts of symbols", 3000, word(func(n int) string {
			return p(words) + "<w:p><w:r>" + rep("<w:sym w:font='Symbol' w:char='F061'/>", n) + "</w:r></w:p>"
		})},
		{"a.docx", "deleted ends of paragraphs", 3000, word(func(n int) string {
			return rep("<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:r><w:t>word </w:t></w:r></w:p>", n)
		})},
		{"a.docx", "entities", 10_000, word(func(n int) string { return p(rep("&amp;", n)) })},
		{"a.docx", "processing instructions", 5000, word(func(n int) string { return p(rep("a<?x?>", n)) })},
		{"a.docx", "attributes of an element", 3000, word(func(n int) string { return "<w:p " + numbered(n, "a#='b' ") + "><w:r><w:t>word</w:t></w:r></w:p>" })},
		{"a.docx", "members", 2000, func(t testing.TB, n int) []byte {
			var more []string
			for i := range n {
				more = append(more, fmt.Sprintf("word/media/%d.png", i), "x")
			}
			return sample.DOCX(p(words), more...)
		}},
		{"a.odt", "paragraphs", 3000, func(t testing.TB, n int) []byte { return sample.ODT("", rep("<text:p>"+words+"</text:p>", n)) }},
		{"a.odt", "styles on styles", 2000, func(t testing.TB, n int) []byte {
			var b strings.Builder
			for i := range n {
				fmt.Fprintf(&b, "<style:style style:name='s%d' style:family='paragraph' style:parent-style-name='s%d'/>", i, i+1)
			}
			return sample.ODT(b.String(), numbered(n, "<text:p text:style-name='s#'>word</text:p>"))
		}},
		{"a.odt", "spans in spans", 3000, func(t testing.TB, n int) []byte {
			return sample.ODT("", "<text:p>"+rep("<text:span>a", n)+rep("</text:span>", n)+"</text:p>")
		}},
		{"a.odt", "notes", 2000, func(t testing.TB, n int) []byte {
			return sample.ODT("", "<text:p>word"+rep("<text:note><text:note-body><text:p>n</text:p></text:note-body></text:note>", n)+"</text:p>")
		}},
		{"a.odt", "notes in notes", 800, func(t testing.TB, n int) []byte {
			return sample.ODT("", "<text:p>word"+rep("<text:note><text:note-body><text:p>n", n)+rep("</text:p></text:note-body></text:note>", n)+"</text:p>")
		}},
		{"a.odt", "spaces", 5000, func(t testing.TB, n int) []byte {
			return sample.ODT("", "<text:p>a"+rep("<text:s text:c='9'/>", n)+"b</text:p>")
		}},
		{"a.fodt", "lists in lists", 1500, text(func(n int) string {
			return `<?xml version="1.0"?><office:document office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text>` +
				rep("<text:list><text:list-item>", n) + "<text:p>" + words + "</text:p>" + rep("</text:list-item></text:list>", n) + "</office:text></office:body></office:document>"
		})},
		{"a.pptx", "shapes of a slide", 2000, func(t testing.TB, n int) []byte { return sample.PPTX("", rep(sample.SlideShape("body", words), n)) }},
		{"a.pptx", "slides", 400, func(t testing.TB, n int) []byte {
			return sample.PPTX("", slices.Repeat([]string{sample.SlideShape("body", words)}, n)...)
		}},
		{"a.odp", "pages", 2000, func(_ testing.TB, n int) []byte {
			return sample.ODF("oasis.opendocument.presentation", "", rep("<draw:page><draw:frame><draw:text-box><text:p>"+words+"</text:p></draw:text-box></draw:frame></draw:page>", n))
		}},
		{"a.xlsx", "rows", 3000, func(t testing.TB, n int) []byte { return sample.XLSX(rep("<row><c><v>1</v></c></row>", n)) }},
		{"a.xlsx", "cells of a row", 3000, func(t testing.TB, n int) []byte { return sample.XLSX("<row>" + rep("<c><v>1</v></c>", n) + "</row>") }},
		{"a.xlsx", "shared strings", 2000, func(t testing.TB, n int) []byte {
			return sample.XLSX(numbered(n, "<row><c t='s'><v>#</v></c></row>"), slices.Repeat([]string{"<t>" + words + "</t>"}, n)...)
		}},
		{"a.xlsx", "runs of a shared string", 3000, func(t testing.TB, n int) []byte {
			return sample.XLSX("<row><c t='s'><v>0</v></c></row>", rep("<r><rPr><color rgb='FFFFFFFF'/></rPr><t>a</t></r>", n))
		}},
		{"a.xlsx", "merged cells", 3000, func(t testing.TB, n int) []byte {
			return sample.XLSX("<row><c><v>1</v></c></row>" + numbered(n, "<mergeCell ref='A#:B#'/>"))
		}},
		{"a.ods", "cells of a row", 3000, func(_ testing.TB, n int) []byte {
			return sample.ODF("oasis.opendocument.spreadsheet", "", "<table:table table:name='A'><table:table-row>"+rep("<table:table-cell><text:p>cell</text:p></table:table-cell>", n)+"</table:table-row></table:table>")
		}},
		{"a.ods", "tables", 2000, func(_ testing.TB, n int) []byte {
			return sample.ODF("oasis.opendocument.spreadsheet", "", numbered(n, "<table:table table:name='A#'><table:table-row><table:table-cell><text:p>cell</text:p></table:table-cell></table:table-row></table:table>"))
		}},
		{"a.epub", "chapters", 300, func(t testing.TB, n int) []byte {
			return sample.EPUB(slices.Repeat([]string{"<html><body><p>" + words}, n)...)
		}},
		{"a.mobi", "records", 2000, func(_ testing.TB, n int) []byte { return sample.Mobi(1, slices.Repeat([]string{"<p>" + words}, n)...) }},
		{"a.mobi", "packed records", 300, func(_ testing.TB, n int) []byte {
			return sample.Mobi(2, slices.Repeat([]string{rep("abc\x80\x1b", 200)}, n)...)
		}},
		{"a.mobi", "links to notes", 2000, func(_ testing.TB, n int) []byte {
			return sample.Mobi(1, numbered(n, "<p>a<a filepos=000#>1</a></p>"))
		}},
		{"a.doc", "pieces", 2000, func(_ testing.TB, n int) []byte {
			return sample.OldWord(slices.Repeat([]sample.Piece{{Text: words + "\r"}}, n))
		}},
		{"a.doc", "hidden pieces", 2000, func(_ testing.TB, n int) []byte {
			return sample.OldWord(append(slices.Repeat([]sample.Piece{{Text: "hidden", Props: sample.Hidden}, {Text: "seen "}}, n), sample.Piece{Text: "\r"}))
		}},
		{"a.doc", "paragraphs", 2000, func(_ testing.TB, n int) []byte { return sample.OldWord([]sample.Piece{{Text: rep(words+"\r", n)}}) }},
		{"a.doc", "footnotes", 1000, func(_ testing.TB, n int) []byte {
			return sample.OldWord(slices.Repeat([]sample.Piece{{Text: "\x02", Props: sample.Special}, {Text: "word\r"}}, n), slices.Repeat([]string{"note\r"}, n)...)
		}},
		{"a.doc", "fields in fields", 3000, func(_ testing.TB, n int) []byte {
			return sample.OldWord([]sample.Piece{{Text: rep("\x13IF\x14a", n) + rep("\x15", n) + "b\r"}})
		}},
		{"b.doc", "pieces of Word 95", 1000, func(_ testing.TB, n int) []byte { return sample.Word95(0x405, slices.Repeat([]string{"slovo\r"}, n)) }},
		{"b.doc", "footnotes of Word 95", 1000, func(_ testing.TB, n int) []byte {
			return sample.Word95(0x405, []string{rep("a\x02 b\r", n)}, slices.Repeat([]string{"\x02 note\r"}, n)...)
		}},
		{"a.ppt", "paragraphs", 2000, func(_ testing.TB, n int) []byte { return sample.OldSlides("", rep(words+"\r", n), "", false) }},
		{"a.xls", "shared strings", 300, func(_ testing.TB, n int) []byte {
			var cells []string
			for i := range n {
				cells = append(cells, sample.XLSRecord(0x00FD, sample.Shorts(i, 0, 0), sample.Numbers(i)))
			}
			return sample.OldBook(slices.Repeat([]string{words}, min(n, 600)), cells...)
		}},
		{"a.xls", "cells", 5000, func(_ testing.TB, n int) []byte {
			return sample.OldBook([]string{words}, slices.Repeat([]string{sample.XLSRecord(0x00FD, sample.Shorts(0, 0, 0), sample.Numbers(0))}, n)...)
		}},
		{"a.xls", "boxes that go on", 2000, func(_ testing.TB, n int) []byte {
			return sample.OldBook(nil, sample.XLSRecord(0x0204, sample.Shorts(0, 0, 0, 1), "\x00a")+sample.XLSRecord(0x005D, sample.Shorts(0x15, 18, 6))+
				rep(sample.XLSRecord(0x01B6, sample.Shorts(0, 0, 0, 0, 0, 3, 16))+sample.XLSRecord(0x003C, "\x00box"), n))
		}},
		{"a.xls", "results that go on", 3000, func(_ testing.TB, n int) []byte {
			return sample.OldBook(nil, sample.XLSRecord(0x0204, sample.Shorts(0, 0, 0, 1), "\x00a"), sample.XLSRecord(0x0207, sample.Shorts(3), "\x00abc"), rep(sample.XLSRecord(0x003C, "\x00"), n))
		}},
		{"a.rtf", "paragraphs", 5000, nested(`{\rtf1 `, `\'9elu\par `, "", "", "}")},
		{"a.rtf", "groups in groups", 4000, nested(`{\rtf1 a`, `{\b a`, "", "}", "}")},
		{"a.rtf", "groups", 5000, nested(`{\rtf1 a`, `{\b a}`, "", "", "}")},
		{"a.rtf", "fonts", 3000, text(func(n int) string {
			return `{\rtf1{\fonttbl` + numbered(n, `{\f#\fcharset238 A;}`) + "}" + numbered(n, `\f# a`) + "}"
		})},
		{"a.rtf", "colours", 3000, text(func(n int) string {
			return `{\rtf1{\colortbl` + rep(`;\red255\green255\blue255`, n) + ";}" + numbered(n, `{\cf# a}`) + "}"
		})},
		{"a.rtf", "footnotes", 3000, nested(`{\rtf1 a`, `{\footnote n}`, "", "", `\par }`)},
		{"a.rtf", "footnotes in footnotes", 1500, nested(`{\rtf1 a`, `{\footnote n`, "", "}", `\par }`)},
		{"a.rtf", "fields in fields", 1500, nested(`{\rtf1 a`, `{\field{\*\fldinst IF}{\fldrslt a`, "", "}}", `\par }`)},
		{"a.rtf", "cells", 5000, nested(`{\rtf1 \trowd`, `\intbl a\cell `, "", "", `\row\par }`)},
		{"a.pdf", "pages", 20, func(_ testing.TB, n int) []byte {
			return sample.PDF(slices.Repeat([]string{sample.At(50, 600, "A line of text")}, n)...)
		}},
		{"a.pdf", "lines of a page", 300, func(_ testing.TB, n int) []byte {
			var page strings.Builder
			for i := range n {
				page.WriteString(sample.At(50, 800-i, "A line of text"))
			}
			return sample.PDF(page.String())
		}},
		{"a.djvu", "pages", 500, func(_ testing.TB, n int) []byte {
			return sample.DjVu(strings.Fields(numbered(n, "strana#.slovo "))...)
		}},
		{"a.djvu", "lines of a page", 2000, func(_ testing.TB, n int) []byte { return sample.DjVu(rep(words+"\n", n)) }},
		{"a.mbox", "messages", 500, func(_ testing.TB, n int) []byte {
			return []byte(rep("From a\n"+string(sample.Mail("", words))+"\n", n))
		}},
		{"a.eml", "parts", 1000, func(_ testing.TB, n int) []byte {
			return sample.Mail(sample.Multipart("mixed", slices.Repeat([]string{"Content-Type: text/plain; charset=utf-8\n\n" + words}, n)...))
		}},
		{"a.eml", "attachments of one name", 300, func(_ testing.TB, n int) []byte {
			return sample.Mail(sample.Multipart("mixed", slices.Repeat([]string{"Content-Type: application/x; name=a.txt\nContent-Transfer-Encoding: base64\n\n" + base64.StdEncoding.EncodeToString([]byte(words))}, n)...))
		}},
		{"a.eml", "lines of a header", 2000, text(func(n int) string {
			return "From: a@b.cz\nSubject: a\nMessage-Id: <a>\nReferences: b" + rep("\n <a@b>", n) + "\n\n" + words
		})},
		{"a.eml", "headers", 2000, text(func(n int) string {
			return "From: a@b.cz\nSubject: a\nMessage-Id: <a>\n" + numbered(n, "X-A#: b\n") + "\n" + words
		})},
		{"a.eml", "encoded words of the subject", 1000, text(func(n int) string {
			return "From: a@b.cz\nMessage-Id: <a>\nSubject:" + rep(" =?utf-8?q?a?=\n", n) + "\n" + words
		})},
		{"a.vert", "documents", 500, nested("", "<doc>\n<p>\nkůň\tkůň\n</p>\n</doc>\n", "", "", "")},
		{"a.vert", "tokens", 5000, nested("<doc>\n", "kůň\tkůň\n<g/>\n", "", "", "</doc>\n")},
		{"a.vert", "documents of one id", 500, nested("", "<doc id=\"a\">\nkůň\n</doc>\n", "", "", "")},
		{"a.html", "paragraphs", 5000, nested("<html>", "<p>"+words, "", "", "")},
		{"a.html", "elements in elements", 3000, nested("<html>", "<div>a", "", "</div>", "")},
		{"a.html", "elements that do not end", 3000, nested("<html>", "<b><i>a<p>", "", "", "")},
		{"a.html", "ends without starts", 5000, nested("<html>a", "</b></i></div>", "", "", "")},
		{"a.html", "open elements and paragraphs", 2000, nested("<html>"+rep("<span>", 500), "<p>a</p>", "", "", "")},
		{"a.html", "open elements and ends of others", 3000, text(func(n int) string { return "<html>" + rep("<span>", n) + "a" + rep("</b>", n) })},
		{"a.html", "open elements and paragraphs in them", 3000, text(func(n int) string { return "<html>" + rep("<span>", n) + rep("<p>a", n) })},
		{"a.html", "list items and open elements", 2000, text(func(n int) string { return "<html><ul>" + rep("<li><b>", n) + "a" })},
		{"a.html", "attributes of an element", 3000, each("<html><p ", "a#=b ", ">"+words)},
		{"a.html", "classes of an element", 3000, each("<html><style>.a{color:red}</style><p class='", "a# ", "'>"+words)},
		{"a.html", "comments", 5000, nested("<html>a", "<!-- b -->c", "", "", "")},
		{"a.html", "starts of comments", 5000, nested("<html>a", "<!-- b ", "", "", "")},
		{"a.html", "angle brackets", 10_000, nested("<html>a", "<", "", "", "")},
		{"a.html", "open tags", 5000, nested("<html>a", "<b ", "", "", "")},
		{"a.html", "open quotes", 3000, nested("<html>a", "<b c='", "", "", "")},
		{"a.html", "scripts", 3000, nested("<html>a", "<script>b</script>", "", "", "")},
		{"a.html", "open scripts", 3000, nested("<html>a", "<script><!--", "", "", "")},
		{"a.html", "style sheets", 250, each("<html>", "<style>.a#{color:red}</style><p class=a#>a", "")},
		{"a.html", "rules", 2000, each("<html><style>", ".a#{color:red}", "</style><p class='a1'>a")},
		{"a.html", "rules and elements", 1000, text(func(n int) string {
			return "<html><style>" + numbered(n, ".a#{color:red}") + "</style>" + numbered(n, "<p class=a#>a")
		})},
		{"a.html", "rules of elements in elements", 1000, text(func(n int) string {
			return "<html><style>.a .b{color:red}</style>" + rep("<div class=b>a", n)
		})},
		{"a.html", "rules of one tag, and elements", 1000, text(func(n int) string {
			return "<html><style>" + numbered(n, "p{color:red;top:#px}") + "</style>" + rep("<p>a", n)
		})},
		{"a.html", "rules below classes, and elements", 1000, text(func(n int) string {
			return "<html><style>" + numbered(n, ".a# p{color:red}") + "</style>" + rep("<p>a", n)
		})},
		{"a.html", "rules below classes, and elements below them", 1000, text(func(n int) string {
			return "<html><style>" + numbered(n, ".a# p{color:red}") + "</style>" + numbered(n, "<div class=a#><p>a</div>")
		})},
		{"a.html", "rules of two classes, and elements", 1000, text(func(n int) string {
			return "<html><style>" + numbered(n, ".a.b#{color:red}") + "</style>" + numbered(n, "<p class='a b#'>a")
		})},
		{"a.html", "rules of generated text, and elements", 1000, text(func(n int) string {
			return "<html><style>" + numbered(n, ".a# p::before{content:'word #'}") + "</style>" + rep("<p>a", n)
		})},
		{"a.html", "quotes in quotes", 3000, nested("<html>", "<blockquote>a", "", "</blockquote>", "")},
		{"a.html", "preformatted line ends", 5000, nested("<html><pre>", "a\r\n", "", "", "")},
		{"a.html", "small elements", 5000, nested("<html><p>", "<b>a</b> ", "", "", "")},
		{"a.html", "hidden elements", 3000, nested("<html><p>", "<b style='display:none'>a</b>b ", "", "", "")},
		{"a.html", "hidden elements in hidden ones", 3000, nested("<html><p>a", "<b style='display:none'>a", "", "</b>", "")},
		{"a.html", "links to notes", 2000, each("<html><p>", "<a href='##'>1</a>", "")},
		{"a.html", "titles", 3000, nested("<html>", "<title>a</title>", "", "", "<p>a")},
		{"a.html", "meta elements", 3000, nested("<html>", "<meta name=author content=b>", "", "", "<p>a")},
		{"a.html", "tables in tables", 1500, nested("<html>", "<table><tr><td>a", "", "</td></tr></table>", "")},
		{"a.html", "entities", 10_000, nested("<html><p>", "&amp;", "", "", "")},
		{"a.html", "notes within a paragraph", 2000, nested("<html><p>a", "<span class='footnote'>n</span>b", "", "", "")},
		{"a.html", "characters from the right", 3000, nested("<html><p>", "<bdo dir=rtl>abc</bdo> ", "", "", "")},
		{"a.dbk", "paragraphs", 3000, nested("<article>", "<para>"+words+"</para>", "", "", "</article>")},
		{"a.dbk", "sections in sections", 1500, nested("<article>", "<section><title>a</title>", "<para>"+words+"</para>", "</section>", "</article>")},
		{"a.dbk", "footnotes in footnotes", 1500, nested("<article><para>a", "<footnote><para>a", "", "</para></footnote>", "</para></article>")},
		{"a.dbk", "declared entities", 1000, text(func(n int) string {
			return "<!DOCTYPE article PUBLIC \"-//OASIS//DTD DocBook XML V4.5//EN\" \"x\" [" + numbered(n, "<!ENTITY a# \"b\">") + "]><article><para>" + numbered(n, "&a#;") + "</para></article>"
		})},
		{"a.nxml", "footnotes", 3000, nested("<article dtd-version='1.2'><body><p>a", "<fn><p>n</p></fn>", "", "", "</p></body></article>")},
		{"a.ipynb", "cells", 1000, nested(`{"cells":[`, `{"cell_type":"markdown","source":["# H\n","text"]},`, `{"cell_type":"code","source":"x"}`, "", `],"nbformat":4}`)},
		{"a.ipynb", "lines of a cell", 3000, nested(`{"cells":[{"cell_type":"markdown","source":[`, `"text\n",`, `"end"`, "", `]}],"nbformat":4}`)},
		{"a.xml", "paragraphs", 3000, nested("<?xml version='1.0'?><TEI><text>", "<p>"+words+"</p>", "", "", "</text></TEI>")},
		{"a.fb2", "paragraphs", 3000, nested("<?xml version='1.0'?><FictionBook><body><section>", "<p>"+words+"</p>", "", "", "</section></body></FictionBook>")},
		{"a.fb2", "sections in sections", 3000, nested("<?xml version='1.0'?><FictionBook><body>", "<section><p>a</p>", "", "</section>", "</body></FictionBook>")},
		{"a.xml", "elements in elements", 3000, nested("<?xml version='1.0'?><TEI><text><p>", "<hi>a", "", "</hi>", "</p></text></TEI>")},
		{"a.xml", "notes in notes", 1500, nested("<?xml version='1.0'?><TEI><text><p>", "a<note>b", "", "</note>", "</p></text></TEI>")},
		{"a.xml", "notes", 3000, nested("<?xml version='1.0'?><TEI><text><p>", "a<note>b</note>", "", "", "</p></text></TEI>")},
		{"a.xml", "cut words", 3000, nested("<?xml version='1.0'?><TEI><text><p>", "wo<lb break='no'/>rd ", "", "", "</p></text></TEI>")},
		{"a.xml", "comments", 3000, nested("<?xml version='1.0'?><TEI><text><p>", "a<!-- b -->", "", "", "</p></text></TEI>")},
		{"a.tex", "paragraphs", 3000, nested(`\documentclass{article}\begin{document}`, words+"\n\n", "", "", `\end{document}`)},
		{"a.tex", "groups in groups", 800, nested(`\documentclass{article}\begin{document}`, "{a", "", "}", `\end{document}`)},
		{"a.tex", "commands in commands", 400, nested(`\documentclass{article}\begin{document}`, `\emph{a`, "", "}", `\end{document}`)},
		{"a.tex", "open groups", 800, nested(`\documentclass{article}\begin{document}`, `{a`, "", "", `\end{document}`)},
		{"a.tex", "open arguments", 2000, nested(`\documentclass{article}\begin{document}`, `\unknown[a`, "", "", `\end{document}`)},
		{"a.tex", "open formulas", 3000, nested(`\documentclass{article}\begin{document}`, `a\[b`, "", "", `\end{document}`)},
		{"a.tex", "formulas", 3000, nested(`\documentclass{article}\begin{document}`, `a $x$ `, "", "", `\end{document}`)},
		{"a.tex", "open environments", 800, nested(`\documentclass{article}\begin{document}`, `a\begin{quote}`, "", "", `\end{document}`)},
		{"a.tex", "open verbatims", 2000, nested(`\documentclass{article}\begin{document}`, `a\verb|b`, "", "", `\end{document}`)},
		{"a.tex", "equations without an end", 2000, nested(`\documentclass{article}\begin{document}a`, `\begin{equation}`, "", "", `\end{document}`)},
		{"a.tex", "footnotes", 3000, nested(`\documentclass{article}\begin{document}a`, `\footnote{n}`, "", "", `\end{document}`)},
		{"a.tex", "footnotes in footnotes", 400, nested(`\documentclass{article}\begin{document}a`, `\footnote{n`, "", "}", `\end{document}`)},
		{"a.tex", "definitions", 1000, text(func(n int) string {
			var b strings.Builder
			for i := range n {
				fmt.Fprintf(&b, `\newcommand{\m%s}{word}`, strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprint(i)))
			}
			return `\documentclass{article}` + b.String() + `\begin{document}` + rep(`\mb `, n) + `\end{document}`
		})},
		{"a.tex", "definitions of one command", 1000, text(func(n int) string {
			return `\documentclass{article}\begin{document}` + numbered(n, `\newcommand{\mine}{word#}\mine `) + `\end{document}`
		})},
		{"a.tex", "definitions by others", 1000, text(func(n int) string {
			name := func(i int) string {
				return strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprint(i))
			}
			var b strings.Builder
			for i := range n {
				fmt.Fprintf(&b, `\newcommand{\m%s}{\m%s}`, name(i), name(i+1))
			}
			return `\documentclass{article}` + b.String() + `\begin{document}\ma ` + words + `\end{document}`
		})},
		{"a.tex", "colours", 1000, each(`\documentclass{article}`, `\definecolor{c#}{rgb}{1,1,1}`, `\begin{document}`+words+`\end{document}`)},
		{"a.tex", "comments", 3000, nested(`\documentclass{article}\begin{document}`, "a % b\n", "", "", `\end{document}`)},
		{"a.tex", "coloured text", 2000, nested(`\documentclass{article}\begin{document}`, `{\color{white}a}b `, "", "", `\end{document}`)},
		{"a.tex", "rows", 3000, nested(`\documentclass{article}\begin{document}\begin{tabular}{ll}`, `a & b \\ `, "", "", `\end{tabular}\end{document}`)},
		{"a.md", "paragraphs", 3000, nested("", words+"\n\n", "", "", "")},
		{"a.md", "emphasis", 3000, nested("", "*a **b ", "", "", "")},
		{"a.md", "closed emphasis", 12_000, nested("", "*a* ", "", "", "")},
		{"a.md", "brackets", 3000, nested("", "[a", "", "", "")},
		{"a.md", "brackets in brackets", 12_000, nested("", "[", "a", "](b)", "")},
		{"a.md", "open links", 12_000, nested("", "[a](b", "", "", "")},
		{"a.md", "code", 12_000, nested("", "`a` ", "", "", "")},
		{"a.md", "open code", 500, text(func(n int) string {
			var b strings.Builder
			for i := range n {
				b.WriteString("a" + rep("`", i%100+1))
			}
			return b.String()
		})},
		{"a.md", "quotes in quotes", 200, nested("", ">", " a", "", "")},
		{"a.md", "lists in lists", 150, text(func(n int) string {
			var b strings.Builder
			for i := range n {
				b.WriteString(rep("  ", i%50) + "- a\n")
			}
			return b.String()
		})},
		{"a.md", "references", 2000, text(func(n int) string { return numbered(n, "[a#] ") + "\n\n" + numbered(n, "[a#]: b#\n") })},
		{"a.md", "footnotes", 2000, text(func(n int) string { return numbered(n, "a[^#] ") + "\n\n" + numbered(n, "[^#]: note\n\n") })},
		{"a.md", "references of one footnote", 2000, text(func(n int) string { return rep("a[^1] ", n) + "\n\n[^1]: note\n" })},
		{"a.md", "rows", 1000, nested("|a|b|\n|-|-|\n", "|c|d|\n", "", "", "")},
		{"a.md", "pipes", 3000, nested("", "|a\n", "", "", "")},
		{"a.md", "angle brackets", 12_000, nested("", "a<b ", "", "", "")},
		{"a.md", "entities", 3000, nested("", "&amp;", "", "", "")},
		{"a.md", "back slashes", 3000, nested("", `\*`, "", "", "")},
		{"a.md", "hard line breaks", 3000, nested("", "a  \n", "", "", "")},
		{"a.md", "headings", 3000, nested("", "# a\n", "", "", "")},
		{"a.md", "setext headings", 3000, nested("", "a\n=\n", "", "", "")},
		{"a.md", "open comments", 3000, nested("", "a <!-- b ", "", "", "")},
		{"a.md", "underscores", 3000, nested("", "a_", "", "", "")},
		{"a.srt", "cues", 3000, nested("", "1\n00:00:01,000 --> 00:00:02,000\n<i>"+words+"</i>\n\n", "", "", "")},
		{"a.adoc", "paragraphs", 3000, nested("= T\n\n", words+"\n\n", "", "", "")},
		{"a.adoc", "marks", 3000, nested("= T\n\n", "*a _b `c ", "", "", "")},
		{"a.adoc", "open footnotes", 3000, nested("= T\n\n", "footnote:[a ", "", "", "")},
		{"a.adoc", "footnotes", 3000, nested("= T\n\n", "a footnote:[n] ", "", "", "\n")},
		{"a.adoc", "open blocks", 3000, nested("= T\n\n", "----\na\n====\nb\n", "", "", "")},
		{"a.adoc", "rows", 3000, nested("= T\n\n|===\n", "|a |b\n", "", "", "|===\n")},
		{"a.adoc", "references", 3000, nested("= T\n\n", "<<a,b>> ((c)) ", "", "", "")},
		{"a.adoc", "open references", 3000, nested("= T\n\n", "<<a ((b ", "", "", "")},
		{"a.rst", "paragraphs", 3000, nested("T\n=\n\n", words+"\n\n", "", "", "")},
		{"a.rst", "marks", 3000, nested("T\n=\n\n", "*a ``b `c ", "", "", "")},
		{"a.rst", "blocks in blocks", 60, text(func(n int) string {
			var b strings.Builder
			for i := range n * 10 {
				b.WriteString(rep(" ", i%50) + ".. note:: a\n\n")
			}
			return b.String()
		})},
		{"a.rst", "footnotes", 3000, text(func(n int) string { return numbered(n, "a [#]_ ") + "\n\n" + numbered(n, ".. [#] note\n") })},
		{"a.wiki", "notes", 2000, nested("", "a<ref>b</ref> ", "", "", "")},
		{"a.wiki", "captions", 2000, nested("", "[[File:a|b c]]", "", "", "")},
		{"a.wiki", "captions in captions", 2000, nested("a ", "[[File:a|b ", "", "]]", "")},
		{"a.org", "headings", 3000, nested("", "* a\n", "", "", "")},
		{"a.org", "marks", 3000, nested("a ", "/a *b =c ", "", "", "")},
		{"a.org", "open blocks", 3000, nested("", "#+BEGIN_QUOTE\na\n", "", "", "")},
		{"a.org", "open drawers", 3000, nested("a\n", ":A:\nb\n", "", "", "")},
		{"a.org", "open links", 3000, nested("a ", "[[a][b ", "", "", "")},
		{"a.textile", "paragraphs", 3000, nested("", words+"\n\n", "", "", "")},
		{"a.textile", "headings and notes", 3000, nested("", "h2. a\n\nfn1. b\n\n", "", "", "")},
		{"a.textile", "marks", 3000, nested("a ", "*a _b @c ", "", "", "")},
		{"a.textile", "open links", 3000, nested("a ", "\"a(b \":c [[ ", "", "", "")},
		{"a.textile", "properties", 3000, nested("p", "(a){b}", ". c", "", "")},
		{"a.textile", "rows", 3000, nested("", "|_. a |\\2. b|\n", "", "", "")},
		{"a.typ", "paragraphs", 3000, nested("", words+"\n\n", "", "", "")},
		{"a.typ", "functions in functions", 60, nested("", "#emph[a ", "", "]", "")},
		{"a.typ", "functions in arguments", 400, nested("", "#text(size: 9pt, [a ", words, "])", "")},
		{"a.typ", "text in nested arguments", 400, text(func(n int) string { return rep("#text([a ", min(n, 900)) + rep(words, n) + rep("])", min(n, 900)) })},
		{"a.typ", "functions", 3000, nested("", "#emph[a] ", "", "", "")},
		{"a.typ", "headings", 3000, nested("", "= a\n", "", "", "")},
		{"a.typ", "open code", 3000, nested("a ", "`a ", "", "", "")},
		{"a.typ", "open fences", 2000, text(func(n int) string { return "a " + rep("``", n) + "`b" })},
		{"a.typ", "open formulas", 3000, nested("a ", "$a ", "", "", "")},
		{"a.typ", "comments", 3000, nested("a ", "/* b */", "", "", "")},
		{"a.typ", "open strings", 2000, nested("a #let x = ", "\"a\\\" ", "", "", "")},
		{"a.typ", "statements", 2000, nested("a ", "#let x = (\n", "", "", "")},
		{"a.typ", "conditions", 2000, nested("a ", "#if x ", "", "", "")},
		{"a.typ", "footnotes", 3000, nested("a ", "#footnote[n]", "", "", "")},
		{"a.typ", "arguments", 2000, nested("a #f(", "\"x\" , ", "", "", ")")},
		{"a.typ", "spaces of arguments", 2000, nested("a #text(", "\"x\"          ", "", "", ")")},
		{"a.txt", "lines", 5000, nested("", words+"\n", "", "", "")},
		{"a.txt", "blank lines", 5000, nested("an exam-\n", "\n", "ple", "", "")},
		{"a.txt", "divided words", 5000, nested("", "> exam-\n> ple exam-\n\n", "", "", "")},
		{"a.txt", "words of a line", 5000, nested("", words, "", "", "")},
		{"a.txt", "characters of a word", 50_000, nested("", "a", "", "", "")},
		{"a.txt", "spaced letters", 10_000, nested("", "a ", "", "", "")},
		{"a.txt", "mixed letters", 5000, nested("", "plаgiаrism ", "", "", "")},
		{"a.txt", "combining marks", 20_000, nested("a", "\u0301", "", "", "")},
		{"a.txt", "invisible characters", 5000, nested("", "wo\u200brd ", "", "", "")},
		{"a.txt", "accents by themselves", 5000, nested("", "a´ ", "", "", "")},
		{"a.txt", "letters of two columns", 2000, nested("", "a b c d\n", "", "", "")},
		{"a.txt", "narrow spaces", 5000, nested("", "a\u200ab\u200ac d ", "", "", "")},
		{"a.txt", "masked words", 5000, nested("", "*w*o*r*d* ", "", "", "")},
		{"a.txt", "letters of other alphabets", 3000, nested("", "\U0001d41a\U0001d41b ", "", "", "")},
		{"a.zip", "members", 300, func(_ testing.TB, n int) []byte {
			var pairs []string
			for i := range n {
				pairs = append(pairs, fmt.Sprintf("%d.txt", i), words)
			}
			return zipped.Of(pairs...)
		}},
		{"a.zip", "members of one name", 300, func(_ testing.TB, n int) []byte { return zipped.Of(slices.Repeat([]string{"a.txt", words}, n)...) }},
		{"a.tar", "members of one name", 300, func(t testing.TB, n int) []byte {
			return sample.Tarred(t, slices.Repeat([]string{"a.txt", words}, n)...)
		}},
		{"a.txt.gz", "members of gzip", 500, func(t testing.TB, n int) []byte { return []byte(rep(string(sample.Gzipped(t, []byte(words), "")), n)) }},
		{"a.jsonl", "records", 1000, each("", `{"id":"#","text":"`+words+`"}`+"\n", "")},
		{"a.jsonl", "records of one id", 1000, nested("", `{"id":"a","text":"`+words+`"}`+"\n", "", "", "")},
		{"a.jsonl", "fields", 2000, each(`{`, `"a#":"b",`, `"text":"`+words+`"}`+"\n")},
		{"a.jsonl", "lists in lists", 2000, nested(`{"text":"a","b":`, "[", "", "]", "}\n")},
		{"a.csv", "rows", 1000, each("id,text\n", "#,"+words+"\n", "")},
		{"a.csv", "rows of one id", 1000, nested("id,text\n", "a,"+words+"\n", "", "", "")},
		{"a.csv", "columns", 1000, text(func(n int) string { return "id,text" + numbered(n, ",c#") + "\n" + rep("a,b"+rep(",d", n)+"\n", 5) })},
		{"a.csv", "open quotes", 1000, nested("id,text\n", "a,\"b\n", "", "", "")},
		{"a.csv", "quotes after a sign", 1000, nested("id,text\n", "a,\"b\"c\n", "", "", "")},
		{"a.csv", "lines of a cell", 2000, nested("id,text\na,\"", "line\n", "", "", "\"\n")},
		{"a.mediawiki.xml", "pages", 300, text(func(n int) string { return growingWiki(n, func(int) string { return words }) })},
		{"a.mediawiki.xml", "open templates", 2000, text(func(n int) string { return growingWiki(1, func(int) string { return "a" + rep("{{b|", n) }) })},
		{"a.mediawiki.xml", "templates in templates", 2000, text(func(n int) string {
			return growingWiki(1, func(int) string { return "a" + rep("{{b|", n) + rep("}}", n) })
		})},
		{"a.mediawiki.xml", "open links", 2000, text(func(n int) string { return growingWiki(1, func(int) string { return "a" + rep("[[b|", n) }) })},
		{"a.mediawiki.xml", "open external links", 2000, text(func(n int) string { return growingWiki(1, func(int) string { return "a" + rep("[http://b ", n) }) })},
		{"a.mediawiki.xml", "open elements", 2000, text(func(n int) string { return growingWiki(1, func(int) string { return "a" + rep("&lt;ref>b ", n) }) })},
		{"a.mediawiki.xml", "open comments", 2000, text(func(n int) string { return growingWiki(1, func(int) string { return "a" + rep("&lt;!-- b ", n) }) })},
		{"a.mediawiki.xml", "open tables", 2000, text(func(n int) string { return growingWiki(1, func(int) string { return "a" + rep("\n{|\n", n) }) })},
		{"a.mediawiki.xml", "links", 2000, text(func(n int) string { return growingWiki(1, func(int) string { return rep("a [[b|c]] ", n) }) })},
		{"a.warc", "records", 300, text(func(n int) string {
			body := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html><p>" + words
			return rep(fmt.Sprintf("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.cz/\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", len(body), body), n)
		})},
	}
	return list
}

// growingWiki returns a dump of MediaWiki of n pages.
func growingWiki(n int, text func(i int) string) string {
	var b strings.Builder
	b.WriteString("<mediawiki><siteinfo><namespaces><namespace key=\"0\"/></namespaces></siteinfo>\n")
	for i := range n {
		fmt.Fprintf(&b, "<page>\n<title>T%d</title>\n<ns>0</ns>\n<revision><format>text/x-wiki</format><text>%s</text></revision>\n</page>\n", i, text(i))
	}
	return b.String() + "</mediawiki>"
}

// TestGrowth reads each shape twice, the second time with twice as many repetitions, and
// compares two measures of work, bytes allocated and checks of the context. Each may double
// and no more. Time is not measured.
//
// Under the race detector nothing is compared: sync.Pool then drops a quarter of its items at
// random, and package regexp, which keeps its matchers in one, allocates up to 32 KB for
// a match.
func TestGrowth(t *testing.T) {
	if need.Race {
		t.Skip("allocations are random under the race detector")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // collecting garbage would take a third of the time
	seen := map[*row]bool{}
	for _, s := range shapes() {
		half, whole := measure(t, s, s.n), measure(t, s, 2*s.n)
		if half.row != nil {
			seen[half.row] = true
		}
		checkGrowth(t, s, "bytes allocated", half.allocated, whole.allocated, 1<<20)
		checkGrowth(t, s, "checks of the context", half.looks, whole.looks, 100)
	}
	for i := range formats {
		if !seen[&formats[i]] {
			t.Errorf("row %d, %s: no shape of it", i, formats[i].name)
		}
	}
}

// checkGrowth compares the work of a shape of n repetitions with that of twice as many.
// Work up to slack does not count.
func checkGrowth(t *testing.T, s shape, measure string, half, whole, slack float64) {
	t.Helper()
	if most := 2.4*half + slack; whole > most {
		t.Errorf("%s with %d and %d %s: %.0f and %.0f %s, want at most %.0f", s.name, s.n, 2*s.n, s.what, half, whole, measure, most)
	}
}

// work is what reading one shape takes.
type work struct {
	row       *row // the format; nil for an archive or a container
	allocated float64
	looks     float64 // at the context
}

// measure reads a shape of n repetitions.
func measure(t *testing.T, s shape, n int) (w work) {
	t.Helper()
	data := s.data(t, n)
	w.row, _ = find(data, extension(s.name))
	ctx := &countdown{t.Context(), math.MaxInt}
	doc := Document{Path: s.name, Ext: extension(s.name)}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := each(ctx, doc, data, Options{}, newNames().distinct("", func(*Document, error) error { return nil }))
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Errorf("%s with %d %s: %v, want a shape that is read", s.name, n, s.what, err)
	}
	w.allocated, w.looks = float64(after.TotalAlloc-before.TotalAlloc), float64(math.MaxInt-ctx.looks)
	return w
}

// growthShape is the environment variable that makes TestGrowthShape read one shape: its
// index in shapes and its repetitions.
const growthShape = "OTISK_GROWTH_SHAPE"

// TestGrowthStatements compares the number of executed statements, which also counts loops
// that allocate nothing. It needs a test binary that counts statements: make growth. Each
// shape is read by a process of its own, since the counters of a test cannot be reset.
func TestGrowthStatements(t *testing.T) {
	if testing.CoverMode() == "" || os.Getenv(growthShape) != "" {
		t.Skip("counts statements: make growth")
	}
	for i, s := range shapes() {
		t.Run(s.name+" "+s.what, func(t *testing.T) {
			checkGrowth(t, s, "statements", statements(t, i, s.n), statements(t, i, 2*s.n), 1<<20)
		})
	}
}

// TestGrowthShape reads one shape for TestGrowthStatements.
func TestGrowthShape(t *testing.T) {
	var i, n int
	if _, err := fmt.Sscan(os.Getenv(growthShape), &i, &n); err != nil {
		t.Skip("is run by TestGrowthStatements")
	}
	measure(t, shapes()[i], n)
}

// statements returns how many statements reading shape i with n repetitions executes.
func statements(t *testing.T, i, n int) (sum float64) {
	t.Helper()
	profile := filepath.Join(t.TempDir(), "profile")
	cmd := exec.Command(os.Args[0], "-test.run=^TestGrowthShape$", "-test.coverprofile="+profile)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %d", growthShape, i, n))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("shape %d: %v: %s", i, err, out)
	}
	data, err := os.ReadFile(profile)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) { // file:from,to statements count
		if f := strings.Fields(line); len(f) == 3 {
			size, _ := strconv.ParseFloat(f[1], 64)
			count, _ := strconv.ParseFloat(f[2], 64)
			sum += size * count
		}
	}
	return sum
}
