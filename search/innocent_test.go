package search

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search/align"
	"github.com/otisk/otisk/search/hint"
	"github.com/otisk/otisk/store"
)

// innocentSets returns texts by the name of their file. The texts of a file are on one subject, and written without the others.
func innocentSets(t *testing.T) map[string][]string {
	t.Helper()
	files, err := filepath.Glob("testdata/innocent/*.txt")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d files (%v), want 15", len(files), err)
	}
	sets := map[string][]string{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		sets[filepath.Base(f)] = strings.Split(strings.TrimSpace(string(text)), "\n\n")
	}
	return sets
}

// TestInnocent: texts on one subject that were written independently have no passage: compared in
// pairs, each against the others of its kind, and each against all others. Their sentences added one by
// one do not change that.
func TestInnocent(t *testing.T) {
	set := normSet(t, normalize.Auto)
	hints := []hint.Finder{hint.NewRewritten(hint.DefaultParams())}
	accused := func(what, text string, s store.Store, o Options) {
		t.Helper()
		if r := search(t, s, set, text, o); len(r.Passages) > 0 {
			t.Errorf("%s: %d passages, the first of %d words, grade %s, from %s: %q", what, len(r.Passages), r.Passages[0].Words, r.Passages[0].Grade,
				r.Sources[r.Passages[0].Source].Name, text[r.Passages[0].Suspect.Start:r.Passages[0].Suspect.End])
		}
	}
	sets := innocentSets(t)
	for name, list := range sets {
		for i, source := range list {
			pair := index(t, set, 7, map[string]string{"/source": source})
			for k, text := range list {
				if i == k {
					continue
				}
				accused(fmt.Sprintf("%s: text %d against %d", name, k+1, i+1), text, pair, Options{N: 7, AlignAll: true, Hints: hints})
				sentences := strings.SplitAfter(text, ". ")
				for n := 2; n < len(sentences); n++ {
					accused(fmt.Sprintf("%s: %d sentences of text %d against %d", name, n, k+1, i+1), strings.Join(sentences[:n], ""), pair, Options{N: 7, AlignAll: true, Hints: hints})
				}
			}
		}
		for i, text := range list {
			kind, all := map[string]string{}, map[string]string{}
			for other, texts := range sets {
				for k, x := range texts {
					if other == name && k == i {
						continue
					}
					all[fmt.Sprintf("/%s-%d", other, k)] = x
					if other == name {
						kind[fmt.Sprintf("/%d", k)] = x
					}
				}
			}
			accused(fmt.Sprintf("%s: text %d against the others", name, i+1), text, index(t, set, 7, kind), Options{N: 7, Hints: hints})
			accused(fmt.Sprintf("%s: text %d against all texts", name, i+1), text, index(t, set, 7, all), Options{N: 7, Hints: hints})
		}
	}
}

// TestInnocentTogether: answers to one question use the words of its subject. They are no passages in the index of the class, also if
// much text on other subjects is in the same files, as in an examination with several questions.
func TestInnocentTogether(t *testing.T) {
	set := normSet(t, normalize.Auto)
	r := rand.New(rand.NewPCG(9, 9))
	subject := madeUp(r, 240)
	answer := func() string {
		var words []string
		for range 14 {
			at := r.IntN(len(subject) / 6)
			words = append(append(words, madeUp(r, 1+r.IntN(3))...), subject[6*at:6*at+3+r.IntN(4)]...)
		}
		return strings.Join(words, " ")
	}
	alone, together := map[string]string{}, map[string]string{}
	for i := range 24 {
		name := fmt.Sprintf("/answer%02d", i)
		alone[name] = answer()
		together[name] = alone[name] + " " + strings.Join(madeUp(r, 900), " ")
	}
	for _, sources := range []map[string]string{alone, together} {
		for name := range sources {
			others := maps.Clone(sources)
			delete(others, name)
			s := index(t, set, 7, others)
			for _, suspect := range []string{alone[name], together[name]} {
				for _, p := range search(t, s, set, suspect, Options{N: 7}).Passages {
					t.Errorf("%s: a passage of %d words, longest run %d, grade %s", name, p.Words, p.Run, p.Grade)
				}
			}
		}
	}
}

