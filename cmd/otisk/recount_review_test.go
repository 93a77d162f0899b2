package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A leftOut lists the passages that a reader or a flag leaves out, in the words of docs/REPORT.md. The recount takes
// it from the test, not from the report.
type leftOut struct {
	kinds, grades             []string
	passageWords, sourceWords int
	sources, passages         []int  // indexes
	place                     [2]int // word, words
}

// A reviewedReport is a JSON report with a review.
type reviewedReport struct {
	recount
	Joined []struct {
		Source int
		Parts  []int
	}
	Exclusions []struct {
		Kind        string
		Place       struct{ Start, End int }
		Word, Words int
	}
	Review *struct {
		Score struct {
			Words, Covered int
			Percent        float64
			Grades         map[string]int
		}
		Remains []remainsOf
	}
}

type remainsOf struct {
	Passages, Covered, Counted int
	Percent                    float64
}

// A counted is what remains of a report.
type counted struct {
	covered int
	grades  map[string]int
	sources []remainsOf
}

// count applies the rules of "How a score is counted", word by word.
func (r *reviewedReport) count(x leftOut) counted {
	n := r.Suspect.Words
	outWord := make([]bool, n)
	for _, e := range r.Exclusions {
		if slices.Contains(x.kinds, e.Kind) {
			for w := e.Word; w < e.Word+e.Words; w++ {
				outWord[w] = true
			}
		}
	}
	for w := x.place[0]; w < x.place[0]+x.place[1]; w++ {
		outWord[w] = true
	}
	words := func(i int) (list []int) {
		for w := r.Passages[i].Word; w < r.Passages[i].Word+r.Passages[i].Words; w++ {
			if !outWord[w] {
				list = append(list, w)
			}
		}
		return list
	}
	whole := r.wholes()
	out := make([]bool, len(r.Passages))
	sum := map[int]int{} // by joined passage
	for i, p := range r.Passages {
		out[i] = len(words(i)) == 0 || slices.Contains(x.passages, i) || slices.Contains(x.sources, p.Source) || slices.Contains(x.grades, p.Grade)
		if !out[i] {
			sum[whole[i]] += len(words(i))
		}
	}
	for i := range r.Passages {
		out[i] = out[i] || sum[whole[i]] < x.passageWords
	}
	c := counted{grades: map[string]int{"verbatim": 0, "lightly edited": 0, "reworded": 0}, sources: make([]remainsOf, len(r.Sources))}
	for s := range r.Sources {
		covered, passages := map[int]bool{}, map[int]bool{}
		for i, p := range r.Passages {
			if p.Source == s && !out[i] {
				passages[whole[i]] = true
				for _, w := range words(i) {
					covered[w] = true
				}
			}
		}
		if len(covered) > 0 && len(covered) >= x.sourceWords {
			c.sources[s] = remainsOf{Passages: len(passages), Covered: len(covered), Percent: 100 * float64(len(covered)) / float64(n)}
			continue
		}
		for i, p := range r.Passages {
			out[i] = out[i] || p.Source == s
		}
	}
	for w := range n {
		if best := r.bestAt(w, out); best >= 0 && !outWord[w] {
			c.covered++
			c.grades[r.Passages[best].Grade]++
			c.sources[r.Passages[best].Source].Counted++
		}
	}
	return c
}

// wholes returns, for each passage, a number that the parts of a joined passage share.
func (r *reviewedReport) wholes() []int {
	list := make([]int, len(r.Passages))
	for i := range list {
		list[i] = -1 - i
	}
	for k, j := range r.Joined {
		for _, number := range j.Parts {
			list[number-1] = k
		}
	}
	return list
}

// bestAt returns the passage that counts for a word, -1 for none.
func (r *reviewedReport) bestAt(word int, out []bool) int {
	order := []string{"verbatim", "lightly edited", "reworded"}
	best := -1
	for i, p := range r.Passages {
		if out[i] || word < p.Word || word >= p.Word+p.Words {
			continue
		}
		key := func(i int) []int {
			q := r.Passages[i]
			return []int{slices.Index(order, q.Grade), -q.Matched, q.Source, i}
		}
		if best < 0 || slices.Compare(key(i), key(best)) < 0 {
			best = i
		}
	}
	return best
}

