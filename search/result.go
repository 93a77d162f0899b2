package search

import (
	"slices"
	"strconv"
	"time"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/search/score"
)

// A Result is everything that a search found for one suspect. A report is
// written from it and from nothing else.
type Result struct {
	Version    string       `json:"version"`          // of Otisk
	Checked    time.Time    `json:"checked,omitzero"` // when, to the second; not all searches say so
	Index      Index        `json:"index"`
	Unsearched []Unsearched `json:"unsearched"` // what was not looked at: with any of it, the score is a lower bound
	Settings   Settings     `json:"settings"`
	Suspect    Suspect      `json:"suspect"`
	Match      Match        `json:"match"`                       // n-grams of the whole suspect, the union over all sources
	Score      Score        `json:"score"`                       // words of the suspect covered by passages
	WithItself *Score       `json:"score_with_itself,omitempty"` // the same, if sources that are the text itself counted; nil if there are none, or if they count
	Sources    []Source     `json:"sources"`                     // listed ones, by falling share, then name
	Unlisted   int64        `json:"unlisted,omitempty"`          // sources that are not listed, since a listed source has all that they share
	Paragraphs []Paragraph  `json:"paragraphs"`                  // listed ones, in order
	Passages   []Passage    `json:"passages"`                    // by place in the suspect, then source
	Joined     []Joined     `json:"joined,omitempty"`            // passages that are one for a reader, by the place of their first part
	Hints      []Hint       `json:"hints,omitempty"`             // places with perhaps the same content, by place; never in the score
	Similar    []Similar    `json:"similar,omitempty"`           // the most similar documents, at most ten; never in the score
	Exclusions []Exclusion  `json:"exclusions"`                  // what a reader may leave out, by place; the score counts all of it
	Unread     []Unread     `json:"unread"`                      // files of this run that could not be read
	Notes      []string     `json:"notes"`                       // what the reader must know, such as missing source texts
	// Messages has, by their English texts, the messages of notes and of details of flags: names of package lang and
	// arguments, by which reports translate them.
	Messages phrase.Table `json:"messages,omitempty"`
}

// Note adds a note.
func (r *Result) Note(p *phrase.Phrase) {
	r.Notes = append(r.Notes, r.Messages.Add(p))
}

// Kinds of a searched collection: an index, or files for a comparison without one. The
// store of the index and its machine are omitted, since all stores give the same report.
const (
	KindIndex = "index"
	KindFiles = "files"
)

// An Index names what was searched.
type Index struct {
	Kind      string      `json:"kind"`             // KindIndex or KindFiles
	Name      string      `json:"name"`             // as it is given: folder, or name in the cluster
	Documents int64       `json:"documents"`        // in the index
	Searched  int64       `json:"searched"`         // of them, those that were searched
	Sizes     []IndexSize `json:"sizes,omitempty"`  // other sizes that were searched, for documents without the one asked for
	Grams     int64       `json:"grams"`            // n-grams of the size searched
	Paired    int64       `json:"paired"`           // of the documents, those where reworded copies were looked for
	Among     int         `json:"among,omitempty"`  // other texts of the run, which were searched too
	Changed   time.Time   `json:"changed,omitzero"` // when documents were added or deleted last, where that is known
}

// An IndexSize is a size of n-grams by which documents were searched that are
// not indexed under the one asked for.
type IndexSize struct {
	N         int   `json:"n"`
	Documents int64 `json:"documents"`
}

// Settings are what the search was asked for.
type Settings struct {
	N             int               `json:"n"`                     // words per n-gram
	MinPercent    *float64          `json:"min_percent,omitempty"` // -a: listed from this share of n-grams on
	MinRun        *int              `json:"min_run,omitempty"`     // -m: listed from this run of words on
	Common        int               `json:"common"`                // n-grams in more documents than this name no source; 0 for no limit
	Exact         bool              `json:"exact"`                 // passages are joined n-grams only
	Detail        bool              `json:"detail"`                // -w: texts and places of each paragraph
	Normalization map[string]string `json:"normalization"`
}

// A Span is a place in an original text, [Start, End) in bytes and in Unicode
// code points.
type Span struct {
	Start     int `json:"start"`
	End       int `json:"end"`
	RuneStart int `json:"rune_start"`
	RuneEnd   int `json:"rune_end"`
}

// A Suspect is the text that was checked.
type Suspect struct {
	ID         string   `json:"id,omitempty"` // by which it is a source of other texts of the run, where they are compared
	Path       string   `json:"path"`         // as given by the user
	Format     string   `json:"format"`
	Encoding   string   `json:"encoding,omitempty"` // of its characters, where the format leaves it open
	Title      string   `json:"title,omitempty"`
	Author     string   `json:"author,omitempty"`
	NewLine    string   `json:"new_line"` // what separated its paragraphs
	Bytes      int      `json:"bytes"`    // of the original text
	Runes      int      `json:"runes"`    // code points of the original text
	Words      int      `json:"words"`
	Paragraphs int      `json:"paragraphs"`            // with words
	Pages      int      `json:"pages,omitempty"`       // where the format has them
	Content    string   `json:"content,omitempty"`     // SHA-256 of the file, hexadecimal
	PageStarts []int    `json:"page_starts,omitempty"` // byte at which each page starts, where the format has pages
	PageLabels []string `json:"page_labels,omitempty"` // labels of the pages, where any is not the number of its page
	Headings   []Span   `json:"headings,omitempty"`    // where the format states them
	Items      []Item   `json:"items,omitempty"`       // of lists, where the format states them
	Flags      []Flag   `json:"flags,omitempty"`       // what may hide copying, by place
	Text       string   `json:"text,omitempty"`

	Recognized []Recognized `json:"recognized,omitempty"` // what a program read in pictures of pages, by place
}

