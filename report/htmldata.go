package report

import (
	"slices"
	"strings"

	"github.com/otisk/otisk/internal/offset"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/search"
)

// A pageData is the input of the script of a report. Offsets count UTF-16 units, as in
// JavaScript; saved decisions use bytes.
type pageData struct {
	ID         string          `json:"id"`   // identifies the findings; key of the decisions that a browser stores
	File       string          `json:"file"` // base name of saved decisions
	Suspect    pageSuspect     `json:"suspect"`
	Words      int             `json:"words"`
	Lines      bool            `json:"lines"` // each line is a paragraph
	Grades     []string        `json:"grades"`
	Text       string          `json:"text"`
	Sources    []pageSource    `json:"sources"`
	Passages   []pagePassage   `json:"passages"`
	Hints      []pageHint      `json:"hints,omitempty"`
	Exclusions []pageExclusion `json:"exclusions"`
	Everybody  []pageStretch   `json:"everybody"` // stretches that most documents have
	Headings   [][2]int        `json:"headings,omitempty"`
	Items      []pageItem      `json:"items,omitempty"`
	PageStarts []pageStart     `json:"pageStarts,omitempty"`
	Doubts     []int           `json:"doubts,omitempty"` // starts and ends of words that were recognised in pictures with doubt
	Review     *Review         `json:"review"`
	Home       *Home           `json:"home,omitempty"`
}

// A pageItem is an item of a list.
type pageItem struct {
	From  int    `json:"from"`
	To    int    `json:"to"`
	Level int    `json:"level"`
	Label string `json:"label,omitempty"`
}

// A pageStart is the position in the text at which a page of the document starts.
type pageStart struct {
	At    int    `json:"at"`
	Label string `json:"label"`
}

// A pageSuspect identifies the text that decisions were made on.
type pageSuspect struct {
	Path  string `json:"path"`
	Bytes int    `json:"bytes"`
	Words int    `json:"words"`
	Sum   string `json:"sha256,omitempty"` // of the text, if the report has it
}

type pageSource struct {
	ID       string        `json:"id"`
	Name     string        `json:"name"`
	Label    string        `json:"label"`  // title or file name
	Detail   string        `json:"detail"` // full name, if it differs from Label, and labels
	Address  string        `json:"address,omitempty"`
	Group    string        `json:"group"` // part of the collection
	Run      int           `json:"run"`
	NoText   bool          `json:"noText"`
	Hinted   bool          `json:"hinted,omitempty"` // listed for its hints only
	Share    int           `json:"share,omitempty"`  // words at unknown places
	Excerpts []pageExcerpt `json:"excerpts"`
}

type pageExcerpt struct {
	Start int    `json:"start"` // byte in the source
	Ends  bool   `json:"ends"`  // with the source
	Text  string `json:"text"`
}

type pagePassage struct {
	Source      int      `json:"source"`
	Kind        string   `json:"kind"`
	Grade       int      `json:"grade"`
	Group       string   `json:"group,omitempty"`
	Word        int      `json:"word"`
	Words       int      `json:"words"`
	OriginWords int      `json:"originWords"`
	Matched     int      `json:"matched"`
	Run         int      `json:"run"`
	Counted     int      `json:"counted"`          // words, as found
	Joined      int      `json:"joined,omitempty"` // number of the joined passage that it is a part of
	Pages       string   `json:"pages,omitempty"`  // of the suspect
	From        int      `json:"from"`             // in the suspect
	To          int      `json:"to"`
	Excerpt     int      `json:"excerpt"`    // of the source, -1 for none
	OriginFrom  int      `json:"originFrom"` // in the excerpt
	OriginTo    int      `json:"originTo"`
	Equal       [][4]int `json:"equal"` // from, to in the suspect; from, to in the excerpt
	Bytes       [4]int   `json:"bytes"`
	Witnesses   string   `json:"witnesses,omitempty"` // how many other documents share about as much
}

type pageExclusion struct {
	Kind  string `json:"kind"`
	Word  int    `json:"word"`
	Words int    `json:"words"`
	From  int    `json:"from"`
	To    int    `json:"to"`
}

// A pageStretch is a part of the text that most of the documents have.
type pageStretch struct {
	Suspect [2]int `json:"suspect"` // bytes
	Word    int    `json:"word"`
	Words   int    `json:"words"`
	Sources int    `json:"sources"` // documents that contain it
	Of      int    `json:"of"`      // documents in all
}

