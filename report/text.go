package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/search/score"
)

// writeText writes a report for reading on a terminal.
func writeText(w io.Writer, r *Report, o Options) error {
	t := newTerminal(w, o)
	r = inLanguage(t.lang, r)
	textUnsearched(t, r)
	textHead(t, r)
	textScore(t, r)
	alike := foldedIn(r)
	textSources(t, r, alike)
	textParagraphs(t, r, alike)
	everybody := everybodyHas(r)
	textEverybody(t, r, everybody)
	textPassages(t, r, everybody, o.Places)
	textHints(t, r)
	textSimilar(t, r)
	textUnread(t, r)
	return t.err
}

func textHead(t *terminal, r *Report) {
	s := &r.Suspect
	t.print("%s\n", t.styled(bold, safe(s.Path)))
	if by := byline(s.Title, s.Author); by != "" {
		t.print("%s\n", safe(by))
	}
	t.print("%s (%s)\n", sizeOf(t.lang, s), safe(formatName(s)))
	if !r.Checked.IsZero() {
		t.line("common.checked-on", "date", t.lang.Date(r.Checked))
	}
	t.print("%s\n", t.lang.Text("text.checked", "index", safe(collectionOf(t.lang, r.Index)), "holds", holdings(t.lang, r.Index, r.Settings.N)))
	if limits := limitsOf(t.lang, r.Settings); limits != "" {
		t.line("text.listed", "limits", limits)
	}
	for _, note := range r.Notes {
		t.label("text.note", t.lang.Note(note, r.Messages))
	}
	for _, f := range flagsOf(t.lang, s, s.Flags, r.Messages) {
		t.label("text.may-hide", f)
	}
}

// formatName returns the format of a text, with its character encoding if that was
// detected.
func formatName(s *search.Suspect) string {
	if s.Encoding == "" {
		return s.Format
	}
	return s.Format + ", " + s.Encoding
}

// byline returns the title and author that a format states.
func byline(title, author string) string {
	if title != "" && author != "" {
		return author + ": " + title
	}
	return title + author
}

// cited returns author, title and year of a document, "" if it has neither author nor
// title.
func cited(title, author string, year int) string {
	by := byline(title, author)
	if by != "" && year != 0 {
		by += fmt.Sprintf(" (%d)", year)
	}
	return by
}

// called returns author, title and year of a source, or else its name.
func called(s *search.Source) string { return cmp.Or(cited(s.Title, s.Author, s.Year), s.Name) }

func indexName(x search.Index) string {
	return cmp.Or(x.Name, x.Kind)
}

func textScore(t *terminal, r *Report) {
	textOneScore(t, "text.score", r, r.Score)
	if v := r.Review; v != nil {
		message := "text.score-left"
		if byPerson(v) {
			message = "text.score-reviewed"
		}
		textOneScore(t, message, r, v.Score)
		for _, line := range reviewLines(t.lang, r) {
			t.print("%s\n", line)
		}
	}
	var groups []string
	for _, g := range GroupsOf(r) {
		if g.Words > 0 {
			groups = append(groups, named(t.lang, groupMessages, g.Group)+" "+groupSize(t.lang, g))
		}
	}
	if len(groups) > 0 {
		t.line("text.groups", "groups", strings.Join(groups, "; "))
	}
	m := r.Match
	line := t.lang.Text("text.grams", "size", r.Settings.N, "percent", t.lang.Percent(m.Percent), "matched", m.Matched, "n", m.Grams)
	if noneIndexed(r.Index) {
		line = t.lang.Text("common.no-grams", "size", r.Settings.N)
	}
	if r.WithItself != nil {
		line += ", " + t.lang.Text("common.with-itself")
	}
	if m.Common > 0 {
		line += ", " + t.lang.Text("text.common", "n", m.Common)
	}
	_, longest := longestRuns(r)
	t.print("%s\n", strings.Join(append(append([]string{line}, otherGrams(t.lang, r)...), longestRun(t.lang, longest)), "; "))
}

func longestRun(p *lang.Printer, words int) string {
	return p.Text("text.run", "words", p.Text("common.words", "n", words))
}

