package markup

import (
	"context"
	"html"
	"strings"

	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
)

var (
	orgHeading  = format.Pattern(`^\*+ +(?:(?:TODO|DONE|NEXT|WAITING|CANCELLED|CANCELED) +)?(?:\[#\w\] +)?(.*?)(?:\s+:[\w@#%:]+:)?$`)
	orgSilenced = format.Pattern(`^\*+ +(?:[A-Z]+ +)?(?:\[#\w\] +)?COMMENT(?: |$)|^\*+ .*:noexport:[\w@#%:]*\s*$`)
	orgDrawer   = format.Pattern(`^\s*:[\w-]+:$`)
	orgPlan     = format.Pattern(`^\s*(?:SCHEDULED|DEADLINE|CLOSED|CLOCK):`)
	orgItem     = format.Pattern(`^\s*(?:[-+]|\d+[.)])(?:\s+\[[ xX-]\])?\s+|^\s+\*\s+`)
	orgNote     = format.Pattern(`^\[fn:[\w-]+\]\s*`)
	orgRule     = format.Pattern(`^\s*-{5,}$`)

	orgInNote   = format.Pattern(`\[fn:[\w-]*:((?:[^\[\]]|\[\[[^\]]*\](?:\[[^\]]*\])?\])*)\]`)
	orgCall     = format.Pattern(`\[fn:[\w-]+\]|<<<?[^<>\n]*>?>>|\[\d*/\d*\]|\[\d*%\]`)
	orgLink     = format.Pattern(`\[\[[^\]]*\]\[([^\]]*)\]\]`)
	orgBare     = format.Pattern(`\[\[(?:file:[^\]]*|([^\]]*))\]\]`)
	orgTerm     = format.Pattern(` ::(?: |$)`)
	orgCite     = format.Pattern(`[ \t]?\[cite(?:/[\w/-]+)?:[^\]]*\]|\b(?:(?:no|foot|auto|paren|text|full)?cite[a-z]*|eqref|ref|label):&?[\w][\w:&;,+-]*|\\(?:\w*cite\w*|\w*ref|label)\{[^}]*\}`)
	orgRaised   = format.Pattern(`\^\{?(\d{1,3})\b\}?`)
	orgScript   = format.Pattern(`_\{([^{}\s]*)\}|\^\{([^{}\s]*[^{}\s\d][^{}\s]*)\}`)
	orgSnippet  = format.Pattern(`@@[\w-]+:(.*?)@@`)
	orgEntity   = format.Pattern(`\\([A-Za-z]+[1-4]*)(?:\{\})?`)
	orgMacro    = format.Pattern(`(?mi)^#\+macro:[ \t]+(\S+)[ \t]+(.*)$`)
	orgArgument = format.Pattern(`\$\d`)
	orgUse      = format.Pattern(`\{\{\{([\w-]+)(?:\(([^{}]*)\))?\}\}\}`)
	orgSigns    = pairs("*", "/", "_", "=", "~", "+")
)

// An orgReader reads Org.
type orgReader struct {
	*writer
	block  string // line that ends the open block
	raw    bool   // the content of the block is kept unchanged
	drop   bool   // the content of the block is omitted
	silent int    // level of the heading whose text is not exported; 0 for none
	inNote bool   // the open paragraph is a footnote
	macros expansions
}

// Org reads an Org mode file.
func Org(ctx context.Context, src *format.Source) (*format.Text, error) {
	return byLine(ctx, src, func(w *writer, text string) liner {
		return &orgReader{writer: w, macros: expansionsOf(text, orgMacro())}
	})
}

