// Package gathertest tests indexes by sequences of user commands, on disks and networks that fail at
// single steps.
package gathertest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/storetest"
)

// An Index is opened for each command, and its steps can fail.
type Index = storetest.Flaky

// A rig is a folder of texts with two indexes of the folder.
type rig struct {
	t             *testing.T
	rng           *rand.Rand
	folder        string
	faulty, sound *Index
	norms         *normalize.Set
	made          int
	faults        int // injected so far
	failed        int // faults that made a command fail
}

// FailuresThatPass runs random user commands: it adds, changes, renames and removes files, and
// indexes, labels, deletes and empties. In each command one step fails, or several in a row,
// until the given number of faults is reached. A command that reports success must have done its
// work; one that fails must leave a sound index and succeed when it is repeated. sound is an index
// without faults, to compare with.
func FailuresThatPass(t *testing.T, faults int, faulty, sound *Index) {
	norms, err := normalize.NewSet(normalize.Rules{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, rng: rand.New(rand.NewPCG(7, 24)), folder: filepath.Join(t.TempDir(), "theses"), norms: norms, faulty: faulty, sound: sound}
	for range 8 {
		r.newFile()
	}
	commands := 0
	for ; r.faults < faults; commands++ {
		r.changeFiles()
		r.step(r.command())
		if t.Failed() {
			return
		}
	}
	t.Logf("%d commands, %d failures, %d of which failed the command", commands, r.faults, r.failed)
}

// A command is a user command on an index.
type command struct {
	name string
	do   func(ctx context.Context, s store.Store) error
}

// command returns a random command.
func (r *rig) command() command {
	opts := indexer.Options{N: 3, Norms: r.norms, Workers: 1, CommitBytes: int64(1 + r.rng.IntN(2000)), CommitEvery: time.Hour, Pairs: r.rng.IntN(2) == 0}
	run := func(ctx context.Context, s store.Store) error {
		sum, err := indexer.Run(ctx, s, []string{r.folder}, opts)
		if err == nil && len(sum.Failures) > 0 {
			err = sum.Failures[0].Err
		}
		return err
	}
	pick, value := r.rng.Uint64(), fmt.Sprint(r.rng.IntN(5))
	switch n := r.rng.IntN(12); {
	case n < 4:
		return command{"index", run}
	case n < 7:
		opts.Sync = true
		return command{"index --sync", run}
	case n < 9:
		return command{"label", func(ctx context.Context, s store.Store) error {
			return r.withOne(ctx, s, pick, func(d store.Document) error {
				says := store.Description{Title: "title " + value, Labels: map[string]string{"faculty": value}}
				return indexer.Describe(ctx, s, d, says)
			})
		}}
	case n < 11:
		return command{"delete", func(ctx context.Context, s store.Store) error {
			return r.withOne(ctx, s, pick, func(d store.Document) error { return s.Delete(ctx, d.ID) })
		}}
	}
	if r.rng.IntN(3) > 0 {
		return command{"optimize", func(ctx context.Context, s store.Store) error { return s.Optimize(ctx) }}
	}
	return command{"clean", func(ctx context.Context, s store.Store) error { return s.Recreate(ctx, s.Settings()) }}
}

// withOne calls fn for one document and commits; pick selects the same document in a repeated command.
func (r *rig) withOne(ctx context.Context, s store.Store, pick uint64, fn func(store.Document) error) error {
	var list []store.Document
	err := s.Documents(ctx, "", func(d store.Document) error { list = append(list, d); return nil })
	if err != nil || len(list) < 3 {
		return err
	}
	if err := fn(list[pick%uint64(len(list))]); err != nil {
		return err
	}
	return s.Commit(ctx)
}

// step runs a command on both indexes, on one of them with a fault, and compares them.
func (r *rig) step(c command) {
	if err := r.with(r.sound, c); err != nil {
		r.t.Fatalf("%s: %v", c.name, err)
	}
	before := r.dump(r.faulty)
	where, err := r.failing(c)
	if where != "" {
		r.faults++
	}
	if err != nil {
		if where == "" {
			r.t.Fatalf("%s fails with nothing wrong: %v", c.name, err)
		}
		r.failed++
		if !r.faulty.Caused(err) {
			r.t.Errorf("%s, with %s failed: error %v, which does not say why", c.name, where, err)
		}
		after := r.dump(r.faulty)
		switch single := c.name == "label" || c.name == "delete" || c.name == "clean"; {
		case !single || after == before:
		case after == r.dump(r.sound):
			return // the commit was made, and a later step failed
		default:
			r.t.Errorf("%s failed (%s) and has changed the index in part", c.name, where)
		}
		if err := r.with(r.faulty, c); err != nil {
			r.t.Fatalf("%s again, after %s failed: %v", c.name, where, err)
		}
	}
	r.wantFiles(c.name)
	if got, want := r.dump(r.faulty), r.dump(r.sound); got != want {
		r.t.Errorf("after %s, with %s failed (error %v), the index has\n%s\nwant\n%s", c.name, where, err, got, want)
	}
}

// failing runs a command with a fault and returns the step that failed.
func (r *rig) failing(c command) (where string, err error) {
	left, row := 1+r.rng.IntN(40), 1
	if r.rng.IntN(2) == 0 {
		row += r.faulty.Patience
	}
	var mu sync.Mutex
	r.faulty.Fail(func(step string) bool {
		mu.Lock()
		defer mu.Unlock()
		if left--; left > 0 || left <= -row {
			return false
		}
		where = step
		return true
	})
	defer r.faulty.Fail(nil)
	err = r.with(r.faulty, c)
	mu.Lock()
	defer mu.Unlock()
	return where, err
}

// wantFiles compares the index with the folder after an indexing command: the index has each text
// of the folder and, after --sync, no other.
func (r *rig) wantFiles(command string) {
	if !strings.HasPrefix(command, "index") {
		return
	}
	has := map[string]string{}
	s, err := r.faulty.Open()
	if err != nil {
		r.t.Fatal(err)
	}
	defer s.Close()
	storetest.EachText(r.t, s, func(d store.Document, text string) {
		has[strings.TrimPrefix(d.Name(), "theses/")] = text
	})
	texts := 0
	for _, file := range r.files() {
		name := filepath.Base(file)
		content, err := os.ReadFile(file)
		if err != nil {
			r.t.Fatal(err)
		}
		if filepath.Ext(name) == ".txt" {
			texts++
			if has[name] != string(content) {
				r.t.Errorf("after %s, %s is not in the index as it is", command, name)
			}
			continue
		}
		records := strings.Count(string(content), "\n")
		for id := range has {
			if strings.HasPrefix(id, name+"!/") {
				records--
				texts++
			}
		}
		if records > 0 || command == "index --sync" && records != 0 {
			r.t.Errorf("after %s, %d records of %s are missing", command, records, name)
		}
	}
	if command == "index --sync" && len(has) != texts {
		r.t.Errorf("after %s the index has %d documents, and the folder %d texts", command, len(has), texts)
	}
}

// files returns the paths of the files in the folder.
func (r *rig) files() []string {
	files, err := filepath.Glob(filepath.Join(r.folder, "*"))
	if err != nil {
		r.t.Fatal(err)
	}
	slices.Sort(files)
	return files
}

// with opens an index, runs a command, and closes the index.
func (r *rig) with(index *Index, c command) error {
	s, err := index.Open()
	if err != nil {
		return err
	}
	err = c.do(r.t.Context(), s)
	return errors.Join(err, s.Close())
}

// dump returns the content of an index, and checks that the index is sound.
func (r *rig) dump(index *Index) string {
	r.t.Helper()
	s, err := index.Open()
	if err != nil {
		r.t.Fatal(err)
	}
	defer s.Close()
	var b strings.Builder
	storetest.EachText(r.t, s, func(d store.Document, text string) {
		fmt.Fprintf(&b, "%s %.8s %d n-grams, pairs %v, says %q, text %q\n", d.Name(), d.Content, d.Sizes, d.Paired, d.Said.List(), text)
	})
	err = s.Verify(r.t.Context(), func(err error) {
		if !errors.Is(err, store.ErrLeftover) {
			r.t.Errorf("Verify: %v", err)
		}
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return b.String()
}

// changeFiles makes a random change to the folder.
func (r *rig) changeFiles() {
	files, err := r.files(), error(nil)
	if len(files) < 5 {
		r.newFile()
		return
	}
	file := files[r.rng.IntN(len(files))]
	switch r.rng.IntN(5) {
	case 0:
		r.newFile()
	case 1:
		err = os.WriteFile(file, r.content(filepath.Ext(file)), 0o666)
	case 2:
		r.made++
		err = os.Rename(file, filepath.Join(r.folder, fmt.Sprintf("renamed-%03d%s", r.made, filepath.Ext(file))))
	case 3:
		err = os.Remove(file)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) newFile() {
	r.made++
	ending := ".txt"
	if r.made%7 == 0 {
		ending = ".jsonl"
	}
	err := os.MkdirAll(r.folder, 0o777)
	if err == nil {
		err = os.WriteFile(filepath.Join(r.folder, fmt.Sprintf("%03d%s", r.made, ending)), r.content(ending), 0o666)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

// content returns the content of a new file: a text, or JSON Lines with several texts, some of which
// have the same name.
func (r *rig) content(ending string) []byte {
	if ending == ".txt" {
		return []byte(r.text())
	}
	var b strings.Builder
	for i := range 3 + r.rng.IntN(12) {
		fmt.Fprintf(&b, "{\"id\": \"record %d\", \"text\": %q}\n", i%7, r.text())
	}
	return []byte(b.String())
}

func (r *rig) text() string {
	words := make([]string, 20+r.rng.IntN(200))
	for i := range words {
		words[i] = fmt.Sprint("word", r.rng.IntN(3000))
	}
	return strings.Join(words, " ")
}
