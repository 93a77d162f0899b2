package pages

import (
	"cmp"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/otisk/otisk/internal/disjoint"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/storage"
)

// Limits of the page of pairs, which keep it below 100 kB.
const (
	pairRows       = 40  // pairs
	mostNamed      = 60  // texts of groups
	mostInOne      = 20  // of them in one group
	mostLines      = 40  // of the picture of a group
	mostSourceName = 120 // characters
)

// leastShare is the share in percent from which pairs are listed unless the request names another one.
const leastShare = 2

// A pairsPage is the data of the page of the texts of a course that share text.
type pairsPage struct {
	paging
	Class   *desk.Class
	Bars    []bar // histogram of the scores
	Query   string
	Least   float64 // percent
	All     bool    // with what most of the texts have
	Sort    string
	Groups  []cluster
	More    int // groups that are not shown
	Pairs   []pairRow
	address *url.URL
}

// A pairRow is two texts that share text.
type pairRow struct {
	First, Second *desk.Check
	report.Common     // what the page counts
	a, b          int // indices of the texts
	Sources       []pairSource
}

// A pairSource is a document of the collections that a text of a pair shares text with, or both do.
type pairSource struct {
	Name          string
	First, Second int // words of each text that are in it, 0 for none
}

// pairOrders are the orders of pairs by the names of their columns.
var pairOrders = map[string]func(a, b pairRow) int{
	"share":  func(a, b pairRow) int { return cmp.Compare(b.Share(), a.Share()) },
	"name":   func(a, b pairRow) int { return cmp.Compare(storage.Fold(a.First.Path), storage.Fold(b.First.Path)) },
	"other":  func(a, b pairRow) int { return cmp.Compare(storage.Fold(a.Second.Path), storage.Fold(b.Second.Path)) },
	"words":  func(a, b pairRow) int { return cmp.Compare(b.Words, a.Words) },
	"first":  func(a, b pairRow) int { return cmp.Compare(b.PercentA, a.PercentA) },
	"second": func(a, b pairRow) int { return cmp.Compare(b.PercentB, a.PercentB) },
}

// SortBy returns the address of the page in another order.
func (p *pairsPage) SortBy(column string) string { return withValue(p.address, "sort", column) }

// Texts returns the number of texts of the class.
func (p *pairsPage) Texts() int { return len(p.Class.Texts) + p.Class.Unchecked }

// A pairColumn is a column by which pairs are sorted.
type pairColumn struct {
	ID, Name string
	Number   bool
}

// PairColumns returns the columns by which pairs are sorted.
func (v *view) PairColumns() (list []pairColumn) {
	for _, c := range []pairColumn{{"name", "overview.text", false}, {"other", "overview.second", false}, {"words", "overview.both", true}, {"first", "overview.of-first", true}, {"second", "overview.of-second", true}} {
		list = append(list, pairColumn{c.ID, v.lang.Text(c.Name), c.Number})
	}
	return list
}

// Next returns the number of an entry of a list by its index.
func (v *view) Next(index int) int { return index + 1 }

// Order returns the order of a column for screen readers, "" if another one is sorted.
func (p *pairsPage) Order(column string) string {
	switch {
	case p.Sort != column:
		return ""
	case column == "name" || column == "other":
		return "ascending"
	}
	return "descending"
}

// showPairs writes the pairs and groups of the texts of a course that share text.
func showPairs(v *visit) error {
	class, err := v.s.Desk.Class(v.Context(), v.actor, v.PathValue("id"))
	if err != nil {
		return err
	}
	p := &pairsPage{Class: class, Query: v.FormValue("q"), Least: leastShare, All: v.FormValue("all") != "", Sort: v.FormValue("sort"), address: v.URL}
	if least, err := strconv.ParseFloat(strings.Replace(v.FormValue("least"), ",", ".", 1), 64); err == nil && least >= 0 {
		p.Least = min(least, 100)
	}
	if pairOrders[p.Sort] == nil {
		p.Sort = "share"
	}
	if p.Bars, err = v.histogram(desk.Filter{Submission: class.Course.ID}); err != nil {
		return err
	}
	rows := p.rows()
	p.Groups, p.More = clustersOf(class.Texts, rows)
	slices.SortStableFunc(rows, pairOrders[p.Sort])
	p.Pairs, p.paging = pageOf(v, rows, pairRows)
	for i := range p.Pairs {
		p.Pairs[i].Sources = sourcesOf(&class.Sharing[p.Pairs[i].a], &class.Sharing[p.Pairs[i].b])
	}
	return v.show("pairs", v.lang.Text("course.pairs"), p)
}

// rows returns the pairs that the request asks for, those that share most words first.
func (p *pairsPage) rows() (rows []pairRow) {
	wanted := strings.Fields(storage.Fold(p.Query))
	names := lists.Map(p.Class.Texts, func(x desk.Check) string { return storage.Fold(x.Path) })
	for _, pair := range p.Class.Pairs {
		row := pairRow{First: &p.Class.Texts[pair.A], Second: &p.Class.Texts[pair.B], Common: pair.Rest, a: pair.A, b: pair.B}
		if p.All {
			row.Common = pair.Common
		}
		missing := func(word string) bool {
			return !strings.Contains(names[pair.A], word) && !strings.Contains(names[pair.B], word)
		}
		if row.Words > 0 && row.Share() >= p.Least && !slices.ContainsFunc(wanted, missing) {
			rows = append(rows, row)
		}
	}
	return rows
}