// TestInnocentBeside: much text on other subjects in both files shows nothing of the words of short texts on one subject, which are hardly
// ever a passage.
func TestInnocentBeside(t *testing.T) {
	set := normSet(t, normalize.Auto)
	pairs := 0
	var accused []string
	for name, list := range innocentSets(t) {
		for i, text := range list {
			for k, source := range list {
				if i == k {
					continue
				}
				pairs++
				r := rand.New(rand.NewPCG(6, 6))
				beside := func(text string) string { return text + "\n\n" + strings.Join(madeUp(r, 1200), " ") }
				got := search(t, index(t, set, 7, map[string]string{"/source": beside(source)}), set, beside(text), Options{N: 7, AlignAll: true})
				if slices.ContainsFunc(got.Passages, func(p Passage) bool { return isWeak(&found{Passage: p}) }) {
					accused = append(accused, fmt.Sprintf("%s: text %d against %d", name, i+1, k+1))
				}
			}
		}
	}
	if 20*len(accused) > pairs {
		t.Errorf("%d of %d pairs have a passage, want 5 %% at most:\n%s", len(accused), pairs, strings.Join(accused, "\n"))
	}
}

// TestFewInnocent: texts that keep to one form have its words in the same order. In an index of three, the second one shows that the
// first is no source of the third.
func TestFewInnocent(t *testing.T) {
	set := normSet(t, normalize.Auto)
	r := rand.New(rand.NewPCG(3, 3))
	form := madeUp(r, 120)
	filled := func() string {
		words := slices.Clone(form)
		for i := range words {
			if i%3 == 2 || r.IntN(9) == 0 {
				words[i] = madeUp(r, 1)[0]
			}
		}
		return strings.Join(slices.Concat(madeUp(r, 400), words, madeUp(r, 400)), " ")
	}
	texts := map[string]string{"/1": filled(), "/2": filled(), "/3": strings.Join(madeUp(r, 900), " ")}
	for _, p := range search(t, index(t, set, 7, texts), set, filled(), Options{N: 7}).Passages {
		t.Errorf("a passage of %d words, longest run %d, grade %s", p.Words, p.Run, p.Grade)
	}
}

// TestSameAs: a document that has more of the stretch of the source than of the passage is a copy or version of the source; one that has
// words of both, or few, is not.
func TestSameAs(t *testing.T) {
	list := func(from, to uint32) (pairs []uint32) {
		for ; from < to; from++ {
			pairs = append(pairs, from)
		}
		return pairs
	}
	seen := func(pairs []uint32) (found []sighting) {
		for i, pair := range pairs {
			found = append(found, sighting{pair: pair, word: int32(i)})
		}
		return found
	}
	theirs, mine := list(0, 20), slices.Concat(list(0, 10), list(100, 110)) // ten are in both
	for _, tt := range []struct {
		pairs []uint32
		want  bool
	}{{theirs, true}, {list(5, 17), true}, {list(0, 8), false}, {mine, false}, {list(12, 19), false}, {nil, false}} {
		elsewhere := list(1000, 1040)
		other := slices.Concat(tt.pairs, list(2000, 2040))
		c := &court{size: 2, sources: []*source{{imprint: seen(slices.Concat(theirs, elsewhere))}, {imprint: seen(other)}}, sets: make([][]uint32, 2), alike: map[[2]int]float64{}}
		if got := c.sameAs(0, 1, mine, theirs, 10, 0, int32(len(tt.pairs)-1)); got != tt.want {
			t.Errorf("a document with the pairs %d is a copy or version: %v, want %v", tt.pairs, got, tt.want)
		}
	}
}