func htmlData(say *lang.Printer, r *Report) *pageData {
	s := &r.Suspect
	d := &pageData{
		File: fileName(s.Path), Suspect: pageSuspect{s.Path, s.Bytes, s.Words, sumOf(s)}, Words: s.Words, Lines: s.NewLine == "true",
		Grades: grades, Text: s.Text, Sources: []pageSource{}, Passages: []pagePassage{}, Exclusions: []pageExclusion{}, Everybody: []pageStretch{},
	}
	if r.Review != nil {
		d.Review = listedReview(r.Review)
		d.Review.Sources = slices.Clone(d.Review.Sources)
		for i, s := range d.Review.Sources {
			d.Review.Sources[i].Note = noteOf(say, s.Reason, s.Note)
		}
	}
	runs, _ := longestRuns(r)
	for i, src := range r.Sources {
		d.Sources = append(d.Sources, dataOfSource(say, &src, runs[i]))
	}
	text := offset.UTF16(s.Text)
	excerpts := make([][]offset.Index, len(r.Sources))
	for i, src := range r.Sources {
		for _, x := range src.Excerpts {
			excerpts[i] = append(excerpts[i], offset.UTF16(x.Text))
		}
	}
	joined := joinedNumbers(r)
	for i, p := range r.Passages {
		d.Passages = append(d.Passages, dataOfPassage(say, r, &p, &text, excerpts[p.Source]))
		d.Passages[i].Joined = joined[i]
	}
	for i := range r.Hints {
		d.Hints = append(d.Hints, dataOfHint(say, r, &r.Hints[i], &text, excerpts[r.Hints[i].Source]))
	}
	for _, g := range s.Recognized {
		for _, w := range g.Doubtful {
			d.Doubts = append(d.Doubts, text.At(w.Start), text.At(w.End))
		}
	}
	for _, h := range s.Headings {
		d.Headings = append(d.Headings, [2]int{text.At(h.Start), text.At(h.End)})
	}
	for _, x := range s.Items {
		d.Items = append(d.Items, pageItem{text.At(x.Start), text.At(x.End), x.Level, safe(x.Label)})
	}
	for i, at := range s.PageStarts {
		d.PageStarts = append(d.PageStarts, pageStart{text.At(at), s.PageLabel(i + 1)})
	}
	for _, e := range r.Exclusions {
		d.Exclusions = append(d.Exclusions, pageExclusion{e.Kind, e.Word, e.Words, text.At(e.Place.Start), text.At(e.Place.End)})
	}
	for _, s := range everybodyHas(r) {
		d.Everybody = append(d.Everybody, pageStretch{s.place, s.word, s.words, s.sources, s.of})
	}
	return d
}

// fileName returns the last part of a path, with "_" for characters that file names
// cannot contain.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`<>:"/\|?*`, r) {
			return '_'
		}
		return r
	}, lastPart(name))
}

func dataOfSource(say *lang.Printer, s *search.Source, run int) pageSource {
	d := pageSource{ID: s.ID, Name: s.Name, Address: webAddress(s.Address), Group: collectionIn(say, s), Run: run, NoText: s.NoText, Hinted: s.Hinted, Share: s.Share, Excerpts: []pageExcerpt{}}
	d.Label, d.Detail = labelOf(say, s)
	for _, x := range s.Excerpts {
		d.Excerpts = append(d.Excerpts, pageExcerpt{x.Start, int64(x.End) >= s.Bytes, x.Text})
	}
	return d
}

func dataOfPassage(say *lang.Printer, r *Report, p *search.Passage, text *offset.Index, excerpts []offset.Index) pagePassage {
	s := &r.Sources[p.Source]
	d := pagePassage{
		Source: p.Source, Kind: p.Kind, Grade: gradeOf(p.Grade), Group: p.Group, Word: p.Word, Words: p.Words, OriginWords: p.OriginWords,
		Matched: p.Matched, Run: p.Run, Counted: p.Counted, Pages: pagesOf(say, &r.Suspect, p), From: text.At(p.Suspect.Start), To: text.At(p.Suspect.End), Excerpt: excerptWith(s, p.Origin), Equal: [][4]int{},
		Bytes: [4]int{p.Suspect.Start, p.Suspect.End, p.Origin.Start, p.Origin.End},
	}
	if p.Witnesses > 0 {
		d.Witnesses = say.Text("page.witnesses", "n", p.Witnesses)
	}
	if d.Excerpt >= 0 {
		at := func(byte int) int { return excerpts[d.Excerpt].At(byte - s.Excerpts[d.Excerpt].Start) }
		d.OriginFrom, d.OriginTo = at(p.Origin.Start), at(p.Origin.End)
		for _, e := range p.Equal {
			d.Equal = append(d.Equal, [4]int{text.At(e.Suspect[0]), text.At(e.Suspect[1]), at(e.Origin[0]), at(e.Origin[1])})
		}
	}
	return d
}