// sourcesOf returns the document that both texts of a pair share most with, or else that of each.
func sourcesOf(a, b *report.Sharing) (list []pairSource) {
	if first, second := a.Both(b); first != nil {
		return []pairSource{{beginning(first.Name, mostSourceName), first.Words, second.Words}}
	}
	if len(a.Outside) > 0 {
		list = append(list, pairSource{Name: beginning(a.Outside[0].Name, mostSourceName), First: a.Outside[0].Words})
	}
	if len(b.Outside) > 0 {
		list = append(list, pairSource{Name: beginning(b.Outside[0].Name, mostSourceName), Second: b.Outside[0].Words})
	}
	return list
}

// A cluster is texts that pairs connect, with a picture of them.
type cluster struct {
	Texts []*desk.Check // that are named, in the order of the class
	Count int           // of all
	Side  float64       // of the picture, 0 for none
	Dots  [][2]float64  // of the named texts
	Lines []pairLine    // of their pairs, wider with their share
}

type pairLine struct {
	From, To [2]float64
	Width    float64
}

// Left returns the number of texts that are not named.
func (c cluster) Left() int { return c.Count - len(c.Texts) }

// clustersOf returns the groups of texts that pairs connect, the largest first, and the number of further ones.
func clustersOf(texts []desk.Check, rows []pairRow) (list []cluster, more int) {
	sets := disjoint.New(len(texts))
	for _, r := range rows {
		sets.Join(r.a, r.b)
	}
	members := map[int][]int{}
	for i := range texts {
		root := sets.Root(i)
		members[root] = append(members[root], i)
	}
	groups := slices.Collect(maps.Values(members))
	groups = slices.DeleteFunc(groups, func(g []int) bool { return len(g) == 1 })
	slices.SortFunc(groups, func(a, b []int) int { return cmp.Or(len(b)-len(a), a[0]-b[0]) })
	left := mostNamed
	for i, g := range groups {
		named := min(len(g), mostInOne, left)
		if named < 2 {
			return list, len(groups) - i
		}
		left -= named
		c := cluster{Count: len(g)}
		c.Texts = append(c.Texts, lists.Map(g[:named], func(text int) *desk.Check { return &texts[text] })...)
		c.draw(g[:named], rows)
		list = append(list, c)
	}
	return list, 0
}

// draw draws a group of three or more texts: a circle of them, and the pairs that share most, which are first.
func (c *cluster) draw(named []int, rows []pairRow) {
	if len(named) < 3 {
		return
	}
	radius := max(48, float64(len(named))*34/(2*math.Pi))
	c.Side = 2 * (radius + 22)
	at := map[int][2]float64{}
	for i, text := range named {
		angle := 2*math.Pi*float64(i)/float64(len(named)) - math.Pi/2
		at[text] = [2]float64{math.Round(c.Side/2 + radius*math.Cos(angle)), math.Round(c.Side/2 + radius*math.Sin(angle))}
		c.Dots = append(c.Dots, at[text])
	}
	for _, r := range rows {
		from, in := at[r.a]
		to, also := at[r.b]
		if in && also && len(c.Lines) < mostLines {
			c.Lines = append(c.Lines, pairLine{from, to, math.Round(6+54*r.Share()/100) / 10})
		}
	}
}

// A pairPage is the data of the page of two texts of a course that share text.
type pairPage struct {
	Beside        *report.Beside
	Course        string      // id
	First, Second *desk.Check // the texts
	Most          bool        // with what most of the texts have
}

func showPair(v *visit) error {
	p := pairPage{Course: v.PathValue("id"), Most: v.FormValue("most") != ""}
	texts, b, err := v.s.Desk.Beside(v.Context(), v.actor, p.Course, v.PathValue("first"), v.PathValue("second"), p.Most)
	if err != nil {
		return err
	}
	p.First, p.Second, p.Beside = texts[0], texts[1], b
	return v.show("pair", v.lang.Text("overview.beside"), p)
}

// Common returns what the two texts share, with what most of the texts have if the page shows it.
func (p pairPage) Common() report.Common {
	if p.Most {
		return p.Beside.Both.Common
	}
	return p.Beside.Both.Rest
}

// A sidePage is the data of one of the texts of a pair.
type sidePage struct {
	Own, Other string // beginnings of the ids of places
	Check      *desk.Check
	Percent    float64
	Pieces     []report.Piece
}

// Sides returns the two texts of a pair.
func (p pairPage) Sides() []sidePage {
	c := p.Common()
	return []sidePage{{"a", "b", p.First, c.PercentA, p.Beside.A}, {"b", "a", p.Second, c.PercentB, p.Beside.B}}
}
