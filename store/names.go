package store

import (
	"context"
	"strings"
)

// A Browser is a [Reader] that finds documents by how their names begin without
// going through all.
type Browser interface {
	// DocumentsIn calls fn for each document whose name begins with prefix
	// (bytes), in rising order of name. An error from fn stops it and is
	// returned as it is.
	DocumentsIn(ctx context.Context, prefix string, fn func(Document) error) error
}

// DocumentsIn does what [Browser] says with any reader: those that are none go
// through all their documents.
func DocumentsIn(ctx context.Context, r Reader, prefix string, fn func(Document) error) error {
	if b, ok := r.(Browser); ok {
		return b.DocumentsIn(ctx, prefix, fn)
	}
	return r.Documents(ctx, func(d Document) error {
		if strings.HasPrefix(d.Name(), prefix) {
			return fn(d)
		}
		return nil
	})
}

// A Glancer is a [Browser] that shows documents for less than it hands them out.
type Glancer interface {
	// Glance is DocumentsIn with documents that are valid during the call only.
	Glance(ctx context.Context, prefix string, fn func(*Document) error) error
}

// Glance does what [Glancer] says with any reader.
func Glance(ctx context.Context, r Reader, prefix string, fn func(*Document) error) error {
	if g, ok := r.(Glancer); ok {
		return g.Glance(ctx, prefix, fn)
	}
	return DocumentsIn(ctx, r, prefix, func(d Document) error { return fn(&d) })
}
