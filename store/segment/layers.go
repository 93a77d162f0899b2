package segment

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/otisk/otisk/fingerprint"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/store"
)

// layers are the tables of a generation, the oldest first. For each document, the newest
// table that has it decides. A database (bbolt) as the catalogue was rejected: it locks its file while it
// is open and reads pages without checksums, so each commit copied the file: 614 MB to add one document
// to a million.
type layers []*table

// get returns the record of a document, nil if there is none.
func (l layers) get(id store.DocID) (*record, error) {
	for _, t := range slices.Backward(l) {
		e, ok, err := t.get(id)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		if len(e.value) == 0 {
			return nil, nil
		}
		r, err := decodeRecord(e.name, e.value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.path, err)
		}
		if r.ID != id {
			return nil, damaged(t.path, "damage.id-leads", "id {id} leads to the entry of {name}", "id", id, "name", strconv.Quote(string(e.name)))
		}
		return r, nil
	}
	return nil, nil
}

// owner returns the document that a live number belongs to; ok is false for a number that
// is not live.
func (l layers) owner(number uint64) (store.DocID, bool, error) {
	for _, t := range slices.Backward(l) {
		id, ok, dead, err := t.owner(number)
		if ok || dead || err != nil {
			return id, ok, err
		}
	}
	return 0, false, nil
}

// walk calls fn for each record whose name is not below from, in ascending order of
// names. An error from fn is returned unchanged.
func (l layers) walk(ctx context.Context, from string, fn func(*record) error) error {
	return l.entries(ctx, from, func(e entry) error {
		if len(e.value) == 0 {
			return nil
		}
		r, err := decodeRecord(e.name, e.value)
		if err != nil {
			return fmt.Errorf("%s: %w", e.path, err)
		}
		return fn(r)
	})
}

// entries calls fn for the newest entry of each name, deletions included.
func (l layers) entries(ctx context.Context, from string, fn func(entry) error) error {
	var sources []nextEntry
	for _, t := range slices.Backward(l) {
		sources = append(sources, t.from([]byte(from)))
	}
	return mergeEntries(ctx, sources, fn)
}

func (l layers) close() error {
	var first error
	for _, t := range l {
		if err := t.release(); first == nil {
			first = err
		}
	}
	return first
}

