package store

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/otisk/otisk/lang/phrase"
)

// A Description holds metadata of a document that people assigned.
type Description struct {
	Title   string            `json:"title,omitempty"`
	Author  string            `json:"author,omitempty"`
	Year    int               `json:"year,omitempty"`
	Address string            `json:"address,omitempty"` // where it can be read: a URL
	Labels  map[string]string `json:"labels,omitempty"`  // by normalised name (LabelName)
}

// LabelName normalises the name of a label as keys of Description.Labels have it: lower
// case, accents composed.
func LabelName(name string) string { return strings.ToLower(norm.NFC.String(name)) }

// CheckLabel returns an error if name cannot be the name of a label. Conditions on such a
// label would be ambiguous.
func CheckLabel(name string) error {
	if name == "" || strings.ContainsAny(name, "=<>!") {
		return phrase.Error("cause.label-name", "{name} cannot be the name of a label: it is empty or contains one of the characters {signs}, which separate names and values", "name", strconv.Quote(name), "signs", "= < > !")
	}
	return nil
}

// text returns a pointer to the field with this lower-case name; nil for the year and for
// labels.
func (d *Description) text(name string) *string {
	switch name {
	case "title":
		return &d.Title
	case "author":
		return &d.Author
	case "address", "url":
		return &d.Address
	}
	return nil
}

// Set sets a field: title, author, year, address (or url), or a label of any other name, in
// lower case. An empty value is ignored.
func (d *Description) Set(name, value string) error {
	if err := CheckLabel(name); err != nil || value == "" {
		return err
	}
	name = LabelName(name)
	if text := d.text(name); text != nil {
		*text = value
		return nil
	}
	if name == "year" {
		year, err := strconv.Atoi(value)
		if err != nil || year <= 0 || year > 9999 {
			return phrase.Error("cause.not-year", "{value} is not a year", "value", strconv.Quote(value))
		}
		d.Year = year
		return nil
	}
	labels := map[string]string{}
	maps.Copy(labels, d.Labels) // a copy, since the map may belong to an index
	labels[name] = value
	d.Labels = labels
	return nil
}

// Unset clears a field.
func (d *Description) Unset(name string) {
	name = LabelName(name)
	if text := d.text(name); text != nil {
		*text = ""
	} else if name == "year" {
		d.Year = 0
	} else if _, ok := d.Labels[name]; ok {
		d.Labels = maps.Clone(d.Labels) // the map may belong to an index
		delete(d.Labels, name)
	}
}

// Value returns the value of a field, "" if it is not set; ok is false for a label that d
// does not have.
func (d *Description) Value(name string) (value string, ok bool) {
	name = LabelName(name)
	if text := d.text(name); text != nil {
		return *text, true
	}
	if name == "year" {
		if d.Year != 0 {
			value = strconv.Itoa(d.Year)
		}
		return value, true
	}
	value, ok = d.Labels[name]
	return value, ok
}

// IsZero reports whether no field of d is set.
func (d Description) IsZero() bool {
	return d.Title == "" && d.Author == "" && d.Year == 0 && d.Address == "" && len(d.Labels) == 0
}

// List returns the fields that are set, each as name=value: title, author, year and
// address, then labels by name.
func (d Description) List() (list []string) {
	for _, name := range append([]string{"title", "author", "year", "address"}, slices.Sorted(maps.Keys(d.Labels))...) {
		if value, _ := d.Value(name); value != "" {
			list = append(list, name+"="+value)
		}
	}
	return list
}

// Equal reports whether d and other are equal.
func (d Description) Equal(other Description) bool {
	return d.Title == other.Title && d.Author == other.Author && d.Year == other.Year && d.Address == other.Address &&
		maps.Equal(d.Labels, other.Labels)
}

// Over returns d, with the fields that d lacks from under, and the labels of both.
func (d Description) Over(under Description) Description {
	if d.Title != "" {
		under.Title = d.Title
	}
	if d.Author != "" {
		under.Author = d.Author
	}
	if d.Year != 0 {
		under.Year = d.Year
	}
	if d.Address != "" {
		under.Address = d.Address
	}
	if len(d.Labels) > 0 {
		labels := map[string]string{}
		maps.Copy(labels, under.Labels)
		maps.Copy(labels, d.Labels)
		under.Labels = labels
	}
	return under
}

// Description returns the metadata of the document: the fields that people assigned, and
// otherwise those that its file states.
func (d *Document) Description() Description {
	return d.Said.Over(d.stated())
}

// stated returns the metadata that the file states.
func (d *Document) stated() Description {
	return Description{Title: d.Title, Author: d.Author, Year: d.Year, Address: d.Address, Labels: d.Labels}
}

// languageField is the name under which Value returns the language of a document.
const languageField = "language"

// Value is [Description.Value] of [Document.Description], without building the
// description. The language is the one that people gave, or else the detected one, or else
// the one that the file states.
func (d *Document) Value(name string) (value string, ok bool) {
	if value, ok = d.Said.Value(name); value != "" {
		return value, ok
	}
	if d.Language != "" && LabelName(name) == languageField {
		return d.Language, true
	}
	stated := d.stated()
	if below, known := stated.Value(name); known {
		return below, known
	}
	return value, ok
}
