package search

import (
	"fmt"
	"strings"
	"testing"

	"github.com/otisk/otisk/normalize"
)

// TestMissingAccentsAreTold: a passage that was copied without its accents, or in capitals,
// which have none, has other words. The result says so in place of a score that is simply 0.
func TestMissingAccentsAreTold(t *testing.T) {
	set := normSet(t, normalize.Auto)
	const accented = "η θάλασσα ήταν ήσυχη και τα καράβια γύριζαν αργά στο λιμάνι με τα πανιά τους λευκά και φουσκωμένα από τον άνεμο"
	bare := strings.NewReplacer("ά", "α", "ή", "η", "ύ", "υ", "έ", "ε", "ό", "ο").Replace(accented)
	other := strings.Repeat("ένα κείμενο που κανείς δεν έγραψε ποτέ πριν από σήμερα ", 15)
	for _, tt := range []struct {
		name, text, source string
		words, covered     int
	}{
		{"accents were left out", bare, accented, 21, 0},
		{"in capitals", strings.ToUpper(bare), accented, 21, 0},
		{"both have accents", accented, accented, -1, 21},
		{"neither has", bare, bare, 0, 21},
		{"within another text", other + bare + ". " + other, accented, 21, 0},
		{"one word in another text", other + "ΘΑΛΑΣΣΑ " + other, accented, -1, 0},
	} {
		r := search(t, index(t, set, 7, map[string]string{"/source": tt.source}), set, tt.text, Options{N: 7})
		words := -1
		for _, u := range r.Unsearched {
			if u.Kind == UnsearchedAccents {
				words = u.Words
			}
		}
		if words != tt.words || r.Score.Covered != tt.covered {
			t.Errorf("%s: %d words told, %d covered, want %d and %d: %s", tt.name, words, r.Score.Covered, tt.words, tt.covered, fmt.Sprint(r.Unsearched))
		}
	}
}
