package desk

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/oidc"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/tca"
	"github.com/otisk/otisk/serve/work"
)

// The integrations are systems that send texts in the protocol of package tca.
type integrations struct {
	room
	queue     *work.Queue
	files     *storage.Shelf
	uploads   *uploads
	checks    *checks
	reports   *reports
	deletions *deletions
	webhooks  *webhooks
}

// An Integration is a journal system or learning platform that sends texts in the protocol of package tca.
type Integration struct {
	ID string `json:"id"`
	NewIntegration
	Texts    int       `json:"texts"` // that it has created
	Created  time.Time `json:"created"`
	Used     time.Time `json:"used,omitzero"`
	Webhooks []Webhook `json:"webhooks,omitempty"`
}

// A NewIntegration is the settings of an integration.
type NewIntegration struct {
	Name        string   `json:"name" min:"1" max:"200"`
	Collections []string `json:"collections" doc:"ids of the collections to check against"`
	Preset      string   `json:"preset,omitempty" doc:"id of the preset of its checks; what the client asks for is added to it"`
	Index       string   `json:"index,omitempty" doc:"id of the collection to which texts are added if the client asks for it; empty for none"`
	Viewers     string   `json:"viewers" enum:"instructors,everybody" doc:"who may open reports"`
	Terms       string   `json:"terms,omitempty" doc:"of use, which submitters must accept; empty for none"`
}

// Who may open the reports of an integration.
const (
	ViewInstructors = "instructors"
	ViewEverybody   = "everybody"
)

// Limits of integrations.
const (
	mostIntegrations = 50
	mostTerms        = 100_000 // bytes
)

func (n *NewIntegration) check() (err error) {
	n.Name, err = checkName(n.Name)
	n.Terms = strings.TrimSpace(n.Terms)
	switch {
	case err != nil:
		return err
	case len(n.Collections) == 0 || len(n.Collections) > mostCollections || len(slices.Compact(slices.Sorted(slices.Values(n.Collections)))) < len(n.Collections):
		return Wrong("collections", "serve.collections", "choose up to {most} different collections", "most", mostCollections)
	case n.Viewers != ViewInstructors && n.Viewers != ViewEverybody:
		return Wrong("viewers", "tca.viewers", "choose who may open reports")
	case len(n.Terms) > mostTerms:
		return Wrong("terms", "tca.terms-long", "the terms have at most {most} bytes", "most", mostTerms)
	}
	return nil
}

const selectIntegrations = `SELECT id, name, collections, preset_id, index_id, viewers, terms, created, used, (SELECT count(*) FROM integration_texts WHERE integration_id = i.id) FROM integrations i`

func scanIntegration(row func(...any) error, i *Integration) error {
	var collections string
	err := row(&i.ID, &i.Name, &collections, &i.Preset, &i.Index, &i.Viewers, &i.Terms, millis{&i.Created}, millis{&i.Used}, &i.Texts)
	i.Collections = strings.Fields(collections)
	return err
}

// Integrations returns the integrations of the actor's group, with their webhooks.
func (d *integrations) Integrations(ctx context.Context, a accounts.Actor) ([]Integration, error) {
	if err := may(a, accounts.ManageIntegrations); err != nil {
		return nil, err
	}
	all, err := list(ctx, d.folder.Read, scanIntegration, selectIntegrations+` WHERE group_id = ? ORDER BY created, id`, a.Group)
	for i := range all {
		if err == nil {
			all[i].Webhooks, err = d.webhooks.find(ctx, `integration_id = ?`, all[i].ID)
		}
	}
	return all, err
}

