package article

import (
	"encoding/json"
	stdhtml "html"
	"strings"
	"unicode"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"github.com/otisk/otisk/document/format"
)

// Many pages have the text of their article for search engines, as articleBody of
// schema.org. It has no paragraphs, and on some pages it is only a teaser, so it only
// serves to select the paragraphs of the page that are the article.

var statements = cascadia.MustCompile(`script[type="application/ld+json"]`)

// stated returns the longest articleBody of a page; "" if it has none.
func stated(root *html.Node) (longest string) {
	for _, n := range cascadia.QueryAll(root, statements) {
		if n.FirstChild == nil {
			continue
		}
		var said any
		if json.Unmarshal([]byte(n.FirstChild.Data), &said) != nil {
			continue // invalid JSON is common
		}
		if body := bodyIn(said, 0); len(body) > len(longest) {
			longest = body
		}
	}
	return longest
}

// bodyIn returns the longest articleBody in a JSON value.
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

var tags = format.Pattern(`<[/!]?\pL[^<>]*>`)

// bare returns the letters and digits of a text, in lower case.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// Shares of articleBody that must be found on the page. At mostStated or more, only
// the paragraphs found are the article; at halfStated or more, also the paragraphs
// between them. articleBody can contain marks for links that the page does not have.
const (
	mostStated = 0.9
	halfStated = 0.5
)

// statedPart returns the paragraphs of a page that occur in its articleBody says, in
// order; "" if too little of says is on the page.
func statedPart(says, whole string) string {
	left := bare(tags().ReplaceAllString(stdhtml.UnescapeString(says), " "))
	all, found := len(left), 0
	pars := strings.Split(whole, "\n\n")
	var kept []string
	first, last := -1, 0
	for i, par := range pars {
		is := bare(par)
		at := strings.Index(left, is)
		// A short paragraph may occur anywhere, so it counts only right after the previous one.
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
