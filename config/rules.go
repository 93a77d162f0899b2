package config

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/internal/xmltree"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/normalize"
)

type ruleSetter struct {
	name string
	set  func(r *normalize.Rules, e *element) error
}

// ruleSetters are the elements that a type can also have. They are applied in this order, since
// stop words are normalised by the rules before them.
var ruleSetters = []ruleSetter{
	{"new_line", setNewLine},
	{"new_line_tags", func(r *normalize.Rules, e *element) error { return items(&r.NewLineTags, e, "nlt") }},
	{"delete_tags", func(r *normalize.Rules, e *element) error { return items(&r.DeleteTags, e, "dt") }},
	{"delete_chars", setDeleteChars},
	{"punctuation", setPunctuation},
	{"stopwords", func(r *normalize.Rules, e *element) error { return items(&r.StopWords, e, "sw") }},
}

func isRule(name string) bool {
	return slices.ContainsFunc(ruleSetters, func(r ruleSetter) bool { return r.name == name })
}

// applyRules changes rules by the elements, and checks after each that the rules are valid.
func applyRules(rules *normalize.Rules, elements []*element) error {
	for _, r := range ruleSetters {
		i := slices.IndexFunc(elements, func(e *element) bool { return e.Name == r.name })
		if i < 0 {
			continue
		}
		e := elements[i]
		if err := noAttrs(e); err != nil {
			return err
		}
		if err := r.set(rules, e); err != nil {
			return err
		}
		if _, err := normalize.New(*rules); err != nil {
			return xmltree.AtLine(e.Line, err)
		}
	}
	return nil
}

// addTypes resolves the rules of types: the general rules, overridden element by element.
func addTypes(s *Settings, elements []*element) error {
	for _, e := range elements {
		if e.Name != "type" {
			continue
		}
		exts, err := extensions(e)
		if err != nil {
			return err
		}
		rules, err := typeRules(s.Rules, e)
		if err != nil {
			return err
		}
		for _, ext := range exts {
			if _, twice := s.Types[ext]; twice {
				return e.Wrong(phrase.Error("settings.type-twice", "rules for {name} given twice", "name", strconv.Quote(ext)))
			}
			s.Types[ext] = rules
		}
	}
	return nil
}

