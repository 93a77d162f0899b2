package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/normalize"
)

const original = `The lighthouse keeper had counted every ship that passed the northern rocks since the great storm
of his childhood. In a ledger bound with sailcloth he noted their names, their flags and the colour of their lanterns,
and when the winter fog made all of that impossible he wrote down the sound of their bells instead. Nobody had asked
him to do so; the harbour master thought it a waste of good ink, and his daughter feared that he was losing his mind.`

// edited is original with words changed, left out and put in.
const edited = `The old lighthouse keeper had counted each ship that sailed past the northern rocks ever since the great storm
of his childhood. In a thick ledger bound with sailcloth he noted down their names, flags and the hue of their lanterns,
and when winter fog made that impossible he recorded the sound of their bells instead. Nobody asked
him to do this; the harbour master considered it a waste of good ink, while his daughter feared he was losing his mind.`

const unrelated = `Bread made with rye needs more patience than any other, because the dough hardly rises during the first hours
and seems dead to those who bake it for the first time. A warm stove, a damp towel and a night of sleep do the rest.`

func TestEditedCopyIsOnePassage(t *testing.T) {
	set := normSet(t, normalize.Auto)
	s := index(t, set, 5, map[string]string{"/keeper": unrelated + "\n\n" + original, "/bread": unrelated})
	text := "My own words come first in this essay on lonely places.\n\n" + edited + "\n\nAnd here is some more of mine about the sea."
	r := search(t, s, set, text, Options{N: 5})
	if len(r.Passages) != 1 {
		t.Fatalf("%d passages, want one: %+v", len(r.Passages), r.Passages)
	}
	p := r.Passages[0]
	if got := text[p.Suspect.Start:p.Suspect.End]; !strings.HasPrefix(got, "The old lighthouse") || !strings.HasSuffix(got, "losing his mind") {
		t.Errorf("the passage is %q", got)
	}
	if p.Grade == Verbatim || p.Kind != KindAligned || r.Sources[p.Source].Name != "/keeper" {
		t.Errorf("kind %s, grade %s, source %s; want aligned, not verbatim, /keeper", p.Kind, p.Grade, r.Sources[p.Source].Name)
	}
	exact := search(t, s, set, text, Options{N: 5, Exact: true})
	if len(exact.Passages) < 3 {
		t.Errorf("--exact gives %d passages, want the pieces between the edits", len(exact.Passages))
	}
}

// TestFollowingPassagesAreJoined: three verbatim stretches of a source with some 40 words of the suspect's own between the first two and 70 before the
// third are a joined passage of two parts, and one more passage. Only the parts count.
func TestFollowingPassagesAreJoined(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	set := normSet(t, normalize.Auto)
	source := madeUp(r, 400)
	part := func(from int) string { return strings.Join(source[from:from+80], " ") }
	own := func(words int) string { return " " + strings.Join(madeUp(r, words), " ") + " " }
	text := own(50) + part(20) + own(40) + part(140) + own(70) + part(230) + own(50)
	for _, exact := range []bool{false, true} {
		s := index(t, set, 5, map[string]string{"/source": strings.Join(source, " ")})
		result := search(t, s, set, text, Options{N: 5, Exact: exact})
		if len(result.Passages) != 3 || len(result.Joined) != 1 || len(result.Whole()) != 2 {
			t.Fatalf("exact %v: %d passages, joined %+v; want 3, of which two are joined", exact, len(result.Passages), result.Joined)
		}
		j, first, second := result.Joined[0], result.Passages[0], result.Passages[1]
		if !slices.Equal(j.Parts, []int{1, 2}) || j.Suspect.Start != first.Suspect.Start || j.Suspect.End != second.Suspect.End ||
			j.Origin.RuneStart != first.Origin.RuneStart || j.Origin.RuneEnd != second.Origin.RuneEnd {
			t.Errorf("exact %v: bounds of %+v, of its parts %+v and %+v", exact, j, first.Suspect, second.Suspect)
		}
		if j.Words != first.Words+second.Words || j.Between != second.Word-first.Word-first.Words || j.Run != max(first.Run, second.Run) ||
			j.Counted != first.Counted+second.Counted || result.Score.Covered != j.Words+result.Passages[2].Words {
			t.Errorf("exact %v: %+v, score %+v: not the sums of the parts", exact, j, result.Score)
		}
	}
}

// TestSummariesHaveTheirKind: six words of every sixty of a source, where summaries are
// looked for.
func TestSummariesHaveTheirKind(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	set := normSet(t, normalize.Auto)
	source := madeUp(r, 1500)
	var phrases []string
	for at := 0; at+6 < len(source); at += 60 {
		phrases = append(phrases, source[at:at+6]...)
	}
	s := marked(t, set, 4, map[string]string{"/long": strings.Join(source, " ")})
	text := strings.Join(slices.Concat(madeUp(r, 500), phrases, madeUp(r, 500)), " ")
	for _, summary := range []bool{true, false} {
		list := search(t, s, set, text, Options{N: 4, Summary: summary}).Passages
		if got := len(list) == 1 && list[0].Kind == KindSummary && list[0].OriginWords > 1300; got != summary || !summary && len(list) > 0 {
			t.Errorf("summaries %v: passages %+v", summary, list)
		}
	}
}

