// Package api is the REST API of otisk serve: JSON over HTTP, with problem details (RFC 9457) for
// errors and an OpenAPI 3.1 description made from the same table as the routes.
package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/bucket"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/indexes"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/tca"
	"github.com/otisk/otisk/serve/work"
)

// Prefix is the path of the API.
const Prefix = "/api/v1"

// Cookie is the name of the session cookie, without the prefix that it has with TLS.
const Cookie = "otisk_session"

// CookieName returns the name of the session cookie. With TLS, its prefix makes browsers refuse one that
// another host of the domain, or a page without TLS, sets.
func CookieName(secure bool) string {
	if secure {
		return "__Host-" + Cookie
	}
	return Cookie
}

// Options are the settings of the API.
type Options struct {
	Desk       *desk.Desk
	Queue      *work.Queue
	Requests   *Requests // the counters of the whole server
	Log        *slog.Logger
	Version    string                          // of the program
	Issuer     string                          // name of the server in authenticator apps
	Secure     bool                            // clients connect by TLS, here or at a proxy
	MaxRequest int64                           // bytes of an upload
	MaxFile    int64                           // bytes of an uploaded file
	BaseURL    string                          // address that users type, without a slash at the end
	Address    func(r *http.Request) string    // of the client
	Ready      func(ctx context.Context) error // nil if the server can work
	Metrics    string                          // token for /metrics, "" if only administrators read it
}

// A server handles requests.
type server struct{ Options }

// New returns the handler of the API, of health checks and of metrics.
func New(o Options) http.Handler {
	s := &server{o}
	mux := http.NewServeMux()
	s.add(mux, rest(CookieName(s.Secure)), s.fail)
	s.add(mux, core(), s.failTCA)
	mux.Handle("GET "+TermsPath+"{integration}/{version}", s.handler(route{open: true, tca: true, do: showTerms}))
	mux.HandleFunc(tca.Root+"/", func(w http.ResponseWriter, r *http.Request) { s.failTCA(w, r, desk.ErrNotFound) })
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, map[string]string{"status": "ok"})
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if err := s.Ready(r.Context()); err != nil {
			s.Log.Error("not ready", "cause", err)
			answer(w, http.StatusServiceUnavailable, map[string]string{"status": "unavailable"})
			return
		}
		answer(w, http.StatusOK, s.ready(r.Context()))
	})
	mux.HandleFunc("GET /metrics", s.metrics)
	return mux
}

// add adds the routes of a protocol and its description. fail writes errors in its form.
func (s *server) add(mux *http.ServeMux, p *protocol, fail func(http.ResponseWriter, *http.Request, error)) {
	methods := map[string][]string{"/openapi.json": {http.MethodGet, http.MethodHead}}
	for _, r := range p.routes {
		mux.Handle(r.method+" "+p.prefix+r.path, s.handler(r))
		methods[r.path] = append(methods[r.path], r.method)
		if r.method == http.MethodGet {
			methods[r.path] = append(methods[r.path], http.MethodHead)
		}
	}
	for path, allowed := range methods {
		mux.HandleFunc(p.prefix+path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Allow", strings.Join(allowed, ", "))
			fail(w, r, errMethod)
		})
	}
	mux.HandleFunc("GET "+p.prefix+"/openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, p.describe(s.Version))
	})
	mux.HandleFunc(p.prefix+"/", func(w http.ResponseWriter, r *http.Request) { fail(w, r, desk.ErrNotFound) })
}

// ready returns the answer of a server that can work. It can accept files without its cluster.
func (s *server) ready(ctx context.Context) map[string]string {
	state := map[string]string{"status": "ok"}
	if s.Desk.Full() {
		state["disk"] = "full"
	}
	if s.Desk.ReadOnly() != nil {
		state["folder"] = "read-only"
	}
	if c := s.Desk.Cluster(ctx); c != nil {
		state["cluster"] = "ok"
		if c.Err != nil {
			state["cluster"] = "unavailable"
		}
	}
	return state
}

// SetSession sets the cookie of a session; "" removes it.
func SetSession(w http.ResponseWriter, session string, secure bool) {
	c := &http.Cookie{Name: CookieName(secure), Value: session, Path: "/", HttpOnly: true, Secure: secure, SameSite: http.SameSiteLaxMode}
	if session == "" {
		c.MaxAge = -1
	}
	http.SetCookie(w, c)
}

