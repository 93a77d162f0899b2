package exclude

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/internal/lists"
)

const (
	mostHeading      = 9   // words of a heading of a bibliography at most
	mostHeadingRunes = 120 // and its code points
)

// after are the first words of headings that end a bibliography.
var after = format.Pattern(`(?i)^(?:(?:externí\s+|vložené\s+)?příloh[ay]|přiložen\p{L}+|seznam\s+(?:použit\p{L}+\s+)?(?:příloh|obrázků|tabulek|zkratek|symbolů|grafů|algoritmů|ukázek|výpisů)|` +
	`dodat(?:ek|ky)|rejstřík|při\s+obhajobě|podrobné\s+závazné\s+pokyny|abstrakt|resumé|summary|souhrn|životopis|poděkování|prohlášení|anotace|obsah\s+(?:přilož\p{L}+\s+)?(?:cd|dvd|média|souborů|archivu|paměťov\p{L}+)|uživatelsk\p{L}+\s+příručka|zdrojov\p{L}+\s+kód|` +
	`príloh(?:[ay]|ov\p{L}+)?|zoznam\s+(?:použit\p{L}+\s+)?(?:príloh|obrázkov|tabuliek|skratiek|symbolov|grafov)|dodat(?:ok|ky)|register|obsah\s+(?:prilož\p{L}+\s+)?(?:cd|dvd|média|nosiča|elektronick\p{L}+)|` +
	`(?:používateľsk|systémov)\p{L}+\s+príručka|zdrojov\p{L}+\s+kód|čestné\s+(?:vyhlásenie|prohlášení)|` +
	`appendi(?:x|ces)|annex(?:es)?|attachments?|list\s+of\s+(?:figures|tables|abbreviations|appendices|symbols|attachments|listings)|index|abstract|acknowledge?ments?|about\s+the\s+authors?|glossary|` +
	`requirements\s+for\s+the|detailed\s+formal\s+requirements|(?:contents\s+of|enclosed)\s+(?:the\s+)?(?:enclosed\s+|attached\s+)?(?:cd|dvd|medi\p{L}+|archive)|user(?:['’]s)?\s+(?:manual|guide)|curriculum\s+vitae|source\s+code|` +
	`anhang|anhänge|anlagen?|abbildungsverzeichnis|tabellenverzeichnis|abkürzungsverzeichnis|zusammenfassung|eidesstattliche|erklärung|(?:selbst(?:st)?ändigkeits|ehrenwörtliche)\s*\p{L}*|lebenslauf|glossar|danksagung|inhalt\s+der|` +
	`załącznik(?:i)?|dodat(?:ek|ki)|spis\s+(?:rysunków|tabel|ilustracji|wykresów|listingów|załączników|oznaczeń)|streszczenie|aneks|oświadczenie|zawartość\s+płyty)(?:\PL|$)`)

// lettered is a heading of an appendix that has nothing but a letter before it, and no
// sign that an entry has.
var lettered = format.Pattern(`^[A-H](?:\.\d+)*\.?\s+\p{Lu}\p{Ll}+(?:\s\p{L}+){0,6}$`)

// numbering is what may be before a heading: 7, 7., 7.1, VII., A, Chapter 7, #.
var numbering = format.Pattern(`(?i)^(?:#{1,6}\s+|(?:kapitola|kapitel|chapter|rozdział)\s+)?(?:\d+(?:\.\d+)*\.?|[ivx]+\.|[a-h]\.?\s|第[一二三四五六七八九十\d]+章|[一二三四五六七八九十]+、)?\s*`)

// evidence is what lines of a bibliography have and prose seldom does.
var evidence = format.Pattern(`(?i)^\s*\[[^\]]{1,14}\](?:\s|$)|^[A-ZÀ-Ž][^.]{2,60}\s(?:1[5-9]|20)\d\d[a-z]?\.\s|https?://|www\.|\bdoi\b|\bisbn\b|\bissn\b|\[online\]|\[cit\.|dostupn[éáý]\b|` +
	`\bIn:\s|\bvyd\.|\bvyd(?:ání|anie)\b|\bnakl\.|\bverlag\b|\bpress\b|\bproceedings\b|\bjournal\s+of\b|\bhrsg\b|\beds?\.|\bvol\.|\bs\.\s*\d+|\bpp?\.\s*\d+|` +
	`\bpages?\s+\d+|\bstr\.\s*\d+|\brfc\s+\d+|\(\s*(?:1[5-9]|20)\d\d[a-z]?\s*\)|[,.:;]\s*(?:\p{L}+\s+)?(?:c|©)?(?:1[5-9]|20)\d\d[a-z]?\s*(?:[.,;:]|$)|` +
	`\d+\s*\(\d+\)|\d+[–-]\d+\.?\s*$|\(\s*\d{1,2}\.\s?\d{1,2}\.\s?(?:19|20)\d\d\s*\)|^\S+\.(?:html?|pdf|php|aspx?)\S*$`)

