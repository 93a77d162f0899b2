package translated

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/language"
	"github.com/otisk/otisk/lexicon"
	"github.com/otisk/otisk/normalize"
)

// The steps of the search in their simplest form, each compared with the one that the program
// uses, on texts of invented words of which one has translated passages of the other.

// A speaker says texts in two invented languages with one vocabulary.
type speaker struct {
	r          *rand.Rand
	own, other []string
}

func newSpeaker(seed uint64) *speaker {
	s := &speaker{r: rand.New(rand.NewPCG(seed, 28))}
	word := func(vowels string) string {
		var b strings.Builder
		for range 3 {
			b.WriteByte("bdfgklmnprtvz"[s.r.IntN(13)])
			b.WriteByte(vowels[s.r.IntN(len(vowels))])
		}
		return b.String() + "m"
	}
	for range 600 {
		s.own = append(s.own, word("aou"))
		s.other = append(s.other, word("ei"))
	}
	return s
}

// dictionary returns a dictionary of three quarters of the words, some with a second
// translation.
func (s *speaker) dictionary() *Dictionary {
	l := &lexicon.Lexicon{From: "cs", To: "en"}
	for i, w := range s.own {
		if i%4 > 0 {
			l.Pairs = append(l.Pairs, lexicon.Pair{Word: w, Translation: s.other[i]})
		}
		if i%5 == 0 {
			l.Pairs = append(l.Pairs, lexicon.Pair{Word: w, Translation: s.other[(i+1)%len(s.other)]})
		}
	}
	return NewDictionary(language.Of("cs"), language.Of("en"), []*lexicon.Lexicon{l}, nil)
}

// say returns the numbers of n words, few of which are frequent.
func (s *speaker) say(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = int(math.Pow(s.r.Float64(), 2) * float64(len(s.own)))
	}
	return list
}

// translated returns words in almost the same order, a fifth of them replaced.
func (s *speaker) translated(words []int) []int {
	list := slices.Clone(words)
	for i := range list {
		if s.r.IntN(5) == 0 {
			list[i] = s.r.IntN(len(s.own))
		}
		if j := i + s.r.IntN(4); s.r.IntN(3) == 0 && j < len(list) {
			list[i], list[j] = list[j], list[i]
		}
	}
	return list
}

// write returns a text in one of the languages, in sentences of ten words. A twentieth of the words
// is numbers, which are the same in both.
func write(words []int, vocabulary []string) string {
	var b strings.Builder
	for i, w := range words {
		s := vocabulary[w]
		if w%20 == 7 {
			s = strings.Repeat("1", 1+w%3) + string(rune('0'+w%10))
		}
		if i%10 == 0 {
			s = strings.ToUpper(s[:1]) + s[1:]
		}
		b.WriteString(s)
		if i%10 == 9 {
			b.WriteByte('.')
		}
		b.WriteByte(' ')
	}
	return b.String()
}

var splitter = func() *normalize.Normalizer {
	n, err := normalize.New(normalize.DefaultRules())
	if err != nil {
		panic(err)
	}
	return n
}()

func wordsOf(original string) (words []normalize.Word) {
	for _, p := range splitter.Paragraphs(original, normalize.Auto) {
		words = append(words, p.Words...)
	}
	return words
}

func read(l *language.Language, original string) *text {
	return newText(newVocabulary(l), original, wordsOf(original))
}

// samplePairs returns pairs of texts with translated passages of 60 and 30 words.
func samplePairs() []*pair {
	var list []*pair
	for seed := range uint64(6) {
		s := newSpeaker(seed)
		source := s.say(500)
		suspect := slices.Concat(s.say(80), s.translated(source[100:160]), s.say(60), s.translated(source[400:430]), s.say(20))
		d := s.dictionary()
		own := read(d.from, write(suspect, s.own))
		list = append(list, newPair(newWording(d, own), read(d.to, write(source, s.other))))
	}
	return list
}

