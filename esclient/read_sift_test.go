package esclient_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
	"github.com/otisk/otisk/store/pick"
	"github.com/otisk/otisk/store/storetest"
)

// A labelled index has documents of which much is known, in a cluster and in memory.
type labelled struct {
	cfg    esclient.Config
	memory *memory.Store
	asked  []store.Hash
}

// newLabelled makes an index of documents with labels at random.
func newLabelled(t *testing.T, documents int) *labelled {
	l := &labelled{cfg: config(t, server(t)), memory: memory.New(storetest.Settings())}
	s := create(t, l.cfg)
	rng := rand.New(rand.NewPCG(3, uint64(documents)))
	for i := range documents {
		d := someDocument(rng, i)
		hashes := storetest.Hashes(rng, 5+rng.IntN(300))
		l.asked = append(l.asked, hashes...)
		text := fmt.Sprint("text ", i)
		for _, to := range []store.Store{s, l.memory} {
			if err := to.Add(t.Context(), d, text, []store.Grams{storetest.Grams(5+2*(i%2), hashes...)}, storetest.Pairs(storetest.PairsOf(hashes)...)); err != nil {
				t.Fatal(err)
			}
		}
	}
	commit(t, s)
	commit(t, l.memory)
	if err := s.Close(); err != nil { // another writer comes
		t.Fatal(err)
	}
	slices.Sort(l.asked)
	l.asked = slices.Compact(l.asked)
	return l
}

var (
	someFolders   = []string{"theses/", "theses/2001/", "faculty=law/", "draft/", "texts/", "year>=2001/"}
	someValues    = []string{"law", "Law", "ARTS", "Příroda", "", "a b", "x*y?", "7", "10", "1e1", strings.Repeat("long ", 200), "ſtraße", "\\", "[a]"}
	someLabels    = []string{"faculty", "draft", "křest", "a.b[c]*", "venue", "faculty=law"}
	someAuthors   = []string{"", "Novák", "Nováková", "K. Č."}
	someLooked    = []string{"=", "!=", "<", "<=", ">", ">="}
	someTyped     = []string{"theses", "theses/", "theses/2001", "faculty", "draft", "venue", "nothing", "texts/0003", "lib:", "*", "draft/*", "draft/", "faculty=law/", "lib:draft", "theses/200", "title", "year", "faculty=*", "křest"}
	otherNames    = []string{"year", "author", "format", "prefix", "title", "words", "name", "nothing", "Faculty", "faculty"}
	otherValues   = []string{"*", "l*", "?aw", "2001", "1999", "NOVÁK*", "text", "lib:", "zz"}
	orderedValues = []string{"7", "10", "1e1", "2001", "1999", "2000-05-01", "0"}
	fewerSources  = []string{"text", "html"}
)

// someDocument returns one of which something is known at random.
func someDocument(rng *rand.Rand, i int) store.Document {
	of := func(list []string) string { return list[rng.IntN(len(list))] }
	d := storetest.Doc(fmt.Sprintf("%s%04d", of(someFolders), i), fmt.Sprint("text ", i))
	d.Format, d.Author, d.Words = of(fewerSources), of(someAuthors), int64(i)
	if rng.IntN(4) == 0 {
		d.Prefix = "lib:"
	}
	if rng.IntN(2) == 0 {
		d.Year = 1999 + rng.IntN(4)
	}
	for range rng.IntN(4) {
		name, value := of(someLabels), of(someValues)
		if rng.IntN(2) == 0 {
			if d.Labels == nil {
				d.Labels = map[string]string{}
			}
			d.Labels[name] = value
		} else {
			_ = d.Said.Set(name, value) // one of those above can be that of a file only
		}
	}
	if rng.IntN(8) == 0 {
		d.Said.Author = of(someAuthors)
	}
	return d
}

// someConditions returns a random condition.
func someConditions(rng *rand.Rand) string {
	of := func(list []string) string { return list[rng.IntN(len(list))] }
	name := of(append(slices.Clone(someLabels[:4]), otherNames...))
	if rng.IntN(8) == 0 {
		return name
	}
	operator, values := of(someLooked), append(slices.Clone(someValues), otherValues...)
	if strings.ContainsAny(operator, "<>") {
		values = orderedValues
		if rng.IntN(3) > 0 {
			name = of([]string{"year", "words"})
		}
	}
	return name + operator + of(values)
}