// legal is what entries of lists of laws and decisions have: numbers and collections of laws, and
// references of courts.
var legal = format.Pattern(`(?i)\b\d+/\d{4}\s+(?:sb|coll|z\.\s?z|zz)\b|\bsp\.\s*zn\.|\bč\.\s?j\.|\becli:|\bsygn\.|\bdz\.\s?u\.|\bbgbl?\.?\s|\b(?:bverfg|bgh|ogh|eugh)\b|\bC[-‑–]\d{1,4}/\d\d\b|` +
	`\[(?:19|20)\d\d\]\s+(?:\d+\s+)?[A-Z]{2,6}\b|\b\d+\s+U\.\s?S\.\s+\d+|№?\s?\d+-(?:фз|фкз|вр|з)(?:\PL|$)|\b(?:eu|es|ehs|eg|ewg|ec|eec|ue|ce)\)?\s+(?:č\.|nr\.?|no\.?|n[.°º])?\s*\d+/\d+|\b\d{4}/\d+/(?:eu|es|eg|ec|ue|ce)\b|\bnn\s+\d+/\d+|\bStb\.|\bSOU\s+\d{4}:\d+|\bNJA\s+\d{4}`)

// evidenceElsewhere is what lines of a bibliography have in Persian, with years of its calendar, in Thai, and in
// Russian and Ukrainian, after folding.
var evidenceElsewhere = format.Pattern(`\p{Arabic}.*[^\d](?:1[34]|20)\d\d(?:\D|$)|\p{Thai}.*[^\d]25\d\d(?:\D|$)|\p{Cyrillic}\.\s*[–-]\s*(?:[стс]\.|\d+\s*[стс]\.)|\p{Han}.*(?:1[89]|20)\d\d(?:\D|$)|\p{Hangul}.*(?:1[89]|20)\d\d(?:\D|$)`)

// shows reports whether a line shows evidence of a bibliography.
func shows(s string) bool {
	s = s[:min(len(s), 2000)]
	if evidence().MatchString(s) || legal().MatchString(s) {
		return true
	}
	if isPlain(s) {
		return false
	}
	f := fold(s)
	return evidence().MatchString(f) || evidenceElsewhere().MatchString(f)
}

// mostOfOne is the maximum number of lines from the heading to the end of a list of one entry.
const mostOfOne = 4

// patience is how many lines a bibliography may have from one that shows
// evidence to the next: long entries, and the names of its parts.
const patience = 10

// bibliographies returns the lists of literature, headings included. Each
// starts at a line that is a known heading and has entries after it, and ends
// before a heading of what follows it, or with its last entry. A heading may be
// at the top of a page, whatever ends the page before, or share a line with the
// first entry or with the end of the text before it. Prose among the entries
// stays out.
func bibliographies(text string, pages []int) []Range {
	lines := filled(linesOf(text, pages))
	var list []Range
	for i := 0; i < len(lines); i++ {
		h, ok := headingAt(lines, i)
		if !ok {
			continue
		}
		last := lastEntry(lines, i)
		if last > i || h.first {
			list = append(list, entries(lines[i:last+1], h)...)
			i = last
		}
	}
	return list
}

// A heading is the heading of a bibliography, found in a line.
type heading struct {
	start int  // offset in the text
	first bool // an entry that shows evidence follows in the line
}

// headingAt returns the heading of a bibliography in line i.
func headingAt(lines []line, i int) (heading, bool) {
	l := lines[i]
	if isHeading(l.text) {
		return heading{start: l.start}, true
	}
	if r, _ := utf8.DecodeRuneInString(l.text); !unicode.IsLower(r) {
		if entry := joinedToEntry(l.text); entry != "" {
			return heading{l.start, shows(entry)}, true
		}
	}
	if i+1 < len(lines) && firstEntry().MatchString(lines[i+1].text) {
		if at := joinedToText(l.text); at > 0 {
			return heading{start: l.end - len(l.text) + at}, true
		}
	}
	return heading{}, false
}

// firstEntry is the beginning of the first entry of a list that has numbers or keys.
var firstEntry = format.Pattern(`^(?:\[[^\]]{1,14}\]\s|\(?1[.)]\s)`)

// namedEntry is the beginning of an entry with the name of an author.
var namedEntry = format.Pattern(`^\p{Lu}[\p{L}'’-]+,\s+\p{Lu}[\p{L}.]*[ ,;&].{0,300}(?:1[5-9]|20)\d\d`)

