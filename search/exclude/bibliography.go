package exclude

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A heading of a bibliography consists of words of two sets: those that say what it
// lists, of which one is needed, and those that may be beside them. Czech, Slovak,
// English, German, Polish. They are the whole line, but for a number before it.
var (
	listed = set(`literatura literatury literatuře literatúra literatúry literature literatur literaturverzeichnis literaturangaben literaturliste
		literaturnachweis literaturquellen bibliografie bibliografia bibliografický bibliografické bibliografických bibliografii bibliographie bibliography bibliograficzny bibliograficzne
		reference referencí referencie referencií references referenzen referenzverzeichnis zdroje zdrojů zdrojov zdrojích
		prameny pramenů pramene prameňov pramenňov quellen quellenverzeichnis quellenangaben quellennachweis sources źródła źródeł źródłowe
		piśmiennictwo netografia citace citací citácie citácií`)
	listedWith = set(`works cited`) // both of them
	beside     = set(`a i und oder and or of the to in z w ze na s so oraz or list lists selected cited references further reading used additional other general
		seznam zoznam soupis súpis přehled prehľad výběr výběrová použité použitá použitých použitej použitá použitý použitého použité citované citovaná citovaných citovanej
		odborné odborná odborných další ďalšia ďalšie ďalších dalších ostatní ostatné jiné jiných iné internetové internetových internetovej elektronické elektronických
		webové webových on line online tištěné tištěných tlačené primární primárne sekundární sekundárne doporučená odporúčaná odkazy odkazů odkazov informačních informačné
		informačných informační dokumentů dokumentov publikací publikácií knižní knižné časopisecké články článků právní právní předpisy předpisů legislativa legislativní
		verwendete verwendeter verwendeten zitierte zitierter weitere weiterführende weiterer gedruckte sonstige online internet verzeichnis der des
		spis wykaz cytowana cytowanej cytowane przedmiotu wykorzystana wykorzystanej podmiotu przedmiotowa internetowe internetowych elektroniczne pozostałe inne załącznikowa stron
		notes works`)
)

// mostHeading is how many words a heading of a bibliography has at most.
const mostHeading = 9

// after are the first words of headings that end a bibliography.
var after = regexp.MustCompile(`(?i)^(?:(?:externí\s+|vložené\s+)?příloh[ay]|přiložen\p{L}+|seznam\s+(?:použit\p{L}+\s+)?(?:příloh|obrázků|tabulek|zkratek|symbolů|grafů|algoritmů|ukázek|výpisů)|` +
	`dodat(?:ek|ky)|rejstřík|při\s+obhajobě|podrobné\s+závazné\s+pokyny|abstrakt|resumé|summary|souhrn|životopis|poděkování|prohlášení|anotace|obsah\s+(?:přilož\p{L}+\s+)?(?:cd|dvd|média|souborů|archivu|paměťov\p{L}+)|uživatelsk\p{L}+\s+příručka|zdrojov\p{L}+\s+kód|` +
	`príloh(?:[ay]|ov\p{L}+)?|zoznam\s+(?:použit\p{L}+\s+)?(?:príloh|obrázkov|tabuliek|skratiek|symbolov|grafov)|dodat(?:ok|ky)|register|obsah\s+(?:prilož\p{L}+\s+)?(?:cd|dvd|média|nosiča|elektronick\p{L}+)|` +
	`(?:používateľsk|systémov)\p{L}+\s+príručka|zdrojov\p{L}+\s+kód|čestné\s+(?:vyhlásenie|prohlášení)|` +
	`appendi(?:x|ces)|annex(?:es)?|attachments?|list\s+of\s+(?:figures|tables|abbreviations|appendices|symbols|attachments|listings)|index|abstract|acknowledge?ments?|about\s+the\s+authors?|glossary|` +
	`requirements\s+for\s+the|detailed\s+formal\s+requirements|(?:contents\s+of|enclosed)\s+(?:the\s+)?(?:enclosed\s+|attached\s+)?(?:cd|dvd|medi\p{L}+|archive)|user(?:['’]s)?\s+(?:manual|guide)|curriculum\s+vitae|source\s+code|` +
	`anhang|anhänge|anlagen?|abbildungsverzeichnis|tabellenverzeichnis|abkürzungsverzeichnis|zusammenfassung|eidesstattliche|erklärung|(?:selbst(?:st)?ändigkeits|ehrenwörtliche)\s*\p{L}*|lebenslauf|glossar|danksagung|inhalt\s+der|` +
	`załącznik(?:i)?|dodat(?:ek|ki)|spis\s+(?:rysunków|tabel|ilustracji|wykresów|listingów|załączników|oznaczeń)|streszczenie|aneks|oświadczenie|zawartość\s+płyty)(?:\PL|$)`)

