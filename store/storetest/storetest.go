// Package storetest holds the tests that every store.Store passes: each sentence of the
// contract about behaviour is a test.
//
// A backend calls [Test] with a function that opens a fresh, empty store, and
// [EachStepFails] with an index whose steps can fail; if it implements store.Sifter, it
// calls [TestSifter]. [Fill] and the oracle in store/memory serve tests that compare two
// stores.
package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
)

// Settings returns the settings that most tests use.
func Settings() store.Settings {
	return store.Settings{Normalization: map[string]string{"new_line": "auto", "delete_chars": "-'\"\\"}, KeepTexts: true}
}

// A test is a sentence of the contract.
type test struct {
	name string
	fn   func(t *testing.T, s store.Store)
}

// The suite of each interface of a store.
var (
	summaryTests = []test{
		{"EmptyHasNothing", testEmpty},
		{"SettingsAreKept", testSettings},
		{"InfoAddsUp", testInfo},
		{"MeasureKeepsInfo", testMeasure},
		{"BasesAreKept", testBases},
	}
	catalogueTests = []test{
		{"DocumentsRiseByName", testDocumentsOrder},
		{"DocumentKeepsItsFields", testDocumentFields},
		{"ManyEntries", testManyEntries},
		{"ManyDocuments", testMany},
		{"LeftOutIsNotInTheIndex", testLeftOut},
	}
	textsTests = []test{
		{"TextIsKeptExactly", testText},
		{"ManyTexts", testManyTexts},
		{"PiecesAreThoseOfTheText", testPieces},
		{"NoMarksNoPieces", testNoMarks},
	}
	lookupsTests = []test{
		{"LookupOrder", testLookupOrder},
		{"LookupStopsOnError", testLookupError},
		{"LookupOfUnknownSize", testUnknownSize},
		{"LookupLimits", testLimits},
		{"RepeatedHashInOneDocument", testRepeated},
		{"ExtremeHashes", testExtremeHashes},
		{"DocumentWithoutGrams", testNoGrams},
	}
	adderTests = []test{
		{"AddedDocumentIsFound", testAdd},
		{"NothingIsSeenBeforeCommit", testUncommitted},
		{"AddTwiceIsOnce", testAddTwice},
		{"ReplaceIsWhole", testReplace},
		{"SameTextKeepsOtherSizes", testOtherSizes},
		{"OtherTextDropsOtherSizes", testOtherText},
		{"SameFileReadOtherwiseIsAnotherText", testReadOtherwise},
		{"EntryAloneCanBeReplaced", testEntryAlone},
		{"FailedAddLeavesOldVersion", testFailedAdd},
		{"DeleteRemovesEverything", testDelete},
		{"DeleteMissing", testDeleteMissing},
		{"DeleteOfUncommitted", testDeleteUncommitted},
		{"DeleteAndAddAgain", testReAdd},
		{"ConcurrentAddsAndReads", testConcurrent},
	}
	storeTests = []test{
		{"RecreateRemovesEverything", testRecreate},
		{"RecreateChangesSettings", testRecreateSettings},
		{"OptimizeChangesNothing", testOptimize},
		{"VerifyIsClean", testVerify},
		{"VerifyInterrupted", testVerifyInterrupted},
		{"CancelledContext", testCancelled},
		{"CloseTwice", testCloseTwice},
		{"AgreesWithMemory", testAgreesWithMemory},
	}
)

// Test runs the suites of all interfaces, such as Test/Lookups. open returns a fresh, empty store with the given settings, and
// closes it when the test ends.
func Test(t *testing.T, open func(t *testing.T, settings store.Settings) store.Store) {
	for _, suite := range []struct {
		of    string
		tests []test
	}{
		{"Summary", summaryTests},
		{"Catalogue", catalogueTests},
		{"Texts", textsTests},
		{"Lookups", slices.Concat(lookupsTests, pairTests, keyTests, nearTests)},
		{"Adder", adderTests},
		{"Store", slices.Concat(storeTests, commitTests)},
	} {
		t.Run(suite.of, func(t *testing.T) {
			for _, tt := range suite.tests {
				t.Run(tt.name, func(t *testing.T) { tt.fn(t, open(t, Settings())) })
			}
		})
	}
	t.Run("TextsNotKept", func(t *testing.T) {
		settings := Settings()
		settings.KeepTexts = false
		testTextsNotKept(t, open(t, settings))
	})
}

// Grams returns n-grams with the given hashes, yielded in short slices.
func Grams(n int, hashes ...store.Hash) store.Grams {
	return store.Grams{N: n, Hashes: func(yield func([]store.Hash) bool) {
		for part := range slices.Chunk(hashes, 3) {
			if !yield(part) {
				return
			}
		}
	}}
}

// Doc returns a document with this path and content.
func Doc(path, content string) store.Document {
	return store.Document{
		Path: path, Bytes: int64(len(content)), Content: content, Format: "text", NewLine: "blank",
		ModTime: time.Date(2015, 5, 20, 12, 0, 0, 0, time.UTC), Text: int64(len(content)), Words: 9, Parts: 1,
	}
}

func add(t *testing.T, s store.Store, doc store.Document, grams ...store.Grams) {
	t.Helper()
	if err := s.Add(t.Context(), doc, doc.Content, grams, nil); err != nil {
		t.Fatalf("Add(%s) = %v", doc.Name(), err)
	}
}

