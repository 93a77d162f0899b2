package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/search"
)

// writeText writes a report to be read on a terminal.
func writeText(w io.Writer, r *search.Result, o Options) error {
	t := &terminal{w: w, color: o.Color, width: o.Width}
	if t.width == 0 {
		t.width = 80
	}
	textHead(t, r)
	textScore(t, r)
	textSources(t, r)
	textParagraphs(t, r)
	textPassages(t, r)
	textUnread(t, r)
	return t.err
}

func textHead(t *terminal, r *search.Result) {
	s := &r.Suspect
	t.print("%s\n", t.styled(bold, safe(s.Path)))
	if by := byline(s.Title, s.Author); by != "" {
		t.print("%s\n", safe(by))
	}
	t.print("%s in %s%s (%s)\n", count(s.Words, "word"), count(s.Paragraphs, "paragraph"), onPages(s.Pages), safe(formatName(s)))
	t.print("checked against %s: %s, %s%s\n", safe(indexName(r.Index)),
		count(r.Index.Documents, "document"), count(r.Index.Grams, fmt.Sprintf("%d-gram", r.Settings.N)), andOthers(r.Index))
	if limits := limitsOf(r.Settings); limits != "" {
		t.print("listed: %s\n", limits)
	}
	for _, note := range r.Notes {
		t.wrap("note: ", note)
	}
	for _, f := range flagsOf(s.Flags) {
		t.wrap("may hide copying: ", f)
	}
}

// andOthers says how many other texts of the run were searched too.
func andOthers(x search.Index) string {
	if x.Among == 0 {
		return ""
	}
	return "; and against " + count(x.Among, "other text")
}

// anotherText says of a source that it is no document of the index.
const anotherText = "another text that was checked with this one"

// onPages says on how many pages a text stands, if it has any.
func onPages(pages int) string {
	if pages == 0 {
		return ""
	}
	return " on " + count(pages, "page")
}

// formatName returns the format of a text, with the encoding of its characters
// where that was found out.
func formatName(s *search.Suspect) string {
	if s.Encoding == "" {
		return s.Format
	}
	return s.Format + ", " + s.Encoding
}

// pagesOf says on which pages a passage stands.
func pagesOf(p *search.Passage) string {
	switch {
	case p.Page == 0:
		return ""
	case p.LastPage > p.Page:
		return fmt.Sprintf("pages %d to %d", p.Page, p.LastPage)
	}
	return fmt.Sprintf("page %d", p.Page)
}

// flagsOf says what may hide copying, one line for each kind of it.
func flagsOf(flags []search.Flag) []string {
	type sort struct{ kind, detail string }
	type sum struct{ places, count, first int }
	var order []sort
	sums := map[sort]*sum{}
	for _, f := range flags {
		k := sort{f.Kind, f.Detail}
		if sums[k] == nil {
			sums[k] = &sum{first: f.Page}
			order = append(order, k)
		}
		sums[k].places++
		sums[k].count += f.Count
	}
	var list []string
	for _, k := range order {
		s := sums[k]
		line := k.kind
		if k.detail != "" {
			line += ", " + k.detail
		}
		unit := "character"
		if k.kind == string(document.NoTextLayer) {
			unit = "page"
		}
		line += ": " + count(s.count, unit) + " in " + count(s.places, "place")
		if s.first > 0 {
			line += fmt.Sprintf(", the first on page %d", s.first)
		}
		list = append(list, line)
	}
	return list
}

// byline joins what a format states about a text.
func byline(title, author string) string {
	if title != "" && author != "" {
		return author + ": " + title
	}
	return title + author
}

func indexName(x search.Index) string {
	if x.Name == "" {
		return x.Kind
	}
	return x.Name
}

// limitsOf says from what on paragraphs and sources are listed.
func limitsOf(s search.Settings) string {
	var limits []string
	if s.MinPercent != nil {
		limits = append(limits, fmt.Sprintf("%s %% of the n-grams", formatFloat(*s.MinPercent)))
	}
	if s.MinRun != nil {
		limits = append(limits, fmt.Sprintf("a run of %s", count(*s.MinRun, "word")))
	}
	if len(limits) == 0 {
		return ""
	}
	return "from " + strings.Join(limits, " or ") + " on"
}

func textScore(t *terminal, r *search.Result) {
	textOneScore(t, "Score", r.Score)
	if v := r.Review; v != nil {
		textOneScore(t, "Score after review", v.Score)
		textReview(t, r)
	}
	m := r.Match
	t.print("n-grams: %s %%, %s of %s", shown(m.Percent), grouped(m.Matched), grouped(m.Grams))
	if m.Common > 0 {
		t.print(", %s of them too common to name a source", grouped(m.Common))
	}
	t.print("; longest run %s\n", count(m.Run, "word"))
}

func textOneScore(t *terminal, title string, s search.Score) {
	t.heading("%s: %s %%", title, shown(s.Percent))
	t.print("%s of %s stand in passages", grouped(s.Covered), count(s.Words, "word"))
	sep := ": "
	for i, g := range grades {
		if s.Grades[g] > 0 {
			t.print("%s%s %s", sep, grouped(s.Grades[g]), t.styled(gradeColors[i], g))
			sep = ", "
		}
	}
	t.print("\n")
}