// SaveIntegration creates an integration of the actor's group, or changes the one with this id. It returns
// the id and, of a new one, the key, which is stored as a hash only.
func (d *integrations) SaveIntegration(ctx context.Context, a accounts.Actor, id string, n NewIntegration) (_, key string, err error) {
	action := "change integration"
	err = d.change(ctx, errors.Join(may(a, accounts.ManageIntegrations), n.check()), func(tx *storage.Tx) {
		tx.RefuseIf(ErrNotFound, `SELECT ?1 != '' AND NOT EXISTS (SELECT 1 FROM integrations WHERE id = ?1 AND group_id = ?2)`, id, a.Group)
		n.checkKnown(tx, a)
		tx.RefuseIf(ErrInUse, `SELECT count(*) > 0 FROM integrations WHERE group_id = ? AND name = ? AND id != ?`, a.Group, n.Name, id)
		if id == "" {
			action = "create integration"
			id, key = insertIntegration(tx, a, n.Name)
		}
		tx.Change(ErrNotFound, `UPDATE integrations SET name = ?1, collections = ?2, preset_id = ?3, index_id = ?4, viewers = ?5, terms = ?6, terms_at = CASE terms WHEN ?6 THEN terms_at ELSE ?7 END WHERE id = ?8 AND group_id = ?9`,
			n.Name, strings.Join(n.Collections, " "), n.Preset, n.Index, n.Viewers, n.Terms, now(), id, a.Group)
		note(tx, a, action, id, n.Name)
	})
	return id, key, err
}

// checkKnown makes a transaction fail unless the group may use the collections and the preset.
func (n *NewIntegration) checkKnown(tx *storage.Tx, a accounts.Actor) {
	for _, collection := range n.Collections {
		checkUsable(tx, a, collection)
	}
	for _, part := range []struct{ id, table, field, message, text string }{
		{n.Index, "collections", "index", "serve.collection", "unknown collection"}, {n.Preset, "presets", "preset", "serve.preset", "unknown preset"},
	} {
		if part.id == "" {
			continue
		}
		tx.RefuseIf(Wrong(part.field, part.message, part.text), `SELECT NOT EXISTS (SELECT 1 FROM `+part.table+` WHERE id = ? AND group_id = ?)`, part.id, a.Group)
	}
}

// integrationIssuer returns the issuer of the users of an integration, whom nobody signs in.
func integrationIssuer(id string) string { return "tca " + id }

// insertIntegration adds an integration without values, and the user in whose name it submits texts.
func insertIntegration(tx *storage.Tx, a accounts.Actor, name string) (id, key string) {
	tx.RefuseIf(Wrong("name", "tca.most", "a group has at most {most} integrations", "most", mostIntegrations), `SELECT count(*) >= ? FROM integrations WHERE group_id = ?`, mostIntegrations, a.Group)
	id = accounts.NewID()
	key, hash := accounts.NewSecret()
	u, refused := createExternal(tx, &oidc.Identity{Issuer: integrationIssuer(id), Login: "integration-" + id[:8], Name: name, Role: accounts.Checker}, a.Group)
	tx.Fail(refused)
	tx.Exec(`INSERT INTO integrations (id, group_id, user_id, name, hash, collections, preset_id, index_id, viewers, terms, terms_at, created) VALUES (?1, ?2, ?3, ?1, ?4, '', '', '', '', '', ?5, ?5)`, id, a.Group, u.User, hash, now())
	return id, key
}

// NewIntegrationKey replaces the key of an integration of the actor's group. The earlier one ends at once.
func (d *integrations) NewIntegrationKey(ctx context.Context, a accounts.Actor, id string) (key string, err error) {
	key, hash := accounts.NewSecret()
	err = d.change(ctx, may(a, accounts.ManageIntegrations), func(tx *storage.Tx) {
		tx.Change(ErrNotFound, `UPDATE integrations SET hash = ? WHERE id = ? AND group_id = ?`, hash, id, a.Group)
		note(tx, a, "new integration key", id, "")
	})
	return key, err
}

// DeleteIntegration deletes an integration of the actor's group with its webhooks. Its checks stay, and
// texts that were added to a collection, too.
func (d *integrations) DeleteIntegration(ctx context.Context, a accounts.Actor, id string) error {
	return d.change(ctx, may(a, accounts.ManageIntegrations), func(tx *storage.Tx) {
		var name string
		tx.RowOr(ErrNotFound, `DELETE FROM integrations WHERE id = ? AND group_id = ? RETURNING name`, id, a.Group).Scan(&name)
		note(tx, a, "delete integration", id, name)
	})
}

