// Package hooks sends webhooks: signed by the Standard Webhooks specification, and never into the
// network of the server. It has no database.
package hooks

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/otisk/otisk/gather/fetch"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/serve/outgoing"
	"github.com/otisk/otisk/serve/tca"
)

// Events.
const (
	SubmissionComplete = "SUBMISSION_COMPLETE" // a text was read, or failed
	SimilarityComplete = "SIMILARITY_COMPLETE" // the report on a text is ready
	SimilarityRise     = "SIMILARITY_RISE"     // the score of a text in a course has risen
	Ping               = "PING"                // a user tries the webhook
)

// Events returns the events that a webhook may choose.
func Events() []string { return []string{SubmissionComplete, SimilarityComplete, SimilarityRise} }

const secretPrefix = "whsec_"

// NewSecret returns a random secret of 192 bits.
func NewSecret() string {
	b := make([]byte, 24)
	_, _ = rand.Read(b) // never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(b)
}

// Sign returns the value of the header webhook-signature.
func Sign(secret, id string, at time.Time, body []byte) (string, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
	if err != nil {
		return "", fmt.Errorf("the secret of the webhook: %w", err)
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%d.%s", id, at.Unix(), body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)), nil
}

var delays = []time.Duration{10 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour}

// MostDelay is more than the longest time between two tries: a delivery that waits longer was queued before
// the clock was turned back.
const MostDelay = 25 * time.Hour

// Delay returns the time after which a delivery is tried again that failed tries times, and whether
// it is.
func Delay(tries int) (time.Duration, bool) {
	if tries < 1 || tries > len(delays) {
		return 0, false
	}
	return delays[tries-1], true
}

const (
	mostAnswer = 64 << 10 // bytes of the answer that are read, and ignored
	mostURL    = 2000     // bytes
)

// A Sender sends webhooks.
type Sender struct {
	client  *http.Client
	network *outgoing.Network
}

// NewSender returns a sender to a network.
func NewSender(n *outgoing.Network) *Sender { return &Sender{n.Client(outgoing.Patience), n} }

var errURL = errors.New("want an address such as https://lms.example.org/otisk")

// Check returns an error for an address that no webhook may have: without TLS, or with a password.
func (s *Sender) Check(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil, len(address) > mostURL, u.Host == "", u.User != nil, u.Fragment != "":
		return errURL
	case u.Scheme == "https", u.Scheme == "http" && s.network.Allows(u):
		return nil
	}
	return errURL
}

// A Delivery is one event for one webhook.
type Delivery struct {
	ID, URL, Secret, Event string
	Body                   []byte // JSON

	// TCA makes it a delivery of package tca, whose clients know only its own headers.
	TCA bool
}

func (d *Delivery) headers(at time.Time) (map[string]string, error) {
	if d.TCA {
		signature, err := tca.Sign(d.Secret, d.Body)
		return map[string]string{"X-Turnitin-EventType": d.Event, "X-Turnitin-Signature": signature}, err
	}
	signature, err := Sign(d.Secret, d.ID, at, d.Body)
	return map[string]string{"Otisk-Event": d.Event, "webhook-id": d.ID, "webhook-timestamp": strconv.FormatInt(at.Unix(), 10), "webhook-signature": signature}, err
}

// Reason returns why a delivery failed, for users: without addresses, which would show the network of
// the server.
func Reason(err error) string {
	var failed *url.Error
	var certificate *tls.CertificateVerificationError
	switch {
	case err == nil:
		return ""
	case errors.Is(err, fetch.ErrForbidden):
		return phrase.Error("hook.forbidden", "the address is in the network of this server").Error()
	case errors.As(err, &certificate):
		return phrase.Error("hook.certificate", "the certificate is not valid").Error()
	case errors.As(err, &failed) && failed.Timeout():
		return phrase.Error("hook.timeout", "no answer in {seconds} s", "seconds", int(outgoing.Patience/time.Second)).Error()
	case errors.As(err, &failed):
		return phrase.Error("hook.unreachable", "the address cannot be reached").Error()
	}
	return err.Error()
}

// Send sends a delivery once. It returns the status of the answer, 0 without one, and an error unless
// the status is of the class 2xx. It follows no redirects.
func (s *Sender) Send(ctx context.Context, d *Delivery) (status int, err error) {
	if err := s.Check(d.URL); err != nil {
		return 0, err
	}
	headers, err := d.headers(time.Now())
	if err != nil {
		return 0, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.URL, bytes.NewReader(d.Body))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "otisk")
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	resp, err := s.client.Do(r)
	if err != nil {
		return 0, err
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, mostAnswer)) // its content does not matter
	if err := resp.Body.Close(); err != nil {
		return resp.StatusCode, err
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return resp.StatusCode, fmt.Errorf("status %d", resp.StatusCode)
	}
	return resp.StatusCode, nil
}
