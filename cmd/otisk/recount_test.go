package main

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/otisk/otisk/internal/testing/need"
)

// A recount reads a JSON report by its documented fields and counts all figures again
// from the texts in it. It shares no code with package report.
type recount struct {
	Suspect struct {
		Path, Text string
		Words      int
	}
	Match recountMatch
	Score struct {
		Words, Covered int
		Percent        float64
		Grades         map[string]int
	}
	Sources []struct {
		ID, Name         string
		Match            recountMatch
		Covered, Counted int
		Percent          float64
		Excerpts         []struct {
			Start, End int
			Text       string
		}
	}
	Passages []struct {
		Source, Word, Words, Matched, Run, Counted int
		OriginWords                                int `json:"origin_words"`
		Grade                                      string
		Suspect, Origin                            struct{ Start, End int }
		Equal                                      []struct {
			Suspect, Origin [2]int
			Words           int
		}
	}
}

type recountMatch struct {
	Grams, Matched, Run int
	Percent             float64
}

// A token is a word of a text and its place.
type token struct {
	text       string
	start, end int
}

// tokens takes a text apart by the rules of docs: letters, digits and marks make words,
// case does not matter, and hyphens and apostrophes are left out of them.
func tokens(text string) []token {
	var list []token
	var word strings.Builder
	start, end := 0, 0
	flush := func() {
		if word.Len() > 0 {
			list = append(list, token{word.String(), start, end})
			word.Reset()
		}
	}
	for i, r := range text {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			if word.Len() == 0 {
				start = i
			}
			word.WriteString(strings.ToLower(string(r)))
			end = i + len(string(r))
		case strings.ContainsRune("-'`´", r):
		default:
			flush()
		}
	}
	flush()
	return list
}

func wordsIn(list []token, start, end int) []token {
	var in []token
	for _, w := range list {
		if w.start >= start && w.end <= end {
			in = append(in, w)
		}
	}
	return in
}

func sameWords(a, b []token) bool {
	return slices.EqualFunc(a, b, func(x, y token) bool { return x.text == y.text })
}

// TestRecount: each figure of the reports on a class, counted again from the two texts,
// is the one that JSON, XML, HTML, text and CSV state.
func TestRecount(t *testing.T) { recountClass(t, smallClass) }

// TestRecountLarge does the same on a class of 24 in nine formats.
func TestRecountLarge(t *testing.T) {
	needLarge(t)
	recountClass(t, largeClass)
}

// needLarge skips a test of the large class where it is not asked for, or cannot be made.
func needLarge(t *testing.T) {
	t.Helper()
	need.Long(t)
	for _, name := range []string{"pandoc", "soffice"} {
		if _, err := exec.LookPath(name); err != nil {
			need.Skip(t, name+" is not installed")
		}
	}
}

func recountClass(t *testing.T, size classSize) {
	class, _, reports := checkClass(t, size)
	rows := csvRows(t, filepath.Join(reports, "scores.csv"))
	texts := map[string]recount{}
	for _, c := range class {
		var r recount
		if err := json.Unmarshal([]byte(content(t, filepath.Join(reports, c.name+".out.json"))), &r); err != nil {
			t.Fatal(err)
		}
		texts[c.name] = r
	}
	indexed := content(t, filepath.Join("..", "..", "samples", "collection", "czech", "dyk-krysar.txt"))
	for i, c := range class {
		name := filepath.Join(reports, c.name+".out.")
		r := texts[c.name]
		t.Run(c.name, func(t *testing.T) {
			r.words(t)
			r.grams(t, texts, indexed)
			longest := r.runs(t)
			r.score(t)
			r.inXML(t, content(t, name+"xml"))
			r.inHTML(t, content(t, name+"html"))
			r.inText(t, content(t, name+"txt"), longest)
			r.inCSV(t, rows[r.Suspect.Path], longest)
			if from := copiers[i+1]; from > 0 && !r.copiesFrom(class[from-1].name) {
				t.Errorf("the copy from %s is not found", class[from-1].name)
			}
		})
	}
}

