// Package translated finds passages of a text that may be translated from a source in another
// language. It is a finder of hints: a hint is no evidence of copying, and is never part
// of a score.
//
// Call [New] with the lexica of the user, and give the [Finder] to a search. Every word of the
// suspect is linked with stems of the source: by entries of one word in bilingual dictionaries,
// by cognates (demokracie, democracy), by names and by numbers. Where the links of two ranges
// are dense, the texts are compared word by word along the diagonal of the densest links, and
// a log-likelihood ratio compares two explanations: that words are linked as in translations,
// near the place where the translation is expected; or that they are linked as often as chance
// links them in this source.
//
// Texts that follow a source sentence by sentence are found. A summary, or a text that was
// translated and then rewritten, mostly is not.
package translated
