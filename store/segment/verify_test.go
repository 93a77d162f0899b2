package segment

import (
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/storetest"
)

// TestVerifyFindsContradictions commits catalogues whose checksums are right,
// but which say what is not so.
func TestVerifyFindsContradictions(t *testing.T) {
	change := func(tx *bolt.Tx, x *index, name string, change func(r *record)) error {
		r, err := getByID(tx, store.IDOf("", name))
		if err != nil {
			return err
		}
		if err := x.remove(tx, r); err != nil {
			return err
		}
		change(r)
		return x.insert(tx, r)
	}
	id := key64(uint64(store.IDOf("", "/a")))
	for name, tt := range map[string]struct {
		plant func(tx *bolt.Tx, x *index) error
		want  string
	}{
		"documents":  {func(_ *bolt.Tx, x *index) error { x.Documents++; return nil }, "its sums are not those of its documents"},
		"text bytes": {func(_ *bolt.Tx, x *index) error { x.TextBytes++; return nil }, "its sums are not those of its documents"},
		"kept bytes": {func(_ *bolt.Tx, x *index) error { x.KeptBytes++; return nil }, "its sums are not those of its documents"},
		"sizes":      {func(_ *bolt.Tx, x *index) error { x.Sizes[7] = total{2, 99}; return nil }, "its sums are not those of its documents"},
		"packs":      {func(_ *bolt.Tx, x *index) error { x.Packs[0].Live--; return nil }, "its sums are not those of its documents"},
		"dead":       {func(_ *bolt.Tx, x *index) error { x.Segments[0].Dead++; return nil }, "n-grams of deleted documents, the catalogue says"},
		"segment":    {func(_ *bolt.Tx, x *index) error { x.Segments = x.Segments[:1]; return nil }, "the segments do not have the 2 7-grams of /b"},
		"no id":      {func(tx *bolt.Tx, _ *index) error { return tx.Bucket(bucketIDs).Delete(id) }, "it has 1 ids for 2 documents"},
		"wrong id":   {func(tx *bolt.Tx, _ *index) error { return tx.Bucket(bucketIDs).Put(id, []byte("/b")) }, `of /a stands for "/b"`},
		"not live":   {func(tx *bolt.Tx, _ *index) error { return tx.Bucket(bucketLive).Delete(key64(1)) }, "number 1 of /a is not live"},
		"too live":   {func(tx *bolt.Tx, _ *index) error { return tx.Bucket(bucketLive).Put(key64(77), id) }, "it has 3 live numbers, its documents have 2"},
		"grams": {func(tx *bolt.Tx, x *index) error {
			return change(tx, x, "/a", func(r *record) { r.Sizes[0].Grams++ })
		}, "the segments do not have the 4 7-grams of /a"},
		"other n": {func(tx *bolt.Tx, x *index) error {
			return change(tx, x, "/a", func(r *record) { r.Sizes[0].N = 5 })
		}, "7-grams of /a under a number for 5-grams"},
		"one number for two": {func(tx *bolt.Tx, x *index) error {
			return change(tx, x, "/b", func(r *record) { r.Numbers[0] = 1 })
		}, "number 1 stands for /b and /a"},
		"no text": {func(tx *bolt.Tx, x *index) error {
			return change(tx, x, "/b", func(r *record) { r.Place = nil })
		}, "/b has a text, or none, against the settings"},
		"said to have no text": {func(tx *bolt.Tx, x *index) error {
			return change(tx, x, "/b", func(r *record) { r.NoText = true })
		}, "/b has a text, or none, against the settings"},
		"text elsewhere": {func(tx *bolt.Tx, x *index) error {
			return change(tx, x, "/b", func(r *record) { r.Place.Offset-- })
		}, "text of /b"},
		"other text": {func(tx *bolt.Tx, x *index) error {
			return change(tx, x, "/b", func(r *record) { r.Place.Length++ })
		}, "text of /b"},
		"entry": {func(tx *bolt.Tx, _ *index) error {
			return tx.Bucket(bucketDocuments).Put([]byte("/b"), []byte("{"))
		}, `entry of "/b"`},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, t.TempDir(), Options{Workers: 1})
			addDoc(t, s, "/a", "text of a", storetest.Grams(7, 1, 2, 3))
			commit(t, s)
			addDoc(t, s, "/b", "text of b", storetest.Grams(7, 3, 4))
			commit(t, s)
			wantClean(t, s)
			if err := s.advance(s.copyCatalogue, tt.plant); err != nil {
				t.Fatal(err)
			}
			s.sweep()
			if got := strings.Join(problems(t, s), "\n"); !strings.Contains(got, tt.want) {
				t.Errorf("Verify reports\n%s\nwant %q", got, tt.want)
			}
		})
	}
}