// TestWitnesses: a reworded copy is a passage where its source alone has its words, also if the index has
// copies of the source, and a hint where documents on the subject have them, too.
func TestWitnesses(t *testing.T) {
	set := normSet(t, normalize.Auto)
	hints := []hint.Finder{hint.NewRewritten(hint.DefaultParams())}
	r := rand.New(rand.NewPCG(4, 4))
	source := madeUp(r, 700)
	copied := reworded(r, source[100:220])
	suspect := strings.Join(append(append(madeUp(r, 400), copied...), madeUp(r, 400)...), " ")
	texts := map[string]string{"/source": strings.Join(source, " ")}
	for i := range 20 {
		texts[fmt.Sprintf("/other%02d", i)] = strings.Join(madeUp(r, 300), " ")
	}
	count := func(texts map[string]string) (passages, hinted, witnesses int) {
		got := search(t, index(t, set, 3, texts), set, suspect, Options{N: 3, Hints: hints})
		for _, p := range got.Passages {
			witnesses = max(witnesses, p.Witnesses)
		}
		for _, h := range got.Hints {
			if h.Kind == hint.KindSimilar {
				hinted++
			}
		}
		return len(got.Passages), hinted, witnesses
	}
	if passages, hinted, witnesses := count(texts); passages != 1 || hinted != 0 || witnesses != 0 {
		t.Errorf("%d passages, %d hints, %d witnesses; want one passage", passages, hinted, witnesses)
	}
	for i := range 7 {
		texts[fmt.Sprintf("/copy%d", i)] = strings.Join(source, " ")
	}
	if passages, hinted, witnesses := count(texts); passages != 8 || hinted != 0 || witnesses != 7 {
		t.Errorf("with seven copies of the source: %d passages, %d hints, %d witnesses; want 8, 0 and 7", passages, hinted, witnesses)
	}
	for i := range 7 {
		delete(texts, fmt.Sprintf("/copy%d", i))
	}
	for i := range 12 { // others on the subject, who use some of the same words
		own := reworded(r, source[100:220])
		texts[fmt.Sprintf("/subject%02d", i)] = strings.Join(append(append(madeUp(r, 200), own...), madeUp(r, 200)...), " ")
	}
	if passages, hinted, _ := count(texts); passages != 0 || hinted == 0 {
		t.Errorf("with twelve documents on the subject: %d passages, %d hints; want none, and some", passages, hinted)
	}
}

// TestInnocentWithCopy: a sentence that two independent texts have in common, such as a declaration or a consent, is a verbatim
// passage of its own words on both sides, wherever it is. It shows nothing of the rest.
func TestInnocentWithCopy(t *testing.T) {
	set := normSet(t, normalize.Auto)
	hints := []hint.Finder{hint.NewRewritten(hint.DefaultParams())}
	norm, _ := set.For()
	for name, list := range innocentSets(t) {
		for _, common := range []string{
			"I hereby consent to the processing of my personal data for the purpose of this procedure. ",
			"Prohlašuji, že jsem tuto závěrečnou práci vypracovala zcela samostatně pod vedením vedoucího práce a s použitím odborné literatury a dalších informačních zdrojů, které jsou všechny citovány v textu a uvedeny v seznamu na konci. ",
		} {
			words, _ := norm.Words(common, normalize.Whole)
			for i, source := range list[1:] {
				for place := range 3 {
					text := inserted(list[i], common, place)
					r := search(t, index(t, set, 7, map[string]string{"/source": inserted(source, common, (place+i)%3)}), set, text, Options{N: 7, AlignAll: true, Hints: hints})
					if len(r.Passages) != 1 {
						t.Fatalf("%s: text %d at place %d: %d passages, want the sentence: %+v", name, i+1, place, len(r.Passages), r.Passages)
					}
					if p := r.Passages[0]; p.Grade != Verbatim || max(p.Words, p.OriginWords) > len(words)+2 {
						t.Errorf("%s: text %d at place %d: %d words, %d of the source, are %s, want %d verbatim", name, i+1, place, p.Words, p.OriginWords, p.Grade, len(words))
					}
				}
			}
		}
	}
}

