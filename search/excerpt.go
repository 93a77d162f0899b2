package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// excerptMargin is how many bytes of a source are shown around a passage.
const excerptMargin = 600

// excerpts returns the parts of a source around its passages, joined where
// they meet, cut at white space.
func excerpts(b *body, passages []found) []Excerpt {
	var parts [][2]int
	for _, p := range passages {
		parts = append(parts, [2]int{
			cut(b.text, p.Origin.Start-excerptMargin, p.Origin.Start),
			cut(b.text, p.Origin.End+excerptMargin, p.Origin.End),
		})
	}
	slices.SortFunc(parts, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
	var out []Excerpt
	for i := 0; i < len(parts); {
		start, end := parts[i][0], parts[i][1]
		for i++; i < len(parts) && parts[i][0] <= end; i++ {
			end = max(end, parts[i][1])
		}
		out = append(out, Excerpt{Span: b.span(start, end), Text: b.text[start:end]})
	}
	return out
}

// cut returns the offset nearest to at, on the way to inner, that lies at white
// space, or at least between code points.
func cut(text string, at, inner int) int {
	if at <= 0 || at >= len(text) {
		return min(max(at, 0), len(text))
	}
	if at < inner {
		if i := strings.IndexAny(text[at:inner], " \n\t\r"); i >= 0 {
			return at + i + 1
		}
	} else if i := strings.LastIndexAny(text[inner:at], " \n\t\r"); i >= 0 {
		return inner + i
	}
	for at < inner && !utf8.RuneStart(text[at]) {
		at++
	}
	for at > inner && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}
