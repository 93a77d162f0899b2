package segment

import (
	"bytes"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// unframe decodes a frame with a decoder that knows nothing of how it was made.
func unframe(t *testing.T, frame []byte) string {
	t.Helper()
	dec, err := zstd.NewReader(bytes.NewReader(frame), zstd.WithDecoderMaxWindow(blockBytes))
	if err != nil {
		t.Fatal(err)
	}
	defer dec.Close()
	text, err := io.ReadAll(dec)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestFrameIsZstandard(t *testing.T) {
	prose := strings.Repeat("Byl jasný, studený dubnový den i hodiny odbíjely třináctou. ", 10_000)
	rng := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 3*blockBytes)
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	texts := []string{"", "a", "ab", "short text", string(noise), strings.Repeat("x", 5*blockBytes), strings.Repeat("ab", blockBytes)}
	for _, size := range []int{minHuffman - 1, minHuffman, 200, 5000, blockBytes - 1, blockBytes, blockBytes + 1, 2 * blockBytes, len(prose)} {
		texts = append(texts, prose[:size])
	}
	for _, text := range texts {
		var frame bytes.Buffer
		if err := writeFrame(&frame, text); err != nil {
			t.Fatal(err)
		}
		if got := unframe(t, frame.Bytes()); got != text {
			t.Errorf("%d bytes come back as %d others", len(text), len(got))
		}
		if most := len(text) + 32 + len(text)/1000; frame.Len() > most {
			t.Errorf("%d bytes take %d, want %d at most", len(text), frame.Len(), most)
		}
	}
	var frame bytes.Buffer
	_ = writeFrame(&frame, prose)
	if frame.Len() > len(prose)*65/100 {
		t.Errorf("%d bytes of prose take %d, want 65 in 100 at most", len(prose), frame.Len())
	}
}

func FuzzFrame(f *testing.F) {
	f.Add("some text", 1)
	f.Add("ab", 200_000)
	f.Fuzz(func(t *testing.T, text string, times int) {
		text = strings.Repeat(text, max(0, min(times, 300_000/(len(text)+1))))
		var frame bytes.Buffer
		if err := writeFrame(&frame, text); err != nil {
			t.Fatal(err)
		}
		if unframe(t, frame.Bytes()) != text {
			t.Fatalf("%d bytes do not come back", len(text))
		}
	})
}

func BenchmarkWriteFrame(b *testing.B) {
	text := strings.Repeat("It was a bright cold day in April, and the clocks were striking thirteen. ", 10_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if err := writeFrame(io.Discard, text); err != nil {
			b.Fatal(err)
		}
	}
}

func writeFrame(w io.Writer, text string) error {
	f := framers.Get().(*framer)
	defer framers.Put(f)
	return f.write(w, text)
}
