package report

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/search/score"
)

// spanOf returns the place of the first part in text; it panics without one.
func spanOf(text, part string) search.Span {
	start := strings.Index(text, part)
	if start < 0 {
		panic("no " + part + " in " + text)
	}
	end := start + len(part)
	return search.Span{Start: start, End: end,
		RuneStart: utf8.RuneCountInString(text[:start]), RuneEnd: utf8.RuneCountInString(text[:end])}
}

// wordsOf returns the number of the first word of a place, and how many it has.
func wordsOf(text string, at search.Span) (word, words int) {
	return len(strings.Fields(text[:at.Start])), len(strings.Fields(text[at.Start:at.End]))
}

// aPassage returns a passage whose both sides are the given parts, with equal
// words marked at each of the parts of equal.
func aPassage(r *Report, source int, origin, grade, here, there string, equal ...string) search.Passage {
	text := r.Suspect.Text
	p := search.Passage{Source: source, Kind: search.KindAligned, Grade: grade,
		Suspect: spanOf(text, here), Origin: spanOf(origin, there)}
	p.Word, p.Words = wordsOf(text, p.Suspect)
	_, p.OriginWords = wordsOf(origin, p.Origin)
	for _, e := range equal {
		a, b := spanOf(here, e), spanOf(there, e)
		words := len(strings.Fields(e))
		p.Equal = append(p.Equal, search.Run{
			Suspect: [2]int{p.Suspect.Start + a.Start, p.Suspect.Start + a.End},
			Origin:  [2]int{p.Origin.Start + b.Start, p.Origin.Start + b.End}, Words: words})
		p.Matched += words
		p.Run = max(p.Run, words)
	}
	p.Gaps = max(0, len(equal)-1)
	if grade == search.Verbatim {
		p.Kind = search.KindExact
	}
	return p
}

// measured fills in the sizes and scores that follow from the passages.
func measured(r *Report) *Report {
	text := r.Suspect.Text
	r.Suspect.Bytes, r.Suspect.Runes = len(text), utf8.RuneCountInString(text)
	r.Suspect.Words = len(strings.Fields(text))
	for i := range r.Passages {
		r.Passages[i].Number = i + 1
		r.Passages[i].Group = search.Groups()[i%len(search.Groups())]
	}
	total := inputOf(r).Count(score.Choice{})
	r.Score = search.NewScore(r.Suspect.Words, total)
	for i := range r.Passages {
		r.Passages[i].Counted = total.Passages[i].Counted
	}
	for i, s := range total.Sources {
		r.Sources[i].Covered, r.Sources[i].Percent, r.Sources[i].Counted = s.Covered, s.Percent, s.Counted
	}
	return r
}

const (
	vesnice  = "Tiché léto na vsi začalo toho roku časně. Stará lípa u kostela voněla do dálky a děti z celé vsi běhaly bosy po návsi. Jen kovář Matěj seděl před kovárnou a mlčel."
	zahrada  = "Babiččina zahrada byla plná růží, které sázel ještě dědeček, a v koutě pod plotem rostl rybíz."
	vypraveč = "V létě bylo u nás vždy veselo.\n\nStará lípa u kostela voněla do dálky a děti z celé vsi běhaly bosy po návsi. Tak to aspoň vyprávěl otec.\n\n" +
		"Zahrada naší babičky byla plná růží, které sázel dědeček, a v koutě rostl rybíz. „Stará lípa u kostela voněla do dálky,“ psal i soused.\n"
)

