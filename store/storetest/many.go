package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/store"
)

// many adds some documents, one of them with a long text, and returns their ids out of
// order, one of them twice.
func many(t *testing.T, s store.Store) (ids []store.DocID, want []string) {
	t.Helper()
	for i := range 40 {
		content := fmt.Sprint("content ", i)
		if i == 7 {
			content = strings.Repeat("a long text, with all its words\n", 60_000)
		}
		doc := Doc(fmt.Sprintf("/%02d", i), content)
		add(t, s, doc, Grams(7, store.Hash(i)))
		ids, want = append(ids, store.IDOf("", doc.Path)), append(want, content)
	}
	commit(t, s)
	slices.Reverse(ids)
	slices.Reverse(want)
	ids, want = append(ids, ids[3]), append(want, want[3])
	return ids, want
}

func testManyEntries(t *testing.T, s store.Store) {
	ids, _ := many(t, s)
	var got []store.DocID
	err := s.Entries(t.Context(), ids, func(d store.Document) error {
		one, err := store.Entry(t.Context(), s, d.ID)
		if err != nil || fmt.Sprintf("%+v", one) != fmt.Sprintf("%+v", d) {
			t.Errorf("Entries has %+v, Document %+v, %v", d, one, err)
		}
		got = append(got, d.ID)
		return nil
	})
	if err != nil || !slices.Equal(got, ids) {
		t.Errorf("Entries(%v) = %v, %v; want all, in their order", ids, got, err)
	}
	stop := errors.New("stop")
	if err := s.Entries(t.Context(), ids, func(store.Document) error { return stop }); err != stop {
		t.Errorf("Entries that is stopped = %v, want what stopped it", err)
	}
	err = s.Entries(t.Context(), []store.DocID{ids[0], 99}, func(store.Document) error { return nil })
	if !errors.Is(err, store.ErrNotFound) {
		t.Errorf("Entries with a missing id = %v, want an error wrapping ErrNotFound", err)
	}
	if err := s.Entries(t.Context(), nil, func(store.Document) error { return stop }); err != nil {
		t.Errorf("Entries of none = %v", err)
	}
}

func testManyTexts(t *testing.T, s store.Store) {
	ids, want := many(t, s)
	next := 0
	err := s.Texts(t.Context(), ids, func(i int, text string, err error) error {
		if i != next || err != nil || text != want[i] {
			t.Errorf("Texts has number %d next, %d bytes, %v; want number %d of %d bytes", i, len(text), err, next, len(want[next]))
		}
		next++
		return nil
	})
	if err != nil || next != len(ids) {
		t.Errorf("Texts = %v after %d texts, want %d", err, next, len(ids))
	}
	stop := errors.New("stop")
	if err := s.Texts(t.Context(), ids, func(int, string, error) error { return stop }); err != stop {
		t.Errorf("Texts that is stopped = %v, want what stopped it", err)
	}
	err = s.Texts(t.Context(), []store.DocID{ids[0], 99}, func(int, string, error) error { return nil })
	if !errors.Is(err, store.ErrNotFound) {
		t.Errorf("Texts with a missing id = %v, want an error wrapping ErrNotFound", err)
	}
}

// texts returns all entries and texts, read in one call in descending order of names, as
// lines.
func texts(t *testing.T, s store.Reader) []string {
	t.Helper()
	var ids []store.DocID
	for _, d := range Documents(t, s) {
		ids = append(ids, d.ID)
	}
	slices.Reverse(ids)
	var list []string
	err := s.Entries(t.Context(), ids, func(d store.Document) error {
		list = append(list, fmt.Sprintf("%+v", d))
		return nil
	})
	if err != nil || len(list) != len(ids) {
		t.Errorf("Entries of all %d documents = %v after %d", len(ids), err, len(list))
	}
	err = s.Texts(t.Context(), ids, func(i int, text string, err error) error {
		list = append(list, fmt.Sprint(i, text, errors.Is(err, store.ErrNoText)))
		return nil
	})
	if err != nil {
		t.Errorf("Texts of all documents = %v", err)
	}
	return list
}