// compare picks documents at random, of the cluster and in memory.
func (l *labelled) compare(t *testing.T, seed uint64, rounds int) {
	t.Helper()
	r := open(t, l.cfg)
	rng := rand.New(rand.NewPCG(seed, 5))
	found := 0
	for range rounds {
		var in, where []string
		for range rng.IntN(3) {
			if rng.IntN(2) == 0 {
				in = append(in, someTyped[rng.IntN(len(someTyped))])
			} else {
				in = append(in, someConditions(rng))
			}
		}
		for range rng.IntN(3) {
			where = append(where, someConditions(rng))
		}
		if len(in)+len(where) == 0 {
			continue
		}
		got, gotSaid := picked(t, r, in, where)
		want, wantSaid := picked(t, l.memory, in, where)
		if gotSaid != wantSaid {
			t.Fatalf("--in %q --where %q of the cluster: %s\nwant %s", in, where, gotSaid, wantSaid)
		}
		if rng.IntN(4) == 0 {
			storetest.Compare(t, got, want, l.asked)
		}
		if info, _ := want.Info(t.Context()); info.Documents > 0 {
			found++
		}
		if t.Failed() {
			t.Fatalf("that was --in %q --where %q", in, where)
		}
	}
	if found < rounds/4 {
		t.Errorf("%d of %d conditions found something, too few to tell", found, rounds)
	}
}

// picked returns the part of r that the conditions select, and a summary of it.
func picked(t *testing.T, r store.Reader, in, where []string) (store.Reader, string) {
	t.Helper()
	conditions, err := pick.ParseWhere(where)
	if err != nil {
		t.Fatal(err)
	}
	p := pick.New(in, pick.Options{Where: conditions, Labels: true, Folders: true, File: func(path string) string { return "/home/" + path }})
	part, err := pick.Only(t.Context(), r, p)
	if err != nil {
		t.Fatalf("--in %q --where %q: %v", in, where, err)
	}
	info, err := part.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range info.Sizes {
		info.Sizes[i].Bytes = 0
	}
	_, name, _ := strings.Cut(info.Name, ":")
	return part, fmt.Sprintf("%q: %d documents, %d bytes, %v, %+v; missed %v, unknown %q", name, info.Documents, info.TextBytes, info.Sizes, info.Pairs, p.Missed(), p.Unknown())
}

