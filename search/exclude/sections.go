package exclude

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/document/format"
)

// Bounds of the front matter of a thesis.
const (
	mostAbstract    = 600 // words of an abstract at most
	mostDeclaration = 300 // words of a declaration at most
	mostGap         = 3   // lines of a table of contents without a page number, one after the other, at most
	leastContents   = 3   // lines with a page number of a table of contents at least
	leastLeaders    = 5   // leaders of a table of contents without a known heading at least
	mostTitle       = 400 // words of title pages at most
	mostUntitled    = 200 // words of a declaration without a heading at most
)

// sections returns the tables of contents, abstracts and declarations of authorship. lists are the bibliographies. Each starts at
// a line that is a known heading or of a table of contents by the format, or is recognised by its leaders or wording; an abstract, or a
// declaration with a heading, is not returned without a sure end.
func sections(text string, o Options, lists []Range) []Range {
	pages, stated := o.Pages, slices.Sorted(slices.Values(o.Contents))
	isFront := func(offset int) bool { return isFront(offset, len(text)) || isBack(offset, len(text), lists) }
	lines := filled(linesOf(text, pages))
	var list []Range
	declared := false // further declarations have headings, or a copy could hide as one
	for i := 0; i < len(lines); i++ {
		if last, ok := untitledContents(lines, i); ok {
			list = append(list, Range{Contents, lines[i].start, lines[last].end})
			i = last
			continue
		}
		if !declared && isFront(lines[i].start) {
			if last, ok := untitledDeclaration(lines, i); ok {
				list = append(list, Range{Declaration, lines[i].start, lines[last].end})
				i, declared = last, true
				continue
			}
		}
		kind, last := "", i
		words := headingWords(lines[i].text)
		for len(stated) > 0 && stated[0] < lines[i].start {
			stated = stated[1:]
		}
		switch {
		case len(stated) > 0 && stated[0] < lines[i].end:
			kind, last = Contents, lastOfContents(lines, i)
		case len(words) == 0:
		case isPhrase("contents", words):
			kind, last = Contents, lastOfContents(lines, i)
		case !isFront(lines[i].start) || numbering().FindString(lines[i].text) != "":
			// a section of a chapter
		case isPhrase("declared", words):
			kind, last = Declaration, lastOfDeclaration(lines, i, pages)
		case isPhrase("abstract", words):
			kind, last = Abstract, lastOfAbstract(lines, i, pages)
		}
		if last > i {
			list = append(list, Range{kind, lines[i].start, lines[last].end})
			i = last
		}
	}
	return list
}

// TitlePage returns the end of the lines before the first declaration, abstract or table of contents in the first quarter of a
// text, up to the first prose: titles, names and the assignment of a thesis. It is 0 if there are none of these, or if these
// lines have more than mostTitle words. found are the ranges of [Find].
func TitlePage(text string, pages []int, found []Range) (end int) {
	i := slices.IndexFunc(found, func(r Range) bool { return r.Kind == Declaration || r.Kind == Abstract || r.Kind == Contents })
	if i < 0 || 4*found[i].Start >= len(text) {
		return 0
	}
	words, lines := 0, filled(linesOf(text[:found[i].Start], pages))
	for i, l := range lines {
		if proseAt(lines[i:]) > 0 {
			break
		}
		if words += len(strings.Fields(l.text)); words > mostTitle {
			return 0
		}
		end = l.end
	}
	return end
}

// isFront reports whether an offset is in the first quarter of a text, or in its last tenth.
func isFront(offset, size int) bool { return 4*offset < size || 10*offset > 9*size }

// isBack reports whether an offset is in the second half of a text, after its last bibliography.
func isBack(offset, size int, lists []Range) bool {
	return 2*offset > size && len(lists) > 0 && offset >= lists[len(lists)-1].End
}

// headingWords returns the folded words of a line without the number before it, nil if it cannot be a heading.
func headingWords(s string) []string {
	if len(s) > 4*mostHeadingRunes || strings.ContainsAny(s, "[]|=;") {
		return nil
	}
	s = fold(strings.Trim(s, " \t*_#"))
	return wordsIn(s[len(numbering().FindString(s)):])
}

// isPhrase reports whether words are a phrase of a kind of the table.
func isPhrase(kind string, words []string) bool {
	return len(words) > 0 && longest(kind, words) == len(words)
}

// isSection reports whether a line is any heading of the table.
func isSection(s string) bool {
	words := headingWords(s)
	return isHeading(s) || endsList(s) || isPhrase("contents", words) || isPhrase("abstract", words) || isPhrase("declared", words)
}

// leader matches a line of a table of contents: dots that lead to a page number, or a number at the end.
var leader = format.Pattern(`(?:[.…·]\s?){4,}\s*[\divxlc]+\s*|\S\s+(?:\d{1,4}|[ivxlc]{1,6})$`)

// lastOfContents returns the last line with a page number of the table of contents whose heading is line from, or from.
func lastOfContents(lines []line, from int) int {
	last, numbered := from, 0
	for i := from + 1; i < len(lines) && i-last <= mostGap; i++ {
		if leader().MatchString(fold(lines[i].text)) && proseAt(lines[i:i+1]) == 0 {
			last = i
			numbered += len(leader().FindAllString(lines[i].text, leastContents))
		}
	}
	if numbered < leastContents {
		return from
	}
	return last
}

// dotted matches dots that lead to a page number.
var dotted = format.Pattern(`(?:(?:[.·_]\s?){5,}|(?:…\s?){2,})\s*(?:\d{1,4}|[ivxlc]{1,6})(?:\s|$)`)

