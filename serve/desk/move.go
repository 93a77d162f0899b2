package desk

import (
	"context"
	"fmt"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/indexes"
	"github.com/otisk/otisk/serve/storage"
)

// A Moving moves a collection between the data folder and the cluster.
type Moving struct {
	Collection string // id or name
	ToFolder   bool   // from the cluster to the folder

	// Copy copies the index at from to a new index at to. It returns an error unless to has all
	// documents.
	Copy func(ctx context.Context, from, to indexes.Place) error
}

// Move moves a collection while no server uses the folder. The rows change after the whole index was
// copied, so an interrupted call changes nothing, and can be repeated. The next server deletes what is
// left at the former place.
func Move(ctx context.Context, f *storage.Folder, o *indexes.Opener, m Moving) error {
	switch running, err := f.Servers(ctx); {
	case err != nil:
		return err
	case running > 0:
		return phrase.Error("serve.move-running", "stop all servers first: {n} are running", "n", running)
	}
	from, err := findCollection(ctx, f, m.Collection)
	if err != nil {
		return err
	}
	to := indexes.Place{ID: from.ID, Filled: from.Filled}
	if !m.ToFolder {
		to.Index = o.IndexName(from.ID)
	}
	if from.InCluster() == to.InCluster() {
		return phrase.Error("serve.move-there", "the collection {name} is there already", "name", m.Collection)
	}
	if err := o.Delete(ctx, to); err != nil { // left over from an interrupted call, or not removed yet
		return err
	}
	if err := m.Copy(ctx, from, to); err != nil {
		return err
	}
	err = f.Write(ctx, func(tx *storage.Tx) {
		tx.Exec(`UPDATE collections SET index_name = ? WHERE id = ?`, to.Index, to.ID)
		tx.Exec(`DELETE FROM deleted_indexes WHERE name = ?`, to.Index)
		tx.Exec(`INSERT INTO deleted_indexes (name) SELECT ?1 WHERE ?1 != ''`, from.Index)
		note(tx, accounts.Actor{}, "move collection", to.ID, "")
	})
	if err != nil || from.InCluster() { // the server deletes the index in the cluster
		return err
	}
	return o.Delete(ctx, from)
}

// findCollection returns where the collection with an id or a name is.
func findCollection(ctx context.Context, f *storage.Folder, name string) (p indexes.Place, err error) {
	all, err := list(ctx, f.Read, func(row func(...any) error, p *indexes.Place) error { return row(&p.ID, &p.Index, &p.Filled) },
		`SELECT id, index_name, documents > 0 FROM collections WHERE id = ?1 OR name = ?1`, name)
	switch {
	case err != nil:
		return p, err
	case len(all) == 0:
		return p, fmt.Errorf("%s: %w", name, ErrNotFound)
	case len(all) > 1:
		return p, phrase.Error("serve.move-several", "several groups have a collection {name}: give the id that the address of its page ends with", "name", name)
	}
	return all[0], nil
}
