package desk

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/hooks"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/tca"
)

// The webhooks send events to other systems.
type webhooks struct{ rounds }

// A Webhook is an address to which the events of a group are sent.
type Webhook struct {
	ID      string    `json:"id"`
	URL     string    `json:"url"`
	Events  []string  `json:"events"`
	Created time.Time `json:"created"`
	Open    int       `json:"open"`           // deliveries that are queued
	Last    *Delivery `json:"last,omitempty"` // the latest that was tried
}

// A Delivery is an event that was or will be sent.
type Delivery struct {
	ID       string    `json:"id"`
	Event    string    `json:"event"`
	Check    string    `json:"check,omitempty"` // id
	State    string    `json:"state" enum:"queued,done,failed"`
	Tries    int       `json:"tries"`
	Status   int       `json:"status,omitempty"` // of the last answer
	Reason   string    `json:"reason,omitempty"` // of the last failure
	Created  time.Time `json:"created"`
	Next     time.Time `json:"next,omitzero"` // try
	Finished time.Time `json:"finished,omitzero"`
}

// mostWebhooks is the number of webhooks that a group may have.
const mostWebhooks = 20

// errURL is the error for an address that no webhook may have.
var errURL = phrase.Error("hook.url", "a webhook needs an address with https, such as https://lms.example.org/otisk")

// Webhooks returns the webhooks of the actor's group.
func (d *webhooks) Webhooks(ctx context.Context, a accounts.Actor) ([]Webhook, error) {
	if err := may(a, accounts.ManageWebhooks); err != nil {
		return nil, err
	}
	return d.find(ctx, `group_id = ? AND integration_id IS NULL`, a.Group)
}

// webhooks returns the webhooks that meet a condition with one parameter.
func (d *webhooks) find(ctx context.Context, where, arg string) ([]Webhook, error) {
	all, err := list(ctx, d.folder.Read, func(row func(...any) error, w *Webhook) error {
		var events string
		err := row(&w.ID, &w.URL, &events, millis{&w.Created}, &w.Open)
		w.Events = strings.Fields(events)
		return err
	}, `SELECT id, url, events, created, (SELECT count(*) FROM deliveries WHERE webhook_id = webhooks.id AND state = 'queued') FROM webhooks WHERE `+where+` ORDER BY created, id`, arg)
	if err != nil {
		return nil, err
	}
	for i := range all {
		last, err := list(ctx, d.folder.Read, scanDelivery, selectDeliveries+`w.id = ? AND tries > 0 ORDER BY d.created DESC, d.rowid DESC LIMIT 1`, all[i].ID)
		if err != nil {
			return nil, err
		}
		if len(last) > 0 {
			all[i].Last = &last[0]
		}
	}
	return all, nil
}

// selectDeliveries reads deliveries d of webhooks w.
const selectDeliveries = `SELECT d.id, event, coalesce(check_id, ''), state, tries, ready, status, reason, d.created, finished FROM deliveries d
	JOIN webhooks w ON w.id = d.webhook_id WHERE `

func scanDelivery(row func(...any) error, x *Delivery) error {
	err := row(&x.ID, &x.Event, &x.Check, &x.State, &x.Tries, millis{&x.Next}, &x.Status, &x.Reason, millis{&x.Created}, millis{&x.Finished})
	if x.State != "queued" {
		x.Next = time.Time{}
	}
	return err
}

// Deliveries returns the deliveries of a webhook of the actor's group, the latest first.
func (d *webhooks) Deliveries(ctx context.Context, a accounts.Actor, webhook string, limit int) ([]Delivery, error) {
	if err := may(a, accounts.ManageWebhooks); err != nil {
		return nil, err
	}
	var id string
	if err := d.folder.Read.QueryRowContext(ctx, `SELECT id FROM webhooks WHERE id = ? AND group_id = ? AND integration_id IS NULL`, webhook, a.Group).Scan(&id); err != nil {
		return nil, found(err)
	}
	return list(ctx, d.folder.Read, scanDelivery, selectDeliveries+`w.id = ? ORDER BY d.created DESC, d.rowid DESC LIMIT ?`, webhook, page(limit))
}

