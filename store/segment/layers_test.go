package segment

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/storetest"
)

// A mapCatalogue is what tables are compared with.
type mapCatalogue struct {
	records map[string]*record
	last    uint64
}

// change adds, replaces and deletes some documents, in m too.
func (m *mapCatalogue) change(t testing.TB, rng *rand.Rand, documents int) *changes {
	t.Helper()
	c := newChanges()
	for range rng.IntN(documents) {
		name := fmt.Sprintf("%c/%d%s", 'a'+rng.IntN(5), rng.IntN(documents), strings.Repeat("x", rng.IntN(20)*rng.IntN(20)))
		old := m.records[name]
		if _, changed := c.entries[name]; changed {
			continue
		}
		var r *record
		if rng.IntN(3) > 0 {
			m.last += uint64(1 + rng.IntN(3))
			r = &record{Document: storetest.Doc(name, fmt.Sprint(m.last)), Numbers: []uint64{m.last}}
			r.ID, r.Sizes = store.IDOf("", name), []store.Size{{N: 7, Grams: 1}}
			if old != nil && rng.IntN(2) == 0 {
				r.Numbers = old.Numbers
			}
		}
		if old != nil {
			c.remove(old, r)
			delete(m.records, name)
		}
		if r != nil {
			m.records[name] = r
			c.put(r, old)
		}
	}
	return c
}

// wantSame compares all that tables say with m.
func (m *mapCatalogue) wantSame(t *testing.T, l layers, rng *rand.Rand) {
	t.Helper()
	names := slices.Sorted(maps.Keys(m.records))
	from := ""
	if len(names) > 0 {
		from = names[rng.IntN(len(names))][:1+rng.IntN(4)%2]
	}
	for _, from := range []string{"", from, "a/5", "zz"} {
		var got, want []string
		for _, name := range names {
			if name >= from {
				want = append(want, name+" "+m.records[name].Content)
			}
		}
		err := l.walk(t.Context(), from, func(r *record) error {
			got = append(got, r.Name()+" "+r.Content)
			return nil
		})
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("walk from %q finds %d documents, %v, want %d", from, len(got), err, len(want))
		}
	}
	owners := map[uint64]store.DocID{}
	for name, want := range m.records {
		owners[want.Numbers[0]] = want.ID
		if got, err := l.get(want.ID); err != nil || got == nil || got.Name() != name || got.Content != want.Content {
			t.Fatalf("get(%s) = %v, %v", name, got, err)
		}
	}
	if got, err := l.get(store.IDOf("", "none")); got != nil || err != nil {
		t.Fatalf("get of what is not there = %v, %v", got, err)
	}
	for number := range m.last + 2 {
		want, alive := owners[number]
		if got, ok, err := l.owner(number); got != want || ok != alive || err != nil {
			t.Fatalf("owner(%d) = %v, %v, %v, want %v, %v", number, got, ok, err, want, alive)
		}
	}
	if live, err := l.check(); live != len(owners) || err != nil {
		t.Fatalf("check() = %d live numbers, %v, want %d", live, err, len(owners))
	}
}

