package normalize

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/otisk/otisk/lang/phrase"
)

// A markup matches the tags of the rules in a text. It is a trie of their folded
// bytes, so that matching takes no longer for many tags. The zero value matches
// nothing.
type markup struct {
	nodes []node // the first is the root
	rules []rule // in order of precedence
}

// A node stands for the bytes on the path from the root.
type node struct {
	next map[byte]int32
	ends []int32 // the rules whose text these bytes are, in order of precedence
}

// A rule is a tag or another string in the settings.
type rule struct {
	open  bool // an HTML tag: attributes and > follow its text
	class class
}

// add adds the tags of one setting. A tag is a string in < and >; a slash before
// the > is ignored, since <br> and <br/> are the same tag.
func (m *markup) add(setting string, tags []string, c class) error {
	for _, t := range tags {
		if strings.TrimSpace(t) == "" {
			return phrase.Error("settings.tag-empty", "{setting}: empty tag", "setting", setting)
		}
		if !utf8.ValidString(t) {
			return phrase.Error("settings.tag-utf8", "{setting}: tag {tag} is not UTF-8", "setting", setting, "tag", strconv.Quote(t))
		}
		name, open := tagName(t)
		m.insert(name, rule{open: open, class: c})
	}
	return nil
}

// tagName returns the start of a tag in a text, and reports whether t is an HTML
// tag. For <br>, <br/> and <br />, it returns <br and true. A string that is not a
// tag is returned unchanged.
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

// foldUnits folds all units of s.
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

// step follows bytes down from a node. ok is false if no rule continues with them.
func (m *markup) step(from int32, folded []byte) (to int32, ok bool) {
	for _, b := range folded {
		if from, ok = m.nodes[from].next[b]; !ok {
			return 0, false
		}
	}
	return from, true
}

// match returns the class of the rule that matches at the start of s, and the
// number of bytes that it matches, 0 if no rule matches. If several rules match,
// the first one has precedence.
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

// length returns the number of bytes that the rule matches at the start of s,
// where its text ends at n. It returns 0 if the rule is a tag and the tag is not
// closed in s.
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
		// A mark changes < and > into other characters, such as ≮.
		if _, marked := isMark(t, s[n+1:]); marked {
			continue
		}
		// A tag contains no <, so that the text after a stray < is read only once.
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
