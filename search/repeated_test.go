package search

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/otisk/otisk/normalize"
)

// coveredWords returns, by word of the suspect, whether a passage covers it.
func coveredWords(t *testing.T, r *Result, text string, set *normalize.Set) []bool {
	t.Helper()
	norm, _ := set.For("txt")
	words, _ := norm.Words(text, normalize.Auto)
	covered := make([]bool, len(words))
	for i, w := range words {
		for _, p := range r.Passages {
			covered[i] = covered[i] || p.Suspect.Start <= w.Start && w.End <= p.Suspect.End
		}
	}
	return covered
}

// TestRepetitionChangesNothing checks texts with reworded passages, and the same texts
// written several times or with a stretch of their own again: in each copy the same
// words are found. So they are where the sources repeat themselves, under other names
// and in another order.
func TestRepetitionChangesNothing(t *testing.T) {
	set := normSet(t, normalize.Auto)
	r := rand.New(rand.NewPCG(11, 12))
	sources := map[string]string{}
	var own, passages []string
	for i := range 12 {
		words := madeUp(r, 400)
		sources[fmt.Sprintf("source %d.txt", i)] = paragraphed(r, words)
		passages = append(passages, paragraphed(r, reworded(r, words[100:250])))
		own = append(own, paragraphed(r, madeUp(r, 200)))
	}
	var text string
	for i := range 6 {
		text += own[i] + "\n\n" + passages[i] + "\n\n"
	}
	twice, renamed := map[string]string{}, map[string]string{}
	for name, s := range sources {
		twice[name] = s + "\n\n" + s[strings.LastIndex(s[:2*len(s)/3], " "):]
		renamed["z"+strings.Repeat(name, 2)] = s
	}
	idx := index(t, set, 7, sources)
	want := coveredWords(t, search(t, idx, set, text, Options{N: 7}), text, set)
	found := 0
	for _, c := range want {
		if c {
			found++
		}
	}
	if found < 600 {
		t.Fatalf("%d words are found, want 600 or more of the 900 that were reworded", found)
	}
	compare := func(name string, got []bool, at int) {
		differ := 0
		for i, c := range want {
			if at+i < len(got) && got[at+i] != c {
				differ++
			}
		}
		if differ*500 > len(want) {
			t.Errorf("%s: %d of %d words are found otherwise", name, differ, len(want))
		}
	}
	for _, times := range []int{2, 20} {
		repeated := strings.Repeat(text, times)
		got := coveredWords(t, search(t, idx, set, repeated, Options{N: 7}), repeated, set)
		for k := range times {
			compare(fmt.Sprintf("written %d times, copy %d", times, k+1), got, k*len(want))
		}
	}
	again := text + text[:len(text)/3]
	compare("its first third again", coveredWords(t, search(t, idx, set, again, Options{N: 7}), again, set), 0)
	for name, texts := range map[string]map[string]string{"sources with a third again": twice, "other names": renamed} {
		compare(name, coveredWords(t, search(t, index(t, set, 7, texts), set, text, Options{N: 7}), text, set), 0)
	}
}
