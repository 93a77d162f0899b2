// Package pick selects the documents of an index that a person means: by name, by id, by
// the path of a file, by an archive or folder, by a pattern, or by conditions.
//
// [New] takes what was typed, [Picker.Match] reports whether a document is meant, and
// [Picker.Missed] returns what matched nothing, with similar names. Composed accents, as
// keyboards type them, and separate ones, as names of files from a Macintosh have them, are
// equal. [Only] returns a reader of the selected documents, for a search in part of an
// index.
package pick

import (
	"cmp"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
	"golang.org/x/text/unicode/norm"
)

// Options determine the meaning of the arguments.
type Options struct {
	Prefix  *string                  // only documents with this prefix; nil for all
	Folders bool                     // a folder or prefix means all documents in it
	File    func(path string) string // makes a path absolute, without links, as in [store.File]
	Bases   []store.Base
	Where   Where // conditions for all documents
	Labels  bool  // an argument may be a label or a condition
}

// A Picker decides which documents are meant.
type Picker struct {
	opts  Options
	means []*meaning
	// Labels of the documents matched so far, in lower case.
	labels map[string]bool
}

// A meaning holds the possible meanings of one argument.
type meaning struct {
	typed   string
	id      store.DocID    // if isID
	isID    bool           // the argument is the id of a document
	file    string         // the argument as the path of a file
	pattern *regexp.Regexp // nil unless it is a pattern
	last    bool           // the pattern matches the last part of names
	where   Where          // nil unless it is a condition
	found   int
	inside  int    // documents in the folder typed, if a folder does not mean its documents
	lower   string // the last element of the argument, in lower case
	near    []nearName
}

// New returns a picker for arguments. Without arguments, it selects all documents that the options
// allow.
func New(typed []string, opts Options) *Picker {
	p := &Picker{opts: opts, labels: map[string]bool{}}
	for _, t := range typed {
		t = norm.NFC.String(t)
		m := &meaning{typed: t, last: !strings.Contains(t, "/") && !strings.Contains(t, "**"), lower: strings.ToLower(lastPart(t))}
		m.id, m.isID = idOf(t)
		if opts.File != nil {
			m.file = norm.NFC.String(opts.File(t))
		}
		if strings.ContainsAny(t, "*?[") {
			m.pattern = compile(t)
		}
		if opts.Labels {
			m.where = asLabel(t)
		}
		p.means = append(p.means, m)
	}
	return p
}

// Match reports whether d is meant.
func (p *Picker) Match(d *store.Document) bool {
	if !p.admits(d) {
		return false
	}
	p.note(d)
	matched := len(p.means) == 0
	for _, m := range p.means {
		if m.matches(d, p) {
			m.found++
			matched = true
		} else {
			m.approach(d)
		}
	}
	return matched && p.opts.Where.holds(d)
}

// admits reports whether d has the prefix that the options require.
func (p *Picker) admits(d *store.Document) bool {
	return p.opts.Prefix == nil || d.Prefix == *p.opts.Prefix
}

// names returns the names by which d can be typed, with accents composed: its name and, if
// the options require a prefix, its path.
func (p *Picker) names(d *store.Document) []string {
	name := norm.NFC.String(d.Name())
	if p.opts.Prefix != nil && d.Prefix != "" {
		return []string{name, norm.NFC.String(d.Path)}
	}
	return []string{name}
}

func (m *meaning) matches(d *store.Document, p *Picker) bool {
	if m.isID && m.id == d.ID || m.where != nil && m.where.holds(d) {
		return true
	}
	if d.Prefix != "" && m.typed == norm.NFC.String(d.Prefix) {
		return m.whole(p)
	}
	for _, name := range p.names(d) {
		if m.named(name, m.typed, "/", p) || m.pattern != nil && m.pattern.MatchString(m.part(name)) {
			return true
		}
	}
	if m.file == "" || p.opts.Prefix == nil && d.Prefix != "" { // a path means documents without a prefix
		return false
	}
	place := norm.NFC.String(store.File(p.opts.Bases, d.Base, d.Path))
	return place != "" && m.named(place, m.file, string(filepath.Separator), p)
}

func idOf(typed string) (store.DocID, bool) {
	id, err := strconv.ParseUint(typed, 16, 64)
	return store.DocID(id), err == nil && store.DocID(id).String() == typed
}

