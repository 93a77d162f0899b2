// Package lti signs users of learning platforms in by LTI 1.3, as the tool: login initiation, launch
// of a resource link, and deep linking. It has no database: the state between two requests is in
// sealed texts, which the browser carries.
package lti

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/outgoing"
)

// Errors that users see.
var (
	ErrFlow     error = phrase.Error("lti.flow", "this launch was not started in this browser, was used, or took too long: open it in the learning platform again; if it fails again, let it open in a new window")
	ErrRefused  error = phrase.Error("lti.refused", "the learning platform did not sign you in")
	ErrLaunch   error = phrase.Error("lti.launch", "the launch by the learning platform is not valid: an administrator finds the cause in the log")
	ErrTarget   error = phrase.Error("lti.target", "the launch is for an address that this server does not have")
	ErrNoRole   error = phrase.Error("lti.no-role", "you are neither a teacher nor a student of this course of the learning platform")
	ErrPlatform error = phrase.Error("lti.unknown", "the learning platform is not registered on this server: ask an administrator")
)

// Paths of the tool.
const (
	LoginPath  = "/lti/login"  // of the login initiation
	LaunchPath = "/lti/launch" // redirect address of the launch
	KeysPath   = "/lti/keys"   // the public key in a JSON Web Key Set
	LinkPath   = "/lti/open"   // target of links to courses and checks
	SelectPath = "/lti/select" // target of deep linking
)

// A Platform is a learning platform that an administrator has registered.
type Platform struct {
	ID          string
	Issuer      string
	Client      string   // id of this tool at the platform
	AuthURL     string   // of OpenID Connect authentication requests
	KeysURL     string   // of the JSON Web Key Set of the platform
	TokenURL    string   // of access tokens for its services, "" for none
	Origins     []string // of its pages and services
	Deployments []string
}

// A Launch is a verified launch.
type Launch struct {
	Platform      *Platform
	Subject       string // id of the user at the platform
	Name, Email   string // "" if the platform does not send them
	Role          accounts.Role
	Course, Check string    // of the link, "" for none
	Asset         string    // whose report the user opens, "" for none
	Submission    string    // of the asset
	Reported      bool      // the check of the asset is finished; not known before the desk has found it
	Nonce         string    // of the launch, which must not be accepted twice
	Expires       time.Time // of the nonce
	Select        *Select   // nil unless the user chooses what to link
}

// A Select is a deep linking request.
type Select struct {
	Return     string          `json:"return"`         // address to which the response is sent
	Data       json.RawMessage `json:"data,omitempty"` // for the response; a text in the specification, and any value from some platforms
	Deployment string          `json:"deployment"`
	Processor  bool            `json:"processor,omitempty"` // the response is an asset processor
	Notices    string          `json:"notices,omitempty"`   // address of the notification service, for an asset processor
	Title      string          `json:"title,omitempty"`     // of the assignment and its course, for an asset processor
	Activity   string          `json:"activity,omitempty"`  // id of the assignment, for an asset processor
}

// A Selection is a deep linking request of a user, from its launch until he has chosen.
type Selection struct {
	Select
	Platform string    `json:"platform"`
	User     string    `json:"user"`
	Expires  time.Time `json:"expires"`
}

// Assignment identifies the assignment of an asset processor among those of all platforms: by the
// request if the platform does not send its id.
func (s *Selection) Assignment() string {
	if s.Activity == "" {
		return s.Platform + " " + s.Return + " " + s.Expires.UTC().Format(time.RFC3339Nano)
	}
	return s.Platform + " " + s.Deployment + " " + s.Activity
}

// FlowLife is how long a launch may take.
const FlowLife = 10 * time.Minute

// algorithms are the signatures that are accepted: only those with a public key.
var algorithms = []string{oidc.RS256, oidc.RS384, oidc.RS512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.ES256, oidc.ES384, oidc.ES512}

// A Tool starts and verifies launches.
type Tool struct {
	base   string // address of the server, without a slash at the end
	client *http.Client

	mu   sync.Mutex
	keys map[string]oidc.KeySet // of platforms, by address
}

// New returns the tool of the server at base, which reads the keys of platforms in a network.
func New(base string, n *outgoing.Network) *Tool {
	return &Tool{base: base, client: n.Client(outgoing.Patience), keys: map[string]oidc.KeySet{}}
}

// Address returns the address of a path of the tool.
func (t *Tool) Address(path string) string { return t.base + path }

// A Flow is a launch between its initiation and its token.
type Flow struct {
	ID       string    `json:"id"` // also the cookie that binds the launch to the browser
	Platform string    `json:"platform"`
	Nonce    string    `json:"nonce"`
	Expires  time.Time `json:"expires"`
}

