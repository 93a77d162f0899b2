package segment

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/otisk/otisk/store"
)

// entrySamples are records that differ in what they have.
func entrySamples() []record {
	full := record{PrefixLen: 3, Numbers: []uint64{4, 5}, Place: &place{1, 2, 3, 1<<32 - 1, 5}, PairNumber: 9}
	full.Document = store.Document{
		Base: "b1", Bytes: 12, ModTime: time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC), Content: "00ff", TextSum: "ff00", Reader: 7, Charset: "cp1250",
		Format: "html", Title: "Kůň", Author: "J. Novák", Year: 1999, Address: "https://example.org/a?b&c=<d>", Labels: map[string]string{"faculty": "law", "druh": "práce"}, Rules: "tex",
		NewLine: "blank", Text: 10, Words: 9, Parts: 2, NoText: true, Sizes: []store.Size{{N: 5, Grams: 2}, {N: 7, Grams: 1}}, Paired: true, Pairs: 8,
		Said: store.Description{Title: "Jiný", Labels: map[string]string{"faculty": "arts"}}, Scanned: 3, Copies: []string{"a", "b"},
	}
	bare := record{Numbers: []uint64{1}}
	bare.Sizes = []store.Size{{N: 7, Grams: 3}}
	escaped := bare
	escaped.Title, escaped.Labels = "a \"quote\" & <b>\n", map[string]string{"x": `\`}
	old := bare
	old.Year = -5
	return []record{full, bare, escaped, old, full}
}

// TestQuickRecord: entries as they are written are read quickly, and as encoding/json
// reads them.
func TestQuickRecord(t *testing.T) {
	quick := []bool{true, true, false, false, true}
	for i, r := range entrySamples() {
		value, err := encodeRecord(r)
		if err != nil {
			t.Fatal(err)
		}
		if got := wantAsJSON(t, value); got != quick[i] {
			t.Errorf("quickRecord(%s) = %v, want %v", value, got, quick[i])
		}
	}
}

// wantAsJSON reports whether an entry is read quickly, and fails if it is and
// encoding/json reads something else.
func wantAsJSON(t *testing.T, value []byte) bool {
	t.Helper()
	for _, moment := range []bool{false, true} {
		var got, want record
		if !quickRecord(value, &got, moment) {
			return false
		}
		if err := json.Unmarshal(value, &want); err != nil {
			t.Errorf("quickRecord(%q) = true, and encoding/json says %v", value, err)
		} else if !reflect.DeepEqual(got, want) {
			t.Errorf("quickRecord(%q) gives\n%+v, want\n%+v", value, got, want)
		}
	}
	return true
}

// TestMoment: nothing of a record is left in the next one that is read into it.
func TestMoment(t *testing.T) {
	var got record
	for _, r := range entrySamples() {
		value, err := encodeRecord(r)
		if err != nil {
			t.Fatal(err)
		}
		name := []byte("p--name")
		if err := got.decode(name, value, true); err != nil {
			t.Fatal(err)
		}
		want, err := decodeRecord(name, value)
		if err != nil {
			t.Fatal(err)
		}
		a, err := encodeRecord(got)
		if err != nil {
			t.Fatal(err)
		}
		if b, _ := encodeRecord(want); string(a) != string(b) || got.Name() != want.Name() || got.ID != want.ID {
			t.Errorf("a record read over another is\n%s, want\n%s", a, b)
		}
	}
}

// FuzzQuickRecord: what is read quickly is what encoding/json reads.
func FuzzQuickRecord(f *testing.F) {
	for _, r := range entrySamples() {
		value, err := encodeRecord(r)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value []byte) { wantAsJSON(t, value) })
}
