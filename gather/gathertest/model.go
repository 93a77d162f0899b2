package gathertest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/indexer/ledger"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/pick"
	"github.com/otisk/otisk/store/storetest"
)

// Model applies random operations to a folder of texts and its index, and compares the
// index after each with a model that knows nothing of how indexing works: which documents
// there are, with which text, and which label was given to which of them by hand.
//
// Operations change files (add, edit, rename, both at once, copy, remove, swap, move a
// folder), index them (plain, --sync, watch), publish articles and theses, crawl and harvest
// these, label documents by hand, delete them by name or by label, and empty the index. During
// a third of the commands something fails: one step, several in a row as on a disk that is full
// for a while, or all from one step to the end, as when the program is killed. A step is a write,
// sync, rename or other change of files, or a request. A command that failed is repeated.
//
// Of texts checked against the index, the model knows which source is the text itself, an
// earlier version, or the same text under another name, and whether decisions of a reader
// still apply.
//
// The test fails if the index differs from the model without a message that says so.
func Model(t *testing.T, operations int, seed uint64, index *Index) {
	norms, err := normalize.NewSet(normalize.Rules{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := &model{
		t: t, rng: rand.New(rand.NewPCG(seed, 10_000)), folder: filepath.Join(t.TempDir(), "theses"), index: index, norms: norms,
		has: map[string]entry{}, counts: map[string]int{}, gatherer: newGatherer(t),
	}
	m.gatherer.web.fails = m.step
	for range 6 {
		m.add()
	}
	for m.done < operations && !t.Failed() {
		m.operation()
	}
	t.Logf("%d operations: %v", m.done, m.counts)
}

// An entry is the model of a document in the index.
type entry struct{ text, label string }

type model struct {
	t      *testing.T
	rng    *rand.Rand
	folder string
	index  *Index
	norms  *normalize.Set

	has     map[string]entry // documents of the index by name
	labels  int              // number of labels set; each is unique
	made    int              // files made so far
	done    int              // operations so far
	counts  map[string]int   // operations and faults by kind
	decided []decided
	fault   string                            // the last failure
	fails   atomic.Pointer[func(string) bool] // decides which steps outside of the index fail

	gatherer *gatherer
}

// operation does one operation.
func (m *model) operation() {
	m.done++
	switch n := m.rng.IntN(100); {
	case n < 40:
		m.change()
	case n < 50:
		m.publish()
	case n < 60:
		m.run("index", false)
	case n < 69:
		m.run("index --sync", true)
	case n < 75:
		m.watch()
	case n < 81:
		m.crawl()
	case n < 87:
		m.harvest()
	case n < 92:
		m.label()
	case n < 94:
		m.delete()
	case n < 95:
		m.deleteWhere()
	case n < 96 && m.rng.IntN(3) == 0:
		m.clean()
	default:
		m.check()
	}
}

// ---- files

// files returns the texts in the folder by the name that their documents have.
func (m *model) files() map[string]string {
	found := map[string]string{}
	err := filepath.WalkDir(m.folder, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, content := m.nameOf(path), m.read(path)
		if filepath.Ext(path) == ".txt" {
			found[name] = content
			return nil
		}
		for line := range strings.Lines(content) {
			id, text, _ := strings.Cut(strings.TrimSpace(line), "\t")
			if id != "id" {
				found[name+"!/"+id] = text
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		m.t.Fatal(err)
	}
	return found
}

func (m *model) nameOf(path string) string {
	name, err := filepath.Rel(filepath.Dir(m.folder), path)
	if err != nil {
		m.t.Fatal(err)
	}
	return filepath.ToSlash(name)
}

// paths returns the files in the folder, in order.
func (m *model) paths() (list []string) {
	_ = filepath.WalkDir(m.folder, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			list = append(list, path)
		}
		return nil
	})
	return list
}

// change changes a file, or a folder of them.
func (m *model) change() {
	paths := m.paths()
	if len(paths) < 5 {
		m.add()
		return
	}
	path := paths[m.rng.IntN(len(paths))]
	switch n := m.rng.IntN(11); n {
	case 0, 1:
		m.add()
	case 2, 3:
		m.counts["edit"]++
		m.write(path, m.edited(path))
	case 4:
		m.counts["rewrite"]++
		m.write(path, m.content(filepath.Ext(path)))
	case 5:
		m.counts["rename"]++
		m.rename(path, m.fresh(filepath.Ext(path)))
	case 6:
		m.counts["rename and edit"]++
		content, to := m.edited(path), m.fresh(filepath.Ext(path))
		m.rename(path, to)
		m.write(to, content)
	case 7:
		m.counts["copy"]++
		m.write(m.fresh(filepath.Ext(path)), m.read(path))
	case 8:
		m.counts["remove"]++
		if err := os.Remove(path); err != nil {
			m.t.Fatal(err)
		}
	case 9:
		m.counts["swap"]++
		other := paths[m.rng.IntN(len(paths))]
		if filepath.Ext(other) == filepath.Ext(path) {
			content := m.read(other)
			m.write(other, m.read(path))
			m.write(path, content)
		}
	case 10:
		m.counts["move folder"]++
		m.made++
		m.rename(filepath.Dir(path), filepath.Join(m.folder, fmt.Sprintf("moved-%04d", m.made)))
	}
}

func (m *model) add() {
	m.counts["add"]++
	ending := ".txt"
	if m.rng.IntN(8) == 0 {
		ending = ".tsv"
	}
	m.write(m.fresh(ending), m.content(ending))
}

// fresh returns a path that no file had before, in one of three folders.
func (m *model) fresh(ending string) string {
	m.made++
	return filepath.Join(m.folder, fmt.Sprint("year-", m.rng.IntN(3)), fmt.Sprintf("%04d%s", m.made, ending))
}

// content returns a text, or a table of some.
func (m *model) content(ending string) string {
	if ending == ".txt" {
		return m.text()
	}
	var b strings.Builder
	b.WriteString("id\ttext\n")
	for i := range 2 + m.rng.IntN(5) {
		fmt.Fprintf(&b, "r%d\t%s\n", i, m.text())
	}
	return b.String()
}

func (m *model) text() string {
	words := make([]string, 20+m.rng.IntN(60))
	for i := range words {
		words[i] = fmt.Sprint("word", m.rng.IntN(3000))
	}
	return strings.Join(words, " ")
}

// edited returns the content of a file with a word more at the end, so that it stays mostly the same.
func (m *model) edited(path string) string {
	return strings.TrimSuffix(m.read(path), "\n") + fmt.Sprint(" more", m.rng.IntN(3000))
}

func (m *model) read(path string) string {
	content, err := os.ReadFile(path)
	if err != nil {
		m.t.Fatal(err)
	}
	return string(content)
}

func (m *model) write(path, content string) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		m.t.Fatal(err)
	}
}