// Start answers a login initiation, whose parameters are q. It returns the address of the platform to
// which the browser is sent, and the value of the cookie.
func (t *Tool) Start(k *Key, p *Platform, q url.Values) (address, cookie string, err error) {
	if q.Get("login_hint") == "" {
		return "", "", ErrLaunch
	}
	if _, err := t.target(q.Get("target_link_uri")); err != nil {
		return "", "", err
	}
	u, err := url.Parse(p.AuthURL)
	if err != nil {
		return "", "", err
	}
	f := Flow{ID: rand.Text(), Platform: p.ID, Nonce: rand.Text(), Expires: time.Now().Add(FlowLife)}
	query := u.Query()
	for name, value := range map[string]string{
		"scope": "openid", "response_type": "id_token", "response_mode": "form_post", "prompt": "none", "client_id": p.Client, "redirect_uri": t.base + LaunchPath,
		"login_hint": q.Get("login_hint"), "lti_message_hint": q.Get("lti_message_hint"), "state": k.Seal("flow", f), "nonce": f.Nonce,
	} {
		if value != "" {
			query.Set(name, value)
		}
	}
	u.RawQuery = query.Encode()
	return u.String(), f.ID, nil
}

// Flow returns the launch that a state belongs to, or [ErrFlow] unless it was started in the browser
// with this cookie.
func (t *Tool) Flow(k *Key, state, cookie string) (*Flow, error) {
	f := new(Flow)
	if err := k.Open("flow", state, f); err != nil || subtle.ConstantTimeCompare([]byte(f.ID), []byte(cookie)) != 1 || time.Now().After(f.Expires) {
		return nil, ErrFlow
	}
	return f, nil
}

type claims struct {
	Party      string   `json:"azp"`
	Name       string   `json:"name"`
	Given      string   `json:"given_name"`
	Family     string   `json:"family_name"`
	Email      string   `json:"email"`
	Type       string   `json:"https://purl.imsglobal.org/spec/lti/claim/message_type"`
	Version    string   `json:"https://purl.imsglobal.org/spec/lti/claim/version"`
	Deployment string   `json:"https://purl.imsglobal.org/spec/lti/claim/deployment_id"`
	Target     string   `json:"https://purl.imsglobal.org/spec/lti/claim/target_link_uri"`
	Roles      []string `json:"https://purl.imsglobal.org/spec/lti/claim/roles"`
	Link       struct {
		ID string `json:"id"`
	} `json:"https://purl.imsglobal.org/spec/lti/claim/resource_link"`
	Context struct {
		Title string `json:"title"`
	} `json:"https://purl.imsglobal.org/spec/lti/claim/context"`
	Activity activity `json:"https://purl.imsglobal.org/spec/lti/claim/activity"`
	Custom   custom   `json:"https://purl.imsglobal.org/spec/lti/claim/custom"`
	Asset    struct {
		ID string `json:"id"`
	} `json:"https://purl.imsglobal.org/spec/lti/claim/asset"`
	Submission struct {
		ID string `json:"id"`
	} `json:"https://purl.imsglobal.org/spec/lti/claim/submission"`
	Notices struct {
		URL string `json:"platform_notification_service_url"`
	} `json:"https://purl.imsglobal.org/spec/lti/claim/platformnotificationservice"`
	Settings struct {
		Return string          `json:"deep_link_return_url"`
		Types  []string        `json:"accept_types"`
		Data   json.RawMessage `json:"data"`
	} `json:"https://purl.imsglobal.org/spec/lti-dl/claim/deep_linking_settings"`
}

const (
	linkMessage   = "LtiResourceLinkRequest"
	selectMessage = "LtiDeepLinkingRequest"
	linkType      = "ltiResourceLink"
)

