package ltitest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/otisk/otisk/serve/lti"
)

// services are those of an asset processor: access tokens, notices, assets and reports.
type services struct {
	// Assignment is the id of the assignment of launches, "" for none. Deep linking then accepts an asset
	// processor only.
	Assignment string
	// Message is the type of other launches of the assignment: of its settings, or of the report on Asset.
	Message string
	// Asset is the id of the asset of a launch that opens a report.
	Asset string
	// During is called while the tool waits for the answer to a request, with its kind; nil for nothing.
	During func(kind string)
	// Custom are the custom parameters of the asset processor, which the platform adds to its messages.
	Custom map[string]any

	mu       sync.Mutex
	handler  string            // address for notices
	assets   map[string][]byte // contents by id
	store    string            // address of another server with the assets
	key      *jose.JSONWebKey  // of the tool
	reports  []lti.Report
	requests map[string]int // by the first part of the path
	faults   map[string]int // statuses of the next requests, 0 to break the connection
	issued   int            // access tokens
	revoked  int            // those up to this one are no longer accepted
	closed   bool           // requests fail
}

func newServices() services {
	return services{assets: map[string][]byte{}, requests: map[string]int{}, faults: map[string]int{}}
}

// TrustKeys sets the key set of the tool, by which its assertions are verified.
func (p *Platform) TrustKeys(set []byte) {
	p.t.Helper()
	var keys jose.JSONWebKeySet
	if err := json.Unmarshal(set, &keys); err != nil || len(keys.Keys) == 0 {
		p.t.Fatalf("key set %s: %v", set, err)
	}
	p.key = &keys.Keys[0]
}

// FailNext makes the next request for token, notices, assets or reports fail with a status, or break the
// connection with 0.
func (p *Platform) FailNext(kind string, status int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults[kind] = status
}

// Revoke makes the platform refuse the access tokens that it has issued.
func (p *Platform) Revoke() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.revoked = p.issued
}

// CloseServices makes all requests to services fail.
func (p *Platform) CloseServices() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
}

// StoreAt makes the platform answer requests for assets with redirects to another address.
func (p *Platform) StoreAt(address string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.store = address
}

// Requests returns the number of requests for token, notices, assets or reports.
func (p *Platform) Requests(kind string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.requests[kind]
}

// Handler returns the address that the tool has registered for notices, "" for none.
func (p *Platform) Handler() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.handler
}

// Reports returns the reports of the tool on an asset.
func (p *Platform) Reports(asset string) (list []lti.Report) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.reports {
		if r.Asset == asset {
			list = append(list, r)
		}
	}
	return list
}

// serve adds the services to the pages of a platform.
func (p *Platform) serve(mux *http.ServeMux) {
	mux.HandleFunc("POST /token", p.step("token", p.grant))
	mux.HandleFunc("PUT /notices/7", p.step("notices", p.register))
	mux.HandleFunc("GET /assets/{id}", p.step("assets", p.asset))
	mux.HandleFunc("POST /reports/7", p.step("reports", p.report))
}

// step counts a request, and fails if the test says so.
func (p *Platform) step(kind string, do http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.requests[kind]++
		if p.During != nil {
			p.During(kind)
		}
		status, fails := p.faults[kind]
		delete(p.faults, kind)
		switch {
		case p.closed:
			http.Error(w, "closed", http.StatusForbidden)
		case fails && status == 0:
			panic(http.ErrAbortHandler)
		case fails:
			http.Error(w, "later", status)
		default:
			do(w, r)
		}
	}
}

// grant issues an access token for an assertion that the tool has signed.
func (p *Platform) grant(w http.ResponseWriter, r *http.Request) {
	var c jwt.Claims
	token, err := jwt.ParseSigned(r.PostFormValue("client_assertion"), []jose.SignatureAlgorithm{jose.RS256})
	if err == nil && p.key != nil {
		err = token.Claims(p.key, &c)
	}
	if err == nil {
		err = c.ValidateWithLeeway(jwt.Expected{Issuer: "otisk-client", Subject: "otisk-client", AnyAudience: jwt.Audience{p.URL + "/token"}, Time: time.Now()}, 0)
	}
	if err != nil || c.ID == "" || r.PostFormValue("grant_type") != "client_credentials" || r.PostFormValue("client_assertion_type") != "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" {
		p.t.Errorf("request for a token: %v, %v", r.PostForm, err)
		http.Error(w, "invalid_client", http.StatusUnauthorized)
		return
	}
	p.issued++
	_ = json.NewEncoder(w).Encode(map[string]any{"access_token": strings.Repeat("t", p.issued) + " " + r.PostFormValue("scope"), "token_type": "Bearer", "expires_in": 3600, "scope": r.PostFormValue("scope")})
}

// allowed reports whether a request has an access token for a scope, and answers it otherwise.
func (p *Platform) allowed(w http.ResponseWriter, r *http.Request, scope string) bool {
	token, has, _ := strings.Cut(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), " ")
	if len(token) > p.revoked && has == "https://purl.imsglobal.org/spec/lti/scope/"+scope {
		return true
	}
	http.Error(w, "unauthorized", http.StatusUnauthorized)
	return false
}