// A call is one request with its user.
type call struct {
	*http.Request
	s     *server
	w     http.ResponseWriter
	actor accounts.Actor
	route route
}

// actor returns the user of a request, by token or session, or errSignIn.
func (s *server) actor(r *http.Request) (a accounts.Actor, err error) {
	err = desk.ErrNotFound
	if secret, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		a, err = s.Desk.TokenActor(r.Context(), secret)
	} else if c, missing := r.Cookie(CookieName(s.Secure)); missing == nil {
		a, err = s.Desk.Actor(r.Context(), c.Value)
	}
	if errors.Is(err, desk.ErrNotFound) {
		err = errSignIn
	}
	return a, err
}

// errMethod is the error for a method that a path does not have.
var errMethod = errors.New("the path does not have this method")

// errSignIn is the error for a request without a valid session or token.
var errSignIn = errors.New("sign in, or send a valid token")

// Limits of requests without files, in bytes.
const (
	mostOpen      = 16 << 10  // of strangers
	mostSigned    = 1 << 20   // of users
	MostDecisions = 16 << 20  // on a report with some 100,000 passages
	MostStatement = 640 << 10 // of whoever has the link: 50,000 characters, each encoded in 12 bytes
)

// Limit limits the size of a request to most bytes; 0 is the default for strangers, if open, or users.
func Limit(w http.ResponseWriter, r *http.Request, most int64, open bool) error {
	switch {
	case most == 0 && open:
		most = mostOpen
	case most == 0:
		most = mostSigned
	}
	if r.ContentLength > most {
		return &http.MaxBytesError{Limit: most}
	}
	r.Body = http.MaxBytesReader(w, r.Body, most)
	return nil
}

// handler returns the handler of a route.
func (s *server) handler(route route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &call{Request: r, s: s, w: w, route: route}
		fail, actor := s.fail, s.actor
		if route.tca {
			fail, actor = s.failTCA, s.integration
		}
		if !route.open {
			a, err := actor(r)
			if err != nil {
				fail(w, r, err)
				return
			}
			if route.action != "" {
				if err := desk.May(a, route.action); err != nil { // before the body is read; the desk decides again
					s.Log.Warn("action refused", "action", route.action, "user", a.User, "token", a.Token, "address", s.Address(r))
					fail(w, r, err)
					return
				}
			}
			c.actor = a
		}
		if route.known != nil {
			if err := route.known(c); err != nil {
				fail(w, r, err)
				return
			}
		}
		if route.form == nil && !route.file {
			if err := Limit(w, r, route.most, route.open); err != nil {
				fail(w, r, err)
				return
			}
		}
		if !route.tca {
			if err := c.knownParameters(route.query); err != nil {
				fail(w, r, err)
				return
			}
		}
		result, err := route.do(c)
		switch {
		case err != nil:
			fail(w, r, err)
		case result == nil:
			w.WriteHeader(http.StatusNoContent)
		case result != written:
			answer(w, route.status(), result)
		}
	})
}

// written is the result of a handler that has written its answer.
var written any = new(int)

// answer writes a result in JSON.
func answer(w http.ResponseWriter, status int, result any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(result) // the client has gone
}

// decode reads the body of a request in JSON.
func (c *call) decode(v any) error {
	d := json.NewDecoder(c.Body)
	if !c.route.tca { // whose clients send fields of other services
		d.DisallowUnknownFields()
	}
	if err := d.Decode(v); err != nil {
		return badRequest{err}
	}
	return nil
}

// knownParameters returns an error for a query with a parameter that the route does not have: a filter
// with a mistyped name would return what it should leave out.
func (c *call) knownParameters(known []param) error {
	query, err := url.ParseQuery(c.URL.RawQuery)
	if err != nil {
		return badRequest{err}
	}
	for name := range query {
		if !slices.ContainsFunc(known, func(p param) bool { return p.name == name }) {
			return badRequest{fmt.Errorf("unknown parameter %q", name)}
		}
	}
	return nil
}

// number returns an integer parameter of the query, 0 if it is missing.
func (c *call) number(name string) (int, error) {
	text := c.FormValue(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, badRequest{fmt.Errorf("%s is not a number", name)}
	}
	return n, nil
}

// A badRequest is the error for a request that cannot be read.
type badRequest struct{ error }

func (e badRequest) Unwrap() error { return e.error }

// IsBadRequest reports whether err is that of a request that cannot be read.
func IsBadRequest(err error) bool { return errors.As(err, new(badRequest)) }