// inserted returns a text with a sentence before its first one, after the second, or at its end.
func inserted(text, sentence string, place int) string {
	sentences := strings.SplitAfter(strings.TrimSpace(text)+" ", ". ")
	at := [3]int{0, 2, len(sentences) - 1}[place]
	return strings.Join(sentences[:at], "") + sentence + strings.Join(sentences[at:], "")
}

// TestForms: what is written independently between the printed sentences of a form is no passage, whatever copy the form is.
func TestForms(t *testing.T) {
	set := normSet(t, normalize.Auto)
	printed := strings.SplitAfter("Write your full name and the number of your group in the upper right corner of this page. "+
		"In the next paragraph, explain in your own words what you did and why you did it. "+
		"Say which results you expected before you began, and whether they agree with what happened. "+
		"Name the greatest difficulty that you met, and how somebody else could avoid it next time. "+
		"Sign the form, and hand it in at the office before the end of the last week of term. ", ". ")
	filled := func(text string) string {
		var parts []string
		for i, s := range strings.SplitAfter(text, ". ") {
			parts = append(parts, printed[i%(len(printed)-1)], strings.TrimSpace(s)+" ")
		}
		return strings.Join(append(parts, printed[len(printed)-2]), "")
	}
	for name, list := range innocentSets(t) {
		var halves [2]string // the texts of a kind in two long ones
		for i, text := range list {
			halves[i%2] += text + " "
		}
		text := filled(halves[0])
		r := search(t, index(t, set, 7, map[string]string{"/source": filled(halves[1])}), set, text, Options{N: 7, AlignAll: true})
		for _, p := range r.Passages {
			if isWeak(&found{Passage: p}) {
				t.Errorf("%s: %d words are %s: %q", name, p.Words, p.Grade, text[p.Suspect.Start:p.Suspect.End])
			}
		}
	}
}

// TestFormulas: reports by one form have its formulas in common, each with other words between. Those are no passages in the index
// of the class, and also not if it has the checked report twice, but a reworded copy among them is one.
func TestFormulas(t *testing.T) {
	set := normSet(t, normalize.Auto)
	formulas := []string{
		"Reason for the visit: the keeper reports weak colonies since the end of spring",
		"Inspection of the shelter: the floor is dry, the beams are sound, no trace of mould",
		"Temper of the colony: calm at the entrance, slightly restless when the frames were lifted",
		"Stores: sealed honey in the outer frames, sufficient pollen, no feeding required at present",
		"Brood: compact pattern with few empty cells, larvae of every age, queen present and marked",
		"Pests: the sheet below the frames shows few mites, treatment is planned after the harvest",
		"Assessment: a healthy colony of moderate strength, without signs of any notifiable disease",
		"Advice and agreement: the keeper should narrow the entrance, and agrees with the proposed plan",
		"Next visit: in three weeks or earlier if the keeper notices anything unusual at the entrance",
	}
	r := rand.New(rand.NewPCG(7, 7))
	texts := map[string]string{}
	var names []string
	for i := range 16 {
		var words []string
		for _, f := range formulas {
			if r.IntN(4) == 0 {
				continue
			}
			for k, w := range strings.Fields(f) {
				if k > 0 && r.IntN(5) == 0 {
					w = madeUp(r, 1)[0]
				}
				words = append(words, w)
			}
			words = append(append(words, "."), madeUp(r, 30)...)
		}
		names = append(names, fmt.Sprintf("/report%02d", i))
		texts[names[i]] = strings.Join(words, " ")
	}
	self := store.IDOf("", "/self")
	count := func(texts map[string]string, text string) (weak int) {
		o := Options{N: 7}
		if _, among := texts["/self"]; among {
			o.Among, o.Skip = func(store.DocID) bool { return true }, func(id store.DocID) bool { return id == self }
		}
		for _, p := range search(t, index(t, set, 7, texts), set, text, o).Passages {
			if isWeak(&found{Passage: p}) {
				weak += p.Words
			}
		}
		return weak
	}
	for _, name := range names {
		if weak := count(texts, texts[name]); weak > 0 {
			t.Errorf("%s: %d words in weak passages", name, weak)
		}
	}
	twice := maps.Clone(texts)
	twice["/again"] = texts[names[0]]
	if weak := count(twice, texts[names[0]]); weak > 0 {
		t.Errorf("%s, which is in the index twice: %d words in weak passages", names[0], weak)
	}
	source := madeUp(r, 150)
	texts[names[1]] += " " + strings.Join(source, " ")
	suspect := texts[names[0]] + " " + strings.Join(reworded(r, source), " ")
	few := map[string]string{names[1]: texts[names[1]], names[2]: texts[names[2]], names[3]: texts[names[3]]}
	among := maps.Clone(few)
	among["/self"] = suspect // of a run whose texts are compared with each other
	for _, texts := range []map[string]string{texts, few, among} {
		if weak := count(texts, suspect); weak < 100 || weak > 180 {
			t.Errorf("%d documents: %d words in weak passages, want the copy of 150", len(texts), weak)
		}
	}
}

