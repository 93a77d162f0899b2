// Package oidc signs users in at an OpenID Connect provider: authorization code flow with PKCE,
// state and nonce. It has no database.
package oidc

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/outgoing"
)

// Errors that users see.
var (
	ErrFlow     error = phrase.Error("account.oidc-flow", "this sign-in was not started in this browser, was used, or took too long: begin again")
	ErrRefused  error = phrase.Error("account.oidc-refused", "the provider did not sign you in")
	ErrNoRole   error = phrase.Error("account.oidc-no-role", "your account at the provider has no role on this server: ask an administrator")
	ErrProvider error = phrase.Error("account.oidc-provider", "the provider cannot be reached, or its answer is wrong: try again later")
)

// Callback is the path to which a provider sends the browser back.
const Callback = "/sign-in/callback"

// Options name a provider and its claims.
type Options struct {
	Issuer   string // address of the provider
	Client   string // id of this server at the provider
	Secret   string // of the client, "" for a public client
	Redirect string // address of the callback
	Name     string // of the provider, for users

	Scopes     []string                 // beside openid
	LoginClaim string                   // claim with the login
	RoleClaim  string                   // claim with the roles: a name, or names of nested claims with dots
	Roles      map[string]accounts.Role // role of each value of RoleClaim; nil if the values are roles
	GroupClaim string                   // claim with the groups, "" if all users are in the first one
	Groups     map[string]string        // name of the group of each value of GroupClaim; nil if the values are names
}

// An Identity has the claims of a provider about a user.
type Identity struct {
	Issuer, Subject string
	Login, Name     string
	Role            accounts.Role
	Groups          []string // names that the user may be in, nil without a claim
}

// Limits of sign-ins that were started and not finished.
const (
	flowLife  = 10 * time.Minute
	mostFlows = 10_000
)

// A Provider starts and finishes sign-ins.
type Provider struct {
	opts   Options
	client *http.Client

	mu         sync.Mutex
	flows      map[string]flow // by state
	discovered *oidc.Provider
}

type flow struct {
	nonce, verifier, next string
	started               time.Time
}

// New returns a provider in a network. It is asked for its configuration at the first sign-in: a server
// starts while its provider is down.
func New(o Options, n *outgoing.Network) *Provider {
	return &Provider{opts: o, client: n.Client(outgoing.Patience), flows: map[string]flow{}}
}

// Name returns the name of the provider.
func (p *Provider) Name() string { return p.opts.Name }

// Start starts a sign-in that leads to the page next. It returns the address of the provider, and the
// state, which the browser keeps in a cookie.
func (p *Provider) Start(ctx context.Context, next string) (address, state string, err error) {
	found, err := p.discover(ctx)
	if err != nil {
		return "", "", err
	}
	state = rand.Text()
	f := flow{nonce: rand.Text(), verifier: oauth2.GenerateVerifier(), next: next, started: time.Now()}
	p.storeFlow(state, f)
	return p.oauth(found).AuthCodeURL(state, oidc.Nonce(f.nonce), oauth2.S256ChallengeOption(f.verifier)), state, nil
}

// storeFlow stores a flow. It removes those that have expired and, if there are too many, any others.
func (p *Provider) storeFlow(state string, f flow) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.flows) >= mostFlows {
		maps.DeleteFunc(p.flows, func(_ string, f flow) bool { return time.Since(f.started) > flowLife })
	}
	for other := range p.flows {
		if len(p.flows) < mostFlows {
			break
		}
		delete(p.flows, other)
	}
	p.flows[state] = f
}

// removeFlow removes a flow and returns it, unless it has expired.
func (p *Provider) removeFlow(state string) (flow, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f, ok := p.flows[state]
	delete(p.flows, state)
	return f, ok && time.Since(f.started) <= flowLife
}