// extensions returns the extensions and kinds of content of a type.
func extensions(e *element) ([]string, error) {
	var exts []string
	for _, a := range e.Attrs {
		if a.Name.Local != "ext" {
			return nil, e.Wrong(phrase.Error("settings.unknown-attribute", "unknown attribute {name}", "name", strconv.Quote(a.Name.Local)))
		}
		for _, ext := range list(a.Value) {
			ext = strings.ToLower(strings.TrimPrefix(ext, "."))
			if known := document.ContentTypes(); strings.Contains(ext, "/") && !slices.Contains(known, ext) {
				return nil, e.Wrong(phrase.Error("settings.content", "unknown type of content {name}: want one of {known}", "name", strconv.Quote(ext), "known", strings.Join(known, ", ")))
			}
			if strings.ContainsAny(ext, `.*?[\`) {
				return nil, e.Wrong(phrase.Error("settings.extension", `{name} is not a file extension: write <type ext="html">, without a pattern`, "name", strconv.Quote(ext)))
			}
			exts = append(exts, ext)
		}
	}
	if len(exts) == 0 || slices.Contains(exts, "") {
		return nil, e.Wrong(phrase.Error("settings.no-extension", `names no file extension: write <type ext="html">`))
	}
	return exts, nil
}

func typeRules(general normalize.Rules, e *element) (normalize.Rules, error) {
	if err := unique(e.Children); err != nil {
		return general, err
	}
	if e.Value() != "" {
		return general, e.Wrong(phrase.Error("settings.text-in-type", "has text outside of its elements"))
	}
	for _, c := range e.Children {
		if !isRule(c.Name) {
			return general, unknown(c)
		}
	}
	err := applyRules(&general, e.Children)
	return general, err
}

func setNewLine(r *normalize.Rules, e *element) error {
	if err := leaf(e); err != nil {
		return err
	}
	word, err := choice(e, "true", "false", "blank", "auto")
	if err != nil {
		return err
	}
	r.NewLine, err = normalize.ParseMode(word)
	return err
}

// setDeleteChars stores the text unchanged, except for line breaks from the layout of the file.
func setDeleteChars(r *normalize.Rules, e *element) error {
	r.DeleteChars = strings.Trim(e.Text(), "\r\n")
	return leaf(e)
}

func setPunctuation(r *normalize.Rules, e *element) error {
	if err := leaf(e); err != nil {
		return err
	}
	word, err := choice(e, "split", "keep")
	r.KeepPunctuation = word == "keep"
	return err
}

func items(to *[]string, e *element, name string) error {
	if e.Value() != "" {
		return e.Wrong(phrase.Error("settings.text-outside-of", "has text outside of <{name}>", "name", name))
	}
	*to = nil
	for _, c := range e.Children {
		if c.Name != name {
			return xmltree.AtLine(c.Line, phrase.Error("settings.unknown-in", "unknown element {name} in <{outer}>: want <{wanted}>", "name", strconv.Quote(c.Name), "outer", e.Name, "wanted", name))
		}
		if err := leaf(c); err != nil {
			return err
		}
		item := c.Value()
		if item == "" {
			return c.Wrong(phrase.Error("settings.empty", "is empty"))
		}
		*to = append(*to, item)
	}
	return nil
}

// Normalizers prepares the rules for use.
func (s *Settings) Normalizers() (*normalize.Set, error) {
	set, err := normalize.NewSet(s.Rules, s.Types)
	if err != nil {
		return nil, phrase.Error("settings.use", "use settings: {cause}", "cause", err)
	}
	return set, nil
}

// WordsSetting is the name under which [Settings.Normalization] has [normalize.Version].
const WordsSetting = "words"

// Normalization returns every setting that affects hashes, by name, with canonical values, so that
// equivalent settings are equal. Rules of a type are named like "html: delete_tags"; those equal to
// the general ones are omitted.
func (s *Settings) Normalization() map[string]string {
	all := describe(s.Rules)
	all[WordsSetting] = normalize.Version
	if s.Strip {
		all["boilerplate"] = "strip"
	}
	for ext, rules := range s.Types {
		for name, value := range describe(rules) {
			if value != all[name] {
				all[typed(ext, name)] = value
			}
		}
	}
	return all
}

func typed(ext, name string) string { return ext + ": " + name }

// describe returns the rules by the names of the configuration file. The order of tags matters,
// since the first match wins; that of stop words and characters does not.
func describe(r normalize.Rules) map[string]string {
	chars := []rune(r.DeleteChars)
	slices.Sort(chars)
	stop := slices.Sorted(slices.Values(r.StopWords))
	punctuation := "split"
	if r.KeepPunctuation {
		punctuation = "keep"
	}
	return map[string]string{
		"new_line":      r.NewLine.String(),
		"new_line_tags": strings.Join(r.NewLineTags, "\n"),
		"delete_tags":   strings.Join(r.DeleteTags, "\n"),
		"delete_chars":  string(slices.Compact(chars)),
		"punctuation":   punctuation,
		"stopwords":     strings.Join(slices.Compact(stop), " "),
	}
}

// Difference returns the first setting by name that differs between two results of
// [Settings.Normalization], and its values. If one of them lacks a rule for a type, the general
// value applies.
func Difference(a, b map[string]string) (setting, inA, inB string, differ bool) {
	names := slices.Collect(maps.Keys(a))
	names = slices.AppendSeq(names, maps.Keys(b))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if inA, inB := value(a, name), value(b, name); inA != inB {
			return name, inA, inB, true
		}
	}
	return "", "", "", false
}

func value(m map[string]string, name string) string {
	if v, ok := m[name]; ok {
		return v
	}
	if _, general, ok := strings.Cut(name, ": "); ok {
		return m[general]
	}
	return ""
}
