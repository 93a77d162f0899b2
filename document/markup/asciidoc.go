package markup

import (
	"context"
	"html"
	"strings"
	"sync"

	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
)

var (
	adocHeading = format.Pattern(`^(?:={1,6}|#{1,6}) +(\S.*?)(?: =+)?$`)
	adocField   = format.Pattern(`^:!?([\w-]+)!?:(?: +(.*))?$`)
	adocValue   = format.Pattern(`(?m)^:([\w-]+):[ \t]+(\S(?:.*\\\n)*.*)$`)
	adocUse     = format.Pattern(`\{([\w-]+)\}`)
	adocBlock   = format.Pattern(`^\[.*\]$`)
	adocTitle   = format.Pattern(`^\.[^\s.].*`)
	adocFence   = format.Pattern("^(-{4,}|\\.{4,}|={4,}|\\*{4,}|_{4,}|\\+{4,}|/{4,}|--|```.*|[|,:!]={3,})$")
	adocMacro   = format.Pattern(`^(include|image|video|audio|toc|ifdef|ifndef|ifeval|endif)::[^\[]*\[(.*)\]$`)
	adocItem    = format.Pattern(`^\s*(?:\*{1,6}|-|\.{1,6}|\d+\.|<\d+>|<\.>)\s+(?:\[[ x*]\] +)?`)
	adocTerm    = format.Pattern(`^(\S.*?)(?::{2,4}|;;)(?:\s+(.*))?$`)
	adocCell    = format.Pattern(`(?:^|\s+)(?:\d+(?:\.\d+)?[+*]|\.\d+\+)?[<^>.]*[aehlmdsv]?\|`)

	adocNote   = format.Pattern(`footnote(?:ref:\[[\w-]+,?|:[\w-]*\[)((?:[^\]\\]|\\.)*)\]`)
	adocLink   = format.Pattern(`(?:link:|xref:|mailto:)?(?:https?://|ftp://|\b(?:link|xref|mailto):)[^\s\[\]]*\[(?:"([^"\]]*)"|([^\]]*?))\^?(?:,[^\]=,]*=[^\]]*)?\]`)
	adocCross  = format.Pattern(`<<[^<>,\n]*(?:,([^<>]*))?>>`)
	adocAnchor = format.Pattern(`\[\[[^\]]*\]\]|\[#[\w-]+\]|\(\(\([^)]*\)\)\)|\bindexterm:\[[^\]]*\]|\b(?:anchor|icon|image):[^\s\[]+\[[^\]]*\]|\bmenu:\b`)
	adocKey    = format.Pattern(`\b(?:kbd|btn|pass|stem|latexmath|asciimath|indexterm2):(?:[a-z,]*)\[([^\]]*)\]`)
	adocIndex  = format.Pattern(`\(\(([^()]+)\)\)`)
	adocRole   = format.Pattern(`\[[.\w-]*\]([#*_` + "`" + `])`)
	adocBreak  = format.Pattern(`(?m) \+$`)
	adocCite   = format.Pattern(`\b(?:cite|citenp|bibitem):(?:[\w-]*)\[[^\]]*\]`)
	adocInWord = format.Pattern(`\*\*(\S[^\n]*?)\*\*|__(\S[^\n]*?)__|##(\S[^\n]*?)##|\+{2,3}([^\s+][^\n]*?)\+{2,3}|` + "``(\\S[^\\n]*?)``")
	adocRaised = format.Pattern(`\^([^\s^]+)\^`)
	adocLow    = format.Pattern(`~([^\s~]+)~`)
	adocSigns  = pairs("*", "_", "`", "#", "+")
)

// adocOwn replaces the attributes that AsciiDoc defines.
var adocOwn = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer("{empty}", "", "{blank}", "", "{sp}", " ", "{nbsp}", "\u00a0", "{zwsp}", "", "{wj}", "", "{shy}", "", "{apos}", "'", "{quot}", `"`, "{plus}", "+",
		"{lsquo}", "‘", "{rsquo}", "’", "{ldquo}", "“", "{rdquo}", "”", "{deg}", "°", "{amp}", "&", "{lt}", "<", "{gt}", ">", "{startsb}", "[", "{endsb}", "]")
})

// An adocReader reads AsciiDoc.
type adocReader struct {
	*writer
	fence  string // line that ends the open block
	head   bool   // in the document header
	quotes bool   // the next block is a quotation
	shown  bool   // some text was read
	more   bool   // the value of an attribute continues on the next line

	attributes expansions
}

// AsciiDoc reads AsciiDoc. It reads both branches of conditional directives.
func AsciiDoc(ctx context.Context, src *format.Source) (*format.Text, error) {
	return byLine(ctx, src, func(w *writer, text string) liner {
		return &adocReader{writer: w, attributes: expansionsOf(text, adocValue())}
	})
}

