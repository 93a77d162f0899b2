package desk

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/store"
)

// Metadata describes one document. Empty fields are left as they are.
type Metadata struct {
	Name    string            `json:"name"` // of the document
	Title   string            `json:"title,omitempty"`
	Author  string            `json:"author,omitempty"`
	Year    int               `json:"year,omitempty"`
	Address string            `json:"address,omitempty"` // URL where it can be read
	Labels  map[string]string `json:"labels,omitempty"`
}

// Describe queues tables with metadata of documents of a collection of the actor's group, as for
// otisk label --metadata. It returns the ids of the additions, which show the rows that matched no
// document as skipped. key is used as in [Desk.Submit].
func (d *collections) Describe(ctx context.Context, a accounts.Actor, collection, key string, tables []*Upload) ([]string, error) {
	return d.queueFiles(ctx, a, collection, key, tableKind, tables)
}

// Kinds of additions. Those of sources have the kind of the source.
const (
	filesKind    = "files"    // with documents
	tableKind    = "table"    // with metadata
	documentKind = "document" // with all metadata of one document
)

// DescribeOne queues the metadata of one document, and returns the id of the addition. With whole, empty fields and
// labels that m does not have are cleared: the document then has what its file states.
func (d *collections) DescribeOne(ctx context.Context, a accounts.Actor, collection string, m Metadata, whole bool) (id string, err error) {
	if err := errors.Join(may(a, accounts.ChangeCollections), d.checkOwn(ctx, inGroup(a), collection)); err != nil {
		return "", err
	}
	if _, err := d.Document(ctx, inGroup(a), collection, m.Name); err != nil {
		return "", err
	}
	head, row := []string{"path", "title", "author", "year", "address"}, []string{m.Name, m.Title, m.Author, "", m.Address}
	if m.Year != 0 {
		row[3] = strconv.Itoa(m.Year)
	}
	for _, label := range slices.Sorted(maps.Keys(m.Labels)) {
		if err := store.CheckLabel(label); err != nil || slices.Contains(head, strings.ToLower(label)) {
			return "", Wrong("labels", "serve.metadata-label", "a label needs a unique name without comparison signs")
		}
		head, row = append(head, label), append(row, m.Labels[label])
	}
	var table bytes.Buffer
	w := csv.NewWriter(&table)
	if err := errors.Join(w.WriteAll([][]string{head, row})); err != nil {
		return "", err
	}
	u, err := d.uploads.Receive(ctx, a, accounts.ChangeCollections, "metadata.csv", &table)
	if err != nil {
		return "", err
	}
	kind := tableKind
	if whole {
		kind = documentKind
	}
	ids, err := d.queueFiles(ctx, a, collection, "", kind, []*Upload{u})
	if err != nil {
		return "", err
	}
	return ids[0], nil
}

// Document returns a document of a collection of the actor's group.
func (d *collections) Document(ctx context.Context, a accounts.Actor, collection, name string) (*Document, error) {
	if err := errors.Join(may(a, accounts.ReadCollections), d.checkOwn(ctx, a, collection)); err != nil {
		return nil, err
	}
	var one *Document
	err := d.withIndex(ctx, collection, func(r store.Reader) error {
		doc, err := store.Entry(ctx, r, store.IDOf("", name))
		if err == nil {
			one = new(documentOf(&doc))
		}
		return err
	})
	if errors.Is(err, store.ErrNotFound) || err == nil && one == nil {
		err = ErrNotFound
	}
	return one, err
}

// DocumentText returns the text of a document of a collection of the actor's group, "" if the collection does not have it.
func (d *collections) DocumentText(ctx context.Context, a accounts.Actor, collection, name string) (text string, err error) {
	if err := errors.Join(may(a, accounts.ReadCollections), d.checkOwn(ctx, a, collection)); err != nil {
		return "", err
	}
	err = d.withIndex(ctx, collection, func(r store.Reader) error {
		text, err = store.TextOf(ctx, r, store.IDOf("", name))
		return err
	})
	switch {
	case errors.Is(err, store.ErrNotFound):
		err = ErrNotFound
	case errors.Is(err, store.ErrNoText):
		err = nil
	}
	return text, err
}

// A Finding is a check whose report has a document as a source.
type Finding struct {
	Check, Path string
	Percent     float64 // of the text that the document covers
	Passages    int
}

// Findings returns the checks of the actor's group that found a document, the oldest first. It reads all reports on checks
// against the collection.
func (d *collections) Findings(ctx context.Context, a accounts.Actor, collection, name string) (list []Finding, err error) {
	if err := errors.Join(may(a, accounts.ReadChecks), may(a, accounts.ReadCollections), d.checkOwn(ctx, a, collection)); err != nil {
		return nil, err
	}
	err = d.reports.quotations(ctx, collection, []string{name}, func(group string, q quotation) error {
		if group == a.Group {
			list = append(list, Finding{q.Check, q.Path, q.Source.Percent, q.Passages})
		}
		return nil
	})
	return list, err
}

// queueFiles queues uploaded files for a collection of the actor's group, a job for each.
func (d *collections) queueFiles(ctx context.Context, a accounts.Actor, collection, key, kind string, uploads []*Upload) (ids []string, err error) {
	r := request{key, []string{collection, kind}, uploads, cmp.Or(may(a, accounts.ChangeCollections), anyFile(uploads)), nil}
	result, err := d.uploads.once(ctx, a, r, func(tx *storage.Tx) string {
		var own string
		tx.RowOr(ErrNotFound, `SELECT id FROM collections WHERE id = ? AND group_id = ?`, collection, a.Group).Scan(&own)
		for _, u := range uploads {
			ids = append(ids, insertAddition(tx, a, collection, kind, u))
		}
		result, err := json.Marshal(ids)
		tx.Fail(err)
		return string(result)
	})
	d.queue.Wake()
	if err == nil {
		err = json.Unmarshal([]byte(result), &ids)
	}
	return ids, err
}
