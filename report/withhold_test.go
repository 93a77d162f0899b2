package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search"
)

// privateReport returns a report on 1,200 words, and a search of the same words in a private collection, which
// has those from number from to number end.
func privateReport(from, end int) (r *Report, found *search.Result, words []normalize.Word) {
	var text strings.Builder
	for i := range 1200 {
		start := text.Len()
		fmt.Fprintf(&text, "word%d", i*i)
		words = append(words, normalize.Word{Text: text.String()[start:], Start: start, End: text.Len()})
		text.WriteByte(' ')
	}
	suspect := search.Suspect{Path: "essay.txt", Text: text.String(), Bytes: text.Len(), Runes: text.Len(), Words: 1200, Paragraphs: 1, NewLine: "true"}
	found = &search.Result{Suspect: suspect, Sources: []search.Source{{ID: "00000000000000a1", Name: "klandestin.txt", Title: "Obscurum", Excerpts: []search.Excerpt{{Text: "vermilion"}}}}}
	if end > from {
		place := [2]int{words[from].Start, words[end-1].End}
		found.Passages = []search.Passage{{Number: 1, Grade: search.Verbatim, Words: end - from, Equal: []search.Run{{Suspect: place, Origin: [2]int{7, 900}, Words: end - from}}}}
	}
	return &Report{Result: search.Result{Suspect: suspect}}, found, words
}

// TestAddPrivate: a report has nothing of a private collection but its owner and a share in few steps. One word more or
// less at an end of a match seldom changes it, and a word elsewhere may.
func TestAddPrivate(t *testing.T) {
	c := &PrivateCollection{Number: 3, Owner: "dean", Secret: "secret"}
	of := func(string) *PrivateCollection { return c }
	r, found, words := privateReport(0, 1200)
	list := PrivateShares(found, words, of)
	AddPrivate(r, list)
	stored := render(t, "json", r, Options{})
	if _, err := ReadJSON(strings.NewReader(stored)); err != nil {
		t.Fatal(err)
	}
	for _, hidden := range []string{"klandestin", "Obscurum", "vermilion", "00000000000000a1", "900"} {
		if strings.Contains(strings.ReplaceAll(stored, r.Suspect.Text, ""), hidden) {
			t.Errorf("the report has %q", hidden)
		}
	}
	if len(list) != 1 || list[0].Collection != 3 || len(r.Passages) > 0 || len(r.Sources) != 1 || r.Sources[0].Name != "private source 1 (dean)" {
		t.Fatalf("sources %+v, passages %+v, want a source without passages", r.Sources, r.Passages)
	}
	if s := r.Sources[0]; s.Share != 600 || s.Covered != 600 || s.Percent != 50 || r.Score.Covered != 600 || r.Score.Grades[search.Verbatim] != 600 {
		t.Errorf("source %+v with score %+v, want half of 1,200 words", s, r.Score)
	}
	shareOf := func(from, end int) int {
		_, found, words := privateReport(from, end)
		for _, p := range PrivateShares(found, words, of) {
			return p.words
		}
		return 0
	}
	shares := map[int]bool{}
	changed, last := 0, 0
	for end := 7; end <= 1200; end += 7 {
		n := shareOf(0, end)
		if shares[n] = true; n > end {
			t.Errorf("of %d words, %d are stated", end, n)
		}
		if n != last {
			changed, last = changed+1, n
		}
	}
	if len(shares) < 4 || len(shares) > 5 || changed != len(shares)-1 {
		t.Errorf("171 lengths of a match show as %v, which change %d times, want 3 or 4 steps", shares, changed)
	}
	if short := shareOf(40, 40+leastPrivate); short > 0 {
		t.Errorf("a match of %d words shows", leastPrivate)
	}
}

// TestAddPrivateInParagraphs: a match in several paragraphs is one if the paragraphs follow each other in the source, too.
func TestAddPrivateInParagraphs(t *testing.T) {
	of := func(string) *PrivateCollection { return &PrivateCollection{Secret: "secret"} }
	for gap, want := range map[int]int{2: 1, paragraphGap + 1: 0} {
		_, found, words := privateReport(0, 1200)
		found.Passages[0].Equal = nil
		at := 7
		for from := 0; from < 1200; from += 60 {
			place := [2]int{words[from].Start, words[from+59].End}
			found.Passages[0].Equal = append(found.Passages[0].Equal, search.Run{Suspect: place, Origin: [2]int{at, at + place[1] - place[0]}, Words: 60})
			at += place[1] - place[0] + gap
		}
		if list := PrivateShares(found, words, of); len(list) != want {
			t.Errorf("paragraphs of 60 words, %d bytes apart in the source, show as %+v, want %d shares", gap, list, want)
		}
	}
}

