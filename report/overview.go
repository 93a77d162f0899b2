package report

import (
	"bufio"
	"bytes"
	"cmp"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/search"
)

// An Overview is a page about many suspects.
type Overview struct {
	Lang     *lang.Printer // of the page, nil for English
	Version  string
	Checked  time.Time
	Index    search.Index
	Settings search.Settings
	Suspects []Summary
	Among    bool            // the suspects were checked against each other
	Pairs    []Pair          // texts that share text
	Unread   []search.Unread // files of the run
	// Unchecked is the number of texts without a report, because the run ended
	// early.
	Unchecked int
}

// A Summary is one suspect of an overview.
type Summary struct {
	Name     string // as it was named
	Title    string
	Link     string // relative address of its report
	Words    int
	Percent  float64      // the score, after a review if there was one
	Score    search.Score // the same in full
	Found    float64      // the score before it
	Reviewed bool
	Verdict  string // on the whole text, "" for none
	By       string // who reviewed it, and when
	At       time.Time
	Grams    float64 // matched n-grams, 0 to 100
	NoGrams  bool    // these are the text's own, as it is in the index
	Run      int     // longest run of equal words
	Sources  int
	Passages int
	Hints    int
	Top      string  // name for readers of the source that covers most
	TopPath  string  // its name, by which it is known from others of that title
	TopShare float64 // its share of the text's words, 0 to 100
	AtLeast  bool    // something was not searched: the score may be too low
}

// Summarize returns the summary of r, whose report is at link.
func Summarize(r *Report, link string) Summary {
	s := Summary{Name: r.Suspect.Path, Title: byline(r.Suspect.Title, r.Suspect.Author), Link: link, Words: r.Suspect.Words,
		Percent: r.Final().Percent, Score: r.Final(), Found: r.Score.Percent, Grams: r.Match.Percent, AtLeast: len(r.Unsearched) > 0}
	found := others(r)
	s.Sources, s.Passages, s.NoGrams = found.sources, found.passages, found.itself > 0
	_, s.Run = longestRuns(r)
	_, shown := hintsOf(r)
	s.Hints = len(shown)
	if r.Review != nil {
		s.Reviewed, s.By, s.At = byPerson(r.Review), r.Review.By, r.Review.At
		for _, v := range r.Review.Verdicts {
			if v.Of == OfReport {
				s.Verdict, s.By = v.Verdict, cmp.Or(v.By, s.By)
			}
		}
	}
	for i, src := range r.Sources {
		if src.Own == search.OwnFile {
			continue
		}
		share := src.Percent
		if r.Review != nil && i < len(r.Review.Remains) {
			share = r.Review.Remains[i].Percent // a source that was left out covers nothing
		}
		if share > s.TopShare {
			s.Top, s.TopPath, s.TopShare = called(&src), src.Name, share
		}
	}
	return s
}

// mostPairs is the number of pairs that a page lists. In a class whose texts all have a declaration, every
// two share text.
const mostPairs = 1000

// bins is the number of bars of the histogram, each ten percent wide.
const bins = 10

// A htmlOverview is the data of the template of the overview.
type htmlOverview struct {
	page
	Lang       *lang.Printer
	Version    string
	Collection template.HTML // searched index
	Checked    string        // date, "" where it is not known
	N          int
	Limits     string
	Texts      int // with those that have no report
	Unchecked  int
	Rows       []overviewRow
	Histogram  []overviewBin
	NoPairs    bool // the texts were compared with each other, and share nothing
	Pairs      []overviewPair
	PairsLeft  string // that only those that share most are listed, "" for all
	Unread     []search.Unread
	Hinted     bool // a text has hints
	NoGrams    bool // no document is indexed under the size searched
}

type overviewRow struct {
	Summary
	Index      int // in the order of the texts
	Link       template.URL
	ShownWords string
	Shares     string // of the grades, or that the score consists of reworded words only
	Gauge      []gaugePart
	Severity   int // of the verdict, by which the table is sorted: 0 for none
}

// A gaugePart is the share of one grade, from 0 to 100, and the sum of those before it.
type gaugePart struct {
	Grade       int
	From, Width float64
}

type overviewBin struct {
	From, To      string
	Count         int
	X, Y, Height  string // of its bar
	Middle, Above string // position of its count
}

type overviewPair struct {
	Pair
	A, B       overviewRow
	ShownWords string
}

// IsOverview reports whether a page was written by [WriteOverview].
func IsOverview(page []byte) bool {
	return bytes.Contains(page, []byte(" – Otisk</title>")) && bytes.Contains(page, []byte(`class="cards overview"`))
}

