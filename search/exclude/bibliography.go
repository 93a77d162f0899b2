package exclude

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// headings are the titles of bibliographies: Czech, Slovak, English, German,
// Polish. One must be the whole line, but for a number before it.
var headings = set(`
literatura
seznam literatury
seznam použité literatury
seznam použité literatury a zdrojů
seznam použité literatury a pramenů
seznam literatury a zdrojů
seznam literatury a pramenů
seznam citované literatury
seznam odborné literatury
soupis literatury
soupis použité literatury
přehled literatury
přehled použité literatury
použitá literatura
použitá literatura a zdroje
použitá literatura a prameny
použitá a citovaná literatura
citovaná literatura
literatura a zdroje
literatura a prameny
literatura a odkazy
seznam zdrojů
seznam použitých zdrojů
seznam použitých zdrojů a literatury
seznam použitých pramenů
seznam použitých pramenů a literatury
seznam pramenů
seznam pramenů a literatury
seznam citací
seznam referencí
použité zdroje
použité zdroje a literatura
použité prameny
použité prameny a literatura
zdroje
zdroje a literatura
prameny
prameny a literatura
bibliografie
bibliografické odkazy
bibliografické citace
reference
internetové zdroje
elektronické zdroje

literatúra
zoznam literatúry
zoznam použitej literatúry
zoznam použitej literatúry a zdrojov
zoznam použitých zdrojov
zoznam zdrojov
zoznam bibliografických odkazov
použitá literatúra
použitá literatúra a zdroje
citovaná literatúra
pramene a literatúra
bibliografia
referencie
internetové zdroje

references
references and notes
notes and references
references cited
list of references
reference list
bibliography
selected bibliography
bibliography and references
works cited
literature
literature cited
cited literature
cited works
sources
list of sources
list of literature

literatur
literaturverzeichnis
literaturangaben
literaturliste
literaturnachweis
verwendete literatur
zitierte literatur
quellen
quellenverzeichnis
quellen und literatur
quellen- und literaturverzeichnis
literatur- und quellenverzeichnis
bibliographie
referenzen

literatura cytowana
literatura przedmiotu
spis literatury
spis cytowanej literatury
wykaz literatury
wykaz źródeł
piśmiennictwo
źródła
bibliografia załącznikowa
netografia
`)

// after are the first words of headings that end a bibliography.
var after = regexp.MustCompile(`(?i)^(?:(?:externí\s+)?příloh[ay]|seznam\s+(?:příloh|obrázků|tabulek|zkratek|grafů)|dodat(?:ek|ky)|rejstřík|abstrakt|` +
	`resumé|summary|souhrn|životopis|poděkování|prohlášení|anotace|` +
	`prílohy?|zoznam\s+(?:príloh|obrázkov|tabuliek|skratiek)|dodat(?:ok|ky)|register|` +
	`appendi(?:x|ces)|annex(?:es)?|list\s+of\s+(?:figures|tables|abbreviations|appendices)|index|abstract|acknowledge?ments?|about\s+the\s+authors?|glossary|` +
	`anhang|anhänge|abbildungsverzeichnis|tabellenverzeichnis|abkürzungsverzeichnis|zusammenfassung|eidesstattliche\s+erklärung|lebenslauf|` +
	`załącznik(?:i)?|spis\s+(?:rysunków|tabel|ilustracji)|streszczenie|aneks)\b`)

// numbering is what may be before a heading: 7, 7., 7.1, VII., A, Chapter 7, #.
var numbering = regexp.MustCompile(`(?i)^(?:#{1,6}\s+|(?:kapitola|kapitel|chapter|rozdział)\s+)?(?:\d+(?:\.\d+)*\.?|[ivx]+\.|[a-h]\.?\s)?\s*`)

// evidence is what lines of a bibliography have and prose seldom does.
var evidence = regexp.MustCompile(`(?i)^\s*\[[^\]]{1,14}\](?:\s|$)|https?://|www\.|\bdoi\b|\bisbn\b|\bissn\b|\[online\]|\[cit\.|dostupn[éáý]\b|` +
	`\bIn:\s|\bvyd\.|\bvyd(?:ání|anie)\b|\bnakl\.|\bverlag\b|\bpress\b|\bproceedings\b|\bjournal\s+of\b|\bhrsg\b|\beds?\.|\bvol\.|\bs\.\s*\d+|\bpp?\.\s*\d+|` +
	`\bpages?\s+\d+|\bstr\.\s*\d+|\brfc\s+\d+|\(\s*(?:1[5-9]|20)\d\d[a-z]?\s*\)|[,.:;]\s*(?:\p{L}+\s+)?(?:c|©)?(?:1[5-9]|20)\d\d[a-z]?\s*(?:[.,;:]|$)|` +
	`\d+\s*\(\d+\)|\d+[–-]\d+\.?\s*$`)

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
	s = strings.TrimRight(s[len(numbering.FindString(s)):], " \t.:")
	return headings[strings.Join(strings.Fields(s), " ")]
}

// lastEntry returns the line that ends the bibliography whose heading is line
// from, or from if no entries follow it: of the lines up to its end, at least
// one in three must show evidence, the first few aside, and more than one unless
// the text ends there.
func lastEntry(lines []line, from int) int {
	last, found, seen := from, 0, 0
	for i := from + 1; i < len(lines) && i-last <= patience; i++ {
		s := lines[i].text
		if isHeading(s) {
			continue // the name of a part
		}
		shows := evidence.MatchString(s[:min(len(s), 2000)])
		if !shows && endsList(s) {
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
	if found == 1 && last < len(lines)-1 { // a year in the prose of a chapter
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
	return len(s) < 120 && unicode.IsUpper(first) && after.MatchString(title)
}

// set returns the lines of a text.
func set(text string) map[string]bool {
	lines := map[string]bool{}
	for _, l := range strings.Split(text, "\n") {
		if l != "" {
			lines[l] = true
		}
	}
	return lines
}