func commit(t *testing.T, s store.Store) {
	t.Helper()
	if err := s.Commit(t.Context()); err != nil {
		t.Fatalf("Commit() = %v", err)
	}
}

func remove(t *testing.T, s store.Store, path string) {
	t.Helper()
	if err := s.Delete(t.Context(), store.IDOf("", path)); err != nil {
		t.Fatalf("Delete(%s) = %v", path, err)
	}
}

// Lookup returns the hits for hashes as lines "hash: doc@pos doc@pos", with documents by
// name.
func Lookup(t *testing.T, s store.Reader, n int, limits store.Limits, hashes ...store.Hash) []string {
	t.Helper()
	names := map[store.DocID]string{}
	for _, d := range Documents(t, s) {
		names[d.ID] = d.Name()
	}
	var lines []string
	err := s.Lookup(t.Context(), n, hashes, limits, func(h store.Hit) error {
		lines = append(lines, line(h, names))
		return nil
	})
	if err != nil {
		t.Fatalf("Lookup(%d, %d hashes) = %v", n, len(hashes), err)
	}
	return lines
}

func line(h store.Hit, names map[store.DocID]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%x:", uint64(h.Hash))
	if h.Common {
		b.WriteString(" common")
	}
	for _, p := range h.Postings {
		name := names[p.Doc]
		if name == "" {
			name = "unknown:" + p.Doc.String()
		}
		fmt.Fprintf(&b, " %s@%d", name, p.Pos)
	}
	return b.String()
}

// Documents returns all entries of s.
func Documents(t *testing.T, s store.Reader) []store.Document {
	t.Helper()
	var docs []store.Document
	err := s.Documents(t.Context(), "", func(d store.Document) error {
		docs = append(docs, d)
		return nil
	})
	if err != nil {
		t.Fatalf("Documents() = %v", err)
	}
	return docs
}

// EachText calls fn with each document and its text.
func EachText(t *testing.T, s store.Reader, fn func(d store.Document, text string)) {
	t.Helper()
	docs := Documents(t, s)
	ids := make([]store.DocID, len(docs))
	for i, d := range docs {
		ids[i] = d.ID
	}
	err := s.Texts(t.Context(), ids, func(i int, text string, err error) error {
		fn(docs[i], text)
		return err
	})
	if err != nil {
		t.Fatalf("Texts() = %v", err)
	}
}

func names(docs []store.Document) []string {
	var list []string
	for _, d := range docs {
		list = append(list, d.Name())
	}
	return list
}

func equal(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s =\n  %s\nwant\n  %s", what, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func testEmpty(t *testing.T, s store.Store) {
	equal(t, "Lookup", Lookup(t, s, 7, store.Limits{}, 1, 2, 3), nil)
	equal(t, "Documents", names(Documents(t, s)), nil)
	if _, err := store.Entry(t.Context(), s, 5); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("Document(5) = %v, want an error wrapping ErrNotFound", err)
	}
	if _, err := store.TextOf(t.Context(), s, 5); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("Text(5) = %v, want an error wrapping ErrNotFound", err)
	}
	commit(t, s)
}

func testSettings(t *testing.T, s store.Store) {
	got, want := fmt.Sprint(s.Settings()), fmt.Sprint(Settings())
	if got != want {
		t.Errorf("Settings() = %s, want %s", got, want)
	}
}

func testAdd(t *testing.T, s store.Store) {
	add(t, s, Doc("/a", "text a"), Grams(7, 10, 20, 30, 40, 50))
	commit(t, s)
	equal(t, "Lookup", Lookup(t, s, 7, store.Limits{}, 5, 10, 30, 50, 60), []string{"a: /a@0", "1e: /a@2", "32: /a@4"})
}

func testUncommitted(t *testing.T, s store.Store) {
	add(t, s, Doc("/a", "text a"), Grams(7, 10))
	commit(t, s)
	add(t, s, Doc("/a", "other"), Grams(7, 20))
	add(t, s, Doc("/b", "text b"), Grams(7, 10))
	equal(t, "before the commit", Lookup(t, s, 7, store.Limits{}, 10, 20), []string{"a: /a@0"})
	commit(t, s)
	equal(t, "after the commit", Lookup(t, s, 7, store.Limits{}, 10, 20), []string{"a: /b@0", "14: /a@0"})
}

func testAddTwice(t *testing.T, s store.Store) {
	for range 2 {
		add(t, s, Doc("/a", "text a"), Grams(7, 10, 20))
	}
	commit(t, s)
	add(t, s, Doc("/a", "text a"), Grams(7, 10, 20))
	commit(t, s)
	equal(t, "Lookup", Lookup(t, s, 7, store.Limits{}, 10, 20), []string{"a: /a@0", "14: /a@1"})
	equal(t, "Documents", names(Documents(t, s)), []string{"/a"})
}

func testReplace(t *testing.T, s store.Store) {
	add(t, s, Doc("/a", "old text"), Grams(7, 10, 20))
	commit(t, s)
	add(t, s, Doc("/a", "new text"), Grams(7, 20, 30))
	commit(t, s)
	equal(t, "Lookup", Lookup(t, s, 7, store.Limits{}, 10, 20, 30), []string{"14: /a@0", "1e: /a@1"})
	if got, err := store.TextOf(t.Context(), s, store.IDOf("", "/a")); got != "new text" || err != nil {
		t.Errorf("Text(/a) = %q, %v, want the new text", got, err)
	}
}