// A Problem is the answer to a request that failed: RFC 9457.
type Problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail,omitempty"`
	Field  string `json:"field,omitempty"` // that was wrong
}

// conflicts are the errors that a resource in its present state causes.
var conflicts = []error{desk.ErrInUse, desk.ErrBusy, desk.ErrHasChecks, desk.ErrLater, desk.ErrKeyReused, desk.ErrGiven, desk.ErrExternal, desk.ErrClosed, desk.ErrUploaded, desk.ErrNoFile, desk.ErrNoReport, desk.ErrSameURL, desk.ErrSelf, desk.ErrIntegrationUser, desk.ErrProvided}

// problem returns an error as problem details, and sets headers. Errors of the server are logged and not
// shown.
func (s *server) problem(w http.ResponseWriter, r *http.Request, err error) Problem {
	p := Problem{Type: "about:blank", Status: http.StatusInternalServerError, Detail: err.Error()}
	var wrong *desk.Invalid
	var many *desk.TooMany
	switch {
	case errors.As(err, &wrong):
		p.Status, p.Field = http.StatusUnprocessableEntity, wrong.Field
	case errors.As(err, new(*desk.NeedsCode)), errors.Is(err, desk.ErrCode), errors.Is(err, desk.ErrClockBack):
		p.Status, p.Field = http.StatusUnauthorized, "code"
		w.Header().Set("WWW-Authenticate", "Bearer")
	case errors.As(err, &many):
		p.Status = http.StatusTooManyRequests
		w.Header().Set("Retry-After", strconv.Itoa(int(many.Wait.Seconds())+1))
	case errors.As(err, new(*http.MaxBytesError)), errors.Is(err, desk.ErrTooLarge):
		p.Status = http.StatusRequestEntityTooLarge
	case IsBadRequest(err):
		p.Status = http.StatusBadRequest
	case errors.Is(err, desk.ErrNotFound):
		p.Status = http.StatusNotFound
	case errors.Is(err, errMethod):
		p.Status = http.StatusMethodNotAllowed
	case errors.Is(err, desk.ErrForbidden), errors.Is(err, desk.ErrNeedsFactor):
		p.Status = http.StatusForbidden
	case errors.Is(err, desk.ErrCredentials), errors.Is(err, errSignIn):
		p.Status = http.StatusUnauthorized
		w.Header().Set("WWW-Authenticate", "Bearer")
	case slices.ContainsFunc(conflicts, func(conflict error) bool { return errors.Is(err, conflict) }):
		p.Status = http.StatusConflict
	case errors.Is(err, indexes.ErrAway):
		p.Status, p.Detail = http.StatusServiceUnavailable, indexes.ErrAway.Error()
	case errors.Is(err, indexes.ErrMissing):
		p.Status, p.Detail = http.StatusServiceUnavailable, indexes.ErrMissing.Error()
	case errors.Is(err, bucket.ErrAway):
		p.Status, p.Detail = http.StatusServiceUnavailable, bucket.ErrAway.Error()
	case errors.As(err, new(*desk.Faulty)):
		p.Status = http.StatusConflict
	case errors.Is(err, desk.ErrTerms):
		p.Status = http.StatusUnavailableForLegalReasons
	case errors.Is(err, report.ErrNoPrinter):
		p.Status = http.StatusNotImplemented
	case errors.Is(err, desk.ErrQuota):
		p.Status = http.StatusInsufficientStorage
	case errors.Is(err, storage.ErrReadOnly):
		p.Status, p.Detail = http.StatusServiceUnavailable, storage.ErrReadOnly.Error()
	case errors.Is(err, storage.ErrBusy):
		p.Status, p.Detail = http.StatusServiceUnavailable, storage.ErrBusy.Error()
		w.Header().Set("Retry-After", "5")
	case storage.IsFull(err), errors.Is(err, desk.ErrFull):
		p.Status, p.Detail = http.StatusInsufficientStorage, desk.ErrFull.Error()
	default:
		p.Detail = "the server has logged the cause"
	}
	if p.Status >= 500 && r.Context().Err() == nil {
		s.Log.Error("request failed", "method", r.Method, "route", r.Pattern, "cause", err)
	}
	p.Title = http.StatusText(p.Status)
	return p
}

// fail writes an error as problem details.
func (s *server) fail(w http.ResponseWriter, r *http.Request, err error) {
	p := s.problem(w, r, err)
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // the client has gone
}
