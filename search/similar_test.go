package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search/hint"
)

// invented returns words of six letters that nothing else has.
func invented(from, count int) []string {
	var list []string
	for i := from; i < from+count; i++ {
		list = append(list, fmt.Sprintf("%c%c%c%cum", 'a'+i/20%20, 'a'+i%20, 'a'+i/400, 'b'+i%3))
	}
	return list
}

// TestSimilarToARewriting: the source of a rewritten short text is the most similar document, though both share no more than single
// words and a pair that other documents have, too. It is not in the report otherwise. No text is read for a suspect that is not short.
func TestSimilarToARewriting(t *testing.T) {
	set := normSet(t, normalize.Auto)
	const common = "ordinary meeting"
	words := invented(0, 40)
	texts := map[string]string{"source": strings.Join(words, " ") + " " + common}
	for i := range 30 {
		text := strings.Join(invented(1000+60*i, 40), " ")
		if i < 2 {
			text += " " + common
		}
		texts[fmt.Sprint("other", i)] = text
	}
	var rewritten []string
	for i, own := range invented(4000, 20) {
		rewritten = append(rewritten, own, words[2*i%40])
	}
	suspect := strings.Join(rewritten, " ") + " " + common
	s := index(t, set, 7, texts)
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"short", suspect, []string{"source"}},
		{"not short", suspect + " " + strings.Join(invented(5000, shortText), " "), []string{}},
	} {
		r := search(t, s, set, tt.text, Options{N: 7, Hints: []hint.Finder{hint.NewRewritten(hint.DefaultParams())}})
		var got []string
		for _, x := range r.Similar {
			got = append(got, x.Name)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: similar are %v, want %v", tt.name, got, tt.want)
		}
		if len(r.Sources)+len(r.Passages)+len(r.Hints)+len(r.Unsearched) > 0 {
			t.Errorf("%s: %d sources, %d passages, %d hints, not searched: %v; want none", tt.name, len(r.Sources), len(r.Passages), len(r.Hints), r.Unsearched)
		}
	}
}
