package language

import (
	"sync"

	"github.com/otisk/otisk/normalize"
)

// Unknown is the code of a language that is not recognized.
const Unknown = "unknown"

// plain splits texts into all their words: the rules of a collection may omit function words.
var plain = sync.OnceValue(func() *normalize.Normalizer {
	n, err := normalize.New(normalize.DefaultRules())
	if err != nil {
		panic(err)
	}
	return n
})

// CodeOf returns the code of the language of a text, or [Unknown].
func CodeOf(text string) string {
	var c Counter
	for s := plain().Scan(text, normalize.Blank); s.Next() && c.Add(s.Word()); {
	}
	if l := c.Language(); l != nil {
		return l.Code
	}
	return Unknown
}