func (m *model) rename(from, to string) {
	err := os.MkdirAll(filepath.Dir(to), 0o777)
	if err == nil {
		err = os.Rename(from, to)
	}
	if err != nil {
		m.t.Fatal(err)
	}
}

// ---- commands

// attempt is tries for a command that gets the open index.
func (m *model) attempt(name string, do func(context.Context, store.Store) error, between func()) {
	m.tries(name, func(context.Context) error {
		r := rig{t: m.t}
		return r.with(m.index, command{name, do})
	}, between)
}

// tries does a command, in a third of the cases with a fault, and repeats it until it
// succeeds. between is called after each failure.
func (m *model) tries(name string, do func(context.Context) error, between func()) {
	m.counts[name]++
	for try := 0; ; try++ {
		kind := ""
		if try < 2 && m.rng.IntN(3) == 0 {
			kind = []string{"step", "full", "killed"}[m.rng.IntN(3)]
		}
		err := m.failing(kind, do)
		if err == nil {
			return
		}
		if kind == "" {
			m.t.Fatalf("operation %d: %s fails with nothing wrong: %v", m.done, name, err)
		}
		m.counts["failed: "+kind]++
		m.fault = fmt.Sprintf("%s failed (%s): %v", name, kind, err)
		between()
		if m.t.Failed() {
			return
		}
	}
}