// naiveLinks compares a form with each one of the source.
func naiveLinks(p *pair, f form) (list []link) {
	if f.common || len(f.word) < 2 {
		return nil
	}
	put := func(stem int32, weight float32, k kind) {
		if i := slices.IndexFunc(list, func(o link) bool { return o.stem == stem }); i < 0 {
			list = append(list, link{stem, weight, k})
		} else if weight > list[i].weight {
			list[i].weight = weight
		}
	}
	for _, t := range p.suspect.translations[f.stem] {
		if stem, ok := p.source.numbers[t.stem]; ok && !f.number {
			put(stem, t.weight, byDictionary)
		}
	}
	same := int32(-1)
	for _, o := range p.source.forms {
		if o.word == f.word && !o.common {
			same = o.stem
		}
	}
	if f.number {
		if same >= 0 {
			put(same, 1, byNumber)
		}
		return list
	}
	for _, o := range p.source.forms {
		if !o.number && !o.common && len(f.sound) >= 5 && len(o.sound) >= 5 && f.sound[:5] == o.sound[:5] {
			if f.capital || o.stem == same {
				put(o.stem, cognateWeight, byName)
			} else {
				put(o.stem, cognateWeight, byCognate)
			}
		}
	}
	for _, o := range p.source.forms {
		if !o.number && !o.common && f.capital && o.capital && len(f.sound) >= 4 && len(o.sound) >= 4 && f.sound[:4] == o.sound[:4] {
			put(o.stem, cognateWeight, byName)
		}
	}
	slices.SortFunc(list, func(a, b link) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.stem, b.stem))
	})
	return list[:min(len(list), mostLinks)]
}

// naiveContent returns the places of the words of the suspect that are not function words.
func naiveContent(p *pair) (content []int32) {
	for i, f := range p.suspect.words {
		if !p.suspect.forms[f].common {
			content = append(content, int32(i))
		}
	}
	return content
}

func naivePoints(p *pair) (list []point) {
	places := func(stem int32) (n int) {
		for _, f := range p.suspect.words {
			for _, l := range p.links[f] {
				if l.stem == stem {
					n++
				}
			}
		}
		return n * int(p.source.count[stem])
	}
	for i, f := range p.suspect.words {
		for j := range p.source.words {
			for _, l := range p.links[f] {
				if n := places(l.stem); l.stem == p.source.stemAt(j) && p.weight[l.stem] >= leastSingle && n <= mostPoints {
					list = append(list, point{int32(i), int32(j), math.Pow(p.weight[l.stem], 0.6) * sure(l.weight) / math.Pow(float64(n), damping)})
				}
			}
		}
	}
	return append(list, naivePairs(p)...)
}

// naivePairs tries each pair of words of the suspect with each pair of the source.
func naivePairs(p *pair) (list []point) {
	type two struct {
		x, y int
		a, b link
	}
	var own []two
	var theirs [][3]int32 // place, stem, stem
	content := naiveContent(p)
	for a, x := range content {
		for d := 1; d <= suspectSpan && a+d < len(content); d++ {
			for _, k := range p.links[p.suspect.words[x]] {
				for _, l := range p.links[p.suspect.words[content[a+d]]] {
					if k.stem != l.stem && p.weight[k.stem] > leastPaired && p.weight[l.stem] > leastPaired {
						own = append(own, two{int(x), int(content[a+d]), k, l})
					}
				}
			}
		}
	}
	var rest []int
	for j := range p.source.words {
		if !p.source.common[p.source.stemAt(j)] {
			rest = append(rest, j)
		}
	}
	for a, x := range rest {
		for d := 1; d <= sourceSpan && a+d < len(rest); d++ {
			theirs = append(theirs, [3]int32{int32(x), p.source.stemAt(x), p.source.stemAt(rest[a+d])})
		}
	}
	same := func(o two, t [3]int32) bool {
		return t[1] != t[2] && (o.a.stem == t[1] && o.b.stem == t[2] || o.a.stem == t[2] && o.b.stem == t[1])
	}
	for _, o := range own {
		here, there := 0, 0
		for _, t := range theirs {
			if same(o, t) {
				there++
			}
		}
		for _, q := range own {
			if same(q, [3]int32{0, o.a.stem, o.b.stem}) {
				here++
			}
		}
		for _, t := range theirs {
			if same(o, t) && here*there <= mostPoints {
				w := pairWeight * math.Pow(p.weight[o.a.stem]+p.weight[o.b.stem], 0.6) * sure(o.a.weight) * sure(o.b.weight)
				list = append(list, point{int32(o.x), t[0], w / math.Pow(float64(here*there), damping)})
			}
		}
	}
	return list
}

