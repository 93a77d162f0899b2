package crawl

import (
	"context"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"github.com/otisk/otisk/document/article"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/internal/dates"
	"github.com/otisk/otisk/lang/phrase"
)

// A Site is a rule that says where the fields of an article are on the pages of a
// host. Fields without a selector are found by heuristics.
type Site struct {
	Host     string // and its subdomains: example.cz includes www.example.cz
	Title    Selector
	Author   Selector
	Date     Selector
	Text     Selector
	Remove   Selector // elements that are not part of the text
	Encoding string   // of the pages, if they and the server state a wrong one
}

// A Selector is a CSS selector. It selects the text of elements; with "@" and a name
// at its end, as in time@datetime, that attribute.
type Selector struct {
	group     cascadia.SelectorGroup
	attribute string
}

var attributeName = format.Pattern(`^[A-Za-z_:][-A-Za-z0-9_:.]*$`)

// ParseSelector parses a selector.
func ParseSelector(text string) (Selector, error) {
	var s Selector
	if at := strings.LastIndexByte(text, '@'); at >= 0 && attributeName().MatchString(text[at+1:]) {
		text, s.attribute = text[:at], strings.ToLower(text[at+1:])
	}
	group, err := cascadia.ParseGroup(text)
	if err != nil {
		return Selector{}, phrase.Error("gather.selector", "selector {selector}: {cause}", "selector", strconv.Quote(text), "cause", err)
	}
	s.group = group
	return s, nil
}

// siteOf returns the rule for an address, the one with the longest host if several
// match; nil if none does.
func siteOf(sites []Site, address string) (best *Site) {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	name := strings.ToLower(u.Hostname())
	for i := range sites {
		s := &sites[i]
		if (name == s.Host || strings.HasSuffix(name, "."+s.Host)) && (best == nil || len(s.Host) > len(best.Host)) {
			best = s
		}
	}
	return best
}

// apply sets the fields of an article by the rule. It returns an error if the
// selector of the text finds no text, so that an outdated rule is noticed.
func (s *Site) apply(ctx context.Context, root *html.Node, a *Article) error {
	if a.Title = oneLine(s.Title.first(ctx, root)); a.Title != "" {
		a.ruled.title = true
	}
	if a.Author = oneLine(s.Author.first(ctx, root)); a.Author != "" {
		a.ruled.author = true
	}
	if said := oneLine(s.Date.first(ctx, root)); said != "" {
		at, ok := parseDate(said)
		if !ok {
			return phrase.Error("gather.not-date", "the rule for {host} has matched {text}, which is not a date", "host", s.Host, "text", strconv.Quote(said))
		}
		a.Date, a.ruled.date = at, true
	}
	for _, n := range s.Remove.all(root) {
		if n.Parent != nil {
			n.Parent.RemoveChild(n)
		}
	}
	if s.Text.group == nil {
		return nil
	}
	if a.Text, a.Way = s.Text.text(ctx, root), ByRule; a.Text == "" {
		return phrase.Error("gather.no-text-by-rule", "{cause} by the rule for {host}: {empty}", "cause", errNoText, "host", s.Host, "empty", format.ErrEmpty)
	}
	return nil
}

// all returns the selected elements in document order.
func (s Selector) all(root *html.Node) []*html.Node {
	if s.group == nil {
		return nil
	}
	return cascadia.QueryAll(root, s.group)
}

// first returns the first value that is not empty.
func (s Selector) first(ctx context.Context, root *html.Node) string {
	for _, n := range s.all(root) {
		if said := s.of(ctx, n); said != "" {
			return said
		}
	}
	return ""
}

// text returns the values of all selected elements that are not inside another one.
func (s Selector) text(ctx context.Context, root *html.Node) string {
	var parts []string
	within := map[*html.Node]bool{}
	for _, n := range s.all(root) {
		within[n] = true
		if inAny(n, within) {
			continue
		}
		if said := s.of(ctx, n); said != "" {
			parts = append(parts, said)
		}
	}
	return strings.Join(parts, "\n\n")
}

