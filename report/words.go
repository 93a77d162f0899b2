package report

import (
	"slices"
	"strings"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/search/exclude"
)

// Messages that name what a result names by words of its own.
var (
	gradeMessages  = map[string]string{search.Verbatim: "common.verbatim", search.Edited: "common.edited", search.Reworded: "common.reworded"}
	kindMessages   = map[string]string{exclude.Quotation: "common.quotations", exclude.Bibliography: "common.bibliography", exclude.Template: "common.given-text"}
	reasonMessages = map[string]string{"quoted": "common.reason-quoted", "template": "common.reason-template", "common": "common.reason-common",
		"own": "common.reason-own", "other": "common.reason-other"}
)

// named returns what p calls name by one of messages, or name itself.
func named(p *lang.Printer, messages map[string]string, name string) string {
	if message := messages[name]; message != "" {
		return p.Text(message)
	}
	return name
}

// sizeOf says how long a text is, and in which format.
func sizeOf(p *lang.Printer, s *search.Suspect) string {
	size := p.Text("common.words", "n", s.Words) + ", " + p.Text("common.paragraphs", "n", s.Paragraphs)
	if s.Pages > 0 {
		size += ", " + p.Text("common.pages", "n", s.Pages)
	}
	return size
}

// collectionOf returns the name of what was searched.
func collectionOf(p *lang.Printer, x search.Index) string {
	if x.Name == "" && x.Kind == search.KindFiles {
		return p.Text("common.files-compared")
	}
	return indexName(x)
}

// holdings says how large what was searched is, and of which day.
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

// andOthers says how many other texts of the run were searched too.
func andOthers(p *lang.Printer, x search.Index) string {
	if x.Among == 0 {
		return ""
	}
	return "; " + p.Text("common.other-texts", "n", x.Among)
}

// limitsOf says from which limits on paragraphs and sources are listed, "" if
// all are.
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

// A flagSum is all flags of one kind.
type flagSum struct {
	kind, detail  string
	places, count int
	pages         []string      // labels of the first, each once; none if there are no pages
	first         []search.Span // the first places
}

// firstPlaces is how many places of one kind of flag are named.
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

// flagsOf says what in a text may hide copying, one line for each kind of it.
func flagsOf(p *lang.Printer, s *search.Suspect, flags []search.Flag) []string {
	var list []string
	for _, f := range sumFlags(s, flags) {
		line := p.Said(f.kind)
		if f.detail != "" {
			line += ", " + p.Said(f.detail)
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

// where says where the first places are: on which pages, or else at which words.
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

// wordsAt returns the words by which a place of a text is found: its own, or
// those before it where it has none.
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
		_, before, _ = strings.Cut(before, " ") // a word that is cut off
	}
	if before = oneLine(strings.ToValidUTF8(before, "")); before == "" {
		return ""
	}
	return before + " …"
}

// oneLine returns a text with one space for all white space.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
