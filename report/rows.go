package report

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/search"
)

// Statuses of a [Row].
const (
	RowChecked   = "checked"
	RowUnread    = "unread"    // the file could not be read
	RowUnchecked = "unchecked" // the run ended before its turn
)

// A Row is one text of a run, for programs and spreadsheets. A text without a
// report has no figures.
type Row struct {
	Path   string `json:"path"`
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"` // why the file could not be read
	Report string `json:"report,omitempty"` // file of its report
	Title  string `json:"title,omitempty"`
	Author string `json:"author,omitempty"`
	*RowCount
}

// RowCount has the figures of a [Row].
type RowCount struct {
	Percent    float64 `json:"percent"` // the score, after a review if there was one
	Found      float64 `json:"found"`   // the score before it, see [Summary.Found]
	Words      int     `json:"words"`
	Covered    int     `json:"covered"` // words that the score counts
	Sources    int     `json:"sources"`
	Passages   int     `json:"passages"`
	Run        int     `json:"run"`         // longest within a paragraph, as -m counts it
	LongestRun int     `json:"longest_run"` // of equal words, over the ends of paragraphs
	Top        string  `json:"top,omitempty"`
	TopPath    string  `json:"top_path,omitempty"`
	TopPercent float64 `json:"top_percent"` // share of that source, 0 to 100
	// Unsearched are the kinds of omissions: with any, the score may be too low.
	Unsearched []string `json:"unsearched,omitempty"`
	Hints      int      `json:"hints"` // never part of the score, unless a reader accepted them
	RowGrades
}

// RowGrades has the words that the score of a [Row] counts by their grade, and their shares of
// the text, 0 to 100.
type RowGrades struct {
	Verbatim        int     `json:"verbatim"`
	VerbatimPercent float64 `json:"verbatim_percent"`
	Edited          int     `json:"edited"` // lightly
	EditedPercent   float64 `json:"edited_percent"`
	Reworded        int     `json:"reworded"`
	RewordedPercent float64 `json:"reworded_percent"`
	RewordedOnly    bool    `json:"reworded_only"` // the score consists of reworded words only
	CountedRun      int     `json:"counted_run"`   // longest of equal words in the passages that count
	RowGroups
}

// RowGroups has the words that the score of a [Row] counts by the groups of their passages.
type RowGroups struct {
	QuotedCited int `json:"quoted_and_cited"`
	Quoted      int `json:"quoted"`
	Cited       int `json:"cited"`
	Neither     int `json:"neither"` // quoted nor cited
}

// RowOf returns the row of a result whose report is in file.
func RowOf(r *Report, file string) Row {
	s := Summarize(r, "")
	score := r.Final()
	words := map[string]int{}
	for _, g := range GroupsOf(r) {
		words[g.Group] = g.Words
	}
	left := lists.Map(r.Unsearched, func(u search.Unsearched) string { return u.Kind })
	return Row{
		Path: r.Suspect.Path, Status: RowChecked, Report: file, Title: r.Suspect.Title, Author: r.Suspect.Author,
		RowCount: &RowCount{
			Percent: score.Percent, Found: r.Score.Percent, Words: r.Suspect.Words, Covered: score.Covered,
			Sources: s.Sources, Passages: s.Passages, Run: paragraphRun(r), LongestRun: s.Run, Top: s.Top, TopPath: s.TopPath, TopPercent: s.TopShare, Unsearched: left, Hints: s.Hints,
			RowGrades: RowGrades{
				score.Grades[search.Verbatim], score.Percents[search.Verbatim], score.Grades[search.Edited], score.Percents[search.Edited],
				score.Grades[search.Reworded], score.Percents[search.Reworded], score.Reworded, score.Run,
				RowGroups{words[search.QuotedCited], words[search.Quoted], words[search.Cited], words[search.Neither]},
			},
		},
	}
}

// RowFormats returns the formats of rows, which are the endings of their files.
func RowFormats() []string { return []string{"csv", "jsonl"} }

// WriteRows writes rows as CSV with a header, or as JSON, one row per line.
func WriteRows(w io.Writer, format string, rows []Row) error {
	switch format {
	case "csv":
		return csvRows(w, rows)
	case "jsonl":
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		return lists.Each(rows, func(row Row) error { return e.Encode(row) })
	}
	return phrase.Error("read.unknown-format", "unknown format {name}: want {known}", "name", strconv.Quote(format), "known", strings.Join(RowFormats(), ", "))
}

func csvRows(w io.Writer, rows []Row) error {
	c := csv.NewWriter(w)
	list := [][]string{{"path", "status", "reason", "report", "title", "author",
		"percent", "found", "words", "covered", "sources", "passages", "run", "longest_run", "top", "top_path", "top_percent", "unsearched", "hints",
		"verbatim", "verbatim_percent", "edited", "edited_percent", "reworded", "reworded_percent", "reworded_only", "counted_run", "quoted_and_cited", "quoted", "cited", "neither"}}
	for _, r := range rows {
		line := []string{cell(r.Path), r.Status, cell(r.Reason), cell(r.Report), cell(r.Title), cell(r.Author)}
		if n := r.RowCount; n != nil {
			line = append(line, formatFloat(n.Percent), formatFloat(n.Found), strconv.Itoa(n.Words), strconv.Itoa(n.Covered),
				strconv.Itoa(n.Sources), strconv.Itoa(n.Passages), strconv.Itoa(n.Run), strconv.Itoa(n.LongestRun), cell(n.Top), cell(n.TopPath), formatFloat(n.TopPercent), strings.Join(n.Unsearched, ", "), strconv.Itoa(n.Hints),
				strconv.Itoa(n.Verbatim), formatFloat(n.VerbatimPercent), strconv.Itoa(n.Edited), formatFloat(n.EditedPercent), strconv.Itoa(n.Reworded), formatFloat(n.RewordedPercent),
				strconv.FormatBool(n.RewordedOnly), strconv.Itoa(n.CountedRun),
				strconv.Itoa(n.QuotedCited), strconv.Itoa(n.Quoted), strconv.Itoa(n.Cited), strconv.Itoa(n.Neither))
		} else {
			line = append(line, make([]string, len(list[0])-len(line))...)
		}
		list = append(list, line)
	}
	return c.WriteAll(list)
}

// cell returns a foreign text for a table, without control characters. An apostrophe is
// put before text that a spreadsheet would evaluate as a formula.
func cell(s string) string {
	s = safe(s)
	if IsFormula(s) {
		return "'" + s
	}
	return s
}

// IsFormula reports whether a spreadsheet would evaluate a cell with a text as a formula, also after
// blanks and invisible characters, or with a sign of full width.
func IsFormula(text string) bool {
	text = strings.TrimLeftFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.In(r, unicode.Cc, unicode.Cf) })
	sign, _ := utf8.DecodeRuneInString(text)
	return strings.ContainsRune("=+-@＝＋－＠", sign)
}