func content(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// copiesFrom reports whether there is a passage from a text of the class that is not the
// declaration or the references.
func (r *recount) copiesFrom(name string) bool {
	for _, p := range r.Passages {
		text := r.Suspect.Text[p.Suspect.Start:p.Suspect.End]
		if strings.HasSuffix(r.Sources[p.Source].Name, name) && !strings.Contains(declaration+references, strings.Fields(text)[0]+" "+strings.Fields(text)[1]) {
			return true
		}
	}
	return false
}

// words counts the words of the text and of both sides of each passage, and compares the
// equal ones.
func (r *recount) words(t *testing.T) {
	all := tokens(r.Suspect.Text)
	if len(all) != r.Suspect.Words {
		t.Fatalf("%d words, stated %d", len(all), r.Suspect.Words)
	}
	for i, p := range r.Passages {
		here := wordsIn(all, p.Suspect.Start, p.Suspect.End)
		if len(here) != p.Words || here[0].start != all[p.Word].start {
			t.Errorf("passage %d: %d words, stated %d from word %d", i+1, len(here), p.Words, p.Word)
		}
		there, base := r.origin(p.Source, p.Origin.Start, p.Origin.End)
		if len(there) != p.OriginWords {
			t.Errorf("passage %d: %d words in the source, stated %d", i+1, len(there), p.OriginWords)
		}
		equal := 0
		for _, e := range p.Equal {
			a := wordsIn(here, e.Suspect[0], e.Suspect[1])
			b := wordsIn(there, e.Origin[0]-base, e.Origin[1]-base)
			if len(a) != e.Words || !sameWords(a, b) {
				t.Errorf("passage %d: words at %v and %v are stated to be the same %d: %v, %v", i+1, e.Suspect, e.Origin, e.Words, a, b)
			}
			equal += e.Words
		}
		if equal > p.Matched {
			t.Errorf("passage %d: %d equal words, but %d matched", i+1, equal, p.Matched)
		}
	}
}

// origin returns the words of a place in a source, and where its excerpt starts.
func (r *recount) origin(source, start, end int) ([]token, int) {
	for _, x := range r.Sources[source].Excerpts {
		if x.Start <= start && end <= x.End {
			return wordsIn(tokens(x.Text), start-x.Start, end-x.Start), x.Start
		}
	}
	return nil, 0
}

// grams counts the n-grams of the text that are in another text of the class or in the
// index, and the longest run within a paragraph of both.
func (r *recount) grams(t *testing.T, texts map[string]recount, indexed string) {
	here := paragraphsOf(r.Suspect.Text)
	others := [][][]string{paragraphsOf(indexed)}
	for _, o := range texts {
		if o.Suspect.Path != r.Suspect.Path {
			others = append(others, paragraphsOf(o.Suspect.Text))
		}
	}
	known := map[string]bool{}
	run := 0
	for _, other := range others {
		for _, p := range other {
			for _, g := range gramsOf(p) {
				known[g] = true
			}
		}
		run = max(run, longestCommon(here, other))
	}
	grams, matched := 0, 0
	for _, p := range here {
		for _, g := range gramsOf(p) {
			grams++
			if known[g] {
				matched++
			}
		}
	}
	if grams != r.Match.Grams || matched != r.Match.Matched || run != r.Match.Run {
		t.Errorf("%d of %d n-grams, a run of %d; stated %+v", matched, grams, run, r.Match)
	}
}

var blank = regexp.MustCompile(`\n[ \t\r]*\n`)

// paragraphsOf returns the words of each paragraph.
func paragraphsOf(text string) [][]string {
	var list [][]string
	if !blank.MatchString(text) {
		text = strings.ReplaceAll(text, "\n", "\n\n") // each line is one
	}
	for _, p := range blank.Split(text, -1) {
		var words []string
		for _, w := range tokens(p) {
			words = append(words, w.text)
		}
		list = append(list, words)
	}
	return list
}

func gramsOf(words []string) []string {
	var list []string
	for i := 0; i+7 <= len(words); i++ {
		list = append(list, strings.Join(words[i:i+7], " "))
	}
	return list
}

// longestCommon returns the longest run of words, of seven at least, that a paragraph of
// each text has.
func longestCommon(a, b [][]string) int {
	places := map[string][][2]int{}
	for k, p := range b {
		for i, g := range gramsOf(p) {
			places[g] = append(places[g], [2]int{k, i})
		}
	}
	longest := 0
	for _, p := range a {
		for i, g := range gramsOf(p) {
			for _, at := range places[g] {
				n := 0
				for i+n < len(p) && at[1]+n < len(b[at[0]]) && p[i+n] == b[at[0]][at[1]+n] {
					n++
				}
				longest = max(longest, n)
			}
		}
	}
	return longest
}

// runs counts the longest run of equal words of each passage, and returns that of the text.
func (r *recount) runs(t *testing.T) int {
	all := tokens(r.Suspect.Text)
	longest := r.Match.Run
	for i, p := range r.Passages {
		run, best, lastA, lastB := 0, 0, -1, -1
		there, base := r.origin(p.Source, p.Origin.Start, p.Origin.End)
		for _, e := range p.Equal {
			if len(wordsIn(all, lastA, e.Suspect[0])) > 0 || len(wordsIn(there, lastB-base, e.Origin[0]-base)) > 0 {
				run = 0
			}
			run += e.Words
			best, lastA, lastB = max(best, run), e.Suspect[1], e.Origin[1]
		}
		if best != p.Run {
			t.Errorf("passage %d: a run of %d words, stated %d", i+1, best, p.Run)
		}
		longest = max(longest, p.Run)
	}
	return longest
}

// score counts the words that passages cover, for the text, for each source and for each
// grade: of a word, the surest grade counts.
func (r *recount) score(t *testing.T) {
	order := []string{"reworded", "lightly edited", "verbatim"}
	grade := make([]int, r.Suspect.Words)
	of := make([]map[int]bool, len(r.Sources))
	counted := 0
	for _, p := range r.Passages {
		if of[p.Source] == nil {
			of[p.Source] = map[int]bool{}
		}
		for w := p.Word; w < p.Word+p.Words; w++ {
			grade[w] = max(grade[w], 1+slices.Index(order, p.Grade))
			of[p.Source][w] = true
		}
		counted += p.Counted
	}
	grades := map[string]int{}
	covered := 0
	for _, g := range grade {
		if g > 0 {
			covered++
			grades[order[g-1]]++
		}
	}
	maps.DeleteFunc(r.Score.Grades, func(_ string, words int) bool { return words == 0 })
	if covered != r.Score.Covered || counted != covered || fmt.Sprint(grades) != fmt.Sprint(r.Score.Grades) || !nearly(r.Score.Percent, covered, r.Suspect.Words) {
		t.Errorf("covered %d, counted %d, grades %v; stated %+v", covered, counted, grades, r.Score)
	}
	for i, s := range r.Sources {
		if len(of[i]) != s.Covered || !nearly(s.Percent, s.Covered, r.Suspect.Words) {
			t.Errorf("source %d: %d words, stated %d, %v %%", i+1, len(of[i]), s.Covered, s.Percent)
		}
	}
	if !nearly(r.Match.Percent, r.Match.Matched, r.Match.Grams) {
		t.Errorf("n-grams: %+v", r.Match)
	}
}

func nearly(percent float64, part, all int) bool {
	return math.Abs(percent-100*float64(part)/float64(max(all, 1))) < 1e-9
}

func shown(percent float64) string { return fmt.Sprintf("%.1f%%", math.Floor(percent*10+0.5)/10) }

func (r *recount) inXML(t *testing.T, text string) {
	var x struct {
		Score struct {
			Covered int     `xml:"covered,attr"`
			Percent float64 `xml:"percent,attr"`
		} `xml:"score"`
		Document struct {
			Run     int `xml:"run,attr"`
			Matched int `xml:"matched,attr"`
			Sources []struct {
				ID      string `xml:"id,attr"`
				Covered int    `xml:"covered,attr"`
				Run     int    `xml:"run,attr"`
			} `xml:"source"`
		} `xml:"document"`
		Passages []struct {
			Run   int `xml:"run,attr"`
			Words int `xml:"words,attr"`
		} `xml:"passages>passage"`
	}
	if err := xml.Unmarshal([]byte(text), &x); err != nil {
		t.Fatal(err)
	}
	if x.Score.Covered != r.Score.Covered || math.Abs(x.Score.Percent-r.Score.Percent) > 1e-6 || x.Document.Run != r.Match.Run || x.Document.Matched != r.Match.Matched ||
		len(x.Document.Sources) != len(r.Sources) || len(x.Passages) != len(r.Passages) {
		t.Errorf("XML states %+v, %d sources and %d passages", x.Score, len(x.Document.Sources), len(x.Passages))
		return
	}
	for i, s := range x.Document.Sources {
		if want := r.Sources[i]; s.ID != want.ID || s.Covered != want.Covered || s.Run != want.Match.Run {
			t.Errorf("XML states %+v of source %d", s, i+1)
		}
	}
	for i, p := range x.Passages {
		if p.Run != r.Passages[i].Run || p.Words != r.Passages[i].Words {
			t.Errorf("XML states %+v of passage %d", p, i+1)
		}
	}
}

// sourceRun returns the longest run of a source.
func (r *recount) sourceRun(i int) int {
	run := r.Sources[i].Match.Run
	for _, p := range r.Passages {
		if p.Source == i {
			run = max(run, p.Run)
		}
	}
	return run
}

var sourceRow = regexp.MustCompile(`(?s)<tr data-source="\d+".*?<span class="share">([^<]*)</span>.*?<td class="words">([^<]*)</td>.*?<td class="passages">[^<]*</td><td>([^<]*)</td>`)

func (r *recount) inHTML(t *testing.T, page string) {
	if !strings.Contains(page, "<b data-percent>"+shown(r.Score.Percent)+"</b>") {
		t.Errorf("HTML does not state %s", shown(r.Score.Percent))
	}
	rows := sourceRow.FindAllStringSubmatch(page, -1)
	if len(rows) != len(r.Sources) {
		t.Fatalf("HTML lists %d sources of %d", len(rows), len(r.Sources))
	}
	for i, s := range r.Sources {
		want := []string{shown(s.Percent), fmt.Sprint(s.Covered), fmt.Sprint(r.sourceRun(i))}
		if got := rows[i][1:]; !slices.Equal(got, want) {
			t.Errorf("HTML states %v of source %d, want %v", got, i+1, want)
		}
	}
}

func (r *recount) inText(t *testing.T, text string, longest int) {
	for _, want := range []string{
		"Score: " + shown(r.Score.Percent) + "\n",
		fmt.Sprintf("longest run: %d words\n", longest),
		fmt.Sprintf("7-grams: %s, ", shown(r.Match.Percent)),
		fmt.Sprintf("\nSources: %d\n", len(r.Sources)),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("text does not state %q", want)
		}
	}
}

