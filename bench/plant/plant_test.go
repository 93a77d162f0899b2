package plant

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

const story = `„Kdo jde?“ zvolal ponocný. Nikdo se neozval. Šel
tedy dál. Byla tma… Velmi tmavá noc!

Ráno přišlo pozdě. Déšť ustal, ale nebe
zůstalo šedé. Ponocný spal. „Vstávej!“ řekla žena.
`

func TestParse(t *testing.T) {
	tests := []struct {
		name, body string
		want       []string // sentences as they are, | before a new paragraph
	}{
		{"blank lines", story, []string{
			"„Kdo jde?“ zvolal ponocný.", "Nikdo se neozval.", "Šel\ntedy dál.", "Byla tma…", "Velmi tmavá noc!",
			"|Ráno přišlo pozdě.", "Déšť ustal, ale nebe\nzůstalo šedé.", "Ponocný spal.", "„Vstávej!“ řekla žena."}},
		{"lines", "Jedna. Dvě\nTři. čtyři", []string{"Jedna.", "Dvě", "|Tři. čtyři"}},
		{"empty", "", nil},
	}
	for _, tt := range tests {
		var got []string
		paragraph := 0
		for _, s := range Parse(tt.name, tt.body).Sentences {
			text := tt.body[s.Start:s.End]
			if words := strings.Fields(text); !slices.Equal(words, s.Words) {
				t.Errorf("%s: sentence %q has words %q, want %q", tt.name, text, s.Words, words)
			}
			if s.Paragraph != paragraph {
				text = "|" + text
			}
			paragraph = s.Paragraph
			got = append(got, text)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: sentences %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestInsertAndLayout(t *testing.T) {
	source := Parse("source", story)
	copied := func(from, to int) []Run {
		return Verbatim(nil, nil, Passage{source, source.Sentences[from:to]})
	}
	host := Parse("host", strings.Repeat("Vlastní věta hostitele. Druhá z nich je o něco delší než první.\n", 5)).Sentences
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 0))
		text, places := Layout(Insert(r, host, [][]Run{copied(0, 2), copied(5, 9)}), 30)
		if len(places) != 2 {
			t.Fatalf("seed %d: %d places, want 2", seed, len(places))
		}
		own := text
		for i := len(places) - 1; i >= 0; i-- {
			p := places[i]
			got := strings.Fields(text[p.Start:p.End])
			want := strings.Fields(story[p.Origin.Start:p.Origin.End])
			if !slices.Equal(got, want) {
				t.Errorf("seed %d: text[%d:%d] has words %q, want %q", seed, p.Start, p.End, got, want)
			}
			own = own[:p.Start] + own[p.End:]
		}
		if got, want := strings.Fields(own), Words(host); !slices.Equal(got, want) {
			t.Errorf("seed %d: without the copies the text is %q, want the host's %q", seed, got, want)
		}
		for _, line := range strings.Split(text, "\n") {
			if n := len([]rune(line)); n > 30 {
				t.Errorf("seed %d: line %q has %d characters, want 30 at most", seed, line, n)
			}
		}
	}
}

func TestKindsOfShortPassages(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	one := Passage{Parse("a", "Ano."), Parse("a", "Ano.").Sentences}
	for name, kind := range map[string]Kind{"verbatim": Verbatim, "swapped": Swapped(2), "left out": LeftOut(2), "reordered": Reordered, "woven": Woven} {
		runs := kind(r, []string{"x"}, one)
		if len(runs) != 1 || !slices.Equal(runs[0].Words, []string{"Ano."}) {
			t.Errorf("%s: copy of a sentence of one word is %+v, want that word", name, runs)
		}
	}
}

func TestReordered(t *testing.T) {
	source := Parse("source", story)
	p := Passage{source, source.Sentences}
	for seed := range uint64(50) {
		runs := Reordered(rand.New(rand.NewPCG(seed, 0)), nil, p)
		got, want := runs[0].Words, Words(p.Sentences)
		if slices.Equal(got, want) {
			t.Fatalf("seed %d: sentences are as they were", seed)
		}
		if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
			t.Errorf("seed %d: words %q, want those of %q", seed, got, want)
		}
	}
}

func TestWoven(t *testing.T) {
	a := Parse("a", strings.Repeat("Tohle je první zdroj se sedmi slovy. ", 12))
	b := Parse("b", strings.Repeat("Druhý zdroj jich má méně. ", 12))
	runs := Woven(nil, nil, Passage{a, a.Sentences}, Passage{b, b.Sentences})
	var order []string
	words := map[*Text][]string{}
	for _, run := range runs {
		o := run.Origin
		order = append(order, o.Source.Name)
		words[o.Source] = append(words[o.Source], run.Words...)
		if got := strings.Fields(o.Source.Body[o.Start:o.End]); !slices.Equal(got, run.Words) {
			t.Errorf("piece of %s has words %q, its origin %q", o.Source.Name, run.Words, got)
		}
	}
	if got, want := strings.Join(order, ""), "ababa"; got != want {
		t.Errorf("pieces of %s, want %s", got, want)
	}
	for _, source := range []*Text{a, b} {
		if want := Words(source.Sentences); !slices.Equal(words[source], want) {
			t.Errorf("pieces of %s have words %q, want %q", source.Name, words[source], want)
		}
	}
}

func TestCodePoints(t *testing.T) {
	text := "žluť kůň"
	start := strings.Index(text, "kůň")
	if offset, length := CodePoints(text, start, len(text)); offset != 5 || length != 3 {
		t.Errorf("CodePoints = %d, %d, want 5, 3", offset, length)
	}
}
