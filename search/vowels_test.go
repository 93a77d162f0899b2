package search

import (
	"strings"
	"testing"

	"github.com/otisk/otisk/normalize"
)

// TestMarksOfVowelsAreTold: a passage that was copied with marks of vowels from a text
// without them has other words. The result says so in place of a score that is simply 0.
func TestMarksOfVowelsAreTold(t *testing.T) {
	set := normSet(t, normalize.Auto)
	const bare = "قرأ الولد الكتاب في البيت ثم خرج مع صديقه الى النهر ورأى طائرا كبيرا على الشجرة القديمة"
	marked := strings.NewReplacer("ر", "رَ", "ل", "لْ", "ك", "كِ").Replace(bare)
	english := strings.Repeat("words of a text that nobody wrote before ", 40)
	wantTold(t, set, UnsearchedVowels, []told{
		{"marks were added", marked, bare, 13, 0},
		{"both have marks", marked, marked, 0, 17},
		{"none has marks", bare, bare, -1, 17},
		{"a name in another text", english + "مُحَمَّد " + english, bare, -1, 0},
	})
}