// TestPassagesCanBeRecounted takes texts with every kind of white space and letters, and
// recounts the figures of each passage.
func TestPassagesCanBeRecounted(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	set := normSet(t, normalize.Auto)
	norm, _ := set.For("txt")
	for round := range 30 {
		sources := map[string]string{}
		for i := range 3 {
			sources[fmt.Sprint("/", i)] = "\ufeff" + wild(rng, 300)
		}
		var b strings.Builder
		for i := range 3 {
			words := strings.Fields(sources[fmt.Sprint("/", i)])
			at := rng.IntN(200)
			b.WriteString(wild(rng, 60) + mutate(rng, words[at:at+60]) + "\r\n\r\n")
		}
		suspect := b.String()
		r := search(t, index(t, set, 5, sources), set, suspect, Options{N: 5, Texts: true})
		for _, p := range r.Passages {
			source := sources[r.Sources[p.Source].Name]
			recount(t, norm, p, suspect, source)
		}
		if len(r.Passages) == 0 {
			t.Errorf("round %d: no passage found", round)
		}
	}
}

// wild returns words separated by all sorts of white space, in composed and
// decomposed letters.
func wild(rng *rand.Rand, words int) string {
	parts := []string{" ", "\t", "\r\n", "  ", ", ", ". ", " – ", "\u00a0"}
	letters := []string{"a", "B", "č", "e\u0301", "Ř", "u\u030a", "k", "-", "t", "o", "s", "n", "\u00ad", "i"}
	var b strings.Builder
	for range words {
		for range 4 + rng.IntN(5) {
			b.WriteString(letters[rng.IntN(len(letters))])
		}
		b.WriteString("x" + parts[rng.IntN(len(parts))])
	}
	return b.String()
}

// mutate changes a word here and there.
func mutate(rng *rand.Rand, words []string) string {
	out := slices.Clone(words)
	for range 4 {
		out[rng.IntN(len(out))] = "jinak"
	}
	return strings.Join(out, " ") + " "
}

func recount(t *testing.T, norm *normalize.Normalizer, p Passage, suspect, source string) {
	t.Helper()
	a, b := textsOf(norm, suspect, p.Suspect), textsOf(norm, source, p.Origin)
	if len(a) != p.Words || len(b) != p.OriginWords {
		t.Errorf("passage %d says %d and %d words, the texts have %d and %d", p.Number, p.Words, p.OriginWords, len(a), len(b))
	}
	if got := matched(a, b); got != p.Matched {
		t.Errorf("passage %d says %d words match, the texts have %d", p.Number, p.Matched, got)
	}
	if got := longest(a, b); got != p.Run {
		t.Errorf("passage %d says a run of %d, the texts have %d", p.Number, p.Run, got)
	}
	for _, r := range p.Equal {
		x := textsOf(norm, suspect, Span{Start: r.Suspect[0], End: r.Suspect[1]})
		y := textsOf(norm, source, Span{Start: r.Origin[0], End: r.Origin[1]})
		if !slices.Equal(x, y) || len(x) != r.Words {
			t.Errorf("passage %d: %v and %v are said to be %d equal words", p.Number, x, y, r.Words)
		}
	}
	for _, side := range []struct {
		text string
		at   Span
	}{{suspect, p.Suspect}, {source, p.Origin}} {
		if got := string([]rune(side.text)[side.at.RuneStart:side.at.RuneEnd]); got != side.text[side.at.Start:side.at.End] {
			t.Errorf("passage %d: code points give %q, bytes %q", p.Number, got, side.text[side.at.Start:side.at.End])
		}
	}
}

func textsOf(norm *normalize.Normalizer, text string, at Span) []string {
	var list []string
	for s := norm.Scan(text[at.Start:at.End], normalize.Whole); s.Next(); {
		list = append(list, string(s.Word()))
	}
	return list
}

// matched pairs the words of both sides one to one.
func matched(a, b []string) (count int) {
	free := map[string]int{}
	for _, w := range a {
		free[w]++
	}
	for _, w := range b {
		if free[w] > 0 {
			free[w]--
			count++
		}
	}
	return count
}

// longest returns the longest run of equal consecutive words.
func longest(a, b []string) (run int) {
	for i := range a {
		for j := range b {
			k := 0
			for i+k < len(a) && j+k < len(b) && a[i+k] == b[j+k] {
				k++
			}
			run = max(run, k)
		}
	}
	return run
}
