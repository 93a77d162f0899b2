package config

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/language"

	"github.com/otisk/otisk/lang/phrase"
)

// Languages converts a list of languages of text in pictures, such as "cs,en" or "ces+eng", to the
// names that Tesseract uses.
func Languages(list string) ([]string, error) {
	var names []string
	for _, name := range strings.FieldsFunc(list, func(r rune) bool { return r == '+' || r == ',' || r == ' ' }) {
		if strings.Trim(name, letters) != "" {
			return nil, phrase.Error("said.ocr-language", "language {name}: want a name such as ces, or several as in ces+eng", "name", strconv.Quote(name))
		}
		if base, err := language.ParseBase(name); err == nil && len(name) == 2 {
			name = base.ISO3()
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, phrase.Error("said.no-language", "no language: want one such as ces, or several as in ces+eng")
	}
	return names, nil
}

// letters are the characters of language names, as in chi_sim or script/Latin.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/"
