package pdf

import (
	"math"
	"testing"
	"unicode/utf16"

	"github.com/otisk/otisk/document/internal/sample"
)

// TestContinues: the line end of the engine between two characters that touch is dropped.
func TestContinues(t *testing.T) {
	opts := Options{MaxText: 1 << 20}
	for kern, want := range map[string]bool{"1000": true, "0": false, "400": false} {
		// The characters x and y are in the place of a line end. The character b touches a, or comes after y.
		v, err := View(t.Context(), sample.PDF("BT /F 12 Tf 50 600 Td [(a) (xy) "+kern+" (b)] TJ ET\n"), opts)
		if err != nil {
			t.Fatal(err)
		}
		err = v.page(0, func(r *reader, page handle) error {
			r.text, r.left = r.engine.handle(fnTextLoadPage, uint64(page)), math.MaxInt
			if err := r.load(); err != nil {
				return err
			}
			r.units[1], r.units[2] = '\r', '\n'
			if got := r.continues(1); got != want || (r.units[1] == dropped) != want {
				t.Errorf("back by %s: continues is %v, units %q, want %v", kern, got, string(utf16.Decode(r.units)), want)
			}
			return nil
		})
		if v.Close(); err != nil {
			t.Error(err)
		}
	}
}
