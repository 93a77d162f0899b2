package desk

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/indexes"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/work"
	"github.com/otisk/otisk/store"
)

// The collections are the documents that texts are checked against.
type collections struct {
	room
	queue   *work.Queue
	indexes *indexes.Opener
	uploads *uploads
	reports *reports
	remains *remains
}

// A Collection is a set of documents that texts are checked against.
type Collection struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Shared    bool      `json:"shared"`            // other groups may check against it, too
	Private   bool      `json:"private"`           // other groups see only that a passage is in it
	Contact   string    `json:"contact,omitempty"` // of a private collection: whom to ask
	Own       bool      `json:"own"`               // of the actor's group
	Documents int64     `json:"documents" doc:"0 for a private collection of another group"`
	Words     int64     `json:"words" doc:"likewise"`
	Pending   int       `json:"pending"` // additions that are queued or running
	Created   time.Time `json:"created"`
	Index     string    `json:"index,omitempty" doc:"name of its index in the cluster, if it is not in a folder"`
	Keep      int       `json:"keep,omitempty" doc:"days after the addition until a document is deleted; 0 for ever"`
	Expires   time.Time `json:"expires,omitzero" doc:"when the next document will be deleted"`
}

// Counted reports whether the actor's group may know how many documents and words the collection has.
func (c *Collection) Counted() bool { return c.Own || !c.Private }

const selectCollections = `SELECT id, name, shared, private, contact, group_id = ?, documents, words,
	(SELECT count(*) FROM additions WHERE collection_id = collections.id AND state IN ('queued', 'running')), created,
	index_name, keep, keep_set, CASE keep WHEN 0 THEN 0 ELSE (SELECT coalesce(min(added), 0) FROM document_times WHERE collection_id = collections.id) END FROM collections WHERE (group_id = ? OR shared)`

func scanCollection(row func(...any) error, c *Collection) error {
	var set, first int64
	err := row(&c.ID, &c.Name, &c.Shared, &c.Private, &c.Contact, &c.Own, &c.Documents, &c.Words, &c.Pending, millis{&c.Created}, &c.Index, &c.Keep, &set, &first)
	if first != 0 {
		c.Expires = expiry(c.Keep, first, set)
	}
	if !c.Counted() {
		*c = Collection{ID: c.ID, Name: c.Name, Shared: c.Shared, Private: c.Private, Contact: c.Contact, Created: c.Created}
	}
	return err
}

// Collections returns the collections that the actor's group may use, by name.
func (d *collections) Collections(ctx context.Context, a accounts.Actor) ([]Collection, error) {
	return listFor(ctx, may(a, accounts.ReadCollections), d.folder.Read, scanCollection, selectCollections+` ORDER BY name COLLATE NOCASE`, a.Group, a.Group)
}

// Collection returns a collection that the actor's group may use.
func (d *collections) Collection(ctx context.Context, a accounts.Actor, id string) (*Collection, error) {
	return firstFor(ctx, may(a, accounts.ReadCollections), d.folder.Read, scanCollection, selectCollections+` AND id = ?`, a.Group, a.Group, id)
}

// NewCollection creates a collection. Its index is created when the first job needs it.
func (d *collections) NewCollection(ctx context.Context, a accounts.Actor, name string, shared bool) (id string, err error) {
	return d.newCollection(ctx, a, name, shared, false, "")
}

// NewPrivateCollection creates a collection that other groups may check against. They learn only that
// a passage is in a private collection of the group, with its share, and the contact: whom to ask.
func (d *collections) NewPrivateCollection(ctx context.Context, a accounts.Actor, name, contact string) (id string, err error) {
	if contact = strings.TrimSpace(contact); contact == "" || longer(contact, mostLabel) {
		return "", Wrong("contact", "serve.contact", "name whom to ask, in at most {most} characters", "most", mostLabel)
	}
	return d.newCollection(ctx, a, name, true, true, contact)
}

func (d *collections) newCollection(ctx context.Context, a accounts.Actor, name string, shared, private bool, contact string) (id string, err error) {
	name, err = checkName(name)
	id = accounts.NewID()
	err = d.change(ctx, errors.Join(may(a, accounts.ChangeCollections), err), func(tx *storage.Tx) {
		tx.Change(ErrInUse, `INSERT INTO collections (id, group_id, name, shared, private, contact, created, index_name, secret) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`, id, a.Group, name, shared, private, contact, now(), d.indexes.IndexName(id), accounts.NewID())
		note(tx, a, "create collection", id, name)
	})
	return id, err
}