// TestTablesAnswerAsMaps makes tables of random changes, merges some adjacent ones, and
// compares their answers with maps.
func TestTablesAnswerAsMaps(t *testing.T) {
	need.OneGoroutine(t)
	t.Parallel()
	for _, documents := range []int{3, 50, 1000} {
		rng := rand.New(rand.NewPCG(21, uint64(documents)))
		dir, file := t.TempDir(), uint64(0)
		write := func(l layers, c *changes, oldest bool) *table {
			file++
			r, err := writeTable(context.Background(), disk{}, filepath.Join(dir, fmt.Sprintf(tableName, file)), l, c, oldest)
			if err != nil {
				t.Fatal(err)
			}
			r.File = file
			opened, err := openTable(dir, r)
			if err != nil {
				t.Fatal(err)
			}
			return opened
		}
		m, l := &mapCatalogue{records: map[string]*record{}}, layers{}
		for range 8 {
			if c := m.change(t, rng, documents); !c.empty() {
				l = append(l, write(nil, c, len(l) == 0))
			}
			m.wantSame(t, l, rng)
			if len(l) > 1 {
				from := rng.IntN(len(l))
				to := from + 1 + rng.IntN(len(l)-from)
				merged := write(l[from:to], nil, from == 0)
				if err := slices.Clone(l[from:to]).close(); err != nil {
					t.Fatal(err)
				}
				l = slices.Replace(l, from, to, merged)
				m.wantSame(t, l, rng)
			}
		}
		if err := l.close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTwoNamesOfOneID: that two names have one id does not happen, but whoever
// makes it happen must not damage an index.
func TestTwoNamesOfOneID(t *testing.T) {
	dir := t.TempDir()
	w, err := newTableWriter(disk{}, filepath.Join(dir, fmt.Sprintf(tableName, 1)))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"a": "", "b": `{"numbers":[],"sizes":[]}`} {
		if err := w.put(entry{name: []byte(name), value: []byte(value)}); err != nil {
			t.Fatal(err)
		}
		w.ids[len(w.ids)-1].id = 5
	}
	r, err := w.end(nil, nil)
	if err := w.close(err); err != nil {
		t.Fatal(err)
	}
	r.File = 1
	opened, err := openTable(dir, r)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.release()
	if e, ok, err := opened.get(5); string(e.name) != "b" || !ok || err != nil {
		t.Errorf("get() = %q, %v, %v, want the one that is there", e.name, ok, err)
	}
}

// TestDueTables: which tables a commit, or merging after it, makes one of.
func TestDueTables(t *testing.T) {
	for _, tt := range []struct {
		name  string
		sizes []int64 // from the oldest on
		most  int64
		want  int
	}{
		{"none", nil, everyTable, 0},
		{"a small one", []int64{1000}, everyTable, 1},
		{"small ones", []int64{60_000, 10_000, 20_000}, everyTable, 3},
		{"a large one stays", []int64{1 << 30, 10_000, 20_000}, everyTable, 2},
		{"one that is a third of the large one", []int64{90 << 20, 30 << 20}, everyTable, 0},
		{"one that is half of the large one", []int64{90 << 20, 45 << 20}, everyTable, 2},
		{"several that are half of it together", []int64{90 << 20, 30 << 20, 15 << 20}, everyTable, 3},
		{"not more than is good for a commit", []int64{90 << 20, 45 << 20, 20_000}, 1 << 20, 1},
	} {
		var list []tableRecord
		for i, size := range tt.sizes {
			list = append(list, tableRecord{File: uint64(i), Bytes: size})
		}
		if got := dueTables(list, tt.most); got != tt.want {
			t.Errorf("%s: %d of %d are merged, want %d", tt.name, got, len(list), tt.want)
		}
	}
}

// mendTable corrects the checksums of a table, so that the later checks are tested too.
func mendTable(data []byte) {
	if len(data) < tableHeader+tableFooter {
		return
	}
	end := len(data) - tableFooter
	le.PutUint64(data[end+48:], uint64(len(data)))
	from := le.Uint64(data[end+32:])
	sums, tops := twoLevels(from)
	if from > uint64(end) || from+sums+tops != uint64(end) {
		return
	}
	var pages pageSums
	pages.add(data[:from])
	copy(data[from:], appendSums(nil, pages.checksums()))
	le.PutUint64(data[end+40:], from+sums)
	le.PutUint32(data[end+tableSumAt:], crc32.Checksum(data[from+sums:end+tableSumAt], castagnoli))
}

// FuzzTable reads a damaged table in all ways: there is an error or an answer.
func FuzzTable(f *testing.F) {
	rng := rand.New(rand.NewPCG(51, 52))
	for i, documents := range []int{1, 20, 300} {
		m, c := &mapCatalogue{records: map[string]*record{}}, newChanges()
		for range 3 {
			for name, value := range m.change(f, rng, documents).entries {
				c.entries[name] = value
			}
			m.last++
			c.live, c.dead = append(c.live, owned{m.last, 5}), append(c.dead, m.last)
		}
		path := filepath.Join(f.TempDir(), fmt.Sprintf(tableName, i))
		if _, err := writeTable(context.Background(), disk{}, path, nil, c, false); err != nil {
			f.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, uint64(i), uint16(1))
	}
	f.Fuzz(func(t *testing.T, data []byte, seed uint64, changes uint16) {
		rng := rand.New(rand.NewPCG(seed, 1))
		data = append([]byte(nil), data...)
		for range changes % 8 {
			if len(data) > 0 {
				data[rng.IntN(len(data))] = byte(rng.Uint32())
			}
		}
		mendTable(data)
		if len(data) < tableHeader+tableFooter {
			return // not even mapped
		}
		table, err := parseTable("fuzz", data)
		if err != nil {
			wantRefused(t, err)
			return
		}
		readTable(t, layers{table})
	})
}

// readTable asks a table for all that it may have.
func readTable(t *testing.T, l layers) {
	table := l[0]
	wantRefused(t, l.walk(t.Context(), "", func(*record) error { return nil }))
	wantRefused(t, l.walk(t.Context(), "b/1", func(*record) error { return nil }))
	for i := range min(table.ids.count, 100) {
		id, err := table.word(table.ids, i)
		wantRefused(t, err)
		_, err = l.get(store.DocID(id))
		wantRefused(t, err)
	}
	for number := range uint64(20) {
		_, _, err := l.owner(number)
		wantRefused(t, err)
	}
	_, err := l.check()
	wantRefused(t, err)
}

// TestShortTable: a table with less than a header and a footer is damaged,
// whatever lists it.
func TestShortTable(t *testing.T) {
	for _, size := range []int64{1, tableFooter - 1, tableFooter, tableHeader + tableFooter - 1} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf(tableName, 1)), make([]byte, size), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := openTable(dir, tableRecord{File: 1, Bytes: size}); !errors.Is(err, store.ErrDamaged) || !strings.Contains(fmt.Sprint(err), "bytes") {
			t.Errorf("openTable() of %d bytes = %v, want damage by its size", size, err)
		}
	}
}