// Verify returns the launch of an ID token: signature, issuer, audience, expiry, nonce, deployment and
// target must be right. Errors wrap one of this package. The caller must refuse a nonce that it has seen.
func (t *Tool) Verify(ctx context.Context, p *Platform, f *Flow, raw string) (*Launch, error) {
	token, err := t.verify(ctx, p, raw)
	if err != nil {
		return nil, err
	}
	var c claims
	if err := token.Claims(&c); err != nil {
		return nil, errors.Join(ErrLaunch, err)
	}
	if err := c.check(p, f, token); err != nil {
		return nil, errors.Join(ErrLaunch, err)
	}
	l := &Launch{Platform: p, Subject: token.Subject, Name: fullName(c.Name, c.Given, c.Family), Email: c.Email, Role: roleOf(c.Roles), Nonce: f.Nonce, Expires: f.Expires}
	target, err := t.target(c.Target)
	if err != nil {
		return nil, err
	}
	l.Course, l.Check = target.Get("course"), target.Get("check")
	switch {
	case l.Role == "", c.Type != linkMessage && c.Type != reviewMessage && l.Role != accounts.Checker:
		return nil, ErrNoRole
	case c.Type == selectMessage:
		l.Select, err = c.choice(p)
	case c.Type == settingsMessage:
		l.Course = c.Custom.Course
	case c.Type == reviewMessage:
		l.Asset, l.Submission = c.Asset.ID, c.Submission.ID
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

// verify returns a token of a platform: signature, issuer, audience and expiry must be right. Errors
// wrap [ErrLaunch].
func (t *Tool) verify(ctx context.Context, p *Platform, raw string) (*oidc.IDToken, error) {
	config := &oidc.Config{ClientID: p.Client, SupportedSigningAlgs: algorithms}
	token, err := oidc.NewVerifier(p.Issuer, t.keysOf(p), config).Verify(oidc.ClientContext(ctx, t.client), raw)
	if err != nil {
		return nil, errors.Join(ErrLaunch, err)
	}
	return token, nil
}

// choice returns the deep linking request. If the platform accepts an asset processor, as it does on the
// page of an assignment, the response is one.
func (c *claims) choice(p *Platform) (*Select, error) {
	s := &Select{Return: c.Settings.Return, Data: c.Settings.Data, Deployment: c.Deployment}
	if !slices.Contains(c.Settings.Types, processorType) {
		return s, nil
	}
	s.Processor, s.Notices, s.Activity = true, c.Notices.URL, c.Activity.ID
	s.Title = strings.TrimPrefix(strings.TrimSuffix(c.Context.Title+": "+c.Activity.Title, ": "), ": ")
	return s, p.checkProcessor(s.Notices)
}

// otherParty reports whether a token is for another client, by OpenID Connect Core, section 3.1.3.7.
func otherParty(p *Platform, token *oidc.IDToken, party string) bool {
	return (len(token.Audience) > 1 || party != "") && party != p.Client
}

func (c *claims) check(p *Platform, f *Flow, token *oidc.IDToken) error {
	switch {
	case subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(f.Nonce)) != 1:
		return errors.New("the token has another nonce")
	case otherParty(p, token, c.Party):
		return errors.New("the token is for another client")
	case token.Subject == "" || len(token.Subject) > 255:
		return errors.New("the token names no user")
	case c.Version != "1.3.0":
		return fmt.Errorf("the token has LTI version %q", c.Version)
	case !slices.Contains(p.Deployments, c.Deployment):
		return fmt.Errorf("deployment %q is not registered", c.Deployment)
	case c.Type == linkMessage && c.Link.ID == "":
		return errors.New("the token has no resource link")
	case c.Type == selectMessage && !Secure(c.Settings.Return):
		return errors.New("the return address of deep linking is not secure")
	case c.Type == selectMessage && !slices.Contains(c.Settings.Types, linkType) && !slices.Contains(c.Settings.Types, processorType):
		return errors.New("the platform does not accept links to this tool")
	case c.Type == reviewMessage && (c.Asset.ID == "" || c.Submission.ID == ""):
		return errors.New("the token names no asset")
	case c.Type != linkMessage && c.Type != selectMessage && c.Type != reviewMessage && c.Type != settingsMessage:
		return fmt.Errorf("unknown message %q", c.Type)
	}
	return nil
}

// keysOf returns the keys of a platform. They are fetched at the first launch, and again for a key that
// is unknown.
func (t *Tool) keysOf(p *Platform) oidc.KeySet {
	t.mu.Lock()
	defer t.mu.Unlock()
	set := t.keys[p.KeysURL]
	if set == nil {
		set = oidc.NewRemoteKeySet(oidc.ClientContext(context.Background(), t.client), p.KeysURL)
		t.keys[p.KeysURL] = set
	}
	return set
}

// target returns the parameters of an address of the tool, or [ErrTarget]. No browser is sent to the
// address itself.
func (t *Tool) target(address string) (url.Values, error) {
	u, err := url.Parse(address)
	if err != nil || u.User != nil {
		return nil, ErrTarget
	}
	path := u.Path
	query := u.Query()
	u.RawQuery, u.Fragment = "", ""
	if u.String() != t.base+path || path != LinkPath && path != SelectPath {
		return nil, ErrTarget
	}
	return query, nil
}

// IsSelect reports whether a launch for a target lets the user choose what to link.
func (t *Tool) IsSelect(target string) bool {
	u, err := url.Parse(target)
	return err == nil && u.Path == SelectPath
}

// Secure reports whether an address uses TLS, or is one of this machine.
func Secure(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	local := err == nil && ip.IsLoopback() || u.Hostname() == "localhost"
	return u.Scheme == "https" || u.Scheme == "http" && local
}

// fullName returns the name of a user, "" if the platform sends neither it nor its parts.
func fullName(name, given, family string) string {
	return cmp.Or(name, strings.TrimSpace(given+" "+family))
}

// membership is the vocabulary of roles in a course. Roles in the institution or the platform do not
// count.
const membership = "http://purl.imsglobal.org/vocab/lis/v2/membership"

// roleOf returns the role of a user here: a checker for a teacher, and a student for a learner.
func roleOf(roles []string) (role accounts.Role) {
	for _, r := range roles {
		switch {
		case r == membership+"#Instructor", strings.HasPrefix(r, membership+"/Instructor#"), r == "Instructor":
			return accounts.Checker
		case r == membership+"#Learner", strings.HasPrefix(r, membership+"/Learner#"), r == "Learner":
			role = accounts.Student
		}
	}
	return role
}
