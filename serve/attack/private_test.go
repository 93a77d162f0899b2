package attack

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
)

// A privateOracle answers the uploads of an outsider who reads a private text word by word.
type privateOracle struct {
	t        *testing.T
	norms    *normalize.Set
	searcher *search.Searcher
	secret   string
	uploads  int
}

func newPrivateOracle(t *testing.T, text, secret string) *privateOracle {
	t.Helper()
	norms, err := normalize.NewSet(normalize.DefaultRules(), nil)
	if err != nil {
		t.Fatal(err)
	}
	index := memory.New(store.Settings{KeepTexts: true})
	if err := indexer.Add(t.Context(), index, "private.txt", &document.Document{Path: "private.txt", Format: "text", Text: text}, indexer.Options{N: 7, Norms: norms}); err != nil {
		t.Fatal(err)
	}
	if err := index.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	s, err := search.New(t.Context(), index, norms, search.Options{N: 7, Exact: true})
	if err != nil {
		t.Fatal(err)
	}
	return &privateOracle{t: t, norms: norms, searcher: s, secret: secret}
}

// A privateAnswer returns the places of the upload that a report shows, in bytes.
type privateAnswer func(o *privateOracle, found *search.Result, text string) [][2]int

// passages are the places that reports showed before: those of all passages.
func privatePassages(_ *privateOracle, found *search.Result, _ string) (places [][2]int) {
	for _, p := range found.Passages {
		places = append(places, [2]int{p.Suspect.Start, p.Suspect.End})
	}
	return places
}

// privateLong are the passages of a minimum length.
func privateLong(words int) privateAnswer {
	return func(_ *privateOracle, found *search.Result, _ string) (places [][2]int) {
		for _, p := range found.Passages {
			if p.Words >= words {
				places = append(places, [2]int{p.Suspect.Start, p.Suspect.End})
			}
		}
		return places
	}
}

// privateWithheld are the places that a report shows.
func privateWithheld(o *privateOracle, found *search.Result, text string) (places [][2]int) {
	norm, _ := o.norms.For()
	var words []normalize.Word
	for s := norm.Scan(text, norm.Mode(text)); s.Next(); {
		start, end := s.Span()
		words = append(words, normalize.Word{Text: string(s.Word()), Start: start, End: end})
	}
	c := &report.PrivateCollection{Owner: "dean", Secret: o.secret}
	r := &report.Report{Result: search.Result{Suspect: search.Suspect{Text: text, Bytes: len(text), Words: len(words)}}}
	report.AddPrivate(r, report.PrivateSources(found, words, func(string) *report.PrivateCollection { return c }))
	for _, p := range r.Passages {
		places = append(places, [2]int{p.Suspect.Start, p.Suspect.End})
	}
	return places
}

// guess uploads a paragraph for each guess of what follows the known words. It returns the guess whose
// paragraph is the only one with another answer.
func (o *privateOracle) guess(known []string, guesses [][]string, answer privateAnswer) (right []string) {
	o.t.Helper()
	o.uploads++
	var b strings.Builder
	starts := make([]int, len(guesses)+1)
	for i, g := range guesses {
		b.WriteString(strings.Join(append(append([]string{}, known...), g...), " ") + ".\n\n")
		starts[i+1] = b.Len()
	}
	text := b.String()
	found, err := o.searcher.Search(o.t.Context(), &document.Document{Path: "guess.txt", Format: "text", Text: text})
	if err != nil {
		o.t.Fatal(err)
	}
	seen := map[string][]int{}
	for i := range guesses {
		what := ""
		for _, p := range answer(o, found, text) {
			if p[0] >= starts[i] && p[1] <= starts[i+1] {
				what += fmt.Sprint(p[0]-starts[i], p[1]-starts[i], ";")
			}
		}
		seen[what] = append(seen[what], i)
	}
	for _, all := range seen {
		if len(seen) == 2 && len(all) == 1 {
			right = guesses[all[0]]
		}
	}
	return right
}

