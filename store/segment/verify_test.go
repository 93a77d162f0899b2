package segment

import (
	"strings"
	"testing"

	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/storetest"
)

// contradictory makes an index of two documents, has plant change the statements of the next
// generation, and wants Verify to report want.
func contradictory(t *testing.T, want string, plant func(s *Store, x *index, c *changes)) {
	t.Helper()
	s := open(t, t.TempDir(), Options{Workers: 1, inTurn: true})
	addDoc(t, s, "/a", "text of a", storetest.Grams(7, 1, 2, 3))
	commit(t, s)
	addDoc(t, s, "/b", "text of b", storetest.Grams(7, 3, 4))
	commit(t, s)
	wantClean(t, s)
	x, c := s.snap.index.clone(), newChanges()
	plant(s, x, c)
	if err := s.addTable(t.Context(), x, c); err != nil {
		t.Fatal(err)
	}
	if err := s.advance(x, s.open()); err != nil {
		t.Fatal(err)
	}
	s.sweep()
	if got := strings.Join(problems(t, s), "\n"); !strings.Contains(got, want) {
		t.Errorf("Verify reports\n%s\nwant %q", got, want)
	}
}

// TestVerifyFindsContradictions commits catalogues with valid checksums and false statements.
func TestVerifyFindsContradictions(t *testing.T) {
	for name, tt := range map[string]struct {
		plant func(x *index, c *changes)
		want  string
	}{
		"documents":  {func(x *index, _ *changes) { x.Documents++ }, "its totals differ from the sums of its documents"},
		"text bytes": {func(x *index, _ *changes) { x.TextBytes++ }, "its totals differ from the sums of its documents"},
		"kept bytes": {func(x *index, _ *changes) { x.KeptBytes++ }, "its totals differ from the sums of its documents"},
		"sizes":      {func(x *index, _ *changes) { x.Sizes[7] = total{2, 99} }, "its totals differ from the sums of its documents"},
		"copies":     {func(x *index, _ *changes) { x.Copies++ }, "its totals differ from the sums of its documents"},
		"packs":      {func(x *index, _ *changes) { x.Packs[0].Live-- }, "its totals differ from the sums of its documents"},
		"dead":       {func(x *index, _ *changes) { x.Segments[0].Dead++ }, "n-grams of deleted documents, the manifest says"},
		"segment":    {func(x *index, _ *changes) { x.Segments = x.Segments[:1] }, "the segments do not contain exactly the 2 7-grams of /b"},
		"not live":   {func(_ *index, c *changes) { c.dead = append(c.dead, 1) }, "number 1 of /a is not live"},
		"too live":   {func(_ *index, c *changes) { c.live = append(c.live, owned{77, 1}) }, "it has 3 live numbers, its documents have 2"},
		"no entry":   {func(_ *index, c *changes) { c.entries["/a"] = nil }, "it has 2 live numbers, its documents have 1"},
	} {
		t.Run(name, func(t *testing.T) {
			contradictory(t, tt.want, func(_ *Store, x *index, c *changes) {
				tt.plant(x, c)
				if !c.empty() || len(c.live) == 0 {
					return
				}
				c.entries["/none"] = nil // so that a table is written
			})
		})
	}
}

// TestVerifyFindsWrongEntries does the same with entries of documents.
func TestVerifyFindsWrongEntries(t *testing.T) {
	for name, tt := range map[string]struct {
		document string
		change   func(r *record)
		want     string
	}{
		"grams":                {"/a", func(r *record) { r.Sizes[0].Grams++ }, "the segments do not contain exactly the 4 7-grams of /a"},
		"other n":              {"/a", func(r *record) { r.Sizes[0].N = 5 }, "7-grams of /a under a number of 5-grams"},
		"one number for two":   {"/b", func(r *record) { r.Numbers[0] = 1 }, "number 1 belongs to both /b and /a"},
		"no text":              {"/b", func(r *record) { r.Place = nil }, "/b has or lacks a text, contrary to the settings"},
		"said to have no text": {"/b", func(r *record) { r.NoText = true }, "/b has or lacks a text, contrary to the settings"},
		"text elsewhere":       {"/b", func(r *record) { r.Place.Offset-- }, "text of /b"},
		"other text":           {"/b", func(r *record) { r.Place.Length++ }, "text of /b"},
		"n-grams of no words":  {"/b", func(r *record) { r.Sizes[0].N = 0 }, `entry of "/b": field 20 is out of order or too large`},
	} {
		t.Run(name, func(t *testing.T) {
			contradictory(t, tt.want, func(s *Store, x *index, c *changes) {
				r, err := s.snap.tables.get(store.IDOf("", tt.document))
				if err != nil {
					t.Fatal(err)
				}
				x.count(r, -1)
				tt.change(r)
				x.count(r, 1)
				c.entries[tt.document] = encodeRecord(*r)
			})
		})
	}
}

// TestVerifyFindsWrongTables writes tables whose checksums are right, and which
// look-ups would be misled by.
func TestVerifyFindsWrongTables(t *testing.T) {
	for name, tt := range map[string]struct {
		write func(w *tableWriter) (live []owned, dead []uint64)
		want  string
	}{
		"no id":    {func(w *tableWriter) ([]owned, []uint64) { w.ids = w.ids[1:]; return nil, nil }, `the id of "/a" does not lead to it`},
		"one more": {func(w *tableWriter) ([]owned, []uint64) { w.ids = append(w.ids, idEntry{id: 1}); return nil, nil }, "it has 3 ids for 2 entries"},
		"wrong id": {func(w *tableWriter) ([]owned, []uint64) { w.ids[1].offset = 0; return nil, nil }, `the id of "/b" does not lead to it`},
		"past the end of a block": {func(w *tableWriter) ([]owned, []uint64) {
			w.ids[1].offset = 1 << 20
			return nil, nil
		}, `the id of "/b" does not lead to it`},
		"names":   {func(w *tableWriter) ([]owned, []uint64) { _ = w.put(entry{name: []byte("/aa")}); return nil, nil }, `"/b" and "/aa" are out of order`},
		"numbers": {func(*tableWriter) ([]owned, []uint64) { return []owned{{2, 1}, {1, 1}}, nil }, "do not ascend"},
		"dead":    {func(*tableWriter) ([]owned, []uint64) { return nil, []uint64{7, 7} }, "do not ascend"},
	} {
		t.Run(name, func(t *testing.T) {
			contradictory(t, tt.want, func(s *Store, x *index, _ *changes) {
				w, err := newTableWriter(disk{}, s.path(tableName, 99))
				if err != nil {
					t.Fatal(err)
				}
				for _, name := range []string{"/a", "/b"} {
					if err := w.put(entry{name: []byte(name)}); err != nil {
						t.Fatal(err)
					}
				}
				r, err := w.end(tt.write(w))
				if err := w.close(err); err != nil {
					t.Fatal(err)
				}
				r.File = 99
				x.Tables = append(x.Tables, r)
			})
		})
	}
}