func inAny(n *html.Node, within map[*html.Node]bool) bool {
	for n = n.Parent; n != nil; n = n.Parent {
		if within[n] {
			return true
		}
	}
	return false
}

// of returns the value of an element: the attribute or the text.
func (s Selector) of(ctx context.Context, n *html.Node) string {
	if s.attribute == "" {
		return article.Element(ctx, n, budget)
	}
	for _, a := range n.Attr {
		if a.Key == s.attribute {
			return strings.TrimSpace(a.Val)
		}
	}
	return ""
}

// dateLayouts are the layouts of dates that do not depend on the language.
var dateLayouts = []string{time.RFC3339, "2006-01-02T15:04:05-0700", "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateTime, "2006-01-02 15:04", time.DateOnly, time.RFC1123Z, time.RFC1123}

// These match dates in texts: 1. března 2026, 1 March 2026; March 1, 2026; 1.3.2026, 1/3/2026.
var (
	written = format.Pattern(`(\d{1,2})(?:st|nd|rd|th)?[.\s]\s*(\pL+|\d{1,2})[.,]?\s+(\d{4})(?:\D{1,12}?(\d{1,2})[:.](\d{2}))?`)
	english = format.Pattern(`(\pL{3,})\.?\s+(\d{1,2}),?\s+(\d{4})(?:\D{1,12}?(\d{1,2})[:.](\d{2}))?`)
	dotted  = format.Pattern(`(\d{1,2})[./](\d{1,2})[./](\d{4})(?:\D{1,12}?(\d{1,2})[:.](\d{2}))?`)
)

// months has the first letters of the names of months in Czech, Slovak, German and
// English. A start comes before its own prefixes.
var months = []struct {
	start string
	month int
}{
	{"led", 1}, {"jan", 1}, {"jän", 1}, {"únor", 2}, {"feb", 2}, {"břez", 3}, {"mar", 3}, {"mär", 3}, {"dub", 4}, {"apr", 4}, {"kvě", 5}, {"máj", 5}, {"may", 5}, {"mai", 5},
	{"červenec", 7}, {"července", 7}, {"červn", 6}, {"červen", 6}, {"jún", 6}, {"jun", 6}, {"júl", 7}, {"jul", 7}, {"srp", 8}, {"aug", 8}, {"zář", 9}, {"sep", 9},
	{"říj", 10}, {"okt", 10}, {"oct", 10}, {"listop", 11}, {"nov", 11}, {"prosin", 12}, {"dec", 12}, {"dez", 12},
}

func monthOf(name string) int {
	if n, err := strconv.Atoi(name); err == nil {
		return n
	}
	name = strings.ToLower(name)
	for _, m := range months {
		if strings.HasPrefix(name, m.start) {
			return m.month
		}
	}
	return 0
}

// parseDate parses a date in the forms that sites use. A date without a time zone is
// taken as UTC.
func parseDate(text string) (time.Time, bool) {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\u00a0", " "))
	if at, ok := dates.Parse(text, dateLayouts...); ok {
		return at, true
	}
	for _, form := range []struct {
		is         func() *regexp.Regexp
		day, month int
	}{{dotted, 1, 2}, {written, 1, 2}, {english, 2, 1}} {
		if m := form.is().FindStringSubmatch(text); m != nil {
			if at, ok := dateOf(m[form.day], m[form.month], m[3], m[4], m[5]); ok {
				return at, true
			}
		}
	}
	return time.Time{}, false
}

func dateOf(day, month, year, hour, minute string) (time.Time, bool) {
	n := func(s string) int { v, _ := strconv.Atoi(s); return v } // s is digits, or empty for 0
	at := time.Date(n(year), time.Month(monthOf(month)), n(day), n(hour), n(minute), 0, 0, time.UTC)
	return at, at.Day() == n(day) && int(at.Month()) == monthOf(month) && at.Hour() == n(hour)
}