// TestPrivateGuess has an outsider who knows parts of 90 words of a private text guess the next words. He
// knows which few words it is made of, and guesses one word, then two words at once. Exact passages, also
// those of a minimum length, reveal each next word. A withheld report reveals the words up to a cut that is
// one or two words away, and nothing of the other parts.
func TestPrivateGuess(t *testing.T) {
	t.Parallel()
	const known, kinds = 90, 5
	parts := 3
	if need.All() {
		parts = 60
	}
	rng := rand.New(rand.NewPCG(45, 3))
	vocabulary := make([]string, kinds)
	for i := range vocabulary {
		vocabulary[i] = fmt.Sprint("slovo", string(rune('a'+i)))
	}
	var words []string
	for range parts * (known + 40) {
		words = append(words, vocabulary[rng.IntN(kinds)])
	}
	o := newPrivateOracle(t, strings.Join(words, " "), "secret of the collection")
	var singles, pairs [][]string
	for _, a := range vocabulary {
		singles = append(singles, []string{a})
		for _, b := range vocabulary {
			pairs = append(pairs, []string{a, b})
		}
	}
	read := func(part int, answer privateAnswer, most int) (learned int) {
		at := part * (known + 40)
		have := append([]string{}, words[at:at+known]...)
		for learned < most {
			next := o.guess(have[learned:], singles, answer)
			if next == nil {
				next = o.guess(have[learned:], pairs, answer)
			}
			if next == nil {
				return learned
			}
			for i, word := range next {
				if words[at+known+learned+i] != word {
					t.Fatalf("the outsider takes %q for a word of the text", word)
				}
			}
			have, learned = append(have, next...), learned+len(next)
		}
		return learned
	}
	for name, answer := range map[string]privateAnswer{"all passages": privatePassages, "passages from 40 words": privateLong(40), "passages from 90 words": privateLong(known)} {
		if got := read(0, answer, 8); got < 8 {
			t.Errorf("from %s, the outsider learns %d words: the attack proves nothing", name, got)
		}
	}
	o.uploads = 0
	total, most := 0, 0
	for part := range parts {
		n := read(part, privateWithheld, 30)
		total, most = total+n, max(most, n)
	}
	t.Logf("%d uploads with up to %d guesses each about %d parts: %d words learned, at most %d of a part", o.uploads, len(pairs), parts, total, most)
	if most > 8 || total > parts/2+2 {
		t.Errorf("%d words learned of %d parts, at most %d of one", total, parts, most)
	}
}

// TestPrivateOthers: a group gets no figure of the private collection of another one but the long
// passages. The owner sees who checked, and a group that has checked very many texts with passages of it
// gets none for a day.
func TestPrivateOthers(t *testing.T) {
	t.Parallel()
	s := startDeletion(t, t.TempDir())
	var private api.ID
	s.must("POST", "/collections", api.NewCollection{Name: "Archive", Private: true, Contact: "dean"}, &private)
	text := ""
	for i := range 12 { // most of it is between cuts, wherever these are
		text += deletionFiller(i + 1)
	}
	s.upload("/collections/"+private.ID+"/documents", "secret.txt", text+" vermilion")
	s.idle()
	other := s.as("eva", "Law")
	var seen desk.Collection
	if other.must("GET", "/collections/"+private.ID, nil, &seen); seen.Documents != 0 || seen.Words != 0 || seen.Name != "Archive" {
		t.Errorf("another group sees the collection as %+v", seen)
	}
	var texts []string
	for i := range 101 {
		texts = append(texts, fmt.Sprint(i, ".txt"), fmt.Sprintf("w1x%d own words of text %d.\n\n%s", i%60, i, text))
	}
	var short []string
	for i := range 20 {
		words := strings.Fields(deletionFiller(1))
		short = append(short, strings.Join(words[i:i+12], " ")+".")
	}
	checks := other.check("few.txt", strings.Join(short, "\n\n"), "collection", private.ID)
	var r report.Report
	if other.must("GET", "/checks/"+checks[0].ID+"/report", nil, &r); checks[0].Score != 0 || len(r.Sources)+len(r.Passages)+len(r.Paragraphs) > 0 || r.Match.Matched > 0 || r.Index.Documents > 0 {
		t.Errorf("short passages: score %v, %d sources, %d passages, %d paragraphs, %+v, %d documents; want none", checks[0].Score, len(r.Sources), len(r.Passages), len(r.Paragraphs), r.Match, r.Index.Documents)
	}
	checks = other.check("class.zip", deletionZip(t, texts...), "collection", private.ID)
	r = report.Report{}
	other.must("GET", "/checks/"+checks[0].ID+"/report", nil, &r)
	if checks[0].Score < 50 || len(r.Sources) != 1 || len(r.Paragraphs) > 0 || r.Match.Matched > 0 || len(r.Passages) == 0 || len(r.Passages[0].Equal) > 0 {
		t.Errorf("a long copy: score %v, %d sources, %d paragraphs, %+v; want one source without figures of paragraphs", checks[0].Score, len(r.Sources), len(r.Paragraphs), r.Match)
	}
	checks = other.check("more.zip", deletionZip(t, texts[:2]...), "collection", private.ID)
	if other.must("GET", "/checks/"+checks[0].ID+"/report", nil, &r); checks[0].Score != 0 || !strings.Contains(strings.Join(r.Notes, "\n"), "was not searched") {
		t.Errorf("after %d texts, a check has the score %v and the notes %q", len(texts)/2, checks[0].Score, r.Notes)
	}
	var outside []desk.PrivateCheck
	s.must("GET", "/collections/"+private.ID+"/private-checks", nil, &outside)
	if len(outside) != 3 || outside[1].Group != "Law" || outside[1].By != "eva" || outside[1].Texts != 101 || outside[1].Hits != 101 || outside[2].Hits != 0 {
		t.Errorf("the owner sees %+v", outside)
	}
	var log []desk.Entry
	if s.must("GET", "/audit", nil, &log); log[0].Action != "close private collection" || log[0].Detail != "Law" {
		t.Errorf("the last entry of the owner's audit log is %+v", log[0])
	}
}
