package normalize

// Greek words of two syllables or more have an accent; in capitals, and where somebody
// left them out, they have none, and then are other words than those with one. This
// lets a caller tell its user.

// IsBareGreek reports whether a word in lower case is of Greek letters alone, none of
// which has an accent or a breathing. Many short words are. long says that it is of six
// letters and three vowels or more: such a word has an accent where accents are written.
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
