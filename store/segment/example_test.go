package segment

import (
	"context"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/otisk/otisk/store"
)

// TestExampleInBytes compares the example in docs/INDEX-FORMAT.md with what is
// written.
func TestExampleInBytes(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "INDEX-FORMAT.md"))
	if err != nil {
		t.Fatal(err)
	}
	b := newBuffer(1 << 20)
	b.add(7, 1, 0, []store.Hash{0x123456789abc, 0xfedcba987654, 0x123456789abc})
	b.add(7, 2, 0, []store.Hash{0x123456789ab0})
	path := filepath.Join(t.TempDir(), "segment")
	_, err = newRunMerger(runs{b.runs[7]}).write(context.Background(), disk{}, path, 2)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var want []byte
	for _, m := range regexp.MustCompile(`(?m)^[0-9a-f]{4}  ((?:[0-9a-f]{2} ?)+)`).FindAllSubmatch(text, -1) {
		line, err := hex.DecodeString(strings.ReplaceAll(string(m[1]), " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, line...)
	}
	if string(got) != string(want) {
		t.Errorf("the segment is\n%s\ndocs/INDEX-FORMAT.md says\n%s", hex.Dump(got), hex.Dump(want))
	}
}
