package article

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"strings"

	"golang.org/x/net/html"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/web"
	"github.com/otisk/otisk/lang/phrase"
)

// Read reads a page without boilerplate and, if most of its text is one article, reduces the text
// to that article.
func Read(ctx context.Context, src *format.Source) (*format.Text, error) {
	data, encoding, stray, err := web.Decode(ctx, src)
	if err != nil {
		return nil, err
	}
	decoded := *src
	decoded.Data, decoded.Decoded, decoded.Strip = data, encoding, true
	t, err := web.HTML(ctx, &decoded)
	if err != nil && !errors.Is(err, format.ErrEmpty) {
		return nil, err
	}
	if stray > 0 {
		t.Note(web.StrayBytes(stray))
	}
	if len(data) > largest {
		return t, nil
	}
	if err := reduce(ctx, t, &decoded); err != nil {
		return nil, err
	}
	return t, t.Check()
}

// largest is the size of a page in bytes above which it is not searched for an article: its tree
// takes some 20 times as much memory.
const largest = 8 << 20

// reduce reduces t, the text of a page without boilerplate, to the article on the page, if that has
// enough of its sentences. A list of articles, a discussion or the record of a thesis is not an article.
// The paragraphs are those of t, in which text that a browser hides is left out and flagged.
func reduce(ctx context.Context, t *format.Text, page *format.Source) error {
	root, err := html.Parse(bytes.NewReader(page.Data))
	if err != nil {
		return nil // all of the text stays
	}
	stripped := func() (string, error) { return strings.TrimSpace(t.Text), nil }
	text, way, err := Look(root, "").text(ctx, page.Budget, stripped)
	if err != nil || way == ByPage {
		return format.Ended(ctx)
	}
	if add(t, text) {
		return nil
	}
	parts, kept := partsIn(t.Text, text), 0
	for _, p := range parts {
		kept += sentences(t.Text[p.start:p.end])
	}
	if all := sentences(t.Text); kept == 0 || share(kept, all) < usualShare && share(kept, all) < leastShare(page.Data) {
		return nil
	}
	all := len(t.Text)
	restrict(t, parts)
	t.Note(phrase.Counted("said.around-article", "{n} byte outside the article is left out", "{n} bytes outside the article are left out", max(0, all-len(t.Text))))
	return nil
}

// add appends to a text the paragraphs of the article that it lacks, if these are most of the
// article, as on a page that hides it until a script runs. It reports whether it did.
func add(t *format.Text, article string) bool {
	has := partsIn(article, t.Text)
	words, start := len(strings.Fields(article)), 0
	var missing []string
	for par := range strings.SplitSeq(article, "\n\n") {
		if len(has) > 0 && has[0].start == start {
			has = has[1:]
		} else {
			missing = append(missing, par)
		}
		start += len(par) + len("\n\n")
	}
	lacks := strings.Join(missing, "\n\n")
	n := len(strings.Fields(lacks))
	if n < shortWords || 2*n <= words {
		return false
	}
	if t.Text != "" {
		lacks = "\n\n" + lacks
	}
	t.Text += lacks
	t.Note(phrase.Counted("said.article-added", "{n} word of the article, which is hidden until a script runs or looks like boilerplate, is added", "{n} words of the article, which are hidden until a script runs or look like boilerplate, are added", n))
	return true
}

// These match the statement of a page that it is an article: the first one for all of it, the
// other for a part of it, as lists of articles have it for each of them.
var (
	pageStates = format.Pattern(`(?i)<meta[^<>]*og:type["']?\s+content=["']?article`)
	partStates = format.Pattern(`"@type"\s*:\s*\[?\s*"(?:\w*Article|BlogPosting)"|itemtype=["']?https?://schema\.org/(?:\w*Article|BlogPosting)`)
)

// usualShare is the least share of the sentences of a page that an article has, in words, if the
// page does not state to be one.
const usualShare = 0.6

// leastShare returns the least share of the sentences of a page that an article has, in words. On
// a page that states to be one, most can be comments and teasers; if it states so for search engines
// and for social networks, nearly all.
func leastShare(data []byte) float64 {
	page, part := pageStates().Match(data), len(partStates().FindAll(data, 2)) == 1
	switch {
	case page && part:
		return 0.05
	case page || part:
		return 0.2
	}
	return usualShare
}

// sentences returns the number of words in the paragraphs of a text that are longer than a label
// or a link.
func sentences(text string) (words int) {
	const short = 10
	for par := range strings.SplitSeq(text, "\n\n") {
		if n := len(strings.Fields(par)); n > short {
			words += n
		}
	}
	return words
}

// A part is the byte range of a paragraph in a text.
type part struct{ start, end int }

// partsIn returns the paragraphs of whole that are in article: those most of whose runs of three
// words it has, since whole may lack hidden words.
func partsIn(whole, article string) (in []part) {
	const enough = 0.7
	has := map[string]bool{}
	for run := range runs(article) {
		has[run] = true
	}
	start := 0
	for par := range strings.SplitSeq(whole, "\n\n") {
		all, found := 0, 0
		for run := range runs(par) {
			if all++; has[run] {
				found++
			}
		}
		if all > 0 && float64(found) >= enough*float64(all) {
			in = append(in, part{start, start + len(par)})
		}
		start += len(par) + len("\n\n")
	}
	return in
}

// runs returns all runs of three words of each paragraph of a text, and each shorter paragraph.
func runs(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for par := range strings.SplitSeq(text, "\n\n") {
			words := strings.Fields(par)
			for i := range max(len(words)-2, min(len(words), 1)) {
				if !yield(strings.Join(words[i:min(i+3, len(words))], " ")) {
					return
				}
			}
		}
	}
}

// restrict reduces a text to parts of it, with the marks and flags in them.
func restrict(t *format.Text, parts []part) {
	var b strings.Builder
	marks, flags := t.Marks, t.Flags
	t.Marks, t.Flags = nil, nil
	for _, p := range parts {
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		by := b.Len() - p.start
		b.WriteString(t.Text[p.start:p.end])
		for _, m := range marks {
			if p.start <= m.Start && m.Start < p.end {
				m.Start, m.End = m.Start+by, min(m.End, p.end)+by
				t.Marks = append(t.Marks, m)
			}
		}
		for _, f := range flags {
			if p.start <= f.Start && f.Start <= p.end {
				f.Start, f.End = f.Start+by, min(f.End, p.end)+by
				t.Flags = append(t.Flags, f)
			}
		}
	}
	t.Text = b.String()
}
