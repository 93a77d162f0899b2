package exclude

import (
	_ "embed"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/document/format"
)

// citationTable lists the words of citations; its first lines describe the kinds.
//
//go:embed citations.txt
var citationTable string

// Bounds of citations.
const (
	mostBracket  = 400  // bytes of what is in brackets
	firstYear    = 1500 // of a work that is cited
	firstModern  = 1900 // of one that is cited after a name, in a text without a bibliography
	lastYear     = 2049
	mostNames    = 12 // words before a year
	mostBefore   = 80 // bytes before a year in brackets in which a name is looked for
	leastInList  = 4  // letters of a name by which it is found in a bibliography, where it may have another ending
	mostEnding   = 3  // letters of that ending
	mostLower    = 4  // words in lower case of the name of an institution
	leastIndexed = 4  // letters of a word that a number in square brackets may touch
)

// A citationFinder finds the citations of one text.
type citationFinder struct {
	text  string
	lists []Range  // bibliographies
	names []string // the words in them, folded and sorted
}

func newCitationFinder(text string, lists []Range) *citationFinder {
	c := &citationFinder{text: text, lists: lists}
	for _, r := range lists {
		c.names = append(c.names, wordsIn(fold(text[r.Start:r.End]))...)
	}
	slices.Sort(c.names)
	c.names = slices.Compact(c.names)
	return c
}

// citations returns the citations in brackets, by place: an author with a year or a page, numbers in square
// brackets, keys, addresses, references to laws and decisions, and a year after the name of an author.
// It skips bibliographies.
func (c *citationFinder) citations() []Range {
	var list []Range
	lists := c.lists
	for i := 0; i < len(c.text); i++ {
		if c.text[i] != '(' && c.text[i] != '[' {
			continue
		}
		for len(lists) > 0 && lists[0].End <= i {
			lists = lists[1:]
		}
		if len(lists) > 0 && lists[0].Start <= i {
			continue
		}
		end := closedBracket(c.text, i)
		if end == 0 {
			continue
		}
		if c.isCitation(i, end) {
			list = append(list, Range{Start: i, End: end})
			i = end - 1
		}
	}
	return list
}

// closedBracket returns the offset after the bracket that closes the one at i, or 0. Brackets in it have none in them.
func closedBracket(s string, i int) int {
	depth := 0
	for at := i; at < len(s) && at-i <= mostBracket; at++ {
		switch s[at] {
		case '(', '[':
			if depth++; depth > 2 {
				return 0
			}
		case ')', ']':
			if depth--; depth == 0 {
				return at + 1
			}
		case '\n':
			if strings.HasPrefix(s[at:], "\n\n") {
				return 0
			}
		}
	}
	return 0
}

// isCitation reports whether the brackets at [from, to) are a citation.
func (c *citationFinder) isCitation(from, to int) bool {
	inner := c.text[from+1 : to-1]
	if c.text[from] == '[' && (numbered().MatchString(inner) || keyNamed().MatchString(inner)) {
		return !c.isIndex(from, to)
	}
	if address().MatchString(inner) || strings.ContainsAny(inner, "./:§") && legal().MatchString(inner) {
		return true
	}
	return slices.ContainsFunc(strings.Split(inner, ";"), c.isReference) || onlyYears().MatchString(inner) && c.followsAuthor(from, inner)
}

var (
	// numbered matches the numbers of entries of a bibliography, with the pages in them.
	numbered = format.Pattern(`^\s*[1-9]\d{0,2}(?:\s*[,;–—-]\s*[1-9]\d{0,2})*(?:\s*[,;:]\s*(?:\p{L}{1,5}\.?\s*|§\s*)\d[\d\s,–-]*|:\s*\d[\d\s,–-]*)?\s*$`)
	// keyNamed matches keys made of names and years, such as Knu84 and ABC+10.
	keyNamed = format.Pattern(`^\p{Lu}\p{L}{1,9}\+?\d\d[a-z]?(?:\s*[,;]\s*\p{Lu}\p{L}{1,9}\+?\d\d[a-z]?)*(?:\s*[,;]\s*\p{L}{1,5}\.?\s*\d[\d–-]*)?$`)
	address  = format.Pattern(`https?://|\bwww\.\w|\bdoi:`)
	// onlyYears matches the years, and the pages, that follow the name of an author.
	onlyYears = format.Pattern(`^\s*(?:1[5-9]|20)\d\d[a-z]?(?:\s*[,;:]\s*(?:(?:1[5-9]|20)\d\d[a-z]?|(?:\p{L}{1,7}\.?\s*|§\s*)?\d[\d\s–-]*f{0,2}\.?))*\s*$`)
)

// isIndex reports whether numbers or a key in square brackets are none of a bibliography: an index or interval of
// a formula or program, or the label of an entry of a list.
func (c *citationFinder) isIndex(from, to int) bool {
	near := max(0, from-codeNear)
	start := near + strings.LastIndexByte(c.text[near:from], '\n') + 1
	before, behind := c.text[start:from], c.text[to:min(to+codeNear, len(c.text))]
	next, _ := utf8.DecodeRuneInString(behind)
	if behind != "" && (unicode.IsLetter(next) || unicode.IsDigit(next) || strings.ContainsRune("=+*^_({", next)) {
		return true
	}
	word := strings.TrimRightFunc(before, unicode.IsSpace)
	if word == "" {
		first, _ := utf8.DecodeRuneInString(strings.TrimLeft(behind, " \t.):"))
		return !unicode.IsLower(first) && !continues(c.text[:start])
	}
	last, _ := utf8.DecodeLastRuneInString(word)
	if strings.ContainsRune("=∈<>+*/^_{&|×·≤≥∊−~", last) {
		return true
	}
	letters := word[strings.LastIndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })+1:]
	if touches := len(word) == len(before); touches && (letters != "" || unicode.IsDigit(last)) {
		return utf8.RuneCountInString(letters) < leastIndexed || strings.ContainsAny(before+strings.SplitN(behind, "\n", 2)[0], "{}=\\$#;_")
	}
	return headings()["interval"][fold(letters)]
}

