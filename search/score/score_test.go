package score

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

// found is a suspect of 100 words with three sources.
var found = Input{
	Words: 100, Sources: 3, Grades: 3,
	Passages: []Passage{
		{Source: 0, Word: 0, Words: 40, Matched: 40, Grade: 0},
		{Source: 1, Word: 30, Words: 20, Matched: 12, Grade: 1},
		{Source: 0, Word: 60, Words: 10, Matched: 10, Grade: 0},
		{Source: 2, Word: 62, Words: 6, Matched: 6, Grade: 0},
		{Source: 2, Word: 90, Words: 10, Matched: 3, Grade: 2},
	},
	Excluded: []Stretch{{"quotation", 5, 10}, {"quotation", 60, 10}, {"bibliography", 85, 15}},
}

func TestCount(t *testing.T) {
	tests := []struct {
		name    string
		choice  Choice
		covered int
		grades  []int
		counted []int // by source
	}{
		{"all", Choice{}, 70, []int{50, 10, 10}, []int{50, 10, 10}},
		{"no quotations", Choice{Kinds: map[string]bool{"quotation": true}}, 50, []int{30, 10, 10}, []int{30, 10, 10}},
		{"no bibliography", Choice{Kinds: map[string]bool{"bibliography": true}}, 60, []int{50, 10, 0}, []int{50, 10, 0}},
		{"no reworded ones", Choice{Grades: map[int]bool{2: true}}, 60, []int{50, 10, 0}, []int{50, 10, 0}},
		{"from 20 words", Choice{PassageWords: 20}, 50, []int{40, 10, 0}, []int{40, 10, 0}},
		{"from 35 words, without quotations", Choice{PassageWords: 35, Kinds: map[string]bool{"quotation": true}}, 0, []int{0, 0, 0}, []int{0, 0, 0}},
		{"sources from 17 words", Choice{SourceWords: 17}, 60, []int{50, 10, 0}, []int{50, 10, 0}},
		{"sources from 20 %, which one just covers", Choice{SourcePercent: 20}, 60, []int{50, 10, 0}, []int{50, 10, 0}},
		{"sources from 20.5 %", Choice{SourcePercent: 20.5}, 50, []int{50, 0, 0}, []int{50, 0, 0}},
		{"without the first source", Choice{Sources: map[int]bool{0: true}}, 36, []int{6, 20, 10}, []int{0, 20, 16}},
		{"without the first passage", Choice{Passages: map[int]bool{0: true}}, 40, []int{10, 20, 10}, []int{10, 20, 10}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := found.Count(tt.choice)
			if got.Covered != tt.covered || got.Percent != float64(tt.covered) || !reflect.DeepEqual(got.Grades, tt.grades) {
				t.Errorf("Count = %d words (%v %%), grades %v, want %d, %v", got.Covered, got.Percent, got.Grades, tt.covered, tt.grades)
			}
			for i, s := range got.Sources {
				if s.Counted != tt.counted[i] {
					t.Errorf("source %d counts %d words, want %d", i, s.Counted, tt.counted[i])
				}
			}
		})
	}
}

func TestCountNothing(t *testing.T) {
	got := (&Input{Grades: 1}).Count(Choice{})
	if got.Covered != 0 || got.Percent != 0 {
		t.Errorf("Count of nothing = %d words, %v %%", got.Covered, got.Percent)
	}
}

// TestCountAsNaive compares Count with the rules done word by word.
func TestCountAsNaive(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		in, c := randomInput(rnd)
		if got, want := in.Count(c), naive(in, c); !reflect.DeepEqual(got, want) {
			t.Fatalf("Count(%+v, %+v)\n = %+v,\nwant %+v", in, c, got, want)
		}
	}
}

