package pages

import (
	"encoding/csv"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/serve/desk"
)

// rowsPerPage is the number of checks on a page.
const rowsPerPage = 50

// A checksPage is the data of the table of checks.
type checksPage struct {
	desk.Filter
	paging
	Labels  []string
	States  []string
	Checks  []desk.Check
	CSV     string // address
	Bars    []bar  // histogram of the scores, none for fewer than two checks
	address *url.URL
}

// SortBy returns the address of the table in another order: by a column, or in the reverse order if
// it is sorted by that column.
func (p *checksPage) SortBy(column string) string {
	order := "-" + column
	if p.Filter.Sort == order || p.Filter.Sort == "" && column == "created" {
		order = column
	}
	return withValue(p.address, "sort", order)
}

// Order returns the order of a column for screen readers, "" if another one is sorted.
func (p *checksPage) Order(column string) string {
	switch {
	case p.Filter.Sort == column:
		return "ascending"
	case p.Filter.Sort == "-"+column || p.Filter.Sort == "" && column == "created":
		return "descending"
	}
	return ""
}

// filter returns the filter of a request.
func filter(v *visit) desk.Filter {
	return desk.Filter{Query: v.FormValue("q"), Label: v.FormValue("label"), State: v.FormValue("state"), Verdict: v.FormValue("verdict"), Case: v.FormValue("case"), Sort: v.FormValue("sort")}
}

func showChecks(v *visit) (err error) {
	p := &checksPage{Filter: filter(v), States: []string{"waiting", "queued", "running", "done", "failed", "cancelled"}, address: v.URL}
	number := v.pageNumber()
	p.Limit, p.Offset = rowsPerPage, (number-1)*rowsPerPage
	var total int
	if p.Checks, total, err = v.s.Desk.Checks(v.Context(), v.actor, p.Filter); err != nil {
		return err
	}
	if p.Labels, err = v.s.Desk.Labels(v.Context(), v.actor); err != nil {
		return err
	}
	p.paging = pagingOf(number, rowsPerPage, total, func(page string) string { return withValue(v.URL, "page", page) })
	if p.Bars, err = v.histogram(p.Filter); err != nil {
		return err
	}
	p.CSV = "/checks.csv" + strings.TrimPrefix(withValue(v.URL, "sort", p.Filter.Sort), "/checks")
	return v.show("checks", v.lang.Text("web.checks"), p)
}

// A bar of the histogram is a range of scores. Places are in units of the picture.
type bar struct {
	From, To        string // percent
	Count           int
	X, Middle       int
	Y, Height, Over float64
}

// histogram returns the numbers of finished checks by score, nil for fewer than two.
func (v *visit) histogram(f desk.Filter) (bars []bar, err error) {
	counts, err := v.s.Desk.Histogram(v.Context(), v.actor, f)
	if err != nil {
		return nil, err
	}
	total := 0
	for _, n := range counts {
		total += n
	}
	if total < 2 {
		return nil, nil
	}
	for i, n := range counts {
		step := 100 / len(counts)
		b := bar{From: v.lang.Number(int64(i * step)), To: v.lang.Limit(float64((i + 1) * step)), Count: n, X: 30 * i, Middle: 30*i + 13}
		b.Height = 50 * float64(n) / float64(slices.Max(counts[:]))
		b.Y, b.Over = 64-b.Height, 61-b.Height
		bars = append(bars, b)
	}
	return bars, nil
}

// checksCSV writes all checks that a filter chooses as a table, with fixed names of columns.
func checksCSV(v *visit) error {
	f := filter(v)
	f.Limit = 500
	list, total, err := v.s.Desk.Checks(v.Context(), v.actor, f)
	if err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	v.w.Header().Set("Content-Disposition", `attachment; filename="checks.csv"`)
	w := csv.NewWriter(v.w)
	_ = w.Write([]string{"id", "text", "label", "collection", "state", "score_percent", "found_percent", "words", "sources", "flags", "by", "created", "verdict", "verdict_by", "verdict_at", "comment",
		"verbatim", "verbatim_percent", "edited", "edited_percent", "reworded", "reworded_percent", "reworded_only", "counted_run", "quoted_and_cited", "quoted", "cited", "neither"})
	for {
		for _, c := range list {
			s := c.Counted()
			row := []string{c.ID, cell(c.Path), cell(c.Label), cell(c.CollectionName), c.State, decimal(c.Score), decimal(c.Found), strconv.Itoa(c.Words), strconv.Itoa(c.Sources),
				strconv.Itoa(c.Flags), cell(c.By), stamp(c.Created), c.Verdict, cell(c.VerdictBy), stamp(c.VerdictAt), cell(c.Comment),
				strconv.Itoa(c.Grades.Verbatim), decimal(s.Percents[search.Verbatim]), strconv.Itoa(c.Grades.Edited), decimal(s.Percents[search.Edited]),
				strconv.Itoa(c.Grades.Reworded), decimal(s.Percents[search.Reworded]), strconv.FormatBool(s.Reworded), strconv.Itoa(s.Run)}
			for _, n := range c.Groups.Words() {
				words := strconv.Itoa(n)
				if s.Covered > 0 && c.Groups == (desk.Groups{}) { // not counted
					words = ""
				}
				row = append(row, words)
			}
			_ = w.Write(row)
		}
		f.Offset += len(list)
		if len(list) == 0 || f.Offset >= total {
			break
		}
		if list, _, err = v.s.Desk.Checks(v.Context(), v.actor, f); err != nil {
			v.s.Log.Error("table of checks", "cause", err)
			panic(http.ErrAbortHandler) // the answer has begun: a cut one must not look whole
		}
	}
	w.Flush()
	return nil
}

// cell returns a text that no spreadsheet takes for a formula.
func cell(text string) string {
	if report.IsFormula(text) {
		return "'" + text
	}
	return text
}

func decimal(percent float64) string { return strconv.FormatFloat(percent, 'f', 2, 64) }

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