// sample returns the result of a search in Czech texts: a verbatim passage, an
// edited one, and a quoted piece of the first.
func sample() *Report {
	percent, run := 12.5, 7
	r := &Report{Result: search.Result{
		Version: "1.0.0",
		Checked: time.Date(2026, 11, 22, 14, 5, 9, 0, time.FixedZone("", 3600)),
		Index: search.Index{Kind: search.KindIndex, Name: "theses", Documents: 3230, Searched: 3227, Grams: 2104377,
			Sizes:   []search.IndexSize{{N: 5, Documents: 12}},
			Changed: time.Date(2026, 9, 1, 8, 0, 0, 0, time.UTC)},
		Settings: search.Settings{N: 7, MinPercent: &percent, MinRun: &run, Common: 1000, Detail: true,
			Normalization: map[string]string{"new_line": "auto", "delete_chars": "-'`´"}},
		Suspect: search.Suspect{Path: "práce/vyprávění.txt", Format: "text", Encoding: "windows-1250", Title: "Vyprávění", Author: "Jan Novák",
			NewLine: "blank", Text: vypraveč, Paragraphs: 3, Pages: 2,
			Flags: []search.Flag{{Kind: "hidden text", Page: 1, Count: 12, Detail: "white on white"},
				{Kind: "hidden text", Place: search.Span{Start: 153, End: 153, RuneStart: 138, RuneEnd: 138}, Page: 2, Count: 1, Detail: "white on white"}}},
		Match: search.Match{Grams: 38, Matched: 13, Common: 1, Percent: 100 * 13 / 38.0, Run: 18},
		Sources: []search.Source{
			{ID: "00000000000000a1", Name: "knihy:texty/vesnice.txt", Prefix: "knihy:", Path: "/srv/knihy/texty/vesnice.txt", Title: "Vesnice", Author: "K. Světlá", Year: 1867,
				Address: "https://example.org/vesnice?a=1&b=2", Labels: map[string]string{"fakulta": "lesnická", "draft": "yes"},
				Match: search.Match{Grams: 38, Matched: 12, Percent: 100 * 12 / 38.0, Run: 18},
				Words: 32, Bytes: int64(len(vesnice)), Scanned: 2, Excerpts: []search.Excerpt{{Span: spanOf(vesnice, vesnice), Text: vesnice}}},
			{ID: "00000000000000b2", Name: "texty/zahrada.html", Path: "/srv/knihy/texty/zahrada.html",
				Match: search.Match{N: 5, Grams: 44, Matched: 1, Percent: 100 / 44.0, Run: 5},
				Words: 16, Bytes: int64(len(zahrada)), Excerpts: []search.Excerpt{{Span: spanOf(zahrada, zahrada), Text: zahrada}}},
		},
		Unlisted: 1,
		Unread:   []search.Unread{{Path: "práce/obrázek.png", Reason: "not text"}},
		Unsearched: []search.Unsearched{
			{Kind: search.UnsearchedDocuments, Count: 3, Limit: 7, Detail: "3 of 3230 documents were not searched, not being indexed under a size of n-grams that the text has"},
			{Kind: search.UnsearchedLong, Count: 1, Limit: 2_000_000, Names: []string{"/texty/slovník.txt"},
				Detail: "1 source was not aligned, with more than 2000000 words each: only unchanged runs are shown"}},
		Notes: []string{"1 file is not in this report"},
	}}
	lipa := "Stará lípa u kostela voněla do dálky a děti z celé vsi běhaly bosy po návsi"
	quoted := "„Stará lípa u kostela voněla do dálky,“"
	r.Passages = []search.Passage{
		aPassage(r, 0, vesnice, search.Verbatim, lipa, lipa, lipa),
		aPassage(r, 1, zahrada, search.Edited,
			"Zahrada naší babičky byla plná růží, které sázel dědeček, a v koutě rostl rybíz",
			"Babiččina zahrada byla plná růží, které sázel ještě dědeček, a v koutě pod plotem rostl rybíz",
			"byla plná růží, které sázel", "dědeček, a v koutě", "rostl rybíz"),
		aPassage(r, 0, vesnice, search.Verbatim, quoted, "Stará lípa u kostela voněla do dálky"),
	}
	for i := range r.Passages {
		r.Passages[i].Page, r.Passages[i].LastPage = 1+i/2, 2
	}
	q := r.Passages[2].Suspect
	r.Exclusions = []search.Exclusion{{Kind: "quotation", Place: q, Word: r.Passages[2].Word, Words: 7}}
	r.Passages[2].Matched, r.Passages[2].Run = 7, 7
	r.Suspect.Recognized = []search.Recognized{{Place: spanOf(vypraveč, quoted), Page: 2, Words: 7, Doubtful: []search.Span{spanOf(vypraveč, "voněla"), spanOf(vypraveč, "dálky,“")}}}
	lipaAt := spanOf(vypraveč, lipa)
	r.Paragraphs = []search.Paragraph{{
		Number: 2, Place: spanOf(vypraveč, "Stará lípa u kostela voněla do dálky a děti z celé vsi běhaly bosy po návsi. Tak to aspoň vyprávěl otec."),
		Words: 21, Match: search.Match{Grams: 15, Matched: 12, Percent: 80, Run: 18},
		Text: "Stará lípa u kostela voněla do dálky a děti z celé vsi běhaly bosy po návsi. Tak to aspoň vyprávěl otec.",
		Sources: []search.ParagraphSource{{Source: 0, Match: search.Match{Grams: 15, Matched: 12, Percent: 80, Run: 18},
			Places: []search.Place{{Suspect: lipaAt, Source: spanOf(vesnice, lipa), Words: 16}}}},
	}}
	return measured(r)
}

