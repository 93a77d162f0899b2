package store

import "context"

// LabelNames are what a [Selector] knows of documents besides their labels.
var LabelNames = []string{"author", "year"}

// A LabelTest is a condition on what documents have under one name, in lower case: a
// label, or one of [LabelNames].
type LabelTest struct {
	Name string
	// Holds is given what [Document.Says] returns. It is asked once for each value,
	// and not for each document.
	Holds func(value string, ok bool) bool
}

// A Selector finds documents by labels without reading the entries of all.
type Selector interface {
	// Select calls fn for each document for which all tests hold, in any order. Of
	// the document only the id, the sizes, the pairs and the length of the text
	// are there, and it is valid during the call only. Where ok is false, nothing
	// was found out.
	Select(ctx context.Context, tests []LabelTest, fn func(*Document) error) (ok bool, err error)
}
