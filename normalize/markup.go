package normalize

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A markup finds the tags of the rules in a text: a tree of their folded bytes,
// so that a long list costs no more than a short one. The zero value has none.
type markup struct {
	nodes []node // the first is the root
	rules []rule // in the order in which they win
}

// A node is reached by the bytes on the way from the root.
type node struct {
	next map[byte]int32
	ends []int32 // the rules that these bytes complete, first ones first
}

// A rule is one tag, or any other string, of the settings.
type rule struct {
	open  bool // an HTML tag: attributes and > have yet to follow
	class class
}

// add takes the tags of one setting. A tag is what < and > enclose; its name
// ends before a closing slash, since <br> and <br/> are the same.
func (m *markup) add(setting string, tags []string, c class) error {
	for _, t := range tags {
		if strings.TrimSpace(t) == "" {
			return fmt.Errorf("%s: empty tag", setting)
		}
		if !utf8.ValidString(t) {
			return fmt.Errorf("%s: tag %q is not UTF-8", setting, t)
		}
		name, open := tagName(t)
		m.insert(name, rule{open: open, class: c})
	}
	return nil
}

// tagName returns what a tag of the settings starts with in a text, and whether
// it is an HTML tag: <br>, <br/> and <br /> start with <br.
func tagName(t string) (name string, isTag bool) {
	if len(t) < 3 || t[0] != '<' || t[len(t)-1] != '>' {
		return t, false
	}
	name = strings.TrimRight(t[1:len(t)-1], "/ \t\r\n\f")
	if name == "" {
		return t, false
	}
	return "<" + name, true
}

func (m *markup) insert(text string, r rule) {
	if m.nodes == nil {
		m.nodes = make([]node, 1)
	}
	at := int32(0)
	for _, b := range foldUnits(text) {
		next, ok := m.nodes[at].next[b]
		if !ok {
			next = int32(len(m.nodes))
			m.nodes = append(m.nodes, node{})
			if m.nodes[at].next == nil {
				m.nodes[at].next = make(map[byte]int32)
			}
			m.nodes[at].next[b] = next
		}
		at = next
	}
	m.nodes[at].ends = append(m.nodes[at].ends, int32(len(m.rules)))
	m.rules = append(m.rules, r)
}

// foldUnits folds a whole text.
func foldUnits(s string) []byte {
	var f folder
	var folded []byte
	for s != "" {
		size, counts := unit(tables[0](), s)
		folded = append(folded, f.fold(s[:counts])...)
		s = s[size:]
	}
	return folded
}

// step follows bytes down from a node; ok is false where no rule goes on so.
func (m *markup) step(from int32, folded []byte) (to int32, ok bool) {
	for _, b := range folded {
		if from, ok = m.nodes[from].next[b]; !ok {
			return 0, false
		}
	}
	return from, true
}

// match returns what the rule that matches at the start of s does, and how many
// bytes it takes: 0 where none does. Of several rules the first one wins.
func (m *markup) match(t *table, f *folder, s string) (c class, size int) {
	if m.nodes == nil {
		return split, 0
	}
	first := int32(len(m.rules))
	for at, n := int32(0), 0; n < len(s); {
		full, counts := unit(t, s[n:])
		if counts == 0 {
			break
		}
		var ok bool
		if at, ok = m.step(at, f.fold(s[n:n+counts])); !ok {
			break
		}
		n += full
		for _, i := range m.nodes[at].ends {
			if i >= first {
				break
			}
			if length := m.rules[i].length(t, s, n); length > 0 {
				first, c, size = i, m.rules[i].class, length
			}
		}
	}
	return c, size
}

// length returns how many bytes the rule takes at the start of s, given that
// its own text ends at n: 0 if it is a tag and s has no end of one.
func (r rule) length(t *table, s string, n int) int {
	if !r.open {
		return n
	}
	if n == len(s) || !strings.ContainsRune("> \t\r\n\f/", rune(s[n])) {
		return 0
	}
	if _, marked := isMark(t, s[n+1:]); marked {
		return 0
	}
	for ; ; n++ {
		i := strings.IndexAny(s[n:], "<>")
		if i < 0 {
			return 0
		}
		n += i
		// A mark makes another character of either, as in ≮.
		if _, marked := isMark(t, s[n+1:]); marked {
			continue
		}
		// A tag contains no <, so that text after a stray one is read once only.
		if s[n] == '<' {
			return 0
		}
		return n + 1
	}
}

// begins reports whether the text of a rule begins with the folded character r.
func (m *markup) begins(r rune) bool {
	if m.nodes == nil {
		return false
	}
	var buf [utf8.UTFMax]byte
	_, ok := m.step(0, utf8.AppendRune(buf[:0], r))
	return ok
}
