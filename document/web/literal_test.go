package web

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// literalPattern matches the strings of a script.
var literalPattern = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|` + "`(?:[^`\\\\]|\\\\(?s:.))*`")

// FuzzLiterals checks that literals finds the same strings as an expression.
func FuzzLiterals(f *testing.F) {
	for _, code := range []string{
		`"a", 'b\'c' + "d\\" 'e`, "`a\nb\\`c` \"d\n\" 'e\\\n' f'", `"a'b"c'd"e\`, "\"\\\xff\" '\xff\\é' `", "`\\`\\`\\`", `"\'"\"'"\"`,
	} {
		f.Add([]byte(code))
	}
	f.Fuzz(func(t *testing.T, code []byte) {
		var got [][]int
		for from, to := range literals(code) {
			got = append(got, []int{from, to})
		}
		if want := literalPattern.FindAllIndex(code, -1); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("literals(%q) = %v, want %v", code, got, want)
		}
	})
}

// TestLiteralsAreScannedOnce checks that marks without an end take linear time: the square of them takes minutes.
func TestLiteralsAreScannedOnce(t *testing.T) {
	for _, code := range []string{strings.Repeat("\\`", 1<<20), strings.Repeat(`\"`, 1<<20), strings.Repeat(`\"\'`, 1<<19)} {
		for from, to := range literals([]byte(code)) {
			t.Errorf("a string at %d to %d of marks without an end", from, to)
		}
	}
}
