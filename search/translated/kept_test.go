package translated

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/otisk/otisk/language"
	"github.com/otisk/otisk/lexicon"
)

// TestKeptVersion: a file keeps stems and sounds as numbers, so its version changes with them.
func TestKeptVersion(t *testing.T) {
	t.Parallel()
	h := sha256.New()
	for _, code := range language.Codes() {
		l := language.Of(code)
		for _, name := range []string{"bridge.cs.txt", "bridge.en.txt", "other.cs.txt", "other.en.txt"} {
			for w := range strings.FieldsSeq(testdata(t, name)) {
				stem := l.Stem(strings.ToLower(w))
				number, _ := l.Number(stem)
				fmt.Fprintln(h, stem, sound(stem), number)
			}
		}
	}
	const want = "otisk dictionary 1\n: e58d97fd07d0b55f"
	if got := keptHead + ": " + hex.EncodeToString(h.Sum(nil))[:16]; got != want {
		t.Errorf("got %q, want %q: raise the version in keptHead if stems, sounds or their numbers changed", got, want)
	}
}

// TestPack: a packed dictionary is unpacked unchanged. Damaged, shortened and foreign files are rejected.
func TestPack(t *testing.T) {
	t.Parallel()
	cs, en := language.Of("cs"), language.Of("en")
	d, place := newSpeaker(1).dictionary(), Place{Stamp: "a"}
	data := d.pack(place)
	got, ok := unpack(data, place, cs, en)
	if !ok || !reflect.DeepEqual(got, d) {
		t.Fatalf("unpacked: %v, not what was packed", ok)
	}
	empty := NewDictionary(cs, en, nil, nil)
	if got, ok := unpack(empty.pack(place), place, cs, en); !ok || len(got.own)+len(got.list)+len(got.soundOf) > 0 {
		t.Errorf("an empty dictionary: %v, %v", got, ok)
	}
	if _, ok := unpack(data, Place{Stamp: "b"}, cs, en); ok {
		t.Error("a dictionary of other lexica was accepted")
	}
	if _, ok := unpack(data, place, language.Of("sk"), en); ok {
		t.Error("a dictionary of another language was accepted")
	}
	for n := 0; n < len(data); n += 1 + n/16 {
		if _, ok := unpack(data[:n], place, cs, en); ok {
			t.Errorf("%d of %d bytes were accepted", n, len(data))
		}
		damaged := append([]byte(nil), data...)
		damaged[n] ^= 4
		if _, ok := unpack(damaged, place, cs, en); ok {
			t.Errorf("a changed byte %d was accepted", n)
		}
	}
}

// TestCacheAt: a finder reads the file that an earlier one kept, if no lexicon changed and all could
// be read.
func TestCacheAt(t *testing.T) {
	t.Parallel()
	cs, en := language.Of("cs"), language.Of("en")
	l, err := lexicon.Read(t.Context(), filepath.Join("testdata", "en-cs.tsv"), "", "")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	blocked := filepath.Join(dir, "blocked")
	if err := os.WriteFile(blocked, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	damage := func(file string) error {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		data[len(data)/2]++
		return os.WriteFile(file, data, 0o666)
	}
	in := filepath.Join(dir, "new", "cs-en.dictionary")
	want := NewDictionary(cs, en, nil, []*lexicon.Lexicon{l})
	for _, step := range []struct {
		what   string
		place  Place
		before func(string) error
		made   bool
	}{
		{"the first time", Place{in, "a", 2}, nil, true},
		{"one of two lexica is broken, so the dictionary was not kept", Place{in, "a", 1}, nil, true},
		{"the second time", Place{in, "a", 1}, nil, false},
		{"another lexicon", Place{in, "b", 1}, nil, true},
		{"that one", Place{in, "b", 1}, nil, false},
		{"a damaged file", Place{in, "b", 1}, damage, true},
		{"which was replaced", Place{in, "b", 1}, nil, false},
		{"a file that cannot be written", Place{filepath.Join(blocked, "x"), "b", 1}, nil, true},
		{"nor read", Place{filepath.Join(blocked, "x"), "b", 1}, nil, true},
		{"no file", Place{}, nil, true},
	} {
		if step.before != nil {
			if err := step.before(step.place.File); err != nil {
				t.Fatal(err)
			}
		}
		made := false
		f := New(func(context.Context, string, string) (forward, backward []*lexicon.Lexicon, err error) {
			made = true
			return nil, []*lexicon.Lexicon{l}, nil
		})
		f.CacheAt(func(pairs [][2]string) Place {
			if len(pairs) != 1 || pairs[0] != [2]string{"cs", "en"} {
				t.Errorf("languages %v", pairs)
			}
			return step.place
		})
		d, err := f.Dictionary(t.Context(), cs, en)
		if err != nil || made != step.made || !reflect.DeepEqual(d, want) {
			t.Errorf("%s: error %v, made %v, want %v; as made: %v", step.what, err, made, step.made, reflect.DeepEqual(d, want))
		}
	}
	broken := errors.New("broken")
	f := New(func(context.Context, string, string) (forward, backward []*lexicon.Lexicon, err error) {
		return nil, nil, broken
	})
	f.CacheAt(func([][2]string) Place { return Place{filepath.Join(dir, "none"), "c", 1} })
	if _, err := f.Dictionary(t.Context(), cs, en); !errors.Is(err, broken) {
		t.Errorf("Dictionary = %v, want %v", err, broken)
	}
}
