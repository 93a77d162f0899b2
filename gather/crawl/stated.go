package crawl

import (
	"encoding/json"
	stdhtml "html"
	"regexp"
	"strings"
	"unicode"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
)

// Many pages state their article for search engines, as articleBody of schema.org. It
// has no paragraphs, and a teaser is all of it on some; so it only tells which
// paragraphs of the page are the article.

var statements = cascadia.MustCompile(`script[type="application/ld+json"]`)

// stated returns what a page states to be its article, "" for nothing.
func stated(root *html.Node) (longest string) {
	for _, n := range cascadia.QueryAll(root, statements) {
		if n.FirstChild == nil {
			continue
		}
		var said any
		if json.Unmarshal([]byte(n.FirstChild.Data), &said) != nil {
			continue // pages are often wrong
		}
		if body := bodyIn(said, 0); len(body) > len(longest) {
			longest = body
		}
	}
	return longest
}

// bodyIn returns the longest articleBody in a value of JSON.
func bodyIn(v any, depth int) (longest string) {
	const deep = 16
	take := func(s string) {
		if len(s) > len(longest) {
			longest = s
		}
	}
	switch v := v.(type) {
	case []any:
		for _, in := range v {
			if depth < deep {
				take(bodyIn(in, depth+1))
			}
		}
	case map[string]any:
		for key, in := range v {
			if body, ok := in.(string); ok && key == "articleBody" {
				take(body)
			} else if depth < deep {
				take(bodyIn(in, depth+1))
			}
		}
	}
	return longest
}

var tags = regexp.MustCompile(`<[/!]?\pL[^<>]*>`)

// bare returns the letters and digits of a text, in lower case.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// The shares of what a page states that must be found on it: for just these
// paragraphs to be the article; and for them and all between them. What is stated can have signs of its
// own for links.
const (
	mostStated = 0.9
	halfStated = 0.5
)

// statedPart returns the paragraphs of a page that it states to be its article, in
// order; "" where it states none, or another one.
func statedPart(says, whole string) string {
	left := bare(tags.ReplaceAllString(stdhtml.UnescapeString(says), " "))
	all, found := len(left), 0
	pars := strings.Split(whole, "\n\n")
	var kept []string
	first, last := -1, 0
	for i, par := range pars {
		is := bare(par)
		at := strings.Index(left, is)
		// A few words may be anywhere; only what follows at once is meant.
		if is == "" || at < 0 || at > 0 && len(strings.Fields(par)) < 8 {
			continue
		}
		if last = i; first < 0 {
			first = i
		}
		kept, left, found = append(kept, par), left[at+len(is):], found+len(is)
	}
	switch part := share(found, all); {
	case part >= mostStated:
		return strings.Join(kept, "\n\n")
	case part >= halfStated:
		return strings.Join(pars[first:last+1], "\n\n")
	}
	return ""
}

func share(part, all int) float64 { return float64(part) / float64(max(all, 1)) }