func testOtherSizes(t *testing.T, s store.Store) {
	add(t, s, Doc("/a", "text a"), Grams(7, 10, 20))
	commit(t, s)
	add(t, s, Doc("/a", "text a"), Grams(5, 11, 21, 31))
	commit(t, s)
	equal(t, "7-grams", Lookup(t, s, 7, store.Limits{}, 10, 11, 20), []string{"a: /a@0", "14: /a@1"})
	equal(t, "5-grams", Lookup(t, s, 5, store.Limits{}, 10, 11, 31), []string{"b: /a@0", "1f: /a@2"})
	doc, err := store.Entry(t.Context(), s, store.IDOf("", "/a"))
	if got := fmt.Sprint(doc.Sizes); err != nil || got != "[{5 3} {7 2}]" {
		t.Errorf("Sizes = %s, %v, want [{5 3} {7 2}]", got, err)
	}
}

func testOtherText(t *testing.T, s store.Store) {
	add(t, s, Doc("/a", "old"), Grams(7, 10), Grams(5, 11))
	commit(t, s)
	add(t, s, Doc("/a", "new"), Grams(5, 12))
	commit(t, s)
	equal(t, "7-grams", Lookup(t, s, 7, store.Limits{}, 10), nil)
	equal(t, "5-grams", Lookup(t, s, 5, store.Limits{}, 11, 12), []string{"c: /a@0"})
}

// testReadOtherwise: if text, rules or paragraphs change while the file does not, the old
// n-grams are dropped, committed or not.
func testReadOtherwise(t *testing.T, s store.Store) {
	for _, between := range []func(){func() {}, func() { commit(t, s) }} {
		doc := Doc("/a", "bytes of the file")
		read := func(text string, grams ...store.Grams) {
			t.Helper()
			if err := s.Add(t.Context(), doc, text, grams, nil); err != nil {
				t.Fatal(err)
			}
			between()
		}
		read("wrong encoding", Grams(7, 10), Grams(5, 11))
		read("right encoding", Grams(5, 12))
		commit(t, s)
		equal(t, "7-grams of the wrong text", Lookup(t, s, 7, store.Limits{}, 10), nil)
		equal(t, "5-grams", Lookup(t, s, 5, store.Limits{}, 11, 12), []string{"c: /a@0"})
		if got, err := store.TextOf(t.Context(), s, store.IDOf("", "/a")); got != "right encoding" || err != nil {
			t.Errorf("Text(/a) = %q, %v, want the last one", got, err)
		}
		doc.NewLine = "true"
		read("right encoding", Grams(7, 13))
		doc.Rules = "html"
		read("right encoding", Grams(6, 14))
		commit(t, s)
		got, err := store.Entry(t.Context(), s, store.IDOf("", "/a"))
		if sizes := fmt.Sprint(got.Sizes); err != nil || sizes != "[{6 1}]" {
			t.Errorf("Sizes after other paragraphs and other rules = %s, %v, want the last only", sizes, err)
		}
		if want := store.TextSum("right encoding", "html", "true"); got.TextSum != want {
			t.Errorf("TextSum = %s, want %s", got.TextSum, want)
		}
	}
}

// testEntryAlone: metadata can change without n-grams.
func testEntryAlone(t *testing.T, s store.Store) {
	add(t, s, Doc("/a", "text a"), Grams(7, 10, 20), Grams(5, 11))
	commit(t, s)
	doc := Doc("/a", "text a")
	doc.Title, doc.Bytes = "A title", 77
	add(t, s, doc)
	commit(t, s)
	got, err := store.Entry(t.Context(), s, store.IDOf("", "/a"))
	if err != nil || got.Title != "A title" || got.Bytes != 77 || fmt.Sprint(got.Sizes) != "[{5 1} {7 2}]" {
		t.Errorf("Document() = %+v, %v, want the new title and both sizes", got, err)
	}
	equal(t, "7-grams", Lookup(t, s, 7, store.Limits{}, 10, 20), []string{"a: /a@0", "14: /a@1"})
	verify(t, s)
}

func testFailedAdd(t *testing.T, s store.Store) {
	add(t, s, Doc("/a", "old"), Grams(7, 10))
	commit(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	broken := store.Grams{N: 7, Hashes: func(yield func([]store.Hash) bool) {
		cancel()
		for i := range store.Hash(1 << 16) {
			if !yield([]store.Hash{i}) {
				return
			}
		}
	}}
	if _, isMemory := s.(*memory.Store); isMemory {
		return // it takes no time, and cannot be cancelled
	}
	if err := s.Add(ctx, Doc("/a", "new"), "new", []store.Grams{broken}, nil); !errors.Is(err, context.Canceled) {
		t.Fatalf("Add with a context cancelled half-way = %v, want context.Canceled", err)
	}
	add(t, s, Doc("/b", "text b"), Grams(7, 10))
	commit(t, s)
	equal(t, "Lookup", Lookup(t, s, 7, store.Limits{}, 7, 10, 11), []string{"a: /a@0 /b@0"})
	if got, err := store.TextOf(t.Context(), s, store.IDOf("", "/a")); got != "old" || err != nil {
		t.Errorf("Text(/a) = %q, %v, want the old text", got, err)
	}
}

func testDelete(t *testing.T, s store.Store) {
	add(t, s, Doc("/a", "text a"), Grams(7, 10), Grams(5, 10))
	add(t, s, Doc("/b", "text b"), Grams(7, 10))
	commit(t, s)
	remove(t, s, "/a")
	equal(t, "before the commit", Lookup(t, s, 7, store.Limits{}, 10), []string{"a: /a@0 /b@0"})
	commit(t, s)
	equal(t, "7-grams", Lookup(t, s, 7, store.Limits{}, 10), []string{"a: /b@0"})
	equal(t, "5-grams", Lookup(t, s, 5, store.Limits{}, 10), nil)
	equal(t, "Documents", names(Documents(t, s)), []string{"/b"})
	if _, err := store.TextOf(t.Context(), s, store.IDOf("", "/a")); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("Text(/a) = %v, want an error wrapping ErrNotFound", err)
	}
}

