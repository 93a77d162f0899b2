package markup

import (
	"context"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
)

var (
	rstRule      = format.Pattern(`^(={2,}|-{2,}|~{2,}|\^{2,}|"{2,}|'{2,}|\+{2,}|\*{2,}|#{2,}|\.{3,}|:{3,}|_{2,}|` + "`{2,}" + `|<{2,}|>{2,})$`)
	rstTable     = format.Pattern(`^\s*(?:=+(?: +=+)+|\+[-=+]+\+|-+(?: +-+)+)$`)
	rstDirective = format.Pattern(`^(\s*)\.\.(?:\s+(.*))?$`)
	rstNamed     = format.Pattern(`^(?:\|[^|]+\| +)?([\w:.+-]+) ?::(?:\s+(.*))?$`)
	rstAnonymous = format.Pattern(`^__ \S+$`)
	rstNote      = format.Pattern(`^\[[^\]]+\](?:\s+(.*))?$`)
	rstField     = format.Pattern(`^:([\w -]+):(?:\s+(.*))?$`)
	rstItem      = format.Pattern(`^\s*(?:[-*+•]|\(?(?:\d+|#|[a-zA-Z])[.)])\s+`)

	rstCode    = format.Pattern("``((?s:.+?))``")
	rstRole    = format.Pattern("(?::[\\w:+.-]+:)?`([^`<]*?)(?:\\s*<[^`<>]*>)?`(?::[\\w:+.-]+:)?_{0,2}")
	rstCite    = format.Pattern("\\s?:(?:[a-z]*cite[a-z]*)(?::[\\w:-]+)?:`[^`]*`")
	rstRaised  = format.Pattern(`(?:\\ )?` + ":sup(?:erscript)?:`([^`]*)`" + `(?:\\ )?`)
	rstTarget  = format.Pattern("(?::[\\w:+.-]+:)?`<([^`<>]*)>`_{0,2}")
	rstCall    = format.Pattern(`\s?\[(?:#?[\w-]*|\*)\]_`)
	rstWord    = format.Pattern(`(\pL[\pL\pN]*)__?($|[\s.,;:!?)\]'"])`)
	rstSubst   = format.Pattern(`\|([^|\s][^|\n]*)\|_{0,2}`)
	rstReplace = format.Pattern(`(?m)^[ \t]*\.\.[ \t]+\|([^|\n]+)\|[ \t]+replace::[ \t]*(\S.*(?:\n[ \t]+\S.*)*)`)
	rstUnicode = format.Pattern(`(?m)^[ \t]*\.\.[ \t]+\|([^|\n]+)\|[ \t]+unicode::[ \t]*(\S.*(?:\n[ \t]+[^\s:].*)*)`)
	rstEscape  = format.Pattern(`\\([^\s\\])|\\\s`)
	rstSigns   = pairs("**", "*")
)

// How the body of a directive is read: as text, unchanged, or not at all.
const (
	rstBodyText = iota
	rstBodyCode
	rstBodyGone
)

// rstShort is the name of a target and of an empty comment, which end at a blank line.
const rstShort = "_"

// rstBodies has the directives whose body is not text.
var rstBodies = map[string]int{
	"code-block": rstBodyCode, "code": rstBodyCode, "sourcecode": rstBodyCode, "parsed-literal": rstBodyCode, "prompt": rstBodyCode, "productionlist": rstBodyCode,
	"image": rstBodyGone, "raw": rstBodyGone, "include": rstBodyGone, "toctree": rstBodyGone, "contents": rstBodyGone, "index": rstBodyGone, "math": rstBodyGone, "meta": rstBodyGone,
	"highlight": rstBodyGone, "graphviz": rstBodyGone, "literalinclude": rstBodyGone, "replace": rstBodyGone, "unicode": rstBodyGone, "default-role": rstBodyGone, "role": rstBodyGone,
	"automodule": rstBodyGone, "autoclass": rstBodyGone, "currentmodule": rstBodyGone, "module": rstBodyGone, "plot": rstBodyGone, "bibliography": rstBodyGone, "sectnum": rstBodyGone, "mermaid": rstBodyGone,
}

