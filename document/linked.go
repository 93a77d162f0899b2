package document

import (
	"context"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/project"
	"github.com/otisk/otisk/internal/fault"
	"github.com/otisk/otisk/lang/phrase"
)

// A linker reads the files of a master document while the document is read.
type linker struct {
	p     *project.Project
	opts  Options
	read  map[string]bool // files that a reader has requested
	notes []*phrase.Phrase

	messages phrase.Table // messages about the flags of the files
}

func newLinker(p *project.Project, opts Options) *linker {
	opts.AsIs = true // disguises are undone in the joined text
	return &linker{p: p, opts: opts, read: map[string]bool{}}
}

// from returns the function that reads the files to which a file links.
func (l *linker) from(file string) func(context.Context, string) *format.Text {
	return func(ctx context.Context, address string) *format.Text {
		name, data := l.p.Linked(file, address)
		if data == nil || l.read[name] {
			return nil
		}
		l.read[name] = true
		doc, err := l.open(ctx, name, data)
		if err != nil {
			l.unread(name, err)
			return nil
		}
		for _, n := range doc.Remarks() {
			l.notes = append(l.notes, phrase.Error("said.details", "{what}: {details}", "what", name, "details", n))
		}
		l.messages.Merge(doc.Messages)
		return &format.Text{Text: doc.Text, Marks: doc.Marks, Flags: doc.Flags}
	}
}

// open reads a linked file of one text.
func (l *linker) open(ctx context.Context, name string, data []byte) (doc *Document, err error) {
	defer fault.Catch(&err)
	doc = &Document{Path: name, Ext: extension(name)}
	f, err := findInner(data, doc.Ext)
	if err != nil {
		return nil, err
	}
	src := l.opts.source(data, doc.Ext)
	src.Linked = l.from(name)
	_, err = f.fill(ctx, doc, src, l.opts)
	return doc, err
}

// unread notes that a linked file is not read.
func (l *linker) unread(name string, cause error) {
	l.notes = append(l.notes, phrase.Error("said.inner-file", "a file in the text is not read: {name}: {cause}", "name", name, "cause", cause))
}

// note adds the notes about linked files to a document.
func (l *linker) note(doc *Document) {
	for _, name := range l.p.Joined {
		if l.p.Master && !l.read[name] {
			l.unread(name, errNotShown)
		}
	}
	for _, n := range l.notes {
		doc.Note(n)
	}
	doc.Messages.Merge(l.messages)
}

// errNotShown is the cause for a file that the reader of a master document did not request.
var errNotShown = phrase.Error("cause.link-not-shown", "the part with its link is not read")