func testDeleteMissing(t *testing.T, s store.Store) {
	if err := s.Delete(t.Context(), 99); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("Delete(99) = %v, want an error wrapping ErrNotFound", err)
	}
	add(t, s, Doc("/a", "a"), Grams(7, 10))
	commit(t, s)
	remove(t, s, "/a")
	if err := s.Delete(t.Context(), store.IDOf("", "/a")); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("second Delete(/a) = %v, want an error wrapping ErrNotFound", err)
	}
}

func testDeleteUncommitted(t *testing.T, s store.Store) {
	add(t, s, Doc("/a", "a"), Grams(7, 10))
	remove(t, s, "/a")
	commit(t, s)
	equal(t, "Lookup", Lookup(t, s, 7, store.Limits{}, 10), nil)
	equal(t, "Documents", names(Documents(t, s)), nil)
}

func testReAdd(t *testing.T, s store.Store) {
	add(t, s, Doc("/a", "old"), Grams(7, 10, 11), Grams(5, 50))
	commit(t, s)
	remove(t, s, "/a")
	add(t, s, Doc("/a", "old"), Grams(7, 11))
	commit(t, s)
	equal(t, "7-grams", Lookup(t, s, 7, store.Limits{}, 10, 11), []string{"b: /a@0"})
	equal(t, "5-grams of what was deleted", Lookup(t, s, 5, store.Limits{}, 50), nil)
}

func testDocumentsOrder(t *testing.T, s store.Store) {
	paths := []string{"/z", "/a/b", "/a b", "/Ž", "/a", "/a/c", "/\"<&\\"}
	for _, p := range paths {
		add(t, s, Doc(p, p), Grams(7, 1))
	}
	prefixed := Doc("/a", "prefixed")
	prefixed.Prefix = "library:"
	add(t, s, prefixed, Grams(7, 1))
	commit(t, s)
	want := append(slices.Clone(paths), "library:/a")
	slices.Sort(want)
	equal(t, "Documents", names(Documents(t, s)), want)
	for _, prefix := range []string{"", "/", "/a", "/a/b", "/a/bc", "/\u017d", "/\u017d\x00", "/c", "lib", "library:/a", "!", "\x00", "\xff"} {
		equal(t, fmt.Sprintf("Documents(%q)", prefix), names(documentsIn(t, s, prefix)), beginning(want, prefix))
	}

	stop := errors.New("stop")
	calls := 0
	err := s.Documents(t.Context(), "", func(store.Document) error { calls++; return stop })
	if err != stop || calls != 1 {
		t.Errorf("Documents with a failing fn = %v after %d calls, want its error after 1", err, calls)
	}
	calls = 0
	err = s.Documents(t.Context(), "/a", func(store.Document) error { calls++; return stop })
	if err != stop || calls != 1 {
		t.Errorf("Documents with a failing fn = %v after %d calls, want its error after 1", err, calls)
	}
}

// documentsIn returns the documents of s whose names begin with prefix.
func documentsIn(t *testing.T, s store.Reader, prefix string) (list []store.Document) {
	t.Helper()
	err := s.Documents(t.Context(), prefix, func(d store.Document) error {
		list = append(list, d)
		return nil
	})
	if err != nil {
		t.Errorf("Documents(%q) = %v", prefix, err)
	}
	return list
}

// beginning returns the elements of list that start with prefix.
func beginning(list []string, prefix string) (found []string) {
	for _, name := range list {
		if strings.HasPrefix(name, prefix) {
			found = append(found, name)
		}
	}
	return found
}

func testDocumentFields(t *testing.T, s store.Store) {
	want := Doc("/dir/ž ]]>.txt", "content")
	want.Prefix, want.Format, want.Rules, want.NewLine = "p:", "html", "html", "true"
	want.Title, want.Author, want.Words, want.Parts = "A <title>", "K. Č.", 1<<40, 77
	want.Said = store.Description{Title: "Said", Author: "Ž", Year: 2001, Address: "https://example.org/?a=<b>", Labels: map[string]string{"faculty": "law"}}
	want.Labels = map[string]string{"venue": "Ž <b>"}
	want.Reader, want.Charset, want.Scanned, want.Copies = 3, "windows-1250", 2, []string{"p:x", "y"}
	add(t, s, want, Grams(9, 1, 2))
	commit(t, s)
	want.ID, want.Sizes = store.IDOf(want.Prefix, want.Path), []store.Size{{N: 9, Grams: 2}}
	want.TextSum = store.TextSum(want.Content, want.Rules, want.NewLine)
	got, err := store.Entry(t.Context(), s, want.ID)
	if err != nil || fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
		t.Errorf("Document() = %+v, %v\nwant %+v", got, err, want)
	}
}

