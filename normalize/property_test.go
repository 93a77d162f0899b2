package normalize

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/otisk/otisk/internal/testing/need"
)

// checkAll checks every promise of the package for one text.
func checkAll(t *testing.T, n *Normalizer, text string) {
	t.Helper()
	var words []Word
	wanted := referenceOf(n.Rules(), text)
	for _, mode := range []Mode{Line, Whole, Blank} {
		got := n.Paragraphs(text, mode)
		if want := wanted(mode); !equalParagraphs(got, want) {
			t.Fatalf("Paragraphs(%q, %v) with %+v:\n got %+v\nwant %+v", text, mode, n.Rules(), got, want)
		}
		flat := wordsOf(got)
		bridged := func(r rune) bool { return scriptOf(r) != spaced || strings.ContainsRune(hyphens, r) } // words may contain a line end, but not in this mode
		if mode != Line && !slices.Equal(flat, words) && !strings.ContainsFunc(text, bridged) {
			t.Fatalf("words of %q with %+v: %v in mode %v, %v in mode true", text, n.Rules(), flat, mode, words)
		}
		words = flat
		checkScan(t, n, text, mode, got)
		checkFill(t, n, text, mode, got)
		checkWords(t, n, text, mode, got)
	}
	checkRanges(t, n, text, words)
	checkEquivalent(t, n, text, words)
}

// checkWords: Words, which takes many words at once, says what Paragraphs says.
func checkWords(t *testing.T, n *Normalizer, text string, mode Mode, want []Paragraph) {
	t.Helper()
	var starts []int
	for range want {
		last := 0
		if k := len(starts); k > 0 {
			last = starts[k-1] + len(want[k-1].Words)
		}
		starts = append(starts, last)
	}
	words, breaks := n.Words(text, mode)
	if !slices.Equal(words, wordsOf(want)) || !slices.Equal(breaks, starts) {
		t.Fatalf("Words(%q, %v) with %+v: %+v, paragraphs from %v, want %+v", text, mode, n.Rules(), words, breaks, want)
	}
}

func equalParagraphs(a, b []Paragraph) bool {
	return slices.EqualFunc(a, b, func(p, q Paragraph) bool {
		return p.Start == q.Start && p.End == q.End && slices.Equal(p.Words, q.Words)
	})
}

func wordsOf(ps []Paragraph) []Word {
	var words []Word
	for _, p := range ps {
		words = append(words, p.Words...)
	}
	return words
}

// checkScan checks that a scanner returns what Paragraphs does.
func checkScan(t *testing.T, n *Normalizer, text string, mode Mode, want []Paragraph) {
	t.Helper()
	var got []Paragraph
	end := func(s *Scanner) {
		if len(got) > 0 {
			got[len(got)-1].Start, got[len(got)-1].End = s.Ended()
		}
	}
	s := n.Scan(text, mode)
	for s.Next() {
		if s.Paragraph() == len(got) {
			end(s)
			got = append(got, Paragraph{})
		}
		p := &got[s.Paragraph()]
		start, end := s.Span()
		p.Words = append(p.Words, Word{string(s.Word()), start, end})
	}
	end(s)
	if !equalParagraphs(got, want) {
		t.Fatalf("Scan(%q, %v) with %+v:\n got %+v\nwant %+v as Paragraphs", text, mode, n.Rules(), got, want)
	}
}

// checkFill checks that the words taken many at once are those of Paragraphs.
func checkFill(t *testing.T, n *Normalizer, text string, mode Mode, want []Paragraph) {
	t.Helper()
	var got [][]string
	var st Stretch
	for s := n.Scan(text, mode); s.Fill(&st); {
		from, breaks := 0, st.Breaks
		for i, end := range st.Ends {
			if len(breaks) > 0 && breaks[0] == i {
				got, breaks = append(got, nil), breaks[1:]
			}
			if len(got) == 0 || st.Text[end] != ' ' {
				t.Fatalf("Fill(%q, %v) with %+v: %q, words end at %v, paragraphs begin at %v", text, mode, n.Rules(), st.Text, st.Ends, st.Breaks)
			}
			got[len(got)-1] = append(got[len(got)-1], string(st.Text[from:end]))
			from = end + 1
		}
	}
	equal := func(words []string, p Paragraph) bool {
		return slices.EqualFunc(words, p.Words, func(a string, b Word) bool { return a == b.Text })
	}
	if !slices.EqualFunc(got, want, equal) {
		t.Fatalf("Fill(%q, %v) with %+v:\n got %q\nwant %+v as Paragraphs", text, mode, n.Rules(), got, want)
	}
}