// TestQuestions: questions of short words, which make no pairs, show nothing of the answers between them. A copied answer of such
// words is a passage.
func TestQuestions(t *testing.T) {
	set := normSet(t, normalize.Auto)
	r := rand.New(rand.NewPCG(8, 8))
	short := func(count int) (words []string) {
		for _, w := range madeUp(r, count) {
			words = append(words, w[:4])
		}
		return words
	}
	texts := map[string]string{}
	var copied []string
	for i := range 12 {
		var words []string
		for _, question := range []string{"Who are you, and what do you do now?", "How did you get to do this, and why?", "What do you use for it all day long?", "What do you wish you had in your room?"} {
			words = append(append(words, question), short(25)...)
		}
		if copied == nil {
			copied = slices.Clone(words[1:26])
		}
		texts[fmt.Sprintf("/answers%02d", i)] = strings.Join(append(words, madeUp(r, 200)...), " ")
	}
	weak := func(text string) (words int) {
		for _, p := range search(t, index(t, set, 7, texts), set, text, Options{N: 7}).Passages {
			if isWeak(&found{Passage: p}) {
				words += p.Words
			}
		}
		return words
	}
	for name, text := range texts {
		if words := weak(text); words > 0 {
			t.Errorf("%s: %d words in weak passages", name, words)
		}
	}
	copied[10], copied[20] = "unlike", "others"
	if words := weak(texts["/answers05"] + " " + strings.Join(copied, " ")); words < 18 || words > 40 {
		t.Errorf("%d words in weak passages, want the copy of 25", words)
	}
}

// TestLinks: links of two texts to the same sites are no wording, so the text beside them is no passage.
func TestLinks(t *testing.T) {
	set := normSet(t, normalize.Auto)
	sets := innocentSets(t)
	long := func(text, kind string) string { return text + "\n\n" + strings.Join(sets[kind][:3], "\n\n") }
	harrow := long("# harrow ![go reportcard](https://goreportcard.example/report/code.example/meadow-tools/harrow) "+
		"![Go Reference](https://pkg.example/code.example/meadow-tools/harrow/v2) harrow is a library for smoothing measured curves in Go. "+
		"It has several filters built in, and lets you write your own. Accuracy comes first, speed follows. It works well on its own, but also "+
		"implements interfaces of the standard library, so that it can be part of larger programs without much effort.", "abstracts.en.txt")
	pebble := long("# pebble ![Go Report Card](https://goreportcard.example/report/code.example/shoreline/pebble) "+
		"![PkgGoDev](https://pkg.example/code.example/shoreline/pebble?tab=doc) This library is part of a collection of small tools. It is used by "+
		"several services every day. Package pebble implements counters for events, a mapping from names to numbers. It should be more economical "+
		"than a map of the language. It provides methods for adding, resetting and joining single counters, but it also prints them as a table or "+
		"as a chart for a page.", "letters.en.txt")
	for _, pair := range [][2]string{{harrow, pebble}, {pebble, harrow}} {
		r := search(t, index(t, set, 7, map[string]string{"/source": pair[1]}), set, pair[0], Options{N: 7, AlignAll: true})
		for _, p := range r.Passages {
			t.Errorf("%d words are %s: %q", p.Words, p.Grade, pair[0][p.Suspect.Start:p.Suspect.End])
		}
	}
}