// TestSifter: conditions are evaluated by the server, for parts that are listed at once
// and for others.
func TestSifter(t *testing.T) {
	t.Parallel()
	cfg := config(t, server(t))
	listing := func(listed int64) store.Reader {
		cfg := cfg
		esclient.LimitListed(&cfg, listed)
		return open(t, cfg)
	}
	storetest.TestSifter(t, func(t *testing.T, fill func(store.Store)) store.Reader {
		s := create(t, cfg)
		fill(s)
		commit(t, s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		return listing(2000)
	})
	t.Run("Unlisted", func(t *testing.T) { // in the same index
		storetest.TestSifter(t, func(*testing.T, func(store.Store)) store.Reader { return listing(0) })
	})
}

// TestPartsAlike selects documents by conditions in a cluster, whose server evaluates them in
// several ways, and in memory.
func TestPartsAlike(t *testing.T) {
	t.Parallel()
	rounds := 12
	if need.All() {
		rounds = 80
	}
	l := newLabelled(t, 60)
	l.compare(t, 1, 2*rounds)
	t.Run("Unlisted", func(t *testing.T) { // as of more documents
		l := *l
		esclient.LimitListed(&l.cfg, 0)
		l.compare(t, 2, rounds)
	})
	t.Run("Few", func(t *testing.T) { // as of a few
		l := *l
		esclient.LimitFewOf(&l.cfg, 1)
		l.compare(t, 3, rounds)
	})
	t.Run("ManyValues", func(t *testing.T) { // more than the head has
		l := *l
		esclient.LimitAbout(&l.cfg, 3)
		l.recommit(t)
		l.compare(t, 4, rounds)
		esclient.LimitValues(&l.cfg, 3) // more than are compared
		l.compare(t, 5, rounds)
	})
}

// recommit adds a document and deletes it again, so that the head is new.
func (l *labelled) recommit(t *testing.T) {
	t.Helper()
	s := create(t, l.cfg)
	add(t, s, "more", "more")
	commit(t, s)
	if err := s.Delete(t.Context(), store.IDOf("", "more")); err != nil {
		t.Fatal(err)
	}
	commit(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestRequestsOfPart: to search the documents with a label asks no more of the server
// than to search all.
func TestRequestsOfPart(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, 50, 200, 50)
	s := create(t, l.cfg)
	label(t, s, "/000", "faculty", "law")
	label(t, s, "/00", "faculty", "arts")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	var sent atomic.Int64
	p := newProxy(t, l.cfg.Hosts[0], counting(&sent))
	all := l.check(t, p.URL)
	requests, bytes := sent.Load(), p.down.Load()
	if all != 50 {
		t.Errorf("the report names %d sources, want 50", all)
	}
	for in, want := range map[string]int{"faculty=law": 10, "faculty=arts": 40, "Faculty=*a*": 50, "faculty!=law": 40, "draft": 0} {
		sent.Store(0)
		before := p.down.Load()
		got, err := l.checkIn(t, []string{in}, p.URL)
		if (err != nil) != (want == 0) || got != want {
			t.Errorf("--in %s: the report names %d sources, %v, want %d", in, got, err, want)
		}
		took := p.down.Load() - before
		t.Logf("--in %s: %d requests, answers of %d bytes; all: %d, %d bytes", in, sent.Load(), took, requests, bytes)
		if want > 0 && (sent.Load() > requests || took > bytes+1<<10) {
			t.Errorf("--in %s took %d requests and %d bytes, want at most %d and about %d, as without", in, sent.Load(), took, requests, bytes)
		}
	}
}

// label sets a label of the documents with that prefix that do not have it.
func label(t *testing.T, s *esclient.Store, prefix, name, value string) {
	t.Helper()
	var list []store.Document
	if err := s.Documents(t.Context(), prefix, func(d store.Document) error {
		if d.Said.Labels[name] == "" {
			list = append(list, d)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, d := range list {
		if err := errors.Join(d.Said.Set(name, value), s.Add(t.Context(), d, textOf(t, s, d.ID), nil, nil)); err != nil {
			t.Fatal(err)
		}
	}
	commit(t, s)
}

func textOf(t *testing.T, s store.Reader, id store.DocID) string {
	t.Helper()
	text, err := store.TextOf(t.Context(), s, id)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestLeftOut: LeftOut does not read all entries.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	cfg := config(t, server(t))
	s := create(t, cfg)
	for i := range 30 {
		d := storetest.Doc(fmt.Sprintf("/%02d", i), "text")
		switch i {
		case 3:
			d.Copies = []string{"/a", "/b", "/07"}
		case 9:
			d.Copies = []string{"/b", "/c"}
		}
		if err := s.Add(t.Context(), d, "text", []store.Grams{storetest.Grams(7, 1)}, nil); err != nil {
			t.Fatal(err)
		}
	}
	commit(t, s)
	leaves := func(want ...string) {
		t.Helper()
		var sent atomic.Int64
		near := cfg
		near.Hosts = []string{newProxy(t, cfg.Hosts[0], counting(&sent)).URL}
		r := open(t, near)
		sent.Store(0)
		left, err := r.LeftOut(context.Background())
		if err != nil || len(left) != len(want) {
			t.Fatalf("LeftOut() = %v, %v, want %q", left, err, want)
		}
		for _, name := range want {
			if !left[store.IDOf("", name)] {
				t.Errorf("LeftOut() does not have %s", name)
			}
		}
		if len(want) == 0 && sent.Load() > 0 || sent.Load() > 2 {
			t.Errorf("LeftOut() took %d requests for %d", sent.Load(), len(want))
		}
	}
	leaves("/a", "/b", "/c")
	add(t, s, "/c", "text", 1)
	commit(t, s)
	leaves("/a", "/b")
	for _, path := range []string{"/03", "/09"} {
		if err := s.Delete(t.Context(), store.IDOf("", path)); err != nil {
			t.Fatal(err)
		}
	}
	commit(t, s)
	leaves()
}
