package store

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"unicode/utf8"
)

// made returns marks of a text with the given number of blocks.
func made(rng *rand.Rand, blocks int) (*Marks, string) {
	text, pairs := "", int64(0)
	var ends, words []int
	for range blocks {
		count := 1 + rng.IntN(300)
		for range count {
			text += "ž x "[:2+3*rng.IntN(2)]
		}
		ends, words = append(ends, len(text)), append(words, count)
	}
	m := NewMarker(text, []int{2, 7, 300})
	for i := range ends {
		pairs += int64(rng.IntN(words[i]))
		var breaks []int
		for b := rng.IntN(3); b < words[i]; b += 1 + rng.IntN(100) {
			breaks = append(breaks, b)
		}
		m.Add(ends[i], words[i], breaks, pairs)
	}
	return m.Marks(), text
}

func TestMarksAreKept(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for blocks := range 40 {
		want, text := made(rng, blocks)
		data := want.Encode()
		got, err := DecodeMarks(data, int64(len(text)))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%d blocks: decoded %+v, %v; want %+v", blocks, got, err, want)
		}
		if _, err := DecodeMarks(data[:len(data)-1], int64(len(text))); err == nil {
			t.Error("marks that are cut off are taken")
		}
		if _, err := DecodeMarks(data, int64(len(text))+1); err == nil {
			t.Error("marks of another text are taken")
		}
	}
}

// TestMarksCountGrams: the n-grams before a block are counted by paragraphs.
func TestMarksCountGrams(t *testing.T) {
	m := NewMarker("abcdefghij", []int{3})
	m.Add(4, 4, []int{0}, 0)     // a paragraph begins: 4 words, 2 n-grams
	m.Add(6, 2, nil, 1)          // it continues: 2 more
	m.Add(10, 4, []int{1, 3}, 2) // a word more and 1 n-gram, then 2 words, then 1
	var grams, inside []int64
	marks := m.Marks()
	for _, b := range marks.Blocks {
		grams, inside = append(grams, b.Grams[0]), append(inside, b.Inside)
	}
	if want := []int64{0, 2, 4, 5}; !reflect.DeepEqual(grams, want) {
		t.Errorf("n-grams before each block: %v, want %v", grams, want)
	}
	if want := []int64{0, 4, 6, 0}; !reflect.DeepEqual(inside, want) {
		t.Errorf("words of the paragraph before each block: %v, want %v", inside, want)
	}
	for gram, want := range []int{0, 0, 1, 1, 2, 2, 2} {
		if got := marks.BlockOf(0, int64(gram)); got != want {
			t.Errorf("n-gram %d ends in block %d, want %d", gram, got, want)
		}
	}
	for pair, want := range []int64{4, 6, 10, 10} {
		if got := marks.NearPair(int64(pair)); got != want {
			t.Errorf("pair %d is near word %d, want %d", pair, got, want)
		}
	}
	if marks.Block(3) != 0 || marks.Block(4) != 1 || marks.Block(9) != 2 || marks.Block(10) != 2 {
		t.Error("words are in other blocks than they were added in")
	}
}

func FuzzDecodeMarks(f *testing.F) {
	marks, text := made(rand.New(rand.NewPCG(2, 2)), 5)
	f.Add(marks.Encode(), int64(len(text)))
	f.Fuzz(func(t *testing.T, data []byte, length int64) {
		m, err := DecodeMarks(data, length)
		if err != nil {
			return
		}
		for k := range m.Blocks[1:] {
			a, b := &m.Blocks[k], &m.Blocks[k+1]
			if b.Byte < a.Byte || b.Rune < a.Rune || b.Word < a.Word || b.Pairs < a.Pairs || b.Byte > length {
				t.Fatalf("block %d does not rise: %+v, %+v", k, a, b)
			}
		}
	})
}

// TestRunes: code points are counted by the bytes that start them.
func TestRunes(t *testing.T) {
	for _, s := range []string{"", "a", "seven77", "eight888", "nine99999", "Žluťoučký kůň", "ααααααααα", "“quoted”, and 漢字漢字漢字 𝔸𝔹ℂ"} {
		for from := range len(s) {
			want := 0
			for i := from; i < len(s); i++ {
				if utf8.RuneStart(s[i]) {
					want++
				}
			}
			if got := runes(s[from:]); got != want {
				t.Errorf("runes(%q) = %d, want %d", s[from:], got, want)
			}
		}
	}
}