func randomInput(rnd *rand.Rand) (*Input, Choice) {
	in := &Input{Words: rnd.IntN(60), Sources: 1 + rnd.IntN(4), Grades: 3}
	for range rnd.IntN(12) {
		p := Passage{Source: rnd.IntN(in.Sources), Word: rnd.IntN(60) - 2,
			Words: rnd.IntN(20), Matched: rnd.IntN(10), Run: rnd.IntN(10), Grade: rnd.IntN(3)}
		if rnd.IntN(3) == 0 {
			p.Joined = 1 + 2*p.Source + rnd.IntN(2)
		}
		in.Passages = append(in.Passages, p)
	}
	c := Choice{Kinds: map[string]bool{"a": rnd.IntN(2) == 0}, Grades: map[int]bool{rnd.IntN(6): true}, PassageWords: rnd.IntN(6),
		SourceWords: rnd.IntN(10), SourcePercent: rnd.Float64() * 20,
		Sources: map[int]bool{rnd.IntN(8): true}, Passages: map[int]bool{rnd.IntN(20): true}}
	for range rnd.IntN(4) {
		in.Excluded = append(in.Excluded, Stretch{string(rune('a' + rnd.IntN(2))), rnd.IntN(60) - 2, rnd.IntN(20)})
	}
	return in, c
}

// naive applies the rules word by word.
func naive(in *Input, c Choice) Total {
	t := Total{Grades: make([]int, in.Grades), Sources: make([]Source, in.Sources), Passages: make([]Part, len(in.Passages))}
	out := func(w int) bool {
		for _, s := range in.Excluded {
			if c.Kinds[s.Kind] && w >= s.Word && w < s.Word+s.Words {
				return true
			}
		}
		return false
	}
	covers := func(i, w int) bool {
		p := in.Passages[i]
		return w >= p.Word && w < p.Word+p.Words && !out(w)
	}
	for w := range in.Words {
		if out(w) {
			t.Excluded++
		}
	}
	for i, p := range in.Passages {
		for w := range in.Words {
			if covers(i, w) {
				t.Passages[i].Words++
			}
		}
		t.Passages[i].Out = c.Passages[i] || c.Sources[p.Source] || c.Grades[p.Grade] ||
			t.Passages[i].Words == 0
	}
	together := func(i int) (words int) {
		for k, q := range in.Passages {
			if k == i || q.Joined > 0 && q.Joined == in.Passages[i].Joined && !t.Passages[k].Out {
				words += t.Passages[k].Words
			}
		}
		return words
	}
	var short []int
	for i := range in.Passages {
		if together(i) < c.PassageWords {
			short = append(short, i)
		}
	}
	for _, i := range short {
		t.Passages[i].Out = true
	}
	for s := range t.Sources {
		src := &t.Sources[s]
		for w := range in.Words {
			for i, p := range in.Passages {
				if p.Source == s && !t.Passages[i].Out && covers(i, w) {
					src.Covered++
					break
				}
			}
		}
		for i, p := range in.Passages {
			first := true
			for k, q := range in.Passages[:i] {
				first = first && (q.Joined == 0 || q.Joined != p.Joined || t.Passages[k].Out)
			}
			if p.Source == s && !t.Passages[i].Out && first {
				src.Passages++
			}
		}
		src.Percent = Percent(src.Covered, in.Words)
		if c.Sources[s] || src.Passages == 0 || src.Covered < c.SourceWords || src.Percent < c.SourcePercent {
			*src = Source{Out: true}
			for i, p := range in.Passages {
				if p.Source == s {
					t.Passages[i].Out = true
				}
			}
		}
	}
	for w := range in.Words {
		best := -1
		for i, p := range in.Passages {
			if t.Passages[i].Out || !covers(i, w) {
				continue
			}
			if best < 0 || less(p, in.Passages[best]) {
				best = i
			}
		}
		if best >= 0 {
			p := in.Passages[best]
			t.Covered++
			t.Grades[p.Grade]++
			t.Passages[best].Counted++
			t.Sources[p.Source].Counted++
		}
	}
	for i, p := range in.Passages {
		if !t.Passages[i].Out {
			t.Run = max(t.Run, p.Run)
		}
	}
	t.Percent = Percent(t.Covered, in.Words)
	return t
}

func less(a, b Passage) bool {
	if a.Grade != b.Grade {
		return a.Grade < b.Grade
	}
	if a.Matched != b.Matched {
		return a.Matched > b.Matched
	}
	return a.Source < b.Source
}
