package esclient

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/otisk/otisk/store"
)

// TestBlock has the example that the description of the layout gives.
func TestBlock(t *testing.T) {
	const gen = 4294967297
	if got, want := blockID(gen, 0), "000000010000000100000000"; got != want {
		t.Errorf("blockID = %s, want %s", got, want)
	}
	got := string(appendBlock(nil, gen, 0, []store.Hash{1, 1<<48 - 1}))
	if want := `{"gen":4294967297,"no":0,"h":"!!!!!!!# |d8li7ec"}`; got != want {
		t.Errorf("appendBlock = %s, want %s", got, want)
	}
}

// TestPositionsFit: the last n-gram of the last block that a part may have is at
// the last position there is.
func TestPositionsFit(t *testing.T) {
	if last := int64(maxBlocks)*blockGrams + blockGrams - 1; last != 1<<32-1 {
		t.Errorf("the last position is %d, want that 32 bits are enough for it, and used", last)
	}
}

func TestDamagedBlock(t *testing.T) {
	for _, h := range []string{"", "A", "!!!!!!!", "!!!!!!!# ", "!!!!!!!#\t!!!!!!!#", "!!!!!!A#", "!!!!!!!# !!!!!!!", "Á!!!!!!"} {
		b := block{H: h}
		if list, err := b.hashes(nil, blockGrams); !errors.Is(err, store.ErrDamaged) {
			t.Errorf("hashes of %q = %v, %v, want store.ErrDamaged", h, list, err)
		}
	}
	for _, no := range []int{-1, maxBlocks + 1} {
		b := block{No: no, H: "!!!!!!!#"}
		if _, err := b.hashes(nil, blockGrams); !errors.Is(err, store.ErrDamaged) {
			t.Errorf("hashes of block number %d = %v, want store.ErrDamaged", no, err)
		}
	}
}

// FuzzBlock encodes each decoded block, and expects the same bytes.
func FuzzBlock(f *testing.F) {
	f.Add([]byte(`{"gen":4294967297,"no":0,"h":"!!!!!!!# |d8li7ec"}`))
	f.Add([]byte(`{"gen":-1,"no":-1,"h":"!!!!!!!"}`))
	f.Add([]byte(`{"h":"!!!!!!!# !!!!!!!# "}`))
	f.Fuzz(func(t *testing.T, source []byte) {
		var b, again block
		if json.Unmarshal(source, &b) != nil {
			return
		}
		hashes, err := b.hashes(nil, blockGrams)
		if err != nil {
			return
		}
		if err := json.Unmarshal(appendBlock(nil, b.Gen, b.No, hashes), &again); err != nil || again != b {
			t.Fatalf("block %+v becomes %+v, %v", b, again, err)
		}
		for _, h := range hashes {
			if h >= 1<<48 {
				t.Fatalf("hash %x of %q has more than 48 bits", uint64(h), b.H)
			}
		}
	})
}

// FuzzEntry reads an entry as a server may return it, and writes it again.
func FuzzEntry(f *testing.F) {
	v := &version{From: 3, To: 5, Doc: store.Document{Path: "/a\xff", Title: "t"}, Text: &piece{Gen: 9, Units: 1, Bytes: 2, Kept: 3, Sum: 4}}
	v.Doc.ID = store.IDOf("", v.Doc.Path)
	v.setSize(piece{N: 7, Gen: 8, Units: 1, Grams: 6, Sum: 1 << 63})
	f.Add(v.encode())
	f.Add([]byte(`{"doc":"0","entry":{}}`))
	f.Fuzz(func(t *testing.T, source []byte) {
		var s, again entrySource
		if json.Unmarshal(source, &s) != nil {
			return
		}
		v, err := s.version()
		if err != nil {
			return
		}
		if err := json.Unmarshal(v.encode(), &again); err != nil {
			t.Fatal(err)
		}
		w, err := again.version()
		if err != nil || w.Doc.Name() != v.Doc.Name() || !slices.Equal(w.Size, v.Size) || w.From != v.From || w.To != v.To {
			t.Fatalf("entry %+v becomes %+v, %v", v, w, err)
		}
	})
}

