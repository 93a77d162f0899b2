package search

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/otisk/otisk/normalize"
)

const (
	serbian = "Свако ко је лишен слободе има право да му суд без одлагања одреди законитост притвора, јер нико не може бити подвргнут " +
		"самовољном хапшењу, који није изречен пресудом, као што љубав и њихова наџивљена ђачка права не могу бити одузета."
	serbianLatin = "Svako ko je lišen slobode ima pravo da mu sud bez odlaganja odredi zakonitost pritvora, jer niko ne može biti podvrgnut " +
		"samovoljnom hapšenju, koji nije izrečen presudom, kao što ljubav i njihova nadživljena đačka prava ne mogu biti oduzeta."
)

// TestOtherAlphabet: a copy from the other alphabet of Serbian is reported with the document that
// has it, in both directions and in a sampled index; one in the same alphabet is a passage.
func TestOtherAlphabet(t *testing.T) {
	set := normSet(t, normalize.Auto)
	own := "Ovaj uvod, koji je napisao autor, govori o drugim stvarima, jer nije moguće reći sve što treba.\n\n"
	for _, tt := range []struct {
		name, source, text string
		names              string // of documents; "" for no report
		passages           int
	}{
		{"Latin from Cyrillic", serbian, own + serbianLatin, "/source", 0},
		{"Cyrillic from Latin", serbianLatin, serbian, "/source", 0},
		{"same alphabet", serbianLatin, own + serbianLatin, "", 1},
		{"other text", original, own + serbianLatin, "", 0},
		{"other language", serbian, original, "", 0},
	} {
		r := search(t, index(t, set, 5, map[string]string{"/source": tt.source}), set, tt.text, Options{N: 5})
		names, words := "", 0
		for _, u := range r.Unsearched {
			if u.Kind == UnsearchedAlphabet {
				names, words = strings.Join(u.Names, " "), u.Words
			}
		}
		if names != tt.names || len(r.Passages) != tt.passages || (names != "") != (words > 30) {
			t.Errorf("%s: reported %q, %d words, and %d passages; want %q and %d", tt.name, names, words, len(r.Passages), tt.names, tt.passages)
		}
	}
}

// TestOtherAlphabetCountsAll: words far from the frequent ones count, too.
func TestOtherAlphabetCountsAll(t *testing.T) {
	set := normSet(t, normalize.Auto)
	var plain strings.Builder // 150 different words, none of them frequent
	for _, a := range "бвгдзклмнпрстфц" {
		for _, b := range "абвгдзклмн" {
			plain.WriteString(string(a) + "у" + string(b) + "ара ")
		}
	}
	source := serbian + " " + plain.String() + serbian
	r := search(t, index(t, set, 5, map[string]string{"/source": source}), set, toLatin.Replace(strings.ToLower(source)), Options{N: 5})
	if len(r.Unsearched) != 1 || r.Unsearched[0].Words < r.Suspect.Words-5 {
		t.Errorf("unsearched %+v, want nearly all of %d words", r.Unsearched, r.Suspect.Words)
	}
}

// TestOtherAlphabetFails: if a look-up fails, there is no result without the report.
func TestOtherAlphabetFails(t *testing.T) {
	set := normSet(t, normalize.Auto)
	s := index(t, set, 5, map[string]string{"/source": serbian})
	for _, late := range []bool{false, true} {
		for calls := int64(1); ; calls++ {
			f := failing{s, new(atomic.Int64), late}
			f.left.Store(calls)
			r, err := check(t.Context(), f, set, Options{N: 5}, plain(serbianLatin))
			if f.left.Load() > 0 { // no call failed
				if err != nil || len(r.Unsearched) == 0 {
					t.Errorf("%v, want a report", err)
				}
				break
			}
			if !errors.Is(err, errBroken) {
				t.Errorf("call %d fails (late: %v): error %v, want the one of the index", calls, late, err)
			}
		}
	}
}
