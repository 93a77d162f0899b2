package report

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

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
		o.Pairs = []Pair{{0, 3, 120, 1.5, 2.5}, {1, 2, 812, 10.2, 9.9}, {2, 5, 95, 1.1, 6.3}}
	}
	return o
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
	golden(t, "overview.html", bare(overviewOf(t, manySuspects(6))))
	golden(t, "overview-empty.html", bare(overviewOf(t, &Overview{Among: true})))
	for _, tag := range []string{"cs", "de", "sk"} {
		o := manySuspects(2)
		o.Lang, o.Checked, o.Pairs, o.Unchecked = lang.Of(tag), sample().Checked, []Pair{{0, 1, 1234, 10.2, 9.9}}, 3
		golden(t, "overview-"+tag+".html", bare(overviewOf(t, o)))
	}
}

func TestClusters(t *testing.T) {
	got := manySuspects(6).clusters()
	if want := [][]int{{1, 2, 5}}; !reflect.DeepEqual(got, want) {
		t.Errorf("clusters = %v, want %v: a pair under %v %% joins nothing", got, want, clusterShare)
	}
}

func TestOverviewOfHostileNames(t *testing.T) {
	r := hostile()
	o := &Overview{Suspects: []Summary{Summarize(r, "javascript:alert(1).html"), Summarize(r, hostileName)}, Unread: r.Unread,
		Pairs: []Pair{{0, 1, 10, 50, 50}}, Index: r.Index}
	checkHTML(t, overviewOf(t, o))
	if s := overviewOf(t, o); !strings.Contains(s, `href="./javascript%3Aalert%281%29.html"`) {
		t.Error("a link to a file named like a script is not escaped")
	}
}

func TestSummarizeReviewed(t *testing.T) {
	r := reviewed()
	if got := Summarize(r, ""); got.Percent != r.Review.Score.Percent || got.Top != "K. Světlá: Vesnice (1867)" {
		t.Errorf("Summarize = %+v, want the score after the review, %v", got, r.Review.Score.Percent)
	}
}

func TestRelative(t *testing.T) {
	tests := []struct{ file, want string }{
		{"", ""}, {"a.html", "./a.html"}, {"dir/ž b?.html", "./dir/%C5%BE%20b%3F.html"}, {`dir\a#b.html`, "./dir/a%23b.html"}, {"c:d.html", "./c%3Ad.html"},
	}
	for _, tt := range tests {
		if got := string(relative(tt.file)); got != tt.want {
			t.Errorf("relative(%q) = %q, want %q", tt.file, got, tt.want)
		}
	}
}