func naiveCores(points []point) (list []point) {
	for _, p := range points {
		greatest := map[int32]float64{}
		for _, q := range points {
			if abs(int(q.i-p.i)) <= radius && abs(int(q.j-p.j)) <= sourceRadius {
				greatest[q.i] = max(greatest[q.i], q.weight)
			}
		}
		sum := 0.0
		for i := p.i - radius; i <= p.i+radius; i++ {
			sum += greatest[i]
		}
		if sum >= leastDensity {
			list = append(list, p)
		}
	}
	return list
}

// naiveClusters repeats giving neighbours the smaller of their numbers until nothing changes.
func naiveClusters(cores []point) (list [][]point) {
	number := make([]int, len(cores))
	for i := range number {
		number[i] = i
	}
	for changed := true; changed; {
		changed = false
		for a, p := range cores {
			for b, q := range cores {
				if abs(int(p.i-q.i)) <= joinSuspect && abs(int(p.j-q.j)) <= joinSource && number[a] < number[b] {
					number[b], changed = number[a], true
				}
			}
		}
	}
	for n := range cores {
		var cluster []point
		for a, p := range cores {
			if number[a] == n {
				cluster = append(cluster, p)
			}
		}
		if cluster != nil {
			list = append(list, cluster)
		}
	}
	return list
}

func naiveExpected(cluster []point, from, to int) (places []float64) {
	for i := from; i < to; i++ {
		sum, weights, distance, closest := 0.0, 0.0, math.MaxInt, point{}
		for _, c := range cluster {
			if d := abs(int(c.i) - i); d <= distance {
				distance, closest = d, c
			}
			if abs(int(c.i)-i) <= near {
				weights += c.weight * c.weight
				sum += c.weight * c.weight * float64(int(c.j)+i-int(c.i))
			}
		}
		if weights > 0 {
			places = append(places, sum/weights)
		} else {
			places = append(places, float64(int(closest.j)+i-int(closest.i)))
		}
	}
	return places
}

func naiveNearest(p *pair, form int32, place float64, used map[int32]bool) (int32, kind) {
	at, why, least := int32(-1), kind(0), window+0.5
	for _, l := range p.links[form] {
		for j := range p.source.words {
			d := math.Abs(float64(j) - place)
			if p.source.stemAt(j) == l.stem && !p.source.common[l.stem] && !used[int32(j)] && d < least {
				at, why, least = int32(j), l.kind, d
			}
		}
	}
	return at, why
}

func equalPoints(a, b []point) bool {
	return slices.EqualFunc(a, b, func(x, y point) bool { return x.i == y.i && x.j == y.j && math.Abs(x.weight-y.weight) < 1e-9 })
}

