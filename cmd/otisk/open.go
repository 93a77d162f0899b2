package main

import (
	"context"
	"errors"
	"fmt"

	"otisk/config"
	"otisk/normalize"
	"otisk/store"
	"otisk/store/segment"
)

// A session is a command line resolved: its settings and the rules from them.
type session struct {
	settings *config.Settings
	norms    *normalize.Set
}

// resolve reads the settings that the flags name.
func (g *globalOptions) resolve() (*session, error) {
	settings, err := config.Find(g.config)
	if err != nil {
		return nil, usageError{err}
	}
	if g.index != "" {
		settings.Index = g.index
	}
	norms, err := settings.Normalizers()
	if err != nil {
		return nil, usageError{err}
	}
	return &session{settings, norms}, nil
}

// reader opens the index for reading, and checks that it was made with the
// same normalisation.
func (s *session) reader(ctx context.Context) (store.Reader, error) {
	r, err := s.openReader(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.check(r); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// openReader opens the index for reading, whatever it was made with.
func (s *session) openReader(ctx context.Context) (store.Reader, error) {
	return segment.Open(s.settings.Index)
}

// writer opens the index for writing; create says to make it if it is not
// there.
func (s *session) writer(ctx context.Context, create bool) (store.Store, error) {
	w, err := s.openWriter(ctx, create)
	if err != nil {
		return nil, err
	}
	if err := s.check(w); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

func (s *session) openWriter(ctx context.Context, create bool) (store.Store, error) {
	if !create {
		return segment.OpenWriter(s.settings.Index, segment.Options{})
	}
	return segment.Create(s.settings.Index, s.storeSettings(), segment.Options{})
}

// storeSettings are what a new index is made with.
func (s *session) storeSettings() store.Settings {
	return store.Settings{Normalization: s.settings.Normalization(), KeepTexts: s.settings.KeepTexts}
}

// check compares the normalisation of the settings with that of the index.
func (s *session) check(r store.Reader) error {
	name, now, then, differ := config.Difference(s.settings.Normalization(), r.Settings().Normalization)
	if differ {
		return settingsError{s.settings.Index, name, then, now}
	}
	return nil
}

// A settingsError says that an index was made with other settings.
type settingsError struct{ index, name, then, now string }

func (e settingsError) Error() string {
	return fmt.Sprintf("index %s was made with another %s: %q, the settings now say %q", e.index, e.name, e.then, e.now)
}

func isServerError(error) bool { return false }

// hint returns what the user can do about err, "" where there is nothing to
// say.
func hint(err error) string {
	var other settingsError
	switch {
	case errors.As(err, &other):
		return "give the configuration that the index was made with by --config, or index anew into another folder by --index"
	case errors.Is(err, store.ErrNoIndex):
		return "make one by: otisk index PATH...; or name its folder by --index"
	case errors.Is(err, store.ErrLocked):
		return "wait for the other otisk to end; searching goes on meanwhile"
	case errors.Is(err, store.ErrReadOnly):
		return "searching works; to change the index, make its folder writable or name another by --index"
	case errors.Is(err, store.ErrDamaged):
		return "otisk verify tells what is damaged; index the files again into a new folder"
	case errors.Is(err, store.ErrFormat):
		return "use the otisk that made it, or index anew into another folder by --index"
	}
	return ""
}

// recreate empties the index and gives it the present settings.
func (s *session) recreate(ctx context.Context) (err error) {
	w, err := s.openWriter(ctx, false)
	if err != nil {
		return err
	}
	defer closeInto(&err, w)
	return w.Clear(ctx)
}
