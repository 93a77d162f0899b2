package check

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/indexer"
)

// A file is one that may hold texts.
type file struct{ path, name string }

// Find lists the files at paths, as indexing would find them, and returns how
// many there are with those that cannot be followed.
func (b *Batch) Find(ctx context.Context, paths []string) (int, error) {
	for _, top := range paths {
		err := indexer.Walk(ctx, []string{top}, b.opts.Exclude, func(path string) {
			b.files = append(b.files, file{path, nameBelow(top, path)})
		}, b.unread.add)
		if err != nil {
			return 0, err
		}
	}
	return len(b.files) + b.unread.count(), nil
}

// nameBelow returns what the reports on the file at path are called, which was
// found at top.
func nameBelow(top, path string) string {
	if rel, err := filepath.Rel(top, path); err == nil && rel != "." {
		return strings.ReplaceAll(rel, string(filepath.Separator), "_")
	}
	return filepath.Base(path)
}

// text returns the text that stands in f: the only one, or a member of it.
func (f file) text(doc *document.Document) Text {
	t := Text{Path: doc.Path, Name: f.name, canonical: f.path}
	if full, err := indexer.Canonical(f.path); err == nil {
		t.canonical = full
	}
	member := strings.TrimPrefix(doc.Path, f.path)
	t.canonical += member
	t.Name += strings.NewReplacer("!/", "_", "/", "_").Replace(member)
	return t
}

// distinguish gives each text a name of its own, in their order.
func distinguish(texts []Text) {
	var used names
	for i := range texts {
		texts[i].Name = used.distinct(texts[i].Name)
	}
}
