package normalize

// Greek words of two or more syllables have an accent, except in capitals or if the author
// omitted accents. Accented and unaccented forms count as different words. IsBareGreek
// detects texts without accents, so that a caller can warn its user.

// IsBareGreek reports whether a lower-case word consists of Greek letters only, none of
// which has an accent or a breathing. Many short words do. long reports whether such a word
// also has at least six letters and three vowels: a text that uses accents would have one on
// it.
func IsBareGreek(word string) (bare, long bool) {
	const first, last = 'α', 'ϋ'
	letters, vowels := 0, 0
	for _, r := range word {
		if r < first || r > last {
			return false, false
		}
		letters++
		switch r {
		case 'α', 'ε', 'η', 'ι', 'ο', 'υ', 'ω', 'ϊ', 'ϋ':
			vowels++
		}
	}
	return letters > 0, letters >= 6 && vowels >= 3
}
