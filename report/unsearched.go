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

// OmissionOf describes an omission of the search and its reason.
func OmissionOf(p *lang.Printer, x search.Index, u *search.Unsearched) string {
	switch u.Kind {
	case search.UnsearchedDocuments:
		return p.Text("unsearched.documents", "n", u.Count, "all", x.Documents)
	case search.UnsearchedShort:
		return p.Text("unsearched.short", "n", u.Count, "limit", u.Limit)
	case search.UnsearchedCommon:
		return p.Text("unsearched.common", "n", u.Count, "limit", u.Limit, "words", p.Text("common.words", "n", u.Words))
	case search.UnsearchedSuspect:
		return p.Text("unsearched.suspect", "limit", u.Limit)
	case search.UnsearchedLong:
		return p.Text("unsearched.long", "n", u.Count, "limit", u.Limit)
	case search.UnsearchedFurther:
		return p.Text("unsearched.further", "n", u.Count, "limit", u.Limit)
	case search.UnsearchedFaint:
		return p.Text("unsearched.faint", "n", u.Count, "limit", u.Limit)
	case search.UnsearchedTime:
		return p.Text("unsearched.time", "n", u.Count, "time", time.Duration(u.Limit*int64(time.Millisecond)).String())
	case search.UnsearchedTexts:
		return p.Text("unsearched.texts", "n", u.Count)
	case search.UnsearchedRuns:
		return p.Text("unsearched.runs", "limit", u.Limit)
	case search.UnsearchedUnread:
		return p.Text("unsearched.unread", "n", u.Count)
	case search.UnsearchedScattered:
		return p.Text("unsearched.scattered", "n", u.Count, "limit", u.Limit, "words", p.Text("common.words", "n", u.Words))
	case search.UnsearchedSpelling:
		return p.Text("unsearched.spelling", "n", u.Count, "words", p.Text("common.words", "n", u.Words))
	case search.UnsearchedAlphabet:
		return p.Text("unsearched.alphabet", "n", u.Count, "words", p.Text("common.words", "n", u.Words), "names", strings.Join(u.Names, ", "))
	case search.UnsearchedReworded:
		return p.Text("unsearched.reworded", "n", u.Count, "all", x.Documents)
	case search.UnsearchedTranslated:
		return p.Text("unsearched.translated", "n", u.Count, "all", x.Documents)
	case search.UnsearchedKeyed:
		return p.Text("unsearched.keyed", "n", u.Count, "limit", u.Limit)
	case search.UnsearchedTranslation:
		return p.Text("unsearched.translation", "words", p.Text("common.words", "n", u.Count))
	case search.UnsearchedLexicon:
		return p.Text("unsearched.lexicon", "languages", strings.Join(u.Names, ", "))
	}
	return u.Detail
}

// sentence returns a text with a capital letter and a full stop.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:] + "."
}
