package desk

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/otisk/otisk/serve/hooks"
	"github.com/otisk/otisk/serve/work"
)

// Times and numbers of deliveries.
const (
	senders       = fetchers            // deliveries at the same time
	deliveryStep  = time.Second         // between queries for due deliveries
	deliveryKept  = 30 * 24 * time.Hour // after its end
	deliveryClean = time.Hour           // between removals of old ones
)

// Deliver sends webhooks until ctx ends. base is the address of the server in them. A delivery that was being sent when a server stopped is sent
// again: a receiver recognises it by its id.
func (d *webhooks) Deliver(ctx context.Context, base string) error {
	if d.opts.Hooks == nil {
		return nil
	}
	var cleaned time.Time
	d.repeat(ctx, deliveryStep, "webhooks", func(ctx context.Context) (int, error) {
		if time.Since(cleaned) > deliveryClean {
			cleaned = time.Now()
			if err := d.cleanDeliveries(ctx); err != nil {
				return 0, err
			}
		}
		return d.deliverDue(ctx, base)
	})
	return nil
}

func (d *webhooks) cleanDeliveries(ctx context.Context) error {
	return d.write(ctx, `DELETE FROM deliveries WHERE state != 'queued' AND finished < ?`, time.Now().Add(-deliveryKept).UnixMilli())
}

// A due delivery is one whose time has come.
type due struct {
	id, url, secret, event, check string
	integration                   string // id, "" for a webhook of the group
	tries                         int
}

// deliverDue sends deliveries whose time has come, at most one for each webhook, so that a slow
// receiver does not delay others. It returns their number.
func (d *webhooks) deliverDue(ctx context.Context, base string) (int, error) {
	all, err := list(ctx, d.folder.Read, func(row func(...any) error, x *due) error {
		return row(&x.id, &x.url, &x.secret, &x.event, &x.check, &x.integration, &x.tries)
	}, `SELECT d.id, url, secret, event, coalesce(check_id, ''), coalesce(integration_id, ''), tries FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id
		WHERE d.rowid IN (SELECT min(rowid) FROM deliveries WHERE state = 'queued' AND (ready <= ? OR ready > ?) GROUP BY webhook_id) LIMIT ?`, now(), time.Now().Add(hooks.MostDelay).UnixMilli(), senders)
	if err != nil {
		return 0, err
	}
	return len(all), each(all, func(x due) error { return d.deliver(ctx, base, x) })
}

// deliver sends a delivery once, and records the result.
func (d *webhooks) deliver(ctx context.Context, base string, x due) error {
	var body []byte
	var err error
	if x.integration != "" {
		body, err = integrationEvent(ctx, d.folder, x)
	} else {
		body, err = d.eventBody(ctx, base, x)
	}
	if errors.Is(err, sql.ErrNoRows) { // its check or webhook was deleted meanwhile, and the delivery with it
		return nil
	}
	if err != nil {
		return err
	}
	status, failure := d.opts.Hooks.Send(ctx, &hooks.Delivery{ID: x.id, URL: x.url, Secret: x.secret, Event: x.event, Body: body, TCA: x.integration != ""})
	if ctx.Err() != nil {
		return nil // the next server sends it again
	}
	state, next, finished := "done", int64(0), now()
	if failure != nil {
		d.opts.Log.Warn("webhook failed", "delivery", x.id, "try", x.tries+1, "cause", failure)
		state = "failed"
		if wait, again := hooks.Delay(x.tries + 1); again {
			state, next, finished = "queued", time.Now().Add(wait).UnixMilli(), 0
		}
	}
	return d.write(ctx, `UPDATE deliveries SET state = ?, tries = tries + 1, ready = ?, status = ?, reason = ?, finished = ? WHERE id = ?`,
		state, next, status, hooks.Reason(failure), finished, x.id)
}

// An Event is the body of a delivery.
type Event struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Data      EventData `json:"data"`
}

// EventData describes a text. The names are those that plugins of learning platforms know from other
// services.
type EventData struct {
	SubmissionID string     `json:"submission_id,omitempty"` // id of the check
	Upload       string     `json:"upload,omitempty"`        // id of the submission, which may have many checks
	Owner        string     `json:"owner,omitempty"`         // login
	Title        string     `json:"title,omitempty"`         // name of the file
	Label        string     `json:"label,omitempty"`
	Status       string     `json:"status,omitempty"` // COMPLETE or ERROR
	ErrorCode    string     `json:"error_code,omitempty"`
	ErrorMessage string     `json:"error_message,omitempty"`
	Words        int        `json:"word_count,omitempty"`
	Percentage   *float64   `json:"overall_match_percentage,omitempty"`
	Previous     *float64   `json:"previous_match_percentage,omitempty"` // before a rise, unless a user has seen it
	Requested    *time.Time `json:"time_requested,omitempty"`
	Generated    *time.Time `json:"time_generated,omitempty"`
	Viewer       string     `json:"viewer_url,omitempty"`
}

// eventBody returns the body of a delivery, from the present state of its check.
func (d *webhooks) eventBody(ctx context.Context, base string, x due) ([]byte, error) {
	e := Event{Type: x.event, Timestamp: time.Now().UTC().Truncate(time.Second)}
	if x.check == "" {
		return json.Marshal(e)
	}
	var c Check
	var created, finished int64
	err := d.folder.Read.QueryRowContext(ctx, `SELECT c.id, submission_id, path, label, login, state, reason, score, words, rose, c.created, finished FROM checks c
		JOIN submissions s ON s.id = submission_id JOIN users u ON u.id = coalesce(c.user_id, s.user_id) WHERE c.id = ?`, x.check).
		Scan(&c.ID, &c.Submission, &c.Path, &c.Label, &c.By, &c.State, &c.Reason, &c.Score, &c.Words, &c.Rose, &created, &finished)
	if err != nil {
		return nil, err
	}
	requested, generated := timeOf(created), timeOf(finished)
	e.Data = EventData{SubmissionID: c.ID, Upload: c.Submission, Owner: c.By, Title: c.Path, Label: c.Label, Status: "COMPLETE", Words: c.Words, Requested: &requested}
	switch {
	case c.State == work.Failed:
		e.Data.Status, e.Data.ErrorCode, e.Data.ErrorMessage = "ERROR", "PROCESSING_ERROR", c.Reason
	case x.event != hooks.SubmissionComplete:
		e.Data.Percentage, e.Data.Generated, e.Data.Viewer = &c.Score, &generated, base+"/checks/"+c.ID+"/report"
	}
	if x.event == hooks.SimilarityRise {
		e.Data.Previous = c.Rose
	}
	return json.Marshal(e)
}
