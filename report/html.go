package report

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/search/exclude"
)

// files are the parts of the HTML pages, which stand in each page whole.
//
//go:embed templates
var files embed.FS

// A page is what both HTML pages share: styles and script, and a policy under
// which a browser runs that script and no other, and loads nothing.
type page struct {
	Style  template.CSS
	Script template.JS
	Policy string
}

// newPage joins the parts of a page.
func newPage(scripts ...string) (page, error) {
	style, err := files.ReadFile("templates/style.css")
	if err != nil {
		return page{}, err
	}
	var script strings.Builder
	script.WriteString("(() => {\n\"use strict\";\n")
	for _, name := range scripts {
		part, err := files.ReadFile("templates/" + name)
		if err != nil {
			return page{}, err
		}
		script.Write(part)
	}
	script.WriteString("})();\n")
	return page{
		Style: template.CSS(style), Script: template.JS(script.String()),
		Policy: fmt.Sprintf("default-src 'none'; base-uri 'none'; form-action 'none'; style-src %s; script-src %s",
			hashSource(style), hashSource([]byte(script.String()))),
	}, nil
}

func hashSource(content []byte) string {
	sum := sha256.Sum256(content)
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// execute writes the page that a template makes of data.
func execute(w io.Writer, name string, data any) error {
	t, err := template.ParseFS(files, "templates/"+name)
	if err != nil {
		return err
	}
	return t.Execute(w, data)
}

// embedded returns v as JSON that can stand in a script element: no < in it
// can end the element.
func embedded(v any) (template.JS, error) {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(v); err != nil {
		return "", err
	}
	return template.JS(bytes.TrimSpace(b.Bytes())), nil
}

// A htmlReport is what the template of a report shows by itself; the script
// shows the rest out of Data.
type htmlReport struct {
	page
	Version                        string
	Overview                       template.URL
	Name, Byline, Path             string
	Percent, Found, Covered, Words string
	Review                         bool
	Paragraphs, Format             string
	Index, Documents               string
	N                              int
	MatchPercent, Matched, Grams   string
	Run                            string
	SourceCount, PassageCount      string
	Grades                         []htmlGrade
	Kinds                          []htmlKind
	Flags                          []htmlFlag
	Unread                         []search.Unread
	UnreadCount                    string
	Settings                       []htmlSetting
	Sources                        []htmlSource
	FewUnread, FewSettings         bool // few enough to be shown at once
	HasText                        bool
	Data                           template.JS
}

type htmlGrade struct{ Name, Words string }

type htmlKind struct {
	Kind, Name, Title, Note string
	Words                   int
}

type htmlFlag struct{ Class, Text string }

type htmlSetting struct{ Name, Value string }

type htmlSource struct {
	Index, Number, Passages   int
	Color                     string
	Name, Detail              string
	Percent, Covered, Counted string
	Run                       int
}

// writeHTML writes one file that opens offline.
func writeHTML(w io.Writer, r *search.Result, o Options) error {
	p, err := newPage("score.js", "text.js", "map.js", "review.js", "report.js")
	if err != nil {
		return err
	}
	data, err := embedded(htmlData(r))
	if err != nil {
		return err
	}
	h := htmlHead(r)
	h.page, h.Data, h.Overview = p, data, relative(o.Overview)
	return execute(w, "report.html", h)
}

func htmlHead(r *search.Result) *htmlReport {
	s, now := &r.Suspect, r.Score
	if r.Review != nil {
		now = r.Review.Score
	}
	h := &htmlReport{
		Version: r.Version, Name: s.Title, Byline: s.Author, Path: s.Path,
		Percent: shown(now.Percent), Found: shown(r.Score.Percent), Covered: grouped(now.Covered), Words: grouped(s.Words),
		Review: r.Review != nil, Paragraphs: paragraphsOf(s), Format: formatName(s),
		Index: indexName(r.Index), Documents: count(r.Index.Documents, "document") + andOthers(english(), r.Index), N: r.Settings.N,
		MatchPercent: shown(r.Match.Percent), Matched: grouped(r.Match.Matched), Grams: grouped(r.Match.Grams),
		Run: count(r.Match.Run, "word"), SourceCount: count(len(r.Sources), "source"), PassageCount: count(len(r.Passages), "passage"),
		Unread: r.Unread, UnreadCount: count(len(r.Unread), "file"), HasText: s.Text != "" || s.Bytes == 0,
		Flags: htmlFlags(r), Settings: htmlSettings(r), Kinds: htmlKinds(r), Sources: htmlSources(r),
	}
	h.FewUnread = len(r.Unread) <= 5
	length := 0
	for _, x := range h.Settings {
		length += len(x.Name) + len(x.Value)
	}
	h.FewSettings = length <= 500
	if h.Name == "" {
		h.Name = lastPart(s.Path)
	}
	for _, g := range grades {
		h.Grades = append(h.Grades, htmlGrade{g, grouped(now.Grades[g])})
	}
	return h
}

// shown writes a percentage as people read it. The script rounds alike.
func shown(percent float64) string {
	return strconv.FormatFloat(math.Floor(percent*10+0.5)/10, 'f', 1, 64)
}

// kindNames are the kinds of exclusions as people read them.
var kindNames = map[string]string{
	exclude.Quotation:    "quotations",
	exclude.Bibliography: "bibliography",
	exclude.Template:     "given text",
}

func htmlKinds(r *search.Result) []htmlKind {
	var kinds []htmlKind
	for _, k := range exclude.Kinds() {
		places, words := 0, 0
		for _, e := range r.Exclusions {
			if e.Kind == k {
				places, words = places+1, words+e.Words
			}
		}
		note := "none found"
		if places > 0 {
			note = count(places, "place") + ", " + count(words, "word")
		}
		kinds = append(kinds, htmlKind{Kind: k, Name: kindNames[k], Title: strings.ToUpper(kindNames[k][:1]) + kindNames[k][1:], Note: note, Words: words})
	}
	return kinds
}

// htmlFlags says what the reader must know before the score.
func htmlFlags(r *search.Result) []htmlFlag {
	var flags []htmlFlag
	for _, n := range r.Notes {
		flags = append(flags, htmlFlag{"warn", n})
	}
	for _, f := range flagsOf(english(), r.Suspect.Flags) {
		flags = append(flags, htmlFlag{"warn", "May hide copying: " + f + "."})
	}
	missing := 0
	for _, s := range r.Sources {
		if s.NoText {
			missing++
		}
	}
	if missing > 0 {
		flags = append(flags, htmlFlag{"warn", "The text of " + count(missing, "source") + " could not be had, so its passages are only those that the index knows."})
	}
	for _, k := range htmlKinds(r) {
		if k.Words > 0 {
			flags = append(flags, htmlFlag{"", k.Title + ": " + k.Note + ", counted unless left out."})
		}
	}
	if r.Match.Common > 0 {
		flags = append(flags, htmlFlag{"", count(r.Match.Common, "n-gram") + " too common to name a source."})
	}
	if limits := limitsOf(english(), r.Settings); limits != "" {
		flags = append(flags, htmlFlag{"", "Sources are listed with " + limits + "."})
	}
	return flags
}

func htmlSettings(r *search.Result) []htmlSetting {
	s := r.Settings
	list := []htmlSetting{{"words per n-gram", strconv.Itoa(s.N)}}
	if s.MinPercent != nil {
		list = append(list, htmlSetting{"listed from", formatFloat(*s.MinPercent) + " % of the n-grams"})
	}
	if s.MinRun != nil {
		list = append(list, htmlSetting{"listed from a run of", count(*s.MinRun, "word")})
	}
	common := "no limit"
	if s.Common > 0 {
		common = "in more than " + count(s.Common, "document")
	}
	list = append(list, htmlSetting{"common n-grams", common}, htmlSetting{"exact passages only", map[bool]string{true: "yes", false: "no"}[s.Exact]})
	var unset []string
	for _, name := range slices.Sorted(maps.Keys(s.Normalization)) {
		if value := s.Normalization[name]; value != "" {
			list = append(list, htmlSetting{name, value})
		} else {
			unset = append(unset, name)
		}
	}
	if len(unset) > 0 {
		list = append(list, htmlSetting{"not set", strings.Join(unset, ", ")})
	}
	return list
}

func htmlSources(r *search.Result) []htmlSource {
	passages := make([]int, len(r.Sources))
	for _, p := range r.Passages {
		passages[p.Source]++
	}
	var list []htmlSource
	for i, s := range r.Sources {
		label, detail := labelOf(&s)
		row := htmlSource{Index: i, Number: i + 1, Passages: passages[i], Color: fmt.Sprintf("c%d", i%8), Name: label, Detail: detail,
			Percent: shown(s.Percent), Covered: grouped(s.Covered), Counted: grouped(s.Counted), Run: s.Match.Run}
		list = append(list, row)
	}
	return list
}

// labelOf returns what people call a source (what its format states, or the
// name of its file), and its whole name where that says more.
func labelOf(s *search.Source) (label, detail string) {
	label = byline(s.Title, s.Author)
	if label == "" {
		label = lastPart(s.Path)
	}
	if detail = s.Name(); detail == label {
		detail = ""
	}
	if s.Among {
		detail = strings.TrimPrefix(detail+", "+english().Text("common.another-text"), ", ")
	}
	return label, detail
}

// lastPart returns the last part of a path of any system.
func lastPart(name string) string { return path.Base(strings.ReplaceAll(name, `\`, "/")) }

// paragraphsOf says how many paragraphs a text has, and on how many pages.
func paragraphsOf(s *search.Suspect) string {
	if s.Pages == 0 {
		return count(s.Paragraphs, "paragraph")
	}
	return count(s.Paragraphs, "paragraph") + " on " + count(s.Pages, "page")
}