// checkRanges checks that ranges rise in the text and that each one alone is
// its word.
func checkRanges(t *testing.T, n *Normalizer, text string, words []Word) {
	t.Helper()
	end := 0
	for _, w := range words {
		if w.Start < end || w.End <= w.Start || w.End > len(text) {
			t.Fatalf("word %q of %q at [%d,%d) after %d of %d bytes", w.Text, text, w.Start, w.End, end, len(text))
		}
		end = w.End
		part := text[w.Start:w.End]
		want := []Word{{w.Text, 0, len(part)}}
		if got := wordsOf(n.Paragraphs(part, Whole)); !slices.Equal(got, want) {
			t.Fatalf("%q, which is word %q of %q, alone is %v with %+v", part, w.Text, text, got, n.Rules())
		}
	}
}

// checkEquivalent checks that texts which Unicode calls equivalent have the
// same words. It says so of texts without endless accents.
func checkEquivalent(t *testing.T, n *Normalizer, text string, words []Word) {
	t.Helper()
	endless := func(u refItem) bool { return utf8.RuneCountInString(u.text) > maxMarks }
	if !utf8.ValidString(text) || slices.ContainsFunc(refUnits(norm.NFD.String(text)), endless) {
		return
	}
	for name, form := range map[string]norm.Form{"NFC": norm.NFC, "NFD": norm.NFD} {
		got := wordsOf(n.Paragraphs(form.String(text), Whole))
		if !slices.EqualFunc(got, words, func(a, b Word) bool { return a.Text == b.Text }) {
			t.Fatalf("words of %q in %s: %v, as it is: %v, with %+v", text, name, got, words, n.Rules())
		}
	}
}

const hyphens = "-‐\u00ad¬⸗"

// pieces are what random texts are made of: all that may meet in a bad way.
var pieces = []string{
	"a", "B", "word", "Slovo", "Řeka", "1", "٣", " ", " ", "\n", "\n\n", "\r\n", "\r", "\u0085", "\u2028", "\t", "\v", "\u00a0",
	".", ",", "-", "'", "’", "`", "´", "\u1fef", ";", "\u037e", "…", "§", "½", "_", "\x00", "\x7f", "\ufffd", "\xff", "\xc3", "\xe2\x80",
	"<", ">", "<p", "<p>", "<P class=\"x\">", "<p\u0338>", "<p >", "</p>", "<br/>", "<br />", "<b", "<b>", "</b>", "<číslo>", "<c\u030ci\u0301slo>", "/", "≮", "≯",
	"\u0301", "\u0323", "\u0338", "\u0344", "e\u0301", "é", "É", "J\u030c", "\u01f0", "q\u0323\u0307", "q\u0307\u0323",
	"\u00ad", "\u200b", "\u200d", "\ufeff", "\u2060", "\u034f", "\ufe0f", "❤\ufe0f", "İ", "ı", "I", "Σ", "ς", "σ", "ſ", "K", "K", "ẞ", "Ω",
	"a-\nb", "¬\n", "‐\r\n", "⸗\n", "-\n und", "\u00ad", "ﬁ", "ŉ", "ǆ", "ª", "ẛ", "ẚ", "Ⅷ", "𝟗", "ℵ", "о", "г",
	"\u1100", "\u1161", "\u11a8", "가", "\uac00\u11a8", "क", "ा", "\u09c7\u09be", "か\u3099", "漢字", "𝔸", "\U0001d15e", "Ა", "ა",
	strings.Repeat("\u0301", 9), strings.Repeat("x", 500), strings.Repeat("ž", 300),
}

// ruleSets are rules that texts of pieces can meet.
var ruleSets = []Rules{
	{},
	DefaultRules(),
	{KeepPunctuation: true, DeleteChars: ".,"},
	{NewLineTags: []string{"<p>", "<br/>", "</p>"}, DeleteTags: []string{"<b>", "</b>", "<p>"}, DeleteChars: "-"},
	{NewLineTags: []string{"<p class=\"x\">"}, DeleteTags: []string{"<číslo>", "word", "<", "k"}, KeepPunctuation: true},
	{DeleteTags: []string{"ž", "é", "ẞ", "\u0301", "..", "<p", "-\n"}, DeleteChars: "eÉ\u0301\u0338 \u00ad<"},
	{StopWords: []string{"a", "SLOVO", "1", "e\u0301", "Σ"}, DeleteChars: "`;-"},
}