// TestLinksAreTheNaiveOnes: in invented texts, and in real ones with names, numbers and cognates.
func TestLinksAreTheNaiveOnes(t *testing.T) {
	t.Parallel()
	suspect, source := hintText(testdata(t, "bridge.cs.txt")+" Tango tango filozofie 17 Washington Washingtonu."), hintText(testdata(t, "bridge.en.txt")+" tango Tango philosophy 17 Washington Tangoed.")
	f := finder(t)
	cs, en := language.Of("cs"), language.Of("en")
	d, err := f.Dictionary(t.Context(), cs, en)
	if err != nil {
		t.Fatal(err)
	}
	real := newPair(newWording(d, newText(newVocabulary(cs), suspect.Original, suspect.Words)), newText(newVocabulary(en), source.Original, source.Words))
	seen := map[kind]int{}
	for n, p := range append(samplePairs(), real) {
		for i, f := range p.suspect.forms {
			want := naiveLinks(p, f)
			if !slices.Equal(p.links[i], want) {
				t.Fatalf("pair %d: links of %q are %v, want %v", n, f.word, p.links[i], want)
			}
			for _, l := range want {
				seen[l.kind]++
			}
		}
	}
	if len(seen) < 4 {
		t.Errorf("links by kind: %v, want all kinds", seen)
	}
}

func TestStepsAreTheNaiveOnes(t *testing.T) {
	t.Parallel()
	for n, p := range samplePairs() {
		points := p.points()
		sortPoints(points)
		want := naivePoints(p)
		sortPoints(want)
		if !equalPoints(points, want) {
			t.Fatalf("pair %d: %d points, want %d", n, len(points), len(want))
		}
		some := crowded(points, p.suspect.len(), p.source.len())
		if len(some) == 0 || len(some) >= len(points) {
			t.Fatalf("pair %d: %d of %d points are crowded", n, len(some), len(points))
		}
		dense := cores(some)
		if got := naiveCores(points); !equalPoints(dense, got) {
			t.Fatalf("pair %d: %d cores, want %d", n, len(dense), len(got))
		}
		joined := clusters(dense)
		if len(joined) == 0 {
			t.Fatalf("pair %d: no cluster", n)
		}
		if got := naiveClusters(dense); !slices.EqualFunc(joined, got, equalPoints) {
			t.Fatalf("pair %d: clusters are not those of the naive form", n)
		}
		for _, c := range joined {
			places := expected(c, 0, p.suspect.len())
			for i, want := range naiveExpected(c, 0, p.suspect.len()) {
				if math.Abs(places[i]-want) > 1e-6 {
					t.Fatalf("pair %d: word %d is expected at %v, want %v", n, i, places[i], want)
				}
				used := map[int32]bool{int32(i): true, int32(i + 1): true}
				f := p.suspect.words[i]
				j, k := p.nearest(f, want, used)
				if wantJ, wantK := naiveNearest(p, f, want, used); j != wantJ || k != wantK {
					t.Fatalf("pair %d: nearest to word %d: %d by %d, want %d by %d", n, i, j, k, wantJ, wantK)
				}
			}
		}
	}
}

func TestBest(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		value := make([]float64, r.IntN(12))
		for i := range value {
			value[i] = float64(r.IntN(9) - 5)
		}
		want := 0.0
		for a := range value {
			for sum, b := 0.0, a; b < len(value); b++ {
				sum += value[b]
				want = max(want, sum)
			}
		}
		from, to, sum := best(value)
		total := 0.0
		for _, v := range value[from:to] {
			total += v
		}
		if sum != want || total != want {
			t.Errorf("best(%v) = [%d, %d) with %v, want a sum of %v", value, from, to, sum, want)
		}
	}
}

// TestChance: the probabilities of all distances, and of no link, sum up to 1, and so does the spread.
func TestChance(t *testing.T) {
	t.Parallel()
	p := samplePairs()[0]
	for f := range p.suspect.forms {
		share := leastShare
		for _, l := range p.links[f] {
			share += p.share[l.stem]
		}
		sum := math.Exp(-(2*window + 1) * share)
		for d := range window + 1 {
			sum += p.chance(int32(f), d)
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("form %v: probabilities sum up to %v", p.suspect.forms[f], sum)
		}
	}
	sum := 0.0
	for _, s := range spread {
		sum += s
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Errorf("the spread sums up to %v", sum)
	}
}
