package crawl

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"github.com/otisk/otisk/document/format"
)

// A Site is a rule for the pages of one host: where their parts are. A part that
// is not said is guessed.
type Site struct {
	Host     string // and those below it: example.cz is for www.example.cz too
	Title    Selector
	Author   Selector
	Date     Selector
	Text     Selector
	Remove   Selector // what of the text is none
	Encoding string   // of its pages, where they and the server say a wrong one
}

// A Selector names elements as style sheets do. With @ and a name at its end it
// means that attribute of theirs, else their text: time@datetime.
type Selector struct {
	group     cascadia.SelectorGroup
	attribute string
}

var attributeName = regexp.MustCompile(`^[A-Za-z_:][-A-Za-z0-9_:.]*$`)

// ParseSelector reads a selector.
func ParseSelector(text string) (Selector, error) {
	var s Selector
	if at := strings.LastIndexByte(text, '@'); at >= 0 && attributeName.MatchString(text[at+1:]) {
		text, s.attribute = text[:at], strings.ToLower(text[at+1:])
	}
	group, err := cascadia.ParseGroup(text)
	if err != nil {
		return Selector{}, fmt.Errorf("selector %q: %w", text, err)
	}
	s.group = group
	return s, nil
}

// siteOf returns the rule for an address, that of the longest host; nil for none.
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

// apply fills what the rule says of an article. Where it says where the text is,
// and there is none, that is an error: a rule that fits no more must be noticed.
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
			return fmt.Errorf("the rule for %s finds the date %q, which is none", s.Host, said)
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
		return fmt.Errorf("%w by the rule for %s: %w", errNoText, s.Host, format.ErrEmpty)
	}
	return nil
}

// all returns the elements that are meant, in order.
func (s Selector) all(root *html.Node) []*html.Node {
	if s.group == nil {
		return nil
	}
	return cascadia.QueryAll(root, s.group)
}

// first returns what the first element has that has anything.
func (s Selector) first(ctx context.Context, root *html.Node) string {
	for _, n := range s.all(root) {
		if said := s.of(ctx, n); said != "" {
			return said
		}
	}
	return ""
}

// text returns what all elements have. One that is in another is in that.
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

// of returns the attribute or the text of an element.
func (s Selector) of(ctx context.Context, n *html.Node) string {
	if s.attribute == "" {
		return nodeText(ctx, n)
	}
	for _, a := range n.Attr {
		if a.Key == s.attribute {
			return strings.TrimSpace(a.Val)
		}
	}
	return ""
}

// dateLayouts are those of dates that are the same in all languages.
var dateLayouts = []string{time.RFC3339, "2006-01-02T15:04:05-0700", "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateTime, "2006-01-02 15:04", time.DateOnly, time.RFC1123Z, time.RFC1123}

// written finds a date in a text: 1. 3. 2026, 1. března 2026, 1 March 2026.
var (
	written = regexp.MustCompile(`(\d{1,2})(?:st|nd|rd|th)?[.\s]\s*(\pL+|\d{1,2})[.,]?\s+(\d{4})(?:\D{1,12}?(\d{1,2})[:.](\d{2}))?`)
	english = regexp.MustCompile(`(\pL{3,})\.?\s+(\d{1,2}),?\s+(\d{4})(?:\D{1,12}?(\d{1,2})[:.](\d{2}))?`)
	dotted  = regexp.MustCompile(`(\d{1,2})[./](\d{1,2})[./](\d{4})(?:\D{1,12}?(\d{1,2})[:.](\d{2}))?`)
)

// months by how their names begin, in Czech, Slovak, German and English; longer
// ones before those that they begin with.
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

// parseDate reads a date as sites write it. Where no zone is said, it is UTC.
func parseDate(text string) (time.Time, bool) {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\u00a0", " "))
	for _, layout := range dateLayouts {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC(), true
		}
	}
	for _, form := range []struct {
		is         *regexp.Regexp
		day, month int
	}{{dotted, 1, 2}, {written, 1, 2}, {english, 2, 1}} {
		if m := form.is.FindStringSubmatch(text); m != nil {
			if at, ok := dateOf(m[form.day], m[form.month], m[3], m[4], m[5]); ok {
				return at, true
			}
		}
	}
	return time.Time{}, false
}

func dateOf(day, month, year, hour, minute string) (time.Time, bool) {
	n := func(s string) int { v, _ := strconv.Atoi(s); return v } // digits, or nothing for 0
	at := time.Date(n(year), time.Month(monthOf(month)), n(day), n(hour), n(minute), 0, 0, time.UTC)
	return at, at.Day() == n(day) && int(at.Month()) == monthOf(month) && at.Hour() == n(hour)
}