// NewWebhook creates a webhook of the actor's group and returns the secret that signs its deliveries.
func (d *webhooks) NewWebhook(ctx context.Context, a accounts.Actor, url string, events []string) (id, secret string, err error) {
	if err := may(a, accounts.ManageWebhooks); err != nil {
		return "", "", err
	}
	url = strings.TrimSpace(url)
	if d.opts.Hooks == nil || d.opts.Hooks.Check(url) != nil {
		return "", "", &Invalid{"url", errURL}
	}
	var names []string
	for _, e := range events {
		if !slices.Contains(hooks.Events(), e) {
			return "", "", Wrong("events", "hook.event", "unknown event")
		}
		if !slices.Contains(names, e) {
			names = append(names, e)
		}
	}
	if len(names) == 0 {
		return "", "", Wrong("events", "hook.no-event", "a webhook needs an event")
	}
	id, secret = accounts.NewID(), hooks.NewSecret()
	err = d.folder.Write(ctx, func(tx *storage.Tx) {
		tx.RefuseIf(Wrong("url", "hook.many", "a group has at most {most} webhooks", "most", mostWebhooks), `SELECT count(*) >= ? FROM webhooks WHERE group_id = ? AND integration_id IS NULL`, mostWebhooks, a.Group)
		tx.Exec(`INSERT INTO webhooks (id, group_id, url, secret, events, created) VALUES (?, ?, ?, ?, ?, ?)`, id, a.Group, url, secret, strings.Join(names, " "), now())
		note(tx, a, "create webhook", id, url)
	})
	return id, secret, err
}

// DeleteWebhook deletes a webhook of the actor's group with its deliveries.
func (d *webhooks) DeleteWebhook(ctx context.Context, a accounts.Actor, id string) error {
	return d.change(ctx, may(a, accounts.ManageWebhooks), func(tx *storage.Tx) {
		tx.Change(ErrNotFound, `DELETE FROM webhooks WHERE id = ? AND group_id = ? AND integration_id IS NULL`, id, a.Group)
		note(tx, a, "delete webhook", id, "")
	})
}

// TryWebhook queues a delivery without a check, so that a user sees whether a webhook works.
func (d *webhooks) TryWebhook(ctx context.Context, a accounts.Actor, id string) error {
	return d.change(ctx, may(a, accounts.ManageWebhooks), func(tx *storage.Tx) {
		tx.Change(ErrNotFound, `INSERT INTO deliveries (id, webhook_id, event, created) SELECT ?, id, ?, ? FROM webhooks WHERE id = ? AND group_id = ? AND integration_id IS NULL`,
			accounts.NewID(), hooks.Ping, now(), id, a.Group)
	})
}

// IntegrationHooks returns the webhooks of the actor's integration.
func (d *webhooks) IntegrationHooks(ctx context.Context, a accounts.Actor) ([]tca.Webhook, error) {
	return listFor(ctx, may(a, accounts.Integrate), d.folder.Read, func(row func(...any) error, w *tca.Webhook) error {
		var events string
		err := row(&w.ID, &w.URL, &w.Description, &events, millis{&w.Created})
		w.Events = strings.Fields(strings.ReplaceAll(events, tcaEvent, ""))
		return err
	}, `SELECT id, url, description, events, created FROM webhooks WHERE integration_id = ? ORDER BY created, id`, a.Token)
}

// tcaEvent begins the events of the webhooks of integrations in the database.
const tcaEvent = "tca:"

// NewIntegrationHook creates a webhook of the actor's integration, signed by the key of the client.
func (d *webhooks) NewIntegrationHook(ctx context.Context, a accounts.Actor, n *tca.NewWebhook) (*tca.Webhook, error) {
	if err := may(a, accounts.Integrate); err != nil {
		return nil, err
	}
	events, err := tca.Events(n.Events)
	if err == nil {
		err = tca.CheckSecret(n.Secret)
	}
	if err != nil {
		return nil, &Invalid{"event_types", err}
	}
	if d.opts.Hooks == nil || d.opts.Hooks.Check(n.URL) != nil {
		return nil, &Invalid{"url", errURL}
	}
	w := &tca.Webhook{ID: tca.NewID(), URL: n.URL, Description: truncate(n.Description, 1000), Events: events, Created: timeOf(now())}
	return w, d.folder.Write(ctx, func(tx *storage.Tx) {
		var have, same int
		tx.Row(`SELECT count(*), count(CASE url WHEN ? THEN 1 END) FROM webhooks WHERE integration_id = ?`, n.URL, a.Token).Scan(&have, &same)
		switch {
		case same > 0:
			tx.Fail(ErrSameURL)
		case have >= mostHooks:
			tx.Fail(Wrong("url", "hook.many", "a group has at most {most} webhooks", "most", mostHooks))
		}
		tx.Exec(`INSERT INTO webhooks (id, group_id, integration_id, url, secret, events, description, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
			w.ID, a.Group, a.Token, n.URL, n.Secret, tcaEvent+strings.Join(events, " "+tcaEvent), w.Description, w.Created.UnixMilli())
		note(tx, a, "create webhook", w.ID, n.URL)
	})
}

// DeleteIntegrationHook deletes a webhook of the actor's integration with its deliveries.
func (d *webhooks) DeleteIntegrationHook(ctx context.Context, a accounts.Actor, id string) error {
	return d.change(ctx, may(a, accounts.Integrate), func(tx *storage.Tx) {
		tx.Change(ErrNotFound, `DELETE FROM webhooks WHERE id = ? AND integration_id = ?`, id, a.Token)
		note(tx, a, "delete webhook", id, "")
	})
}