func (p *Provider) discover(ctx context.Context) (*oidc.Provider, error) {
	p.mu.Lock()
	found := p.discovered
	p.mu.Unlock()
	if found != nil {
		return found, nil
	}
	// The keys of the provider are fetched later with this context, so it must not end with the request.
	found, err := oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), p.client), p.opts.Issuer)
	if err != nil {
		return nil, errors.Join(ErrProvider, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.discovered = found
	return found, nil
}

func (p *Provider) oauth(found *oidc.Provider) *oauth2.Config {
	return &oauth2.Config{
		ClientID: p.opts.Client, ClientSecret: p.opts.Secret, RedirectURL: p.opts.Redirect, Endpoint: found.Endpoint(),
		Scopes: append([]string{oidc.ScopeOpenID}, p.opts.Scopes...),
	}
}

// Finish finishes a sign-in by the query of the callback and the state in the cookie of the browser.
// It returns the user and the page that the sign-in leads to. A state is valid once.
func (p *Provider) Finish(ctx context.Context, cookie string, query url.Values) (id *Identity, next string, err error) {
	state := query.Get("state")
	if state == "" || subtle.ConstantTimeCompare([]byte(state), []byte(cookie)) != 1 {
		return nil, "", ErrFlow
	}
	f, ok := p.removeFlow(state)
	if !ok {
		return nil, "", ErrFlow
	}
	if iss := query.Get("iss"); iss != "" && iss != p.opts.Issuer { // RFC 9207: the answer of another provider
		return nil, f.next, ErrFlow
	}
	if query.Get("code") == "" {
		return nil, f.next, errors.Join(ErrRefused, fmt.Errorf("the provider answers %q", query.Get("error")))
	}
	found, err := p.discover(ctx)
	if err != nil {
		return nil, f.next, err
	}
	ctx = oidc.ClientContext(ctx, p.client)
	token, err := p.oauth(found).Exchange(ctx, query.Get("code"), oauth2.VerifierOption(f.verifier))
	if err != nil {
		return nil, f.next, errors.Join(ErrProvider, err)
	}
	claims, err := p.verify(ctx, found, token, f.nonce)
	if err != nil {
		return nil, f.next, errors.Join(ErrProvider, err)
	}
	id, err = p.identity(claims)
	return id, f.next, err
}

// verify returns the claims of the ID token: signature, issuer, audience, expiry and nonce must be
// right. If the claim with the roles is missing there, those of the user info are added.
func (p *Provider) verify(ctx context.Context, found *oidc.Provider, token *oauth2.Token, nonce string) (map[string]any, error) {
	raw, _ := token.Extra("id_token").(string)
	if raw == "" {
		return nil, errors.New("the answer has no ID token")
	}
	checked, err := found.VerifierContext(ctx, &oidc.Config{ClientID: p.opts.Client}).Verify(ctx, raw)
	if err != nil {
		return nil, err
	}
	claims := map[string]any{}
	if err := checked.Claims(&claims); err != nil {
		return nil, err
	}
	party, _ := claims["azp"].(string)
	switch {
	case subtle.ConstantTimeCompare([]byte(checked.Nonce), []byte(nonce)) != 1:
		return nil, errors.New("the ID token has another nonce")
	case (len(checked.Audience) > 1 || party != "") && party != p.opts.Client: // OpenID Connect Core, section 3.1.3.7
		return nil, errors.New("the ID token is for another client")
	case checked.Subject == "":
		return nil, errors.New("the ID token has no subject")
	}
	if claim(claims, p.opts.RoleClaim) != nil || found.UserInfoEndpoint() == "" {
		return claims, nil
	}
	info, err := found.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return nil, err
	}
	more := map[string]any{}
	if err := info.Claims(&more); err != nil {
		return nil, err
	}
	if info.Subject != checked.Subject {
		return nil, errors.New("the user info is about another user")
	}
	maps.Copy(more, claims)
	return more, nil
}

func (p *Provider) identity(claims map[string]any) (*Identity, error) {
	id := &Identity{Issuer: p.opts.Issuer}
	id.Subject, _ = claims["sub"].(string)
	id.Name, _ = claims["name"].(string)
	login, _ := claim(claims, p.opts.LoginClaim).(string)
	id.Login = cmp.Or(login, id.Subject)
	for _, value := range values(claim(claims, p.opts.RoleClaim)) {
		role := accounts.Role(value)
		if p.opts.Roles != nil {
			role = p.opts.Roles[value]
		}
		if slices.Index(accounts.Roles(), role) > slices.Index(accounts.Roles(), id.Role) {
			id.Role = role
		}
	}
	if p.opts.GroupClaim != "" {
		id.Groups = []string{}
		for _, value := range values(claim(claims, p.opts.GroupClaim)) {
			if p.opts.Groups != nil {
				value = p.opts.Groups[value]
			}
			if value != "" {
				id.Groups = append(id.Groups, value)
			}
		}
	}
	if id.Role == "" {
		return id, ErrNoRole
	}
	return id, nil
}

// claim returns the claim of a name or, if there is none, the nested claim that its parts between
// dots name.
func claim(claims map[string]any, name string) any {
	if v, ok := claims[name]; ok {
		return v
	}
	first, rest, nested := strings.Cut(name, ".")
	if inner, ok := claims[first].(map[string]any); ok && nested {
		return claim(inner, rest)
	}
	return nil
}

func values(claim any) (list []string) {
	switch c := claim.(type) {
	case string:
		return []string{c}
	case []any:
		for _, v := range c {
			if text, ok := v.(string); ok {
				list = append(list, text)
			}
		}
	}
	return list
}
