package report

import (
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

// pagesOf says on which pages a passage is, "" where there are none.
func pagesOf(p *lang.Printer, of *search.Passage) string {
	switch {
	case of.Page == 0:
		return ""
	case of.LastPage > of.Page:
		return p.Text("common.page-range", "page", of.Page, "last", of.LastPage)
	}
	return p.Text("common.page", "page", of.Page)
}

// A flagSum is all flags of one kind.
type flagSum struct {
	kind, detail         string
	places, count, first int // first is a page, 0 where there are none
}

func sumFlags(flags []search.Flag) []*flagSum {
	var list []*flagSum
	sums := map[[2]string]*flagSum{}
	for _, f := range flags {
		k := [2]string{f.Kind, f.Detail}
		if sums[k] == nil {
			sums[k] = &flagSum{kind: f.Kind, detail: f.Detail, first: f.Page}
			list = append(list, sums[k])
		}
		sums[k].places++
		sums[k].count += f.Count
	}
	return list
}

// flagsOf says what may hide copying, one line for each kind of it.
func flagsOf(p *lang.Printer, flags []search.Flag) []string {
	var list []string
	for _, f := range sumFlags(flags) {
		line := p.Said(f.kind)
		if f.detail != "" {
			line += ", " + p.Said(f.detail)
		}
		unit := "common.characters"
		if f.kind == string(document.NoTextLayer) {
			unit = "common.pages"
		}
		line += ": " + p.Text(unit, "n", f.count) + ", " + p.Text("common.places", "n", f.places)
		if f.first > 0 {
			line += ", " + p.Text("common.first-on-page", "page", f.first)
		}
		list = append(list, line)
	}
	return list
}