// empty returns a result without anything found.
func empty() *Report {
	return &Report{Result: search.Result{
		Index:    search.Index{Kind: search.KindFiles},
		Settings: search.Settings{N: 7},
		Suspect:  search.Suspect{Path: "a.txt", Format: "text", NewLine: "blank", Bytes: 44, Runes: 44, Words: 9, Paragraphs: 1},
		Match:    search.Match{Grams: 3},
		Score:    search.NewScore(9, score.Total{Grades: make([]int, len(grades))}),
	}}
}

// Names and texts that would be something else than text if a writer let them.
const (
	hostileName = "</style></script><script>alert(1)</script>\x1b[2J\u202Etxt.\"'&]]>\x00\xff.txt"
	hostileText = "<script>alert(document.domain)</script> ]]> <!-- --> {{.}} \u202Eright to left\u202C &amp; \x0b\x1b[31m " +
		"<img src=x onerror=alert(1)> \uFFFE javascript:alert(1)\r\nend of it"
)

// hostile returns a result in which every name and text tries to break out.
func hostile() *Report {
	r := &Report{Result: search.Result{
		Version:  hostileName,
		Index:    search.Index{Kind: search.KindIndex, Name: hostileName, Documents: 1, Searched: 1, Grams: 12},
		Settings: search.Settings{N: 3, Normalization: map[string]string{hostileName: hostileText}},
		Suspect: search.Suspect{Path: hostileName, Format: "html", Title: hostileName, Author: hostileName, NewLine: "true",
			Text: hostileText, Paragraphs: 2, Encoding: hostileName, Flags: []search.Flag{{Kind: hostileName, Count: 1, Detail: hostileName}}},
		Match: search.Match{Grams: 12, Matched: 12, Percent: 100, Run: 14},
		Sources: []search.Source{{ID: "ffffffffffffffff", Name: "<b>" + hostileName, Prefix: "<b>", Path: hostileName, Title: hostileName, Author: hostileName, Address: "javascript:alert(1)", Labels: map[string]string{"<b>": hostileName},
			Match: search.Match{Grams: 12, Matched: 12, Percent: 100, Run: 14},
			Words: 14, Bytes: int64(len(hostileText)), Excerpts: []search.Excerpt{{Span: spanOf(hostileText, hostileText), Text: hostileText}}}},
		Unread:     []search.Unread{{Path: hostileName, Reason: hostileName}},
		Unsearched: []search.Unsearched{{Kind: hostileName, Count: 1, Names: []string{hostileName}, Detail: hostileName}},
		Notes:      []string{hostileName},
	}}
	r.Passages = []search.Passage{aPassage(r, 0, hostileText, search.Verbatim, hostileText, hostileText, hostileText)}
	return measured(r)
}

// samples are the results that every format is tested with.
func samples() map[string]*Report {
	return map[string]*Report{"sample": sample(), "empty": empty(), "hostile": hostile(), "reviewed": reviewed()}
}

// reviewed returns the sample with quotations and a source left out.
func reviewed() *Report {
	r := sample()
	r.Review = &Review{
		Filter:  Filter{Kinds: []string{"quotation"}},
		Sources: []Decision{{Index: 1, Reason: "own", Note: "the author's own article"}},
	}
	Apply(r)
	return r
}

// render writes r in a format, or fails the test.
func render(t *testing.T, format string, r *Report, o Options) string {
	t.Helper()
	var b strings.Builder
	if err := Write(&b, format, r, o); err != nil {
		t.Fatalf("Write(%s): %v", format, err)
	}
	return b.String()
}
