package search

import (
	"math/rand/v2"
	"testing"

	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search/score"
)

// TestScoreCountedAgain counts the score from the result alone, as a report
// does once a reader leaves something out: with nothing left out, the figures
// are those of the search.
func TestScoreCountedAgain(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 11))
	set := normSet(t, normalize.Line)
	for range 20 {
		texts := map[string]string{"a": babble(rng, 30, 9), "b": babble(rng, 30, 9), "c": babble(rng, 30, 9)}
		suspect := babble(rng, 5, 9) + "\n" + texts["a"] + "\n" + texts["b"]
		for _, exact := range []bool{true, false} {
			r := search(t, index(t, set, 3, texts), set, suspect, Options{N: 3, Exact: exact})
			in := &score.Input{Words: r.Suspect.Words, Sources: len(r.Sources), Grades: len(grades)}
			for _, p := range r.Passages {
				in.Passages = append(in.Passages, score.Passage{
					Source: p.Source, Word: p.Word, Words: p.Words, Matched: p.Matched, Grade: gradeOf(p.Grade)})
			}
			total := in.Count(score.Choice{})
			if total.Covered != r.Score.Covered || total.Percent != r.Score.Percent {
				t.Fatalf("exact %v: counted again %d words, the search says %d", exact, total.Covered, r.Score.Covered)
			}
			for i, p := range r.Passages {
				if got := total.Passages[i].Counted; got != p.Counted {
					t.Errorf("exact %v: passage %d counts %d words again, the search says %d", exact, p.Number, got, p.Counted)
				}
			}
			for i, s := range r.Sources {
				if got := total.Sources[i]; got.Counted != s.Counted || got.Covered != s.Covered {
					t.Errorf("exact %v: source %d: %+v, the search says %d and %d", exact, i, got, s.Covered, s.Counted)
				}
			}
		}
	}
}