// IntegrationActor returns who acts by a key of an integration, or ErrNotFound. The token of the actor is
// the integration.
func (d *integrations) IntegrationActor(ctx context.Context, key string) (a accounts.Actor, err error) {
	var used int64
	err = d.folder.Read.QueryRowContext(ctx, `SELECT u.id, u.login, u.name, u.role, i.group_id, i.id, used FROM integrations i JOIN users u ON u.id = user_id WHERE hash = ? AND NOT u.disabled`, accounts.HashSecret(key)).
		Scan(&a.User, &a.Login, &a.Name, &a.Role, &a.Group, &a.Token, &used)
	a.Scopes = []accounts.Scope{accounts.ScopeIntegration}
	if err == nil && now()-used > seenStep.Milliseconds() {
		d.noteUse(ctx, `UPDATE integrations SET used = ? WHERE id = ?`, now(), a.Token)
	}
	return a, found(err)
}

// integrationIn is [integrations.integration] in a transaction.
func (d *integrations) integrationIn(tx *storage.Tx, a accounts.Actor) *Integration {
	return new(read(tx, func(ctx context.Context, db *sql.Tx) (Integration, error) { return d.integration(ctx, db, a) }))
}

// integration returns the integration of an actor with its key.
func (d *integrations) integration(ctx context.Context, db storage.Querier, a accounts.Actor) (i Integration, err error) {
	if err := may(a, accounts.Integrate); err != nil {
		return i, err
	}
	err = scanIntegration(db.QueryRowContext(ctx, selectIntegrations+` WHERE id = ?`, a.Token).Scan, &i)
	return i, found(err)
}

// TermsOf returns the terms of use of an integration by their version, "latest" for the present one, or
// ErrNotFound. Everybody may read them.
func (d *integrations) TermsOf(ctx context.Context, integration, version string) (terms, exact string, since time.Time, err error) {
	var at int64
	err = d.folder.Read.QueryRowContext(ctx, `SELECT terms, terms_at FROM integrations WHERE id = ?`, integration).Scan(&terms, &at)
	exact = tca.Version(terms)
	if err == nil && version != "latest" && version != exact {
		err = ErrNotFound
	}
	return terms, exact, timeOf(at), found(err)
}

// AcceptTerms stores that a user of the client has accepted the present terms.
func (d *integrations) AcceptTerms(ctx context.Context, a accounts.Actor, t *tca.Terms) error {
	i, err := d.integration(ctx, d.folder.Read, a)
	if err != nil {
		return err
	}
	exact := tca.Version(i.Terms)
	if t.Version != "latest" && t.Version != exact {
		return ErrNotFound
	}
	if t.User == "" || len(t.User) > 1000 || len(t.Language) > 100 {
		return Wrong("user_id", "serve.name", "a name has 1 to {most} bytes", "most", 1000)
	}
	return d.write(ctx, `INSERT INTO integration_terms (integration_id, person, version, language, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`, i.ID, string(t.User), exact, t.Language, now())
}

// AcceptedTerms returns when a user of the client has accepted terms, or ErrNotFound.
func (d *integrations) AcceptedTerms(ctx context.Context, a accounts.Actor, version, user string) (t tca.Terms, err error) {
	i, err := d.integration(ctx, d.folder.Read, a)
	if err != nil {
		return t, err
	}
	if version == "latest" {
		version = tca.Version(i.Terms)
	}
	var at int64
	t.User, t.Version = tca.Text(user), version
	err = d.folder.Read.QueryRowContext(ctx, `SELECT language, at FROM integration_terms WHERE integration_id = ? AND person = ? AND version = ?`, i.ID, user, version).Scan(&t.Language, &at)
	t.At = timeOf(at).Format(time.RFC3339)
	return t, found(err)
}