// startsWithName reports whether a text starts with an entry that has the name of an author. Most texts have no comma at the
// end of their first word, so the pattern, which is slow, is not tried.
func startsWithName(s string) bool {
	end := strings.IndexAny(s, " \t")
	return end > 0 && s[end-1] == ',' && namedEntry().MatchString(s[:min(len(s), 500)])
}

// joinedToEntry returns the entry, without its number, that follows the heading of a bibliography
// in a line; "" if the line has none.
func joinedToEntry(s string) string {
	words := 0
	for i := 0; i < len(s) && words < mostHeading; i++ {
		if s[i] != ' ' {
			continue
		}
		words++
		rest := s[i+1:]
		if (firstEntry().MatchString(rest) || startsWithName(rest)) && isHeading(s[:i]) {
			return rest[len(firstEntry().FindString(rest)):]
		}
	}
	return ""
}

// joinedToText returns the offset of the heading of a bibliography that a line ends with, after
// the end of a sentence, a number or a sign; 0 if it has none.
func joinedToText(s string) int {
	at := 0
	words := 0
	for i := len(s) - 1; i > 0 && words < mostHeading; i-- {
		if s[i] != ' ' {
			continue
		}
		words++
		first, _ := utf8.DecodeRuneInString(s[i+1:])
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		if !unicode.IsLower(first) && !unicode.IsLetter(before) && before != ',' && isHeading(s[i+1:]) {
			at = i + 1
		}
	}
	return at
}

// entries returns the ranges of a bibliography, which has the given lines, without the prose
// among them. Most lines after prose must show evidence, or they stay out, too.
func entries(lines []line, h heading) []Range {
	var list []Range
	from := 0
	add := func(to int) {
		if from == 0 && to > 0 {
			list = append(list, Range{Bibliography, h.start, lines[to-1].end})
		} else if from < to && 2*evident(lines[from:to]) >= to-from {
			list = append(list, Range{Bibliography, lines[from].start, lines[to-1].end})
		}
	}
	for i := 1; i < len(lines); i++ {
		if n := proseAt(lines[i:]); n > 0 {
			add(i)
			from = i + n
			i = from - 1
		}
	}
	add(len(lines))
	if len(list) == 1 && list[0].End == lines[0].end && !h.first {
		return nil // a heading alone
	}
	return list
}

// evident returns how many lines show evidence.
func evident(lines []line) int {
	return lists.Count(lines, func(l line) bool { return shows(l.text) })
}

// filled returns the lines that are not blank.
func filled(lines []line) []line {
	return lists.Filter(lines, func(l line) bool { return l.text != "" })
}

// isHeading reports whether a line is the heading of a bibliography.
func isHeading(s string) bool {
	if len(s) > 4*mostHeadingRunes || utf8.RuneCountInString(s) > mostHeadingRunes {
		return false
	}
	s = fold(strings.Trim(s, " \t*_#")) // Markdown
	return named(s[len(numbering().FindString(s)):]) || spaced(s)
}

// lastEntry returns the line that ends the bibliography whose heading is line
// from, or from if no entries follow it: of the lines up to its end, at least
// one in three must show evidence, the first few aside, and more than one unless
// the text ends there, or nothing but that entry is before the next heading.
func lastEntry(lines []line, from int) int {
	last, found, seen, ended := from, 0, 0, 0
	for i := from + 1; i < len(lines) && i-last <= patience; i++ {
		s := lines[i].text
		if isHeading(s) {
			continue // the name of a part
		}
		shows := shows(s)
		if !shows && endsList(s) {
			ended = i
			break
		}
		seen++
		if !shows {
			continue
		}
		if 3*(found+1) < seen-patience {
			break
		}
		found++
		last = i
	}
	if found == 1 && last < len(lines)-1 && (ended != last+1 || ended > from+mostOfOne) { // a year in the prose of a chapter
		return from
	}
	return restOfEntry(lines, from, last)
}

// restOfEntry returns the last of the lines that follow the last evidence
// without a blank line: three at most, since an entry is not a page.
func restOfEntry(lines []line, from, last int) int {
	for i := last + 1; last > from && i < len(lines) && i <= last+3; i++ {
		if lines[i].start != lines[i-1].end+1 || endsList(lines[i].text) {
			return i - 1
		}
		if i == last+3 || i == len(lines)-1 {
			return i
		}
	}
	return last
}

// endsList reports whether a line is a heading of what follows a bibliography.
func endsList(s string) bool {
	if len(s) >= 4*mostHeadingRunes || utf8.RuneCountInString(s) >= mostHeadingRunes {
		return false
	}
	title := s[len(numbering().FindString(s)):]
	first, _ := utf8.DecodeRuneInString(title)
	return unicode.IsLetter(first) && !unicode.IsLower(first) && (after().MatchString(title) || startsWith("after", fold(title))) || lettered().MatchString(s)
}
