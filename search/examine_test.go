package search

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search/hint"
	"github.com/otisk/otisk/store"
)

// reduced is an index whose finder of pairs returns only the hits that it has to, as one in a cluster.
type reduced struct{ store.Reader }

func (r reduced) NearPairs(ctx context.Context, q store.PairQuery) (store.PairFinder, error) {
	f, err := r.Reader.NearPairs(ctx, q)
	if err != nil {
		return nil, err
	}
	least := map[store.DocID]float64{}
	if q.Lower != nil {
		if least, err = q.Lower(ctx); err != nil {
			return nil, err
		}
	}
	return reducedFinder{f, q, least}, nil
}

// A reducedFinder returns hits with a score and all hits near them.
type reducedFinder struct {
	store.PairFinder
	query store.PairQuery
	lower map[store.DocID]float64
}

func (f reducedFinder) Complete() bool { return false }

func (f reducedFinder) Near(ctx context.Context, stretch int) (map[store.DocID][]store.PairHit, error) {
	hits, err := f.PairFinder.Near(ctx, stretch)
	for doc, list := range hits {
		least := f.query.Least
		if lower, ok := f.lower[doc]; ok {
			least = min(least, lower)
		}
		kept := map[store.PairHit]bool{}
		for _, at := range list {
			near := slices.DeleteFunc(slices.Clone(list), func(h store.PairHit) bool {
				return max(h.Word-at.Word, at.Word-h.Word) > store.NearWords || max(h.Block-at.Block, at.Block-h.Block) > store.NearBlocks
			})
			if weightOf(near) < least {
				continue
			}
			for _, h := range near {
				kept[h] = true
			}
		}
		hits[doc] = slices.DeleteFunc(list, func(h store.PairHit) bool { return !kept[h] })
	}
	return hits, err
}

// weightOf returns the sum of the weights of the different pairs of hits.
func weightOf(hits []store.PairHit) (sum float64) {
	slices.SortFunc(hits, func(a, b store.PairHit) int { return cmp.Compare(a.Pair, b.Pair) })
	for i, h := range hits {
		if i == 0 || h.Pair != hits[i-1].Pair {
			sum += h.Value
		}
	}
	return sum
}

// TestReducedFinder: the report does not depend on how many hits an index returns at first. Two long
// sources share a few words at places that alone would name none.
func TestReducedFinder(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 3))
	set := normSet(t, normalize.Whole)
	texts, suspect := map[string]string{}, madeUp(r, 200)
	for i := range 6 {
		source := madeUp(r, 7000)
		texts[fmt.Sprint("/", i)] = strings.Join(source, " ")
		suspect = slices.Concat(suspect, reworded(r, source[1000:1120]), madeUp(r, 200), source[4000:4003], madeUp(r, 200))
		if i%3 == 0 {
			suspect = slices.Concat(suspect, source[5000:5030], madeUp(r, 200))
		}
	}
	s := marked(t, set, 4, texts)
	doc := plain(strings.Join(suspect, " "))
	want, err := check(t.Context(), s, set, Options{N: 4}, doc)
	if err != nil || len(want.Sources) != 6 || len(want.Passages) < 8 {
		t.Fatalf("%+v, %v; want six sources with eight passages or more", want, err)
	}
	got, err := check(t.Context(), reduced{s}, set, Options{N: 4}, doc)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := asJSON(t, got), asJSON(t, want); got != want {
		t.Errorf("with few hits at first: %s\nwant %s", got, want)
	}
}

func asJSON(t *testing.T, r *Result) string {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// distant is an index whose look-up of pairs ends once hints were prepared.
type distant struct {
	store.Reader
	prepared chan bool
}

func (d distant) NearPairs(ctx context.Context, q store.PairQuery) (store.PairFinder, error) {
	select {
	case <-d.prepared:
	case <-time.After(10 * time.Second):
		return nil, errors.New("no hints were prepared meanwhile")
	}
	return d.Reader.NearPairs(ctx, q)
}

// preparing is lastParagraphs, and sends when it is prepared.
type preparing struct {
	lastParagraphs
	prepared chan bool
}

func (p preparing) Prepare(suspect *hint.Text) hint.Search {
	select {
	case p.prepared <- true:
	default: // the first one counts
	}
	return p.lastParagraphs.Prepare(suspect)
}

// TestHintsArePreparedMeanwhile: while a server looks up pairs, the suspect is prepared for its sources.
func TestHintsArePreparedMeanwhile(t *testing.T) {
	const text = "Most lanes of the old town lead down to the river where barges once waited for salt."
	set, prepared := normSet(t, normalize.Blank), make(chan bool, 1)
	s := distant{index(t, set, 3, map[string]string{"/source": text}), prepared}
	r, err := check(t.Context(), s, set, Options{N: 3, Hints: []hint.Finder{preparing{prepared: prepared}}}, plain(text))
	if err != nil || len(r.Sources) != 1 {
		t.Errorf("%+v, %v, want a source", r, err)
	}
}
