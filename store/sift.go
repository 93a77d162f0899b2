package store

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Sifter is a [Reader] that evaluates conditions on documents where the index is,
// so that the caller need not read every entry. It is the one capability that a
// Reader may lack: callers assert it and otherwise go through Documents. An index in
// a cluster has it; storetest.TestSifter holds each implementation to it.
type Sifter interface {
	Reader

	// Values returns, for each of names, which are in lower case, the values that
	// documents have under it ([Document.Told]) and the number of documents of each
	// value. If ok is false, the index does not know the values, and the caller has to
	// go through all documents.
	Values(ctx context.Context, names []string) (values map[string][]Value, ok bool, err error)

	// Among returns a reader of the documents that meet all conditions. It returns nil
	// if some document's name matches one of names, if a condition names an In and none
	// of the reader's documents is in it, or if the index cannot evaluate the conditions. The reader is
	// valid until the Sifter is closed; closing it does nothing.
	Among(ctx context.Context, all []Condition, names []Naming) (Reader, error)

	// Of returns a reader whose Lookup, LookupPairs and NearPairs find these documents alone. Its
	// other methods answer from the whole index. It is valid until the Sifter is
	// closed; closing it does nothing.
	Of(ids map[DocID]bool) Reader
}

// A Value is a value that documents have under a name.
type Value struct {
	Value     string
	Documents int64 // number of documents with the value
}

// A Condition is met by documents that meet one of its elements.
type Condition []Having

// A Having matches documents that have one of Values under Name or, if Not is set, none of these
// values.
type Having struct {
	Name   string
	Values []Value
	Not    bool

	// If In is not "", it replaces the other fields: it is met by the document with this
	// name, by those in it as in a folder or an archive, and by those with this prefix.
	In string
}

// A Naming matches names that begin with Text or, if Within is set, contain it.
type Naming struct {
	Text   string
	Within bool
}

// tellable are the names, besides labels, whose values an index may list. The values of
// other names differ for each document.
var tellable = []string{"format", "prefix", "year", "author"}

// ownNames are the names under which every document has a value.
var ownNames = []string{"name", "prefix", "format", "title", "author", "address", "url", "words", "year"}

// IsOwn reports whether a name belongs to every document, so that no label has it.
func IsOwn(name string) bool { return slices.Contains(ownNames, strings.ToLower(name)) }

// IsTold reports whether [Document.Told] lists values under a name in lower case.
func IsTold(name string) bool { return !IsOwn(name) || slices.Contains(tellable, name) }

// Field returns the value of a document under an own name or a label; ok is false for a
// label that the document does not have.
func (d *Document) Field(name string) (value string, ok bool) {
	switch strings.ToLower(name) {
	case "name":
		return d.Name(), true
	case "prefix":
		return d.Prefix, true
	case "format":
		return d.Format, true
	case "words":
		return strconv.FormatInt(d.Words, 10), true
	}
	return d.Value(name)
}

// longestTold limits the length of listed names and values.
const longestTold = 512

const (
	// TooLong follows a name in Told in place of "=" and a value that is not listed. No
	// name contains it.
	TooLong = "<"
	// HasCopies is listed in Told for a document with Copies.
	HasCopies = "<copies"
)

// Told returns the values by which an index may find a document: format and prefix, year,
// author and language if they are known, and labels, each as name=value, in ascending order.
func (d *Document) Told() (list []string) {
	names := slices.Clone(tellable)
	for _, labels := range []map[string]string{d.Labels, d.Said.Labels} {
		for name := range labels {
			if name = strings.ToLower(name); !IsOwn(name) && CheckLabel(name) == nil {
				names = append(names, name)
			}
		}
	}
	if d.Language != "" {
		names = append(names, languageField)
	}
	slices.Sort(names)
	if len(d.Copies) > 0 {
		list = append(list, HasCopies)
	}
	for _, name := range slices.Compact(names) {
		value, ok := d.Field(name)
		switch {
		case !ok, value == "" && (name == "year" || name == "author"):
		case len(name)+len(value) > longestTold || !utf8.ValidString(name+value):
			name = strings.ToValidUTF8(name, "?")
			list = append(list, name[:min(len(name), longestTold)]+TooLong)
		default:
			list = append(list, name+"="+value)
		}
	}
	return list
}