// TestLinked: the words of a link are those of an address or of the path of a file, which has two slashes, to a blank, a bracket or a quote, and
// the label of a link of Markdown.
func TestLinked(t *testing.T) {
	text := "See [here](https://a.example/b_c?d=e), http://f.example and ://g, not h: / i. Or [one\ntwo](#k), no [l] (m), [n](\"o\") but ](p. " +
		"In q/r, 3/4 and „/s/t.conf“ or ~/u/v, 看/w/x。y、z 和/w/x没有 / a / b. Ending in ftp://j"
	norm, _ := normSet(t, normalize.Auto).For()
	words, _ := norm.Words(text, normalize.Whole)
	var got []string
	for i, in := range links(words, text) {
		if in {
			got = append(got, words[i].Text)
		}
	}
	if want := "here https a example b c d e http f example g two k n p s t conf u v w x w x ftp j"; strings.Join(got, " ") != want {
		t.Errorf("words in links of %q: %q, want %q", text, got, want)
	}
}

// TestLinkedFiles: reports on one task list the same files, which is no passage.
func TestLinkedFiles(t *testing.T) {
	set := normSet(t, normalize.Auto)
	sets := innocentSets(t)
	list := func(kind, before, after string) string {
		var lines []string
		for file := range strings.FieldsSeq("kern/init/init kern/libs/stdio kern/libs/readline kern/debug/panic kern/debug/kdebug kern/debug/kmonitor " +
			"kern/driver/clock kern/driver/console kern/driver/picirq kern/driver/intr kern/trap/trap kern/trap/vectors kern/trap/trapentry kern/mm/pmm") {
			lines = append(lines, before+file+after)
		}
		return strings.Join(sets[kind][:3], "\n\n") + "\n\n" + strings.Join(lines, "\n")
	}
	objects, sources := list("abstracts.en.txt", "obj/", ".o"), list("letters.en.txt", "+ cc ", ".c")
	for _, pair := range [][2]string{{objects, sources}, {sources, objects}} {
		r := search(t, index(t, set, 7, map[string]string{"/source": pair[1]}), set, pair[0], Options{N: 7, AlignAll: true})
		for _, p := range r.Passages {
			t.Errorf("%d words are %s: %q", p.Words, p.Grade, pair[0][p.Suspect.Start:p.Suspect.End])
		}
	}
}

// TestLinkedContents: tables of contents and lists of links in Markdown name the same sections and sites, which is no passage.
func TestLinkedContents(t *testing.T) {
	set := normSet(t, normalize.Auto)
	sets := innocentSets(t)
	list := func(kind, sections string) string {
		var lines []string
		for s := range strings.SplitSeq(sections, ", ") {
			lines = append(lines, fmt.Sprintf("* [%s](#%s)", s, strings.ReplaceAll(strings.ToLower(s), " ", "-")))
		}
		return strings.Join(sets[kind][:3], "\n\n") + "\n\n" + strings.Join(lines, "\n")
	}
	orchard := list("abstracts.en.txt", "Apple varieties, Beehives, Date and season, Documentation, Environment protection, Fencing, Fruit storage, Garden design, "+
		"Greenhouse heating, Irrigation systems, Machine maintenance, Natural fertilizers, Package labels, Plant nurseries, Rainwater tanks, Soil analysis, Weather stations")
	vineyard := list("letters.en.txt", "Barrel making, Date and season, Delivery, Documentation, Environment protection, Excursions, Fencing, Garden design, Grape varieties, "+
		"Irrigation systems, Laboratory, Machine maintenance, Natural fertilizers, Package labels, Pressing, Rainwater tanks, Soil analysis, Tasting rooms, Weather stations")
	for _, pair := range [][2]string{{orchard, vineyard}, {vineyard, orchard}} {
		r := search(t, index(t, set, 7, map[string]string{"/source": pair[1]}), set, pair[0], Options{N: 7, AlignAll: true})
		for _, p := range r.Passages {
			t.Errorf("%d words are %s: %q", p.Words, p.Grade, pair[0][p.Suspect.Start:p.Suspect.End])
		}
	}
}

