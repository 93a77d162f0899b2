package normalize

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Set holds the general rules of a configuration and those that override
// them for a file type. It is safe for use by several goroutines at once.
type Set struct {
	general *Normalizer
	types   map[string]*Normalizer // by lower-case extension without its dot
}

// NewSet prepares the general rules and those of each file type. A type is
// named by the extension of its files: html, .html and HTML are the same. The
// error names the type whose rules cannot be used.
func NewSet(general Rules, types map[string]Rules) (*Set, error) {
	n, err := New(general)
	if err != nil {
		return nil, err
	}
	s := &Set{general: n, types: make(map[string]*Normalizer, len(types))}
	for _, ext := range slices.Sorted(maps.Keys(types)) {
		if err := s.add(ext, types[ext]); err != nil {
			return nil, fmt.Errorf("type %q: %w", ext, err)
		}
	}
	return s, nil
}

func (s *Set) add(ext string, rules Rules) error {
	key := typeKey(ext)
	if key == "" {
		return fmt.Errorf("empty file extension")
	}
	if _, twice := s.types[key]; twice {
		return fmt.Errorf("rules given twice")
	}
	n, err := New(rules)
	if err != nil {
		return err
	}
	s.types[key] = n
	return nil
}

// For returns the normalizer of the first of types that has rules of its own,
// and the name of its rules, which [Set.Named] takes: "" where none has, so that
// the general ones hold. A type is an extension, with or without its dot and in
// any case, or what its content is, such as text/html.
func (s *Set) For(types ...string) (n *Normalizer, rules string) {
	for _, t := range types {
		key := typeKey(t)
		if n, ok := s.types[key]; ok {
			return n, key
		}
	}
	return s.general, ""
}

// Named returns the normalizer whose rules [Set.For] named so; ok is false
// where the set has none of that name.
func (s *Set) Named(rules string) (n *Normalizer, ok bool) {
	if rules == "" {
		return s.general, true
	}
	n, ok = s.types[rules]
	return n, ok
}

// AsIndexed returns what a text was made words of when it was indexed, by the
// names that the index keeps: of its rules, and of what separates its
// paragraphs.
func (s *Set) AsIndexed(rules, newLine string) (*Normalizer, Mode, error) {
	n, ok := s.Named(rules)
	if !ok {
		return nil, Auto, fmt.Errorf("indexed with rules for %q files, which the settings do not have", rules)
	}
	mode, err := ParseMode(newLine)
	return n, mode, err
}

// Types returns the names of the rules for a file type, sorted.
func (s *Set) Types() []string { return slices.Sorted(maps.Keys(s.types)) }

func typeKey(ext string) string { return strings.ToLower(strings.TrimPrefix(ext, ".")) }
