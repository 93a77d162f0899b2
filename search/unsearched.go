package search

import (
	"fmt"
	"time"

	"github.com/otisk/otisk/search/score"
	"github.com/otisk/otisk/store"
)

// Kinds of [Unsearched]: the omissions of a search.
const (
	UnsearchedDocuments = "documents"        // no n-gram of them could be looked up
	UnsearchedShort     = "short copies"     // from documents that are indexed under Limit words per n-gram, and no fewer
	UnsearchedCommon    = "common n-grams"   // of the suspect, in more than Limit documents and in no passage
	UnsearchedSuspect   = "long suspect"     // its words: with more than Limit it is not aligned
	UnsearchedLong      = "long sources"     // with more than Limit words they are not aligned
	UnsearchedFurther   = "further sources"  // that share something: no more than Limit are aligned
	UnsearchedFaint     = "faint sources"    // that pairs of words alone name: no more than Limit are aligned
	UnsearchedTime      = "time"             // sources that were not aligned within Limit milliseconds
	UnsearchedTexts     = "missing texts"    // of sources: they could not be aligned
	UnsearchedReworded  = "reworded copies"  // in documents that are not indexed by pairs of words
	UnsearchedRuns      = "short runs"       // of fewer than Limit words, in documents that are indexed by a sample of their n-grams
	UnsearchedUnread    = "unread sources"   // that such a sample names: no more than Limit are read
	UnsearchedScattered = "scattered runs"   // of unchanged words, each of fewer than Limit words and in no passage
	UnsearchedSpelling  = "unusual spelling" // words joined, spaced out or without diacritics
	UnsearchedAlphabet  = "other alphabet"   // of Serbian: Count documents have words of the suspect in it

	// Omissions of hints at translations, which no score depends on.
	UnsearchedTranslated  = "translated copies"  // of documents that are not indexed by keys for translations, while others are
	UnsearchedKeyed       = "translated sources" // that the text may be translated from: no more than Limit are compared
	UnsearchedTranslation = "translation"        // words of the text that were not looked up in translation: no more than Limit keys are
	UnsearchedLexicon     = "no dictionary"      // for Count languages of the index
)

// Unsearched is something that the search did not look at, so that copies may
// be there which the result does not have.
type Unsearched struct {
	Kind   string   `json:"kind"`            // one of those above
	Count  int64    `json:"count"`           // how many
	Limit  int64    `json:"limit,omitempty"` // the bound that left them out
	Words  int      `json:"words,omitempty"` // of the suspect that it contains and that are in no passage, if known
	Names  []string `json:"names,omitempty"` // of sources, the first ones
	Detail string   `json:"detail"`          // all of it in a sentence, without the names
}

// maxNames is how many sources are named that could not be looked at.
const maxNames = 10

// CouldRise returns by how much a score, in percent of the suspect's words, could
// rise if everything had been searched. Omissions whose words are known add their
// words; any other omission could add everything that the score lacks, and so does
// an empty index. An index built without pairs of words, or from a sample of
// n-grams, adds nothing: that was chosen. Hints add nothing.
func (r *Result) CouldRise(percent float64) float64 {
	if r.Index.Documents == 0 && r.Index.Among == 0 {
		return 100 - percent
	}
	words := 0
	for _, u := range r.Unsearched {
		switch u.Kind {
		case UnsearchedReworded, UnsearchedRuns, UnsearchedTranslated, UnsearchedKeyed, UnsearchedTranslation, UnsearchedLexicon:
		case UnsearchedCommon, UnsearchedScattered, UnsearchedSpelling, UnsearchedAlphabet:
			words += u.Words
		default:
			return 100 - percent // the omission may also cover words that a review left out
		}
	}
	return score.Percent(words, r.Suspect.Words)
}

// unsearched returns the omissions of the search. own are documents that are the text itself.
func (s *Searcher) unsearched(sus *suspect, found answers, named candidates, sources []*source, own map[store.DocID]bool, passages []found) []Unsearched {
	list := omitter{}
	left := s.index.Documents - s.searched(found).Searched
	list.add(Unsearched{Kind: UnsearchedDocuments, Count: left, Limit: int64(s.opts.N)},
		"%d of %s not searched, not being indexed under a size of n-grams that the text has", left, plural(s.index.Documents, "document was", "documents were"))
	for i, r := range s.resorts {
		if r.n > s.opts.N && len(found[i+1].list) > 0 {
			list.add(Unsearched{Kind: UnsearchedShort, Count: int64(len(r.docs)), Limit: int64(r.n)},
				"%s indexed under %d-grams and no smaller ones: copies from there of fewer than %d words were not looked for",
				plural(int64(len(r.docs)), "document is", "documents are"), r.n, r.n)
		}
	}
	open := uncovered(sus, sources, passages, own)
	grams, words := found.commonAlone(open)
	list.add(Unsearched{Kind: UnsearchedCommon, Count: grams, Limit: int64(s.opts.Common), Words: words},
		"%s in more than %d documents each and name no source; in no passage for that reason: %s",
		plural(grams, "n-gram is", "n-grams are"), s.opts.Common, plural(int64(words), "word", "words"))
	if !s.opts.Exact {
		list.scattered(found, own, open)
	}
	list.spelling(sus, open)
	list.alphabet(named.otherwise, open)
	if !s.opts.Exact && !s.alignable(sus) {
		list.add(Unsearched{Kind: UnsearchedSuspect, Count: int64(len(sus.words)), Limit: int64(s.bounds.words)},
			"the text has %d words, and with more than %d it is not aligned: only unchanged runs are shown", len(sus.words), s.bounds.words)
	}
	list.add(Unsearched{Kind: UnsearchedFurther, Count: int64(named.left), Limit: int64(s.bounds.aligned)},
		"%s aligned, beyond the first %d: only unchanged runs of them are shown", plural(int64(named.left), "source was not", "sources were not"), s.bounds.aligned)
	if !s.opts.AlignAll {
		list.add(Unsearched{Kind: UnsearchedFaint, Count: int64(named.faint), Limit: int64(mostFaint(sus.different()))},
			"%s not aligned, beyond the %d likeliest", plural(int64(named.faint), "document that may have been reworded was", "documents that may have been reworded were"), mostFaint(sus.different()))
	}
	list.ofSources(sources, own, s.bounds.words, s.opts.MaxTime)
	list.ofSample(s, named)
	if unpaired := s.index.Documents - s.index.Paired; !s.opts.Exact && !s.opts.AlignAll {
		list.add(Unsearched{Kind: UnsearchedReworded, Count: unpaired},
			"reworded copies were not looked for in %d of %s: only where n-grams name the source", unpaired, plural(s.index.Documents, "document", "documents"))
	}
	list.ofKeys(s, sus, named.keyed)
	return list
}

