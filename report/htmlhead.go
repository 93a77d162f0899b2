package report

import (
	"cmp"
	"fmt"
	"html/template"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/search/exclude"
)

// A htmlReport is the data of the template of a report. The script shows the rest from
// Data.
type htmlReport struct {
	page
	Lang     *lang.Printer
	Version  string
	Overview template.URL
	Home     *Home

	// The checked text, the date, and the collection.
	Name, By   string // of the file, and what its text states
	Checked    template.HTML
	Collection string
	Alarms     []string // omissions of the search

	Percent, Found string
	Reworded       string // that the score consists of reworded words only, "" for others
	Sentence       template.HTML
	Counts         string   // of passages and sources
	Zero           bool     // nothing was found
	Decided        []string // decisions of the review, shown without the script
	Grades         []htmlGrade
	Groups         []htmlGroup
	Facts          []htmlFact // for experts
	HasPassages    bool
	Hints          int
	Similar        []htmlSimilar
	HintFilters    []htmlTerm // strengths and kinds that the hints have

	Compared    *htmlComparison
	Flags       []htmlFlag
	Unread      []search.Unread
	UnreadCount int
	FewUnread   bool // few enough to be shown unfolded
	Settings    []htmlSetting
	Kinds       []htmlKind

	Sources     []htmlSource
	Collections int // that the sources are from

	HasText    bool
	SelectHint template.HTML
	Reasons    []htmlTerm
	Glossary   []htmlTerm
	Keys       []htmlKey
	Data       template.JS
	Result     template.JS // packed, for the program
	Sheets     template.JS // pictures of pages, "" for none
	SheetsNote string      // pages without a picture
	Verdicts   []htmlTerm
}

type htmlGrade struct{ Name, Words, Percent, About string }

type htmlGroup struct{ ID, Name, Size string }

// A htmlTerm is a term that the page explains.
type htmlTerm struct{ ID, Name, About string }

type htmlFact struct {
	Term  htmlTerm
	Value string
}

type htmlKind struct {
	Kind, Name, Note string
	Term             string // that explains it
	Words, Matched   int
}

type htmlFlag struct {
	Class string
	Term  *htmlTerm
	Text  string
}

type htmlSetting struct{ Name, Value string }

type htmlSource struct {
	Index, Number             int
	Color                     string
	Name, Detail              string
	Address                   template.URL // "" if it is not of the web
	Percent, Covered, Counted string
	Passages, Run             string
	Gone                      bool // left out
}

type htmlKey struct {
	Keys []string
	What string
}

// Comments reports whether a server stores comments on places of the text.
func (h *htmlReport) Comments() bool { return h.Home != nil && h.Home.Remark != "" }

func htmlHead(say *lang.Printer, r *Report) *htmlReport {
	s, now, kinds := &r.Suspect, r.Final(), htmlKinds(say, r)
	h := &htmlReport{
		Lang: say, Version: r.Version, Name: safe(lastPart(s.Path)), By: safe(byline(s.Title, s.Author)),
		Checked: checkedIn(say, r), Collection: collectionSize(say, r.Index), Alarms: alarmsOf(say, r),
		Percent: say.Percent(now.Percent), Found: say.Percent(r.Score.Percent), Reworded: RewordedOnly(say, now), Zero: r.Score.Covered == 0,
		Sentence: say.HTML("page.sentence", "covered", tagged(`<b id="covered">`, say.Number(int64(now.Covered)), "</b>"), "n", s.Words),
		Counts:   countsIn(say, r),
		Facts:    htmlFacts(say, r), HasPassages: len(r.Passages) > 0,
		Flags: htmlFlags(say, r, kinds), Unread: unreadIn(say, r.Unread), UnreadCount: len(r.Unread), FewUnread: len(r.Unread) <= 5,
		Settings: htmlSettings(say, r), Kinds: kinds, Sources: htmlSources(say, r), Collections: collectionsOf(say, r),
		HasText:    s.Text != "" || s.Bytes == 0,
		SelectHint: say.HTML("page.select", "n", template.HTML("<kbd>n</kbd>"), "p", template.HTML("<kbd>p</kbd>")),
		Glossary:   glossary(say, r.Settings.N), Keys: htmlKeys(say),
	}
	if h.By == h.Name {
		h.By = ""
	}
	if r.Review != nil {
		h.Decided = reviewLines(say, r)
	}
	for _, g := range grades {
		h.Grades = append(h.Grades, htmlGrade{named(say, gradeMessages, g), say.Number(int64(now.Grades[g])), say.Percent(now.Percents[g]), say.Text(aboutGrades[g])})
	}
	for _, g := range GroupsOf(r) {
		h.Groups = append(h.Groups, htmlGroup{g.Group, GroupName(say, g.Group), groupSize(say, g)})
	}
	h.Hints, h.HintFilters = len(r.Hints), hintFilters(say, r)
	h.Similar = similarOf(say, r)
	for _, verdict := range Verdicts {
		h.Verdicts = append(h.Verdicts, htmlTerm{ID: verdict, Name: named(say, verdictMessages, verdict)})
	}
	for _, reason := range Reasons {
		h.Reasons = append(h.Reasons, htmlTerm{ID: reason, Name: named(say, reasonMessages, reason)})
	}
	return h
}

