package report

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/otisk/otisk/internal/testing/golden"
	"github.com/otisk/otisk/lang"
)

// manySuspects returns the overview of n texts, most of them with low scores.
func manySuspects(n int) *Overview {
	o := &Overview{Version: "1.0.0", Index: sample().Index, Settings: sample().Settings, Unread: sample().Unread}
	for i := range n {
		s := Summarize(sample(), fmt.Sprintf("práce %03d.html", i))
		s.Name = fmt.Sprintf("odevzdané/práce %03d.txt", i)
		s.Percent = 100 * math.Pow(float64((i*37)%101)/101, 4)
		s.Words = 8000 + 137*i
		o.Suspects = append(o.Suspects, s)
	}
	if n >= 6 {
		o.Pairs = []Pair{pair(0, 3, 120, 1.5, 2.5), pair(1, 2, 812, 10.2, 9.9), pair(2, 5, 95, 1.1, 6.3)}
	}
	return o
}

// pair returns two texts that share words which few others have.
func pair(a, b, words int, percentA, percentB float64) Pair {
	c := Common{words, percentA, percentB}
	return Pair{A: a, B: b, Common: c, Rest: c}
}

func overviewOf(t *testing.T, o *Overview) string {
	t.Helper()
	var b strings.Builder
	if err := WriteOverview(&b, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestOverviewGolden(t *testing.T) {
	golden.Compare(t, "overview.html", bare(overviewOf(t, manySuspects(6))))
	golden.Compare(t, "overview-empty.html", bare(overviewOf(t, &Overview{Among: true})))
	for _, tag := range []string{"cs", "de", "sk"} {
		o := manySuspects(2)
		o.Lang, o.Checked, o.Pairs, o.Unchecked = lang.Of(tag), sample().Checked, []Pair{pair(0, 1, 1234, 10.2, 9.9)}, 3
		golden.Compare(t, "overview-"+tag+".html", bare(overviewOf(t, o)))
	}
}

func TestOverviewOfHostileNames(t *testing.T) {
	r := hostile()
	o := &Overview{Suspects: []Summary{Summarize(r, "javascript:alert(1).html"), Summarize(r, hostileName)}, Unread: r.Unread,
		Pairs: []Pair{pair(0, 1, 10, 50, 50)}, Index: r.Index}
	checkHTML(t, overviewOf(t, o))
	if s := overviewOf(t, o); !strings.Contains(s, `href="./javascript%3Aalert%281%29.html#from-all"`) {
		t.Error("a link to a file named like a script is not escaped")
	}
}

func TestSummarizeReviewed(t *testing.T) {
	r := reviewed()
	if got := Summarize(r, ""); got.Percent != r.Review.Score.Percent || got.Top != "K. Světlá: Vesnice (1867)" {
		t.Errorf("Summarize = %+v, want the score after the review, %v", got, r.Review.Score.Percent)
	}
}

// TestOverviewSaysAtLeast where something was not looked at, and nowhere else.
func TestOverviewSaysAtLeast(t *testing.T) {
	whole, part := sample(), sample()
	whole.Unsearched, whole.Suspect.Path, part.Suspect.Path = nil, "whole.txt", "part.txt"
	page := overviewOf(t, &Overview{Suspects: []Summary{Summarize(whole, ""), Summarize(part, "")}, Index: whole.Index})
	_, after, _ := strings.Cut(page, "part.txt</bdi>")
	if strings.Count(page, "≥") != 1 || strings.Index(after, "≥") > strings.Index(after, "</tr>") {
		t.Errorf("≥ is not before the score of part.txt alone:\n%s", page)
	}
}

// TestRelative has a backslash, too, which is part of a name but on Windows.
func TestRelative(t *testing.T) {
	tests := []struct{ file, want string }{
		{"", ""}, {"a.html", "./a.html"}, {"dir/ž b?.html", "./dir/%C5%BE%20b%3F.html"}, {filepath.Join("dir", "a#b.html"), "./dir/a%23b.html"}, {"c:d.html", "./c%3Ad.html"},
	}
	if filepath.Separator == '/' {
		tests = append(tests, struct{ file, want string }{`a\b.html`, "./a%5Cb.html"})
	}
	for _, tt := range tests {
		if got := string(relative(tt.file)); got != tt.want {
			t.Errorf("relative(%q) = %q, want %q", tt.file, got, tt.want)
		}
	}
}

// TestSummarizeReview: the source that covers most is one that was not left out.
func TestSummarizeReview(t *testing.T) {
	r := sample()
	if s := Summarize(r, ""); s.Top != called(&r.Sources[0]) || s.TopShare != r.Sources[0].Percent {
		t.Errorf("as found: top source %q with %v, want the first", s.Top, s.TopShare)
	}
	r.Review = &Review{Sources: []Decision{{Index: 0, Reason: "own"}}}
	Apply(r)
	if s := Summarize(r, ""); s.Top != called(&r.Sources[1]) || s.TopShare != r.Review.Remains[1].Percent || s.TopShare > s.Percent {
		t.Errorf("without the first source: top source %q with %v of %v, want the second", s.Top, s.TopShare, s.Percent)
	}
}
