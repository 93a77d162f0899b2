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

// privateReport returns a report on 200 words, and a search of the same words in a private collection, which
// has those from number 40 to number 160.
func privateReport() (r *Report, found *search.Result, words []normalize.Word) {
	var text strings.Builder
	for i := range 200 {
		start := text.Len()
		fmt.Fprintf(&text, "word%d", i*i)
		words = append(words, normalize.Word{Text: text.String()[start:], Start: start, End: text.Len()})
		text.WriteByte(' ')
	}
	suspect := search.Suspect{Path: "essay.txt", Text: text.String(), Bytes: text.Len(), Runes: text.Len(), Words: 200, Paragraphs: 1, NewLine: "true"}
	place := [2]int{words[40].Start, words[159].End}
	found = &search.Result{
		Suspect: suspect, Sources: []search.Source{{ID: "00000000000000a1", Name: "klandestin.txt", Title: "Obscurum", Excerpts: []search.Excerpt{{Text: "vermilion"}}}},
		Passages: []search.Passage{{Number: 1, Grade: search.Verbatim, Words: 120, Equal: []search.Run{{Suspect: place, Origin: [2]int{7, 900}, Words: 120}}}},
	}
	return &Report{Result: search.Result{Suspect: suspect}}, found, words
}

// TestAddPrivate: a report has nothing of a private source but its owner and where long unchanged passages are. One word
// more or less at an end changes nothing, unless the end is a cut.
func TestAddPrivate(t *testing.T) {
	c := &PrivateCollection{Number: 3, Owner: "dean", Secret: "secret"}
	of := func(string) *PrivateCollection { return c }
	r, found, words := privateReport()
	list := PrivateSources(found, words, of)
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
	if len(list) != 1 || list[0].Collection != 3 || len(r.Passages) != 1 || r.Sources[0].Name != "private source 1 (dean)" {
		t.Fatalf("sources %+v, passages %+v, want one of each", r.Sources, r.Passages)
	}
	p := r.Passages[0]
	if p.Word < 41 || p.Word+p.Words > 159 || p.Words < leastPrivate || r.Score.Covered != p.Words || r.Sources[0].Covered != p.Words || p.Suspect.Start != words[p.Word].Start || p.Suspect.End != words[p.Word+p.Words-1].End {
		t.Errorf("passage %+v with score %+v, want a part of the words 40 to 160", p, r.Score)
	}
	var ends []int // of the passage, in words
	for end := 120; end < 180; end++ {
		again, found, words := privateReport()
		found.Passages[0].Equal[0].Suspect[1] = words[end].End
		AddPrivate(again, PrivateSources(found, words, of))
		if len(again.Passages) == 1 {
			ends = append(ends, again.Passages[0].Words)
		}
	}
	if ends = slices.Compact(ends); len(ends) > 6 {
		t.Errorf("60 lengths of a match show as %d, want few", len(ends))
	}
	other, found, words := privateReport()
	c.Secret = "another"
	AddPrivate(other, PrivateSources(found, words, of))
	if len(other.Passages) == 1 && other.Passages[0].Suspect == p.Suspect {
		t.Error("the passage does not depend on the secret")
	}
}

// TestAddPrivateOrder: passages of private sources are in their place among the others, and joined passages keep their
// parts.
func TestAddPrivateOrder(t *testing.T) {
	r, found, words := privateReport()
	at := func(from, to int) search.Passage {
		return search.Passage{Grade: search.Verbatim, Suspect: spanIn(r.Suspect.Text, words[from].Start, words[to-1].End), Word: from, Words: to - from, Matched: to - from, Equal: []search.Run{}}
	}
	r.Sources = []search.Source{{ID: "00000000000000b2", Name: "open.txt"}}
	r.Passages = []search.Passage{at(10, 20), at(30, 38), at(170, 180)}
	for i := range r.Passages {
		r.Passages[i].Number = i + 1
	}
	r.Joined = []search.Joined{{Parts: []int{2, 3}}}
	AddPrivate(r, PrivateSources(found, words, func(string) *PrivateCollection { return &PrivateCollection{Owner: "dean", Secret: "secret"} }))
	if len(r.Passages) != 4 || r.Passages[2].Source != 1 || !slices.Equal(r.Joined[0].Parts, []int{2, 4}) || r.Sources[0].Name != "open.txt" || r.Sources[0].Covered != 28 {
		t.Errorf("passages %+v, joined %v, sources %+v", r.Passages, r.Joined, r.Sources)
	}
	if _, err := ReadJSON(strings.NewReader(render(t, "json", r, Options{}))); err != nil {
		t.Error(err)
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
