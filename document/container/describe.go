package container

import (
	"cmp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/internal/lists"
)

// maxLabel is the largest size of a label with its name, in bytes. A longer value is
// text rather than a label: its words are counted as unread.
const maxLabel = 1000

// describe stores a field of metadata in the record. The result does not depend on the
// order of the fields.
func (rec *Record) describe(name, value string) {
	name, value = strings.ToLower(norm.NFC.String(name)), strings.TrimSpace(value)
	switch name {
	case "title":
		rec.Title = value
	case "author":
		rec.Author = value
	case "url":
		rec.Address = cmp.Or(value, rec.Address)
	case "address":
		rec.Address = cmp.Or(rec.Address, value)
	case "year":
		rec.Year = cmp.Or(yearOf(value), rec.Year)
	case "date":
		rec.Year = cmp.Or(rec.Year, yearOf(value))
		rec.label(name, value)
	default:
		rec.label(name, value)
	}
}

// label adds a label if name and value can be one.
func (rec *Record) label(name, value string) {
	if len(name)+len(value) > maxLabel {
		rec.unread.Words(name, proseWords(value))
		return
	}
	if name == "" || value == "" || strings.ContainsAny(name, "=<>!") {
		return
	}
	lists.Put(&rec.Labels, name, strings.ToValidUTF8(value, "\ufffd"))
}

// proseWords returns the number of words of two letters or more: lists of numbers have none.
func proseWords(value string) (n int) {
	for word := range strings.FieldsFuncSeq(value, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if utf8.RuneCountInString(word) > 1 {
			n++
		}
	}
	return n
}

// yearOf returns the year of a date, 0 if it has none.
func yearOf(date string) int {
	if len(date) >= len("2006") {
		if year, err := strconv.Atoi(date[:4]); err == nil && year >= 1000 {
			return year
		}
	}
	return format.Year(date)
}

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
