package container

import (
	"bytes"
	"context"
	"html"
	"slices"
	"strings"

	"github.com/otisk/otisk/document/charset"
	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
)

// text converts wikitext to approximately the text that a reader of the page sees: links
// become their labels, tables their cells, headings become paragraphs. Templates are
// removed, because their content is in other pages, except for those that only format
// an argument.
func (s *site) text(ctx context.Context, data []byte) (*format.Text, error) {
	w := &wikitext{site: s}
	text, err := w.convert(ctx, string(data))
	if err != nil {
		return nil, err
	}
	t := &format.Text{Parted: true, Encoding: "utf-8"}
	whole := bytes.NewBufferString(text)
	for len(w.notes)+len(w.captions) > 0 {
		beside, captions := append(w.captions, w.notes...), len(w.captions)
		w.captions, w.notes = nil, nil
		for i, note := range beside {
			if note, err = w.convert(ctx, note); err != nil {
				return nil, err
			}
			if note = strings.TrimSpace(note); note == "" {
				continue
			}
			whole.WriteString("\n" + note)
			if i >= captions {
				t.Marks = append(t.Marks, format.Mark{Kind: format.Footnote, Start: whole.Len() - len(note), End: whole.Len()})
			}
			whole.WriteByte('\n')
		}
	}
	t.Text = whole.String()
	w.unread.Note(t)
	return t, t.Check()
}

// convert converts wikitext; notes and captions become those of w.
func (w *wikitext) convert(ctx context.Context, text string) (string, error) {
	for _, step := range []func(string) string{w.withoutElements, w.withoutTemplates, w.withLinkTexts, byLine, withoutMarkup} {
		if err := format.Ended(ctx); err != nil {
			return "", err
		}
		text = step(text)
	}
	return text, nil
}

// Wikitext reads a page in the markup of MediaWiki.
func Wikitext(ctx context.Context, src *format.Source) (*format.Text, error) {
	data, encoding, err := charset.Decode(ctx, src, "")
	if err != nil {
		return nil, err
	}
	data = bytes.ReplaceAll(bytes.TrimPrefix(data, format.BOM), []byte("\r\n"), []byte("\n"))
	t, err := siteOf("").text(ctx, data)
	if t != nil {
		t.Encoding = encoding
	}
	return t, err
}

// wikitext is a page that is converted.
type wikitext struct {
	site     *site
	unread   format.Unread // prose in templates, and captions
	notes    []string      // contents of <ref>
	captions []string      // of pictures
}

// leastProse is the number of words that make an omitted argument or a gallery worth a note.
const leastProse = 20

// countProse counts the words of an omitted part, if it is prose.
func (w *wikitext) countProse(kind, value string) {
	if n := proseWords(value); n >= leastProse {
		w.unread.Words(kind, n)
	}
}

// elements are HTML elements and extension tags whose content is not text of the page.
var elements = []string{"ref", "math", "chem", "gallery", "timeline", "score", "graph", "templatedata", "imagemap", "hiero", "mapframe"}

// literal are elements whose content is shown as it is.
var literal = []string{"nowiki", "pre", "syntaxhighlight", "source"}

// asEntities replaces the characters of markup.
var asEntities = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "[", "&#91;", "]", "&#93;", "{", "&#123;", "}", "&#125;", "'", "&#39;",
	"|", "&#124;", "!", "&#33;", "=", "&#61;", "*", "&#42;", "#", "&#35;", ":", "&#58;", ";", "&#59;", "-", "&#45;", "_", "&#95;")

// withoutElements removes comments, and elements with their content.
func (w *wikitext) withoutElements(text string) string {
	var b strings.Builder
	for unclosed := 0; unclosed < maxUnclosed; {
		at := strings.IndexByte(text, '<')
		if at < 0 {
			break
		}
		b.WriteString(text[:at])
		text = text[at:]
		rest, gone, closed := afterElement(text)
		if !gone {
			b.WriteByte('<')
			rest = text[1:]
		} else if !closed {
			unclosed++
		} else if whole := text[:len(text)-len(rest)]; elementName(text) == "gallery" {
			w.captions = append(w.captions, captions(whole))
		} else if elementName(text) == "ref" {
			if note := contentOf(whole); note != "" {
				w.notes = append(w.notes, note)
			}
		} else if name := elementName(text); name == "nowiki" {
			b.WriteString(asEntities.Replace(html.UnescapeString(contentOf(whole))))
		} else if slices.Contains(literal, name) {
			b.WriteString("\n" + asEntities.Replace(html.UnescapeString(contentOf(whole))) + "\n")
		}
		text = rest
	}
	return b.String() + text
}

// contentOf returns what is between the tags of an element.
func contentOf(element string) string {
	_, content, _ := strings.Cut(element, ">")
	return content[:max(strings.LastIndex(content, "</"), 0)]
}

