package report

import (
	"slices"
	"strings"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/search/exclude"
)

// inLanguage returns a copy of r with the names of sources that are messages, not names of documents, in the language of say.
func inLanguage(say *lang.Printer, r *Report) *Report {
	c := *r
	c.Sources = slices.Clone(r.Sources)
	for i := range c.Sources {
		s := &c.Sources[i]
		m, ok := r.Messages[s.Name]
		if part, isForgotten := strings.CutPrefix(s.Name, ForgottenName); !ok && isForgotten && s.NoText { // by an earlier version
			m, ok = phrase.Error("said.deleted-document", "deleted document {part}", "part", part).Stored(), true
		}
		if ok && s.NoText {
			s.Name = say.Stored(s.Name, &m)
		}
	}
	return &c
}

// Messages for the identifiers in a result.
var (
	gradeMessages = map[string]string{search.Verbatim: "common.verbatim", search.Edited: "common.edited", search.Reworded: "common.reworded"}
	kindMessages  = map[string]string{exclude.Quotation: "common.quotations", exclude.Bibliography: "common.bibliography", exclude.Template: "common.given-text",
		exclude.Declaration: "common.declaration", exclude.Abstract: "common.abstract", exclude.Contents: "common.contents"}
	reasonMessages = map[string]string{"quoted": "common.reason-quoted", "template": "common.reason-template", "common": "common.reason-common",
		"own": "common.reason-own", "other": "common.reason-other"}
)

// named returns the message for name in the language of p, or name if it has none.
func named(p *lang.Printer, messages map[string]string, name string) string {
	if message := messages[name]; message != "" {
		return p.Text(message)
	}
	return name
}

// RewordedOnly states that a score consists of reworded words only, with the longest run of
// equal words in its passages if that is known, "" for other scores.
func RewordedOnly(p *lang.Printer, s search.Score) string {
	switch {
	case !s.Reworded:
		return ""
	case s.Run == 0:
		return p.Text("common.reworded-only")
	}
	return p.Text("common.reworded-only") + "; " + p.Text("common.longest-run", "words", p.Text("common.words", "n", s.Run))
}

// PercentOf returns the percentage of a score, and states if it consists of reworded words only.
func PercentOf(p *lang.Printer, s search.Score) string {
	percent := p.Percent(s.Percent)
	if only := RewordedOnly(p, s); only != "" {
		percent += " – " + only
	}
	return percent
}

// Shares returns the percentage of each grade that a score has, with the name of the grade.
func Shares(p *lang.Printer, s search.Score) []string {
	var list []string
	for _, g := range grades {
		if s.Grades[g] > 0 {
			list = append(list, named(p, gradeMessages, g)+" "+p.Percent(s.Percents[g]))
		}
	}
	return list
}

// sizeOf states the length of a text in words, paragraphs and pages.
func sizeOf(p *lang.Printer, s *search.Suspect) string {
	size := p.Text("common.words", "n", s.Words) + ", " + p.Text("common.paragraphs", "n", s.Paragraphs)
	if s.Pages > 0 {
		size += ", " + p.Text("common.pages", "n", s.Pages)
	}
	return size
}

// collectionOf returns the name of the searched collection.
func collectionOf(p *lang.Printer, x search.Index) string {
	if x.Name == "" && x.Kind == search.KindFiles {
		return p.Text("common.files-compared")
	}
	return indexName(x)
}

// holdings states the size and the date of the index.
func holdings(p *lang.Printer, x search.Index, size int) string {
	line := p.Text("common.documents", "n", x.Documents) + ", " + p.Text("common.grams", "n", x.Grams, "size", size)
	for _, other := range x.Sizes {
		line += ", " + p.Text("text.other-size", "n", other.Documents, "size", other.N)
	}
	if !x.Changed.IsZero() {
		line += ", " + p.Text("common.changed", "date", p.Date(x.Changed))
	}
	return line + andOthers(p, x)
}

// andOthers states how many other texts of the run were searched, too.
func andOthers(p *lang.Printer, x search.Index) string {
	if x.Among == 0 {
		return ""
	}
	return "; " + p.Text("common.other-texts", "n", x.Among)
}

// limitsOf states the minimum of listed paragraphs and sources, "" if all are listed. Sources of passages are always listed.
func limitsOf(p *lang.Printer, s search.Settings) string {
	var limits []string
	if s.MinPercent != nil {
		limits = append(limits, p.Text("common.limit-percent", "percent", p.Limit(*s.MinPercent)))
	}
	if s.MinRun != nil {
		limits = append(limits, p.Text("common.limit-run", "n", *s.MinRun))
	}
	if len(limits) == 2 {
		return p.Text("common.or", "a", limits[0], "b", limits[1])
	}
	return strings.Join(limits, "")
}

