package container

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// headings maps usual names of the columns of tables, in English, Czech, Slovak and
// German, to the metadata that they have. They are in lower case and without diacritics.
var headings = map[string]string{
	"title": "title", "nazev": "title", "nazev prace": "title", "nazov": "title", "nazov prace": "title", "titul": "title", "titel": "title", "titel der arbeit": "title",
	"author": "author", "autor": "author", "autorka": "author", "autor prace": "author", "autori": "author", "verfasser": "author", "verfasserin": "author", "autorin": "author", "authors": "author",
	"year": "year", "rok": "year", "rok vydani": "year", "rok vydania": "year", "rok obhajoby": "year", "jahr": "year", "erscheinungsjahr": "year",
	"address": "address", "url": "address", "adresa": "address", "odkaz": "address", "adresse": "address", "link": "address",
}

// Headings returns the meaning of each column of a table: title, author, year or address, else the
// name of the column. If several columns may have the same metadata, the one with its own name has
// it, or else the first.
func Headings(columns []string) []string {
	means := make([]string, len(columns))
	taken := map[string]bool{}
	for i, name := range columns {
		means[i] = name
		taken[strings.ToLower(name)] = true
	}
	for i, name := range columns {
		if what := headings[plainName(name)]; what != "" && !taken[what] && !(what == "address" && taken["url"]) {
			means[i], taken[what] = what, true
		}
	}
	return means
}

// plainName returns a name in lower case and without diacritics.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(strings.TrimSpace(name)))
}
