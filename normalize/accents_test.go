package normalize

import "testing"

func TestIsBareGreek(t *testing.T) {
	for _, tt := range []struct {
		word       string
		bare, long bool
	}{
		{"και", true, false},
		{"τους", true, false},
		{"σπουδών", false, false},
		{"σπουδων", true, true},
		{"θαλασσα", true, true},
		{"θάλασσα", false, false},
		{"θα\u0301λασσα", false, false},
		{"ἐργασία", false, false}, // of old spelling
		{"εργασιες", true, true},
		{"πρωτεϊνη", true, true},
		{"στρεβλψ", true, false}, // an abbreviation
		{"alpha", false, false},
		{"море", false, false},
		{"α1", false, false},
		{"", false, false},
	} {
		if bare, long := IsBareGreek(tt.word); bare != tt.bare || long != tt.long {
			t.Errorf("IsBareGreek(%q) = %v, %v, want %v, %v", tt.word, bare, long, tt.bare, tt.long)
		}
	}
}