func textOneScore(t *terminal, message string, r *Report, s search.Score) {
	percent := PercentOf(t.lang, s)
	if len(r.Unsearched) > 0 && s.Percent < 100 {
		percent = t.lang.Text("common.at-least") + " " + percent
	}
	t.heading(message, "percent", percent)
	t.print("%s", t.lang.Text("text.covered", "covered", s.Covered, "n", s.Words))
	var parts []string
	for i, g := range grades {
		if s.Grades[g] > 0 {
			parts = append(parts, t.lang.Number(int64(s.Grades[g]))+" "+t.styled(gradeColors[i], named(t.lang, gradeMessages, g))+" ("+t.lang.Percent(s.Percents[g])+")")
		}
	}
	if len(parts) > 0 {
		t.print(" – %s", strings.Join(parts, ", "))
	}
	t.print("\n")
}

// reviewLines describes the decisions of a review, one per line.
func reviewLines(p *lang.Printer, r *Report) []string {
	v := r.Review
	var lines []string
	say := func(message string, args ...any) { lines = append(lines, p.Text(message, args...)) }
	switch {
	case v.By != "" && !v.At.IsZero():
		say("text.reviewed-by", "who", safe(v.By)+", "+p.Date(v.At))
	case v.By != "":
		say("text.reviewed-by", "who", safe(v.By))
	case !v.At.IsZero():
		say("text.reviewed-on", "at", p.Date(v.At))
	}
	return append(lines, decisionLines(p, r)...)
}

// decisionLines describes the decisions of a review, one per line, without who made them.
func decisionLines(p *lang.Printer, r *Report) []string {
	v := r.Review
	var lines []string
	say := func(message string, args ...any) { lines = append(lines, p.Text(message, args...)) }
	for _, x := range v.Verdicts {
		say("text.verdict", "on", verdictOn(p, r, x), "verdict", verdictOf(p, v, x))
	}
	for _, k := range v.Filter.Kinds {
		say("text.without", "what", safe(named(p, kindMessages, k)), "words", kindWords(p, excludedWords(r, k), matchedWords(r, k)))
	}
	for _, g := range v.Filter.Grades {
		say("text.without-grade", "grade", safe(named(p, gradeMessages, g)))
	}
	if n := v.Filter.PassageWords; n > 0 {
		say("text.without-passages", "n", n)
	}
	if n := v.Filter.SourceWords; n > 0 {
		say("text.without-sources", "n", n)
	}
	if f := v.Filter.SourcePercent; f > 0 {
		say("text.without-share", "percent", p.Limit(f))
	}
	for _, d := range v.Sources {
		say("text.without-source", "number", d.Index+1, "source", safe(called(&r.Sources[d.Index])), "reason", because(p, d.Reason, d.Note))
	}
	for _, d := range v.Passages {
		passage := &r.Passages[d.Index]
		say("text.without-passage", "number", passage.Number, "words", quoteAt(p, r, passage.Suspect), "source", safe(called(&r.Sources[passage.Source])), "reason", because(p, d.Reason, d.Note))
	}
	for _, d := range v.Hints {
		h := &r.Hints[d.Index]
		note := ""
		if known := safe(strings.Join(slices.DeleteFunc([]string{d.Note, d.By, dateOf(p, d.At)}, func(s string) bool { return s == "" }), ", ")); known != "" {
			note = " (" + known + ")"
		}
		say("text.with-hint", "number", h.Number, "words", quoteAt(p, r, h.Suspect), "source", safe(called(&r.Sources[h.Source])), "note", note)
	}
	for _, d := range v.Places {
		say("text.without-place", "words", quoteAt(p, r, search.Span{Start: d.Suspect[0], End: d.Suspect[1]}), "reason", because(p, d.Reason, d.Note))
	}
	return lines
}

// dateOf returns the date of a decision, "" if it is unknown.
func dateOf(p *lang.Printer, at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return p.Date(at)
}

// verdictOn names the subject of a verdict.
func verdictOn(p *lang.Printer, r *Report, v Verdict) string {
	switch v.Of {
	case OfSource:
		return p.Text("page.source-number", "number", v.Index+1) + ", " + safe(called(&r.Sources[v.Index]))
	case OfPassage:
		passage := &r.Passages[v.Index]
		return p.Text("page.passage-number", "number", passage.Number) + " " + quoteAt(p, r, passage.Suspect) + ", " + safe(called(&r.Sources[passage.Source]))
	}
	return p.Text("common.whole-text")
}

// verdictMessages name the verdicts.
var verdictMessages = map[string]string{
	"acceptable": "common.verdict-acceptable", "minor": "common.verdict-minor", "serious": "common.verdict-serious", "open": "common.verdict-open",
}

