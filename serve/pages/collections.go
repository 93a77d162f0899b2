package pages

import (
	"errors"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/indexes"
	"github.com/otisk/otisk/serve/work"
)

func showCollections(v *visit) error {
	list, err := v.s.Desk.Collections(v.Context(), v.actor)
	if err != nil {
		return err
	}
	return v.show("collections", v.lang.Text("web.collections"), list)
}

func newCollection(v *visit) error {
	var id string
	var err error
	if v.PostFormValue("sharing") == "private" {
		id, err = v.s.Desk.NewPrivateCollection(v.Context(), v.actor, v.PostFormValue("name"), v.PostFormValue("contact"))
	} else {
		id, err = v.s.Desk.NewCollection(v.Context(), v.actor, v.PostFormValue("name"), v.PostFormValue("sharing") == "shared")
	}
	return v.after(err, "/collections/"+id)
}

// A collectionPage is the data of the page of a collection.
type collectionPage struct {
	*desk.Collection
	Additions []desk.Addition
	Removals  []desk.Removal
	Outside   []desk.PrivateCheck // by other groups
	Listed    []desk.Document
	Sources   []desk.Source
	Query     string
	Away      string // why the documents cannot be listed, "" if they can
	More      bool   // there are documents that are not shown
	Changes   bool   // the user may change the collection
	Deletes   bool   // the user may delete documents
	Working   bool   // an addition or a deletion is not finished
}

// SourceKinds returns the kinds of sources.
func (p collectionPage) SourceKinds() []string {
	return []string{work.FolderSource, work.OAISource, work.FeedSource}
}

// documentsShown is the number of documents on the page of a collection.
const documentsShown = 100

func showCollection(v *visit) (err error) {
	p := collectionPage{Query: v.URL.Query().Get("q")}
	if p.Collection, err = v.s.Desk.Collection(v.Context(), v.actor, v.PathValue("id")); err != nil {
		return err
	}
	if p.Own {
		if p.Additions, err = v.s.Desk.Additions(v.Context(), v.actor, p.ID, 50); err != nil {
			return err
		}
		if p.Removals, err = v.s.Desk.Removals(v.Context(), v.actor, p.ID, 20); err != nil {
			return err
		}
		if p.Outside, err = v.s.Desk.PrivateChecks(v.Context(), v.actor, p.ID, 20); err != nil {
			return err
		}
		if p.Listed, err = v.s.Desk.Documents(v.Context(), v.actor, p.ID, "", p.Query, documentsShown+1); errors.Is(err, indexes.ErrAway) || errors.Is(err, indexes.ErrMissing) {
			_, p.Away = v.explain(err)
		} else if err != nil {
			return err
		}
	}
	if p.More = len(p.Listed) > documentsShown; p.More {
		p.Listed = p.Listed[:documentsShown]
	}
	p.Changes, p.Working = p.Own && v.actor.May(accounts.ChangeCollections), p.Pending > 0
	p.Deletes = p.Own && v.actor.May(accounts.DeleteDocuments)
	for _, r := range p.Removals {
		p.Working = p.Working || r.Finished.IsZero() && r.State != "failed"
	}
	if p.Changes {
		if p.Sources, err = v.s.Desk.Sources(v.Context(), v.actor, p.ID); err != nil {
			return err
		}
	}
	return v.show("collection", p.Name, p)
}

func deleteDocuments(v *visit) error {
	_, err := v.s.Desk.DeleteDocuments(v.Context(), v.actor, v.PathValue("id"), v.PostForm["name"])
	return v.after(err, "/collections/{id}")
}
