package search

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/internal/testing/golden"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
)

// TestWholeResult checks all fields of a result for a text of several pages, with a reworded
// copy from two sources, an exact one, a set phrase of many documents, a quotation,
// a template, and a source whose file is gone.
func TestWholeResult(t *testing.T) {
	set := normSet(t, normalize.Auto)
	s := memory.New(store.Settings{KeepTexts: true})
	const phrase = "as is well known to all who read this"
	const declared = "I declare that I wrote this thesis on my own"
	exact := "Every gannet on the island had been ringed twice, and the third winter brought none of them back to the cliffs where they were born."
	doc := func(name, text string, say func(d *document.Document)) {
		d := &document.Document{Path: name, Ext: "txt", Text: text, Format: "text"}
		if say != nil {
			say(d)
		}
		if err := indexer.Add(t.Context(), s, name, d, indexer.Options{N: 4, Norms: set, Pairs: true}); err != nil {
			t.Fatal(err)
		}
	}
	doc("keeper.txt", unrelated+"\n\n"+original, func(d *document.Document) {
		d.Title, d.Author, d.Year, d.Address = "The Keeper", "A. Writer", 1999, "https://example.org/keeper"
		d.Labels = map[string]string{"series": "Tales"}
	})
	doc("keeper-again.txt", "Now on to something else.\n\n"+original, nil)
	doc("gannets.txt", "Birds – číslo jedna.\n\n"+exact+"\n\nThat is all.", nil)
	for i := range 4 {
		doc(fmt.Sprintf("phrase%d.txt", i), phrase+fmt.Sprint(" in our field, says number ", i), nil)
	}
	if err := s.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	first := declared + ". My own words come first – žluté – in this essay on lonely places, " + phrase + " here.\n\n"
	second := edited + "\n\nHe wrote of it: “" + exact + "” Nobody answered.\n\n"
	third := "And here is more of mine about the sea. Nobody had asked him to do so; that is what they say.\n\nReferences\n\n" +
		"Broder, A. (1997). On the resemblance of documents. SEQUENCES, pp. 21–29.\n\nManber, U. (1994). Finding similar files. USENIX."
	thesis := &document.Document{
		Path: "thesis.pdf", Format: "pdf", Ext: "pdf", Encoding: "utf-8", Title: "Of lonely places", Author: "S. Tudent",
		Text: first + second + third, Pages: []int{0, len(first), len(first + second)},
		Flags: []document.Flag{{Kind: "hidden", Start: len(first), End: len(first) + 7, Count: 7, Detail: "white"}},
		Marks: []document.Mark{
			{Kind: document.Quote, Start: 0, End: 9},
			{Kind: document.Recognized, Start: len(first), End: len(first) + 90}, {Kind: document.Doubtful, Start: len(first) + 4, End: len(first) + 7},
		},
	}
	least, run := 3.5, 9
	checked := time.Date(2026, 5, 17, 10, 30, 15, 987654321, time.UTC)
	searcher, err := New(t.Context(), s, set, Options{
		N: 4, Common: 3, Texts: true, Detail: true, MinPercent: &least, MinRun: &run, Version: "1.2", Checked: checked, Changed: checked.Add(-time.Hour),
		Templates: []string{declared},
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := searcher.Search(t.Context(), thesis)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "result.golden", string(text)+"\n")
}

// TestLongTexts: the passages of long texts, of which windows are aligned and in which chance
// names sources too.
func TestLongTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 97))
	set := normSet(t, normalize.Auto)
	texts := map[string]string{}
	var suspect []string
	for i := range 6 {
		words := madeUp(r, 9_000+3_000*i)
		from := 1000 + r.IntN(5000)
		suspect = slices.Concat(suspect, madeUp(r, 700), reworded(r, words[from:from+120]), madeUp(r, 900+400*i), words[from+2000:from+2030], madeUp(r, 300))
		if i%2 == 0 {
			suspect = slices.Concat(suspect, reworded(r, words[from+500:from+536]), madeUp(r, 500), words[from+600:from+607])
		}
		texts[fmt.Sprintf("source%d", i)] = paragraphed(r, words)
	}
	for i := range 6 {
		texts[fmt.Sprintf("other%d", i)] = paragraphed(r, madeUp(r, 8_000))
	}
	short := madeUp(r, 400)
	suspect = slices.Concat(suspect, reworded(r, short[100:190]))
	texts["short"] = paragraphed(r, short)
	text := paragraphed(r, suspect)
	var b strings.Builder
	for _, sampled := range []bool{false, true} {
		settings := store.Settings{KeepTexts: true}
		if sampled {
			settings.Normalization = map[string]string{store.SampleSetting: "16"}
		}
		s := memory.New(settings)
		for _, name := range slices.Sorted(maps.Keys(texts)) {
			doc := &document.Document{Path: name, Ext: "txt", Text: texts[name], Format: "text"}
			if err := indexer.Add(t.Context(), s, name, doc, indexer.Options{N: 4, Norms: set, Pairs: true}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, opts := range []Options{{N: 4}, {N: 4, Summary: true, Texts: true}, {N: 4, Exact: true}} {
			fmt.Fprintf(&b, "sampled %v, exact %v\n", sampled, opts.Exact)
			var work Work
			opts.Work = &work
			found := search(t, s, set, text, opts)
			for _, u := range found.Unsearched {
				fmt.Fprintf(&b, "%s %d %d %d: %s\n", u.Kind, u.Count, u.Words, u.Limit, u.Detail)
			}
			for _, x := range found.Sources {
				excerpt := 0
				for _, e := range x.Excerpts {
					excerpt += len(e.Text)
				}
				fmt.Fprintf(&b, "%s %+v, covered %d, counted %d, pairs %d %.2f, excerpts %d\n", x.Name, x.Match, x.Covered, x.Counted, x.Pairs, x.PairScore, excerpt)
			}
			for _, p := range found.Passages {
				fmt.Fprintf(&b, "%s, %s, words %d to %d, %s %d to %d, %d of them, %d matched, run of %d, %d runs\n", p.Kind, p.Grade, p.Word, p.Word+p.Words,
					found.Sources[p.Source].Name, p.Origin.Start, p.Origin.RuneEnd, p.OriginWords, p.Matched, p.Run, len(p.Equal))
			}
			fmt.Fprintf(&b, "faint %d, windows %d, aligned %d\n", work.Faint.Load(), work.Windows.Load(), work.Aligned.Load())
		}
	}
	golden.Compare(t, "long.golden", b.String())
}
