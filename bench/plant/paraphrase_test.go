package plant

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestReadSynonyms(t *testing.T) {
	name := filepath.Join(t.TempDir(), "synonyms.txt")
	if err := os.WriteFile(name, []byte("rychle, kvapně, honem\n\nhned, honem\nsám\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := ReadSynonyms(name)
	want := map[string][]string{
		"rychle": {"kvapně", "honem"}, "kvapně": {"rychle", "honem"},
		"honem": {"rychle", "kvapně", "hned"}, "hned": {"honem"},
	}
	if err != nil || !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("ReadSynonyms = %q, %v, want %q", got, err, want)
	}
	if _, err := ReadSynonyms(name + ".no"); err == nil {
		t.Error("no error for a file that is not there")
	}
}

func TestParaphrased(t *testing.T) {
	source := Parse("source", story)
	p := Passage{source, source.Sentences}
	others := []string{"kamení,", "vánku.", "Sněhobílého"}
	kind := Paraphrased(map[string][]string{"noc": {"půlnoc"}, "ráno": {"jitro"}})
	var all []string
	for seed := range uint64(50) {
		runs := kind(rand.New(rand.NewPCG(seed, 0)), others, p)
		if len(runs) != 1 || *runs[0].Origin != (Origin{source, source.Sentences[0].Start, source.Sentences[8].End}) {
			t.Fatalf("seed %d: %d runs, the first from %+v", seed, len(runs), *runs[0].Origin)
		}
		if got, want := len(runs[0].Words), len(Words(p.Sentences)); got != want {
			t.Errorf("seed %d: %d words, want %d", seed, got, want)
		}
		all = append(all, strings.Join(runs[0].Words, " "))
	}
	text := strings.Join(all, "\n")
	// A synonym always, with the marks of the word; endings and other words by chance.
	for _, word := range []string{"půlnoc!", "jitro ", "vánku ", "zůstaho", "„Vstávho!“"} {
		if !strings.Contains(text, word) {
			t.Errorf("%q occurs in none of 50 paraphrases", word)
		}
	}
	for _, word := range []string{" noc", "Ráno"} {
		if strings.Contains(text, word) {
			t.Errorf("%q is left, which has a synonym", word)
		}
	}
	if got := strings.Count(text, "tmavá půlnoc!"); got < 5 || got > 45 {
		t.Errorf("words are in their order in %d of 50 paraphrases, want some", got)
	}
}

// TestParaphrasedWithoutEndings: words of Thai are exchanged or stay as they are.
func TestParaphrasedWithoutEndings(t *testing.T) {
	source := Parse("source", strings.Repeat("กฎหมาย ภาษาไทย แม่บ้าน ", 20))
	runs := Paraphrased(nil)(rand.New(rand.NewPCG(1, 0)), []string{"ประเทศ"}, Passage{source, source.Sentences})
	counts := map[string]int{}
	for _, w := range runs[0].Words {
		counts[strings.TrimPrefix(w, Glue)]++
	}
	whole := 0
	for _, s := range source.Sentences {
		for _, w := range s.Words {
			if counts[strings.TrimPrefix(w, Glue)] > 0 {
				whole++
			}
		}
	}
	if other := counts["ประเทศ"]; other == 0 || whole != len(Words(source.Sentences)) {
		t.Errorf("%d words exchanged, %d of %d kinds kept; want some and all", other, whole, len(Words(source.Sentences)))
	}
}

func TestMerged(t *testing.T) {
	source := Parse("source", strings.Repeat("Byla tma, ale ponocný šel dál. ", 20))
	runs := Merged(rand.New(rand.NewPCG(1, 0)), []string{"jenže"}, Passage{source, source.Sentences})
	text := strings.Join(runs[0].Words, " ")
	for _, want := range []string{"dál, jenže Byla", "tma. jenže ale", "tma, ale", "dál. Byla", "ale šel"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
}