// pagesOf names the pages of a passage by their labels, "" if the format has no pages.
func pagesOf(p *lang.Printer, s *search.Suspect, of *search.Passage) string {
	switch {
	case of.Page == 0:
		return ""
	case of.LastPage > of.Page:
		return p.Text("common.page-range", "page", s.PageLabel(of.Page), "last", s.PageLabel(of.LastPage))
	}
	return p.Text("common.page", "page", s.PageLabel(of.Page))
}

// A flagSum sums up the flags of one kind.
type flagSum struct {
	kind, detail  string
	places, count int
	pages         []string      // labels of the first, each once; none if there are no pages
	first         []search.Span // the first places
}

// firstPlaces is the number of places that are named for each kind of flag.
const firstPlaces = 5

func sumFlags(of *search.Suspect, flags []search.Flag) []*flagSum {
	var list []*flagSum
	sums := map[[2]string]*flagSum{}
	for _, f := range flags {
		k := [2]string{f.Kind, f.Detail}
		s := sums[k]
		if s == nil {
			s = &flagSum{kind: f.Kind, detail: f.Detail}
			sums[k] = s
			list = append(list, s)
		}
		s.places++
		s.count += f.Count
		if label := of.PageLabel(f.Page); f.Page > 0 && len(s.pages) < firstPlaces && !slices.Contains(s.pages, label) {
			s.pages = append(s.pages, label)
		}
		if len(s.first) < firstPlaces {
			s.first = append(s.first, f.Place)
		}
	}
	return list
}

// flagsOf describes the flags of a text, one line for each kind. messages are those of their details.
func flagsOf(p *lang.Printer, s *search.Suspect, flags []search.Flag, messages phrase.Table) []string {
	var list []string
	for _, f := range sumFlags(s, flags) {
		line := p.Fixed(f.kind)
		if f.detail != "" {
			line += ", " + p.Note(f.detail, messages)
		}
		unit := "common.characters"
		switch f.kind {
		case string(document.NoTextLayer):
			unit = "common.pages"
		case string(document.OnlyPictures):
			unit = "common.pictures"
		}
		line += ": " + p.Text(unit, "n", f.count) + ", " + p.Text("common.places", "n", f.places)
		if first := f.where(p, s.Text); first != "" {
			line += ", " + first
		}
		list = append(list, line)
	}
	return list
}

// Hiding describes in the language of p what may hide copying in a text: one line for each kind of
// its flags, whose details have messages. It omits pages and pictures without text, which the notes on the file describe.
func Hiding(p *lang.Printer, s *search.Suspect, messages phrase.Table) []string {
	unread := func(f search.Flag) bool { return unreadMessage(&f) != "" }
	return flagsOf(p, s, slices.DeleteFunc(slices.Clone(s.Flags), unread), messages)
}

// where names the first places, by pages or else by words.
func (f *flagSum) where(p *lang.Printer, text string) string {
	switch len(f.pages) {
	case 0:
	case 1:
		return p.Text("common.first-on-page", "page", f.pages[0])
	default:
		return p.Text("common.first-on-pages", "pages", strings.Join(f.pages, ", "))
	}
	var at []string
	for _, place := range f.first {
		if words := wordsAt(text, place); words != "" {
			at = append(at, p.Text("common.at-words", "words", words))
		}
	}
	if len(at) == 0 {
		return ""
	}
	return p.Text("common.first-at", "places", strings.Join(at, ", "))
}

// Bounds of the words that name a place, in bytes.
const (
	wordsBefore = 40
	wordsWithin = 60
)

// wordsAt returns the words of a place in a text or, if it is empty, the words before it.
func wordsAt(text string, place search.Span) string {
	if place.Start < 0 || place.End < place.Start || place.End > len(text) {
		return ""
	}
	if place.End > place.Start {
		if end := place.Start + wordsWithin; end < place.End {
			return oneLine(strings.ToValidUTF8(text[place.Start:end], "")) + " …"
		}
		return oneLine(text[place.Start:place.End])
	}
	from := max(place.Start-wordsBefore, 0)
	before := text[from:place.Start]
	if from > 0 {
		_, before, _ = strings.Cut(before, " ") // incomplete word
	}
	if before = oneLine(strings.ToValidUTF8(before, "")); before == "" {
		return ""
	}
	return before + " …"
}

// oneLine returns a text with white space collapsed to single spaces.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