// TestAddPrivateTwice: blocks that a text has twice do not count, so that it cannot try several continuations.
func TestAddPrivateTwice(t *testing.T) {
	r, found, words := privateReport(0, 400)
	of := func(string) *PrivateCollection { return &PrivateCollection{Secret: "secret"} }
	if len(PrivateShares(found, words, of)) != 1 {
		t.Fatal("a match of 400 words does not show")
	}
	again := slices.Clone(words[:400])
	for i := range again {
		again[i].Start, again[i].End = again[i].Start+len(r.Suspect.Text), again[i].End+len(r.Suspect.Text)
	}
	words = append(words, again...)
	found.Passages[0].Equal = append(found.Passages[0].Equal, search.Run{Suspect: [2]int{again[0].Start, again[399].End}, Words: 400})
	if list := PrivateShares(found, words, of); len(list) > 0 {
		t.Errorf("a match that the text has twice shows as %+v", list)
	}
}

// TestAddPrivateAmongOthers: passages of other sources may be the same words as those of a share, which raises the score
// to its number only. A reader can leave it out.
func TestAddPrivateAmongOthers(t *testing.T) {
	r, found, words := privateReport(0, 1200)
	r.Sources = []search.Source{{ID: "00000000000000b2", Name: "open.txt"}}
	r.Passages = []search.Passage{{Number: 1, Grade: search.Verbatim, Word: 0, Words: 100, Matched: 100, Equal: []search.Run{}}}
	AddPrivate(r, PrivateShares(found, words, func(string) *PrivateCollection { return &PrivateCollection{Owner: "dean", Secret: "secret"} }))
	if len(r.Passages) != 1 || r.Sources[0].Name != "open.txt" || r.Score.Covered != 600 || r.Sources[0].Counted != 100 || r.Sources[1].Counted != 500 {
		t.Errorf("passages %+v, sources %+v, score %+v", r.Passages, r.Sources, r.Score)
	}
	for _, format := range []string{"text", "html", "xml", "junit", "sarif"} {
		if out := render(t, format, r, Options{}); !strings.Contains(out, "dean") || format != "xml" && !strings.Contains(out, "the places are private") {
			t.Errorf("%s does not name the owner and what is private", format)
		}
	}
	r.Review = &Review{Sources: []Decision{{Index: 1, Reason: "other"}}}
	if Apply(r); r.Final().Covered != 100 {
		t.Errorf("without the private source, the score is %+v", r.Final())
	}
	r.Sources[1].Share = 1201
	if _, err := ReadJSON(strings.NewReader(render(t, "json", r, Options{}))); err == nil {
		t.Error("a share that is longer than the text is read")
	}
}

// TestNamesInLanguage: text and page translate the names of private and deleted sources. JSON has the same names in
// all languages, since text and page are made from it.
func TestNamesInLanguage(t *testing.T) {
	const id = "00000000000000c3"
	r := sample()
	Forget(r, map[string]string{r.Sources[0].Name: id}, false)
	earlier := *r // by a version that stored no message of the name
	earlier.Sources, earlier.Messages = slices.Clone(r.Sources), nil
	r.Sources[1].Name, r.Sources[1].NoText = r.Messages.Add(phrase.Error("said.private-source", "private source {number} ({owner})", "number", 1, "owner", "dean")), true
	for _, tt := range []struct {
		r    *Report
		want []string
	}{{r, []string{"smazaný dokument 00000000", "soukromý zdroj 1 (dean)"}}, {&earlier, []string{"smazaný dokument 00000000"}}} {
		for _, format := range []string{"text", "html"} {
			out := render(t, format, tt.r, Options{Lang: lang.Of("cs")})
			for _, want := range tt.want {
				if !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
					t.Errorf("%s lacks %q", format, want)
				}
			}
			for _, english := range []string{"deleted document 0", "private source 1"} {
				if strings.Contains(out, english) {
					t.Errorf("%s has %q", format, english)
				}
			}
		}
		if stored := render(t, "json", tt.r, Options{Lang: lang.Of("cs")}); !strings.Contains(stored, ForgottenName) || strings.Contains(stored, "smazaný") {
			t.Error("JSON has a name in the language of the reader")
		}
	}
}