// verdictOf states a verdict with the name of its reviewer, or that it has none.
func verdictOf(p *lang.Printer, review *Review, v Verdict) string {
	verdict := named(p, verdictMessages, v.Verdict)
	if v.By == "" && review.By == "" {
		verdict += " (" + p.Text("common.no-name") + ")"
	}
	if v.Note != "" {
		verdict += ": " + safe(v.Note)
	}
	return verdict
}

func because(p *lang.Printer, reason, note string) string {
	note = noteOf(p, reason, note)
	reason = safe(named(p, reasonMessages, reason))
	if note != "" {
		reason += ": " + safe(note)
	}
	return reason
}

// noteOf returns the note on a source that was left out. The program writes that of the text itself
// in English; notes by people are unchanged.
func noteOf(p *lang.Printer, reason, note string) string {
	if reason == "own" {
		return p.Fixed(note)
	}
	return note
}

// mostCited is the number of characters of a passage that identify it in a list.
const mostCited = 60

// quoteAt returns the first words of a place in the quotation marks of the language of p.
func quoteAt(p *lang.Printer, r *Report, at search.Span) string {
	text := suspectText(r, at)
	if text == "" {
		return "…"
	}
	return p.Text("common.at-words", "words", safe(beginning(text, mostCited)))
}

// excludedWords returns the words of the exclusions of one kind, which do not
// overlap.
func excludedWords(r *Report, kind string) int {
	words := 0
	for _, e := range r.Exclusions {
		if e.Kind == kind {
			words += e.Words
		}
	}
	return words
}

// matchedWords returns the words of the exclusions of one kind that the score counts, if nothing else is
// left out.
func matchedWords(r *Report, kind string) int {
	found := &Report{Result: r.Result}
	in, without := inputOf(found), choiceOf(found)
	all := search.NewScore(r.Suspect.Words, in.Count(without)).Covered
	without.Kinds[kind] = true
	return all - search.NewScore(r.Suspect.Words, in.Count(without)).Covered
}

// kindWords states the words of a kind of exclusion, and how many of them match.
func kindWords(p *lang.Printer, words, matched int) string {
	return p.Text("common.words", "n", words) + ", " + p.Text("common.matched-of", "n", matched)
}

func textSources(t *terminal, r *Report, alike folded) {
	p := t.lang
	if len(r.Sources) == 0 {
		t.heading("text.no-source")
		return
	}
	hinted := hintedShown(r)
	if hinted > 0 {
		t.heading("text.sources-hinted", "n", len(r.Sources)-hintedOnly(r), "hinted", t.lang.Text("common.hinted-more", "n", hinted))
	} else {
		t.heading("text.sources", "n", len(r.Sources))
	}
	table := &table{head: []string{"", p.Text("text.column-score"), p.Text("text.column-words"), p.Text("text.column-best"),
		p.Text("text.column-grams"), p.Text("text.column-run"), p.Text("text.column-document")}}
	runs, _ := longestRuns(r)
	for i, s := range r.Sources {
		if alike.contains(&s) {
			continue // below that one
		}
		name := called(&s)
		row := table.add(p.Number(int64(i+1)), p.Percent(s.Percent), p.Number(int64(s.Covered)), p.Number(int64(s.Counted)),
			p.Percent(s.Match.Percent), p.Number(int64(runs[i])), safe(name))
		for _, more := range []string{s.Name, s.Address, labelled(s.Labels)} {
			if more != name && more != "" {
				row.below = append(row.below, t.styled(faint, safe(more)))
			}
		}
		if own := ownOf(p, &s); own != "" {
			row.below = append(row.below, t.styled(faint, own))
		}
		if s.Hinted {
			row.below = append(row.below, t.styled(faint, p.Text("common.hinted-only")))
		}
		if s.Among {
			row.below = append(row.below, t.styled(faint, p.Text("common.another-text")))
		}
		if s.Match.N > 0 {
			row.below = append(row.below, t.styled(faint, p.Text("text.by-size", "size", s.Match.N)))
		}
		if s.Scanned > 0 {
			row.below = append(row.below, t.styled(faint, p.Text("common.scanned", "n", s.Scanned)))
		}
		if s.Language != "" {
			row.below = append(row.below, t.styled(faint, p.Text("common.language", "language", p.Language(s.Language))))
		}
		switch {
		case s.Share > 0:
			row.below = append(row.below, t.styled(faint, p.Text("common.private-share")))
		case s.NoText:
			row.below = append(row.below, t.styled(faint, p.Text("text.no-text")))
		}
		for _, line := range alikeLines(p, r, alike[i]) {
			row.below = append(row.below, t.styled(faint, safe(line)))
		}
	}
	table.write(t)
}

