package charset

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/internal/testing/need"
)

// TestGuessNovels checks the guess on real texts, whole and on their first 4 KB:
// those of the samples, or those in the folder that OTISK_NOVELS names. UTF-16 needs no statistics, so a tenth of
// the texts is enough for it.
func TestGuessNovels(t *testing.T) {
	dir := cmp.Or(os.Getenv("OTISK_NOVELS"), filepath.Join("..", "..", "samples", "collection", "czech"))
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no texts in %s: %v", dir, err)
	}
	unsure := 0
	for i, path := range files {
		if i%3 > 0 && !need.All() {
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		unsure += checkGuess(t, path, string(data), []string{"windows-1250", "iso-8859-2"}[i%2])
		if i%10 == 0 {
			checkUTF16(t, path, string(data))
		}
	}
	if 100*unsure > 2*len(files) {
		t.Errorf("of %d texts and their beginnings, another encoding is said to fit as well as that of %d, want 2 in 100 at most", len(files), unsure)
	}
}

// checkUTF16 checks that a text in UTF-16, whole and by its first 4 KB, is read as
// it was, with and without a byte order mark.
func checkUTF16(t *testing.T, path, text string) {
	text = strings.TrimPrefix(text, "\ufeff")
	for name, order := range map[string]unicode.Endianness{"utf-16le": unicode.LittleEndian, "utf-16be": unicode.BigEndian} {
		for _, mark := range []unicode.BOMPolicy{unicode.UseBOM, unicode.IgnoreBOM} {
			data, err := unicode.UTF16(order, mark).NewEncoder().Bytes([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range []int{len(data), min(len(data), format.HeadSize)} {
				got, label, err := Decode(t.Context(), &format.Source{Data: data[:n]}, "")
				if err != nil || label != name || !strings.HasPrefix(text, string(got)) || n == len(data) && string(got) != text {
					t.Errorf("%s, %d bytes of %s: read as %s, %v", path, n, name, label, err)
				}
			}
		}
	}
}

// checkGuess checks the guess of a text without the characters that the
// encoding lacks. It returns how often another encoding is said to fit as well.
func checkGuess(t *testing.T, path, text, label string) (unsure int) {
	enc, err := Lookup(label)
	if err != nil {
		t.Fatal(err)
	}
	known := map[rune]string{} // what a character is in the encoding: to ask for each of a novel takes ten times as long
	var b strings.Builder
	for _, r := range text {
		c, ok := known[r]
		if !ok {
			if one, err := enc.NewEncoder().String(string(r)); r < 0x80 || err == nil && len(one) == 1 {
				c = one
			}
			known[r] = c
		}
		b.WriteString(c)
	}
	data := []byte(b.String())
	for _, n := range []int{len(data), min(len(data), format.HeadSize)} {
		src := &format.Source{Data: data[:n]}
		got, gotLabel, err := Decode(t.Context(), src, "")
		want, _, _ := decodeAs(t.Context(), data[:n], label)
		if err != nil || string(got) != string(want) {
			t.Errorf("%s, %d bytes of %s: read as %s, %v", path, n, label, gotLabel, err)
		}
		if g := src.Guessed; g != nil && g.Other != "" {
			unsure++
		}
	}
	return unsure
}
