package main

import (
	"context"
	"slices"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

var errChanged = phrase.Error("said.changed-since", "changed since it was indexed")

// reread returns the text of an indexed file if the text is unchanged. The same file
// has another text if it is read in another encoding, for example. If the file is
// missing, reread tries the copies of its folder that were indexed as well.
func reread(ctx context.Context, s *session, bases []store.Base, d store.Document) (text string, err error) {
	for i, place := range places(bases, &d) {
		found, e := rereadAt(ctx, s, place, &d)
		if e == nil {
			return found, nil
		}
		if i == 0 {
			err = e
		}
	}
	return "", err
}

// places returns the paths at which the file of a document may be; the path it was
// indexed from is the first.
func places(bases []store.Base, d *store.Document) []string {
	list := []string{store.File(bases, d.Base, d.Path)}
	own := slices.IndexFunc(bases, func(b store.Base) bool { return b.Key == d.Base })
	for i, b := range bases {
		if own >= 0 && i != own && b.Name == bases[own].Name {
			list = append(list, b.File(d.Path))
		}
	}
	return list
}

func rereadAt(ctx context.Context, s *session, place string, d *store.Document) (string, error) {
	opts := s.readOptions()
	opts.Encoding = d.Charset
	doc, err := document.Open(ctx, place, opts)
	if err != nil {
		return "", err
	}
	same := store.TextSum(doc.Text, d.Rules, d.NewLine) == d.TextSum
	if d.TextSum == "" {
		same = doc.Content == d.Content
	}
	if !same {
		return "", errChanged
	}
	return doc.Text, nil
}

func (s *session) readOptions() document.Options {
	return document.Options{MaxBytes: s.settings.MaxFile, Time: s.settings.MaxTime, Memory: s.settings.MaxMemory, Encoding: s.encoding, Strip: s.settings.Strip, Archived: s.archived, Projects: s.projects, Field: s.field, ID: s.id, OCR: s.recognizer}
}
