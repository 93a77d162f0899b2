package normalize

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/otisk/otisk/lang/phrase"
)

// A Set holds the general rules of a configuration and the rules that override
// them for file types. It is safe for concurrent use.
type Set struct {
	general *Normalizer
	types   map[string]*Normalizer // by lower-case extension without its dot
}

// NewSet returns a Set of general rules and rules for file types. The key of a type
// is its file extension; html, .html and HTML are equivalent. An error names the
// type whose rules are invalid.
func NewSet(general Rules, types map[string]Rules) (*Set, error) {
	n, err := New(general)
	if err != nil {
		return nil, err
	}
	s := &Set{general: n, types: make(map[string]*Normalizer, len(types))}
	for _, ext := range slices.Sorted(maps.Keys(types)) {
		if err := s.add(ext, types[ext]); err != nil {
			return nil, phrase.Error("settings.of-type", "type {type}: {cause}", "type", strconv.Quote(ext), "cause", err)
		}
	}
	return s, nil
}

func (s *Set) add(ext string, rules Rules) error {
	key := typeKey(ext)
	if key == "" {
		return phrase.Error("settings.type-empty", "empty file extension")
	}
	if _, twice := s.types[key]; twice {
		return phrase.Error("settings.rules-twice", "rules given twice")
	}
	n, err := New(rules)
	if err != nil {
		return err
	}
	s.types[key] = n
	return nil
}

// For returns the normalizer of the first of types that has rules of its own, and
// the name of these rules for [Set.Named]. If no type has rules, it returns the
// general normalizer and "". A type is a file extension, with or without its dot
// and case-insensitive, or a media type such as text/html.
func (s *Set) For(types ...string) (n *Normalizer, rules string) {
	for _, t := range types {
		key := typeKey(t)
		if n, ok := s.types[key]; ok {
			return n, key
		}
	}
	return s.general, ""
}

// Named returns the normalizer for a name of rules that [Set.For] returned. ok is
// false if the set has no rules of that name.
func (s *Set) Named(rules string) (n *Normalizer, ok bool) {
	if rules == "" {
		return s.general, true
	}
	n, ok = s.types[rules]
	return n, ok
}

// Separated returns the set with another separator of paragraphs in all of its rules.
func (s *Set) Separated(by Mode) *Set {
	other := &Set{general: s.general.separated(by), types: make(map[string]*Normalizer, len(s.types))}
	for key, n := range s.types {
		other.types[key] = n.separated(by)
	}
	return other
}

// AsIndexed returns the normalizer and the mode with which a text was indexed, for
// the names in the index: that of the rules, and the value of new_line. It returns
// an error if the set has no such rules or there is no such mode.
func (s *Set) AsIndexed(rules, newLine string) (*Normalizer, Mode, error) {
	n, ok := s.Named(rules)
	if !ok {
		return nil, Auto, phrase.Error("settings.rules-lacking", "indexed with rules for {rules} files, which the settings do not have", "rules", strconv.Quote(rules))
	}
	mode, err := ParseMode(newLine)
	return n, mode, err
}

// Types returns the names of the file types that have rules of their own, sorted.
func (s *Set) Types() []string { return slices.Sorted(maps.Keys(s.types)) }

func typeKey(ext string) string { return strings.ToLower(strings.TrimPrefix(ext, ".")) }