// Term returns a term of the glossary, for the template.
func (h *htmlReport) Term(id string) htmlTerm {
	i := slices.IndexFunc(h.Glossary, func(t htmlTerm) bool { return t.ID == id })
	return h.Glossary[i]
}

// tagged returns escaped text between tags.
func tagged(start, text, end string) template.HTML {
	return template.HTML(start + template.HTMLEscapeString(text) + end)
}

// checkedIn states the date of the check and the collection.
func checkedIn(say *lang.Printer, r *Report) template.HTML {
	collection := tagged("<bdi>", collectionOf(say, r.Index), "</bdi>")
	if r.Checked.IsZero() {
		return say.HTML("page.checked", "collection", collection)
	}
	return say.HTML("page.checked-on", "date", tagged("<b>", say.Date(r.Checked), "</b>"), "collection", collection)
}

// collectionSize states the size and the date of the collection.
func collectionSize(say *lang.Printer, x search.Index) string {
	size := say.Text("common.documents", "n", x.Documents) + andOthers(say, x)
	if x.Changed.IsZero() {
		return size
	}
	return say.Text("page.collection", "documents", size, "date", say.Date(x.Changed))
}

// alarmsOf lists what the search omitted. With these parts, the score might be higher.
func alarmsOf(say *lang.Printer, r *Report) []string {
	var list []string
	if r.Index.Documents == 0 {
		list = append(list, say.Text("page.empty-collection"))
	}
	list = append(list, lists.Map(r.Unsearched, func(u search.Unsearched) string { return sentence(OmissionOf(say, r.Index, &u)) })...)
	unread := map[string]int{}
	for _, f := range r.Suspect.Flags {
		unread[unreadMessage(&f)] += f.Count
	}
	for _, message := range []string{"page.unread-pages", "page.unread-pictures"} {
		if n := unread[message]; n > 0 {
			list = append(list, say.Text(message, "n", n))
		}
	}
	return list
}

// unreadMessage returns the name of the message for a flag about pages or pictures without
// text, which were not compared; "" for other flags.
func unreadMessage(f *search.Flag) string {
	switch f.Kind {
	case string(document.NoTextLayer):
		return "page.unread-pages"
	case string(document.OnlyPictures):
		return "page.unread-pictures"
	}
	return ""
}

// aboutGrades are the messages that explain grades.
var aboutGrades = map[string]string{
	search.Verbatim: "page.about-verbatim", search.Edited: "page.about-edited", search.Reworded: "page.about-reworded"}

// glossary returns the terms that the page explains, in reading order.
func glossary(say *lang.Printer, n int) []htmlTerm {
	return []htmlTerm{
		{"score", say.Text("page.score"), say.Text("page.about-score")},
		{"zero", say.Text("page.zero"), say.Text("page.about-zero")},
		{"passage", say.Text("page.passage"), say.Text("page.about-passage")},
		{"place", say.Text("page.place"), say.Text("page.about-place")},
		{"source", say.Text("page.source"), say.Text("page.about-source")},
		{"grade", say.Text("page.grade"), say.Text("page.about-grade")},
		{"best", say.Text("page.column-best"), say.Text("page.about-best")},
		{"run", say.Text("page.column-run"), say.Text("page.about-run")},
		{"gram", say.Text("page.grams"), say.Text("page.about-gram", "n", n)},
		{"common", say.Text("page.common"), say.Text("page.about-common")},
		{"quotation", say.Text("page.quotations"), say.Text("page.about-quotation")},
		{"group", say.Text("page.groups"), say.Text("page.about-group")},
		{"given", say.Text("page.given"), say.Text("page.about-given")},
		{"flag", say.Text("page.may-hide"), say.Text("page.about-flag")},
		{"leave", say.Text("page.leave-out"), say.Text("page.about-leave")},
	}
}