func textReview(t *terminal, r *search.Result) {
	v := r.Review
	for _, k := range v.Filter.Kinds {
		t.print("without %s: %s\n", safe(k), count(excludedWords(r, k), "word"))
	}
	for _, g := range v.Filter.Grades {
		t.print("without passages that are %s\n", g)
	}
	if n := v.Filter.PassageWords; n > 0 {
		t.print("without passages under %s\n", count(n, "word"))
	}
	if n := v.Filter.SourceWords; n > 0 {
		t.print("without sources under %s\n", count(n, "word"))
	}
	if f := v.Filter.SourcePercent; f > 0 {
		t.print("without sources under %s %%\n", formatFloat(f))
	}
	for _, d := range v.Sources {
		t.print("without source %d %s\n", d.Index+1, because(d))
	}
	for _, d := range v.Passages {
		t.print("without passage %d %s\n", r.Passages[d.Index].Number, because(d))
	}
}

func because(d search.Decision) string {
	if d.Note == "" {
		return "(" + safe(d.Reason) + ")"
	}
	return "(" + safe(d.Reason) + ": " + safe(d.Note) + ")"
}

// excludedWords returns the words of the exclusions of one kind, which do not
// overlap.
func excludedWords(r *search.Result, kind string) int {
	words := 0
	for _, e := range r.Exclusions {
		if e.Kind == kind {
			words += e.Words
		}
	}
	return words
}

func textSources(t *terminal, r *search.Result) {
	if len(r.Sources) == 0 {
		t.heading("No source shares anything that is listed")
		return
	}
	t.heading("Sources: %s", grouped(len(r.Sources)))
	t.print("%5s %8s %8s %8s %8s %5s  %s\n", "", "score", "words", "best for", "n-grams", "run", "document")
	for i, s := range r.Sources {
		t.print("%5d %6s %% %8s %8s %6s %% %5d  %s\n", i+1, shown(s.Percent), grouped(s.Covered),
			grouped(s.Counted), shown(s.Match.Percent), s.Match.Run, safe(s.Name()))
		if by := byline(s.Title, s.Author); by != "" {
			t.print("%49s%s\n", "", t.styled(faint, safe(by)))
		}
		if s.Among {
			t.print("%49s%s\n", "", t.styled(faint, anotherText))
		}
		if s.NoText {
			t.print("%49s%s\n", "", t.styled(faint, "its text could not be had"))
		}
	}
}

func textParagraphs(t *terminal, r *search.Result) {
	if len(r.Paragraphs) == 0 {
		return
	}
	t.heading("Paragraphs: %s", grouped(len(r.Paragraphs)))
	t.print("%5s %8s %13s %5s  %s\n", "", "n-grams", "matched", "run", "source: n-grams, run")
	for _, p := range r.Paragraphs {
		var from []string
		for _, s := range p.Sources {
			from = append(from, fmt.Sprintf("%d: %s %%, %d", s.Source+1, shown(s.Match.Percent), s.Match.Run))
		}
		t.print("%5d %6s %% %13s %5d  %s\n", p.Number, shown(p.Match.Percent),
			fmt.Sprintf("%d of %d", p.Match.Matched, p.Match.Grams), p.Match.Run, strings.Join(from, "; "))
		t.wrap("      | ", p.Text)
	}
}

func textPassages(t *terminal, r *search.Result) {
	if len(r.Passages) == 0 {
		return
	}
	t.heading("Passages: %s", grouped(len(r.Passages)))
	for _, p := range r.Passages {
		s := &r.Sources[p.Source]
		t.print("%5d  %s, %s, source %d %s\n", p.Number,
			t.styled(gradeColors[gradeOf(p.Grade)], p.Grade), count(p.Words, "word"), p.Source+1, safe(s.Name()))
		t.print("       ")
		if pages := pagesOf(&p); pages != "" {
			t.print("%s, ", pages)
		}
		t.print("bytes %d to %d", p.Suspect.Start, p.Suspect.End)
		if !s.NoText {
			t.print("; in the source %d to %d", p.Origin.Start, p.Origin.End)
		}
		t.print("; longest run %s\n", count(p.Run, "word"))
		t.wrap("      | ", suspectText(r, p.Suspect))
		t.wrap("      > ", sourceText(s, p.Origin))
	}
}

func textUnread(t *terminal, r *search.Result) {
	if len(r.Unread) == 0 {
		return
	}
	t.heading("Not read: %s", count(len(r.Unread), "file"))
	for _, u := range r.Unread {
		t.print("  %s: %s\n", safe(u.Path), safe(u.Reason))
	}
}

// suspectText returns the text of a place in the suspect, "" if r has none.
func suspectText(r *search.Result, at search.Span) string {
	if at.End > len(r.Suspect.Text) {
		return ""
	}
	return r.Suspect.Text[at.Start:at.End]
}

// sourceText returns the text of a place in a source, "" if no excerpt has it.
func sourceText(s *search.Source, at search.Span) string {
	for _, e := range s.Excerpts {
		if e.Start <= at.Start && at.End <= e.End {
			return e.Text[at.Start-e.Start : at.End-e.Start]
		}
	}
	return ""
}