// DeleteCollection deletes a collection of the actor's group with its index. It returns ErrHasChecks
// if there are checks against it, and ErrBusy if jobs use it.
func (d *collections) DeleteCollection(ctx context.Context, a accounts.Actor, id string) error {
	var left []string
	err := d.change(ctx, may(a, accounts.ChangeCollections), func(tx *storage.Tx) {
		var checks, jobs int
		tx.RowOr(ErrNotFound, `SELECT (SELECT count(*) FROM submissions WHERE collection_id = c.id) + (SELECT count(*) FROM submission_collections WHERE collection_id = c.id)
			+ (SELECT count(*) FROM integrations WHERE instr(' ' || collections || ' ' || index_id || ' ', ' ' || c.id || ' ') > 0), (SELECT count(*) FROM jobs WHERE collection_id = c.id AND state IN ('queued', 'running'))
			FROM collections c WHERE id = ? AND group_id = ?`, id, a.Group).Scan(&checks, &jobs)
		switch {
		case jobs > 0:
			tx.Fail(ErrBusy)
		case checks > 0:
			tx.Fail(ErrHasChecks)
		}
		tx.Exec(`INSERT INTO deleted_indexes (name) SELECT index_name FROM collections WHERE id = ? AND index_name != ''`, id)
		for _, query := range []string{`DELETE FROM additions WHERE collection_id = ?`, `DELETE FROM removals WHERE collection_id = ?`, `DELETE FROM sources WHERE collection_id = ?`} {
			tx.Exec(query, id)
		}
		deleteJobs(tx, id)
		tx.Exec(`DELETE FROM collections WHERE id = ?`, id)
		left = insertRemains(tx, remain{kind: remainIndex, name: id})
		note(tx, a, "delete collection", id, "")
	})
	if err != nil {
		return err
	}
	if err := d.deleteIndexes(ctx); err != nil { // tried again
		d.opts.Log.Warn("delete the index of a collection", "cause", err)
	}
	d.remains.remove(ctx, left)
	return nil
}

// deleteIndexes deletes the indexes of deleted collections in the cluster.
func (d *collections) deleteIndexes(ctx context.Context) error {
	names, err := list(ctx, d.folder.Read, scanString, `SELECT name FROM deleted_indexes`)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := d.indexes.Delete(ctx, indexes.Place{Index: name}); err != nil {
			return err
		}
		err := d.write(ctx, `DELETE FROM deleted_indexes WHERE name = ?`, name)
		if err != nil {
			return err
		}
	}
	return nil
}

// checkCluster returns an error if collections are in a cluster and the server has none.
func (d *collections) checkCluster(ctx context.Context) error {
	var used bool
	err := d.folder.Read.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM collections WHERE index_name != '') OR EXISTS (SELECT 1 FROM deleted_indexes)`).Scan(&used)
	if err == nil && used && d.opts.Cluster == nil {
		return phrase.Error("serve.needs-cluster", "collections of this folder are in an Elasticsearch cluster: name it by --cluster")
	}
	return err
}

// An Addition is an uploaded file for a collection, or a run of a source of it.
type Addition struct {
	ID        string          `json:"id"`
	Kind      string          `json:"kind" enum:"files,table,folder,oai,feed"` // table is one with metadata
	Name      string          `json:"name"`
	Size      int64           `json:"size"`
	By        string          `json:"by"`
	State     string          `json:"state" enum:"queued,running,done,failed,cancelled"`
	Reason    string          `json:"reason,omitempty"`
	Message   *phrase.Stored  `json:"-"`         // of the reason
	Added     int             `json:"added"`     // documents, or those that metadata of a table were set for
	Unchanged int             `json:"unchanged"` // documents that the collection already had
	Skipped   []search.Unread `json:"skipped"`   // files that could not be read, with the reasons
	Created   time.Time       `json:"created"`
	Finished  time.Time       `json:"finished,omitzero"`
}

// Add queues the addition of uploaded files to a collection of the actor's group, a job for each. It
// returns the ids of the additions. key is used as in [Desk.Submit].
func (d *collections) Add(ctx context.Context, a accounts.Actor, collection, key string, uploads []*Upload) ([]string, error) {
	return d.queueFiles(ctx, a, collection, key, filesKind, uploads)
}

func insertAddition(tx *storage.Tx, a accounts.Actor, collection, kind string, u *Upload) (id string) {
	job := insertJob(tx, work.Queued, work.Add, collection)
	id = accounts.NewID()
	tx.Exec(`INSERT INTO additions (id, collection_id, job_id, user_id, file, name, size, state, created, kind) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		id, collection, job, a.User, u.file, u.Name, u.Size, work.Queued, now(), kind)
	note(tx, a, map[string]string{filesKind: "add to collection", tableKind: "describe documents", documentKind: "describe documents"}[kind], collection, u.Name)
	return id
}