func htmlKeys(say *lang.Printer) []htmlKey {
	return []htmlKey{
		{[]string{"n", "p"}, say.Text("page.key-passages")},
		{[]string{"s", "S"}, say.Text("page.key-sources")},
		{[]string{"a"}, say.Text("page.key-views")},
		{[]string{"g"}, say.Text("page.key-groups")},
		{[]string{"v"}, say.Text("page.key-sheets")},
		{[]string{"x", "X", "o"}, say.Text("page.key-leave")},
		{[]string{"u", "U"}, say.Text("page.key-undo")},
		{[]string{"f", "t"}, say.Text("page.key-places")},
		{[]string{"d"}, say.Text("page.theme")},
		{[]string{"Esc"}, say.Text("page.key-close")},
		{[]string{"?"}, say.Text("page.help")},
	}
}

func htmlKinds(say *lang.Printer, r *Report) []htmlKind {
	var kinds []htmlKind
	for _, k := range exclude.Kinds() {
		places, words, matched := 0, 0, 0
		for _, e := range r.Exclusions {
			if e.Kind == k {
				places, words = places+1, words+e.Words
			}
		}
		if places == 0 && isFrontMatter(k) && (r.Review == nil || !slices.Contains(r.Review.Filter.Kinds, k)) {
			continue
		}
		note := say.Text("page.none-found")
		if places > 0 {
			matched = matchedWords(r, k)
			note = say.Text("common.places", "n", places) + ", " + kindWords(say, words, matched)
		}
		kinds = append(kinds, htmlKind{Kind: k, Name: named(say, kindMessages, k), Note: note, Term: kindTerms[k].ID, Words: words, Matched: matched})
	}
	return kinds
}

// isFrontMatter reports whether a kind is listed only where a text has it.
func isFrontMatter(kind string) bool {
	return kind == exclude.Declaration || kind == exclude.Abstract || kind == exclude.Contents
}

// kindTerms are the terms that explain the kinds of exclusions.
var kindTerms = map[string]htmlTerm{
	exclude.Quotation: {ID: "quotation"}, exclude.Bibliography: {ID: "quotation"}, exclude.Template: {ID: "given"},
	exclude.Declaration: {ID: "quotation"}, exclude.Abstract: {ID: "quotation"}, exclude.Contents: {ID: "quotation"},
}

// htmlFlags returns what readers must know besides the score, warnings first.
func htmlFlags(say *lang.Printer, r *Report, kinds []htmlKind) []htmlFlag {
	flags := lists.Map(r.Notes, func(n string) htmlFlag { return htmlFlag{"warn", nil, say.Note(n, r.Messages)} })
	for _, f := range Hiding(say, &r.Suspect, r.Messages) {
		flags = append(flags, htmlFlag{"warn", &htmlTerm{ID: "flag", Name: say.Text("page.may-hide")}, f})
	}
	for _, k := range kinds {
		if k.Matched > 0 {
			term := kindTerms[k.Kind]
			term.Name = k.Name
			flags = append(flags, htmlFlag{"", &term, say.Text("page.counted-unless", "what", k.Note)})
		}
	}
	alarmed := slices.ContainsFunc(r.Unsearched, func(u search.Unsearched) bool { return u.Kind == search.UnsearchedCommon })
	if r.Match.Common > 0 && !alarmed {
		flags = append(flags, htmlFlag{"", &htmlTerm{ID: "common", Name: say.Text("page.common")}, say.Text("page.too-common", "n", r.Match.Common)})
	}
	if limits := limitsOf(say, r.Settings); limits != "" {
		flags = append(flags, htmlFlag{"", nil, say.Text("page.listed", "limits", orPassage(say, limits))})
	}
	return flags
}

// orPassage adds to the limits of listed sources that those of passages are listed, too.
func orPassage(say *lang.Printer, limits string) string {
	return say.Text("common.or", "a", limits, "b", say.Text("common.any-passage"))
}

// unreadIn returns the unread files, with their reasons in the language of say.
func unreadIn(say *lang.Printer, list []search.Unread) []search.Unread {
	return lists.Map(list, func(u search.Unread) search.Unread {
		return search.Unread{Path: safe(u.Path), Reason: safe(say.Stored(u.Reason, u.Message))}
	})
}