func TestNextSession(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	const want = 2192 * 24 * 3600 * 1000
	const end = 1<<genBits - 1 // the last generation of a session
	for _, tt := range []struct{ last, used, want int64 }{
		{0, 0, want}, {7, 7 << genBits, want}, {want - 1, 0, want}, {want, 0, want + 1}, {want + 9, 0, want + 10},
		{0, (want-1)<<genBits + end, want}, {0, want << genBits, want + 1}, {want + 9, (want+11)<<genBits + end, want + 12},
	} {
		if got := nextSession(tt.last, tt.used, now); got != tt.want {
			t.Errorf("nextSession(%d, %d) = %d, want %d", tt.last, tt.used, got, tt.want)
		}
	}
}

// TestExisting: all parts but the catalogue are swept after a crash.
func TestExisting(t *testing.T) {
	s := &Store{names: names{"x", 2}}
	got := s.existing([]string{"x-documents-2", "x-pairs-2", "x-texts-2", "x-7gram-2", "x-12gram-2", "x-translated-2", "x-7gram-1", "x-texts-1", "x-more-2"})
	if want := []string{"pairs", "texts", "7gram", "12gram", "translated"}; !slices.Equal(got, want) {
		t.Errorf("existing() = %q, want %q", got, want)
	}
}

// TestParts: names of the parts with postings, of their fields, and in messages.
func TestParts(t *testing.T) {
	for _, tt := range []struct {
		size              int
		part, field, name string
	}{
		{7, "7gram", "7", "7-grams"}, {pairsN, "pairs", "pairs", "pairs"}, {store.TranslationKeys, "translated", "translated", "keys for translations"},
	} {
		if part, field, name := gramsPart(tt.size), gramsField(tt.size), gramsName(tt.size); part != tt.part || field != tt.field || name.Error() != tt.name {
			t.Errorf("size %d: part %q, field %q, name %q, want %q, %q, %q", tt.size, part, field, name, tt.part, tt.field, tt.name)
		}
		if got := unitsField(tt.part); got != "units."+tt.field {
			t.Errorf("unitsField(%q) = %q, want units.%s", tt.part, got, tt.field)
		}
		n := names{"x", 3}
		if build, ok := buildOf("x", n.concrete(tt.part)); !ok || build != 3 {
			t.Errorf("%s: build %d, %v", n.concrete(tt.part), build, ok)
		}
	}
}

func TestBuildOf(t *testing.T) {
	for _, tt := range []struct {
		base, index string
		build       int
	}{
		{"theses", "theses-documents-1", 1}, {"theses", "theses-7gram-12", 12}, {"theses", "theses-texts-3", 3},
		{"theses", "theses-2-documents-1", 0}, {"theses", "theses-documents", 0}, {"theses", "other-documents-1", 0},
		{"theses-2", "theses-documents-1", 0}, {"theses", "theses-gram-1", 0}, {"theses", "theses-documents-1-1", 0},
	} {
		build, ok := buildOf(tt.base, tt.index)
		if build != tt.build || ok != (tt.build > 0) {
			t.Errorf("buildOf(%s, %s) = %d, %v, want %d", tt.base, tt.index, build, ok, tt.build)
		}
	}
}

// TestChunksOf: chunks begin where marked blocks do, long blocks have several, and texts without marks have
// chunks of one size.
func TestChunksOf(t *testing.T) {
	const long, size = longestChunk, chunkBytes
	marks := func(bytes ...int64) *store.Marks {
		m := new(store.Marks)
		for _, b := range bytes {
			m.Blocks = append(m.Blocks, store.Mark{Byte: b})
		}
		return m
	}
	for _, tt := range []struct {
		marks *store.Marks
		size  int64
		want  []int64
	}{
		{nil, 0, []int64{0}}, {nil, size, []int64{0, size}}, {nil, size + 1, []int64{0, size, size + 1}},
		{marks(0, 0), 0, []int64{0}}, {marks(0, 10), 10, []int64{0, 10}}, {marks(0, size+9, size+12), size + 12, []int64{0, size + 9, size + 12}},
		{marks(0, 5, 2*long+6, 2*long+7), 2*long + 7, []int64{0, 5, long + 5, 2*long + 5, 2*long + 6, 2*long + 7}},
	} {
		if got := chunksOf(tt.marks, tt.size); !slices.Equal(got, tt.want) {
			t.Errorf("chunks of %v, %d bytes = %d, want %d", tt.marks, tt.size, got, tt.want)
		}
	}
}
