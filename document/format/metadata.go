package format

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

var fourDigits = regexp.MustCompile(`\d+`)

// Year returns the first year in a date of any form, a number from 1000 to 2999; 0 if there is
// none.
func Year(date string) int {
	for _, digits := range fourDigits.FindAllString(date, -1) {
		if y, err := strconv.Atoi(digits); err == nil && len(digits) == 4 && y >= 1000 && y < 3000 {
			return y
		}
	}
	return 0
}

// placeholders are titles that programs and templates set, in small letters and without numbers.
var placeholders = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for _, title := range strings.Split(`title|the title|untitled|no title|untitled document|new document|document|text document|microsoft word document|word document|
		presentation|powerpoint presentation|slide|book|workbook|worksheet|thesis|thesis title|title of thesis|title of the thesis|title of paper|title of the paper|paper title|
		document title|your title|insert title|insert title here|type the document title|your title here|title here|dissertation|dissertation title|
		main|paper|article|manuscript|draft|final|template|thesis template|report|abstract|sample|test|temp|tmp|
		název|název práce|název dokumentu|bez názvu|dokument|nový dokument|dokument microsoft word|prezentace|prezentace aplikace powerpoint|snímek|sešit|šablona|
		názov|názov práce|názov dokumentu|prezentácia|prezentácia programu powerpoint|zošit|
		titel|titel der arbeit|ohne titel|unbenannt|unbenanntes dokument|präsentation|powerpoint-präsentation|mappe|
		titre|sans titre|titre du document|présentation powerpoint|título|sin título|título del documento|presentación de powerpoint|sem título|apresentação do powerpoint|
		titolo|senza titolo|presentazione standard di powerpoint|tytuł|tytuł pracy|bez nazwy|bez tytułu|prezentacja programu powerpoint|slajd|
		cím|névtelen|naslov|bez naslova|naslov rada|başlık|adsız|documento|документ|без названия|без имени|презентация powerpoint|безымянный`, "|") {
		m[strings.TrimSpace(title)] = true
	}
	return m
})

var (
	// fileTitle matches the name of a file, with or without the program that prints it.
	fileTitle = regexp.MustCompile(`(?i)^(?:microsoft (?:office )?(?:word|powerpoint|excel|publisher) - .*|\S+\.(?:docx?|dotx?|dvi|tex|pdf|rtf|odt|pptx?|xlsx?|qxd|indd|ps|eps|pmd|p65|fm|wpd|cdr|txt|html?))$`)

	// fontTitle matches the instructions of a template on the font of its title.
	fontTitle = regexp.MustCompile(`(?i)(?:times new roman|arial|calibri|cambria|garamond|font|bold)\W+(?:\pL+\W+)?\d+ ?(?:pt|points?)\b|\b\d+ ?(?:pt|points?)\W+(?:\pL+\W+)?(?:times new roman|arial|calibri|cambria|garamond|font|bold)`)
)

// TitleOf returns a stated title, or "" if it is that of a template or the name of a file.
func TitleOf(stated string) string {
	if fileTitle.MatchString(stated) || fontTitle.MatchString(stated) {
		return ""
	}
	bare := strings.ToLower(strings.TrimRight(strings.TrimSpace(stated), "0123456789-–_.()[]<>{} \u00a0"))
	if placeholders()[strings.TrimLeft(bare, "[<{( \u00a0")] {
		return ""
	}
	return stated
}