// Additions returns the additions to a collection of the actor's group, the latest first.
func (d *collections) Additions(ctx context.Context, a accounts.Actor, collection string, limit int) ([]Addition, error) {
	return listFor(ctx, d.checkOwn(ctx, a, collection), d.folder.Read, func(row func(...any) error, x *Addition) error {
		var skipped string
		err := row(&x.ID, &x.Kind, &x.Name, &x.Size, &x.By, &x.State, &x.Reason, storage.Message{To: &x.Message}, &x.Added, &x.Unchanged, &skipped, millis{&x.Created}, millis{&x.Finished})
		return errors.Join(err, json.Unmarshal([]byte(skipped), &x.Skipped))
	}, `SELECT a.id, a.kind, a.name, size, login, state, reason, message, added, unchanged, skipped, a.created, finished FROM additions a JOIN users u ON u.id = user_id
		WHERE collection_id = ? ORDER BY a.created DESC, a.rowid DESC LIMIT ?`, collection, page(limit))
}

// checkOwn returns ErrNotFound unless the collection is of the actor's group.
func (d *collections) checkOwn(ctx context.Context, a accounts.Actor, collection string) error {
	c, err := d.Collection(ctx, a, collection)
	if err == nil && !c.Own {
		return ErrNotFound
	}
	return err
}

// A Document is a document of a collection.
type Document struct {
	Name     string            `json:"name"`
	Title    string            `json:"title,omitempty"`
	Author   string            `json:"author,omitempty"`
	Year     int               `json:"year,omitempty"`
	Address  string            `json:"address,omitempty"`
	Labels   map[string]string `json:"labels,omitempty"`
	Words    int64             `json:"words"`
	Format   string            `json:"format" doc:"what the file was read as"`
	Language string            `json:"language,omitempty" doc:"code of ISO 639-1, as detected"`
	Changed  time.Time         `json:"changed" doc:"date of the file"`
	Expires  time.Time         `json:"expires,omitzero" doc:"when it will be deleted"`
}

// documentOf returns an entry of an index. Metadata that people set override those of its file.
func documentOf(doc *store.Document) Document {
	said := doc.Description()
	return Document{Name: doc.Name(), Title: said.Title, Author: said.Author, Year: said.Year, Address: said.Address, Labels: said.Labels, Words: doc.Words, Format: doc.Format, Language: doc.Language, Changed: doc.ModTime}
}

// places returns where collections are.
func (d *collections) places(ctx context.Context, ids ...string) (all []indexes.Place, err error) {
	for _, id := range ids {
		var p indexes.Place
		if err := d.folder.Read.QueryRowContext(ctx, `SELECT id, index_name, documents > 0 FROM collections WHERE id = ?`, id).Scan(&p.ID, &p.Index, &p.Filled); err != nil {
			return nil, found(err)
		}
		all = append(all, p)
	}
	return all, nil
}

// ready returns where collections are, or an error wrapping indexes.ErrAway if one is in a cluster that
// does not answer.
func (d *collections) ready(ctx context.Context, ids ...string) ([]indexes.Place, error) {
	all, err := d.places(ctx, ids...)
	if err == nil {
		err = d.indexes.Ready(ctx, all...)
	}
	return all, err
}

// withIndex calls fn with the index of a collection, unless nothing was added yet.
func (d *collections) withIndex(ctx context.Context, collection string, fn func(store.Reader) error) (err error) {
	places, err := d.places(ctx, collection)
	if err != nil {
		return err
	}
	r, err := d.indexes.Open(ctx, places[0])
	if errors.Is(err, store.ErrNoIndex) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return indexes.Explain(places[0], fn(r))
}

// errEnough ends a list of documents.
var errEnough = errors.New("enough")