// reviewed compares the figures of a report, in all formats, with those counted again.
func (r *reviewedReport) reviewed(t *testing.T, want counted, stem string, row map[string]string) {
	t.Helper()
	percent := 100 * float64(want.covered) / float64(max(r.Suspect.Words, 1))
	v := r.Review
	if v == nil {
		t.Fatal("the report has no review")
	}
	if v.Score.Covered != want.covered || math.Abs(v.Score.Percent-percent) > 1e-9 || fmt.Sprint(v.Score.Grades) != fmt.Sprint(want.grades) || len(v.Remains) != len(want.sources) {
		t.Errorf("JSON states %+v, counted again %d words, %v", v.Score, want.covered, want.grades)
		return
	}
	for i, s := range want.sources {
		if got := v.Remains[i]; got.Passages != s.Passages || got.Covered != s.Covered || got.Counted != s.Counted || math.Abs(got.Percent-s.Percent) > 1e-9 {
			t.Errorf("JSON states %+v of source %d, counted again %+v", got, i+1, s)
		}
	}
	r.reviewInXML(t, content(t, stem+"xml"), want, percent)
	page := content(t, stem+"html")
	if n := strings.Count(page, "<b data-percent>"+shown(percent)+"</b>"); n != 2 || !strings.Contains(page, "<b>"+shown(r.Score.Percent)+"</b></p>") {
		t.Errorf("HTML states %s in %d places of 2, as found %s", shown(percent), n, shown(r.Score.Percent))
	}
	rows := sourceRow.FindAllStringSubmatch(page, -1)
	for i, s := range want.sources {
		if got, want := rows[i][1:3], []string{shown(s.Percent), strconv.Itoa(s.Covered)}; !slices.Equal(got, want) {
			t.Errorf("HTML states %v of source %d, want %v", got, i+1, want)
		}
	}
	if text := content(t, stem+"txt"); !strings.Contains(text, "\nScore with exclusions: "+shown(percent)+"\n") && !strings.Contains(text, "\nScore after review: "+shown(percent)+"\n") {
		t.Errorf("text does not state %s:\n%.600s", shown(percent), text)
	}
	if got, err := strconv.ParseFloat(row["percent"], 64); err != nil || math.Abs(got-percent) > 1e-6 || row["covered"] != strconv.Itoa(want.covered) || !strings.HasPrefix(row["found"], strconv.FormatFloat(r.Score.Percent, 'f', -1, 64)) {
		t.Errorf("CSV states %s %%, %s words, found %s; want %v, %d, %v", row["percent"], row["covered"], row["found"], percent, want.covered, r.Score.Percent)
	}
	top := 0.0
	for _, s := range want.sources {
		top = max(top, s.Percent)
	}
	if got, err := strconv.ParseFloat(row["top_percent"], 64); err != nil || math.Abs(got-top) > 1e-6 {
		t.Errorf("CSV states %s %% of the largest source, want %v", row["top_percent"], top)
	}
}

func (r *reviewedReport) reviewInXML(t *testing.T, text string, want counted, percent float64) {
	t.Helper()
	var x struct {
		Review struct {
			Score struct {
				Covered int     `xml:"covered,attr"`
				Percent float64 `xml:"percent,attr"`
			} `xml:"score"`
			Remains []struct {
				Passages int `xml:"passages,attr"`
				Covered  int `xml:"covered,attr"`
				Counted  int `xml:"counted,attr"`
			} `xml:"remains"`
		} `xml:"review"`
	}
	if err := xml.Unmarshal([]byte(text), &x); err != nil {
		t.Fatal(err)
	}
	if x.Review.Score.Covered != want.covered || math.Abs(x.Review.Score.Percent-percent) > 1e-6 || len(x.Review.Remains) != len(want.sources) {
		t.Errorf("XML states %+v, want %d words", x.Review.Score, want.covered)
		return
	}
	for i, s := range want.sources {
		if got := x.Review.Remains[i]; got.Passages != s.Passages || got.Covered != s.Covered || got.Counted != s.Counted {
			t.Errorf("XML states %+v of source %d, want %+v", got, i+1, s)
		}
	}
}

// excluded checks that each stretch has the words that it states, and that the given text and the references, wherever the
// thesis has them, are inside a stretch of their kind.
func (r *reviewedReport) excluded(t *testing.T, kinds map[string]string) {
	t.Helper()
	all := tokens(r.Suspect.Text)
	inside := map[string]map[int]bool{}
	for _, e := range r.Exclusions {
		if here := wordsIn(all, e.Place.Start, e.Place.End); len(here) != e.Words || here[0].start != all[e.Word].start {
			t.Errorf("%s: %d words at word %d, stated %d", e.Kind, len(here), e.Word, e.Words)
		}
		for w := e.Word; w < e.Word+e.Words; w++ {
			if inside[e.Kind] == nil {
				inside[e.Kind] = map[int]bool{}
			}
			inside[e.Kind][w] = true
		}
	}
	for kind, text := range kinds {
		wanted := tokens(text)
		found := false
		for i := 0; i+len(wanted) <= len(all); i++ {
			if !sameWords(all[i:i+len(wanted)], wanted) {
				continue
			}
			found = true
			for w := i; w < i+len(wanted); w++ {
				if !inside[kind][w] {
					t.Errorf("word %d, %q, is in no stretch of kind %s", w, all[w].text, kind)
				}
			}
		}
		if !found {
			t.Errorf("%.40q is not in the text", text)
		}
	}
}

