package align

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestPieces(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "",
		"plain words":          "plain words",
		"天地":                   "天地 地",
		"天地\n玄黃":               "天地 地玄 玄黄 黄", // white space has no effect; the last one is simplified
		"天地，玄黃":                "天地 地 玄黄 黄",
		"起初神創造天地。 Amen":        "起初 初神 神创 创造 造天 天地 地 amen",
		"種を植える人、アブラハム":         "种 を 植 える 人 アブラハム",
		"새 하늘과 새 땅, 天地":        "새 하늘과 새 땅 天地 地",
		"\U00020000\U00020001": "\U00020000\U00020001 \U00020001",
	} {
		p := prepare(t, text)
		var got []string
		for _, w := range p.words {
			got = append(got, w.Text)
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("pieces of %q: %s, want %s", text, got, want)
		}
	}
}

// A chineseSpeaker says words of two characters.
type chineseSpeaker struct{ *rand.Rand }

func (s chineseSpeaker) word() string {
	k := math.Exp(10 * s.Float64()) // Zipf's law
	r := rand.New(rand.NewPCG(uint64(k), 1))
	return string([]rune{rune(0x4E00 + r.IntN(3000)), rune(0x4E00 + r.IntN(3000))})
}

func (s chineseSpeaker) words(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = s.word()
	}
	return list
}

// sentences joins words without spaces, ten in a sentence.
func sentences(parts ...[]string) string {
	var b strings.Builder
	for i, w := range slices.Concat(parts...) {
		b.WriteString(w)
		if i%10 == 9 {
			b.WriteString("。\n")
		}
	}
	return b.String()
}

// TestRewordedChineseIsFound: every other word is exchanged, so that hardly any of the words of the
// rule in package normalize is in both texts.
func TestRewordedChineseIsFound(t *testing.T) {
	for seed := range uint64(5) {
		s := chineseSpeaker{rand.New(rand.NewPCG(seed, 9))}
		copied := s.words(120)
		reworded := slices.Clone(copied)
		for i := range reworded {
			if i%2 == 0 {
				reworded[i] = s.word()
			}
		}
		suspect := sentences(s.words(200), reworded, s.words(200))
		source := sentences(s.words(300), copied, s.words(300))
		got := align(t, suspect, source)
		if len(got) != 1 {
			t.Fatalf("seed %d: %d passages, want 1", seed, len(got))
		}
		from := len(sentences(s.words(200)))
		to := from + len(sentences(reworded))
		if x := got[0].Suspect; 4*(min(x.End, to)-max(x.Start, from)) < 3*max(to-from, x.End-x.Start) {
			t.Errorf("seed %d: the passage is at bytes %d to %d, want %d to %d", seed, x.Start, x.End, from, to)
		}
		if clean := align(t, sentences(s.words(400)), source); len(clean) > 0 {
			t.Errorf("seed %d: %d passages of an unrelated text", seed, len(clean))
		}
	}
}

// TestPassagesOfPiecesAreInWords: ranges and counts are those of the words of the texts, and a run
// of Verbatim equal words is a passage wherever it begins.
func TestPassagesOfPiecesAreInWords(t *testing.T) {
	s := chineseSpeaker{rand.New(rand.NewPCG(3, 9))}
	for round := range 20 {
		copied := s.words(16 + round*4)
		a, b := textOf(t, sentences(s.words(61), copied, s.words(70))), textOf(t, "Prologue. "+sentences(s.words(43), copied, s.words(90)))
		list := aligned(New(DefaultParams()), Prepare(a), Prepare(b))
		if len(list) == 0 {
			t.Fatalf("round %d: no passage", round)
		}
		for _, p := range list {
			name := fmt.Sprintf("round %d, %s", round, p.Kind)
			for _, x := range []struct {
				text Text
				at   Range
				n    int
			}{{a, p.Suspect, p.Words}, {b, p.Source, p.SourceWords}} {
				words := x.text.Words[x.at.From:x.at.To]
				if len(words) != x.n || words[0].Start != x.at.Start || words[x.n-1].End != x.at.End {
					t.Errorf("%s: %d words at %+v, of %d words at bytes %d to %d", name, x.n, x.at, len(words), words[0].Start, words[len(words)-1].End)
				}
			}
			matched, run := recount(a.Words[p.Suspect.From:p.Suspect.To], b.Words[p.Source.From:p.Source.To])
			if matched != p.Matched || run != p.Run {
				t.Errorf("%s: %d words matched, the longest run %d, want %d and %d", name, p.Matched, p.Run, matched, run)
			}
			if p.Kind == Exact && p.Run != p.Words {
				t.Errorf("%s: a run of %d in %d words", name, p.Run, p.Words)
			}
			for _, r := range p.Equal {
				for k := range r.Len {
					if a.Words[r.Suspect+k].Text != b.Words[r.Source+k].Text {
						t.Errorf("%s: words %d and %d are not equal", name, r.Suspect+k, r.Source+k)
					}
				}
			}
		}
	}
}

// TestSlicesOfPieces: a slice, in words, has the pieces of these words.
func TestSlicesOfPieces(t *testing.T) {
	text := textOf(t, "One two "+sentences(chineseSpeaker{rand.New(rand.NewPCG(5, 9))}.words(60))+" three")
	whole := Prepare(text)
	for from := 0; from < len(text.Words); from += 7 {
		for to := from + 1; to <= len(text.Words); to += 11 {
			got := whole.Slice(from, to)
			if words := got.asText().Words; !slices.Equal(words, text.Words[from:to]) {
				t.Fatalf("the slice [%d, %d) has the words %v", from, to, words)
			}
			if got.Len() != got.place(to-from) || got.inWords(span{0, int32(got.Len())}) != (span{0, int32(to - from)}) {
				t.Errorf("the slice [%d, %d) of %d pieces has the words %v", from, to, got.Len(), got.inWords(span{0, int32(got.Len())}))
			}
		}
	}
}

// TestRepeatsAreInWords: the origins are places of words, also in a text with pieces.
func TestRepeatsAreInWords(t *testing.T) {
	s := chineseSpeaker{rand.New(rand.NewPCG(6, 9))}
	twice := s.words(60)
	text := textOf(t, sentences(s.words(30), twice, s.words(30), twice))
	p := Prepare(text)
	origins := p.Repeats()
	if len(origins) != len(text.Words) {
		t.Fatalf("%d origins of %d words", len(origins), len(text.Words))
	}
	again := 0
	for i, o := range origins {
		if int(o) == i {
			continue
		}
		again++
		if origins[o] != o {
			t.Errorf("word %d has the origin %d, which has the origin %d", i, o, origins[o])
		}
	}
	if different := len(text.Words) - again; again < 50 || p.Different() != different {
		t.Errorf("%d words have an origin, and %d of %d are different", again, p.Different(), len(text.Words))
	}
}

// TestKoreanEndings: a Korean word keeps its first two syllables when its particle changes.
func TestKoreanEndings(t *testing.T) {
	for word, want := range map[string]string{"사람": "사람", "사람들이": "사람", "하나님께서": "하나", "씨": "씨"} {
		if got := firstLetters(word); got != want {
			t.Errorf("firstLetters(%q) = %q, want %q", word, got, want)
		}
	}
}