func testText(t *testing.T, s store.Store) {
	long := strings.Repeat("žluťoučký kůň úpěl ďábelské ódy\r\n", 50_000)
	texts := []string{"", "x", "\ufeffa\r\n\tb\x00\u0301", long}
	for i, text := range texts {
		doc := Doc(fmt.Sprint("/", i), fmt.Sprint("content ", i))
		if err := s.Add(t.Context(), doc, text, []store.Grams{Grams(7, 1)}, nil); err != nil {
			t.Fatal(err)
		}
	}
	commit(t, s)
	for i, want := range texts {
		got, err := store.TextOf(t.Context(), s, store.IDOf("", fmt.Sprint("/", i)))
		if err != nil || got != want {
			t.Errorf("Text(/%d) has %d bytes, %v; want the %d bytes that were added", i, len(got), err, len(want))
		}
	}
}

func testTextsNotKept(t *testing.T, s store.Store) {
	add(t, s, Doc("/a", "text a"), Grams(7, 10))
	commit(t, s)
	if _, err := store.TextOf(t.Context(), s, store.IDOf("", "/a")); !errors.Is(err, store.ErrNoText) {
		t.Errorf("Text(/a) = %v, want an error wrapping ErrNoText", err)
	}
	calls := 0
	err := s.Texts(t.Context(), []store.DocID{store.IDOf("", "/a")}, func(i int, text string, err error) error {
		if calls++; i != 0 || text != "" || !errors.Is(err, store.ErrNoText) {
			t.Errorf("Texts(/a) calls with %d, %q, %v, want an error wrapping ErrNoText", i, text, err)
		}
		return nil
	})
	if err != nil || calls != 1 {
		t.Errorf("Texts(/a) = %v after %d calls, want 1", err, calls)
	}
	if d, err := store.Entry(t.Context(), s, store.IDOf("", "/a")); err != nil || !d.NoText {
		t.Errorf("Document(/a).NoText = %v, %v, want true", d.NoText, err)
	}
	equal(t, "Lookup", Lookup(t, s, 7, store.Limits{}, 10), []string{"a: /a@0"})
}

func testLookupOrder(t *testing.T, s store.Store) {
	add(t, s, Doc("/a", "a"), Grams(7, 3, 2, 1))
	commit(t, s)
	add(t, s, Doc("/b", "b"), Grams(7, 1, 3, 1))
	commit(t, s)
	var last store.Hash
	err := s.Lookup(t.Context(), 7, []store.Hash{1, 2, 3, 4}, store.Limits{}, func(h store.Hit) error {
		if h.Hash <= last {
			t.Errorf("hash %d after %d", h.Hash, last)
		}
		last = h.Hash
		if !slices.IsSortedFunc(h.Postings, byPlace) {
			t.Errorf("postings of %d not sorted by document and position: %v", h.Hash, h.Postings)
		}
		return nil
	})
	if err != nil || last != 3 {
		t.Errorf("Lookup ended with hash %d, %v, want 3", last, err)
	}
}

func byPlace(a, b store.Posting) int {
	return cmp.Or(cmp.Compare(a.Doc, b.Doc), cmp.Compare(a.Pos, b.Pos))
}

func testLookupError(t *testing.T, s store.Store) {
	add(t, s, Doc("/a", "a"), Grams(7, 1, 2, 3))
	commit(t, s)
	stop := errors.New("stop")
	calls := 0
	err := s.Lookup(t.Context(), 7, []store.Hash{1, 2, 3}, store.Limits{}, func(store.Hit) error { calls++; return stop })
	if err != stop || calls != 1 {
		t.Errorf("Lookup with a failing fn = %v after %d calls, want its error after 1", err, calls)
	}
}

func testUnknownSize(t *testing.T, s store.Store) {
	add(t, s, Doc("/a", "a"), Grams(7, 1))
	commit(t, s)
	equal(t, "Lookup of 8-grams", Lookup(t, s, 8, store.Limits{}, 1), nil)
}