// PageLabel returns the label of a page, which is numbered from 1: what viewers show
// and, mostly, what is printed on it.
func (s *Suspect) PageLabel(number int) string {
	if number >= 1 && number <= len(s.PageLabels) && s.PageLabels[number-1] != "" {
		return s.PageLabels[number-1]
	}
	return strconv.Itoa(number)
}

// A Recognized stretch of the suspect is what a program read in the picture of a page:
// some of its words may be wrong.
type Recognized struct {
	Place    Span   `json:"place"`
	Page     int    `json:"page"` // from 1
	Words    int    `json:"words"`
	Doubtful []Span `json:"doubtful"` // words that the program was not sure of
}

// An Item is an item of a list, with the lists in it.
type Item struct {
	Span
	Level int    `json:"level"`           // from 1
	Label string `json:"label,omitempty"` // such as "1." or "(a)", which the text does not have; "" for a bullet
}

// A Flag is something in the suspect's file that may hide copying: never a
// verdict, since each kind has honest reasons too. Package document says the
// kinds.
type Flag struct {
	Kind   string `json:"kind"`
	Place  Span   `json:"place"`            // of no length where something was left out of the text
	Page   int    `json:"page,omitempty"`   // from 1, where the format has pages
	Count  int    `json:"count"`            // characters concerned, or pages
	Detail string `json:"detail,omitempty"` // what was seen
}

// A Match counts n-grams.
type Match struct {
	N       int     `json:"n,omitempty"` // words per n-gram, where they are not those of Settings.N
	Grams   int     `json:"grams"`       // n-grams there are
	Matched int     `json:"matched"`     // n-grams that are in some source
	Common  int     `json:"common"`      // of them, too common to name a source
	Percent float64 `json:"percent"`     // matched of all, 0 to 100
	Run     int     `json:"run"`         // longest run, in words
}

// A Score says how much of the suspect passages cover.
type Score struct {
	Words    int                `json:"words"`                    // of the suspect
	Covered  int                `json:"covered"`                  // by any passage, each word once
	Percent  float64            `json:"percent"`                  // covered of all, 0 to 100
	Grades   map[string]int     `json:"grades"`                   // words by the best grade that covers them
	Percents map[string]float64 `json:"grade_percents,omitempty"` // the same as shares of all words, 0 to 100
	Reworded bool               `json:"reworded_only,omitempty"`  // no word is covered by a passage of another grade
	Run      int                `json:"longest_run,omitempty"`    // of equal words in the passages
}

// NewScore returns a total as the score of a suspect of this many words.
func NewScore(words int, t score.Total) Score {
	s := Score{Words: words, Covered: t.Covered, Percent: t.Percent, Run: t.Run, Grades: map[string]int{}, Percents: map[string]float64{}}
	for i, name := range grades {
		s.Grades[name], s.Percents[name] = t.Grades[i], score.Percent(t.Grades[i], words)
	}
	s.Reworded = s.Covered > 0 && s.Grades[Reworded] == s.Covered
	return s
}

// A Source is an indexed document that shares something with the suspect.
type Source struct {
	ID      string            `json:"id"`   // store.DocID
	Name    string            `json:"name"` // what people call the document by: its prefix, and its path relative to its base
	Prefix  string            `json:"prefix,omitempty"`
	Path    string            `json:"path,omitempty"`    // whole path of its file, where that is known: a detail
	Own     string            `json:"own,omitempty"`     // how it is the suspect's own: OwnFile, OwnText or OwnVersion; older results do not say
	Title   string            `json:"title,omitempty"`   // as people say, or else as its format states
	Author  string            `json:"author,omitempty"`  // likewise
	Year    int               `json:"year,omitempty"`    // likewise
	Address string            `json:"address,omitempty"` // where it can be read, as people say, or else what holds it
	Labels  map[string]string `json:"labels,omitempty"`  // that people gave it, each with its value
	Match   Match             `json:"match"`             // n-grams of the suspect that are in this source
	Covered int               `json:"covered"`           // words of the suspect in passages from this source
	Percent float64           `json:"percent"`           // covered of the suspect's words, 0 to 100
	Counted int               `json:"counted"`           // words of the suspect for which this is the best source
	Words   int64             `json:"words"`             // of the source
	Bytes   int64             `json:"bytes"`             // of its original text
	Scanned int               `json:"scanned,omitempty"` // pages of which a program has read the text in their pictures: some words may be wrong
	// Language is the code of its language, if that was detected and is not that of the suspect.
	Language string `json:"language,omitempty"`

	// Pairs of neighbouring words near each other in both texts, and the sum of
	// their weights: where these name the source, beside n-grams or alone.
	Pairs     int     `json:"pairs,omitempty"`
	PairScore float64 `json:"pair_score,omitempty"`

	// Copies of one text, and texts that share one page, have passages at the same
	// places of the suspect. Each is a source; the first of them counts for all.
	LikeSource *int `json:"like_source,omitempty"` // index of the first of them, where this is a further one
	Alike      int  `json:"alike,omitempty"`       // how many further ones there are, where this is the first

	Hinted bool `json:"hinted,omitempty"`  // listed for its hints only
	Among  bool `json:"among,omitempty"`   // another text of the run, not a document of the index
	NoText bool `json:"no_text,omitempty"` // its text could not be read: its passages have no place in it

	// Share is the number of words of the suspect that are in a private collection, at least. Its
	// passages have no places.
	Share int `json:"share,omitempty"`

	// Excerpts are the parts of the source's original text around the
	// passages, in order and apart, where the search was asked for them.
	Excerpts []Excerpt `json:"excerpts,omitempty"`
}

