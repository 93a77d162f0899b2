package jobs

import (
	"context"
	"errors"

	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/indexer/upkeep"
	"github.com/otisk/otisk/internal/closing"
	"github.com/otisk/otisk/internal/session"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/indexes"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/segment"
)

// Move moves a collection as [desk.Move] does, and returns its number of documents. cluster is that of the server, nil
// for none.
func Move(ctx context.Context, s *session.Session, f *storage.Folder, cluster *esclient.Config, m desk.Moving) (copied int64, err error) {
	opener, err := indexes.New(f.Path(storage.Collections), cluster)
	if err != nil {
		return 0, err
	}
	m.Copy = func(ctx context.Context, from, to indexes.Place) (err error) {
		copied, err = copyCollection(ctx, s, f, from, to)
		return indexes.Explain(from, err)
	}
	return copied, desk.Move(ctx, f, opener, m)
}

// copyCollection copies the index of a collection to a new one and returns its number of documents. A collection that
// nothing was added to has no index. Folders are in f, and not in the working directory.
func copyCollection(ctx context.Context, s *session.Session, f *storage.Folder, from, to indexes.Place) (n int64, err error) {
	at := func(p indexes.Place) *session.Session {
		if !p.InCluster() {
			p.ID = f.Path(storage.Collections, p.ID)
		}
		return collection(s, p)
	}
	err = at(from).CopyTo(ctx, at(to), func(r store.Reader, w store.Store) error {
		was, err := r.Info(ctx)
		if err != nil {
			return err
		}
		sum, err := upkeep.Copy(ctx, r, w, s.Norms, nil)
		if err == nil {
			err = upkeep.Tidy(ctx, w, sum)
		}
		if err != nil {
			return err
		}
		is, err := w.Info(ctx)
		if n = is.Documents; err == nil && (n != was.Documents || sum.Failed > 0) {
			err = lang.NewMessage("error.move-incomplete", "n", was.Documents, "copied", n)
		}
		return err
	})
	if errors.Is(err, store.ErrNoIndex) && !from.Filled {
		return 0, nil
	}
	return n, err
}

// CopyFolder returns a function that copies the last commit of the index in a folder. A collection without documents has
// none.
func CopyFolder(s *session.Session) func(ctx context.Context, from, to string) error {
	return func(ctx context.Context, from, to string) (err error) {
		source, err := segment.Open(from)
		if errors.Is(err, store.ErrNoIndex) {
			return nil
		}
		if err != nil {
			return err
		}
		defer closing.Into(&err, source)
		target, err := segment.Create(to, source.Settings(), segment.Options{Memory: s.Settings.Memory, Stop: ctx.Done()})
		if err != nil {
			return err
		}
		defer closing.Into(&err, target)
		_, err = upkeep.Copy(ctx, source, target, s.Norms, nil)
		return err
	}
}
