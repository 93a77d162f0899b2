package search

import (
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
	wantTold(t, set, UnsearchedAccents, []told{
		{"accents were left out", bare, accented, 21, 0},
		{"in capitals", strings.ToUpper(bare), accented, 21, 0},
		{"both have accents", accented, accented, -1, 21},
		{"neither has", bare, bare, 0, 21},
		{"within another text", other + bare + ". " + other, accented, 21, 0},
		{"one word in another text", other + "ΘΑΛΑΣΣΑ " + other, accented, -1, 0},
	})
}