// An Excerpt is a part of an original text.
type Excerpt struct {
	Span
	Text string `json:"text"`
}

// A Paragraph is a paragraph of the suspect that shares something.
type Paragraph struct {
	Number  int               `json:"number"` // from 1, of those with words
	Place   Span              `json:"place"`
	Words   int               `json:"words"`
	Match   Match             `json:"match"`
	Sources []ParagraphSource `json:"sources"`        // by falling share, then name
	Text    string            `json:"text,omitempty"` // original text, with Settings.Detail
}

// A ParagraphSource is what one source shares with one paragraph.
type ParagraphSource struct {
	Source int     `json:"source"` // index in Result.Sources
	Match  Match   `json:"match"`
	Places []Place `json:"places,omitempty"` // runs, with Settings.Detail
}

// A Place is a run of words in both texts.
type Place struct {
	Suspect Span `json:"suspect"`
	Source  Span `json:"source"`
	Words   int  `json:"words"`
}

// Grades of a passage, from the surest to the freest.
const (
	Verbatim = "verbatim"
	Edited   = "lightly edited"
	Reworded = "reworded"
)

// grades are the grades of a passage, the surest first.
var grades = []string{Verbatim, Edited, Reworded}

// gradeOf returns the place of a grade in grades, or -1.
func gradeOf(name string) int { return slices.Index(grades, name) }

// Kinds of passage, by what found it.
const (
	KindExact   = "exact"   // joined n-grams, or a run of equal words
	KindAligned = "aligned" // alignment of the two texts
	KindSummary = "summary" // a shortened version of a longer stretch
)

// A Passage is a stretch of the suspect aligned with a stretch of one source.
type Passage struct {
	Number      int     `json:"number"` // from 1, by place in the suspect
	Source      int     `json:"source"` // index in Result.Sources
	Kind        string  `json:"kind"`
	Grade       string  `json:"grade"`
	Group       string  `json:"group,omitempty"` // one of Groups; older results do not say
	Suspect     Span    `json:"suspect"`
	Page        int     `json:"page,omitempty"`      // page of the suspect on which it starts, from 1; 0 if the format has no pages
	LastPage    int     `json:"last_page,omitempty"` // page on which it ends
	Origin      Span    `json:"origin"`              // in the source
	Word        int     `json:"word"`                // first word on the suspect's side, counted from 0
	Words       int     `json:"words"`               // of the suspect's side
	OriginWords int     `json:"origin_words"`        // of the source's side
	Matched     int     `json:"matched"`             // words matched one to one
	Run         int     `json:"run"`                 // longest run of equal words
	Gaps        int     `json:"gaps"`                // stretches of unmatched words between matched ones
	Common      float64 `json:"common"`              // share of its n-grams that are common, 0 to 1
	Counted     int     `json:"counted"`             // words for which this is the best passage
	Equal       []Run   `json:"equal"`               // where both sides have the same words
	Witnesses   int     `json:"witnesses,omitempty"` // other documents that share about as much of its wording
}

// A Run is a stretch of equal words in both texts: byte offsets of the first
// and past the last, on both sides.
type Run struct {
	Suspect [2]int `json:"suspect"`
	Origin  [2]int `json:"origin"`
	Words   int    `json:"words"`
}

// An Exclusion is a stretch of the suspect that a reader may want to leave out
// of the score, such as a quotation. Package search/exclude says the kinds.
type Exclusion struct {
	Kind  string `json:"kind"`
	Place Span   `json:"place"`
	Word  int    `json:"word"` // first word, counted from 0
	Words int    `json:"words"`
}

// An Unread is a file that could not be used, and why.
type Unread struct {
	Path   string `json:"path"`
	Reason string `json:"reason"` // in English

	Message *phrase.Stored `json:"message,omitempty"` // of the reason, by which reports translate it
}

// NewUnread returns a file with the reason why it could not be read.
func NewUnread(path string, err error) Unread {
	return Unread{Path: path, Reason: err.Error(), Message: phrase.StoredOf(err)}
}
