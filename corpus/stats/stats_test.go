package stats

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/otisk/otisk/corpus/corpustest"
)

// TestIsNaive compares with counting in memory.
func TestIsNaive(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	dir := t.TempDir()
	counts := map[int]map[string]uint64{1: {}, 3: {}, 7: {}}
	words, paragraphs := 0, 0
	for i := range 20 {
		var b strings.Builder
		for range 1 + r.IntN(20) {
			var list []string
			for range 1 + r.IntN(50) {
				list = append(list, fmt.Sprint("w", int(30*r.Float64()*r.Float64())))
			}
			for n, m := range counts {
				for i := 0; i+n <= len(list); i++ {
					m[strings.Join(list[i:i+n], " ")]++
				}
			}
			words += len(list)
			paragraphs++
			b.WriteString(strings.Join(list, " ") + "\n\n")
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i, ".txt")), []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Count(t.Context(), corpustest.Input(t, dir), Options{Sizes: []int{7, 1, 3, 3}, Memory: 1 << 20}, corpustest.Folder(t))
	if err != nil {
		t.Fatal(err)
	}
	if got.Documents != 20 || got.Words != int64(words) || got.Paragraphs != int64(paragraphs) || len(got.Sizes) != 3 {
		t.Errorf("%d documents, %d paragraphs, %d words, %d sizes; want 20, %d, %d, 3", got.Documents, got.Paragraphs, got.Words, len(got.Sizes), paragraphs, words)
	}
	for _, s := range got.Sizes {
		var grams, once int64
		often := map[int]int64{}
		for _, c := range counts[s.N] {
			grams += int64(c)
			if c == 1 {
				once++
			}
			often[bits.Len64(c-1)]++
		}
		if distinct := int64(len(counts[s.N])); s.Grams != grams || s.Distinct != distinct || s.Once != once || s.Again != float64(grams-distinct)/float64(grams) {
			t.Errorf("%d words: %+v, want %d n-grams, %d different, %d once", s.N, s, grams, distinct, once)
		}
		for _, o := range s.Often {
			if want := often[bits.Len64(o.To-1)]; o.Distinct != want {
				t.Errorf("%d words: %d are there %d to %d times, want %d", s.N, o.Distinct, o.From, o.To, want)
			}
		}
	}
	var page strings.Builder
	if err := WritePage(&page, "<b>collection</b>", got); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"&lt;b&gt;collection", "<dd>20</dd>", "default-src 'none'"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page.String(), "http") && !strings.Contains(page.String(), "http-equiv") || strings.Contains(page.String(), "src=") {
		t.Error("the page needs something from elsewhere")
	}
}
