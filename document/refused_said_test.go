package document

import (
	"testing"

	"github.com/otisk/otisk/lang"
)

// TestKindsAreTranslated: reasons that name the kind of a file have no English in another language.
func TestKindsAreTranslated(t *testing.T) {
	var kinds []string
	for _, s := range signatures {
		kinds = append(kinds, s.kind)
	}
	for _, c := range compounds {
		kinds = append(kinds, c.kind)
	}
	for _, kind := range kinds {
		for _, tag := range []string{"cs", "sk", "de"} {
			if got := lang.Of(tag).Fixed(kind); got == kind {
				t.Errorf("%s: %q is not translated", tag, kind)
			}
		}
	}
}