func csvRows(t *testing.T, file string) map[string]map[string]string {
	t.Helper()
	lines, err := csv.NewReader(strings.NewReader(content(t, file))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]map[string]string{}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows[row["path"]] = row
	}
	return rows
}

func (r *recount) inCSV(t *testing.T, row map[string]string, longest int) {
	want := map[string]int{"words": r.Suspect.Words, "covered": r.Score.Covered, "sources": len(r.Sources), "passages": len(r.Passages), "run": r.Match.Run, "longest_run": longest}
	for name, n := range want {
		if row[name] != strconv.Itoa(n) {
			t.Errorf("CSV states %s %s, want %d", name, row[name], n)
		}
	}
	if percent, err := strconv.ParseFloat(row["percent"], 64); err != nil || math.Abs(percent-r.Score.Percent) > 1e-6 {
		t.Errorf("CSV states a score of %s, want %v", row["percent"], r.Score.Percent)
	}
	for _, x := range r.Sources {
		if x.Name == row["top_path"] {
			if !strings.HasPrefix(row["top_percent"], strconv.FormatFloat(x.Percent, 'f', 4, 64)[:3]) {
				t.Errorf("CSV states %s %% of %s, want %v", row["top_percent"], x.Name, x.Percent)
			}
			return
		}
	}
	t.Errorf("CSV states the largest source %q", row["top_path"])
}