// TestOrder: words that two long texts have in common are a passage where they are in the same order, and a hint where the source has them
// in another one, as texts on one subject do.
func TestOrder(t *testing.T) {
	set := normSet(t, normalize.Auto)
	hints := []hint.Finder{hint.NewRewritten(hint.DefaultParams())}
	r := rand.New(rand.NewPCG(5, 5))
	parts := slices.Collect(slices.Chunk(madeUp(r, 120), 10))
	text := func() string { // own words, with every second of the parts between them
		var words []string
		for i, w := range slices.Concat(parts...) {
			if i%2 == 1 {
				w = madeUp(r, 1)[0]
			}
			words = append(words, w)
		}
		return strings.Join(slices.Concat(madeUp(r, 500), words, madeUp(r, 500)), " ")
	}
	suspect, source := text(), text()
	slices.Reverse(parts)
	for _, tt := range []struct {
		source          string
		passages, hints int
	}{{source, 1, 0}, {text(), 0, 1}} {
		got := search(t, index(t, set, 7, map[string]string{"/source": tt.source}), set, suspect, Options{N: 7, AlignAll: true, Hints: hints})
		similar := 0
		for _, h := range got.Hints {
			if h.Kind == hint.KindSimilar {
				similar++
			}
		}
		if len(got.Passages) != tt.passages || similar != tt.hints {
			t.Errorf("%d passages, %d hints, want %d and %d", len(got.Passages), similar, tt.passages, tt.hints)
		}
	}
}

// TestAscending: the longest ascending subsequence need not be contiguous.
func TestAscending(t *testing.T) {
	for _, tt := range []struct {
		list []int
		want int
	}{{nil, 0}, {[]int{4}, 1}, {[]int{3, 2, 1}, 1}, {[]int{1, 2, 3}, 3}, {[]int{5, 1, 6, 2, 0, 3, 7}, 4}, {[]int{2, 2}, 1}} {
		if got := ascending(tt.list); got != tt.want {
			t.Errorf("ascending(%v) = %d, want %d", tt.list, got, tt.want)
		}
	}
}

// TestAreRare: the fewer words of a passage are equal, the more evidence the pairs must be that it has in common with its source. Half
// of the words of both sides need none, and less than a quarter of the suspect's are never enough.
func TestAreRare(t *testing.T) {
	for _, tt := range []struct {
		words, origin int     // of both sides; twelve of them are equal, two by two
		common        []int32 // pairs: two of 100 documents have pair 0, seventy pair 1, twelve pair 2
		want          bool
	}{
		{20, 24, nil, true}, {20, 25, nil, false}, {25, 20, nil, false}, {25, 20, []int32{0}, true}, {48, 14, []int32{0}, true},
		{49, 14, []int32{0}, false}, {14, 49, []int32{0}, true}, {14, 49, nil, false}, {20, 24, []int32{1}, false}, {20, 24, []int32{0, 2}, true},
		{25, 20, []int32{1, 2}, false},
	} {
		p := &found{from: 5, to: 5 + tt.words, originFrom: 40, originTo: 40 + tt.origin}
		for i := range 6 {
			p.runs = append(p.runs, align.Run{Suspect: 5 + 2*i, Source: 40 + 2*i, Len: 2})
		}
		c := &court{size: 100, sources: []*source{{}}, posts: make([][]post, 3), pairs: &ownPairs{weights: []int32{850, 75, 460}, counts: []int32{2, 70, 12}}}
		if got := c.areRare(0, p, tt.common); got != tt.want {
			t.Errorf("12 of %d and %d words, pairs %v: %v, want %v", tt.words, tt.origin, tt.common, got, tt.want)
		}
	}
}
