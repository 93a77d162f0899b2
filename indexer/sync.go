package indexer

import (
	"context"
	"errors"
	"path/filepath"
	"sync"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/internal/walk"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// A syncer finds the documents whose files are gone. If a new file has the content of such a
// document, the document is renamed, and further new files with that content get its
// description. The other documents are removed at the end of the run if they are in the indexed
// paths.
//
// [walk.IsGone] decides whether a file is gone. If an indexed folder contains no file at all, a disk may
// not be mounted, so nothing is removed.
type syncer struct {
	scope   []string                    // canonical indexed paths
	members map[string][]store.Document // members of archives in scope, by path of the archive
	whole   func(folder string) (bool, error)

	mu    sync.Mutex
	gone  map[store.DocID]store.Document
	same  map[string][]store.DocID  // documents in gone by content
	taken map[string]store.Document // renamed documents by content, the last of each
	found map[string]int            // number of files by path of scope
	fresh map[store.DocID]bool      // documents added in this run
}

func newSyncer() *syncer {
	return &syncer{
		members: map[string][]store.Document{}, gone: map[store.DocID]store.Document{},
		same: map[string][]store.DocID{}, taken: map[string]store.Document{}, found: map[string]int{}, fresh: map[store.DocID]bool{},
	}
}

// prepareSync finds the documents whose files are gone.
func (r *run) prepareSync(ctx context.Context) error {
	s := newSyncer()
	s.whole = r.whole
	s.scope = append(s.scope, lists.Map(r.roots, func(root root) string { return root.canonical })...)
	r.sync = s
	return r.store.Documents(ctx, "", func(d store.Document) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if d.Prefix == r.opts.Prefix {
			s.add(d, r.names.at(&d))
		}
		return nil
	})
}

// add registers a document whose file is at path.
func (s *syncer) add(d store.Document, path string) {
	if !filepath.IsAbs(path) {
		return // not from a file: a text from a repository or a feed
	}
	file, _, member := document.CutMember(path)
	switch {
	case walk.IsFolder(file) && s.mayBeWhole(file):
	case walk.IsGone(file), s.joined(file):
		s.lost(d)
	case member && s.top(file) != "":
		s.members[file] = append(s.members[file], d)
	}
}

// mayBeWhole reports whether a folder is one document, or cannot be read at present.
func (s *syncer) mayBeWhole(folder string) bool {
	whole, err := s.whole(folder)
	return whole || err != nil
}

// joined reports whether a file in scope is part of a folder that is one document.
func (s *syncer) joined(file string) bool {
	top := s.top(file)
	if top == "" {
		return false
	}
	for folder := filepath.Dir(file); folder != file; file, folder = folder, filepath.Dir(folder) {
		if _, inside := walk.Within(top, folder); !inside {
			continue
		}
		if whole, _ := s.whole(folder); whole { // the walk reports the error
			return true
		}
	}
	return false
}

// hasMembers reports whether the index has documents in the archive at place.
func (s *syncer) hasMembers(place string) bool { return s != nil && len(s.members[place]) > 0 }

func (s *syncer) lost(d store.Document) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone[d.ID] = d
	s.same[d.Content] = append(s.same[d.Content], d.ID)
}

// arrived registers a document that was added in this run and has no description.
func (s *syncer) arrived(id store.DocID) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fresh[id] = true
}

// top returns the path of scope that contains path, or "".
func (s *syncer) top(path string) string {
	for _, top := range s.scope {
		if _, ok := walk.Within(top, path); ok {
			return top
		}
	}
	return ""
}

// counts counts a file that the walk found in top.
func (s *syncer) counts(top string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.found[top]++
}

// renamed returns a document that is gone and had this content, each once, and true. After that,
// it returns the last such document and false, so that further files with this content get the same
// description: the order of reading must not matter.
func (s *syncer) renamed(content string) (store.Document, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := s.same[content]
	if len(ids) == 0 {
		d := s.taken[content]
		return store.Document{Said: d.Said, Charset: d.Charset, Sizes: d.Sizes, Paired: d.Paired}, false
	}
	d := s.gone[ids[0]]
	delete(s.gone, ids[0])
	s.same[content] = ids[1:]
	s.taken[content] = d
	return d, true
}

// removeGone removes the documents in scope whose files are gone.
func (r *run) removeGone(ctx context.Context) error {
	kept := map[string]int{}
	var gone []store.Document
	for _, d := range r.sync.gone {
		if r.opts.Changes == nil {
			file, _, _ := document.CutMember(r.names.at(&d))
			top := r.sync.top(file)
			if top == "" {
				continue
			}
			if r.sync.found[top] == 0 {
				kept[top]++
				continue
			}
		}
		gone = append(gone, d)
	}
	if err := r.bequeath(ctx, gone); err != nil {
		return err
	}
	for _, d := range gone {
		if err := r.store.Delete(ctx, d.ID); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		r.ledger.Removed(d.Name(), d.Text)
	}
	for top, count := range kept {
		r.ledger.Fail(top, phrase.Error("index.empty-folder", "the folder has no files; its documents stay in the index: {n}", "n", count).Of(ErrEmptyFolder))
	}
	return nil
}
