package lti

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/otisk/otisk/serve/outgoing"
)

const (
	scopeNotices = "https://purl.imsglobal.org/spec/lti/scope/noticehandlers"
	scopeAssets  = "https://purl.imsglobal.org/spec/lti/scope/asset.readonly"
	scopeReports = "https://purl.imsglobal.org/spec/lti/scope/report"
)

const (
	mostAnswer    = 64 << 10         // bytes of an answer that is not an asset
	assetPatience = 10 * time.Minute // for a whole asset
	tokenMargin   = time.Minute      // before its end, an access token is no longer used
)

// Services calls the services of platforms.
type Services struct {
	client *http.Client

	mu     sync.Mutex
	tokens map[tokenKey]accessToken
}

type tokenKey struct{ platform, address, client, scope string }

type accessToken struct {
	value   string
	expires time.Time
}

// NewServices returns a caller of services in a network.
func NewServices(n *outgoing.Network) *Services {
	return &Services{client: n.Client(0), tokens: map[tokenKey]accessToken{}}
}

// A StatusError is the status of an answer that is not of the class 2xx.
type StatusError struct{ Status int }

// Error implements error.
func (e *StatusError) Error() string { return fmt.Sprintf("status %d", e.Status) }

// Register makes the notification service at an address send notices of submissions to a handler.
func (s *Services) Register(ctx context.Context, k *Key, p *Platform, address, handler string) error {
	if err := p.checkProcessor(address); err != nil {
		return err
	}
	return s.send(ctx, k, p, message{http.MethodPut, address, scopeNotices, map[string]string{"notice_type": submissionNotice, "handler": handler}})
}

// A Report is the state of the check of an asset, as a platform shows it.
type Report struct {
	Asset     string `json:"assetId"`
	Type      string `json:"type"`
	Timestamp string `json:"timestamp"` // a platform ignores reports with an earlier one
	Title     string `json:"title"`
	Progress  string `json:"processingProgress"` // Processing, Processed, Failed or NotProcessed
	Result    string `json:"result,omitempty"`   // at most 16 characters
	Color     string `json:"indicationColor,omitempty"`
	Meaning   string `json:"indicationAlt,omitempty"` // of the colour
	Priority  int    `json:"priority"`
	Code      string `json:"errorCode,omitempty"`
	Comment   string `json:"comment,omitempty"`
	Visible   bool   `json:"visibleToOwner"` // the student sees the report
}

// Send sends a report to the service at an address.
func (s *Services) Send(ctx context.Context, k *Key, p *Platform, address string, r *Report) error {
	if !p.serves(address) {
		return fmt.Errorf("%w: %q", ErrServices, address)
	}
	return s.send(ctx, k, p, message{http.MethodPost, address, scopeReports, r})
}

// Open opens the asset at an address. It follows redirects, without the access token to another host.
func (s *Services) Open(ctx context.Context, k *Key, p *Platform, address string) (io.ReadCloser, error) {
	if !p.serves(address) {
		return nil, fmt.Errorf("%w: %q", ErrServices, address)
	}
	ctx, cancel := context.WithTimeout(ctx, assetPatience)
	resp, err := s.ask(ctx, k, p, message{http.MethodGet, address, scopeAssets, nil})
	if err != nil {
		cancel()
		return nil, err
	}
	return &body{resp.Body, cancel}, nil
}

// A body is the content of an asset, whose time ends with it.
type body struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (b *body) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}

type message struct {
	method, address, scope string
	content                any // JSON, nil for none
}

// send sends a message whose answer does not matter.
func (s *Services) send(ctx context.Context, k *Key, p *Platform, m message) error {
	ctx, cancel := context.WithTimeout(ctx, outgoing.Patience)
	defer cancel()
	resp, err := s.ask(ctx, k, p, m)
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, mostAnswer)) // it repeats the message
	return resp.Body.Close()
}

// ask sends a message with an access token, and with a new one if the platform no longer accepts it.
func (s *Services) ask(ctx context.Context, k *Key, p *Platform, m message) (resp *http.Response, err error) {
	var denied *StatusError
	for range 2 {
		var token string
		if token, err = s.token(ctx, k, p, m.scope); err != nil {
			return nil, fmt.Errorf("access token: %w", err)
		}
		resp, err = s.try(ctx, m, token)
		if !errors.As(err, &denied) || denied.Status != http.StatusUnauthorized {
			return resp, err
		}
		s.forget(p, m.scope)
	}
	return resp, err
}

// try sends a message once.
func (s *Services) try(ctx context.Context, m message, token string) (*http.Response, error) {
	data, err := json.Marshal(m.content)
	if err != nil {
		return nil, err
	}
	if m.content == nil {
		data = nil
	}
	r, err := http.NewRequestWithContext(ctx, m.method, m.address, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if data != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return s.do(r)
}

// do sends a request. It returns a [StatusError] unless the status is of the class 2xx.
func (s *Services) do(r *http.Request) (*http.Response, error) {
	r.Header.Set("User-Agent", "otisk")
	resp, err := s.client.Do(r)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return nil, errors.Join(&StatusError{resp.StatusCode}, resp.Body.Close())
	}
	return resp, nil
}

func keyOf(p *Platform, scope string) tokenKey { return tokenKey{p.ID, p.TokenURL, p.Client, scope} }

func (s *Services) forget(p *Platform, scope string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.tokens, keyOf(p, scope))
}

// token returns an access token for a scope, which is used until it expires.
func (s *Services) token(ctx context.Context, k *Key, p *Platform, scope string) (string, error) {
	s.mu.Lock()
	known := s.tokens[keyOf(p, scope)]
	s.mu.Unlock()
	if time.Until(known.expires) > 0 {
		return known.value, nil
	}
	fresh, err := s.grant(ctx, k, p, scope)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens[keyOf(p, scope)] = fresh
	return fresh.value, nil
}

// grant asks the platform for an access token by a signed assertion (RFC 7523).
func (s *Services) grant(ctx context.Context, k *Key, p *Platform, scope string) (t accessToken, err error) {
	at := time.Now()
	assertion, err := k.sign(map[string]any{"iss": p.Client, "sub": p.Client, "aud": p.TokenURL, "iat": at.Unix(), "exp": at.Add(5 * time.Minute).Unix(), "jti": rand.Text()})
	if err != nil {
		return t, err
	}
	form := url.Values{"grant_type": {"client_credentials"}, "client_assertion_type": {"urn:ietf:params:oauth:client-assertion-type:jwt-bearer"}, "client_assertion": {assertion}, "scope": {scope}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.TokenURL, strings.NewReader(form.Encode()))
	if err != nil {
		return t, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := s.do(r)
	if err != nil {
		return t, err
	}
	var answer struct {
		Token string `json:"access_token"`
		Life  int64  `json:"expires_in"` // seconds
	}
	err = errors.Join(json.NewDecoder(io.LimitReader(resp.Body, mostAnswer)).Decode(&answer), resp.Body.Close())
	if err == nil && answer.Token == "" {
		err = errors.New("the platform sent none")
	}
	life := time.Duration(min(max(answer.Life, 0), 24*3600)) * time.Second
	return accessToken{answer.Token, at.Add(life - tokenMargin)}, err
}
