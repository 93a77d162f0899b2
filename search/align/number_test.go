package align

import (
	"strconv"
	"testing"
)

// numbers returns count numbers below limit.
func (s speaker) numbers(count, limit int) []string {
	list := make([]string, count)
	for i := range list {
		list[i] = strconv.Itoa(s.IntN(limit))
	}
	return list
}

// counted returns the numbers of lines, with the words of each after its number.
func counted(from int, lines [][]string) []string {
	var list []string
	for i, line := range lines {
		list = append(append(list, strconv.Itoa(from+i)), line...)
	}
	return list
}

// Numbers that two texts share by chance, or because both count their lines, are no
// copy; a table that was copied is one, also with other numbers here and there.
func TestNumbers(t *testing.T) {
	s := newSpeaker(21)
	program := func(seed uint64) []string {
		own, lines := newSpeaker(seed), make([][]string, 60)
		for i := range lines {
			lines[i] = own.words(i % 3)
		}
		return counted(20, lines)
	}
	table := s.numbers(120, 1000)
	edited := append([]string(nil), table...)
	for i := 5; i < len(edited); i += 9 {
		edited[i] = "x" + edited[i]
	}
	for _, tt := range []struct {
		name            string
		suspect, source []string
		want            bool
	}{
		{"a table beside another", s.numbers(150, 100), s.numbers(150, 100), false},
		{"lines of two programs", program(22), program(23), false},
		{"the numbers of lines alone", counted(1, make([][]string, 40)), counted(3, make([][]string, 50)), false},
		{"zeros", make0(30), make0(40), false},
		{"a copied table", table, table, true},
		{"a copied table with other numbers here and there", edited, table, true},
	} {
		suspect := prepare(t, say(s.words(300), tt.suspect, s.words(300)))
		source := prepare(t, say(newSpeaker(24).words(300), tt.source, newSpeaker(25).words(300)))
		if got := aligned(New(DefaultParams()), suspect, source); (len(got) > 0) != tt.want {
			t.Errorf("%s: %d passages %v, want some: %v", tt.name, len(got), got, tt.want)
		}
	}
}

func make0(count int) []string {
	list := make([]string, count)
	for i := range list {
		list[i] = "0"
	}
	return list
}
