package search

import "github.com/otisk/otisk/normalize"

// accents adds the words of Greek that lack their accents, where there are more than a
// few, with the short ones beside them, which have none in any case. With a source that
// has them they share next to nothing.
func (o *omitter) accents(sus *suspect, open leftOver) {
	count, words, surely := 0, 0, 0
	for from := 0; from < len(sus.words); {
		to, long := from, 0
		for ; to < len(sus.words); to++ {
			bare, isLong := normalize.IsBareGreek(sus.words[to].Text)
			if !bare {
				break
			}
			if isLong {
				long++
			}
		}
		if long > 0 {
			count += to - from
			words += open.count(from, to)
			surely += long
		}
		from = to + 1
	}
	if surely*100 < telling*len(sus.words) {
		return
	}
	o.add(Unsearched{Kind: UnsearchedAccents, Count: int64(count), Words: words},
		"%s no accent. Accented and unaccented forms count as different words: copies from texts with accents are not found; in no passage: %s",
		plural(int64(count), "word of Greek has", "words of Greek have"), plural(int64(words), "word", "words"))
}
