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

	// Of returns a reader whose Lookup and LookupPairs find these documents alone. Its
	// other methods answer from the whole index. It is valid until the Sifter is
	// closed; closing it does nothing.
	Of(ids map[DocID]bool) Reader
}

// A Value is one that documents have under a name.
type Value struct {
	Value     string
	Documents int64 // that have it
}

// A Condition is met by documents that meet one of these.
type Condition []Having

// Having is met by documents that have one of the values under the name, or, with
// Not, by those that have none of them there.
type Having struct {
	Name   string
	Values []Value
	Not    bool

	// In, unless it is "", is met in place of that by the document of this name, those
	// in it as in a folder or an archive, and those with this prefix.
	In string
}

// A Naming is a text that names begin with, or, with Within, have anywhere.
type Naming struct {
	Text   string
	Within bool
}

// tellable are the names under which an index may list what documents have, beside
// those of labels. Others are different for each document.
var tellable = []string{"format", "prefix", "year", "author"}

// ownNames are those that every document has something under.
var ownNames = []string{"name", "prefix", "format", "title", "author", "address", "url", "words", "year"}

// IsOwn reports whether every document has something under a name, which then
// is none of a label.
func IsOwn(name string) bool { return slices.Contains(ownNames, strings.ToLower(name)) }

// IsTold reports whether [Document.Told] has what is under a name in lower case.
func IsTold(name string) bool { return !IsOwn(name) || slices.Contains(tellable, name) }

// Field returns what a document has under a name that is its own, or of a label; ok
// is false for a label that it does not have.
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
	return d.Says(name)
}

// longestTold is how long a value may be that an index lists.
const longestTold = 512

const (
	// TooLong is what Told has after a name in place of "=" and a value that is
	// not listed. No name has it.
	TooLong = "<"
	// HasCopies is what Told has of a document with Copies.
	HasCopies = "<copies"
)

// Told returns what an index may find a document by: its format and prefix, its year
// and author, and its labels, each as name=value, in rising order. It is never empty.
// Format and prefix are there in any case, year and author where they are known.
func (d *Document) Told() (list []string) {
	names := slices.Clone(tellable)
	for _, labels := range []map[string]string{d.Labels, d.Said.Labels} {
		for name := range labels {
			if name = strings.ToLower(name); !IsOwn(name) && CheckLabel(name) == nil {
				names = append(names, name)
			}
		}
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
