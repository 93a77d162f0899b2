package align

import (
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/normalize"
)

// recount counts the words of a passage again, by the simplest reading of [Passage].
func recount(suspect, source []normalize.Word) (matched, run int) {
	theirs := make(map[string]int)
	for _, w := range source {
		theirs[w.Text]++
	}
	for _, w := range suspect {
		if theirs[w.Text] > 0 {
			theirs[w.Text]--
			matched++
		}
	}
	for i := range suspect {
		for j := range source {
			k := 0
			for i+k < len(suspect) && j+k < len(source) && suspect[i+k].Text == source[j+k].Text {
				k++
			}
			run = max(run, k)
		}
	}
	return matched, run
}

// tiled returns the number of the source's word that each word of the suspect is
// paired with, or -1, by looking for the longest free run again and again.
func tiled(suspect, source []normalize.Word) []int {
	partner, used := make([]int, len(suspect)), make([]bool, len(source))
	for i := range partner {
		partner[i] = -1
	}
	free := func(i, j int) bool {
		return i < len(suspect) && j < len(source) && partner[i] < 0 && !used[j] && suspect[i].Text == source[j].Text
	}
	for {
		var best Run
		for i := range suspect {
			for j := range source {
				k := 0
				for free(i+k, j+k) {
					k++
				}
				if k > best.Len {
					best = Run{i, j, k}
				}
			}
		}
		if best.Len < 2 {
			break
		}
		for k := range best.Len {
			partner[best.Suspect+k], used[best.Source+k] = best.Source+k, true
		}
	}
	for i := range suspect {
		for j := range source {
			if free(i, j) {
				partner[i], used[j] = j, true
			}
		}
	}
	return partner
}

// check fails the test unless a passage agrees with its texts.
func check(t *testing.T, p Passage, suspect, source Text) {
	t.Helper()
	a, b := suspect.Words[p.Suspect.From:p.Suspect.To], source.Words[p.Source.From:p.Source.To]
	if p.Suspect.Start != a[0].Start || p.Suspect.End != a[len(a)-1].End || p.Source.Start != b[0].Start || p.Source.End != b[len(b)-1].End {
		t.Errorf("passage %+v: bytes are not those of the words", p)
	}
	matched, run := recount(a, b)
	if p.Words != len(a) || p.SourceWords != len(b) || p.Matched != matched || p.Run != run {
		t.Errorf("words %d %d matched %d run %d, want %d %d %d %d", p.Words, p.SourceWords, p.Matched, p.Run, len(a), len(b), matched, run)
	}
	sum, longest, gaps, last := 0, 0, 0, Run{Suspect: p.Suspect.From}
	used := make(map[int]bool)
	for i, r := range p.Equal {
		if r.Suspect < last.Suspect+last.Len || r.Suspect+r.Len > p.Suspect.To || r.Source < p.Source.From || r.Source+r.Len > p.Source.To {
			t.Errorf("run %+v out of order or bounds", r)
		}
		for k := range r.Len {
			if got, want := suspect.Words[r.Suspect+k].Text, source.Words[r.Source+k].Text; got != want || used[r.Source+k] {
				t.Errorf("run %+v: word %d is %q, in the source %q, used before: %v", r, k, got, want, used[r.Source+k])
			}
			used[r.Source+k] = true
		}
		if i > 0 && r.Suspect > last.Suspect+last.Len {
			gaps++
		}
		sum, longest, last = sum+r.Len, max(longest, r.Len), r
	}
	if sum != p.Matched || longest != p.Run || gaps != p.Gaps {
		t.Errorf("listed runs have %d words, the longest %d, with %d gaps; passage says %d %d %d", sum, longest, gaps, p.Matched, p.Run, p.Gaps)
	}
	if p.Grade != gradeOf(&p) {
		t.Errorf("grade %v, want %v", p.Grade, gradeOf(&p))
	}
}

