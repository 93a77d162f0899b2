package container

import (
	"cmp"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/otisk/otisk/document/format"
)

// maxLabel is how long a label may be with its name, in bytes. What is longer is a
// text of its own, and left out.
const maxLabel = 1000

// describe puts what a container says of the document under a name into the
// record. Their order does not count.
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

// label adds a label, unless it cannot be one.
func (rec *Record) label(name, value string) {
	if name == "" || value == "" || strings.ContainsAny(name, "=<>!") || len(name)+len(value) > maxLabel {
		return
	}
	if rec.Labels == nil {
		rec.Labels = map[string]string{}
	}
	rec.Labels[name] = strings.ToValidUTF8(value, "\ufffd")
}

// yearOf returns the year of a date, 0 for none.
func yearOf(date string) int {
	if len(date) >= len("2006") {
		if year, err := strconv.Atoi(date[:4]); err == nil && year >= 1000 {
			return year
		}
	}
	return format.Year(date)
}