// htmlFacts returns the exact figures, as found.
func htmlFacts(say *lang.Printer, r *Report) []htmlFact {
	m := r.Match
	grams := say.Text("page.grams-of", "percent", say.Percent(m.Percent), "matched", m.Matched, "n", m.Grams)
	if noneIndexed(r.Index) {
		grams = say.Text("common.no-grams", "size", r.Settings.N)
	}
	if r.WithItself != nil {
		grams += ", " + say.Text("common.with-itself")
	}
	grams = strings.Join(append([]string{grams}, otherGrams(say, r)...), "; ")
	_, longest := longestRuns(r)
	facts := []htmlFact{
		{htmlTerm{Name: say.Text("page.text")}, sizeOf(say, &r.Suspect) + ", " + formatName(&r.Suspect)},
		{htmlTerm{Name: say.Text("page.file")}, safe(r.Suspect.Path)},
		{htmlTerm{ID: "passage", Name: say.Text("page.passages")}, say.Number(int64(len(r.Whole())))},
		{htmlTerm{ID: "source", Name: say.Text("page.sources")}, say.Number(int64(len(r.Sources)))},
		{htmlTerm{ID: "gram", Name: say.Text("page.grams-of-size", "n", r.Settings.N)}, grams},
		{htmlTerm{ID: "run", Name: say.Text("page.column-run")}, say.Text("common.words", "n", longest)},
		{htmlTerm{Name: say.Text("page.paragraph-run")}, say.Text("common.words", "n", m.Run)},
		{htmlTerm{Name: say.Text("page.the-collection")}, say.Text("common.documents", "n", r.Index.Documents) + ", " +
			say.Text("common.grams", "n", r.Index.Grams, "size", r.Settings.N)},
	}
	if !r.Checked.IsZero() {
		facts = append(facts, htmlFact{htmlTerm{Name: say.Text("page.time")}, momentIn(say, r.Checked)})
	}
	return facts
}

func momentIn(say *lang.Printer, t time.Time) string {
	return say.Date(t) + ", " + t.Format("15:04 MST")
}

// ruleNames are the messages that name the rules of normalisation.
var ruleNames = map[string]string{
	"new_line": "page.rule-new-line", "new_line_tags": "page.rule-new-line-tags", "delete_tags": "page.rule-delete-tags",
	"delete_chars": "page.rule-delete-chars", "punctuation": "page.rule-punctuation", "stopwords": "page.rule-stopwords",
	"boilerplate": "page.rule-boilerplate", "words": "page.rule-words",
}

// ruleValues are the messages for named values of rules.
var ruleValues = map[string]string{
	"new_line auto": "page.new-line-auto", "new_line true": "page.new-line-true", "new_line blank": "page.new-line-blank", "new_line false": "page.new-line-false",
	"punctuation split": "page.punctuation-split", "punctuation keep": "page.punctuation-keep", "boilerplate strip": "page.boilerplate-strip",
}

// htmlSettings describes how the text was compared.
func htmlSettings(say *lang.Printer, r *Report) []htmlSetting {
	s := r.Settings
	limits := say.Text("page.all-listed")
	if least := limitsOf(say, s); least != "" {
		limits = orPassage(say, least)
	}
	common := say.Text("page.no-limit")
	if s.Common > 0 {
		common = say.Text("page.common-from", "n", s.Common)
	}
	exact := "page.inexact"
	if s.Exact {
		exact = "page.exact-only"
	}
	list := []htmlSetting{
		{say.Text("page.compared-by"), say.Text("page.words-in-row", "n", s.N)},
		{say.Text("page.passages"), say.Text(exact)},
		{say.Text("page.listed-if"), limits},
		{say.Text("page.common"), common},
	}
	for _, rule := range slices.Sorted(maps.Keys(s.Normalization)) {
		value := cmp.Or(s.Normalization[rule], say.Text("page.not-set"))
		list = append(list, htmlSetting{named(say, ruleNames, rule), namedValue(say, rule, value)})
	}
	return list
}

// namedValue returns the value of a rule, in words if it has a message.
func namedValue(say *lang.Printer, rule, value string) string {
	if message := ruleValues[rule+" "+value]; message != "" {
		return say.Text(message)
	}
	return value
}

// remains returns what remains of each source after the review, and which sources were
// left out. Without a review, everything remains. A source without passages was not left
// out.
func remains(r *Report) (list []Remains, gone []bool) {
	list, gone = make([]Remains, len(r.Sources)), make([]bool, len(r.Sources))
	for i, s := range r.Sources {
		list[i] = Remains{Covered: s.Covered, Percent: s.Percent, Counted: s.Counted}
	}
	for _, p := range r.Whole() {
		list[p.Source].Passages++
	}
	if r.Review == nil {
		return list, gone
	}
	for i, left := range r.Review.Remains {
		gone[i] = list[i].Passages > 0 && left.Passages == 0
		list[i] = left
	}
	for _, d := range r.Review.Sources {
		gone[d.Index] = true
	}
	return list, gone
}