// rstTitles are directives whose argument is a title, apart from their body.
var rstTitles = format.Names("table", "list-table", "csv-table", "topic", "sidebar", "dropdown", "card", "grid-item-card", "tab", "tab-item")

// rstArguments are directives whose argument is text.
var rstArguments = format.Names("note", "warning", "tip", "important", "hint", "caution", "danger", "attention", "error", "admonition", "rubric", "seealso",
	"deprecated", "versionadded", "versionchanged", "centered", "epigraph", "pull-quote")

// rstShown are options of directives that are text.
var rstShown = format.Names("caption", "header", "title", "subtitle")

// An rstReader reads reStructuredText.
type rstReader struct {
	*writer
	within int    // indent of the open directive, −1 for none
	name   string // of the open directive
	body   int    // how its body is read
	direct bool   // at its start, where options may follow
	quotes bool   // its body is a quotation
	shown  bool

	replaced expansions
}

// RST reads reStructuredText.
func RST(ctx context.Context, src *format.Source) (*format.Text, error) {
	return byLine(ctx, src, func(w *writer, text string) liner {
		replaced := expansionsOf(text, rstReplace())
		for name, value := range expansionsOf(text, rstUnicode()).values {
			replaced.values[name] = rstCharacters(value)
		}
		return &rstReader{writer: w, within: -1, replaced: replaced}
	})
}

// rstCharacters returns the text of a unicode directive: codes of characters among words, up to a comment.
func rstCharacters(value string) string {
	value, _, _ = strings.Cut(value+" ", " .. ")
	var out strings.Builder
	for word := range strings.FieldsSeq(value) {
		code := strings.ToLower(word)
		for _, prefix := range []string{"0x", "u+", "\\u", "\\x", "x", "u", "&#x"} {
			if digits, ok := strings.CutPrefix(code, prefix); ok {
				if n, err := strconv.ParseUint(strings.TrimSuffix(digits, ";"), 16, 21); err == nil {
					word = string(rune(n))
				}
				break
			}
		}
		if n, err := strconv.ParseUint(code, 10, 21); err == nil {
			word = string(rune(n))
		}
		out.WriteString(word)
	}
	return out.String()
}

