package search

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/fingerprint"
	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
)

func normSet(t testing.TB, mode normalize.Mode) *normalize.Set {
	t.Helper()
	rules := normalize.DefaultRules()
	rules.NewLine = mode
	set, err := normalize.NewSet(rules, nil)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// index returns a store with one document for each text, named as in texts.
func index(t testing.TB, set *normalize.Set, n int, texts map[string]string) *memory.Store {
	t.Helper()
	s := memory.New(store.Settings{KeepTexts: true})
	addTo(t, s, set, n, texts)
	return s
}

// addTo indexes texts under n.
func addTo(t testing.TB, s *memory.Store, set *normalize.Set, n int, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		addAs(t, s, set, n, "", name, text)
	}
}

// addAs indexes one text under a prefix and a path.
func addAs(t testing.TB, s *memory.Store, set *normalize.Set, n int, prefix, path, text string) {
	t.Helper()
	norm, _ := set.For("txt")
	mode := norm.Mode(text)
	var hashes, pairs []store.Hash
	var pairer fingerprint.Pairer
	for _, p := range norm.Paragraphs(text, mode) {
		roller := fingerprint.NewRoller(n)
		for _, w := range p.Words {
			if h, ok := roller.Add([]byte(w.Text)); ok {
				hashes = append(hashes, h)
			}
			if p, ok := pairer.Add([]byte(w.Text)); ok {
				pairs = append(pairs, p)
			}
		}
	}
	entry := store.Document{Prefix: prefix, Path: path, Content: text, NewLine: mode.String(), Text: int64(len(text))}
	grams := store.Grams{N: n, Hashes: slices.Values([][]store.Hash{hashes})}
	if err := s.Add(t.Context(), entry, text, []store.Grams{grams}, slices.Values([][]store.Hash{pairs})); err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func search(t testing.TB, s store.Reader, set *normalize.Set, text string, opts Options) *Result {
	t.Helper()
	searcher, err := New(context.Background(), strict{s, t}, set, opts)
	if err != nil {
		t.Fatal(err)
	}
	r, err := searcher.Search(context.Background(), plain(text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// strict is an index that holds its reader to the contract of look-ups: hashes rise.
type strict struct {
	store.Reader
	t testing.TB
}

func (s strict) rise(hashes []store.Hash) {
	for i := range len(hashes) - 1 {
		if hashes[i] >= hashes[i+1] {
			s.t.Errorf("hash %d of a look-up is %d, and the next one %d", i, hashes[i], hashes[i+1])
			return
		}
	}
}

func (s strict) Lookup(ctx context.Context, n int, hashes []store.Hash, limits store.Limits, fn func(store.Hit) error) error {
	s.rise(hashes)
	return s.Reader.Lookup(ctx, n, hashes, limits, fn)
}

func (s strict) LookupPairs(ctx context.Context, pairs []store.Hash, limits store.Limits, fn func(store.Hit) error) error {
	s.rise(pairs)
	return s.Reader.LookupPairs(ctx, pairs, limits, fn)
}

func (s strict) NearPairs(_ context.Context, q store.PairQuery) (store.PairFinder, error) {
	return store.PairsOf(s, q), nil
}

// plain returns a document of plain text.
func plain(text string) *document.Document {
	return &document.Document{Path: "suspect.txt", Format: "text", Ext: "txt", Text: text}
}

// namesOf returns the names of the sources of a result, in its order.
func namesOf(r *Result) string {
	var names []string
	for _, src := range r.Sources {
		names = append(names, src.Name)
	}
	return strings.Join(names, " ")
}

func TestOneCopiedSentence(t *testing.T) {
	set := normSet(t, normalize.Line)
	s := index(t, set, 3, map[string]string{
		"/fox":   "Once upon a time: the quick brown fox jumps over the lazy dog.",
		"/other": "Nothing of that kind is to be found here.",
	})
	text := "My own words come first.\nThen – the QUICK brown fox jumps, over the hedge."
	r := search(t, s, set, text, Options{N: 3, Exact: true, Detail: true, Texts: true})

	if got, want := fmt.Sprintf("%+v", r.Match), "{N:0 Grams:10 Matched:5 Common:0 Percent:50 Run:7}"; got != want {
		t.Errorf("Match = %s, want %s", got, want)
	}
	if len(r.Sources) != 1 || r.Sources[0].Name != "/fox" || len(r.Passages) != 1 || len(r.Paragraphs) != 1 {
		t.Fatalf("%d sources, %d passages, %d paragraphs; want /fox alone", len(r.Sources), len(r.Passages), len(r.Paragraphs))
	}
	p := r.Passages[0]
	if got, want := text[p.Suspect.Start:p.Suspect.End], "the QUICK brown fox jumps, over the"; got != want {
		t.Errorf("suspect's side %q, want %q", got, want)
	}
	runes := []rune(text)
	if got, want := string(runes[p.Suspect.RuneStart:p.Suspect.RuneEnd]), "the QUICK brown fox jumps, over the"; got != want {
		t.Errorf("suspect's side by code points %q, want %q", got, want)
	}
	if e := r.Sources[0].Excerpts[0]; e.Text[p.Origin.Start-e.Start:p.Origin.End-e.Start] != "the quick brown fox jumps over the" {
		t.Errorf("source's side at %+v of excerpt %q", p.Origin, e.Text)
	}
	par := r.Paragraphs[0]
	if par.Number != 2 || par.Match.Matched != 5 || par.Match.Grams != 7 || len(par.Sources[0].Places) != 1 {
		t.Errorf("paragraph = %+v, want number 2 with 5 of 7 n-grams in one place", par)
	}
	if r.Score.Covered != 7 || r.Sources[0].Counted != 7 || r.Score.Grades[Verbatim] != 7 {
		t.Errorf("score = %+v, want 7 words covered, verbatim", r.Score)
	}
}

func TestLimitsAreAlternatives(t *testing.T) {
	set := normSet(t, normalize.Line)
	s := index(t, set, 3, map[string]string{"/s": "a b c d e f g h i j k l m n o p q r s t u v w x y z"})
	text := "a b c d e f g h 1 2 3 4 5 6 7 8 9\nk l m n\n1 2 3 4 o p q r 5 6"
	pct, run := func(v float64) *float64 { return &v }, func(v int) *int { return &v }
	for _, tt := range []struct {
		name string
		opts Options
		want string
	}{
		{"all that shares anything", Options{}, "1 2 3"},
		{"by percent", Options{MinPercent: pct(70)}, "2"},
		{"by run", Options{MinRun: run(8)}, "1"},
		{"by either", Options{MinPercent: pct(70), MinRun: run(8)}, "1 2"},
		{"by zero percent", Options{MinPercent: pct(0)}, "1 2 3"},
		{"out of reach", Options{MinRun: run(9)}, ""},
	} {
		tt.opts.N, tt.opts.Exact = 3, true
		var got []string
		for _, p := range search(t, s, set, text, tt.opts).Paragraphs {
			got = append(got, fmt.Sprint(p.Number))
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: paragraphs %v listed, want %s", tt.name, got, tt.want)
		}
	}
}

func TestCommonGramsCountButNameNoSource(t *testing.T) {
	set := normSet(t, normalize.Line)
	texts := map[string]string{"/copied": "one two three as is well known and so on four five six"}
	for i := range 5 {
		texts[fmt.Sprint("/", i)] = fmt.Sprint("x", i, " as is well known and so on y", i)
	}
	s := index(t, set, 3, texts)
	r := search(t, s, set, "one two three as is well known and so on four five six", Options{N: 3, Common: 5, Exact: true})
	if r.Match.Matched != r.Match.Grams || r.Match.Common != 5 {
		t.Errorf("Match = %+v, want all n-grams matched, 5 of them common", r.Match)
	}
	if len(r.Sources) != 1 || r.Sources[0].Name != "/copied" {
		t.Fatalf("%d sources, want /copied alone", len(r.Sources))
	}
	if m := r.Sources[0].Match; m.Matched != 6 {
		t.Errorf("n-grams that name /copied: %d, want 6", m.Matched)
	}
}

// TestRunGoesOnOverCommonGrams has a copy with a set phrase inside, shorter
// than an n-gram's reach, that is in many documents.
func TestRunGoesOnOverCommonGrams(t *testing.T) {
	set := normSet(t, normalize.Line)
	texts := map[string]string{"/copied": "a1 a2 a3 a4 on the other hand a5 a6 a7 a8"}
	for i := range 5 {
		texts[fmt.Sprint("/", i)] = fmt.Sprint("x", i, " on the other hand y", i)
	}
	s := index(t, set, 4, texts)
	r := search(t, s, set, "a1 a2 a3 a4 on the other hand a5 a6 a7 a8", Options{N: 4, Common: 5, Exact: true})
	if r.Match.Common != 1 || r.Sources[0].Match.Run != 12 || len(r.Passages) != 1 {
		t.Errorf("common %d, run %d, %d passages; want one run of all 12 words over 1 common n-gram",
			r.Match.Common, r.Sources[0].Match.Run, len(r.Passages))
	}
}

func TestTextThatRepeatsItself(t *testing.T) {
	set := normSet(t, normalize.Whole)
	s := index(t, set, 7, map[string]string{"/la": strings.Repeat("la ", 3000)})
	r := search(t, s, set, strings.Repeat("la ", 20_000), Options{N: 7, Exact: true})
	if r.Match.Percent != 100 || r.Score.Percent != 100 {
		t.Errorf("match %v %%, score %v %%, want 100", r.Match.Percent, r.Score.Percent)
	}
	if len(r.Passages) > 200 {
		t.Errorf("%d passages, want the few that it takes to cover the text", len(r.Passages))
	}
}

func TestTooShort(t *testing.T) {
	set := normSet(t, normalize.Line)
	s := index(t, set, 7, map[string]string{"/s": "a b c d e f g h"})
	searcher, err := New(t.Context(), s, set, Options{N: 7})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := searcher.Search(t.Context(), &document.Document{Text: "three words only"}); err == nil || !strings.Contains(err.Error(), "too short") {
		t.Errorf("Search of three words = %v, want an error that says too short", err)
	}
	if _, err := New(t.Context(), s, set, Options{N: 5}); err == nil || !strings.Contains(err.Error(), "n = 7") {
		t.Errorf("New for 5-grams = %v, want an error that names the sizes there are", err)
	}
}

// lying is a store that has the hash of an n-gram where the text has other
// words, as two n-grams of one hash would.
type lying struct {
	*memory.Store
	hash store.Hash
	at   store.Posting
}

func (l *lying) Lookup(ctx context.Context, n int, hashes []store.Hash, limits store.Limits, fn func(store.Hit) error) error {
	return l.Store.Lookup(ctx, n, hashes, limits, func(h store.Hit) error {
		if h.Hash == l.hash {
			h.Postings = append(slices.Clone(h.Postings), l.at)
			slices.SortFunc(h.Postings, func(a, b store.Posting) int { return cmp.Compare(a.Doc, b.Doc) })
		}
		return fn(h)
	})
}

func TestCollisionOfHashesIsNotShown(t *testing.T) {
	set := normSet(t, normalize.Line)
	s := index(t, set, 3, map[string]string{"/true": "the quick brown fox jumps", "/false": "quite another text is this one here"})
	l := &lying{s, fingerprint.Of([]byte("quick brown fox")), store.Posting{Doc: store.IDOf("", "/false"), Pos: 2}}
	r := search(t, l, set, "see the quick brown fox run", Options{N: 3, Exact: true})
	if len(r.Sources) != 1 || r.Sources[0].Name != "/true" {
		t.Errorf("%d sources, want /true alone", len(r.Sources))
	}
}

// TestAgreesWithCounting counts everything again, by comparing words, on texts
// of few different words, which repeat and overlap in every way.
func TestAgreesWithCounting(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	set := normSet(t, normalize.Line)
	for round := range need.Seeds(1000) {
		n := 2 + rng.IntN(4)
		texts := map[string]string{}
		for i := range 1 + rng.IntN(4) {
			texts[fmt.Sprint("/", i)] = babble(rng, 1+rng.IntN(9), 12)
		}
		suspect := babble(rng, 1+rng.IntN(4), 40)
		if !slices.ContainsFunc(strings.Split(suspect, "\n"), func(l string) bool { return len(strings.Fields(l)) >= n }) {
			continue
		}
		r := search(t, index(t, set, n, texts), set, suspect, Options{N: n, Exact: true, Texts: true})
		want := countAnew(suspect, texts, n)
		got := map[string]string{"": fmt.Sprint(r.Match.Matched, " ", r.Match.Run)}
		for _, src := range r.Sources {
			got[src.Name] = fmt.Sprint(src.Match.Matched, " ", src.Match.Run)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("round %d, n = %d: matched and run %v, want %v\nsuspect %q\nsources %q", round, n, got, want, suspect, texts)
		}
		checkPassages(t, r, suspect, texts)
	}
}

// babble returns lines of words from a small vocabulary.
func babble(rng *rand.Rand, lines, words int) string {
	var b strings.Builder
	for range lines {
		for range rng.IntN(words) {
			b.WriteString([]string{"ano ", "ne ", "Možná, ", "žluť ", "e-mail "}[rng.IntN(5)])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func wordsOf(text string) [][]string {
	clean := strings.NewReplacer(",", "", "-", "", "M", "m").Replace(text)
	var lines [][]string
	for _, line := range strings.Split(clean, "\n") {
		lines = append(lines, strings.Fields(line))
	}
	return lines
}

// countAnew returns "matched run" by source, "" for all of them together.
func countAnew(suspect string, texts map[string]string, n int) map[string]string {
	out := map[string]string{}
	union, longest := map[[2]int]bool{}, 0
	lines := wordsOf(suspect)
	for name, text := range texts {
		matched, run, sources := map[[2]int]bool{}, 0, wordsOf(text)
		for li, line := range lines {
			for i := range line {
				for _, src := range sources {
					for j := range src {
						k := 0
						for i+k < len(line) && j+k < len(src) && line[i+k] == src[j+k] {
							k++
						}
						if k >= n {
							matched[[2]int{li, i}], union[[2]int{li, i}] = true, true
							run = max(run, k)
						}
					}
				}
			}
		}
		if len(matched) > 0 {
			out[name] = fmt.Sprint(len(matched), " ", run)
		}
		longest = max(longest, run)
	}
	out[""] = fmt.Sprint(len(union), " ", longest)
	return out
}

// checkPassages compares both sides of every passage, word for word, and the
// words that are covered.
func checkPassages(t *testing.T, r *Result, suspect string, texts map[string]string) {
	t.Helper()
	for _, p := range r.Passages {
		a := suspect[p.Suspect.Start:p.Suspect.End]
		b := texts[r.Sources[p.Source].Name][p.Origin.Start:p.Origin.End]
		got, want := slices.Concat(wordsOf(a)...), slices.Concat(wordsOf(b)...)
		if !slices.Equal(got, want) || len(got) != p.Words {
			t.Fatalf("passage %+v: suspect %q, source %q", p, a, b)
		}
	}
}
