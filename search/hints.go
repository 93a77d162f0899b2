package search

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search/exclude"
	"github.com/otisk/otisk/search/hint"
)

// hintsAtPlace is how many sources are hinted at for one place of the suspect: those with the highest figures.
const hintsAtPlace = 3

// A Hint is a place where the suspect may have the content of a source, though no passage was found. It is never
// part of a score or grade. Package search/hint has the kinds.
type Hint struct {
	Number      int        `json:"number"` // from 1, by place in the suspect
	Source      int        `json:"source"` // index in Result.Sources
	Kind        string     `json:"kind"`
	Strength    string     `json:"strength"`
	Figure      float64    `json:"figure"` // evidence for the hint: cosine of two paragraphs, or log-likelihood ratio
	Level       float64    `json:"level"`  // score reached by the rest of both texts
	Suspect     Span       `json:"suspect"`
	Page        int        `json:"page,omitempty"`      // of the suspect on which it starts, from 1, if the format has pages
	LastPage    int        `json:"last_page,omitempty"` // on which it ends
	Origin      Span       `json:"origin"`
	Word        int        `json:"word"`         // index of the first word of the suspect
	Words       int        `json:"words"`        // on the suspect's side
	OriginWords int        `json:"origin_words"` // on the source's side
	Links       []HintLink `json:"links"`        // by place in the suspect
	// Reason says why similar wording is not a passage: ReasonShared or ReasonUnknown. Witnesses is how many
	// other documents share about as much of it.
	Reason    string `json:"reason,omitempty"`
	Witnesses int    `json:"witnesses,omitempty"`
}

// A HintLink is words of both texts that speak for a hint: byte offsets of the first and past the last, in both texts.
type HintLink struct {
	Kind    string `json:"kind"`
	Suspect [2]int `json:"suspect"`
	Origin  [2]int `json:"origin"`
}

// A hinted place of one source, before the order of the sources is known.
type hinted struct {
	Hint
	from, to int // words of the suspect
}

// hintSearch is a search for hints of one kind.
type hintSearch struct {
	finder hint.Finder
	hint.Search
}

// without returns a search in the suspect without some words. A finder with dictionaries takes long to prepare, so its search stays
// the same.
func (f hintSearch) without(sus *suspect, passages []found) hint.Search {
	if _, names := f.Search.(hint.Namer); names || len(passages) == 0 {
		return f.Search
	}
	text := sus.hintText()
	text.Words = blanked(text.Words, passages, func(p found) stretch { return stretch{p.from, p.to} })
	return f.finder.Prepare(text)
}

// blanked returns words, those of passages without their letters: words that a passage has are evidence for nothing else.
func blanked(words []normalize.Word, passages []found, side func(found) stretch) []normalize.Word {
	words = slices.Clone(words)
	for _, p := range passages {
		s := side(p)
		for i := max(s.from, 0); i < min(s.to, len(words)); i++ {
			words[i].Text = ""
		}
	}
	return words
}

// hintText returns the suspect as finders of hints get it.
func (s *suspect) hintText() *hint.Text {
	t := &hint.Text{Words: s.words, Original: s.doc.Text}
	at := 0
	for _, p := range s.paragraphs {
		if len(p.Words) > 0 {
			t.Breaks = append(t.Breaks, at)
		}
		at += len(p.Words)
	}
	return t
}

// hintText returns a part of a source as finders of hints get it.
func (p *textPart) hintText() *hint.Text {
	t := &hint.Text{Words: p.words, Breaks: p.breaks, Original: p.text}
	if len(t.Breaks) == 0 || t.Breaks[0] > 0 { // the part starts within a paragraph
		t.Breaks = append([]int{0}, t.Breaks...)
	}
	return t
}

// hintsOf returns the hints of a source. Those that its passages cover by half are dropped. If aligning is done first, it
// returns none, and the source is late for hints.
func (s *Searcher) hintsOf(ctx, aligning context.Context, src *source, b *body) ([]hinted, error) {
	if len(s.opts.Hints) == 0 || s.opts.Exact || !s.alignable(src.in.suspect) || src.tooLong {
		return nil, nil
	}
	var list []hinted
	searches := lists.Map(src.in.suspect.hinters(), func(f hintSearch) hint.Search { return f.without(src.in.suspect, src.passages) })
	byKeys := src.keyed && !src.align && len(src.done) == 0 // nothing else named it, so it is in another language
	for _, part := range b.parts {
		if len(part.words) == 0 {
			continue
		}
		text := part.hintText()
		rest := *text
		if first := part.whole().from; len(src.passages) > 0 {
			rest.Words = blanked(text.Words, src.passages, func(p found) stretch { return stretch{p.originFrom - first, p.originTo - first} })
		}
		stretches := sync.OnceValue(func() []exclude.Range { return exclude.Find(part.text, exclude.Options{}) })
		for i, f := range src.in.suspect.hinters() {
			in := &rest
			if _, names := f.Search.(hint.Namer); names {
				in = text
			} else if byKeys {
				continue
			}
			found, err := searches[i].Find(aligning, in)
			if err != nil {
				src.hintsLate = ctx.Err() == nil
				return nil, ctx.Err()
			}
			for _, h := range found {
				if 2*coveredBy(src.passages, h.Suspect) >= h.Suspect.Len() {
					continue
				}
				h, ok := unused(src.passages, h)
				if !ok {
					continue
				}
				x := src.in.suspect.hinted(f.finder.Kind(), h, part)
				from, to := part.words[h.Origin.From].Start, part.words[h.Origin.To-1].End
				if !s.unhinted(src.in.suspect, x, func() []string { return mostly(stretches(), from, to) }) {
					list = append(list, x)
				}
			}
		}
	}
	return list, nil
}

