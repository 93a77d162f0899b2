package normalize

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A refItem is a unit of the text, or markup of several units: its class, and for a word
// character its normalised form.
type refItem struct {
	start, end int
	class      class
	text       string
	continues  int // of a hyphen at a line end, the start of what follows; else 0
}

// reference implements the contract of the package step by step, without regard to speed and
// memory.
func reference(rules Rules, text string, mode Mode) []Paragraph {
	return referenceOf(rules, text)(mode)
}

// referenceOf is reference for one mode after another.
func referenceOf(rules Rules, text string) func(Mode) []Paragraph {
	tags := refTags(rules)
	items := refClasses(rules, refMarkup(tags, refUnits(text)))
	stop := map[string]bool{}
	for _, sw := range rules.StopWords {
		for _, w := range refWords(refClasses(rules, refMarkup(tags, refUnits(sw)))) {
			stop[w.Text] = true
		}
	}
	refDivisions(text, items)
	return func(mode Mode) (ps []Paragraph) {
		for _, lines := range refBlocks(items, mode) {
			words := slices.DeleteFunc(refWords(lines), func(w Word) bool { return stop[w.Text] })
			if len(words) > 0 {
				start, end := refBounds(lines)
				ps = append(ps, Paragraph{Start: start, End: end, Words: words})
			}
		}
		return ps
	}
}

const undecided = class(255)

// refUnits cuts a text into characters with their marks; \r\n is one.
func refUnits(text string) []refItem {
	var units []refItem
	marks := 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		item := refItem{start: i, end: i + size, class: undecided, text: text[i : i+size]}
		isMark := r != utf8.RuneError && r >= firstMark && (isVoicing(r) || !norm.NFC.PropertiesString(string(r)).BoundaryBefore())
		last := len(units) - 1
		switch {
		case r == utf8.RuneError && size == 1:
			item.class, item.text = split, ""
			units = append(units, item)
		case last >= 0 && isMark && units[last].text != "":
			units[last].end = i + size
			if marks++; marks <= maxMarks {
				units[last].text += item.text
			}
		case last >= 0 && r == '\n' && units[last].text == "\r":
			units[last].end, units[last].text = i+1, "\r\n"
		default:
			units, marks = append(units, item), 0
		}
		i += size
	}
	return units
}

// refCompose returns the composed form of a unit.
func refCompose(s string) string {
	if r, _ := utf8.DecodeRuneInString(s); isForm(r) {
		return formOf(s)
	}
	return norm.NFC.String(s)
}

func refLower(s string) string {
	return norm.NFC.String(strings.Map(foldRune, refCompose(s)))
}

// A refTag is a tag, or any other string, of the rules: its units in lower case.
type refTag struct {
	units  []string
	isHTML bool // attributes and > have yet to follow
	class  class
}

// refTags returns the tags of the rules, in the order in which they win.
func refTags(rules Rules) (list []refTag) {
	add := func(tags []string, c class) {
		for _, t := range tags {
			isHTML := len(t) > 2 && strings.HasPrefix(t, "<") && strings.HasSuffix(t, ">") && strings.Trim(t[1:len(t)-1], "/ \t\r\n\f") != ""
			if isHTML {
				t = strings.TrimRight(strings.TrimSuffix(t, ">"), "/ \t\r\n\f")
			}
			list = append(list, refTag{refLowers(refUnits(t)), isHTML, c})
		}
	}
	add(rules.NewLineTags, breaks)
	add(rules.DeleteTags, tag)
	return list
}

// refLowers returns units in lower case, and "" for invalid UTF-8.
func refLowers(units []refItem) (list []string) {
	for _, u := range units {
		list = append(list, refLower(u.text))
	}
	return list
}

// refMarkup joins the units of each tag.
func refMarkup(tags []refTag, units []refItem) []refItem {
	var out []refItem
	lowers := refLowers(units)
	for i := 0; i < len(units); {
		n, c := 0, undecided
		for _, t := range tags {
			if n == 0 {
				n, c = t.match(units[i:], lowers[i:]), t.class
			}
		}
		if n == 0 {
			out = append(out, units[i])
			i++
			continue
		}
		out = append(out, refItem{start: units[i].start, end: units[i+n-1].end, class: c})
		i += n
	}
	return out
}

// match returns how many units the tag takes at the start of units.
func (t refTag) match(units []refItem, lowers []string) int {
	n := 0
	for _, want := range t.units {
		if n == len(units) || units[n].text == "" || lowers[n] != want {
			return 0
		}
		n++
	}
	if !t.isHTML {
		return n
	}
	if n == len(units) || !strings.Contains("> \t\r\n\f/", units[n].text) || units[n].text == "" {
		return 0
	}
	for ; n < len(units); n++ {
		switch units[n].text {
		case "<":
			return 0
		case ">":
			return n + 1
		}
	}
	return 0
}