// lettered is a heading of an appendix that has nothing but a letter before it, and no
// sign that an entry has.
var lettered = regexp.MustCompile(`^[A-H](?:\.\d+)*\.?\s+\p{Lu}\p{Ll}+(?:\s\p{L}+){0,6}$`)

// numbering is what may be before a heading: 7, 7., 7.1, VII., A, Chapter 7, #.
var numbering = regexp.MustCompile(`(?i)^(?:#{1,6}\s+|(?:kapitola|kapitel|chapter|rozdział)\s+)?(?:\d+(?:\.\d+)*\.?|[ivx]+\.|[a-h]\.?\s)?\s*`)

// evidence is what lines of a bibliography have and prose seldom does.
var evidence = regexp.MustCompile(`(?i)^\s*\[[^\]]{1,14}\](?:\s|$)|^[A-ZÀ-Ž][^.]{2,60}\s(?:1[5-9]|20)\d\d[a-z]?\.\s|https?://|www\.|\bdoi\b|\bisbn\b|\bissn\b|\[online\]|\[cit\.|dostupn[éáý]\b|` +
	`\bIn:\s|\bvyd\.|\bvyd(?:ání|anie)\b|\bnakl\.|\bverlag\b|\bpress\b|\bproceedings\b|\bjournal\s+of\b|\bhrsg\b|\beds?\.|\bvol\.|\bs\.\s*\d+|\bpp?\.\s*\d+|` +
	`\bpages?\s+\d+|\bstr\.\s*\d+|\brfc\s+\d+|\(\s*(?:1[5-9]|20)\d\d[a-z]?\s*\)|[,.:;]\s*(?:\p{L}+\s+)?(?:c|©)?(?:1[5-9]|20)\d\d[a-z]?\s*(?:[.,;:]|$)|` +
	`\d+\s*\(\d+\)|\d+[–-]\d+\.?\s*$|\(\s*\d{1,2}\.\s?\d{1,2}\.\s?(?:19|20)\d\d\s*\)|^\S+\.(?:html?|pdf|php|aspx?)\S*$`)

// mostOfOne is how many lines after its heading a list of one entry ends at most.
const mostOfOne = 4

// patience is how many lines a bibliography may have from one that shows
// evidence to the next: long entries, and the names of its parts.
const patience = 10

// bibliographies returns the lists of literature, headings included. Each
// starts at a line that is a known heading and has entries after it, and ends
// before a heading of what follows it, or with its last entry. A heading may be
// at the top of a page, whatever ends the page before.
func bibliographies(text string, pages []int) []Range {
	lines := filled(linesOf(text, pages))
	var list []Range
	for i := 0; i < len(lines); i++ {
		if !isHeading(lines[i].text) {
			continue
		}
		if last := lastEntry(lines, i); last > i {
			list = append(list, Range{Bibliography, lines[i].start, lines[last].end})
			i = last
		}
	}
	return list
}

// filled returns the lines that are not blank.
func filled(lines []line) []line {
	var out []line
	for _, l := range lines {
		if l.text != "" {
			out = append(out, l)
		}
	}
	return out
}

func isHeading(s string) bool {
	if len(s) > 120 {
		return false
	}
	s = strings.ToLower(strings.Trim(s, " \t*_#")) // Markdown
	return named(s[len(numbering.FindString(s)):])
}

// named reports whether a line in lower case is the name of a bibliography.
func named(s string) bool {
	words := strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	if len(words) > mostHeading || strings.ContainsAny(strings.TrimRight(s, " \t.:"), ".!?;=\"[]|") {
		return false
	}
	core, with := false, 0
	for _, w := range words {
		switch {
		case listed[w]:
			core = true
		case listedWith[w]:
			with++
		case !beside[w]:
			return false
		}
	}
	return core || with == len(listedWith)
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
		shows := evidence.MatchString(s[:min(len(s), 2000)])
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
// without a blank line: three at most, since an entry is no page.
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

// endsList says whether a line is a heading of what follows a bibliography.
func endsList(s string) bool {
	title := s[len(numbering.FindString(s)):]
	first, _ := utf8.DecodeRuneInString(title)
	return len(s) < 120 && unicode.IsUpper(first) && after.MatchString(title) || lettered.MatchString(s)
}

// set returns the words of a text.
func set(text string) map[string]bool {
	words := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		words[w] = true
	}
	return words
}
