package document

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/otisk/otisk/document/internal/sample"
	"github.com/otisk/otisk/document/layout"
	"github.com/otisk/otisk/internal/testing/damage"
	"github.com/otisk/otisk/internal/testing/need"
)

// known are the errors that say why a file cannot be read.
var known = []error{ErrEmpty, ErrNoLayer, ErrBinary, ErrEncoding, ErrTooLarge, ErrDamaged, ErrNested, ErrEncrypted}

// checkEach reads data as a file of that name: each of its documents is valid,
// and each error one of the known.
func checkEach(t *testing.T, name string, data []byte) error {
	t.Helper()
	check := func(err error) {
		for _, k := range known {
			if errors.Is(err, k) {
				return
			}
		}
		t.Fatalf("%s: error %v, want one that says why", name, err)
	}
	err := each(t.Context(), Document{Path: name, Ext: extension(name)}, data, Options{MaxBytes: 1 << 20}, func(doc *Document, err error) error {
		if err != nil {
			check(err)
			return nil
		}
		if !utf8.ValidString(doc.Text) || doc.Text == "" || !utf8.ValidString(doc.Title+doc.Author) {
			t.Fatalf("%s: text %q, title %q, author %q, want valid UTF-8", name, doc.Text, doc.Title, doc.Author)
		}
		if !strings.HasPrefix(doc.Path, name) {
			t.Fatalf("%s: document %q", name, doc.Path)
		}
		checkPlaces(t, doc)
		return nil
	})
	if err != nil {
		check(err)
	}
	return err
}

// TestDamage reads files of every format whole, cut, and with bytes changed,
// put in and taken out.
func TestDamage(t *testing.T) {
	for name, whole := range sample.Files(t) {
		if err := checkEach(t, name, whole); err != nil {
			t.Errorf("%s, whole: %v", name, err)
		}
		random := rand.New(rand.NewPCG(7, uint64(len(whole))))
		for range need.Seeds(60) {
			checkEach(t, name, damage.Of(random, whole))
		}
	}
}

// FuzzEach reads files of every format but PDF, collections too.
func FuzzEach(f *testing.F) {
	for name, data := range sample.Files(f) {
		f.Add(name, data)
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		if layout.Looks(data) || !utf8.ValidString(name) || len(data) > 1<<20 {
			t.Skip("an engine, or larger than allowed")
		}
		checkEach(t, name, data)
	})
}