func (r *orgReader) clean(s string) string {
	if strings.Contains(s, "{{{") {
		s = orgUse().ReplaceAllStringFunc(s, func(m string) string {
			use := orgUse().FindStringSubmatch(m)
			arguments := strings.Split(use[2], ",")
			return orgArgument().ReplaceAllStringFunc(r.macros.of(strings.ToLower(use[1]), ""), func(n string) string {
				if at := int(n[1] - '1'); 0 <= at && at < len(arguments) {
					return arguments[at]
				}
				return ""
			})
		})
	}
	if strings.ContainsAny(s, "[<") {
		s = orgInNote().ReplaceAllStringFunc(s, func(m string) string {
			r.notes = append(r.notes, orgInNote().FindStringSubmatch(m)[1])
			return ""
		})
		s = orgCall().ReplaceAllString(s, "")
		s = orgLink().ReplaceAllString(s, "$1")
		s = orgBare().ReplaceAllString(s, "$1")
	}
	if strings.Contains(s, ":") || strings.Contains(s, `\`) {
		s = orgCite().ReplaceAllString(s, "")
	}
	if strings.Contains(s, "@@") {
		s = orgSnippet().ReplaceAllStringFunc(s, func(m string) string {
			r.countProse("@@", m)
			return ""
		})
	}
	if strings.Contains(s, `\`) {
		s = orgEntity().ReplaceAllStringFunc(s, func(m string) string {
			if shown := html.UnescapeString("&" + strings.TrimSuffix(m[1:], "{}") + ";"); shown[0] != '&' {
				return shown
			}
			return m
		})
	}
	if strings.Contains(s, "{") {
		s = orgScript().ReplaceAllString(s, "$1$2")
	}
	s = flow.WithoutNotes(s, orgRaised())
	s = orgTerm().ReplaceAllString(s, " ")
	return without(orgSigns(), s)
}

func (r *orgReader) addLine(l string) {
	t := strings.TrimSpace(l)
	if level := len(l) - len(strings.TrimLeft(l, "*")); r.block == "" && orgHeading().MatchString(l) && (r.silent == 0 || level <= r.silent) {
		if r.silent = 0; orgSilenced().MatchString(l) {
			r.part()
			r.silent = level
		}
	}
	switch {
	case r.silent > 0:
		r.unread.Words("COMMENT, :noexport:", len(strings.Fields(l)))
	case r.block != "":
		r.inBlock(l, t)
	case t == "", orgRule().MatchString(l):
		r.part()
	case strings.HasPrefix(t, "#+"):
		r.keyword(t[2:])
	case t == "#", strings.HasPrefix(t, "# "), orgPlan().MatchString(l):
	case orgDrawer().MatchString(l):
		r.part()
		if orgSilent[strings.ToLower(t)] { // others are exported
			r.block, r.drop, r.raw = ":END:", true, false
		}
	case orgHeading().MatchString(l):
		r.heading(orgHeading().FindStringSubmatch(l)[1])
	case strings.HasPrefix(t, ": "):
		r.code(t[2:])
	case strings.HasPrefix(t, "|-"): // rule between rows
	case t[0] == '|':
		r.cells(strings.Split(strings.Trim(t, "|"), "|"))
	case orgNote().MatchString(l):
		r.part()
		r.notes = append(r.notes, l[len(orgNote().FindString(l)):])
		r.inNote = true
		return
	default:
		r.words(l)
		return
	}
	r.inNote = false
}

// words adds a line of text, to the open footnote if there is one.
func (r *orgReader) words(l string) {
	if n := len(r.notes); r.inNote && n > 0 {
		r.notes[n-1] += "\n" + l
		return
	}
	if m := orgItem().FindString(l); m != "" {
		r.part()
		l = l[len(m):]
	}
	r.line(l)
}

// orgSilent are drawers that are not exported.
var orgSilent = format.Names(":properties:", ":logbook:", ":clock:")

// keyword reads a line of metadata or the start of a block.
func (r *orgReader) keyword(l string) {
	name, value, _ := strings.Cut(l, ":")
	value = strings.TrimSpace(value)
	switch strings.ToLower(name) {
	case "title":
		r.title = flow.OneLine(r.title + " " + r.clean(value))
		r.heading(value)
	case "author":
		r.author = flow.OneLine(value)
	case "caption", "subtitle":
		r.part()
		r.line(value)
		r.part()
	case "include":
		r.others++
	case "latex", "html", "abstract", "description":
		r.countProse("#+"+name, value)
	}
	kind, ok := strings.CutPrefix(strings.ToLower(l), "begin_")
	if !ok {
		return
	}
	r.part()
	kind, _, _ = strings.Cut(kind, " ")
	r.block = "#+end_" + kind
	r.raw = kind == "src" || kind == "example"
	r.drop = kind == "comment" || kind == "export"
	if kind == "quote" {
		r.quoted(true)
	}
}

// inBlock reads a line of a block.
func (r *orgReader) inBlock(l, t string) {
	switch {
	case strings.EqualFold(t, r.block):
		r.block = ""
		r.part()
		r.quoted(false)
	case r.drop:
		if strings.HasPrefix(r.block, "#+end_export") {
			r.unread.Words("#+begin_export", len(strings.Fields(l)))
		}
	case r.raw:
		r.code(l)
	case t == "":
		r.part()
	case !strings.HasPrefix(t, "#+"):
		r.words(l)
	}
}