func testLimits(t *testing.T, s store.Store) {
	for _, p := range []string{"/a", "/b", "/c"} {
		add(t, s, Doc(p, p), Grams(7, 1, 1, 1))
	}
	add(t, s, Doc("/d", "d"), Grams(7, 2, 2))
	commit(t, s)
	count := func(limits store.Limits) string {
		var out []string
		err := s.Lookup(t.Context(), 7, []store.Hash{1, 2}, limits, func(h store.Hit) error {
			out = append(out, fmt.Sprintf("%d %v %d", h.Hash, h.Common, len(h.Postings)))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(out, ", ")
	}
	for _, tt := range []struct {
		limits store.Limits
		want   string
	}{
		{store.Limits{}, "1 false 9, 2 false 2"},
		{store.Limits{Docs: 3}, "1 false 9, 2 false 2"},
		{store.Limits{Docs: 1}, "1 true 0, 2 false 2"},
		{store.Limits{Positions: 1}, "1 false 3, 2 false 1"},
		{store.Limits{Docs: 2}, "1 true 0, 2 false 2"},
		{store.Limits{Docs: 3, Positions: 1}, "1 false 3, 2 false 1"},
	} {
		if got := count(tt.limits); got != tt.want {
			t.Errorf("Lookup(%+v) = %s, want %s (hash, common, postings)", tt.limits, got, tt.want)
		}
	}
	remove(t, s, "/b")
	commit(t, s)
	if got, want := count(store.Limits{Docs: 2}), "1 false 6, 2 false 2"; got != want {
		t.Errorf("after a delete Lookup = %s, want %s: deleted documents make nothing common", got, want)
	}
}

func testRepeated(t *testing.T, s store.Store) {
	const times = 100_000
	add(t, s, Doc("/la", "la la la"), store.Grams{N: 7, Hashes: func(yield func([]store.Hash) bool) {
		for range times {
			if !yield([]store.Hash{77}) {
				return
			}
		}
	}}, Grams(5, 77))
	add(t, s, Doc("/b", "b"), Grams(7, 76, 77, 78))
	commit(t, s)
	got := Lookup(t, s, 7, store.Limits{Positions: 2}, 76, 77, 78)
	want := []string{"4c: /b@0", "4d: /b@1 /la@0 /la@1", "4e: /b@2"}
	if store.IDOf("", "/la") < store.IDOf("", "/b") {
		want[1] = "4d: /la@0 /la@1 /b@1"
	}
	equal(t, "Lookup", got, want)
	d, err := store.Entry(t.Context(), s, store.IDOf("", "/la"))
	if grams, _ := d.Grams(7); err != nil || grams != times {
		t.Errorf("Document(/la).Grams(7) = %d, %v, want %d", grams, err, times)
	}
}

func testExtremeHashes(t *testing.T, s store.Store) {
	const top = store.Hash(1<<48 - 1)
	add(t, s, Doc("/a", "a"), Grams(7, top, 0, top-1, 1, 0))
	commit(t, s)
	equal(t, "Lookup", Lookup(t, s, 7, store.Limits{}, 0, 1, 2, top-1, top),
		[]string{"0: /a@1 /a@4", "1: /a@3", "fffffffffffe: /a@2", "ffffffffffff: /a@0"})
}

func testNoGrams(t *testing.T, s store.Store) {
	add(t, s, Doc("/empty", "two words"), Grams(7))
	commit(t, s)
	d, err := store.Entry(t.Context(), s, store.IDOf("", "/empty"))
	if grams, ok := d.Grams(7); err != nil || !ok || grams != 0 {
		t.Errorf("Grams(7) = %d, %v, %v, want 0, true", grams, ok, err)
	}
}

// Fill adds documents 0..docs-1 with random hashes to s, most of them rare, and returns the
// hashes by document. It does not commit.
func Fill(t testing.TB, s store.Store, rng *rand.Rand, docs, grams int) [][]store.Hash {
	t.Helper()
	all := make([][]store.Hash, docs)
	for i := range all {
		all[i] = Hashes(rng, 1+rng.IntN(grams))
		content := fmt.Sprint("content ", i, rng.Uint64())
		doc := Doc(fmt.Sprintf("/doc/%04d", i), content)
		if err := s.Add(context.Background(), doc, content, []store.Grams{Grams(7, all[i]...)}, nil); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// Hashes returns random hashes, a tenth of them from a small set that documents share.
func Hashes(rng *rand.Rand, count int) []store.Hash {
	list := make([]store.Hash, count)
	for i := range list {
		list[i] = store.Hash(rng.Uint64() >> 16)
		if rng.IntN(10) == 0 {
			list[i] = store.Hash(rng.Uint64N(500)) * 0x3b9aca0700
		}
	}
	return list
}

func testMany(t *testing.T, s store.Store) {
	all := Fill(t, s, rand.New(rand.NewPCG(1, 2)), 50, 2000)
	commit(t, s)
	want := map[store.Hash][]store.Posting{}
	for i, hashes := range all {
		id := store.IDOf("", fmt.Sprintf("/doc/%04d", i))
		for pos, h := range hashes {
			want[h] = append(want[h], store.Posting{Doc: id, Pos: uint32(pos)})
		}
	}
	var asked []store.Hash
	for h, ps := range want {
		slices.SortFunc(ps, byPlace)
		asked = append(asked, h)
	}
	slices.Sort(asked)
	found := 0
	err := s.Lookup(t.Context(), 7, asked, store.Limits{}, func(h store.Hit) error {
		found++
		if !slices.Equal(h.Postings, want[h.Hash]) {
			return fmt.Errorf("hash %x has %v, want %v", uint64(h.Hash), h.Postings, want[h.Hash])
		}
		return nil
	})
	if err != nil || found != len(asked) {
		t.Errorf("found %d of %d hashes, %v", found, len(asked), err)
	}
}

func testConcurrent(t *testing.T, s store.Store) {
	add(t, s, Doc("/first", "first"), Grams(7, 1))
	commit(t, s)
	var wg sync.WaitGroup
	errs := make(chan error, 64)
	for w := range 4 {
		wg.Go(func() {
			for i := range 8 {
				doc := Doc(fmt.Sprintf("/%d/%d", w, i), fmt.Sprint(w, i))
				errs <- s.Add(context.Background(), doc, doc.Content, []store.Grams{Grams(7, 1, store.Hash(100+w))}, nil)
			}
		})
		wg.Go(func() {
			errs <- s.Lookup(context.Background(), 7, []store.Hash{1}, store.Limits{}, func(h store.Hit) error {
				if len(h.Postings) != 1 {
					return fmt.Errorf("uncommitted postings seen: %v", h.Postings)
				}
				return nil
			})
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	commit(t, s)
	if got := len(Documents(t, s)); got != 33 {
		t.Errorf("%d documents, want 33", got)
	}
	if got := Lookup(t, s, 7, store.Limits{Docs: 10}, 1, 101); len(got) != 2 || got[0] != "1: common" {
		t.Errorf("Lookup = %v, want hash 1 common and 8 documents with 101", got)
	}
}

func recreate(t *testing.T, s store.Store, settings store.Settings) {
	t.Helper()
	if err := s.Recreate(t.Context(), settings); err != nil {
		t.Fatalf("Recreate() = %v", err)
	}
}

func testRecreate(t *testing.T, s store.Store) {
	add(t, s, Doc("/a", "a"), Grams(7, 1), Grams(5, 1))
	commit(t, s)
	add(t, s, Doc("/pending", "p"), Grams(7, 1))
	recreate(t, s, s.Settings())
	equal(t, "Documents", names(Documents(t, s)), nil)
	equal(t, "Lookup", Lookup(t, s, 7, store.Limits{}, 1), nil)
	testSettings(t, s)
	add(t, s, Doc("/b", "b"), Grams(7, 1))
	commit(t, s)
	equal(t, "Lookup of what came after", Lookup(t, s, 7, store.Limits{}, 1), []string{"1: /b@0"})
	verify(t, s)
}

func testRecreateSettings(t *testing.T, s store.Store) {
	add(t, s, Doc("/a", "a"), Grams(7, 1))
	commit(t, s)
	other := store.Settings{Normalization: map[string]string{"new_line": "true"}}
	recreate(t, s, other)
	if got, want := fmt.Sprint(s.Settings()), fmt.Sprint(other); got != want {
		t.Errorf("Settings() = %s, want %s", got, want)
	}
	testTextsNotKept(t, s)
}

func testOptimize(t *testing.T, s store.Store) {
	for i := range 12 {
		add(t, s, Doc(fmt.Sprint("/", i), fmt.Sprint(i)), Grams(7, 5, store.Hash(10+i)))
		commit(t, s)
	}
	remove(t, s, "/3")
	commit(t, s)
	add(t, s, Doc("/pending", "p"), Grams(7, 99))
	limits := store.Limits{Docs: 20}
	before := Lookup(t, s, 7, limits, 5, 10, 13, 21)
	if err := s.Optimize(t.Context()); err != nil {
		t.Fatalf("Optimize() = %v", err)
	}
	equal(t, "Lookup after", Lookup(t, s, 7, limits, 5, 10, 13, 21), before)
	equal(t, "what was pending", Lookup(t, s, 7, limits, 99), []string{"63: /pending@0"})
	verify(t, s)
}

func verify(t *testing.T, s store.Store) {
	t.Helper()
	err := s.Verify(t.Context(), func(err error) { t.Errorf("Verify reports: %v", err) })
	if err != nil {
		t.Errorf("Verify() = %v", err)
	}
}

func testVerify(t *testing.T, s store.Store) {
	verify(t, s)
	rng := rand.New(rand.NewPCG(3, 4))
	for range 3 {
		Fill(t, s, rng, 10, 300)
		commit(t, s)
		remove(t, s, "/doc/0005")
		commit(t, s)
		verify(t, s)
	}
}

// testVerifyInterrupted cancels Verify each time that it checks its context.
func testVerifyInterrupted(t *testing.T, s store.Store) {
	if _, isMemory := s.(*memory.Store); isMemory {
		return // it waits for nothing
	}
	Fill(t, s, rand.New(rand.NewPCG(3, 5)), 5, 50)
	commit(t, s)
	for looks := int32(0); ; looks++ {
		ctx, cancel := context.WithCancel(t.Context())
		until := &interrupted{Context: ctx, cancel: cancel}
		until.looks.Store(looks)
		err := s.Verify(until, func(err error) { t.Errorf("Verify interrupted at look %d reports: %v", looks, err) })
		cancel()
		if err == nil && looks > 5 {
			return // it had ended before
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("Verify interrupted at look %d = %v, want context.Canceled", looks, err)
		}
	}
}

// An interrupted context is cancelled after a number of checks.
type interrupted struct {
	context.Context
	cancel context.CancelFunc
	looks  atomic.Int32
}

func (i *interrupted) look() {
	if i.looks.Add(-1) < 0 {
		i.cancel()
	}
}

// Err implements [context.Context].
func (i *interrupted) Err() error {
	i.look()
	return i.Context.Err()
}

// Done implements [context.Context].
func (i *interrupted) Done() <-chan struct{} {
	i.look()
	return i.Context.Done()
}

func testInfo(t *testing.T, s store.Store) {
	add(t, s, Doc("/a", "text a"), Grams(7, 1, 2), Grams(5, 1, 2, 3))
	add(t, s, Doc("/b", "text bc"), Grams(9, 1), Grams(7, 1), Grams(3, 1), Grams(4, 1))
	commit(t, s)
	info, err := s.Info(t.Context())
	if err != nil || info.Documents != 2 || info.TextBytes != 13 {
		t.Errorf("Info() = %d documents, %d bytes of text, %v, want 2, 13", info.Documents, info.TextBytes, err)
	}
	var sizes []string
	for _, size := range info.Sizes {
		sizes = append(sizes, fmt.Sprintf("%d-grams: %d in %d", size.N, size.Grams, size.Documents))
	}
	equal(t, "Info().Sizes", sizes, []string{"3-grams: 1 in 1", "4-grams: 1 in 1", "5-grams: 3 in 1", "7-grams: 3 in 2", "9-grams: 1 in 1"})
}

func testBases(t *testing.T, s store.Store) {
	bases := func() []store.Base {
		t.Helper()
		info, err := s.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return info.Bases
	}
	want := []store.Base{{Key: "1", Name: "theses", Folder: "/srv/ž"}, {Key: "2", Folder: "/srv/not \xff UTF-8", Flat: true}}
	if err := s.SetBases(t.Context(), want); err != nil {
		t.Fatalf("SetBases() = %v", err)
	}
	if got := bases(); len(got) > 0 {
		t.Errorf("before the commit Info().Bases = %+v, want none", got)
	}
	commit(t, s)
	if got := bases(); !slices.Equal(got, want) {
		t.Errorf("Info().Bases = %+v, want %+v", got, want)
	}
	doc := Doc("theses/a", "text a")
	doc.Base = "1"
	add(t, s, doc, Grams(7, 10))
	commit(t, s)
	if got := bases(); !slices.Equal(got, want) {
		t.Errorf("after another commit Info().Bases = %+v, want %+v", got, want)
	}
	if d, err := store.Entry(t.Context(), s, store.IDOf("", "theses/a")); err != nil || d.Base != "1" {
		t.Errorf("Document().Base = %q, %v, want 1", d.Base, err)
	}
	want = want[1:]
	add(t, s, Doc("theses/b", "text b"), Grams(7, 10))
	if err := s.SetBases(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	commit(t, s)
	if got := bases(); !slices.Equal(got, want) {
		t.Errorf("after a change Info().Bases = %+v, want %+v", got, want)
	}
	verify(t, s)
	recreate(t, s, s.Settings())
	if got := bases(); len(got) > 0 {
		t.Errorf("after Recreate Info().Bases = %+v, want none", got)
	}
}

func testCancelled(t *testing.T, s store.Store) {
	if _, isMemory := s.(*memory.Store); isMemory {
		return // it waits for nothing
	}
	add(t, s, Doc("/a", "a"), Grams(7, 1))
	commit(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Add(ctx, Doc("/b", "b"), "b", []store.Grams{Grams(7, 1)}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Add = %v, want context.Canceled", err)
	}
	err := s.Lookup(ctx, 7, []store.Hash{1}, store.Limits{}, func(store.Hit) error { return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Lookup = %v, want context.Canceled", err)
	}
}

func testCloseTwice(t *testing.T, s store.Store) {
	for i := range 2 {
		if err := s.Close(); err != nil {
			t.Errorf("Close number %d = %v", i+1, err)
		}
	}
}

// testAgreesWithMemory applies the same random changes to s and to the oracle, and compares
// their answers.
func testAgreesWithMemory(t *testing.T, s store.Store) {
	oracle := memory.New(s.Settings())
	rng := rand.New(rand.NewPCG(5, 6))
	for round := range 6 {
		var asked []store.Hash
		for range 10 {
			path, hashes := fmt.Sprint("/", rng.IntN(12)), Hashes(rng, rng.IntN(400))
			asked = append(asked, hashes...)
			doc := Doc(path, fmt.Sprint(rng.IntN(3)))
			n := 5 + 2*rng.IntN(2)
			for _, s := range []store.Store{s, oracle} {
				if len(hashes)%3 == 0 {
					add(t, s, doc, Grams(n, hashes...))
				} else {
					addPairs(t, s, doc, []store.Grams{Grams(n, hashes...)}, PairsOf(hashes)...)
				}
			}
			if gone := store.IDOf("", fmt.Sprint("/", rng.IntN(12))); rng.IntN(3) == 0 {
				got, want := s.Delete(t.Context(), gone), oracle.Delete(t.Context(), gone)
				if (got == nil) != (want == nil) {
					t.Fatalf("Delete = %v, want %v", got, want)
				}
			}
		}
		commit(t, s)
		commit(t, oracle)
		if round == 3 {
			if err := s.Optimize(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		slices.Sort(asked)
		Compare(t, s, oracle, slices.Compact(asked))
	}
}

// Compare fails the test if s and the oracle answer differently.
func Compare(t *testing.T, s, oracle store.Reader, asked []store.Hash) {
	t.Helper()
	if got, want := fmt.Sprintf("%+v", Documents(t, s)), fmt.Sprintf("%+v", Documents(t, oracle)); got != want {
		t.Errorf("Documents() = %s\nwant %s", got, want)
	}
	for i, d := range Documents(t, oracle) {
		if i%8 > 0 { // a sample is enough
			continue
		}
		prefix := d.Name()[:len(d.Name())-i/8%3]
		equal(t, fmt.Sprintf("Documents(%q)", prefix), names(documentsIn(t, s, prefix)), names(documentsIn(t, oracle, prefix)))
	}
	for _, n := range []int{5, 7} {
		for _, limits := range []store.Limits{{}, {Docs: 3, Positions: 2}} {
			got, want := Lookup(t, s, n, limits, asked...), Lookup(t, oracle, n, limits, asked...)
			equal(t, fmt.Sprintf("Lookup(%d-grams, %+v)", n, limits), got, want)
		}
	}
	comparePairs(t, s, oracle, asked)
	equal(t, "Texts", texts(t, s), texts(t, oracle))
}
