package desk

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/hooks"
	"github.com/otisk/otisk/serve/lti/ltitest"
	"github.com/otisk/otisk/serve/work"
)

// A receiver records deliveries, and answers with a status that a test sets; 0 breaks the connection.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	status int
	got    []string // ids
	events []Event
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{status: http.StatusOK}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		r.mu.Lock()
		defer r.mu.Unlock()
		var e Event
		body, err := io.ReadAll(q.Body)
		if err != nil || json.Unmarshal(body, &e) != nil {
			t.Errorf("a delivery is not JSON: %s, %v", body, err)
		}
		r.got, r.events = append(r.got, q.Header.Get("webhook-id")), append(r.events, e)
		if r.status == 0 {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(r.status)
	}))
	t.Cleanup(r.Close)
	return r
}

// answer sets the status of the following answers.
func (r *receiver) answer(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

// delivered returns the ids and the events of all deliveries.
func (r *receiver) delivered() (ids []string, events []Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got), slices.Clone(r.events)
}

// withHooks lets a desk send webhooks to a receiver.
func withHooks(t *testing.T, d *Desk, r *receiver) {
	t.Helper()
	d.opts.Hooks = hooks.NewSender(ltitest.Network(t, strings.TrimPrefix(r.URL, "http://")))
}

// deliverAll sends all deliveries whose time has come.
func deliverAll(t *testing.T, d *Desk) {
	t.Helper()
	for {
		n, err := d.deliverDue(t.Context(), "https://otisk.example")
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			return
		}
	}
}

// TestWebhooks: each text that was checked or failed gives its events, of its group only.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	d, f, q := queue(t, time.Minute, "good.txt", "crash.txt")
	r := newReceiver(t)
	withHooks(t, d, r)
	var a accounts.Actor
	if err := f.Read.QueryRowContext(t.Context(), `SELECT id, role, group_id FROM users`).Scan(&a.User, &a.Role, &a.Group); err != nil {
		t.Fatal(err)
	}
	other, err := d.NewGroup(t.Context(), a, "Other")
	if err != nil {
		t.Fatal(err)
	}
	stranger := accounts.Actor{User: a.User, Role: accounts.Administrator, Group: other}
	id, secret, err := d.NewWebhook(t.Context(), a, r.URL+"/otisk", hooks.Events())
	if err != nil || secret == "" {
		t.Fatal(err)
	}
	if _, _, err := d.NewWebhook(t.Context(), stranger, r.URL+"/stranger", hooks.Events()); err != nil {
		t.Fatal(err)
	}
	checks := run(t, d, q)
	deliverAll(t, d)
	seen := map[string]Event{}
	_, events := r.delivered()
	for _, e := range events {
		seen[e.Type+" "+e.Data.Title] = e
	}
	good := checks["good.txt"]
	report := seen["SIMILARITY_COMPLETE good.txt"].Data
	if report.SubmissionID != good.ID || report.Percentage == nil || *report.Percentage != 12 || report.Status != "COMPLETE" || report.Viewer != "https://otisk.example/checks/"+good.ID+"/report" || report.Words != 7 {
		t.Errorf("the event of a report: %+v", report)
	}
	if e := seen["SUBMISSION_COMPLETE crash.txt"].Data; e.Status != "ERROR" || e.ErrorMessage == "" || e.ErrorCode == "" {
		t.Errorf("the event of a failed text: %+v", e)
	}
	if e := seen["SUBMISSION_COMPLETE good.txt"].Data; e.Status != "COMPLETE" || len(events) != 3 {
		t.Errorf("%d events %+v, want three", len(events), seen)
	}
	list, err := d.Webhooks(t.Context(), a)
	if err != nil || len(list) != 1 || list[0].Open != 0 || list[0].Last == nil || list[0].Last.Status != http.StatusOK || list[0].Last.Reason != "" {
		t.Errorf("webhooks %+v, %v, want one with its last result", list, err)
	}
	for name, do := range map[string]func() error{
		"deliveries": func() error { _, err := d.Deliveries(t.Context(), stranger, id, 0); return err },
		"try":        func() error { return d.TryWebhook(t.Context(), stranger, id) },
		"delete":     func() error { return d.DeleteWebhook(t.Context(), stranger, id) },
	} {
		if err := do(); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s by another group: %v, want ErrNotFound", name, err)
		}
	}
	if err := d.DeleteWebhook(t.Context(), a, id); err != nil {
		t.Error(err)
	}
}

