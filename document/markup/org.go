package markup

import (
	"context"
	"regexp"
	"strings"

	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
)

var (
	orgHeading = regexp.MustCompile(`^\*+ +(?:(?:TODO|DONE|NEXT|WAITING|CANCELLED|CANCELED) +)?(?:\[#\w\] +)?(.*?)(?:\s+:[\w@#%:]+:)?$`)
	orgDrawer  = regexp.MustCompile(`^\s*:[\w-]+:$`)
	orgPlan    = regexp.MustCompile(`^\s*(?:SCHEDULED|DEADLINE|CLOSED|CLOCK):`)
	orgItem    = regexp.MustCompile(`^\s*(?:[-+]|\d+[.)])(?:\s+\[[ xX-]\])?\s+|^\s+\*\s+`)
	orgNote    = regexp.MustCompile(`^\[fn:[\w-]+\]\s*`)
	orgRule    = regexp.MustCompile(`^\s*-{5,}$`)

	orgInNote = regexp.MustCompile(`\[fn:[\w-]*:((?:[^\[\]]|\[\[[^\]]*\](?:\[[^\]]*\])?\])*)\]`)
	orgCall   = regexp.MustCompile(`\[fn:[\w-]+\]|<<<?[^<>\n]*>?>>|\[\d*/\d*\]|\[\d*%\]`)
	orgLink   = regexp.MustCompile(`\[\[[^\]]*\]\[([^\]]*)\]\]`)
	orgBare   = regexp.MustCompile(`\[\[(?:file:[^\]]*|([^\]]*))\]\]`)
	orgTerm   = regexp.MustCompile(` ::(?: |$)`)
	orgSigns  = pairs("*", "/", "_", "=", "~", "+")
)

// An orgReader reads Org.
type orgReader struct {
	*writer
	block  string // the end of the open block
	raw    bool   // stays as it is
	drop   bool   // is no text
	inNote bool   // the open paragraph is a note
}

// Org reads a file of Org mode.
func Org(ctx context.Context, src *format.Source) (*format.Text, error) {
	w, text, err := open(ctx, src)
	if err != nil {
		return nil, err
	}
	r := &orgReader{writer: w}
	w.inline = r.clean
	if err := w.each(text, r.take); err != nil {
		return nil, err
	}
	return w.done()
}

func (r *orgReader) clean(s string) string {
	if strings.ContainsAny(s, "[<") {
		s = orgInNote.ReplaceAllStringFunc(s, func(m string) string {
			r.notes = append(r.notes, orgInNote.FindStringSubmatch(m)[1])
			return ""
		})
		s = orgCall.ReplaceAllString(s, "")
		s = orgLink.ReplaceAllString(s, "$1")
		s = orgBare.ReplaceAllString(s, "$1")
	}
	s = orgTerm.ReplaceAllString(s, " ")
	return without(orgSigns, s)
}

func (r *orgReader) take(l string) {
	t := strings.TrimSpace(l)
	switch {
	case r.block != "":
		r.inBlock(l, t)
	case t == "", orgRule.MatchString(l):
		r.part()
	case strings.HasPrefix(t, "#+"):
		r.keyword(t[2:])
	case t == "#", strings.HasPrefix(t, "# "), orgPlan.MatchString(l):
	case orgDrawer.MatchString(l) && !strings.EqualFold(t, ":END:"):
		r.part()
		r.block, r.drop, r.raw = ":END:", true, false
	case orgHeading.MatchString(l):
		r.heading(orgHeading.FindStringSubmatch(l)[1])
	case strings.HasPrefix(t, ": "):
		r.code(t[2:])
	case strings.HasPrefix(t, "|-"): // between rows
	case t[0] == '|':
		r.cells(strings.Split(strings.Trim(t, "|"), "|"))
	case orgNote.MatchString(l):
		r.part()
		r.notes = append(r.notes, l[len(orgNote.FindString(l)):])
		r.inNote = true
		return
	default:
		r.words(l)
		return
	}
	r.inNote = false
}

// words adds a line of text, to a note where one is open.
func (r *orgReader) words(l string) {
	if n := len(r.notes); r.inNote && n > 0 {
		r.notes[n-1] += "\n" + l
		return
	}
	if m := orgItem.FindString(l); m != "" {
		r.part()
		l = l[len(m):]
	}
	r.line(l)
}

// keyword takes a line that says something of the file, or starts a block.
func (r *orgReader) keyword(l string) {
	name, value, _ := strings.Cut(l, ":")
	value = strings.TrimSpace(value)
	switch strings.ToLower(name) {
	case "title":
		r.title = flow.OneLine(r.title + " " + r.clean(value))
		r.heading(value)
	case "author":
		r.author = flow.OneLine(value)
	case "caption":
		r.part()
		r.line(value)
		r.part()
	case "include":
		r.others++
	}
	kind, ok := cutName(l, "begin_")
	if !ok {
		return
	}
	r.part()
	kind, _, _ = strings.Cut(strings.ToLower(kind), " ")
	r.block = "#+end_" + kind
	r.raw = kind == "src" || kind == "example"
	r.drop = kind == "comment" || kind == "export"
	if kind == "quote" {
		r.quoted(true)
	}
}

// inBlock takes a line of a block.
func (r *orgReader) inBlock(l, t string) {
	switch {
	case strings.EqualFold(t, r.block):
		r.block = ""
		r.part()
		r.quoted(false)
	case r.drop:
	case r.raw:
		r.code(l)
	case t == "":
		r.part()
	case !strings.HasPrefix(t, "#+"):
		r.words(l)
	}
}