// clean removes inline markup from a paragraph.
func (r *adocReader) clean(s string) string {
	if strings.Contains(s, "{") {
		s = adocOwn().Replace(s)
		s = adocUse().ReplaceAllStringFunc(s, func(m string) string { return r.attributes.of(strings.ToLower(m[1:len(m)-1]), m) })
	}
	if strings.ContainsAny(s, "[(") {
		s = adocNote().ReplaceAllStringFunc(s, func(m string) string {
			if note := adocNote().FindStringSubmatch(m)[1]; note != "" {
				r.notes = append(r.notes, note)
			}
			return ""
		})
		s = adocAnchor().ReplaceAllString(s, "")
		s = adocLink().ReplaceAllString(s, "$1$2")
		s = adocCite().ReplaceAllString(s, "")
		s = adocKey().ReplaceAllString(s, "$1")
		s = adocIndex().ReplaceAllString(s, "$1")
		s = adocRole().ReplaceAllString(s, "$1")
	}
	if strings.Contains(s, "<<") {
		s = adocCross().ReplaceAllString(s, "$1")
	}
	if strings.Contains(s, " +") {
		s = adocBreak().ReplaceAllString(s, "")
	}
	if strings.ContainsAny(s, "*_#`^~+") {
		s = adocInWord().ReplaceAllString(strings.ReplaceAll(s, "`'", "'"), "$1$2$3$4$5")
		s = flow.WithoutNotes(s, adocRaised())
		s = adocLow().ReplaceAllString(s, "$1")
	}
	return html.UnescapeString(without(adocSigns(), s))
}

func (r *adocReader) addLine(l string) {
	if r.inBlock(l) {
		return
	}
	if r.more {
		r.more = strings.HasSuffix(l, " \\")
		return
	}
	if m := adocFence().FindString(l); m != "" {
		r.begin(m)
		return
	}
	switch {
	case l == "":
		r.head = false
		r.part()
		if r.quotes = false; r.fence == "" {
			r.quoted(false)
		}
	case strings.HasPrefix(l, "//") && !strings.HasPrefix(l, "///"), l == "'''", l == "<<<", adocField().MatchString(l):
		r.field(l)
	case adocMacro().MatchString(l):
		if strings.HasPrefix(l, "include") {
			r.others++
		} else if m := adocMacro().FindStringSubmatch(l); strings.HasSuffix(m[1], "def") && m[2] != "" {
			r.line(m[2])
		} else if m[1] == "image" {
			r.countProse("image::", m[2])
		}
	case l == "+":
		r.part()
	case adocHeading().MatchString(l):
		r.section(adocHeading().FindStringSubmatch(l)[1])
	case r.head:
		if r.author == "" {
			r.author, _, _ = strings.Cut(l, " <")
		}
	case len(r.lines) == 0 && adocBlock().MatchString(l):
		r.quotes = strings.HasPrefix(l, "[quote") || strings.HasPrefix(l, "[verse")
		if r.quotes && r.fence == "" {
			r.quoted(true)
		}
	case len(r.lines) == 0 && adocTitle().MatchString(l):
		r.line(l[1:])
		r.part()
	default:
		r.words(l)
	}
}

// field reads the author from a line of the header or an attribute.
func (r *adocReader) field(l string) {
	if m := adocField().FindStringSubmatch(l); m != nil && m[1] == "author" {
		r.author = flow.OneLine(m[2])
	}
	r.more = l[0] == ':' && strings.HasSuffix(l, " \\")
}

// section adds a heading; the first one is the title of the document.
func (r *adocReader) section(s string) {
	if !r.shown && r.Len() == 0 {
		r.head, r.title = true, flow.OneLine(r.clean(s))
	}
	r.shown = true
	r.heading(s)
}

// words adds a line of text, a list item or a term.
func (r *adocReader) words(l string) {
	r.shown = true
	if m := adocItem().FindString(l); m != "" {
		r.part()
		r.line(l[len(m):])
		return
	}
	if m := adocTerm().FindStringSubmatch(l); m != nil && len(r.lines) == 0 {
		r.line(m[1])
		r.part()
		if m[2] != "" {
			r.line(m[2])
		}
		return
	}
	r.line(l)
}

// begin reads the line that starts a block.
func (r *adocReader) begin(fence string) {
	r.part()
	r.shown = true
	switch fence[0] {
	case '=', '*':
		return // its content is parsed like the text around it
	case '_':
		r.quoted(r.quote == 0 || r.quotes)
		r.quotes = false
		return
	}
	if fence == "--" {
		return
	}
	if strings.HasPrefix(fence, "```") {
		fence = "```"
	}
	r.fence = fence
}

// inBlock reads a line of a block whose content is not parsed as text.
func (r *adocReader) inBlock(l string) bool {
	switch {
	case r.fence == "":
		return false
	case l == r.fence:
		r.fence = ""
		r.Gap(flow.Part)
		r.quoted(false)
	case r.fence[0] == '/': // a comment
	case r.fence[0] == '+':
		r.unread.Words("++++", len(strings.Fields(l)))
	case strings.HasSuffix(r.fence, "==="):
		if l != "" {
			r.cells(adocCell().Split(l, -1))
		}
	default:
		r.code(l)
	}
	return true
}