func randomText(r *rand.Rand, pieces []string) string {
	var b strings.Builder
	for range 1 + r.IntN(24) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

func TestRandomTexts(t *testing.T) {
	for i, rules := range ruleSets {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			n := mustNew(t, rules)
			r := rand.New(rand.NewPCG(1, uint64(i)))
			for range need.Seeds(1000) {
				checkAll(t, n, randomText(r, pieces))
			}
		})
	}
}

// FuzzNormalize takes both the text and the rules from arbitrary bytes.
func FuzzNormalize(f *testing.F) {
	f.Add("Ahoj, <p>svete-x", "<p> <br/>", "<b>", "-'", "a the", false)
	f.Add("e\u0301 <P\r\nx>y\u0338≮", "≮", "é", "´\u0301", "É", true)
	f.Add("\xffx\r\n \r\n y<b <b <b", "", "<b> <b", "", "", false)
	f.Add(strings.Repeat("x", maxWord)+"\u0301", "x", "", "", "", false)
	f.Fuzz(func(t *testing.T, text, newLineTags, deleteTags, deleteChars, stopWords string, keepPunctuation bool) {
		n, err := New(Rules{
			NewLineTags:     strings.Fields(newLineTags),
			DeleteTags:      strings.Fields(deleteTags),
			DeleteChars:     deleteChars,
			StopWords:       strings.Fields(stopWords),
			KeepPunctuation: keepPunctuation,
		})
		if err != nil {
			return
		}
		checkAll(t, n, text)
	})
}

func mustNew(t testing.TB, rules Rules) *Normalizer {
	t.Helper()
	n, err := New(rules)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A long text of all kinds of characters, so that stretches end anywhere.
func TestFillTakesLongTexts(t *testing.T) {
	kinds := []string{"a", "Word", "běž", "ŽLUŤ", "x-y", "don't", " ", "  ", "\n", "\n\n", "\r\n", ". ", "—", "e\u0301", " \u0301", "\n\u0301", "<p>", "слово", "中文", "\u00ad", "-\n", "¬\n", "ﬁ", "ſ", "\xff", "Ⱥ", strings.Repeat("w", 300)}
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 7))
		var b strings.Builder
		for b.Len() < 5*stretchBytes {
			k := rng.IntN(len(kinds))
			if rng.IntN(3) > 0 {
				k = rng.IntN(8) // mostly words and spaces
			}
			b.WriteString(kinds[k])
		}
		for _, rules := range []Rules{DefaultRules(), {NewLineTags: []string{"<p>"}, DeleteTags: []string{"w"}}, {KeepPunctuation: true}, {StopWords: []string{"a"}}, {DeleteChars: "o"}} {
			n := mustNew(t, rules)
			for _, mode := range []Mode{Line, Whole, Blank} {
				checkFill(t, n, b.String(), mode, n.Paragraphs(b.String(), mode))
			}
		}
	}
}

// The words of the pieces between the offsets of a scanner are those of the text.
func TestOffsetsPartTexts(t *testing.T) {
	kinds := []string{"a", "Word", "běž", "ŽLUŤ", "x-y", "don't", " ", "  ", "\n", "\n\n", "\r\n", ". ", "—", "e\u0301", " \u0301", "\n\u0301", "<p>", "слово", "中文", "\u00ad", "-\n", "¬\n", "ﬁ", "ſ", "\xff", "Ⱥ", strings.Repeat("w", 300)}
	for seed := range uint64(need.Seeds(6)) {
		rng := rand.New(rand.NewPCG(seed, 9))
		var b strings.Builder
		for b.Len() < 6*stretchBytes {
			k := rng.IntN(len(kinds))
			if rng.IntN(3) > 0 {
				k = rng.IntN(8)
			}
			b.WriteString(kinds[k])
		}
		text := b.String()
		for _, rules := range []Rules{DefaultRules(), {NewLineTags: []string{"<p>"}, DeleteTags: []string{"w"}}, {KeepPunctuation: true}, {StopWords: []string{"a"}}, {DeleteChars: "o"}} {
			n := mustNew(t, rules)
			for _, mode := range []Mode{Line, Whole, Blank} {
				want, _ := n.Words(text, mode)
				var got []Word
				before := 0
				for s, st := n.Scan(text, mode), new(Stretch); s.Fill(st); before = s.Offset() {
					words, _ := n.Words(text[before:s.Offset()], mode)
					for _, w := range words {
						got = append(got, Word{w.Text, w.Start + before, w.End + before})
					}
				}
				if !slices.Equal(got, want) {
					t.Fatalf("seed %d, %+v, %v: the words of the pieces are not those of the text", seed, rules, mode)
				}
			}
		}
	}
}