// folded maps a source to the further sources that have passages at the same places.
type folded map[int][]int

// contains reports whether a source is listed below another one.
func (f folded) contains(s *search.Source) bool {
	return s.LikeSource != nil && f[*s.LikeSource] != nil
}

// foldedIn groups the sources that have passages at the same places. If a reader left
// out only some of a group, each is listed by itself.
func foldedIn(r *Report) folded {
	alike := folded{}
	for i, s := range r.Sources {
		if s.LikeSource != nil {
			alike[*s.LikeSource] = append(alike[*s.LikeSource], i)
		}
	}
	if r.Review == nil {
		return alike
	}
	out := map[int]bool{}
	for _, d := range r.Review.Sources {
		out[d.Index] = true
	}
	maps.DeleteFunc(alike, func(first int, others []int) bool {
		return slices.ContainsFunc(others, func(i int) bool { return out[i] != out[first] })
	})
	return alike
}

// mostAlike is how many further sources of a group are named.
const mostAlike = 5

// alikeLines names the further sources of a group.
func alikeLines(p *lang.Printer, r *Report, others []int) []string {
	if len(others) == 0 {
		return nil
	}
	lines := []string{p.Text("page.folded", "n", len(others)) + ":"}
	for _, i := range others[:min(len(others), mostAlike)] {
		lines = append(lines, p.Number(int64(i+1))+"  "+calledFully(&r.Sources[i]))
	}
	if len(others) > mostAlike {
		lines = append(lines, "…")
	}
	return lines
}

func textParagraphs(t *terminal, r *Report, alike folded) {
	p := t.lang
	if len(r.Paragraphs) == 0 {
		return
	}
	t.heading("text.paragraphs", "n", len(r.Paragraphs))
	table := &table{head: []string{"", p.Text("text.column-grams"), p.Text("text.column-matched"), p.Text("text.column-run"), p.Text("text.column-sources")}}
	for _, par := range r.Paragraphs {
		var from []string
		for _, s := range oneForAll(r, par.Sources, alike) {
			from = append(from, fmt.Sprintf("%d: %s, %s", s.Source+1, p.Percent(s.Match.Percent), p.Number(int64(s.Match.Run))))
		}
		row := table.add(p.Number(int64(par.Number)), p.Percent(par.Match.Percent),
			p.Text("text.matched-of", "matched", par.Match.Matched, "n", par.Match.Grams), p.Number(int64(par.Match.Run)), strings.Join(from, "; "))
		row.quote = par.Text
	}
	table.write(t)
}

// oneForAll drops the sources of a paragraph that are listed below another source and
// have the same figures in the paragraph.
func oneForAll(r *Report, sources []search.ParagraphSource, alike folded) []search.ParagraphSource {
	figures := map[int]search.Match{}
	for _, s := range sources {
		figures[s.Source] = s.Match
	}
	return slices.DeleteFunc(slices.Clone(sources), func(s search.ParagraphSource) bool {
		source := &r.Sources[s.Source]
		return alike.contains(source) && figures[*source.LikeSource] == s.Match
	})
}

// textEverybody quotes the stretches that most documents have.
func textEverybody(t *terminal, r *Report, list []stretch) {
	if len(list) == 0 {
		return
	}
	t.heading("text.everybody")
	for _, s := range list {
		t.print("       %s, %s\n", t.lang.Text("common.in-of", "n", s.sources, "all", s.of), t.lang.Text("common.words", "n", s.words))
		t.wrap("      | ", suspectText(r, search.Span{Start: s.place[0], End: s.place[1]}))
	}
	t.wrap("       ", t.lang.Text("text.everybody-counts"))
}

// textPassages quotes the passages that count at each place, with their sources, and
// names the other sources there. It skips stretches that most documents have. With
// places, it quotes all passages and states their bytes.
func textPassages(t *terminal, r *Report, everybody []stretch, places bool) {
	if len(r.Passages) == 0 {
		return
	}
	total := remaining(r)
	spots := spotsOf(r, &total)
	t.heading("text.places", "n", len(spots), "passages", t.lang.Text("common.passages", "n", len(r.Whole())))
	if places {
		for i := range r.Passages {
			textPassage(t, r, i, true)
		}
		return
	}
	joined, done := joinedNumbers(r), map[int]bool{}
	for _, s := range spots {
		if within(&r.Passages[s.lead], everybody) {
			continue
		}
		quoted := map[int]bool{}
		for _, i := range s.passages {
			number := joined[i]
			if total.Passages[i].Counted == 0 || number > 0 && done[number] {
				continue
			}
			quoted[r.Passages[i].Source] = true
			if number == 0 {
				textPassage(t, r, i, false)
				continue
			}
			done[number] = true
			textJoined(t, r, &r.Joined[number-1], &total)
		}
		textAlso(t, r, &s, quoted)
	}
}

