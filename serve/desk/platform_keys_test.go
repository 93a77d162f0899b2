package desk

import (
	"errors"
	"testing"
	"time"

	"github.com/otisk/otisk/serve/accounts"
)

// TestPlatformKeys: a new key is published at once, signs a day later, and replaces the one before after
// a week. A stolen key is replaced at once.
func TestPlatformKeys(t *testing.T) {
	t.Parallel()
	clock := &testClock{at: time.Now()}
	d, _ := openAt(t, clock)
	a := administrator(t, d)
	if keys, err := d.PlatformKeys(t.Context(), a); keys == nil || len(keys) > 0 || err != nil {
		t.Errorf("keys without a platform: %v (%v), want an empty list", keys, err)
	}
	if err := d.RotatePlatformKey(t.Context(), a, false); err != nil {
		t.Errorf("a key without a platform: %v", err)
	}
	if _, err := d.SavePlatform(t.Context(), a, "", NewPlatform{Name: "Moodle", Issuer: "https://lms.example.org", Client: "1", AuthURL: "https://lms.example.org/auth", KeysURL: "https://lms.example.org/keys"}); err != nil {
		t.Fatal(err)
	}
	// expect compares the numbers of published keys, in the order of their creation, the signing one first.
	known := map[string]int{}
	expect := func(when string, want ...int) {
		t.Helper()
		keys, err := d.PlatformKeys(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range keys {
			if known[k.ID] == 0 {
				known[k.ID] = len(known) + 1
			}
		}
		key, err := d.PlatformKey(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		set := key.Public().Keys
		if len(set) != len(want) || len(keys) != len(want) {
			t.Fatalf("%s: %d keys, %d in the key set, want %d", when, len(keys), len(set), len(want))
		}
		for i, k := range set {
			if known[k.KeyID] != want[i] {
				t.Errorf("%s: key %d is the one made as number %d, want %d", when, i, known[k.KeyID], want[i])
			}
		}
	}
	rotate := func(stolen bool) {
		t.Helper()
		if err := d.RotatePlatformKey(t.Context(), a, stolen); err != nil {
			t.Fatal(err)
		}
	}
	expect("at first", 1)
	clock.at = clock.at.Add(time.Hour)
	rotate(false)
	expect("after a new key", 1, 2)
	if err := d.RotatePlatformKey(t.Context(), a, false); !errors.As(err, new(*Invalid)) {
		t.Errorf("a third key before the second signs: %v, want an Invalid", err)
	}
	clock.at = clock.at.Add(keyLead - time.Minute)
	expect("just before a day", 1, 2)
	clock.at = clock.at.Add(time.Minute)
	expect("after a day", 2, 1)
	rotate(false)
	expect("after a third key", 2, 1, 3)
	clock.at = clock.at.Add(keyKept)
	expect("a week later", 3)
	rotate(false)
	expect("after a fourth key", 3, 4)
	rotate(true)
	expect("after a theft", 5)
	if err := d.RotatePlatformKey(t.Context(), accounts.Actor{Role: accounts.Librarian, Group: a.Group}, true); !errors.Is(err, ErrForbidden) {
		t.Errorf("a new key by a librarian: %v, want ErrForbidden", err)
	}
}