// SourcesLeft returns the number of sources of r that its review does not leave out.
func SourcesLeft(r *Report) (n int) {
	_, gone := remains(r)
	for i, out := range gone {
		if !out && !r.Sources[i].Hinted {
			n++
		}
	}
	return n
}

// countsIn states how many places and sources count.
func countsIn(say *lang.Printer, r *Report) string {
	total := remaining(r)
	counts := say.Text("page.count-places", "n", len(spotsOf(r, &total))) + ", " + say.Text("page.count-sources", "n", SourcesLeft(r))
	if hinted := hintedShown(r); hinted > 0 {
		counts += ", " + say.Text("common.hinted-more", "n", hinted)
	}
	if _, shown := hintsOf(r); len(shown) > 0 {
		counts += ", " + say.Text("page.count-hints", "n", len(shown))
	}
	return counts
}

func htmlSources(say *lang.Printer, r *Report) []htmlSource {
	left, gone := remains(r)
	runs, _ := longestRuns(r)
	number := func(n int) string { return say.Number(int64(n)) }
	var list []htmlSource
	for i, s := range r.Sources {
		label, detail := labelOf(say, &s)
		list = append(list, htmlSource{Index: i, Number: i + 1, Color: fmt.Sprintf("c%d", i%8), Name: label, Detail: detail, Address: template.URL(webAddress(s.Address)),
			Percent: say.Percent(left[i].Percent), Covered: number(left[i].Covered), Counted: number(left[i].Counted),
			Passages: number(left[i].Passages), Run: number(runs[i]), Gone: gone[i]})
	}
	return list
}

// labelOf returns the title of a source, or else its file name; and its full name, if
// that differs.
func labelOf(say *lang.Printer, s *search.Source) (label, detail string) {
	label = cmp.Or(cited(s.Title, s.Author, s.Year), lastPart(s.Name))
	if detail = s.Name; detail == label {
		detail = ""
	}
	if labels := labelled(s.Labels); labels != "" {
		detail = strings.TrimPrefix(detail+" · "+labels, " · ")
	}
	if s.Scanned > 0 {
		detail = strings.TrimPrefix(detail+" · "+say.Text("common.scanned", "n", s.Scanned), " · ")
	}
	if s.Language != "" {
		detail = strings.TrimPrefix(detail+" · "+say.Text("common.language", "language", say.Language(s.Language)), " · ")
	}
	if own := ownOf(say, s); own != "" {
		detail = strings.TrimPrefix(detail+" · "+own, " · ")
	}
	if s.Hinted {
		detail = strings.TrimPrefix(detail+" · "+say.Text("common.hinted-only"), " · ")
	}
	if s.Share > 0 {
		detail = strings.TrimPrefix(detail+" · "+say.Text("common.private-share"), " · ")
	}
	if s.Among {
		detail = strings.TrimPrefix(detail+", "+say.Text("common.another-text"), ", ")
	}
	return safe(label), safe(detail)
}

// ownOf states in which way a source is the suspect's own text, "" if it is not.
func ownOf(say *lang.Printer, s *search.Source) string {
	switch s.Own {
	case search.OwnFile:
		return say.Text("common.own-itself")
	case search.OwnText:
		return say.Text("common.own-text")
	case search.OwnVersion:
		return say.Text("common.own-version")
	}
	return ""
}

// collectionIn returns the part of the collection that a source is from: its prefix, or
// else its folder.
func collectionIn(say *lang.Printer, s *search.Source) string {
	if s.Among {
		return say.Text("common.another-text")
	}
	if s.Prefix != "" {
		return s.Prefix
	}
	dir := path.Dir(strings.ReplaceAll(s.Name, `\`, "/"))
	if dir == "." {
		return ""
	}
	return dir + "/"
}

func collectionsOf(say *lang.Printer, r *Report) int {
	seen := map[string]bool{}
	for _, s := range r.Sources {
		seen[collectionIn(say, &s)] = true
	}
	return len(seen)
}

// lastPart returns the last part of a path with "/" or "\\".
func lastPart(name string) string { return path.Base(strings.ReplaceAll(name, `\`, "/")) }