// untitledContents returns the last line of a table of contents that starts at line from, without
// a heading, and whether there is one: dots lead to page numbers in most of its lines.
func untitledContents(lines []line, from int) (last int, ok bool) {
	leaders := 0
	for i := from; i < len(lines) && i-last <= mostGap; i++ {
		n := 0
		if hasLeaders(lines[i].text) {
			n = len(dotted().FindAllStringIndex(lines[i].text, -1))
		}
		if n == 0 && i == from {
			return from, false
		}
		if n > 0 {
			leaders, last = leaders+n, i
		}
	}
	return last, leaders >= leastLeaders
}

// hasLeaders reports whether two leaders with at most a space between them are in a line, so that dotted may match it.
func hasLeaders(s string) bool {
	last := -1 // byte after the last leader and the space that follows it
	for i := 0; i < len(s); {
		size := 1
		switch {
		case s[i] == '.' || s[i] == '_':
		case strings.HasPrefix(s[i:], "…") || strings.HasPrefix(s[i:], "·"):
			_, size = utf8.DecodeRuneInString(s[i:])
		default:
			i++
			continue
		}
		if i == last {
			return true
		}
		if i += size; i < len(s) && strings.IndexByte("\t\n\f\r ", s[i]) >= 0 {
			i++
		}
		last = i
	}
	return false
}

// untitledDeclaration returns the last line of the paragraph that starts at line from, and whether
// it declares that the work is the author's own.
func untitledDeclaration(lines []line, from int) (last int, ok bool) {
	declares, words, paragraph := false, 0, ""
	for last = from; ; last++ {
		s := lines[last].text
		if words += wordCount(s); words > mostUntitled {
			return from, false
		}
		paragraph += s + " "
		if declares = declares || hasPhrase("declares", paragraph); !declares && last > from {
			return from, false // it declares in its first lines
		}
		if last+1 == len(lines) || lines[last+1].start != lines[last].end+1 {
			return last, declares && hasPhrase("own", paragraph) && declaresOwn(paragraph)
		}
	}
}

// declaresOwn reports whether a paragraph has a phrase of both kinds, "declares" and "own", of one language: English prose has words that
// declare in other languages.
func declaresOwn(paragraph string) bool {
	for kind := range headings() {
		if language, ok := strings.CutPrefix(kind, "own "); ok && hasPhrase(kind, paragraph) && hasPhrase("declares "+language, paragraph) {
			return true
		}
	}
	return false
}

// keywords matches the line of keywords after an abstract.
var keywords = format.Pattern(`^(?:key\s?words|index terms|klicova slova|klucove slova|schlusselw|schlagw|slowa kluczowe|mots[- ]cles|palabras clave|palavras[- ]chave|parole chiave|cuvinte cheie|` +
	`kljucne (?:rijeci|reci|besede)|kulcsszavak|avainsanat|asiasanat|nyckelord|nøkkelord|emneord|trefwoorden|anahtar (?:kelimeler|sozcukler)|λεξεις[- ]κλειδια|ключевые слова|ключови думи|ключові слова|кључне речи|` +
	`ключавыя словы|kata kunci|tu khoa|关键词|关键字|關鍵詞|キーワード|주제어|핵심어|الكلمات المفتاحية|كلمات مفتاحية|واژگان کلیدی|کلید ?واژه|מילות מפתח)`)

// lastOfAbstract returns the last line of the abstract whose heading is line from: that before the
// keywords, the next heading or the next page; from if none of them is near.
func lastOfAbstract(lines []line, from int, pages []int) int {
	words := 0
	for i := from + 1; i < len(lines) && words <= mostAbstract; i++ {
		s := lines[i].text
		if keywords().MatchString(fold(s[:min(len(s), 60)])) || isSection(s) || i > from+1 && startsPage(pages, lines[i-1].end, lines[i].start) && endsSentence(lines[i-1].text) {
			return i - 1
		}
		words += wordCount(s)
	}
	return from
}

// endsSentence reports whether a line ends with the end of a sentence.
func endsSentence(s string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s, "\"”“»)]' "))
	return unicode.In(last, unicode.Sentence_Terminal)
}

// lastOfDeclaration returns the last line of the declaration whose heading is line from, up to the
// next heading or page, or its first paragraph that declares; from if nothing declares.
func lastOfDeclaration(lines []line, from int, pages []int) int {
	words, declares := 0, from
	for i := from + 1; i < len(lines); i++ {
		s := lines[i].text
		if words += wordCount(s); words > mostDeclaration {
			break
		}
		if isSection(s) || i > from+1 && startsPage(pages, lines[i-1].end, lines[i].start) {
			if declares > from {
				return i - 1
			}
			break
		}
		if declares == from && hasPhrase("declares", s) {
			declares = i
		}
	}
	return declares
}

// hasPhrase reports whether a line has a phrase of a kind.
func hasPhrase(kind, s string) bool {
	words := wordsIn(fold(s))
	for i := range words {
		if longest(kind, words[i:]) > 0 || isUnspacedStart(kind, words[i]) {
			return true
		}
	}
	return false
}

// startsPage reports whether a page starts in (from, to].
func startsPage(pages []int, from, to int) bool {
	return slices.ContainsFunc(pages, func(p int) bool { return p >= from && p <= to })
}

// wordCount returns the words of a line; two letters of a script without spaces are one.
func wordCount(s string) int {
	n, _ := plainWords(s)
	return n
}