// captions returns the captions of a gallery, which follow the names of the pictures.
func captions(gallery string) string {
	var b strings.Builder
	for line := range strings.Lines(gallery) {
		_, caption, _ := strings.Cut(line, "|")
		b.WriteString(caption)
	}
	return b.String()
}

// maxUnclosed limits the number of unclosed elements in a page, for each of which the
// search for its end tag fails. Later ones are treated as ordinary tags.
const maxUnclosed = 1000

// afterElement returns the text after the comment or element at the start of text. gone is
// false if text starts with neither; closed is false if the element has no end tag, so
// that only its start tag is removed.
func afterElement(text string) (rest string, gone, closed bool) {
	if strings.HasPrefix(text, "<!--") {
		_, rest, closed = strings.Cut(text, "-->")
		return rest, true, closed
	}
	if name := elementName(text); !slices.Contains(elements, name) && !slices.Contains(literal, name) {
		return "", false, false
	}
	end := strings.IndexByte(text[:min(len(text), reach)], '>')
	if end < 0 {
		return "", false, false
	}
	if text[end-1] == '/' {
		return text[end+1:], true, true
	}
	at := closing(text[end:], elementName(text))
	if at < 0 {
		return text[end+1:], true, false
	}
	rest = text[end+at:]
	return rest[strings.IndexByte(rest, '>')+1:], true, true
}

// elementName returns the name of the element at the start of text, in lower case.
func elementName(text string) string {
	end := 1
	for end < len(text) && end < 24 && (text[end]|0x20 >= 'a' && text[end]|0x20 <= 'z') {
		end++
	}
	return strings.ToLower(text[1:end])
}

// reach limits the search for the end of an element, in bytes, so that many unclosed
// elements do not take quadratic time.
const reach = 16 << 10

// closing returns the offset of the end tag of an element, or -1 if it is not within
// reach.
func closing(text, name string) int {
	near := text[:min(len(text), reach)]
	for from := 0; ; {
		at := strings.Index(near[from:], "</")
		if at < 0 {
			return -1
		}
		if from += at; len(near) >= from+2+len(name) && strings.EqualFold(near[from+2:from+2+len(name)], name) && strings.Contains(near[from:], ">") {
			return from
		}
		from += 2
	}
}

// dressing are templates that show their longest argument unchanged, in the wikis of the
// report languages.
var dressing = []string{"lang", "nowrap", "nobr", "small", "quote", "blockquote", "cquote", "citát", "citace v textu", "vjazyce2", "cizojazyčně", "jazyk", "zitat"}

// named matches the name of an argument; that of a text is usually one of shown.
var (
	named = format.Pattern(`^\s*([\pL\d_-]+)\s*=\s*`)
	shown = []string{"1", "2", "text", "quote", "citát"}
)

// longest returns the longest argument of a template that has no name, or a usual one.
func longest(arguments []string) (text string) {
	for _, argument := range arguments {
		if m := named().FindStringSubmatch(argument); m != nil {
			if argument = argument[len(m[0]):]; !slices.Contains(shown, m[1]) {
				continue
			}
		}
		if len(argument) > len(text) {
			text = argument
		}
	}
	return text
}

// withoutTemplates removes templates, including nested ones, and parameters.
func (w *wikitext) withoutTemplates(text string) string {
	return nested(text, "{{", "}}", func(inner string) string {
		parts := strings.Split(inner, "|")
		switch name := strings.ToLower(strings.TrimSpace(parts[0])); {
		case slices.Contains(dressing, name):
			return longest(parts[1:])
		case len(parts) > 1 && (name == "abbr" || name == "zkratka"):
			return parts[1]
		}
		for _, argument := range parts[1:] {
			w.countProse("{{"+strings.TrimSpace(parts[0]), argument)
		}
		return ""
	})
}

// withLinkTexts replaces links by their labels.
func (w *wikitext) withLinkTexts(text string) string {
	text = nested(text, "[[", "]]", func(inner string) string {
		target, _, piped := strings.Cut(inner, "|")
		place, _, foreign := strings.Cut(target, ":")
		place = strings.ToLower(strings.TrimSpace(place))
		switch {
		case foreign && slices.Contains(w.site.dropped, place):
			if caption := inner[strings.LastIndexByte(inner, '|')+1:]; piped && strings.Contains(caption, " ") && !strings.Contains(caption, "=") {
				w.captions = append(w.captions, caption)
			}
			return ""
		case foreign && !piped && place != "" && len(place) <= 3 && !strings.HasPrefix(inner, ":"):
			return "" // the same page in another language
		case piped && strings.HasSuffix(inner, "|"):
			target, _, _ = strings.Cut(target, " (")
			return target
		case piped:
			return inner[strings.LastIndexByte(inner, '|')+1:]
		}
		return strings.TrimPrefix(inner, ":")
	})
	return external().ReplaceAllString(text, "$1")
}