// TestWebhookFaults: a delivery that fails is tried again with the same id, later each time, also by
// another server on the same folder, and gives up after its last try.
func TestWebhookFaults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d, f := open(t, dir)
	a := administrator(t, d)
	r := newReceiver(t)
	withHooks(t, d, r)
	id, _, err := d.NewWebhook(t.Context(), a, r.URL, []string{hooks.SimilarityComplete})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.TryWebhook(t.Context(), a, id); err != nil {
		t.Fatal(err)
	}
	state := func() Delivery {
		t.Helper()
		all, err := d.Deliveries(t.Context(), a, id, 0)
		if err != nil || len(all) != 1 {
			t.Fatalf("deliveries %+v, %v, want one", all, err)
		}
		return all[0]
	}
	for try, status := range []int{http.StatusInternalServerError, 0, http.StatusFound} {
		r.answer(status)
		deliverAll(t, d)
		if got := state(); got.State != work.Queued || got.Tries != try+1 || got.Reason == "" || time.Until(got.Next) < 5*time.Second {
			t.Errorf("after an answer with status %d: %+v, want a later try", status, got)
		}
		deliverAll(t, d) // its time has not come
		if err := f.Write(t.Context(), execute(`UPDATE deliveries SET ready = 0`)); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	d, f = open(t, dir)
	withHooks(t, d, r)
	r.answer(http.StatusOK)
	deliverAll(t, d)
	if got := state(); got.State != "done" || got.Tries != 4 || got.Reason != "" || got.Finished.IsZero() {
		t.Errorf("after the restart: %+v, want that it is done", got)
	}
	ids, _ := r.delivered()
	for _, other := range ids {
		if len(ids) != 4 || other != ids[0] {
			t.Errorf("deliveries with the ids %q, want four with the same", ids)
		}
	}
	if err := f.Write(t.Context(), execute(`UPDATE deliveries SET state = 'queued', tries = 8, ready = 0`)); err != nil {
		t.Fatal(err)
	}
	r.answer(http.StatusGone)
	deliverAll(t, d)
	if got := state(); got.State != work.Failed || got.Status != http.StatusGone {
		t.Errorf("after the last try: %+v, want that it failed", got)
	}
	if err := f.Write(t.Context(), execute(`UPDATE deliveries SET finished = 1`)); err != nil {
		t.Fatal(err)
	}
	if err := d.cleanDeliveries(t.Context()); err != nil {
		t.Fatal(err)
	}
	if all, err := d.Deliveries(t.Context(), a, id, 0); err != nil || len(all) != 0 {
		t.Errorf("old deliveries: %+v, %v, want none", all, err)
	}
}

// TestNewWebhook refuses addresses without TLS, unknown events and too many webhooks.
func TestNewWebhook(t *testing.T) {
	t.Parallel()
	d, _ := open(t, t.TempDir())
	a := administrator(t, d)
	withHooks(t, d, newReceiver(t))
	for _, tt := range []struct {
		url    string
		events []string
	}{
		{"http://lms.example.org/", hooks.Events()}, {"https://lms.example.org/", nil}, {"https://lms.example.org/", []string{"DELETED"}},
	} {
		if _, _, err := d.NewWebhook(t.Context(), a, tt.url, tt.events); !errors.As(err, new(*Invalid)) {
			t.Errorf("NewWebhook(%s, %v) = %v, want an error", tt.url, tt.events, err)
		}
	}
	var err error
	for range mostWebhooks + 1 {
		_, _, err = d.NewWebhook(t.Context(), a, "https://lms.example.org/", hooks.Events())
	}
	if !errors.As(err, new(*Invalid)) {
		t.Errorf("one webhook too many: %v", err)
	}
}
