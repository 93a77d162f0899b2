package search

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/store"
)

// How a source is the suspect's own. Content decides: a path says only where a file is.
const (
	// OwnFile is the document of the file that was checked: indexed from there, with
	// the content that it has now. So is one of a file that the suspect was joined from. It is
	// left out of the score.
	OwnFile = "itself"
	// OwnText is a document from elsewhere whose file or text equals the suspect's. It
	// counts: whether it is the same work renamed, or a copy of all of it, only a person
	// can tell.
	OwnText = "same text"
	// OwnVersion is a document that was indexed from the path of the suspect with
	// another text. It counts.
	OwnVersion = "earlier version"
)

// An identity has the properties by which the suspect is recognised among the documents.
type identity struct {
	content string   // SHA-256 of its file
	sum     string   // store.TextSum of its text
	path    string   // canonical
	parts   []string // SHA-256 of the files that it was joined from
}

// identity returns that of the suspect.
func (s *Searcher) identity(sus *suspect) identity {
	_, rules := s.norms.For(sus.doc.Types()...)
	id := identity{content: sus.doc.Content, parts: sus.doc.Parts, sum: store.TextSum(sus.doc.Text, rules, sus.mode.String())}
	if s.opts.Canonical != nil {
		id.path = s.opts.Canonical(sus.doc.Path)
	}
	return id
}

// own returns how a document is the suspect's own, "" where it is not. Another text of the
// same run is somebody else's. Where files are compared, one that equals the suspect
// was put beside it on purpose, unless it is the same file.
func (s *Searcher) own(id identity, d *store.Document) string {
	if s.opts.Among != nil && s.opts.Among(d.ID) {
		return ""
	}
	file := store.File(s.bases, d.Base, d.Path)
	here := id.path != "" && file == id.path
	same := d.Content != "" && d.Content == id.content || d.TextSum != "" && d.TextSum == id.sum
	switch {
	case here && same, id.path != "" && slices.Contains(id.parts, d.Content) && inside(file, id.path):
		return OwnFile
	case same && s.index.Kind != KindFiles:
		return OwnText
	case here:
		return OwnVersion
	}
	return ""
}

// inside reports whether the path of a document is that of a file in an archive or a folder.
func inside(path, whole string) bool {
	rest, ok := strings.CutPrefix(path, whole)
	return ok && (strings.HasPrefix(rest, document.MemberMark) || strings.HasPrefix(rest, string(filepath.Separator)))
}

// markOwn records of each source how it belongs to the suspect.
func (s *Searcher) markOwn(sus *suspect, sources []*source) {
	id := s.identity(sus)
	for _, src := range sources {
		src.own = s.own(id, &src.entry)
	}
}

// texts returns the documents that are the text itself and do not count.
func (s *Searcher) texts(sources []*source) map[store.DocID]bool {
	own := map[store.DocID]bool{}
	for _, src := range sources {
		if src.own == OwnFile && !s.opts.CountSelf {
			own[src.doc] = true
		}
	}
	return own
}