func (p *Platform) register(w http.ResponseWriter, r *http.Request) {
	var in struct{ Notice_type, Handler string }
	if !p.allowed(w, r, "noticehandlers") {
		return
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Notice_type != "LtiAssetProcessorSubmissionNotice" || r.Header.Get("Content-Type") != "application/json" {
		p.t.Errorf("registration of a handler: %+v, %v", in, err)
	}
	p.handler = in.Handler
	_ = json.NewEncoder(w).Encode(in)
}

func (p *Platform) asset(w http.ResponseWriter, r *http.Request) {
	if !p.allowed(w, r, "asset.readonly") {
		return
	}
	if p.store != "" {
		http.Redirect(w, r, p.store+"/"+r.PathValue("id"), http.StatusFound)
		return
	}
	_, _ = w.Write(p.assets[r.PathValue("id")])
}

func (p *Platform) report(w http.ResponseWriter, r *http.Request) {
	if !p.allowed(w, r, "report") {
		return
	}
	var in lti.Report
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Asset == "" || in.Type == "" || in.Title == "" || len([]rune(in.Result)) > 16 {
		p.t.Errorf("report %+v, %v", in, err)
	}
	for _, earlier := range p.reports {
		if earlier.Asset == in.Asset && earlier.Timestamp >= in.Timestamp {
			p.t.Errorf("the report at %s is not later than the one at %s", in.Timestamp, earlier.Timestamp)
		}
	}
	p.reports = append(p.reports, in)
	w.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(w).Encode(in)
}

// accepts returns the types of items that deep linking accepts.
func (p *Platform) accepts() []string {
	if p.Assignment != "" {
		return []string{"ltiAssetProcessor"}
	}
	return []string{"link", "ltiResourceLink"}
}

// assign adds the claims of launches from an assignment.
func (p *Platform) assign(claims map[string]any) {
	claims[Claim+"activity"] = map[string]any{"id": p.Assignment, "title": "Essay 1"}
	claims[Claim+"platformnotificationservice"] = map[string]any{
		"service_versions": []string{"1.0"}, "platform_notification_service_url": p.URL + "/notices/7", "scope": []string{"https://purl.imsglobal.org/spec/lti/scope/noticehandlers"},
		"notice_types_supported": []string{"LtiAssetProcessorSubmissionNotice"},
	}
	if p.Message == "" {
		return
	}
	claims[Claim+"message_type"], claims[Claim+"custom"] = p.Message, p.Custom
	delete(claims, Claim+"resource_link")
	if p.Asset != "" {
		claims[Claim+"asset"], claims[Claim+"submission"], claims[Claim+"assetreport_type"] = map[string]any{"id": p.Asset}, map[string]any{"id": "attempt-1"}, "otisk-similarity"
	}
}

// A Submission is what a user submits to the assignment.
type Submission struct {
	User, ID string            // of the user and of the submission
	Files    map[string]string // contents by name, which is also the id of the asset
}

// Notice returns the token of the notice of a submission.
func (p *Platform) Notice(s Submission) string {
	p.t.Helper()
	var assets []map[string]any
	p.mu.Lock()
	for _, name := range slices.Sorted(maps.Keys(s.Files)) {
		content := []byte(s.Files[name])
		sum := sha256.Sum256(content)
		p.assets[name] = content
		assets = append(assets, map[string]any{
			"asset_id": name, "url": p.URL + "/assets/" + name, "sha256_checksum": base64.StdEncoding.EncodeToString(sum[:]), "timestamp": "2026-11-26T12:00:00Z",
			"size": len(content), "content_type": "text/plain", "title": "Essay 1", "filename": name,
		})
	}
	p.mu.Unlock()
	now := time.Now()
	return p.sign(map[string]any{
		"iss": p.URL, "aud": "otisk-client", "azp": "otisk-client", "iat": now.Unix(), "exp": now.Add(time.Hour).Unix(), "nonce": s.ID,
		Claim + "version": "1.3.0", Claim + "deployment_id": "1", Claim + "notice": map[string]any{"id": "notice-" + s.ID, "timestamp": now.UTC().Format(time.RFC3339Nano), "type": "LtiAssetProcessorSubmissionNotice"},
		Claim + "for_user": map[string]any{"user_id": s.User}, Claim + "custom": p.Custom, Claim + "activity": map[string]any{"id": p.Assignment}, Claim + "submission": map[string]any{"id": s.ID},
		Claim + "assetreport":  map[string]any{"scope": []string{"https://purl.imsglobal.org/spec/lti/scope/report"}, "report_url": p.URL + "/reports/7"},
		Claim + "assetservice": map[string]any{"scope": []string{"https://purl.imsglobal.org/spec/lti/scope/asset.readonly"}, "assets": assets},
	})
}

// Post sends notices to the handler of the tool and returns the status of the answer.
func (p *Platform) Post(tokens ...string) int {
	p.t.Helper()
	resp, err := http.Post(p.Handler(), "application/json", bytes.NewReader(Notices(p.t, tokens...)))
	if err != nil {
		p.t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode
}

// Notices returns the body of a request with notices.
func Notices(t *testing.T, tokens ...string) []byte {
	t.Helper()
	list := []map[string]string{}
	for _, token := range tokens {
		list = append(list, map[string]string{"jwt": token})
	}
	data, err := json.Marshal(map[string]any{"notices": list})
	if err != nil {
		t.Fatal(err)
	}
	return data
}