// failing does a command with a fault of this kind, in the index, in files, or in a request.
func (m *model) failing(kind string, do func(context.Context) error) error {
	left, row := 1+m.rng.IntN(40), 0
	switch kind {
	case "step":
		row = 1
	case "full":
		row = 2 + m.rng.IntN(20)
	case "killed":
		row = 1 << 30
	}
	var mu sync.Mutex
	fired := false
	fails := func(string) bool {
		mu.Lock()
		defer mu.Unlock()
		left--
		now := left <= 0 && left > -row
		fired = fired || now
		return now
	}
	if row > 0 {
		m.index.Fail(fails)
		m.fails.Store(&fails)
	}
	err := do(m.t.Context())
	m.index.Fail(nil)
	m.fails.Store(nil)
	mu.Lock()
	defer mu.Unlock()
	if fired {
		m.counts["faults"]++
	}
	return err
}

// step is a step of a command outside of the index.
func (m *model) step(op, path string) error {
	if fails := m.fails.Load(); fails != nil && (*fails)(op+" "+filepath.Base(path)) {
		return fmt.Errorf("%s %s: %w", op, path, errStep)
	}
	return nil
}

var errStep = errors.New("a step of the test fails")

// state returns what the index has, and checks that it is sound.
func (m *model) state() map[string]entry {
	m.t.Helper()
	s, err := m.index.Open()
	if err != nil {
		m.t.Fatalf("operation %d: open: %v; last failure: %s", m.done, err, m.fault)
	}
	defer s.Close()
	found := map[string]entry{}
	storetest.EachText(m.t, s, func(d store.Document, text string) {
		label, _ := d.Said.Value("mark")
		found[d.Name()] = entry{text, label}
	})
	if m.rng.IntN(10) == 0 {
		err = s.Verify(m.t.Context(), func(err error) {
			if !errors.Is(err, store.ErrLeftover) {
				m.t.Errorf("operation %d: Verify: %v", m.done, err)
			}
		})
	}
	if err != nil {
		m.t.Fatal(err)
	}
	return found
}

// options completes the options of an indexing command.
func (m *model) options(opts indexer.Options) indexer.Options {
	opts.N, opts.Norms, opts.Workers, opts.Pairs = 3, m.norms, 1, m.rng.IntN(2) == 0
	opts.CommitBytes, opts.CommitEvery = int64(1+m.rng.IntN(2000)), time.Hour
	return opts
}

// run indexes the folder.
func (m *model) run(name string, sync bool) {
	m.indexing(name, sync, func(_ context.Context, opts indexer.Options) error {
		opts.Sync = sync
		r := rig{t: m.t}
		return r.with(m.index, command{name, func(ctx context.Context, s store.Store) error {
			sum, err := indexer.Run(ctx, s, []string{m.folder}, opts)
			if err == nil && len(sum.Failures) > 0 {
				err = fmt.Errorf("%s: %w", sum.Failures[0].Path, sum.Failures[0].Err)
			}
			return err
		}})
	})
}

