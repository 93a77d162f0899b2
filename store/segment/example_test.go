package segment

import (
	"context"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/store"
)

// TestSegmentInBytes compares the segment in docs/INDEX-FORMAT.md with a segment as written.
func TestSegmentInBytes(t *testing.T) {
	b := newBuffer(1 << 20)
	b.add(7, 1, 0, []store.Hash{0x123456789abc, 0xfedcba987654, 0x123456789abc})
	b.add(7, 2, 0, []store.Hash{0x123456789ab0})
	path := filepath.Join(t.TempDir(), "segment")
	_, err := newRunMerger(runs{b.runs[7]}).write(context.Background(), disk{}, path, 2)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	wantExample(t, "### A segment in bytes", got)
}

// exampleRecord returns the record in docs/INDEX-FORMAT.md.
func exampleRecord() record {
	return record{
		Document: store.Document{
			Path: "theses/novak.txt", Base: "1", Bytes: 26, ModTime: time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC), Format: "text",
			Author: "J. Novák", Labels: map[string]string{"faculty": "law", "kind": "master"}, NewLine: "blank", Text: 26, Words: 18, Parts: 1,
			Sizes: []store.Size{{N: 7, Grams: 12}},
		},
		Numbers: []uint64{3}, Place: &place{Pack: 1, Stored: 43, Sum: 0x2f1a5c07, Length: 26},
	}
}

// TestEntryInBytes compares the value of an entry in docs/INDEX-FORMAT.md with a value as
// written.
func TestEntryInBytes(t *testing.T) {
	wantExample(t, "### An entry in bytes", encodeRecord(exampleRecord()))
}

// wantExample compares bytes with those in the section of docs/INDEX-FORMAT.md with that
// heading.
func wantExample(t *testing.T, heading string, got []byte) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "INDEX-FORMAT.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(text), heading+"\n")
	if !ok {
		t.Fatalf("docs/INDEX-FORMAT.md has no section %q", heading)
	}
	section, _, _ = strings.Cut(section, "\n#")
	var want, last []byte
	for _, m := range regexp.MustCompile(`(?m)^([0-9a-f]{4})  ((?:[0-9a-f]{2})+(?: (?:[0-9a-f]{2})+)*)`).FindAllStringSubmatch(section, -1) {
		start, err := strconv.ParseInt(m[1], 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		for int(start) > len(want) && len(last) > 0 { // a line of *
			want = append(want, last...)
		}
		if last, err = hex.DecodeString(strings.ReplaceAll(m[2], " ", "")); err != nil {
			t.Fatal(err)
		}
		want = append(want, last...)
	}
	if string(got) != string(want) {
		t.Errorf("%s: written is\n%s\ndocs/INDEX-FORMAT.md says\n%s", heading, hex.Dump(got), hex.Dump(want))
	}
}
