package align

// Frequencies say in how many texts of a collection a word stands. They may
// come from some of its texts only.
type Frequencies struct {
	texts, words int
	in           map[string]int32 // by first letters
}

// Add counts a text.
func (f *Frequencies) Add(t *Prepared) {
	if f.in == nil {
		f.in = make(map[string]int32)
	}
	f.texts++
	f.words += t.Len()
	for _, s := range t.starts {
		f.in[s]++
	}
}

// share returns the share of the texts that have the word, at least as large as
// if one had it.
func (f *Frequencies) share(start string) float64 {
	return float64(max(f.in[start], 1)) / float64(f.texts)
}