// mergeEntries calls fn for the entries of all sources in ascending order of names. For a
// name that several sources have, it uses the entry of the first.
func mergeEntries(ctx context.Context, sources []nextEntry, fn func(entry) error) error {
	heads := make([]entry, len(sources))
	more := make([]bool, len(sources)) // whether heads has an entry of that source
	advance := func(i int) (err error) {
		heads[i], more[i], err = sources[i]()
		return err
	}
	for i := range sources {
		if err := advance(i); err != nil {
			return err
		}
	}
	for {
		least := -1
		for i := range heads {
			if more[i] && (least < 0 || bytes.Compare(heads[i].name, heads[least].name) < 0) {
				least = i
			}
		}
		if least < 0 {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		e := heads[least]
		for i := range heads {
			if more[i] && bytes.Equal(heads[i].name, e.name) {
				if err := advance(i); err != nil {
					return err
				}
			}
		}
		if err := fn(e); err != nil {
			return err
		}
	}
}

// changes are the changes of a commit to entries and numbers.
type changes struct {
	entries map[string][]byte // by name; nil for a deleted document
	live    []owned           // numbers assigned
	dead    []uint64          // numbers in earlier tables that died
}

func newChanges() *changes { return &changes{entries: map[string][]byte{}} }

// put records that r replaces old, which may be nil.
func (c *changes) put(r, old *record) {
	c.entries[r.Name()] = encodeRecord(*r)
	var had []uint64
	if old != nil {
		had = old.numbers()
	}
	for _, number := range r.numbers() {
		if !slices.Contains(had, number) {
			c.live = append(c.live, owned{number, uint64(r.ID)})
		}
	}
}

// remove records that old is deleted, or replaced by r if that is not nil.
func (c *changes) remove(old, r *record) {
	if r == nil || r.Name() != old.Name() {
		c.entries[old.Name()] = nil
	}
	for _, number := range old.numbers() {
		if r == nil || !slices.Contains(r.numbers(), number) {
			c.dead = append(c.dead, number)
		}
	}
}

func (c *changes) empty() bool { return len(c.entries) == 0 && len(c.dead) == 0 }

// source returns the entries in ascending order of names.
func (c *changes) source() nextEntry {
	names := slices.Sorted(maps.Keys(c.entries))
	return func() (e entry, ok bool, err error) {
		if len(names) == 0 {
			return e, false, nil
		}
		e = entry{name: []byte(names[0]), value: c.entries[names[0]]}
		names = names[1:]
		return e, true, nil
	}
}

// writeTable writes a table that merges the given tables and the changes, which may be nil.
// If the tables are the oldest ones, deletions are dropped.
func writeTable(ctx context.Context, d disk, path string, merged layers, c *changes, oldest bool) (tableRecord, error) {
	w, err := newTableWriter(d, path)
	if err != nil {
		return tableRecord{}, err
	}
	r, err := w.merge(ctx, merged, c, oldest)
	return r, w.close(err)
}

func (w *tableWriter) merge(ctx context.Context, merged layers, c *changes, oldest bool) (r tableRecord, err error) {
	sources, most := []nextEntry{}, 0
	if c != nil {
		sources, most = append(sources, c.source()), len(c.entries)
	}
	for _, t := range slices.Backward(merged) {
		sources, most = append(sources, t.from(nil)), most+int(t.ids.count)
	}
	w.ids = make([]idEntry, 0, most)
	err = mergeEntries(ctx, sources, func(e entry) error {
		if oldest && len(e.value) == 0 {
			return nil
		}
		return w.put(e)
	})
	if err != nil {
		return r, err
	}
	live, dead, err := merged.numbers(c)
	if err != nil {
		return r, err
	}
	if oldest {
		dead = nil
	}
	return w.end(live, dead)
}

// numbers returns the live numbers of tables and changes, and the dead numbers that belong
// to other tables, both sorted.
func (l layers) numbers(c *changes) (live []owned, dead []uint64, err error) {
	most := lists.Sum(l, func(t *table) int { return int(t.live.count) })
	if c != nil {
		live, dead = append(make([]owned, 0, most+len(c.live)), c.live...), slices.Clone(c.dead)
	} else {
		live = make([]owned, 0, most)
	}
	for _, t := range l {
		if live, dead, err = t.appendNumbers(live, dead); err != nil {
			return nil, nil, err
		}
	}
	slices.SortFunc(live, func(a, b owned) int { return cmp.Compare(a.number, b.number) })
	slices.Sort(dead)
	killed := make([]bool, len(dead))
	live = slices.DeleteFunc(live, func(o owned) bool {
		i, found := slices.BinarySearch(dead, o.number)
		if found {
			killed[i] = true
		}
		return found
	})
	rest := dead[:0]
	for i, number := range dead {
		if !killed[i] {
			rest = append(rest, number)
		}
	}
	return live, rest, nil
}

// appendNumbers appends the live and dead numbers of a table.
func (t *table) appendNumbers(live []owned, dead []uint64) ([]owned, []uint64, error) {
	if err := t.pages.ensure(t.live.from, t.dead.at(t.dead.count)); err != nil {
		return nil, nil, err
	}
	for i := range t.live.count {
		at := t.live.at(i)
		live = append(live, owned{le.Uint64(t.data[at:]), le.Uint64(t.data[at+8:])})
	}
	for i := range t.dead.count {
		dead = append(dead, le.Uint64(t.data[t.dead.at(i):]))
	}
	return live, dead, nil
}

// check reads and checks all tables. It returns the number of live numbers.
func (l layers) check() (live int, err error) {
	for _, t := range l {
		if err := t.check(); err != nil {
			return 0, err
		}
	}
	numbers, _, err := l.numbers(nil)
	return len(numbers), err
}

// check reads all of a table, and checks everything that look-ups rely on.
func (t *table) check() error {
	afresh := newPages(t.path, t.pages.data, t.pages.sums, t.pages.tops)
	if err := afresh.ensure(0, uint64(len(afresh.data))); err != nil {
		return err
	}
	for _, p := range []array{t.ids, t.live, t.dead} {
		for i := uint64(1); i < p.count; i++ {
			if le.Uint64(t.data[p.at(i-1):]) >= le.Uint64(t.data[p.at(i):]) {
				return damaged(t.path, "damage.ids-order", "its ids or numbers do not ascend")
			}
		}
	}
	return t.checkEntries()
}

// checkEntries checks that names ascend and that ids lead to them.
func (t *table) checkEntries() error {
	count, last := uint64(0), ""
	for block := range int(t.refs.count) {
		raw, err := t.readBlock(uint64(block))
		for rest := raw; err == nil && len(rest) > 0; count++ {
			offset := len(raw) - len(rest)
			var e entry
			if e, rest, err = t.entry(rest); err != nil {
				break
			}
			if name := string(e.name); count > 0 && strings.Compare(name, last) <= 0 {
				return damaged(t.path, "damage.names-order", "{name} and {next} are out of order", "name", strconv.Quote(string(last)), "next", strconv.Quote(string(name)))
			}
			last = string(e.name)
			err = t.checkID(last, uint32(block), uint32(offset))
		}
		if err != nil {
			return err
		}
	}
	if t.ids.count != count {
		return damaged(t.path, "damage.ids-count", "it has {count} ids for {entries} entries", "count", t.ids.count, "entries", count)
	}
	return nil
}

// checkID checks that the id of a name leads to its entry.
func (t *table) checkID(name string, block, offset uint32) error {
	i, ok, err := t.find(t.ids, fingerprint.Sum64([]byte(name)))
	if err != nil {
		return err
	}
	if ok {
		b, o := t.idAt(i)
		ok = b == block && o == offset
	}
	if !ok {
		return damaged(t.path, "damage.id-lost", "the id of {name} does not lead to it", "name", strconv.Quote(string(name)))
	}
	return nil
}

// leastTable is the size below which rewriting a table costs no more than creating a file.
const leastTable = 64 << 10

// dueTables returns how many of the newest tables are to be merged: each that has at most
// twice the bytes of all later ones. So there are few tables, and a commit rewrites no more
// of the earlier ones than is in proportion to its changes.
func dueTables(list []tableRecord, most int64) (count int) {
	after := int64(leastTable / 2)
	for i, r := range slices.Backward(list) {
		small := r.Bytes <= 2*after
		if after += r.Bytes; after > most {
			break
		}
		if small {
			count = len(list) - i
		}
	}
	return count
}

// everyTable sets no limit to the bytes that are merged.
const everyTable = math.MaxInt64