// coveredBy returns how many words of a range of the suspect are in passages, which are by place.
func coveredBy(passages []found, r hint.Range) int {
	words, reach := 0, r.From
	for _, p := range passages {
		from, to := max(p.from, reach), min(p.to, r.To)
		if from < to {
			words += to - from
			reach = to
		}
	}
	return words
}

// hinted returns a hint as reports have it.
func (s *suspect) hinted(kind string, h hint.Found, part *textPart) hinted {
	before := int(part.before.Byte)
	out := hinted{from: h.Suspect.From, to: h.Suspect.To, Hint: Hint{
		Kind: kind, Strength: h.Strength, Figure: h.Figure, Level: h.Level, Suspect: s.place(h.Suspect.From, h.Suspect.To),
		Origin: part.span(part.words[h.Origin.From].Start, part.words[h.Origin.To-1].End),
		Word:   h.Suspect.From, Words: h.Suspect.Len(), OriginWords: h.Origin.Len(), Links: make([]HintLink, 0, len(h.Links)),
	}}
	for _, l := range h.Links {
		out.Links = append(out.Links, HintLink{Kind: l.Kind, Suspect: bytesOf(s.words, l.Suspect.From, l.Suspect.Len(), 0),
			Origin: bytesOf(part.words, l.Origin.From, l.Origin.Len(), before)})
	}
	out.Page, out.LastPage = s.pages(out.Suspect)
	return out
}

// listKinds are exclusions that most theses have in similar words: two of one kind are no hint at each other.
var listKinds = []string{exclude.Bibliography, exclude.Declaration, exclude.Contents}

// unhinted reports whether a hint is dropped because its place is one of opts.NoHints, or because
// its places in both texts are of one of listKinds. there returns the kinds of its place in the source.
func (s *Searcher) unhinted(sus *suspect, h hinted, there func() []string) bool {
	return slices.ContainsFunc(mostly(sus.excluded(), h.Suspect.Start, h.Suspect.End), func(kind string) bool {
		return slices.Contains(s.opts.NoHints, kind) || slices.Contains(listKinds, kind) && slices.Contains(there(), kind)
	})
}

// chooseHints drops hints that passages of other sources cover by half, and of several sources at one place all but the best.
// own are documents that are the text itself.
func (s *Searcher) chooseHints(sus *suspect, sources []*source) {
	own := s.texts(sources)
	passages := lists.Filter(inOrder(sources), func(p found) bool { return !own[sources[p.Source].doc] })
	type placed struct {
		source int
		hinted
	}
	var all []placed
	for i, src := range sources {
		for _, h := range src.hints {
			if !own[src.doc] {
				all = append(all, placed{i, h})
			}
		}
		src.hints = nil
	}
	slices.SortStableFunc(all, func(a, b placed) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(b.Figure, a.Figure), cmp.Compare(sources[a.source].entry.Name(), sources[b.source].entry.Name()))
	})
	var kept []placed
	for _, h := range all {
		at := hint.Range{From: h.from, To: h.to}
		if 2*coveredBy(passages, at) >= at.Len() {
			continue
		}
		var ok bool
		if h.hinted, ok = sus.unusedBy(passages, h.hinted); !ok {
			continue
		}
		at = hint.Range{From: h.from, To: h.to}
		others := lists.Count(kept, func(k placed) bool {
			return k.Kind == h.Kind && 2*at.Common(hint.Range{From: k.from, To: k.to}) >= at.Len()
		})
		if others < hintsAtPlace {
			kept = append(kept, h)
			sources[h.source].hints = append(sources[h.source].hints, h.hinted)
		}
	}
}

// hintsInOrder returns the hints of all sources by their place in the suspect.
func hintsInOrder(sources []*source) []Hint {
	var list []Hint
	for i, src := range sources {
		for _, h := range src.hints {
			h.Source = i
			list = append(list, h.Hint)
		}
	}
	slices.SortStableFunc(list, func(a, b Hint) int {
		return cmp.Or(cmp.Compare(a.Word, b.Word), cmp.Compare(b.Words, a.Words), cmp.Compare(a.Source, b.Source), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Origin.Start, b.Origin.Start))
	})
	for i := range list {
		list[i].Number = i + 1
	}
	return list
}

// lateForHints returns the number of sources that were not searched for hints.
func lateForHints(sources []*source) int {
	return lists.Count(sources, func(src *source) bool { return src.hintsLate })
}