// TestRecountReviews: the figures of reports made with --exclude, --template, --exclude-among and limits, and of reports with
// decisions, counted again word by word, are those that JSON, XML, HTML, text and CSV state.
func TestRecountReviews(t *testing.T) {
	class, theses, reports := checkClass(t, smallClass)
	dir := t.TempDir()
	template := filepath.Join(dir, "template.txt")
	if err := os.WriteFile(template, []byte(declaration+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	stated := map[string]string{"bibliography": "Karolinum, 2011. ISBN 978-80-246-1946-0. ECO, Umberto. Jak napsat diplomovou práci."}
	among := make([]int, len(class)-1)
	for i := range among {
		among[i] = i
	}
	for name, v := range map[string]struct {
		args  []string
		left  leftOut
		kinds map[string]string
	}{
		"exclude":  {[]string{"report", "--exclude", "quotation,bibliography,declaration"}, leftOut{kinds: []string{"quotation", "bibliography", "declaration"}}, stated},
		"limits":   {[]string{"report", "--min-passage", "40", "--min-source", "70"}, leftOut{passageWords: 40, sourceWords: 70}, nil},
		"both":     {[]string{"report", "--exclude", "declaration", "--min-passage", "25"}, leftOut{kinds: []string{"declaration"}, passageWords: 25}, nil},
		"template": {[]string{"search", "--index", filepath.Join(filepath.Dir(reports), "index"), "--among", "--template", template, "--exclude", "template"}, leftOut{kinds: []string{"template"}}, map[string]string{"template": declaration}},
		"among":    {[]string{"report", "--exclude-among"}, leftOut{sources: among}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(dir, name)
			args := append(v.args, "-q", "--format", "html,json,xml,text", "-o", out, "--summary-file", filepath.Join(out, "scores.csv"))
			if v.args[0] == "search" {
				args = append(args, theses)
			} else {
				args = append(args, reportsOf(class, reports)...)
			}
			otisk(t, args...)
			rows := csvRows(t, filepath.Join(out, "scores.csv"))
			for _, c := range class {
				r := readReviewed(t, filepath.Join(out, c.name+".out.json"))
				r.words(t)
				r.score(t)
				r.excluded(t, v.kinds)
				r.reviewed(t, r.count(v.left), filepath.Join(out, c.name+".out."), rows[r.Suspect.Path])
			}
		})
	}
	t.Run("decisions", func(t *testing.T) { recountDecisions(t, class, reports) })
}

// recountDecisions leaves out a source, a passage, a place, a grade and a kind of each text by a file of decisions.
func recountDecisions(t *testing.T, class []thesis, reports string) {
	dir := t.TempDir()
	want := map[string]leftOut{}
	for k, c := range class {
		r := readReviewed(t, filepath.Join(reports, c.name+".out.json"))
		first, last := r.Passages[0], len(r.Passages)-1
		x := leftOut{kinds: []string{"bibliography"}, grades: [][]string{nil, {"lightly edited"}, {"reworded"}}[k%3], passageWords: 5 * (k % 2), sources: []int{len(r.Sources) - 1}, passages: []int{last},
			place: [2]int{first.Word, first.Words / 2}}
		all := tokens(r.Suspect.Text)
		end := all[x.place[0]+x.place[1]-1].end
		p := r.Passages[last]
		decisions := map[string]any{"otisk": "decisions", "format": 1, "suspect": map[string]any{"path": r.Suspect.Path, "bytes": len(r.Suspect.Text), "words": r.Suspect.Words}, "by": "N. N.",
			"filter":   map[string]any{"kinds": x.kinds, "grades": append([]string{}, x.grades...), "passage_words": x.passageWords, "source_words": 0, "source_percent": 0},
			"sources":  []any{map[string]any{"id": r.Sources[len(r.Sources)-1].ID, "reason": "own"}},
			"passages": []any{map[string]any{"source": r.Sources[p.Source].ID, "suspect": []int{p.Suspect.Start, p.Suspect.End}, "origin": []int{p.Origin.Start, p.Origin.End}, "reason": "quoted"}},
			"places":   []any{map[string]any{"suspect": []int{first.Suspect.Start, end}, "word": x.place[0], "words": x.place[1], "reason": "template"}}}
		text, err := json.Marshal(decisions)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, c.name+".decisions.json"), text, 0o600); err != nil {
			t.Fatal(err)
		}
		want[c.name] = x
	}
	out := t.TempDir()
	otisk(t, append([]string{"report", "-q", "--decisions", dir, "--format", "html,json,xml,text", "-o", out, "--summary-file", filepath.Join(out, "scores.csv")}, reportsOf(class, reports)...)...)
	rows := csvRows(t, filepath.Join(out, "scores.csv"))
	for _, c := range class {
		r := readReviewed(t, filepath.Join(out, c.name+".reviewed.out.json"))
		r.reviewed(t, r.count(want[c.name]), filepath.Join(out, c.name+".reviewed.out."), rows[r.Suspect.Path])
	}
}

// reportsOf returns the JSON reports on a class.
func reportsOf(class []thesis, reports string) (files []string) {
	for _, c := range class {
		files = append(files, filepath.Join(reports, c.name+".out.json"))
	}
	return files
}

func readReviewed(t *testing.T, file string) *reviewedReport {
	t.Helper()
	r := &reviewedReport{}
	if err := json.Unmarshal([]byte(content(t, file)), r); err != nil {
		t.Fatal(err)
	}
	return r
}