var external = format.Pattern(`\[(?:https?:|ftp:)?//[^\s\[\]]*[ \t]*([^\[\]\n]*)\]`)

// nested replaces each text between open and close by the result of instead, innermost
// first. Unclosed text stays.
func nested(text, open, close string, instead func(inner string) string) string {
	var levels []*strings.Builder
	top := new(strings.Builder)
	for text != "" {
		at := strings.IndexAny(text, open[:1]+close[:1])
		if at < 0 {
			break
		}
		top.WriteString(text[:at])
		switch text = text[at:]; {
		case strings.HasPrefix(text, open) && len(levels) < maxNested:
			levels = append(levels, top)
			top = new(strings.Builder)
			text = text[len(open):]
		case strings.HasPrefix(text, close) && len(levels) > 0:
			inner := top.String()
			top, levels = levels[len(levels)-1], levels[:len(levels)-1]
			top.WriteString(instead(inner))
			text = text[len(close):]
		default:
			top.WriteByte(text[0])
			text = text[1:]
		}
	}
	top.WriteString(text)
	var b strings.Builder
	for _, level := range levels {
		b.WriteString(level.String())
		b.WriteString(open)
	}
	return b.String() + top.String()
}

// maxNested is the largest depth of nesting that is parsed.
const maxNested = 100

var heading = format.Pattern(`^(=+)\s*(.*?)\s*=+\s*$`)

// byLine removes the markup of lists, headings and tables at the start of lines.
func byLine(text string) string {
	var b strings.Builder
	table := 0
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch bare := strings.TrimLeft(line, " \t:"); {
		case strings.HasPrefix(bare, "{|"):
			table++
			line = ""
		case table > 0 && strings.HasPrefix(bare, "|}"):
			table--
			line = ""
		case table > 0 && strings.HasPrefix(bare, "|-"):
			line = ""
		case table > 0 && strings.HasPrefix(bare, "|+"):
			line = cells(bare[2:]) + "\n"
		case table > 0 && (strings.HasPrefix(bare, "|") || strings.HasPrefix(bare, "!")):
			line = cells(bare[1:])
		case strings.HasPrefix(line, "="):
			line = heading().ReplaceAllString(line, "\n$2\n")
		case strings.HasPrefix(line, "----"), strings.HasPrefix(line, "#REDIRECT"):
			line = ""
		default:
			line = listed(line)
		}
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return b.String()
}

// listed removes list markup from a line and makes a list item a paragraph.
func listed(line string) string {
	bare := strings.TrimLeft(line, "*#:;")
	if len(bare) == len(line) {
		return line
	}
	return "\n" + strings.TrimSpace(bare)
}

// cells returns the text of the cells of a row, without their attributes.
func cells(row string) string {
	var list []string
	for cell := range strings.SplitSeq(strings.ReplaceAll(row, "!!", "||"), "||") {
		if attributes, text, ok := strings.Cut(cell, "|"); ok && strings.Contains(attributes, "=") {
			cell = text
		}
		if cell = strings.TrimSpace(cell); cell != "" {
			list = append(list, cell)
		}
	}
	return strings.Join(list, " ")
}

var (
	lineBreak = format.Pattern(`(?i)</?(?:br|hr|p|div|center|blockquote|li|[uod]l|d[td]|table|caption|t[rdh]|h[1-6])\b[^<>]*>`)
	variants  = format.Pattern(`-\{(?:[^{}|;:]*\|)?(?:\s*zh[\w-]*:)?([^{};]*)[^{}]*\}-`) // of the Chinese scripts
	raised    = format.Pattern(`(?i)<sup\b[^<>]*>([^<>]*)</sup>`)
	tag       = format.Pattern(`</?[a-zA-Z][^<>]*>`)
	quotes    = format.Pattern(`'{2,5}`)
	magic     = format.Pattern(`__[A-ZÁ-Ž]+__`)
	blanks    = format.Pattern(`[ \t]*\n[ \t]*\n\s*`)
)

// withoutMarkup removes the remaining tags and quotes and separates paragraphs by one
// blank line.
func withoutMarkup(text string) string {
	text = flow.WithoutNotes(variants().ReplaceAllString(text, "$1"), raised())
	text = tag().ReplaceAllString(lineBreak().ReplaceAllString(text, "\n"), "")
	text = magic().ReplaceAllString(quotes().ReplaceAllString(text, ""), "")
	return strings.TrimSpace(blanks().ReplaceAllString(html.UnescapeString(text), "\n\n")) + "\n"
}
