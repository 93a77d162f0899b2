package normalize

import (
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

const english = `It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of
foolishness, it was the epoch of belief, it was the epoch of incredulity, it was the season of Light, it was the season
of Darkness, it was the spring of hope, it was the winter of despair, we had everything before us, we had nothing
before us, we were all going direct to Heaven, we were all going direct the other way. Don't you see?

`

const czech = `Babička měla syna a dvě dcery. Nejstarší žila mnoho let ve Vídni u přátel, od nichž se vdala. Druhá dcera
šla pak na její místo. Syn řemeslník též byl již samostatným a přiženil se do městského domku. Babička bydlela v
pohorské vesničce, na slezských hranicích, žila spokojeně v malé chaloupce se starou Bětkou, která byla její vrstevnice
a již u rodičů sloužila. „Nežila ve své chaloupce osamotnělá,“ psali; všickni obyvatelé byli jí bratřími a sestrami.

`

func BenchmarkScan(b *testing.B) {
	few := []string{"a", "the", "of", "že", "se", "to"}
	tests := []struct {
		name  string
		text  string
		rules Rules
	}{
		{"english", english, DefaultRules()},
		{"czech", czech, DefaultRules()},
		{"english, stop words", english, Rules{DeleteChars: deleteChars, StopWords: few}},
		{"czech, decomposed", norm.NFD.String(czech), DefaultRules()},
		{"czech, tags", strings.ReplaceAll(czech, "\n\n", "</p>\n<p>"), Rules{NewLineTags: []string{"<p>"}, DeleteTags: []string{"</p>"}}},
		{"cyrillic", strings.Map(toCyrillic, english), DefaultRules()},
		{"hindi", "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है।\n", DefaultRules()},
		{"chinese", "人人生而自由，在尊严和权利上一律平等。\n", DefaultRules()},
		{"stray <", strings.Repeat("<p x ", 100), Rules{NewLineTags: []string{"<p>"}}},
	}
	for _, tt := range tests {
		b.Run(tt.name, func(b *testing.B) {
			n := mustNew(b, tt.rules)
			text := strings.Repeat(tt.text, 1<<20/len(tt.text))
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				words := 0
				for s := n.Scan(text, Blank); s.Next(); {
					words++
				}
				if words == 0 {
					b.Fatal("no words")
				}
			}
		})
	}
}

func BenchmarkFill(b *testing.B) {
	for name, text := range map[string]string{"english": english, "czech": czech, "cyrillic": strings.Map(toCyrillic, english)} {
		b.Run(name, func(b *testing.B) {
			n := mustNew(b, DefaultRules())
			text := strings.Repeat(text, 1<<20/len(text))
			b.SetBytes(int64(len(text)))
			var st Stretch
			for b.Loop() {
				words := 0
				for s := n.Scan(text, Blank); s.Fill(&st); {
					words += len(st.Ends)
				}
				if words == 0 {
					b.Fatal("no words")
				}
			}
		})
	}
}

func BenchmarkParagraphs(b *testing.B) {
	n := mustNew(b, DefaultRules())
	text := strings.Repeat(czech, 1<<20/len(czech))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		n.Paragraphs(text, Blank)
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		mustNew(b, ruleSets[3])
	}
}

func toCyrillic(r rune) rune {
	switch {
	case 'a' <= r && r <= 'z':
		return 'а' + r - 'a'
	case 'A' <= r && r <= 'Z':
		return 'А' + r - 'A'
	}
	return r
}