// Documents returns documents of a collection of the actor's group, by name: those whose names begin with
// prefix and that have query in their name, title or author, without regard to case and diacritics.
func (d *collections) Documents(ctx context.Context, a accounts.Actor, collection, prefix, query string, limit int) ([]Document, error) {
	if err := d.checkOwn(ctx, a, collection); err != nil {
		return nil, err
	}
	all, sought := []Document{}, storage.Fold(query)
	err := d.withIndex(ctx, collection, func(r store.Reader) error {
		return r.Documents(ctx, prefix, func(doc store.Document) error {
			if len(all) == page(limit) {
				return errEnough
			}
			if one := documentOf(&doc); strings.Contains(storage.Fold(one.Name+"\n"+one.Title+"\n"+one.Author), sought) {
				all = append(all, one)
			}
			return nil
		})
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return all, errors.Join(err, d.setExpiry(ctx, collection, all))
}

// unlessAway returns err, or nil if the cluster does not answer: the health page reports that,
// and due work is done later.
func unlessAway(err error) error {
	if errors.Is(err, indexes.ErrAway) {
		return nil
	}
	return err
}

// KeepDocuments sets after how many days from its addition the server deletes a document of a
// collection of the actor's group; 0 means never.
func (d *collections) KeepDocuments(ctx context.Context, a accounts.Actor, collection string, days int) error {
	return d.change(ctx, errors.Join(may(a, accounts.DeleteDocuments), checkKeep("days", days)), func(tx *storage.Tx) {
		// The documents are listed at the next look, so that the page shows when they are deleted.
		tx.Change(ErrNotFound, `UPDATE collections SET keep = ?, keep_set = ?, listed_at = 0 WHERE id = ? AND group_id = ?`, days, d.opts.Now().UnixMilli(), collection, a.Group)
		note(tx, a, "keep documents", collection, fmt.Sprint(days))
	})
}

// setCounts sets the numbers of documents and words of a collection that has changed.
func setCounts(tx *storage.Tx, collection string, o *work.Outcome) {
	tx.Exec(`UPDATE collections SET documents = ?, words = ?, changes = changes + 1 WHERE id = ?`, o.Documents, o.Words, collection)
}

// setExpiry sets when documents of a collection will be deleted.
func (d *collections) setExpiry(ctx context.Context, collection string, all []Document) error {
	var keep int
	var set int64
	err := d.folder.Read.QueryRowContext(ctx, `SELECT keep, keep_set FROM collections WHERE id = ?`, collection).Scan(&keep, &set)
	if err != nil || keep == 0 {
		return err
	}
	for i := range all {
		var added int64
		err := d.folder.Read.QueryRowContext(ctx, `SELECT added FROM document_times WHERE collection_id = ? AND document = ?`, collection, rowOf(store.IDOf("", all[i].Name))).Scan(&added)
		switch {
		case err == nil:
			all[i].Expires = expiry(keep, added, set)
		case !errors.Is(err, sql.ErrNoRows): // not listed yet
			return err
		}
	}
	return nil
}

// checkUsable makes a transaction fail unless the actor's group may use a collection.
func checkUsable(tx *storage.Tx, a accounts.Actor, collection string) {
	unknown := Wrong("collection", "serve.collection", "unknown collection")
	tx.RefuseIf(unknown, `SELECT NOT EXISTS (SELECT 1 FROM collections WHERE id = ? AND (group_id = ? OR shared))`, collection, a.Group)
}

// setFiles sets the file that a job adds.
func (d *collections) setFiles(ctx context.Context, j work.Job, task *work.Task) (err error) {
	if task.Files, err = list(ctx, d.folder.Read, scanFile, `SELECT file, name FROM additions WHERE job_id = ? AND state = 'running'`, j.ID); err != nil {
		return err
	}
	return d.folder.Read.QueryRowContext(ctx, `SELECT kind IN (?1, ?2), kind = ?2 FROM additions WHERE job_id = ?3`, tableKind, documentKind, j.ID).Scan(&task.Table, &task.Whole)
}

// finishAddition records what an addition or a run of a source has added.
func (d *collections) finishAddition(ctx context.Context, j work.Job, task *work.Task, o *work.Outcome) error {
	skipped, err := json.Marshal(o.Unread)
	if err != nil {
		return err
	}
	if len(o.Unread) == 0 {
		skipped = []byte("[]")
	}
	state, failure := work.Done, error(nil)
	if o.Added+o.Unchanged == 0 && (j.Kind != work.Gather || len(o.Unread) > 0) {
		state, failure = work.Failed, errNoText
		if len(o.Unread) > 0 {
			failure = phrase.Kept(o.Unread[0].Reason, o.Unread[0].Message)
		}
	}
	reason, message := storage.Reason(failure)
	var left []string
	err = whileRuns(ctx, d.folder, j, func(tx *storage.Tx) {
		tx.Exec(`UPDATE additions SET state = ?, reason = ?, message = ?, added = ?, unchanged = ?, skipped = ?, finished = ? WHERE job_id = ?`, state, reason, message, o.Added, o.Unchanged, string(skipped), now(), j.ID)
		setCounts(tx, j.Collection, o)
		endJob(tx, j.ID, state, failure)
		if j.Kind == work.Gather {
			finishRun(tx, d.opts.Now(), j, o.More)
		}
		if j.Kind == work.Add { // the index keeps the text
			left = insertRemains(tx, remain{kind: remainFile, name: filepath.Base(task.Files[0].Path)})
		}
	})
	if err == nil && len(left) > 0 {
		d.remains.remove(ctx, left)
	}
	return err
}

// mostHits is the limit of texts of a group in a day whose reports state a share of a private collection of
// another one. Then the collection is closed to the group until a day has passed: it may be guessing.
const mostHits = 100

// privateHits selects the hits of a group in a collection in the last day.
const privateHits = `SELECT coalesce(sum(hits), 0) FROM private_checks WHERE collection_id = ? AND group_id = ? AND at > ?`

// privateCollections returns the collections of a task whose documents the group of the submission must not see.
func (d *collections) privateCollections(ctx context.Context, submission string, places []indexes.Place) (all []work.Private, err error) {
	for i, p := range places {
		var name, owner, contact, group string
		one := work.Private{Index: i}
		err := d.folder.Read.QueryRowContext(ctx, `SELECT c.name, g.name, c.contact, c.secret, s.group_id FROM collections c JOIN groups g ON g.id = c.group_id, submissions s
			WHERE c.id = ? AND s.id = ? AND c.private AND c.group_id != s.group_id`, p.ID, submission).Scan(&name, &owner, &contact, &one.Secret, &group)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		var hits int
		if err == nil {
			err = d.folder.Read.QueryRowContext(ctx, privateHits, p.ID, group, now()-day).Scan(&hits)
		}
		if err != nil {
			return nil, err
		}
		one.Owner, one.Closed = name+", "+owner+"; "+contact, hits >= mostHits
		all = append(all, one)
	}
	return all, nil
}

// notePrivate records a check against private collections of other groups, for their owners. If a group
// reaches the limit, it adds an entry to the audit log of the owner.
func notePrivate(tx *storage.Tx, j work.Job, task *work.Task, results []result) {
	for _, p := range task.Private {
		id, hits := task.Collections[p.Index].ID, 0
		for _, r := range results {
			if slices.Contains(r.text.Private, p.Index) {
				hits++
			}
		}
		var user, group, name, owner string
		tx.RowOr(sql.ErrNoRows, `SELECT s.user_id, s.group_id, g.name, k.group_id FROM checks c JOIN submissions s ON s.id = c.submission_id JOIN groups g ON g.id = s.group_id, collections k
			WHERE c.job_id = ? AND k.id = ? LIMIT 1`, j.ID, id).Scan(&user, &group, &name, &owner)
		var before int
		tx.Row(privateHits, id, group, now()-day).Scan(&before)
		tx.Exec(`INSERT INTO private_checks (collection_id, group_id, user_id, at, texts, hits) VALUES (?, ?, ?, ?, ?, ?)`, id, group, user, now(), len(results), hits)
		if before < mostHits && before+hits >= mostHits {
			note(tx, accounts.Actor{Group: owner}, "close private collection", id, name)
		}
	}
}

// A PrivateCheck is a check of another group against a private collection.
type PrivateCheck struct {
	At    time.Time `json:"at"`
	Group string    `json:"group"` // name
	By    string    `json:"by"`    // login
	Texts int       `json:"texts"`
	Hits  int       `json:"hits" doc:"texts with passages of the collection"`
}

// PrivateChecks returns the checks of other groups against a private collection of the actor's group, the
// latest first.
func (d *collections) PrivateChecks(ctx context.Context, a accounts.Actor, collection string, limit int) ([]PrivateCheck, error) {
	return listFor(ctx, d.checkOwn(ctx, a, collection), d.folder.Read, func(row func(...any) error, c *PrivateCheck) error {
		return row(millis{&c.At}, &c.Group, &c.By, &c.Texts, &c.Hits)
	}, `SELECT p.at, g.name, u.login, p.texts, p.hits FROM private_checks p JOIN groups g ON g.id = p.group_id JOIN users u ON u.id = p.user_id
		WHERE p.collection_id = ? ORDER BY p.at DESC, p.rowid DESC LIMIT ?`, collection, page(limit))
}
