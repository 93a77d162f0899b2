package normalize

import (
	"fmt"
	"strings"
)

const (
	actNewLine = breaks
	actDelete  = gone
)

// A markup holds the tags of the rules.
type markup struct {
	starts   [256]bool // bytes that a rule can start with
	patterns []pattern
}

// A pattern is one tag, or any other string, and what it does.
type pattern struct {
	text string // as written; for a tag without the closing >
	tag  bool
	act  class
}

func (m *markup) add(setting string, tags []string, act class) error {
	for _, t := range tags {
		if strings.TrimSpace(t) == "" {
			return fmt.Errorf("%s: empty tag", setting)
		}
		p := pattern{text: t, act: act}
		if len(t) > 2 && t[0] == '<' && t[len(t)-1] == '>' {
			p.text, p.tag = t[:len(t)-1], true
		}
		m.patterns = append(m.patterns, p)
		m.starts[lower(t[0])], m.starts[upper(t[0])] = true, true
	}
	return nil
}

// match returns what the rule that matches at the start of s does and how many
// bytes it takes, or 0 bytes where none does. The first rule wins.
func (m *markup) match(s string) (class, int) {
	for _, p := range m.patterns {
		if size := p.match(s); size > 0 {
			return p.act, size
		}
	}
	return split, 0
}

// match returns the length of the pattern at the start of s, or 0. A tag may
// carry attributes, but no < before its >, so that text after a stray < is
// looked at once only.
func (p *pattern) match(s string) int {
	if len(s) < len(p.text) || !strings.EqualFold(s[:len(p.text)], p.text) {
		return 0
	}
	if !p.tag {
		return len(p.text)
	}
	rest := s[len(p.text):]
	if rest == "" || !strings.ContainsRune("> \t\r\n/", rune(rest[0])) {
		return 0
	}
	if i := strings.IndexAny(rest, "<>"); i >= 0 && rest[i] == '>' {
		return len(p.text) + i + 1
	}
	return 0
}

func lower(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}

func upper(b byte) byte {
	if 'a' <= b && b <= 'z' {
		return b - ('a' - 'A')
	}
	return b
}