// textPairs are pairs that have passages, in several ways of writing a text.
func textPairs(t testing.TB) [][2]Text {
	t.Helper()
	const czech = `Babička měla syna a dvě dcery. Nejstarší žila mnoho let ve Vídni u přátel, od nichž se vdala. Druhá dcera
šla pak na její místo. Syn řemeslník též byl již samostatným a přiženil se do městského domku. Babička bydlela v
pohorské vesničce, na slezských hranicích, žila spokojeně v malé chaloupce se starou Bětkou, která byla její vrstevnice
a již u rodičů sloužila. „Nežila ve své chaloupce osamotnělá,“ psali; všickni obyvatelé byli jí bratřími a sestrami.`
	const changed = `Je známo, že babička měla syna a také dvě dcery. Nejstarší z nich žila mnoho roků ve Vídni u přátel, od nichž se vdala.
Syn též byl již samostatným, řemeslník, a přiženil se do městského domku. Druhá dcera šla na její místo. Bydlela babička v
podhorské vesnici, na slezských hranicích, a žila spokojeně v malé chaloupce se starou Bětkou, její vrstevnicí, která již u rodičů sloužila.`
	pairs := [][2]string{
		{changed, czech}, {czech, changed}, {czech, czech},
		{strings.ReplaceAll(changed, "\n", "\r\n"), "\ufeff" + strings.ReplaceAll(czech, " ", "\t")},
		{strings.ReplaceAll(changed, "á", "a\u0301"), strings.ToUpper(czech)},
		{czech + "\n\n\n" + changed, changed + "\n\n" + czech},
	}
	for seed := range uint64(20) {
		s := newSpeaker(seed)
		words := s.words(300)
		pairs = append(pairs, [2]string{
			say(s.words(100), s.edited(words, 2+int(seed)%10), s.words(50), words[:20]),
			say(s.words(50), words[150:], s.words(20), words[:200]),
		})
	}
	var list [][2]Text
	for _, p := range pairs {
		list = append(list, [2]Text{textOf(t, p[0]), textOf(t, p[1])})
	}
	return list
}

func TestPassagesCanBeRecounted(t *testing.T) {
	params := DefaultParams()
	params.Summaries.MinSource, params.Summaries.MinWords, params.Summaries.MinSum = 50, 20, 5
	for _, params := range []Params{DefaultParams(), params} {
		kinds := make(map[Kind]int)
		for _, pair := range textPairs(t) {
			suspect, source := Prepare(pair[0]), Prepare(pair[1])
			for _, p := range aligned(New(params), suspect, source) {
				kinds[p.Kind]++
				check(t, p, pair[0], pair[1])
			}
		}
		if kinds[Exact] == 0 || kinds[Cluster] == 0 {
			t.Errorf("found kinds %v, want some of exact and cluster", kinds)
		}
	}
}

func TestMatchIsTheNaiveOne(t *testing.T) {
	for seed := range uint64(60) {
		s := newSpeaker(seed)
		vocabulary := s.words(2 + int(seed))
		text := func(n int) Text {
			words := make([]string, n)
			for i := range words {
				words[i] = vocabulary[s.IntN(len(vocabulary))]
			}
			return textOf(t, strings.Join(words, " "))
		}
		a, b := text(5+s.IntN(30)), text(5+s.IntN(30))
		params := DefaultParams()
		p := newPair(&params, Prepare(a), Prepare(b))
		m := p.match(span{0, int32(len(a.Words))}, span{0, int32(len(b.Words))})
		got := make([]int, len(a.Words))
		for i := range got {
			got[i] = -1
		}
		for _, r := range m.equal {
			for k := range r.Len {
				got[r.Suspect+k] = r.Source + k
			}
		}
		if want := tiled(a.Words, b.Words); !slices.Equal(got, want) {
			t.Errorf("seed %d: words %v\nand   %v\npaired %v\nwant   %v", seed, a.Words, b.Words, got, want)
		}
	}
}

// FuzzAlign: for any texts, the figures of passages are right, their bounds are those of words,
// and no run of Verbatim equal words is uncovered by half or more.
func FuzzAlign(f *testing.F) {
	for _, pair := range textPairs(f)[:8] {
		f.Add(pair[0].Text[:200], pair[1].Text[:200])
	}
	f.Add(strings.Repeat("a ", 100), strings.Repeat("a a b ", 40))
	f.Add("\xff\x00 e\u0301 ﬁ ǅ \ufeff", "\u0301\u0301 É e")
	params := DefaultParams()
	params.Verbatim, params.MinWords, params.MinCluster, params.MinMass, params.Density = 6, 3, 1, 0.5, 0.5
	params.Summaries.MinSource, params.Summaries.MinWords, params.Summaries.MinSum = 20, 10, 2
	f.Fuzz(func(t *testing.T, suspect, source string) {
		a, b := textOf(t, suspect), textOf(t, source)
		if len(a.Words)*len(b.Words) > 1<<14 {
			t.Skip("too long to count again")
		}
		pa, pb := Prepare(a), Prepare(b)
		covered := make([]bool, pa.Len())
		for _, p := range aligned(New(params), pa, pb) {
			check(t, p, a, b)
			mark(covered, span{int32(p.Suspect.From), int32(p.Suspect.To)})
		}
		for _, r := range naiveRuns(pa.forms, newPair(&params, pa, pb).form, params.Verbatim) {
			s := span{int32(r.Suspect), int32(r.Suspect + r.Len)}
			if 2*count(covered, s) < r.Len {
				t.Errorf("run %v: %d of its words are in passages", r, count(covered, s))
			}
		}
	})
}