// refClasses returns the class of each item that is not markup.
func refClasses(rules Rules, items []refItem) []refItem {
	deleted := []rune(norm.NFC.String(rules.DeleteChars))
	classOf := func(r rune) class {
		switch {
		case strings.ContainsRune("\n\r\u0085\u2028\u2029", r):
			return breaks
		case unicode.IsSpace(r):
			return space
		case Invisible(r):
			return hidden
		case slices.Contains(deleted, r), unicode.Is(omissible, r):
			return gone
		case unicode.In(r, unicode.L, unicode.Nd, unicode.M):
			return keep
		case rules.KeepPunctuation && !unicode.IsControl(r):
			return keep
		}
		return split
	}
	for i := range items {
		if it := &items[i]; it.class == undecided {
			composed := []rune(refCompose(it.text))
			if r, _ := utf8.DecodeRuneInString(it.text); isForm(r) && slices.Contains(deleted, r) {
				it.class = gone
				continue
			}
			for len(composed) > 1 && unicode.Is(omissible, composed[0]) {
				composed = composed[1:]
			}
			it.class = classOf(composed[0])
			stressed := composed[0]
			kept := slices.DeleteFunc(composed, func(r rune) bool { return classOf(r) != keep || isStress(stressed, r) })
			it.text = refLower(string(kept))
		}
	}
	return items
}

// refDivisions finds the hyphens after which a word may continue in the next line.
func refDivisions(text string, items []refItem) {
	for i := range items {
		hyphen, class := text[items[i].start:items[i].end], items[i].class
		plain := hyphen == "-" || hyphen == "‐"
		if !(plain && class == gone || (hyphen == "\u00ad" || hyphen == "¬" || hyphen == "⸗") && class != keep && class != tag && class != breaks) || strings.TrimRight(text[:items[i].start], "-‐") != text[:items[i].start] {
			continue
		}
		lines := 0
		for _, it := range items[i+1:] {
			if it.class == breaks {
				lines++
			}
			if it.class != space && it.class != breaks || lines > 1 {
				first, _ := utf8.DecodeRuneInString(it.text)
				word, _, spaced := strings.Cut(strings.ReplaceAll(text[it.start:], "\n", " "), " ")
				if it.class == keep && lines == 1 && unicode.In(first, unicode.L, unicode.Nd) && !(plain && spaced && conjunctions[word]) {
					items[i].continues = it.start
				}
				break
			}
		}
	}
}

// refBlocks cuts items into paragraphs at the line breaks that count, and
// leaves blank lines out.
func refBlocks(items []refItem, mode Mode) [][]refItem {
	var blocks [][]refItem
	var block, line []refItem
	endLine := func() {
		visible := slices.ContainsFunc(line, func(it refItem) bool {
			return it.class == keep || it.class == split || it.class == gone
		})
		if visible {
			block = append(block, line...)
		}
		if mode == Line || mode == Blank && !visible {
			blocks, block = append(blocks, block), nil
		}
		line = nil
	}
	for _, it := range items {
		line = append(line, it)
		if it.class == breaks {
			endLine()
		}
	}
	endLine()
	return append(blocks, block)
}

func refBounds(items []refItem) (start, end int) {
	start = -1
	for _, it := range items {
		if it.class == breaks || it.class == space || it.class == hidden {
			continue
		}
		if start < 0 {
			start = it.start
		}
		end = it.end
	}
	return start, end
}

// refWords joins the characters of each word. White space ends only words of scripts with
// spaces.
func refWords(items []refItem) []Word {
	var words []Word
	in, after := false, false // in a word; after white space that may be inside it
	until := 0                // start of the rest of a divided word
	for _, it := range items {
		if it.start < until {
			continue
		}
		if it.continues > 0 && in && !after {
			word := words[len(words)-1].Text
			last, _ := utf8.DecodeLastRuneInString(word)
			i := slices.IndexFunc(items, func(rest refItem) bool { return rest.start == it.continues })
			if i >= 0 && unicode.In(last, unicode.L, unicode.Nd) && len(word)+len(items[i].text) <= maxWord && !cutBefore(last, items[i].text) {
				until = it.continues
				continue
			}
		}
		switch it.class {
		case keep:
			first, _ := utf8.DecodeRuneInString(it.text)
			if last := len(words) - 1; in && len(words[last].Text)+len(it.text) <= maxWord {
				end, _ := utf8.DecodeLastRuneInString(words[last].Text)
				if !cut(end, first) && (!after || scriptOf(end) != spaced) {
					words[last].Text += it.text
					words[last].End = it.end
					after = false
					continue
				}
			}
			words = append(words, Word{it.text, it.start, it.end})
			in, after = true, false
		case split:
			in = false
		case breaks, space:
			after = true
		}
	}
	return words
}

func cutBefore(last rune, rest string) bool {
	first, _ := utf8.DecodeRuneInString(rest)
	return cut(last, first)
}