// continues reports whether the text before a line does not end a sentence or paragraph.
func continues(before string) bool {
	line := strings.TrimRight(strings.TrimSuffix(before, "\n"), " \t\r")
	return line != "" && !strings.HasSuffix(line, "\n") && !endsSentence(line)
}

// A citedWord is a word of a possible citation.
type citedWord struct {
	word
	folded string
	upper  bool // its first letter is
}

// wordsOfCitation returns the words of s, and those as the table of headings has them.
func wordsOfCitation(s string) (words []citedWord, folded []string) {
	for _, w := range wordsOf(s) {
		first, _ := utf8.DecodeRuneInString(s[w.start:])
		words = append(words, citedWord{w, fold(w.text), unicode.IsUpper(first)})
		folded = append(folded, words[len(words)-1].folded)
	}
	return words, folded
}

// isReference reports whether a part of brackets names an author and a year or page, or a source that was cited before.
func (c *citationFinder) isReference(s string) bool {
	words, folded := wordsOfCitation(s)
	if len(words) == 0 || len(words) == 1 && longest("ibid", folded) == 0 {
		return false
	}
	from := 0
	for n := longest("see", folded); n > 0 && from < len(words); n = longest("see", folded[from:]) {
		from += n
	}
	if longest("ibid", folded[from:]) > 0 {
		return true
	}
	var name string // the first one
	lower := 0
	for i := from; i < len(words) && i-from <= mostNames; i++ {
		w := words[i]
		numbersNext := i+1 < len(words) && isNumber(words[i+1].text) && !strings.Contains(s[w.end:words[i+1].start], "=")
		switch {
		case isYear(w.text):
			return name != "" && endsReference(s, words, folded, i) && c.isAuthor(name, lower)
		case isNumber(w.text):
			return false
		case name != "" && longest("page", folded[i:]) > 0 && numbersNext, name != "" && longest("undated", folded[i:]) > 0:
			return c.isAuthor(name, lower)
		case w.upper && headings()["nameless"][w.folded]:
			return false
		case longest("others", folded[i:]) > 0:
			i += longest("others", folded[i:]) - 1
		case !w.upper && headings()["join"][w.folded]:
		case w.upper:
			if name == "" && utf8.RuneCountInString(w.text) > 1 {
				name = w.folded
			}
		default:
			lower++
		}
	}
	return false
}

// isAuthor reports whether a name can be that of an author: it is in a bibliography, or the text has none.
// lower is how many words of the name are in lower case, which only names of institutions have.
func (c *citationFinder) isAuthor(name string, lower int) bool {
	if len(c.names) == 0 {
		return lower == 0
	}
	return lower <= mostLower && c.isListed(name)
}

// isListed reports whether a word of a bibliography starts as a name does, but for an ending.
func (c *citationFinder) isListed(name string) bool {
	for range mostEnding {
		if utf8.RuneCountInString(name) <= leastInList {
			break
		}
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	i := sort.SearchStrings(c.names, name)
	return i < len(c.names) && strings.HasPrefix(c.names[i], name)
}

// endsReference reports whether what follows the year of word i can: nothing, punctuation, or pages. Two years with a dash are a
// time.
func endsReference(s string, words []citedWord, folded []string, i int) bool {
	rest := strings.TrimSpace(s[words[i].end:])
	next, _ := utf8.DecodeRuneInString(rest)
	if strings.ContainsRune("-–—", next) && rest != "" {
		return i+1 == len(words) || !isYear(words[i+1].text)
	}
	return i+1 == len(words) || !unicode.IsLetter(next) || longest("page", folded[i+1:]) > 0 || headings()["join"][folded[i+1]]
}

// isYear reports whether a word is the year of a work, perhaps with a letter that tells works of one year apart.
func isYear(s string) bool {
	if len(s) == 5 && 'a' <= s[4] && s[4] <= 'z' {
		s = s[:4]
	}
	return len(s) == 4 && isNumber(s) && firstYear <= number(s) && number(s) <= lastYear
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// number returns the value of a few digits.
func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// followsAuthor reports whether the brackets at an offset, in which are only years and pages, follow the name of an author.
func (c *citationFinder) followsAuthor(at int, inner string) bool {
	before := c.text[max(0, at-mostBefore):at]
	if i := strings.LastIndex(before, "\n\n"); i >= 0 {
		before = before[i:]
	}
	words, folded := wordsOfCitation(before)
	last := len(words) - 1
	others := false
	for n := min(mostPhrase, len(words)); n > 0 && !others; n-- {
		if others = longest("others", folded[len(words)-n:]) == n; others {
			last -= n
		}
	}
	if last >= 0 && words[last].text == "s" && last > 0 && words[last].start-words[last-1].end <= len("’") { // of a genitive
		last--
	}
	if last < 0 || !words[last].upper || utf8.RuneCountInString(words[last].text) < 2 || headings()["nameless"][folded[last]] {
		return false
	}
	if gap := before[words[last].end:]; !others && strings.ContainsAny(gap, ".,;:!?()[]\"“”„«»") {
		return false
	}
	if len(c.names) > 0 {
		return c.isListed(folded[last])
	}
	return number(strings.TrimSpace(inner)[:4]) >= firstModern
}