func (r *rstReader) clean(s string) string {
	if strings.Contains(s, "`") {
		if code := rstCode().FindAllStringSubmatchIndex(s, -1); code != nil {
			var b strings.Builder
			at := 0
			for _, m := range code {
				b.WriteString(r.clean(s[at:m[0]]) + s[m[2]:m[3]])
				at = m[1]
			}
			return b.String() + r.clean(s[at:])
		}
		s = rstCite().ReplaceAllString(s, "")
		s = flow.WithoutNotes(s, rstRaised())
		s = rstTarget().ReplaceAllString(s, "$1")
		s = rstRole().ReplaceAllString(s, "$1")
	}
	if strings.Contains(s, "|") {
		s = rstSubst().ReplaceAllStringFunc(s, func(m string) string {
			name := rstSubst().FindStringSubmatch(m)[1]
			return r.replaced.of(strings.ToLower(name), name)
		})
	}
	if strings.Contains(s, "_") {
		s = rstCall().ReplaceAllString(s, "")
		s = rstWord().ReplaceAllString(s, "$1$2")
	}
	if !strings.ContainsAny(s, `*\`) {
		return s
	}
	return rstEscape().ReplaceAllString(without(rstSigns(), s), "$1")
}

func (r *rstReader) addLine(l string) {
	l = strings.ReplaceAll(l, "\t", "    ")
	indent := len(l) - len(strings.TrimLeft(l, " "))
	if l != "" && r.within >= 0 && indent <= r.within {
		r.leave()
	}
	if r.within >= 0 && r.inBody(l) {
		return
	}
	switch {
	case l == "", rstAnonymous().MatchString(l):
		r.part()
	case rstRule().MatchString(l) && indent == 0:
		r.rule()
	case rstTable().MatchString(l):
		r.part()
	case rstDirective().MatchString(l):
		m := rstDirective().FindStringSubmatch(l)
		r.part()
		r.directive(len(m[1]), m[2])
	case !r.shown && rstField().MatchString(l):
		r.field(l)
	case strings.HasPrefix(strings.TrimSpace(l), "| "):
		r.cells(strings.Split(strings.Trim(strings.TrimSpace(l), "|"), " | "))
	default:
		r.words(l, indent)
	}
}

// words adds a line of text or a list item. If it ends with two colons, code follows.
func (r *rstReader) words(l string, indent int) {
	r.shown = true
	if m := rstItem().FindString(l); m != "" {
		r.part()
		l = l[len(m):]
	}
	if before, ok := strings.CutSuffix(l, "::"); ok {
		if l = strings.TrimSpace(before); l != "" {
			r.line(l + ":")
		}
		r.enter(indent, rstBodyCode)
		return
	}
	r.line(l)
}

// rule makes the previous line a heading if that is a paragraph of one line.
func (r *rstReader) rule() {
	if len(r.lines) != 1 || utf8.RuneCountInString(r.lines[0]) == 0 {
		r.part()
		return
	}
	l := r.lines[0]
	r.lines, r.size = r.lines[:0], 0
	if r.title == "" {
		r.title = flow.OneLine(r.clean(l))
	}
	r.heading(l)
}

func (r *rstReader) field(l string) {
	m := rstField().FindStringSubmatch(l)
	if strings.EqualFold(m[1], "author") || strings.EqualFold(m[1], "authors") {
		r.author = flow.OneLine(m[2])
	} else if len(strings.Fields(m[2])) >= leastProse {
		r.part()
		r.line(m[2])
	}
}

func (r *rstReader) enter(indent, body int) {
	r.within, r.body, r.direct = indent, body, true
}

func (r *rstReader) leave() {
	r.part()
	r.within = -1
	if r.quotes {
		r.quotes = false
		r.quoted(false)
	}
}

// directive reads a line that starts with two dots: a directive, a footnote, a target or a
// comment.
func (r *rstReader) directive(indent int, s string) {
	if m := rstNamed().FindStringSubmatch(s); m != nil {
		name := m[1][strings.LastIndex(m[1], ":")+1:]
		switch name {
		case "include", "literalinclude":
			r.others++
		case "epigraph", "pull-quote", "highlights":
			r.quotes = true
			r.quoted(true)
		}
		if shown := rstArguments[name] || rstTitles[name]; shown && m[2] != "" {
			r.line(m[2])
			if rstTitles[name] {
				r.part()
			}
		} else if _, known := rstBodies[name]; !known && !shown {
			r.countProse(name+"::", m[2])
		}
		r.name = name
		r.enter(indent, rstBodies[name])
		return
	}
	if m := rstNote().FindStringSubmatch(s); m != nil && s != "" {
		r.note(m[1])
		r.enter(indent, rstBodyText)
		return
	}
	r.name = ""
	if r.enter(indent, rstBodyGone); s == "" || s[0] == '_' {
		r.name = rstShort
	}
}

// inBody reads a line of the body of a directive and returns true, or returns false if the
// line is to be read as text.
func (r *rstReader) inBody(l string) bool {
	if r.direct {
		if option := rstField().FindStringSubmatch(strings.TrimSpace(l)); option != nil {
			if rstShown[option[1]] {
				r.line(option[2])
				r.part()
			} else {
				r.countProse(r.name+"::", l)
			}
			return true
		}
	}
	if l == "" && r.name == rstShort {
		r.leave()
		return true
	}
	if r.direct && l == "" {
		r.direct = r.body == rstBodyCode
		if len(r.lines) > 0 {
			r.part()
		}
		return true
	}
	r.direct = false
	switch r.body {
	case rstBodyGone:
		switch r.name {
		case "raw":
			r.unread.Words("raw::", len(strings.Fields(l)))
		case "math":
			r.countProse("math::", l)
		}
		return true
	case rstBodyCode:
		r.code(strings.TrimSpace(l))
		return true
	}
	return false
}