// An omitter collects omissions. It ignores those with a count of 0.
type omitter []Unsearched

func (o *omitter) add(u Unsearched, format string, args ...any) {
	if u.Count > 0 {
		u.Detail = fmt.Sprintf(format, args...)
		*o = append(*o, u)
	}
}

// ofSample adds the omissions of a sampled index.
func (o *omitter) ofSample(s *Searcher, named candidates) {
	if s.sample == 0 {
		return
	}
	o.add(Unsearched{Kind: UnsearchedRuns, Count: s.index.Documents, Limit: int64(s.sample)},
		"the index has a sample of the n-grams: documents that share no run of %d words with the text may be missing", s.sample)
	o.add(Unsearched{Kind: UnsearchedUnread, Count: int64(named.unread), Limit: int64(s.bounds.read)},
		"%s read, beyond those that share most", plural(int64(named.unread), "document that shares something was not", "documents that share something were not"))
}

// ofKeys adds the omissions of the search for translations.
func (o *omitter) ofKeys(s *Searcher, sus *suspect, k keyed) {
	if len(s.keyLanguages) == 0 || s.opts.Exact {
		return
	}
	unkeyed := s.index.Documents - s.keys.Documents
	o.add(Unsearched{Kind: UnsearchedTranslated, Count: unkeyed},
		"passages translated from %d of %s were not looked for: these are not indexed for that", unkeyed, plural(s.index.Documents, "document", "documents"))
	most := mostKeyed(sus.different())
	o.add(Unsearched{Kind: UnsearchedKeyed, Count: int64(k.left), Limit: int64(most)},
		"%s not compared, beyond the %d likeliest", plural(int64(k.left), "document that the text may be translated from was", "documents that the text may be translated from were"), most)
	o.add(Unsearched{Kind: UnsearchedTranslation, Count: int64(k.words), Limit: int64(s.bounds.keys)},
		"%s of the text not looked up in translation, beyond the first %d keys", plural(int64(k.words), "word was", "words were"), s.bounds.keys)
	o.add(Unsearched{Kind: UnsearchedLexicon, Count: int64(len(k.unserved)), Names: k.unserved},
		"passages translated from %s were not looked for: no dictionary was found", plural(int64(len(k.unserved)), "language", "languages"))
}

// ofSources adds the omissions of sources other than the text itself.
func (o *omitter) ofSources(sources []*source, own map[store.DocID]bool, words int, limit time.Duration) {
	long, missing := Unsearched{Kind: UnsearchedLong, Limit: int64(words)}, Unsearched{Kind: UnsearchedTexts}
	late := Unsearched{Kind: UnsearchedTime, Limit: limit.Milliseconds()}
	for _, src := range sources {
		switch {
		case own[src.doc]:
		case src.noText:
			missing.name(src)
		case src.tooLong:
			long.name(src)
		case src.late:
			late.name(src)
		}
	}
	o.add(long, "%s not aligned, with more than %d words each: only unchanged runs are shown", plural(long.Count, "source was", "sources were"), long.Limit)
	o.add(late, "%s not aligned, since the %v for this check were over: only unchanged runs are shown", plural(late.Count, "source was", "sources were"), limit)
	o.add(missing, "the text of %s could not be read: only unchanged runs are shown, without their place", plural(missing.Count, "source", "sources"))
}

func (u *Unsearched) name(src *source) {
	u.Count++
	if len(u.Names) < maxNames {
		u.Names = append(u.Names, src.entry.Name())
	}
}

// plural returns a count with the name of the items.
func plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// commonAlone counts the common n-grams that do not lie in passages, and the
// words that are in them and in no passage.
func (a answers) commonAlone(open leftOver) (grams int64, words int) {
	for _, s := range a {
		for g, gram := range s.list {
			from, to := int(gram.word), int(gram.word)+s.n
			if !s.common[g] || open.inPassages(from, to) {
				continue
			}
			grams++
			words += open.count(from, to)
		}
	}
	return grams, words
}
