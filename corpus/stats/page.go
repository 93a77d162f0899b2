package stats

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"number": number, "bytes": megabytes, "percent": percent, "bar": bar,
}).Parse(pageText))

// WritePage writes the report as a self-contained HTML page.
func WritePage(w io.Writer, title string, r Report) error {
	return page.Execute(w, struct {
		Title string
		Report
	}{title, r})
}

func number(n any) string {
	digits, out := fmt.Sprint(n), ""
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			out += "\u202f"
		}
		out += string(d)
	}
	return out
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// bar returns how long the bar of a number is beside that of all, in percent: by
// their logarithms, so that rare and frequent ones are seen.
func bar(n, all int64) string {
	return fmt.Sprintf("%.1f", 100*math.Log1p(float64(n))/math.Log1p(float64(max(all, 1))))
}
