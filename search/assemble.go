package search

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/internal/offset"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/language"
	"github.com/otisk/otisk/search/score"
	"github.com/otisk/otisk/store"
)

// result combines the results of the steps.
func (s *Searcher) result(sus *suspect, found answers, named candidates, sources []*source) *Result {
	passages := inOrder(sources)
	own := s.texts(sources)
	total := countWords(sus, sources, passages, own)
	r := &Result{
		Version: s.opts.Version, Checked: s.opts.Checked.Truncate(time.Second), Index: s.searched(found), Settings: s.settings(),
		Unsearched: s.unsearched(sus, found, named, sources, own, passages),
		Suspect:    sus.describe(s.opts.Texts), Exclusions: sus.exclusions(),
		Match: found.whole(), Score: NewScore(len(sus.words), total), Sources: []Source{},
		Paragraphs: found.paragraphs(sources, s.opts.Detail), Passages: sus.numbered(passages, total),
		Unlisted: int64(named.unlisted), Unread: []Unread{}, Notes: []string{},
	}
	if len(own) > 0 {
		r.WithItself = new(NewScore(len(sus.words), countWords(sus, sources, passages, nil)))
	}
	r.Messages.Merge(sus.doc.Messages)
	if named.unlisted > 0 {
		r.Note(phrase.Counted("said.unlisted", "{n} more source shares something, and is not listed", "{n} more sources share something, and are not listed", named.unlisted))
	}
	spoken := sus.language()
	for i, src := range sources {
		r.Sources = append(r.Sources, describeSource(src, len(sus.words), total.Sources[i].Counted))
		if src.entry.Language != spoken {
			r.Sources[i].Language = src.entry.Language
		}
		r.Sources[i].Path = store.File(s.bases, src.entry.Base, src.entry.Path)
		switch src.own {
		case OwnText:
			r.Note(phrase.Error("said.same-text", "{name} has the same text under another name, and counts, as it may be this work renamed or a complete copy", "name", src.entry.Name()))
		case OwnVersion:
			r.Note(phrase.Error("said.earlier-version", "{name} was indexed from the path of this text with other content, as an earlier version or another text, and what both share counts", "name", src.entry.Name()))
		}
		for _, note := range src.notes {
			r.Note(note)
		}
	}
	r.Hints, r.Similar = hintsInOrder(sources), sus.similarTo
	if sus.unproven > 0 && len(s.opts.Hints) == 0 {
		r.Note(unprovenNote(sus.unproven))
	}
	if late := lateForHints(sources); late > 0 {
		r.Note(phrase.Counted("said.hints-late", "{n} source was not searched for hints, because the time limit ended", "{n} sources were not searched for hints, because the time limit ended", late))
	}
	r.markAlike()
	r.joinAll(passages)
	r.group(sus)
	return r
}

// settings returns the settings of the search for the result.
func (s *Searcher) settings() Settings {
	o := s.opts
	return Settings{
		N: o.N, MinPercent: o.MinPercent, MinRun: o.MinRun, Common: o.Common,
		Exact: o.Exact, Detail: o.Detail, Normalization: s.reader.Settings().Normalization,
	}
}

// describe returns the suspect as reports have it.
func (s *suspect) describe(text bool) Suspect {
	out := Suspect{
		Path: s.doc.Path, Format: s.doc.Format, Encoding: s.doc.Encoding, Title: s.doc.Title, Author: s.doc.Author, NewLine: s.mode.String(),
		Bytes: len(s.doc.Text), Runes: s.runes.At(len(s.doc.Text)), Words: len(s.words), Paragraphs: len(s.paragraphs),
		Pages: len(s.doc.Pages), PageStarts: s.doc.Pages, PageLabels: s.doc.PageLabels, Headings: s.headings(), Items: s.items(), Content: s.doc.Content,
		Flags: s.flags(), Recognized: s.recognized(),
	}
	if text {
		out.Text = s.doc.Text
	}
	return out
}

// language returns the code of the language of the suspect, "" if it is unknown.
func (s *suspect) language() string {
	var c language.Counter
	for _, w := range s.words {
		if !c.Add([]byte(w.Text)) {
			break
		}
	}
	if l := c.Language(); l != nil {
		return l.Code
	}
	return ""
}