// indexing runs a command that indexes the folder, and compares the result with the model. With
// sync, documents of files that are gone must be gone, too.
func (m *model) indexing(name string, sync bool, do func(context.Context, indexer.Options) error) {
	if len(m.paths()) == 0 {
		return
	}
	var notes []string
	opts := m.options(indexer.Options{Progress: func(e ledger.Event) {
		if e.Note != nil {
			notes = append(notes, e.Path+": "+e.Note.Error())
		}
	}})
	texts, before := m.files(), maps.Clone(m.has)
	m.tries(name, func(ctx context.Context) error { return do(ctx, opts) }, func() { m.between(name, before, texts) })
	if m.t.Failed() {
		return
	}
	after := m.state()
	want := maps.Clone(texts)
	for doc, e := range before {
		_, left := after[doc]
		if _, ok := want[doc]; !ok && (gathered(doc) || !sync && (left || !m.dropped(doc, texts))) {
			want[doc] = e.text // a plain run removes nothing, but records of a table that has others now
		}
	}
	for doc := range union(after, want) {
		if text, ok := want[doc]; after[doc].text != text || !ok {
			m.t.Errorf("operation %d: after %s, document %s has text %.40q, want %.40q; last failure: %s", m.done, name, doc, after[doc].text, text, m.fault)
		}
	}
	m.compareLabels(name, before, after, notes)
	m.has = after
}

// dropped reports whether a document that is not in the folder was a record of a table that
// is: a plain run replaces all records of a container.
func (m *model) dropped(doc string, texts map[string]string) bool {
	file, _, ok := strings.Cut(doc, "!/")
	if !ok {
		return false
	}
	for name := range texts {
		if strings.HasPrefix(name, file+"!/") {
			return true
		}
	}
	return false
}

// between checks an index after a run that failed: each document is as it was before or as
// the folder has it.
func (m *model) between(name string, before map[string]entry, texts map[string]string) {
	state := m.state()
	for doc, e := range state {
		if old, was := before[doc]; (!was || e.text != old.text) && e.text != texts[doc] {
			m.t.Errorf("operation %d: after a failed %s, document %s has a text of nobody: %.40q", m.done, name, doc, e.text)
		}
	}
}

// compareLabels follows each label that was given by hand from before a run to after it.
func (m *model) compareLabels(name string, before, after map[string]entry, notes []string) {
	holders := map[string][]string{}
	for doc, e := range after {
		if e.label != "" {
			holders[e.label] = append(holders[e.label], doc)
		}
	}
	for doc, e := range before {
		if e.label == "" {
			continue
		}
		now, stays := after[doc]
		switch {
		case stays && now.label != e.label:
			m.t.Errorf("operation %d: after %s, %s has label %q, want %q, which was given by hand", m.done, name, doc, now.label, e.label)
		case !stays && len(holders[e.label]) == 0:
			m.lost(name, doc, e, before, after, notes)
		}
	}
	for label, docs := range holders {
		for _, doc := range docs {
			m.inherited(name, label, doc, before, after)
		}
	}
}

// lost checks that a label may be gone, and that a note says so.
func (m *model) lost(name, doc string, e entry, before, after map[string]entry, notes []string) {
	for other, now := range after {
		if now.text == e.text && now.label == "" {
			m.t.Errorf("operation %d: after %s, label %q of %s is gone, and %s has the same text and no label", m.done, name, e.label, doc, other)
		}
	}
	if !slices.ContainsFunc(notes, func(note string) bool { return strings.Contains(note, e.label) }) {
		m.t.Errorf("operation %d: after %s, label %q of %s is gone and no note says so: %q", m.done, name, e.label, doc, notes)
	}
}

// inherited checks that a document may have its label: it had it before, or it has the text, or
// most of the text, of a document that had it and is gone.
func (m *model) inherited(name, label, doc string, before, after map[string]entry) {
	if before[doc].label == label {
		return
	}
	for old, e := range before {
		if _, stays := after[old]; e.label == label && !stays && alike(e.text, after[doc].text) {
			return
		}
	}
	m.t.Errorf("operation %d: after %s, %s has label %q, which was given to another document", m.done, name, doc, label)
}

// alike reports whether two texts share most of their words.
func alike(a, b string) bool {
	have := map[string]bool{}
	for word := range strings.FieldsSeq(a) {
		have[word] = true
	}
	shared, words := 0, 0
	for word := range strings.FieldsSeq(b) {
		if words++; have[word] {
			shared++
		}
	}
	return 2*shared >= words && 2*shared >= len(have)
}