// textPassage quotes a passage and its source.
func textPassage(t *terminal, r *Report, i int, places bool) {
	p := &r.Passages[i]
	s := &r.Sources[p.Source]
	t.print("%5d  %s, %s, %s %s\n", p.Number, t.styled(gradeColors[gradeOf(p.Grade)], safe(named(t.lang, gradeMessages, p.Grade))),
		t.lang.Text("common.words", "n", p.Words), t.lang.Text("text.source", "number", p.Source+1), safe(called(s)))
	line := t.lang.Text("text.equal", "n", p.Matched, "all", p.Words) + ", " + longestRun(t.lang, p.Run)
	if pages := pagesOf(t.lang, &r.Suspect, p); pages != "" {
		line = pages + ", " + line
	}
	if p.Witnesses > 0 {
		line += ", " + t.lang.Text("page.witnesses", "n", p.Witnesses)
	}
	if places {
		line += "; " + t.lang.Text("text.bytes", "start", p.Suspect.Start, "end", p.Suspect.End)
	}
	if places && !s.NoText {
		line += "; " + t.lang.Text("text.bytes-source", "start", p.Origin.Start, "end", p.Origin.End)
	}
	t.print("       %s\n", line)
	t.wrap("      | ", suspectText(r, p.Suspect))
	t.wrap("      > ", sourceText(s, p.Origin))
}

// textJoined quotes the parts of a joined passage that count, and the words between them, which do not.
func textJoined(t *terminal, r *Report, j *search.Joined, total *score.Total) {
	t.print("%5s  %s\n", fmt.Sprintf("%d–%d", j.Parts[0], j.Parts[len(j.Parts)-1]), t.lang.Text("text.joined", "words", t.lang.Text("common.words", "n", j.Words), "n", len(j.Parts), "between", j.Between))
	end := -1
	for _, number := range j.Parts {
		p := &r.Passages[number-1]
		if total.Passages[number-1].Counted == 0 {
			continue
		}
		if end >= 0 {
			t.wrap("      . ", suspectText(r, search.Span{Start: end, End: p.Suspect.Start}))
		}
		end = p.Suspect.End
		textPassage(t, r, number-1, false)
	}
}

// mostNumbers is how many sources of a place are named by their numbers.
const mostNumbers = 20

// textAlso names the sources of a spot that are not quoted.
func textAlso(t *terminal, r *Report, s *spot, quoted map[int]bool) {
	var numbers []string
	for _, i := range s.passages {
		if source := r.Passages[i].Source; !quoted[source] {
			quoted[source] = true
			numbers = append(numbers, t.lang.Number(int64(source+1)))
		}
	}
	if len(numbers) == 0 {
		return
	}
	list := strings.Join(numbers[:min(len(numbers), mostNumbers)], ", ")
	if len(numbers) > mostNumbers {
		list += ", …"
	}
	t.wrap("       ", t.lang.Text("text.also", "n", len(numbers), "numbers", list))
}

func textUnread(t *terminal, r *Report) {
	if len(r.Unread) == 0 {
		return
	}
	t.heading("text.unread", "files", t.lang.Text("common.files", "n", len(r.Unread)))
	for _, u := range r.Unread {
		t.print("  %s: %s\n", safe(u.Path), safe(t.lang.Stored(u.Reason, u.Message)))
	}
}

// suspectText returns the text of a place in the suspect, "" if r has none.
func suspectText(r *Report, at search.Span) string {
	if at.End > len(r.Suspect.Text) {
		return ""
	}
	return r.Suspect.Text[at.Start:at.End]
}

// excerptWith returns the index of the first excerpt of a source that has a place, -1 if there is none.
func excerptWith(s *search.Source, at search.Span) int {
	return slices.IndexFunc(s.Excerpts, func(e search.Excerpt) bool { return e.Start <= at.Start && at.End <= e.End })
}

// sourceText returns the text of a place in a source, "" if no excerpt has it.
func sourceText(s *search.Source, at search.Span) string {
	i := excerptWith(s, at)
	if i < 0 {
		return ""
	}
	e := &s.Excerpts[i]
	return e.Text[at.Start-e.Start : at.End-e.Start]
}
