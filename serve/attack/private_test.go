package attack

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
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

// A privateAnswer returns the number of words of a text that a report states to be in a private collection.
type privateAnswer func(o *privateOracle, found *search.Result, text string) int

// privateLong counts the words of passages of a minimum length, as reports did before.
func privateLong(least int) privateAnswer {
	return func(_ *privateOracle, found *search.Result, _ string) (words int) {
		for _, p := range found.Passages {
			if p.Words >= least {
				words += p.Words
			}
		}
		return words
	}
}

// privateShare is the answer of a report.
func privateShare(o *privateOracle, found *search.Result, text string) int {
	norm, _ := o.norms.For()
	var words []normalize.Word
	for s := norm.Scan(text, norm.Mode(text)); s.Next(); {
		start, end := s.Span()
		words = append(words, normalize.Word{Text: string(s.Word()), Start: start, End: end})
	}
	c := &report.PrivateCollection{Owner: "dean", Secret: o.secret}
	r := &report.Report{Result: search.Result{Suspect: search.Suspect{Text: text, Bytes: len(text), Words: len(words)}}}
	report.AddPrivate(r, report.PrivateShares(found, words, func(string) *report.PrivateCollection { return c }))
	return r.Score.Covered
}

// guess uploads a text for each guess of what follows the known words, some times with words of the outsider after
// it. It returns the guess with the largest answers, nil if several have the same.
func (o *privateOracle) guess(known []string, guesses [][]string, times int, answer privateAnswer) (best []string) {
	o.t.Helper()
	most := 0
	for _, g := range guesses {
		sum := 0
		for range times {
			o.uploads++
			text := strings.Join(slices.Concat(known, g), " ") + fmt.Sprintf(". Own%d.", o.uploads)
			found, err := o.searcher.Search(o.t.Context(), &document.Document{Path: "guess.txt", Format: "text", Text: text})
			if err != nil {
				o.t.Fatal(err)
			}
			sum += answer(o, found, text)
		}
		if sum > most {
			most, best = sum, g
		} else if sum == most {
			best = nil
		}
	}
	return best
}

// TestPrivateGuess has an outsider who knows parts of a private text guess the next words. He knows which few words it
// is made of. From the places of passages, also of those of a minimum length, he learns each next word. Shares show
// nothing of parts of 90 words. From parts of 200 words, the outsider takes guesses for right that are so by chance.
func TestPrivateGuess(t *testing.T) {
	t.Parallel()
	const kinds, long, times = 5, 200, 5
	parts := 2
	if need.All() {
		parts = 21
	}
	rng := rand.New(rand.NewPCG(45, 3))
	vocabulary := make([]string, kinds)
	for i := range vocabulary {
		vocabulary[i] = fmt.Sprint("slovo", string(rune('a'+i)))
	}
	var words []string
	for range (2*parts + 1) * (long + 40) {
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
	// read returns how many of the guesses that the outsider takes for right are so.
	read := func(part, known, most, times int, guesses [][]string, answer privateAnswer) (right, wrong int) {
		at := part * (long + 40)
		for n := range most {
			switch next := o.guess(words[at+n:at+n+known], guesses, times, answer); {
			case next == nil:
			case slices.Equal(next, words[at+known+n:at+known+n+len(next)]):
				right++
			default:
				wrong++
			}
		}
		return right, wrong
	}
	for _, least := range []int{40, 90} {
		if right, _ := read(0, 90, 8, 1, singles, privateLong(least)); right < 8 {
			t.Errorf("from places of passages from %d words, the outsider learns %d of 8 words: the attack proves nothing", least, right)
		}
	}
	o.uploads = 0
	for _, guesses := range [][][]string{singles, pairs} {
		if right, wrong := read(0, 90, 1, 1, guesses, privateShare); right+wrong > 0 {
			t.Errorf("the shares of parts of 90 words differ: %d right, %d wrong", right, wrong)
		}
	}
	for _, tt := range []struct {
		guesses [][]string
		parts   int
	}{{singles, parts}, {pairs, (parts + 4) / 6}} {
		right, wrong := 0, 0
		for part := range tt.parts {
			r, w := read(part, long, 1, times, tt.guesses, privateShare)
			right, wrong = right+r, wrong+w
		}
		chance := float64(tt.parts) / float64(len(tt.guesses))
		t.Logf("%d parts, %d guesses of each: of those that the outsider takes for right, %d are right and %d wrong; by chance %.1f are right", tt.parts, len(tt.guesses), right, wrong, chance)
		if float64(right) > chance+3*math.Sqrt(chance)+1 {
			t.Errorf("%d guesses are right, by chance %.1f", right, chance)
		}
	}
	t.Logf("%d uploads", o.uploads)
}

// TestPrivateOthers: a group gets no figure of the private collection of another one but the share of long
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
	if checks[0].Score < 50 || len(r.Sources) != 1 || len(r.Paragraphs)+len(r.Passages) > 0 || r.Match.Matched > 0 || !strings.Contains(r.Sources[0].Name, "Archive, ") || !strings.Contains(r.Sources[0].Name, "; dean") {
		t.Errorf("a long copy: score %v, sources %+v, %d paragraphs, %d passages, %+v; want one source without places, named by collection and contact", checks[0].Score, r.Sources, len(r.Paragraphs), len(r.Passages), r.Match)
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
