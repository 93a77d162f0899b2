package fingerprint

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/go-faster/city"
)

// vectors are hashes on which two independent libraries agree.
var vectors = []struct {
	text string
	hash uint64
}{
	{"", 0x9ae16a3b2f90404f},
	{"a", 0xb3454265b6df75e3},
	{"to ma ema", 0xb21f3ecc26a4e8c0},
	{"tom a ema", 0x510f920c653e1719},
	{"the quick brown fox jumps over the", 0x7f06fce8c90c45b4},
	{"lorem ipsum dolor sit amet consectetur adipiscing", 0xe68251992a23b41f},
	{"příliš žluťoučký kůň úpěl ďábelské ódy dnes", 0x07c48426920f769b},
	{"in this thesis we present a system for the identification of duplicate passages", 0x00855216971dcc9d},
}

func TestVectors(t *testing.T) {
	for _, v := range vectors {
		if got := Sum64([]byte(v.text)); got != v.hash {
			t.Errorf("Sum64(%q) = %016x, want %016x", v.text, got, v.hash)
		}
		if got, want := Of([]byte(v.text)), Hash(v.hash>>16); got != want {
			t.Errorf("Of(%q) = %012x, want %012x", v.text, got, want)
		}
	}
}

// TestSum64 compares the hash with the library's for every length around the
// one that is written out here.
func TestSum64(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	buf := make([]byte, 200)
	for range 200 {
		for i := range buf {
			buf[i] = byte(r.Uint32())
		}
		for n := range 130 {
			at := r.IntN(len(buf) - n + 1)
			b := buf[at : at+n]
			if got, want := Sum64(b), city.Hash64(b); got != want {
				t.Fatalf("Sum64 of %d bytes %x = %016x, want %016x", n, b, got, want)
			}
		}
	}
}

// naive makes the n-grams as the package comment says.
func naive(words []string, n int) []Hash {
	var hashes []Hash
	for i := 0; i+n <= len(words); i++ {
		hashes = append(hashes, Hash(city.Hash64([]byte(strings.Join(words[i:i+n], " ")))>>16))
	}
	return hashes
}

func TestGrams(t *testing.T) {
	tests := []struct {
		words string
		n     int
		want  []string // the n-grams
	}{
		{"", 1, nil},
		{"a b", 3, nil},
		{"a b c", 3, []string{"a b c"}},
		{"to ma ema", 3, []string{"to ma ema"}},
		{"tom a ema", 3, []string{"tom a ema"}},
		{"a b c d", 3, []string{"a b c", "b c d"}},
		{"a b c", 1, []string{"a", "b", "c"}},
	}
	for _, tt := range tests {
		var want []Hash
		for _, gram := range tt.want {
			want = append(want, Of([]byte(gram)))
		}
		if got := Grams(strings.Fields(tt.words), tt.n); !slices.Equal(got, want) {
			t.Errorf("Grams(%q, %d) = %x, want %x", tt.words, tt.n, got, want)
		}
	}
}

// TestRoller compares the rolled n-grams of several paragraphs with the naive
// ones, with words of very different lengths.
func TestRoller(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 2, 3, 7, 100, 1000} {
		roller := NewRoller(n)
		for range 8 {
			words := make([]string, r.IntN(3*n+50))
			for i := range words {
				words[i] = strings.Repeat("x", r.IntN(10)) + fmt.Sprint(i)
				if r.IntN(20) == 0 {
					words[i] += strings.Repeat("y", r.IntN(1000))
				}
			}
			var got []Hash
			for _, w := range words {
				if h, ok := roller.Add([]byte(w)); ok {
					got = append(got, h)
				}
			}
			if !slices.Equal(got, naive(words, n)) {
				t.Fatalf("n = %d: %d words give other n-grams than one by one", n, len(words))
			}
			roller.Break()
		}
	}
}

func TestRollerHoldsFewWords(t *testing.T) {
	roller := NewRoller(7)
	word := []byte(strings.Repeat("w", 1024))
	for range 10_000 {
		roller.Add(word)
	}
	if got, limit := cap(roller.buf), 100<<10; got > limit {
		t.Errorf("after 10,000 words of 1 KiB the roller holds %d bytes, want %d at most", got, limit)
	}
}

func TestNewRollerPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("NewRoller(0) did not panic")
		}
	}()
	NewRoller(0)
}

func FuzzGrams(f *testing.F) {
	f.Add("příliš žluťoučký kůň úpěl", uint8(3))
	f.Fuzz(func(t *testing.T, text string, n uint8) {
		words := strings.Split(text, " ")
		if got, want := Grams(words, int(n)+1), naive(words, int(n)+1); !slices.Equal(got, want) {
			t.Fatalf("Grams(%q, %d) = %x, want %x", words, int(n)+1, got, want)
		}
	})
}

const english = "It was the best of times it was the worst of times it was the age of wisdom it was the age of foolishness it was the epoch of belief"
const czech = "babička měla syna a dvě dcery nejstarší žila mnoho let ve vídni u přátel od nichž se vdala druhá dcera šla pak na její místo"

// BenchmarkRoller makes 7-grams; 1000/ns is millions a second.
func BenchmarkRoller(b *testing.B) {
	for name, text := range map[string]string{"english": english, "czech": czech} {
		b.Run(name, func(b *testing.B) {
			var words [][]byte
			bytes := 0
			for _, w := range strings.Fields(text) {
				words = append(words, []byte(w))
				bytes += len(w) + 1
			}
			r := NewRoller(7)
			grams := 0
			for b.Loop() {
				for _, w := range words {
					if _, ok := r.Add(w); ok {
						grams++
					}
				}
			}
			b.SetBytes(int64(bytes))
			b.ReportMetric(float64(grams)/b.Elapsed().Seconds()/1e6, "Mgrams/s")
		})
	}
}

func BenchmarkSum64(b *testing.B) {
	for _, n := range []int{20, 33, 45, 64, 80} {
		buf := make([]byte, n)
		b.Run(fmt.Sprintf("%d bytes", n), func(b *testing.B) {
			b.SetBytes(int64(n))
			for b.Loop() {
				Sum64(buf)
			}
		})
		b.Run(fmt.Sprintf("%d bytes, library", n), func(b *testing.B) {
			b.SetBytes(int64(n))
			for b.Loop() {
				city.Hash64(buf)
			}
		})
	}
}