// named reports whether name equals typed, or is in the archive or folder typed.
func (m *meaning) named(name, typed, separator string, p *Picker) bool {
	rest, ok := strings.CutPrefix(name, strings.TrimSuffix(typed, separator))
	switch {
	case !ok:
		return false
	case rest == "" || strings.HasPrefix(rest, "!/"):
		return true
	case !strings.HasPrefix(rest, separator):
		return false // theses2 is not in theses/
	}
	return m.whole(p)
}

// whole reports whether a folder or a prefix means all documents in it.
func (m *meaning) whole(p *Picker) bool {
	if !p.opts.Folders {
		m.inside++
	}
	return p.opts.Folders
}

func (m *meaning) part(name string) string {
	if m.last {
		return lastPart(name)
	}
	return name
}

func lastPart(name string) string { return path.Base(strings.ReplaceAll(name, `\`, "/")) }

// compile compiles a shell pattern: * and ? match within one part of a name, ** across
// parts, [abc] and [!a-c] one character.
func compile(pattern string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString(`(?s)^`)
	for i := 0; i < len(pattern); i++ {
		rest := pattern[i:]
		switch {
		case strings.HasPrefix(rest, "**/"):
			b.WriteString(`(?:.*/)?`)
			i += 2
		case strings.HasPrefix(rest, "**"):
			b.WriteString(`.*`)
			i++
		case rest[0] == '*':
			b.WriteString(`[^/]*`)
		case rest[0] == '?':
			b.WriteString(`[^/]`)
		case rest[0] == '[' && strings.Contains(rest[1:], "]"):
			end := strings.IndexByte(rest[1:], ']') + 1
			set := strings.ReplaceAll(rest[1:end], `\`, `\\`)
			b.WriteString("[" + strings.Replace(set, "!", "^", min(1, strings.Count(set[:min(1, len(set))], "!"))) + "]")
			i += end
		default:
			next := strings.IndexAny(rest[1:], "*?[")
			if next < 0 {
				next = len(rest) - 1
			}
			b.WriteString(regexp.QuoteMeta(rest[:next+1]))
			i += next
		}
	}
	re, err := regexp.Compile(b.String() + `$`)
	if err != nil { // such as [] or [z-a]: taken literally
		return regexp.MustCompile(`^` + regexp.QuoteMeta(pattern) + `$`)
	}
	return re
}

// A Miss is something typed that matches no document.
type Miss struct {
	Typed string
	Near  []string // similar names, the nearest first
	Only  int      // number of documents in the folder typed, if the options do not let a folder mean them
}

func (m Miss) Error() string { return m.phrase().Error() }

// Message returns the name and the arguments of the message for m.
func (m Miss) Message() (name string, args []any) { return m.phrase().Message() }

func (m Miss) phrase() *phrase.Phrase {
	switch {
	case m.Only > 0:
		return phrase.Error("pick.folder", "{cause}: a folder with {n} documents", "cause", store.ErrNotFound, "n", m.Only)
	case len(m.Near) > 0:
		return phrase.Error("pick.near", "{cause}; similar names: {names}", "cause", store.ErrNotFound, "names", strings.Join(m.Near, ", "))
	}
	return phrase.Error("pick.none", "document not in index")
}

// Missed returns the arguments that have matched no document so far.
func (p *Picker) Missed() (list []Miss) {
	for _, m := range p.means {
		if m.found > 0 {
			continue
		}
		miss := Miss{Typed: m.typed, Only: m.inside}
		miss.Near = append(miss.Near, lists.Map(m.near, func(n nearName) string { return n.name })...)
		list = append(list, miss)
	}
	return list
}

type nearName struct {
	name     string
	distance int
}

const maxNear = 3

// approach keeps the name of d if it is among the most similar ones: its last part has a
// small edit distance.
func (m *meaning) approach(d *store.Document) {
	if m.found > 0 || m.pattern != nil {
		return
	}
	limit := max(1, len(m.lower)/4)
	n := nearName{d.Name(), distance(m.lower, strings.ToLower(norm.NFC.String(lastPart(d.Path))), limit)}
	if n.distance > limit {
		return
	}
	m.near = append(m.near, n)
	slices.SortStableFunc(m.near, func(a, b nearName) int { return cmp.Compare(a.distance, b.distance) })
	m.near = m.near[:min(maxNear, len(m.near))]
}

// distance returns the edit distance of a and b, or a number above limit if it exceeds
// limit.
func distance(a, b string, limit int) int {
	x, y := []rune(a), []rune(b)
	if len(x)-len(y) > limit || len(y)-len(x) > limit {
		return limit + 1
	}
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j := range y {
			change := diagonal
			if x[i] != y[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(y)]
}
