package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/otisk/otisk/internal/lists"
)

// excerptMargin is how many bytes of a source are shown around a passage.
const excerptMargin = 600

// excerpts returns the stretches of a source around its passages and hints, as far as
// they were read, joined if they overlap, cut at white space.
func (b *body) excerpts(passages []found, hints []hinted) (list []Excerpt) {
	places := lists.Map(passages, func(p found) Span { return p.Origin })
	for _, h := range hints {
		places = append(places, h.Origin)
	}
	for _, part := range b.parts {
		first, end := int(part.before.Byte), int(part.end.Byte)
		var around [][2]int
		for _, at := range places {
			if from, to := at.Start-first, at.End-first; from >= 0 && at.End <= end {
				around = append(around, [2]int{cut(part.text, from-excerptMargin, from), cut(part.text, to+excerptMargin, to)})
			}
		}
		list = append(list, part.excerpts(around)...)
	}
	return list
}

// excerpts returns these stretches of the part, joined where they meet.
func (p *textPart) excerpts(parts [][2]int) []Excerpt {
	slices.SortFunc(parts, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
	var out []Excerpt
	for i := 0; i < len(parts); {
		start, end := parts[i][0], parts[i][1]
		for i++; i < len(parts) && parts[i][0] <= end; i++ {
			end = max(end, parts[i][1])
		}
		out = append(out, Excerpt{Span: p.span(start, end), Text: p.text[start:end]})
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
