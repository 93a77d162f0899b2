package storetest

import (
	"context"
	"errors"
	"testing"

	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
)

// commitTests concern progress, bookmarks, and failed commits.
var commitTests = []test{
	{"ProgressIsThatOfOneCommit", testProgress},
	{"BookmarksAreKept", testBookmarks},
	{"TwoNamesWithOneIDAreTwoDocuments", testSameID},
	{"FailedCommitAbortsTheStore", testFailedCommit},
	{"FailedRecreateAbortsTheStore", testFailedRecreate},
}

func wantProgress(t *testing.T, s store.Store, want string) {
	t.Helper()
	if got, err := s.Progress(t.Context()); got != want || err != nil {
		t.Errorf("Progress() = %q, %v, want %q", got, err, want)
	}
}

func wantBookmark(t *testing.T, s store.Store, name, want string) {
	t.Helper()
	if got, err := s.Bookmark(t.Context(), name); got != want || err != nil {
		t.Errorf("Bookmark(%s) = %q, %v, want %q", name, got, err, want)
	}
}

func testProgress(t *testing.T, s store.Store) {
	wantProgress(t, s, "")
	s.SetProgress("half of it")
	wantProgress(t, s, "")
	add(t, s, Doc("/a", "a"), Grams(7, 1))
	commit(t, s)
	wantProgress(t, s, "half of it")
	s.SetProgress("more of it")
	commit(t, s)
	wantProgress(t, s, "more of it")
	remove(t, s, "/a")
	commit(t, s)
	wantProgress(t, s, "")
	s.SetProgress("again")
	commit(t, s)
	commit(t, s)
	wantProgress(t, s, "")
}

func testBookmarks(t *testing.T, s store.Store) {
	s.SetBookmark("one", "1")
	s.SetBookmark("two", "2")
	wantBookmark(t, s, "one", "")
	commit(t, s)
	add(t, s, Doc("/a", "a"), Grams(7, 1))
	s.SetBookmark("two", "")
	wantBookmark(t, s, "two", "2")
	commit(t, s)
	wantBookmark(t, s, "one", "1")
	wantBookmark(t, s, "two", "")
	if err := s.Optimize(t.Context()); err != nil {
		t.Fatalf("Optimize() = %v", err)
	}
	wantBookmark(t, s, "one", "1")
	if err := s.Recreate(t.Context(), s.Settings()); err != nil {
		t.Fatalf("Recreate() = %v", err)
	}
	wantBookmark(t, s, "one", "")
}

// SameID are two names with the same id.
var SameID = [2]string{"theses/the-first-of-two-names-01", "theses/twbq3tn2iM,Y_OSrbOc9ez.90"}

func testSameID(t *testing.T, s store.Store) {
	if a, b := store.IDOf("", SameID[0]), store.IDOf("", SameID[1]); a != b {
		t.Fatalf("the ids are %v and %v: these names test nothing", a, b)
	}
	addOther := func() error {
		return s.Add(t.Context(), Doc(SameID[1], "b"), "b", []store.Grams{Grams(7, 2)}, nil)
	}
	add(t, s, Doc(SameID[0], "a"), Grams(7, 1))
	if err := addOther(); !errors.Is(err, store.ErrRefused) {
		t.Errorf("Add of a document with the id of a pending one = %v, want an error wrapping ErrRefused", err)
	}
	commit(t, s)
	err := addOther()
	if err == nil {
		err = s.Commit(t.Context())
	}
	if !errors.Is(err, store.ErrRefused) {
		t.Errorf("adding a document with the id of another = %v, want an error wrapping ErrRefused", err)
	}
	equal(t, "Documents", names(Documents(t, s)), []string{SameID[0]})
}

// cancelled returns a cancelled context.
func cancelled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

func testFailedCommit(t *testing.T, s store.Store) {
	if _, isMemory := s.(*memory.Store); isMemory {
		return // its commits cannot fail
	}
	add(t, s, Doc("/a", "a"), Grams(7, 1))
	s.SetBookmark("one", "1")
	s.SetProgress("half of it")
	commit(t, s)
	add(t, s, Doc("/b", "b"), Grams(7, 1))
	s.SetBookmark("one", "2")
	s.SetProgress("all of it")
	if err := s.Commit(cancelled(t)); !errors.Is(err, context.Canceled) {
		t.Fatalf("Commit with a context that is done = %v, want context.Canceled", err)
	}
	WantAborted(t, s)
	equal(t, "Documents", names(Documents(t, s)), []string{"/a"})
	equal(t, "Lookup", Lookup(t, s, 7, store.Limits{}, 1), []string{"1: /a@0"})
	wantBookmark(t, s, "one", "1")
	wantProgress(t, s, "half of it")
}

func testFailedRecreate(t *testing.T, s store.Store) {
	if _, isMemory := s.(*memory.Store); isMemory {
		return // it cannot fail
	}
	add(t, s, Doc("/a", "a"), Grams(7, 1))
	commit(t, s)
	add(t, s, Doc("/b", "b"), Grams(7, 1))
	if err := s.Recreate(cancelled(t), s.Settings()); !errors.Is(err, context.Canceled) {
		t.Fatalf("Recreate with a context that is done = %v, want context.Canceled", err)
	}
	WantAborted(t, s)
	equal(t, "Documents", names(Documents(t, s)), []string{"/a"})
}

// WantAborted checks that a store refuses all changes after a failed commit.
func WantAborted(t *testing.T, s store.Store) {
	t.Helper()
	ctx := t.Context()
	for name, err := range map[string]error{
		"Add":      s.Add(ctx, Doc("/late", "late"), "late", []store.Grams{Grams(7, 1)}, nil),
		"Delete":   s.Delete(ctx, store.IDOf("", "/a")),
		"SetBases": s.SetBases(ctx, []store.Base{{Key: "k", Name: "n", Folder: "/n"}}),
		"Commit":   s.Commit(ctx),
		"Optimize": s.Optimize(ctx),
		"Recreate": s.Recreate(ctx, s.Settings()),
	} {
		if !errors.Is(err, store.ErrAborted) {
			t.Errorf("%s after a commit that failed = %v, want an error wrapping ErrAborted", name, err)
		}
	}
}