// headings returns the headings of the text.
func (s *suspect) headings() (list []Span) {
	for _, m := range s.doc.Marks {
		if m.Kind == document.Heading {
			list = append(list, spanOf(&s.runes, m.Start, m.End))
		}
	}
	return list
}

// items returns the items of lists, by their starts, an outer one first.
func (s *suspect) items() (list []Item) {
	for _, m := range s.doc.Marks {
		if m.Kind == document.Item {
			list = append(list, Item{spanOf(&s.runes, m.Start, m.End), m.Level, m.Label})
		}
	}
	slices.SortStableFunc(list, func(a, b Item) int { return cmp.Or(a.Start-b.Start, a.Level-b.Level) })
	return list
}

// describeSource returns a source of a suspect of this many words as reports have it.
func describeSource(src *source, words, counted int) Source {
	e, says := &src.entry, src.entry.Description()
	return Source{
		ID: e.ID.String(), Name: e.Name(), Prefix: e.Prefix, Own: src.own, Title: says.Title, Author: says.Author, Year: says.Year,
		Address: says.Address, Labels: says.Labels,
		Match: src.in.match(src.tally), Covered: src.covered, Percent: score.Percent(src.covered, words), Counted: counted,
		Pairs: src.paired.pairs, PairScore: math.Round(100*src.paired.score) / 100,
		Words: e.Words, Bytes: e.Text, Scanned: e.Scanned, NoText: src.noText, Excerpts: src.excerpts, Hinted: !src.listed && len(src.passages) == 0,
	}
}

// numbered returns the passages as reports have them.
func (s *suspect) numbered(list []found, total score.Total) []Passage {
	out := make([]Passage, len(list))
	for i, p := range list {
		p.Number, p.Word, p.Counted = i+1, p.from, total.Passages[i].Counted
		p.Page, p.LastPage = s.pages(p.Suspect)
		out[i] = p.Passage
	}
	return out
}

// FlagsOf returns the flags of a document with their places and pages, as in [Suspect].
func FlagsOf(doc *document.Document) []Flag {
	s := &suspect{doc: doc, runes: offset.Runes(doc.Text)}
	return s.flags()
}

// flags returns the flags of the suspect, with their places and pages.
func (s *suspect) flags() []Flag {
	var list []Flag
	for _, f := range s.doc.Flags {
		list = append(list, Flag{Kind: string(f.Kind), Place: spanOf(&s.runes, f.Start, f.End), Page: s.pageAt(f.Start), Count: f.Count, Detail: f.Detail})
	}
	return list
}

// pageAt returns the page, from 1, that the offset is on; 0 where the
// format has none.
func (s *suspect) pageAt(offset int) int {
	return sort.Search(len(s.doc.Pages), func(i int) bool { return s.doc.Pages[i] > offset })
}

// pages returns the first and the last page of a place.
func (s *suspect) pages(at Span) (first, last int) {
	return s.pageAt(at.Start), s.pageAt(max(at.Start, at.End-1))
}

// recognized returns what of the suspect a program read in pictures of pages.
func (s *suspect) recognized() []Recognized {
	var list []Recognized
	for _, m := range s.doc.Marks {
		if m.Kind != document.Recognized {
			continue
		}
		list = append(list, Recognized{
			Place: spanOf(&s.runes, m.Start, m.End), Page: s.pageAt(m.Start), Words: s.wordAt(m.End) - s.wordAt(m.Start),
			Doubtful: s.doubts(m.Start, m.End),
		})
	}
	slices.SortFunc(list, func(a, b Recognized) int { return a.Place.Start - b.Place.Start })
	return list
}

// doubts returns the doubtful words in the bytes [start, end).
func (s *suspect) doubts(start, end int) []Span {
	list := []Span{}
	for _, m := range s.doc.Marks {
		if m.Kind == document.Doubtful && m.Start >= start && m.End <= end {
			list = append(list, spanOf(&s.runes, m.Start, m.End))
		}
	}
	return list
}
