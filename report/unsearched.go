package report

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/search"
)

// textUnsearched writes the omissions of the search. It is the first section, since omissions make
// the score a lower bound.
func textUnsearched(t *terminal, r *Report) {
	for _, u := range r.Unsearched {
		t.label("unsearched.warning", OmissionOf(t.lang, r.Index, &u))
	}
}

// unsearchedMessages describe omissions by their number.
var unsearchedMessages = map[string]string{
	search.UnsearchedDocuments: "unsearched.documents", search.UnsearchedReworded: "unsearched.reworded", search.UnsearchedTranslated: "unsearched.translated",
	search.UnsearchedShort: "unsearched.short", search.UnsearchedCommon: "unsearched.common", search.UnsearchedScattered: "unsearched.scattered",
	search.UnsearchedLong: "unsearched.long", search.UnsearchedFurther: "unsearched.further", search.UnsearchedFaint: "unsearched.faint",
	search.UnsearchedTime: "unsearched.time", search.UnsearchedTexts: "unsearched.texts", search.UnsearchedUnread: "unsearched.unread", search.UnsearchedKeyed: "unsearched.keyed",
	search.UnsearchedSpelling: "unsearched.spelling", search.UnsearchedAlphabet: "unsearched.alphabet",
}

// OmissionOf describes an omission of the search and its reason.
func OmissionOf(p *lang.Printer, x search.Index, u *search.Unsearched) string {
	switch u.Kind {
	case search.UnsearchedSuspect:
		return p.Text("unsearched.suspect", "limit", u.Limit)
	case search.UnsearchedRuns:
		return p.Text("unsearched.runs", "limit", u.Limit)
	case search.UnsearchedTranslation:
		return p.Text("unsearched.translation", "words", p.Text("common.words", "n", u.Count))
	case search.UnsearchedLexicon:
		return p.Text("unsearched.lexicon", "languages", strings.Join(u.Names, ", "))
	}
	message := unsearchedMessages[u.Kind]
	if message == "" {
		return u.Detail
	}
	return p.Text(message, "n", u.Count, "all", x.Documents, "limit", u.Limit, "words", p.Text("common.words", "n", u.Words),
		"time", time.Duration(u.Limit*int64(time.Millisecond)).String(), "names", strings.Join(u.Names, ", "))
}

// sentence returns a text with a capital letter and a full stop.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:] + "."
}
