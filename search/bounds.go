package search

// Bounds limit the work of one search. A result lists what they omit.
type bounds struct {
	aligned int // sources that are aligned
	// words is how many words of a text are aligned at once: the whole suspect, or a window of a
	// source. More would take more memory than a report is worth.
	words    int
	postings int // postings that a look-up keeps at once
	read     int // documents of a sampled index that are read for one suspect
	shared   int // n-grams that these share with the suspect
	keys     int // keys for translations that are looked up for one suspect
}

// usual are the bounds of a search: the postings take 64 MB, the shared n-grams 128 MB.
var usual = bounds{aligned: 1000, words: 2_000_000, postings: 4 << 20, read: 2000, shared: 8 << 20, keys: 4 << 20}