// WriteOverview writes a page about many suspects: a table to sort and to
// search, a histogram of scores, and the pairs that share text, with links to
// the reports. It opens offline, as a report does.
func WriteOverview(w io.Writer, o *Overview) error {
	say := (&Options{Lang: o.Lang}).printer()
	words, err := say.Script("common.texts", "overview.group", "overview.pairs-shown")
	if err != nil {
		return err
	}
	h := &htmlOverview{
		Lang: say, Version: o.Version, N: o.Settings.N, Limits: limitsOf(say, o.Settings),
		Collection: say.HTML("overview.compared", "index", tagged("<bdi>", collectionOf(say, o.Index), "</bdi>"), "holds", holdings(say, o.Index, o.Settings.N)),
		Texts:      len(o.Suspects) + o.Unchecked, Unchecked: o.Unchecked, Histogram: histogram(say, o.Suspects),
		NoPairs: o.Among && len(o.Pairs) == 0, NoGrams: noneIndexed(o.Index),
	}
	if h.page, err = newPage(words, "overview.js", "pairs.js"); err != nil {
		return err
	}
	if !o.Checked.IsZero() {
		h.Checked = say.Text("common.checked-on", "date", say.Date(o.Checked))
	}
	h.fill(o)
	b := bufio.NewWriterSize(w, 64<<10)
	if err := execute(b, "overview.html", h); err != nil {
		return err
	}
	return b.Flush()
}

// fill adds the suspects, their pairs and groups, the highest score first.
func (h *htmlOverview) fill(o *Overview) {
	for i, s := range o.Suspects {
		h.Hinted = h.Hinted || s.Hints > 0
		s.Name, s.Title, s.Top, s.TopPath, s.By = safe(s.Name), safe(s.Title), safe(s.Top), safe(s.TopPath), safe(s.By)
		h.Rows = append(h.Rows, overviewRow{Summary: s, Index: i, Link: fromAll(s.Link), ShownWords: h.Lang.Number(int64(s.Words)),
			Shares: cmp.Or(RewordedOnly(h.Lang, s.Score), strings.Join(Shares(h.Lang, s.Score), ", ")), Gauge: gaugeOf(s.Score), Severity: 1 + slices.Index(Verdicts, s.Verdict)})
	}
	for _, f := range o.Unread {
		h.Unread = append(h.Unread, search.Unread{Path: safe(f.Path), Reason: safe(h.Lang.Stored(f.Reason, f.Message))})
	}
	pairs := slices.Clone(o.Pairs)
	slices.SortStableFunc(pairs, func(a, b Pair) int {
		return cmp.Or(cmp.Compare(b.Rest.Share(), a.Rest.Share()), cmp.Compare(b.Share(), a.Share()))
	})
	if len(pairs) > mostPairs {
		h.PairsLeft = h.Lang.Text("overview.pairs-most", "n", mostPairs, "all", len(pairs))
		pairs = pairs[:mostPairs]
	}
	for _, pair := range pairs {
		h.Pairs = append(h.Pairs, overviewPair{pair, h.Rows[pair.A], h.Rows[pair.B], h.Lang.Number(int64(pair.Words))})
	}
	slices.SortStableFunc(h.Rows, func(a, b overviewRow) int {
		return cmp.Or(cmp.Compare(b.Percent, a.Percent), cmp.Compare(a.Name, b.Name))
	})
}

// gaugeOf returns the parts of a score.
func gaugeOf(s search.Score) (list []gaugePart) {
	from := 0.0
	for i, g := range grades {
		list = append(list, gaugePart{i, from, s.Percents[g]})
		from += s.Percents[g]
	}
	return list
}

// VerdictName returns what readers call the verdict on a text.
func (h *htmlOverview) VerdictName(verdict string) string {
	return named(h.Lang, verdictMessages, verdict)
}

// fromAll returns the address of a report that shows by it that the page of all
// reports is beside it.
func fromAll(file string) template.URL {
	if file == "" {
		return ""
	}
	return relative(file) + "#from-all"
}

// histogram counts suspects by score.
func histogram(say *lang.Printer, list []Summary) []overviewBin {
	h := make([]overviewBin, bins)
	most := 1
	for _, s := range list {
		i := min(max(int(s.Percent/100*bins), 0), bins-1)
		h[i].Count++
		most = max(most, h[i].Count)
	}
	for i := range h {
		height := 60 * float64(h[i].Count) / float64(most)
		if h[i].Count > 0 {
			height = max(height, 1)
		}
		h[i].From, h[i].To = say.Number(int64(i*100/bins)), say.Limit(float64((i+1)*100/bins))
		at := func(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }
		x, y := float64(30*i), 80-height
		h[i].X, h[i].Y, h[i].Height, h[i].Middle, h[i].Above = at(x), at(y), at(height), at(x+13), at(y-3)
	}
	return h
}
