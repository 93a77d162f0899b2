package tex

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/internal/lists"
)

// Terms of a glossary, abbreviations and symbols are defined in one place and shown in others: where the text uses them, and
// in a list. \gls{soa} is shown as "service-oriented architecture (SOA)" first, and as "SOA" later.

// A term is an entry of a list of terms. Its parts are LaTeX.
type term struct {
	list        string // the command that defined it
	short, long string // name and description; the short and the long form of an abbreviation
	plural      string
	used, shown bool // its first use was shown; its long part was
}

// abbreviates reports whether the long form of a term is shown at its first use.
func (t *term) abbreviates() bool { return t.list != "newglossaryentry" && t.long != "" }

var termDefinition = format.Pattern(`\\(newglossaryentry|longnewglossaryentry|newacronym|newabbreviation|DeclareAcronym|nomenclature|acro)\s*[\[{]`)

// termDefinitions are the commands that define terms and show nothing in their place.
var termDefinitions = format.Names("newglossaryentry", "longnewglossaryentry", "newacronym", "newabbreviation", "DeclareAcronym", "nomenclature")

// A termForm is the form in which a command shows a term.
type termForm int

const (
	shortForm termForm = iota
	longForm
	fullForm  // both
	firstForm // both at the first use of an abbreviation, later the short form
)

// termUses has the commands that show terms.
var termUses = map[string]termForm{
	"gls": firstForm, "Gls": firstForm, "GLS": firstForm, "glspl": firstForm, "Glspl": firstForm, "glstext": shortForm, "glsname": shortForm,
	"glsdesc": longForm, "glsentryname": shortForm, "glsentrytext": shortForm, "glsentryshort": shortForm, "glsentrylong": longForm, "glsentrydesc": longForm,
	"acrshort": shortForm, "acrlong": longForm, "acrfull": fullForm, "glsxtrshort": shortForm, "glsxtrlong": longForm, "glsxtrfull": fullForm,
	"ac": firstForm, "Ac": firstForm, "acp": firstForm, "acs": shortForm, "acl": longForm, "acf": fullForm,
}

// termPlurals are those that show the plural.
var termPlurals = format.Names("glspl", "Glspl", "acp")

// termLists has the commands that print lists of terms, by the command that defines these: "" for all.
var termLists = map[string]string{
	"printglossaries": "", "printnoidxglossaries": "", "printunsrtglossaries": "", "printacronyms": "newacronym", "printnomenclature": "nomenclature",
	"printglossary": "newglossaryentry", "printnoidxglossary": "newglossaryentry", "printunsrtglossary": "newglossaryentry",
}

// defineTerms reads the definitions of terms in a text.
func (r *latexReader) defineTerms(text string) {
	in := &latexReader{s: text, endless: map[string]int{}}
	for len(r.terms) < maxMacros {
		at := termDefinition().FindStringSubmatchIndex(text[in.at:])
		if at == nil {
			return
		}
		start := in.at + at[0]
		command := text[in.at+at[2] : in.at+at[3]]
		in.at += at[1] - 1
		line := text[max(0, start-texBefore):start]
		if line = line[strings.LastIndexByte(line, '\n')+1:]; strings.Contains(line, "%") {
			continue
		}
		if label, t := in.term(command); t.short != "" {
			lists.Put(&r.terms, label, &t)
		}
	}
}

// term reads the arguments of a command that defines a term.
func (r *latexReader) term(command string) (label string, t term) {
	r.optional()
	label = strings.TrimSpace(r.setting())
	t.list = command
	switch command {
	case "newacronym", "newabbreviation":
		t.list = "newacronym"
		t.short, t.long = r.setting(), r.setting()
	case "acro":
		t.short = cmp.Or(r.option(), label)
		t.long = r.setting()
	case "nomenclature":
		label, t.short, t.long = `\`+label, label, r.setting()
	default:
		keys := r.setting()
		long := valueOf(keys, "long")
		t.short, t.plural = cmp.Or(valueOf(keys, "name"), valueOf(keys, "short")), valueOf(keys, "plural")
		t.long = cmp.Or(long, valueOf(keys, "description"))
		switch {
		case command == "longnewglossaryentry":
			t.list, t.long = "newglossaryentry", r.setting()
		case long != "" || command == "DeclareAcronym":
			t.list = "newacronym"
		}
	}
	return label, t
}

// valueOf returns the value of a key in a list such as "name={a}, description=b", and "" if the list has no such key.
func valueOf(keys, key string) string {
	r := &latexReader{s: keys}
	for start := 0; start < len(keys); {
		name, _, _ := strings.Cut(keys[start:], "=")
		at := start + len(name) + 1
		end := at
		for end < len(keys) && keys[end] != ',' {
			switch keys[end] {
			case '\\':
				end++
			case '{':
				if closed := r.closing(end+1, '{', '}', maxTexEnvironment); closed > 0 {
					end = closed
				}
			}
			end++
		}
		if strings.TrimSpace(name) == key && at <= len(keys) {
			value := strings.TrimSpace(keys[at:min(end, len(keys))])
			if strings.HasPrefix(value, "{") && strings.HasSuffix(value, "}") {
				value = value[1 : len(value)-1]
			}
			return value
		}
		start = end + 1
	}
	return ""
}

// useTerm shows a term as the command with this name does, and reports whether it does.
func (r *latexReader) useTerm(name string) bool {
	form, ok := termUses[name]
	if !ok || r.terms == nil || r.nested == maxNested {
		return false
	}
	called := r.at
	r.optional()
	t := r.terms[strings.TrimSpace(r.argument())]
	if t == nil {
		r.at = called
		return false
	}
	r.optional()
	body := t.short
	if termPlurals[name] {
		body = cmp.Or(t.plural, body+"s")
	}
	switch {
	case form == longForm:
		body, t.shown = t.long, true
	case form == fullForm, form == firstForm && t.abbreviates() && !t.used:
		body, t.shown = t.long+" ("+body+")", true
	}
	t.used = t.used || form == firstForm
	if first, size := utf8.DecodeRuneInString(body); unicode.IsUpper(rune(name[0])) {
		body = string(unicode.ToUpper(first)) + body[size:]
	}
	r.insert(body)
	return true
}

// listTerms shows the list of terms that the command with this name prints, sorted by name, and reports whether there is one.
func (r *latexReader) listTerms(name string) bool {
	list, ok := termLists[name]
	if !ok || r.nested == maxNested {
		return false
	}
	if option := r.option(); strings.Contains(option, "acronym") || strings.Contains(option, "abbreviations") {
		list = "newacronym"
	}
	if r.listed[list] {
		return true
	}
	lists.Put(&r.listed, list, true)
	var shown []*term
	for _, t := range r.terms {
		if t.list == list || list == "" && termDefinitions[t.list] && t.list != "nomenclature" {
			shown, t.shown = append(shown, t), true
		}
	}
	slices.SortFunc(shown, func(a, b *term) int {
		return cmp.Or(strings.Compare(a.short, b.short), strings.Compare(a.long, b.long))
	})
	for _, t := range shown {
		r.paragraph()
		r.insert(t.short)
		r.Gap(flow.Space)
		r.insert(t.long)
	}
	r.paragraph()
	return true
}

// countTerms counts the words of terms that are not shown, if they are prose.
func (r *latexReader) countTerms() {
	for _, label := range slices.Sorted(maps.Keys(r.terms)) {
		if t := r.terms[label]; !t.shown && termDefinitions[t.list] {
			r.countProse(`\`+t.list, "{"+t.long+"}")
		}
	}
}