// label gives a label to one document by hand.
func (m *model) label() {
	doc, ok := m.randomDocument()
	if !ok {
		return
	}
	m.labels++
	label := fmt.Sprintf("mark-%06d.", m.labels)
	want := maps.Clone(m.has)
	want[doc] = entry{want[doc].text, label}
	m.exactly("label", want, func(ctx context.Context, s store.Store) error {
		d, err := find(ctx, s, doc)
		if err == nil {
			err = indexer.Describe(ctx, s, d, store.Description{Labels: map[string]string{"mark": label}})
		}
		return err
	})
}

// delete removes one document by name.
func (m *model) delete() {
	doc, ok := m.randomDocument()
	if !ok {
		return
	}
	want := maps.Clone(m.has)
	delete(want, doc)
	m.exactly("delete", want, func(ctx context.Context, s store.Store) error {
		d, err := find(ctx, s, doc)
		if errors.Is(err, store.ErrNotFound) {
			return nil // the attempt before has done it
		}
		if err == nil {
			err = s.Delete(ctx, d.ID)
		}
		return err
	})
}

// deleteWhere removes all documents with one label.
func (m *model) deleteWhere() {
	doc, ok := m.randomDocument()
	label := m.has[doc].label
	if !ok || label == "" {
		return
	}
	want := maps.Clone(m.has)
	maps.DeleteFunc(want, func(_ string, e entry) bool { return e.label == label })
	m.exactly("delete --where", want, func(ctx context.Context, s store.Store) error {
		where, err := pick.ParseWhere([]string{"mark=" + label})
		if err != nil {
			return err
		}
		p := pick.New(nil, pick.Options{Where: where})
		var ids []store.DocID
		err = s.Documents(ctx, "", func(d store.Document) error {
			if p.Match(&d) {
				ids = append(ids, d.ID)
			}
			return nil
		})
		for _, id := range ids {
			if err == nil {
				err = s.Delete(ctx, id)
			}
		}
		return err
	})
}

// exactly does a command that changes some documents in one commit: the index is as before
// or as wanted, whatever fails, and in the end as wanted.
func (m *model) exactly(name string, want map[string]entry, do func(context.Context, store.Store) error) {
	before := m.has
	whole := func(ctx context.Context, s store.Store) error {
		if err := do(ctx, s); err != nil {
			return err
		}
		return s.Commit(ctx)
	}
	m.attempt(name, whole, func() {
		if now := m.state(); !maps.Equal(now, before) && !maps.Equal(now, want) {
			m.t.Errorf("operation %d: %s failed and has changed the index in part", m.done, name)
		}
	})
	if m.t.Failed() {
		return
	}
	if m.has = m.state(); !maps.Equal(m.has, want) {
		m.t.Errorf("operation %d: after %s the index has %d documents, which differ from the %d wanted", m.done, name, len(m.has), len(want))
	}
}

// randomDocument returns a random document of the index.
func (m *model) randomDocument() (string, bool) {
	if len(m.has) < 3 {
		return "", false
	}
	names := slices.Sorted(maps.Keys(m.has))
	return names[m.rng.IntN(len(names))], true
}

// find returns the document with a name.
func find(ctx context.Context, s store.Store, name string) (found store.Document, err error) {
	err = s.Documents(ctx, "", func(d store.Document) error {
		if d.Name() == name {
			found = d
		}
		return nil
	})
	if err == nil && found.ID == 0 {
		err = fmt.Errorf("%s: %w", name, store.ErrNotFound)
	}
	return found, err
}

// union returns the keys of both maps.
func union[A, B any](a map[string]A, b map[string]B) map[string]bool {
	all := map[string]bool{}
	for key := range a {
		all[key] = true
	}
	for key := range b {
		all[key] = true
	}
	return all
}
