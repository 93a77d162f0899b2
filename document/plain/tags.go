package plain

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
)

// Tags are the names of the elements that delimit the documents and the paragraphs of
// a vertical file.
type Tags struct {
	Doc, Par string
	Only     bool // no elements but these separate paragraphs of the text
}

// Separates reports whether an element separates paragraphs of the text.
func (t Tags) Separates(name string) bool {
	return name == t.Par || name == t.Doc || !t.Only && parts[name]
}

// parts are elements that usually separate paragraphs.
var parts = format.Names("p", "head", "div", "text", "doc", "chapter", "table", "item")

// DefaultTags are the names that most corpora use.
var DefaultTags = Tags{Doc: "doc", Par: "p"}

// Names of elements in corpora; those of paragraphs with the most usual first.
var (
	docNames = format.Names("doc", "text", "document", "dokument", "article", "clanek")
	parNames = []string{"p", "par", "para", "paragraph", "odstavec", "odst"}
	// sentenceNames are names of elements that are sentences.
	sentenceNames = format.Names("s", "sent", "sentence", "veta")
	// smaller are elements within a paragraph, which delimit neither.
	smaller = format.Names("s", "sent", "sentence", "veta", "g", "glue", "head", "hi", "phr", "w", "c", "align")
)

// ErrNoDocTag is returned if a vertical file has tags, but none that starts a document.
var ErrNoDocTag error = phrase.Error("cause.tags-doc", "no tag that starts a document")

// FindTags returns the tags of a vertical file from its first bytes. Names in given
// take precedence and are not searched. The document is doc, or else the outermost element
// that has another of the usual names or, if there is none, occurs more than once. The
// paragraph has one of the usual names, or is the only repeated element directly within
// documents; a file without such elements has [DefaultTags].Par. If no element, or several,
// may be the document or the paragraph, the error wraps [ErrNoDocTag] or lists them.
func FindTags(head []byte, given Tags) (Tags, error) {
	o := outlineOf(bytes.TrimPrefix(head, format.BOM))
	found := given
	found.Only = given.Par != ""
	if found.Doc == "" {
		found.Doc = o.document(given.Par)
	}
	if found.Doc == "" && given.Par != "" && o.document("") == given.Par {
		found.Doc = given.Par // each document is one paragraph
	}
	if found.Doc == "" {
		return found, fmt.Errorf("%w; %w", ErrNoDocTag, phrase.Error("cause.tags-list", "its tags are {list}", "list", list(slices.Sorted(maps.Keys(o.count)))))
	}
	if found.Par == "" {
		if found.Par = o.known(found.Doc); found.Par == "" {
			inner := o.within(found.Doc)
			switch len(inner) {
			case 0:
				found.Par = DefaultTags.Par
			case 1:
				found.Par = inner[0]
			default:
				return found, phrase.Error("cause.tags-par", "several tags may start a paragraph: {list}", "list", list(inner))
			}
		}
	}
	return found, nil
}

// An outline has the elements at the start of a vertical file, in order of their first
// occurrence.
type outline struct {
	names  []string
	count  map[string]int    // start tags
	depth  map[string]int    // of the first start tag
	parent map[string]string // of the first start tag
}

// outlineOf reads the tags of complete lines.
func outlineOf(head []byte) *outline {
	o := &outline{count: map[string]int{}, depth: map[string]int{}, parent: map[string]string{}}
	var open []string
	for line := range bytes.Lines(head) {
		name, end, single := TagName(bytes.TrimSpace(line))
		switch {
		case name == "":
		case end:
			if i := slices.Index(open, name); i >= 0 {
				open = open[:i]
			}
		default:
			o.start(name, open)
			if !single {
				open = append(open, name)
			}
		}
	}
	return o
}

func (o *outline) start(name string, open []string) {
	if o.count[name]++; o.count[name] > 1 {
		return
	}
	o.names = append(o.names, name)
	if o.depth[name] = len(open); len(open) > 0 {
		o.parent[name] = open[len(open)-1]
	}
}

// TagName returns the name of the element if the line is a tag, "" otherwise; end reports
// whether it is an end tag, single whether it is an element without content.
func TagName(line []byte) (name string, end, single bool) {
	if len(line) < 3 || line[0] != '<' || line[len(line)-1] != '>' {
		return "", false, false
	}
	inner := line[1 : len(line)-1]
	inner, end = bytes.CutPrefix(inner, []byte("/"))
	inner, single = bytes.CutSuffix(inner, []byte("/"))
	if i := bytes.IndexAny(inner, " \t"); i >= 0 {
		inner = inner[:i]
	}
	if len(inner) == 0 || !isLetter(inner[0]) || bytes.ContainsAny(inner, "<>\"'=") {
		return "", false, false
	}
	return string(inner), end, single
}

func isLetter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' || b >= 0x80 || b == '_' }

// known returns the first of parNames that the outline has, other than except.
func (o *outline) known(except string) string {
	for _, want := range parNames {
		for _, have := range o.names {
			if strings.EqualFold(have, want) && have != except {
				return have
			}
		}
	}
	return ""
}

// document returns the element that is the document; "" if none is, or several may be.
func (o *outline) document(except string) string {
	if o.count[DefaultTags.Doc] > 0 && except != DefaultTags.Doc {
		return DefaultTags.Doc
	}
	usual := func(name string) bool { return docNames[strings.ToLower(name)] && name != except }
	unusual := func(name string) bool {
		lower := strings.ToLower(name)
		return !smaller[lower] && !slices.Contains(parNames, lower) && name != except
	}
	return cmp.Or(o.outermost(2, usual), o.outermost(1, usual), o.outermost(2, unusual))
}

// outermost returns the element of the least depth for which may is true and that occurs
// at least so many times; "" if there is none, or several.
func (o *outline) outermost(times int, may func(name string) bool) string {
	best, several := "", false
	for _, name := range o.names {
		switch {
		case o.count[name] < times || !may(name):
		case best == "" || o.depth[name] < o.depth[best]:
			best, several = name, false
		case o.depth[name] == o.depth[best]:
			several = true
		}
	}
	if several {
		return ""
	}
	return best
}

// within returns the elements directly within an element that occur more than once,
// without those that are smaller than a paragraph.
func (o *outline) within(parent string) (names []string) {
	return lists.Filter(o.names, func(name string) bool {
		return o.parent[name] == parent && o.count[name] > 1 && !smaller[strings.ToLower(name)]
	})
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	if more := len(names) - 10; more > 0 {
		names = append(slices.Clone(names[:10]), "…")
	}
	return "<" + strings.Join(names, ">, <") + ">"
}

// CountTags returns how many lines of a vertical file are tags, and how many of these start a
// sentence.
func CountTags(data []byte) (tags, sentences int64) {
	for line := range bytes.Lines(data) {
		line = bytes.TrimSpace(line)
		if len(line) < 3 || line[0] != '<' || line[len(line)-1] != '>' {
			continue
		}
		tags++
		name := line[1 : len(line)-1]
		if end := bytes.IndexAny(name, " \t/"); end >= 0 {
			name = name[:end]
		}
		if sentenceNames[string(bytes.ToLower(name))] {
			sentences++
		}
	}
	return tags, sentences
}
