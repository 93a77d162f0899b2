// Package pages is the web pages of otisk serve, rendered on the server in the language of the
// reader. Every page works without its script, except the report.
package pages

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/bucket"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/indexes"
	"github.com/otisk/otisk/serve/lti"
	"github.com/otisk/otisk/serve/oidc"
	"github.com/otisk/otisk/serve/storage"
)

//go:embed templates static
var files embed.FS

// Options are the settings of the pages.
type Options struct {
	Desk       *desk.Desk
	Log        *slog.Logger
	Version    string                       // of the program
	Secure     bool                         // clients connect by TLS, here or at a proxy
	BaseURL    string                       // address that users type, without a slash at the end
	MaxRequest int64                        // bytes of an upload
	Address    func(r *http.Request) string // of the client
	Provider   *oidc.Provider               // that signs users in, nil for none
	LTI        *lti.Tool                    // for learning platforms
}

// A site handles the requests for pages.
type site struct {
	Options
	templates map[string]*template.Template
}

// A route is a page or a form. Without an action, any signed-in user may use it; with open, everybody.
type route struct {
	pattern string
	action  accounts.Action
	open    bool
	most    int64              // bytes of the request, 0 for the default of package api; an upload has its own limits
	known   func(*visit) error // refuses a stranger before the body is read; nil for none
	page    func(*visit) error // with the form, which shows it again if it is refused; nil for none
	dead    string             // message for the reader of a link that opens nothing, who may have no account; "" for other routes
	sure    string             // message that asks before the form is carried out; "" for none
	do      func(*visit) error
}

// upload marks a route with files, which [api.ReadForm] limits.
const upload = -1

// routes is the table of the pages with the rights that they need. Each form is a POST; only the
// page of a report sends PUT.
var routes = []route{
	{pattern: "GET /{$}", do: home},
	{pattern: "GET /sign-in", open: true, do: showSignIn},
	{pattern: "POST /sign-in", open: true, page: showSignIn, do: signIn},
	{pattern: "GET /sign-in/provider", open: true, do: toProvider},
	{pattern: "GET " + oidc.Callback, open: true, do: fromProvider},
	{pattern: "POST /sign-in/code", open: true, page: showCode, do: enterCode},
	{pattern: "POST /sign-out", open: true, do: signOut},
	{pattern: "GET /link", open: true, dead: "web.dead-account-link", do: showLink},
	{pattern: "POST /link", open: true, page: showLink, dead: "web.dead-account-link", do: useLink},
	{pattern: "GET /help", open: true, do: showHelp},
	{pattern: "POST /language", open: true, do: setLanguage},

	{pattern: "GET /check", action: accounts.CheckTexts, do: showCheck},
	{pattern: "POST /check", action: accounts.CheckTexts, most: upload, page: showCheck, do: submit},
	{pattern: "GET /submissions/{id}", action: accounts.ReadChecks, do: showSubmission},
	{pattern: "POST /submissions/{id}/cancel", action: accounts.CheckTexts, page: showSubmission, do: cancel},
	{pattern: "POST /submissions/{id}/delete", action: accounts.DeleteChecks, page: showSubmission, sure: "web.delete-upload-sure", do: deletion((*desk.Desk).DeleteSubmission)},

	{pattern: "GET /courses", action: accounts.ReadChecks, do: showCourses},
	{pattern: "POST /courses", action: accounts.CheckTexts, page: showCourses, do: newCourse},
	{pattern: "GET /courses/{id}", action: accounts.ReadChecks, do: showCourse},
	{pattern: "GET /courses/{id}/pairs", action: accounts.ReadChecks, do: showPairs},
	{pattern: "GET /courses/{id}/pairs/{first}/{second}", action: accounts.ReadChecks, do: showPair},
	{pattern: "POST /courses/{id}", action: accounts.CheckTexts, page: showCourse, do: changeCourse},
	{pattern: "POST /courses/{id}/texts", action: accounts.CheckTexts, most: upload, page: showCourse, do: addFiles((*desk.Desk).HandIn, "/courses/{id}")},
	{pattern: "POST /courses/{id}/choice", action: accounts.CheckTexts, page: showCourse, do: choose},
	{pattern: "POST /courses/{id}/check", action: accounts.CheckTexts, page: showCourse, do: act((*desk.Desk).CheckAgain, "/courses/{id}")},
	{pattern: "POST /courses/{id}/seen", action: accounts.CheckTexts, page: showCourse, do: act((*desk.Desk).Seen, "/courses/{id}")},
	{pattern: "POST /courses/{id}/delete", action: accounts.DeleteChecks, page: showCourse, sure: "course.delete-sure", do: deletion((*desk.Desk).DeleteCourse)},

	{pattern: "GET /checks", action: accounts.ReadChecks, do: showChecks},
	{pattern: "GET /checks.csv", action: accounts.ReadChecks, do: checksCSV},
	{pattern: "GET /checks/{id}", action: accounts.ReadChecks, do: showRecord},
	{pattern: "POST /checks/{id}/verdict", action: accounts.DecideOnChecks, page: showRecord, do: setVerdict},
	{pattern: "POST /checks/{id}/delete", action: accounts.DeleteChecks, page: showRecord, sure: "web.delete-check-sure", do: deletion((*desk.Desk).DeleteCheck)},
	{pattern: "POST /checks/{id}/keep", action: accounts.DeleteChecks, page: showRecord, sure: "case.keep-check-sure", do: retainCheck},
	{pattern: "GET /checks/{id}/export", action: accounts.ExportData, do: exportCheck},
	{pattern: "GET /checks/{id}/file", action: accounts.ReadChecks, do: sendOriginal},
	{pattern: "GET /checks/{id}/report", action: accounts.ReadChecks, do: showReport},
	{pattern: "GET /checks/{id}/report.pdf", action: accounts.ReadChecks, do: sendPDF},
	{pattern: "POST /checks/{id}/links", action: accounts.ShareChecks, page: showRecord, do: newShare},
	{pattern: "POST /checks/{id}/links/{link}/revoke", action: accounts.ShareChecks, page: showRecord, sure: "web.revoke-link-sure", do: deleteShare},
	{pattern: "POST /checks/{id}/links/{link}/access", action: accounts.ShareChecks, page: showRecord, do: openToStudent},
	{pattern: "POST /checks/{id}/case", action: accounts.DecideOnChecks, page: showRecord, do: addStep},
	{pattern: "POST /checks/{id}/notices", action: accounts.ShareChecks, page: showRecord, do: notify},
	{pattern: "POST /shared/{secret}/statement", open: true, most: api.MostStatement, known: mayState, page: showShared, dead: "web.dead-shared-link", do: addStatement},
	{pattern: "GET /shared/{secret}", open: true, dead: "web.dead-shared-link", do: showShared},
	{pattern: "GET /shared/{secret}/report", open: true, dead: "web.dead-shared-link", do: showSharedReport},
	{pattern: "GET /checks/{id}/remarks", action: accounts.ReadChecks, do: getRemarks},
	{pattern: "POST /checks/{id}/remarks", action: accounts.DecideOnChecks, page: showRecord, do: addRemark},
	{pattern: "POST /checks/{id}/remarks/{remark}/delete", action: accounts.DecideOnChecks, page: showRecord, sure: "case.delete-remark-sure", do: deleteRemark},
	{pattern: "GET /checks/{id}/decisions", action: accounts.ReadChecks, do: getDecisions},
	{pattern: "PUT /checks/{id}/decisions", action: accounts.DecideOnChecks, most: api.MostDecisions, do: putDecisions},

	{pattern: "GET /collections", action: accounts.ReadCollections, do: showCollections},
	{pattern: "POST /collections", action: accounts.ChangeCollections, page: showCollections, do: newCollection},
	{pattern: "GET /collections/{id}", action: accounts.ReadCollections, do: showCollection},
	{pattern: "POST /collections/{id}/add", action: accounts.ChangeCollections, most: upload, page: showCollection, do: addFiles((*desk.Desk).Add, "/collections/{id}")},
	{pattern: "POST /collections/{id}/documents/delete", action: accounts.DeleteDocuments, page: showCollection, sure: "web.delete-documents-sure", do: deleteDocuments},
	{pattern: "POST /collections/{id}/keep", action: accounts.DeleteDocuments, page: showCollection, sure: "case.keep-documents-sure", do: retainDocuments},
	{pattern: "POST /collections/{id}/delete", action: accounts.ChangeCollections, page: showCollection, sure: "web.delete-collection-sure", do: act((*desk.Desk).DeleteCollection, "/collections")},

	{pattern: "POST /collections/{id}/sources", action: accounts.ChangeCollections, page: showCollection, do: addSource},
	{pattern: "POST /collections/{id}/metadata", action: accounts.ChangeCollections, most: upload, page: showCollection, do: addFiles((*desk.Desk).Describe, "/collections/{id}")},
	{pattern: "GET /collections/{id}/document", action: accounts.ChangeCollections, do: showDocument},
	{pattern: "GET /collections/{id}/document/text", action: accounts.ChangeCollections, do: sendText},
	{pattern: "GET /collections/{id}/document/export", action: accounts.ExportData, do: exportDocument},
	{pattern: "POST /collections/{id}/document", action: accounts.ChangeCollections, page: showDocument, do: describeDocument},
	{pattern: "POST /collections/{id}/sources/{source}/run", action: accounts.ChangeCollections, page: showCollection, do: runSource},
	{pattern: "POST /collections/{id}/sources/{source}/delete", action: accounts.ChangeCollections, page: showCollection, sure: "web.delete-source-sure", do: deleteSource},

	{pattern: "GET /presets", action: accounts.ChangePresets, do: showPresets},
	{pattern: "POST /presets", action: accounts.ChangePresets, page: showPresets, do: savePreset},
	{pattern: "GET /presets/{id}", action: accounts.ChangePresets, do: showPreset},
	{pattern: "POST /presets/{id}", action: accounts.ChangePresets, page: showPreset, do: savePreset},
	{pattern: "POST /presets/{id}/delete", action: accounts.ChangePresets, page: showPresets, sure: "web.delete-preset-sure", do: act((*desk.Desk).DeletePreset, "/presets")},
	{pattern: "POST /given", action: accounts.ChangePresets, most: upload, page: showPresets, do: addGiven},
	{pattern: "POST /given/{id}/delete", action: accounts.ChangePresets, page: showPresets, sure: "web.delete-given-sure", do: act((*desk.Desk).DeleteGiven, "/presets")},

	{pattern: "GET /account", action: accounts.OwnAccount, do: showAccount},
	{pattern: "POST /account/password", action: accounts.OwnAccount, page: showAccount, do: changePassword},
	{pattern: "POST /account/mail", action: accounts.OwnAccount, page: showAccount, do: setMail},
	{pattern: "POST /account/factor", action: accounts.OwnAccount, page: showAccount, do: newFactor},
	{pattern: "POST /account/factor/confirm", action: accounts.OwnAccount, page: showFactor, do: confirmFactor},
	{pattern: "POST /account/factor/end", action: accounts.OwnAccount, page: showAccount, do: endFactor},
	{pattern: "POST /account/sessions/end", action: accounts.OwnAccount, page: showAccount, do: endSessions},
	{pattern: "GET /tokens", action: accounts.OwnTokens, do: showTokens},
	{pattern: "POST /tokens", action: accounts.OwnTokens, page: showTokens, do: newToken},
	{pattern: "POST /tokens/{id}/revoke", action: accounts.OwnTokens, page: showTokens, sure: "web.revoke-sure", do: act((*desk.Desk).RevokeToken, "/tokens")},
	{pattern: "GET /users", action: accounts.ManageUsers, do: showUsers},
	{pattern: "POST /users", action: accounts.ManageUsers, page: showUsers, do: invite},
	{pattern: "POST /users/table", action: accounts.ManageUsers, most: upload, page: showUsers, do: inviteTable},
	{pattern: "GET /users/{id}", action: accounts.ManageUsers, do: showUser},
	{pattern: "POST /users/{id}", action: accounts.ManageUsers, page: showUser, do: changeUser},
	{pattern: "POST /users/{id}/delete", action: accounts.ManageUsers, page: showUser, sure: "people.delete-sure", do: deleteUser},
	{pattern: "GET /users/{id}/export", action: accounts.ExportData, do: exportUser},
	{pattern: "GET /export", action: accounts.ExportData, do: exportPerson},
	{pattern: "POST /users/{id}/reset", action: accounts.ManageUsers, page: showUser, do: resetPassword},
	{pattern: "POST /users/{id}/factor", action: accounts.ManageUsers, page: showUser, sure: "account.reset-sure", do: act((*desk.Desk).ResetFactor, "/users")},
	{pattern: "POST /groups", action: accounts.ManageUsers, page: showUsers, do: newGroup},
	{pattern: "POST /groups/{id}", action: accounts.ManageUsers, page: showUsers, do: renameGroup},
	{pattern: "POST /groups/{id}/delete", action: accounts.ManageUsers, page: showUsers, sure: "people.delete-group-sure", do: deleteGroup},
	{pattern: "GET /webhooks", action: accounts.ManageWebhooks, do: showWebhooks},
	{pattern: "POST /webhooks", action: accounts.ManageWebhooks, page: showWebhooks, do: newWebhook},
	{pattern: "POST /webhooks/{id}/delete", action: accounts.ManageWebhooks, page: showWebhooks, sure: "hook.delete-sure", do: act((*desk.Desk).DeleteWebhook, "/webhooks")},
	{pattern: "POST /webhooks/{id}/try", action: accounts.ManageWebhooks, page: showWebhooks, do: act((*desk.Desk).TryWebhook, "/webhooks")},
	{pattern: "GET /integrations", action: accounts.ManageIntegrations, do: showIntegrations},
	{pattern: "POST /integrations", action: accounts.ManageIntegrations, page: showIntegrations, do: saveIntegration},
	{pattern: "POST /integrations/{id}", action: accounts.ManageIntegrations, page: showIntegrations, do: saveIntegration},
	{pattern: "POST /integrations/{id}/key", action: accounts.ManageIntegrations, page: showIntegrations, sure: "tca.new-key-sure", do: newIntegrationKey},
	{pattern: "POST /integrations/{id}/delete", action: accounts.ManageIntegrations, page: showIntegrations, sure: "tca.delete-sure", do: act((*desk.Desk).DeleteIntegration, "/integrations")},
	{pattern: "GET /platforms", action: accounts.ManagePlatforms, do: showPlatforms},
	{pattern: "POST /platforms", action: accounts.ManagePlatforms, page: showPlatforms, do: savePlatform},
	{pattern: "POST /platforms/keys", action: accounts.ManagePlatforms, page: showPlatforms, do: newPlatformKey},
	{pattern: "POST /platforms/{id}", action: accounts.ManagePlatforms, page: showPlatforms, do: savePlatform},
	{pattern: "POST /platforms/{id}/delete", action: accounts.ManagePlatforms, page: showPlatforms, sure: "lti.delete-sure", do: act((*desk.Desk).DeletePlatform, "/platforms")},
	{pattern: "GET " + lti.KeysPath, open: true, do: ltiKeys},
	{pattern: "GET " + lti.LoginPath, open: true, do: startLaunch},
	{pattern: "POST " + lti.LoginPath, open: true, do: startLaunch},
	{pattern: "POST " + lti.LaunchPath, open: true, most: mostToken, do: finishLaunch},
	{pattern: "POST " + lti.SelectPath, open: true, most: mostToken, page: showSelection, do: chooseLink},
	{pattern: "POST " + lti.NoticePath + "{id}", open: true, most: mostToken, known: knowPlatform, do: receiveNotices},
	{pattern: "GET /own", action: accounts.OwnTexts, do: showOwn},
	{pattern: "POST /own/courses/{id}", action: accounts.OwnTexts, most: upload, page: showOwn, do: addFiles((*desk.Desk).HandInOwn, "/own")},
	{pattern: "GET /own/texts/{id}", action: accounts.OwnTexts, do: showOwnText},
	{pattern: "GET /own/texts/{id}/report", action: accounts.OwnTexts, do: showOwnReport},
	{pattern: "POST /own/texts/{id}/statement", action: accounts.OwnTexts, page: showOwnText, do: addOwnStatement},
	{pattern: "GET /audit", action: accounts.ReadAudit, do: showAudit},
}

// mostToken is the limit of a request with tokens of a learning platform, in bytes.
const mostToken = 64 << 10

// Patterns returns the methods and paths of the pages.
func Patterns() (list []string) {
	return lists.Map(routes, func(r route) string { return r.pattern })
}

// New returns the handler of the pages.
func New(o Options) (http.Handler, error) {
	s := &site{Options: o, templates: map[string]*template.Template{}}
	names, err := files.ReadDir("templates")
	if err != nil {
		return nil, err
	}
	for _, f := range names {
		t, err := template.ParseFS(files, "templates/layout.html", "templates/parts.html", "templates/"+f.Name())
		if err != nil {
			return nil, err
		}
		s.templates[strings.TrimSuffix(f.Name(), ".html")] = t
	}
	mux := http.NewServeMux()
	for _, r := range routes {
		mux.Handle(r.pattern, s.handler(r))
	}
	mux.Handle("/", s.handler(route{open: true, do: func(*visit) error { return desk.ErrNotFound }}))
	return CrossOrigin().Handler(mux), s.addStatic(mux)
}

// addStatic adds the style sheet, the script and the icon. The style sheet begins with that of the reports.
func (s *site) addStatic(mux *http.ServeMux) error {
	style, err := report.StyleSheet()
	if err != nil {
		return err
	}
	own, err := files.ReadFile("static/pages.css")
	if err != nil {
		return err
	}
	script, err := files.ReadFile("static/pages.js")
	if err != nil {
		return err
	}
	icon, err := files.ReadFile("static/icon.svg")
	if err != nil {
		return err
	}
	for _, f := range []struct {
		path, kind string
		content    []byte
	}{
		{"/static/pages.css", "text/css; charset=utf-8", append(style, own...)},
		{"/static/pages.js", "text/javascript; charset=utf-8", script},
		{"/static/icon.svg", "image/svg+xml", icon},
	} {
		mux.HandleFunc("GET "+f.path, func(w http.ResponseWriter, _ *http.Request) {
			setHeaders(w.Header(), s.Secure)
			w.Header().Set("Content-Type", f.kind)
			w.Header().Set("Cache-Control", "no-cache")
			_, _ = w.Write(f.content) // the client has gone
		})
	}
	return nil
}

// policy is the Content-Security-Policy of all pages but reports: nothing inline, nothing foreign.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func setHeaders(h http.Header, secure bool) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	if secure {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

// A visit is one request with its user and language.
type visit struct {
	*http.Request
	s       *site
	w       http.ResponseWriter
	lang    *lang.Printer
	actor   accounts.Actor
	signed  bool   // the user is signed in
	session string // secret of the session
	status  int    // of the page, 0 for OK
	route   route
	refused *refusal // of the form that the page has, nil for none
	compare bool     // the page is not sent, but its form is compared with the one that was sent
}

// handler returns the handler of a route.
func (s *site) handler(route route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setHeaders(w.Header(), s.Secure)
		v := &visit{Request: r, s: s, w: w, lang: languageOf(r), route: route}
		err := v.identify()
		switch {
		case err != nil:
		case !v.signed && !route.open:
			v.sendToSignIn()
			return
		case v.signed && v.actor.NeedsFactor && !route.open && route.action != accounts.OwnAccount && r.Method == http.MethodGet:
			err = v.goTo("/account")
		case v.signed && v.actor.NeedsFactor && !route.open && route.action != accounts.OwnAccount:
			err = desk.ErrNeedsFactor
		case route.action != "" && !v.actor.May(route.action):
			s.Log.Warn("action refused", "action", route.action, "user", v.actor.User, "address", s.Address(r))
			err = desk.ErrForbidden
		default:
			err = v.do(route)
		}
		if err != nil {
			v.fail(err)
		}
	})
}

// do runs a route on a request of limited size.
func (v *visit) do(route route) error {
	if route.known != nil {
		if err := route.known(v); err != nil {
			return err
		}
	}
	if route.most != upload {
		if err := api.Limit(v.w, v.Request, route.most, route.open); err != nil {
			return err
		}
		if err := v.ParseForm(); err != nil {
			return errors.Join(errBadRequest, err)
		}
	}
	if v.signed && route.page != nil && v.PostForm.Has("seen") {
		v.compare = true
		err := route.page(v)
		if v.compare = false; err != nil {
			return err
		}
	}
	if route.sure != "" && v.PostFormValue("sure") == "" {
		return v.ask(route.sure)
	}
	return route.do(v)
}

// identify finds the user of the session, if there is one.
func (v *visit) identify() error {
	c, err := v.Cookie(api.CookieName(v.s.Secure))
	if err != nil {
		return nil
	}
	v.actor, err = v.s.Desk.Actor(v.Context(), c.Value)
	if errors.Is(err, desk.ErrNotFound) {
		return nil
	}
	v.signed, v.session = err == nil, c.Value
	if v.signed {
		v.s.Desk.NoteLanguage(v.Context(), v.actor, v.lang.Tag())
		v.actor.Lang = v.lang.Tag()
	}
	return err
}

// mostSignedOut is the limit of a form whose session has ended, in bytes.
const mostSignedOut = 64 << 10

// sendToSignIn redirects to the page for signing in, which leads back to a page that was asked for. It
// keeps the values of a form, which can be sent again when the user has signed in.
func (v *visit) sendToSignIn() {
	if v.Method != http.MethodGet && v.Method != http.MethodHead {
		v.status = http.StatusUnauthorized
		if v.route.action != accounts.OwnAccount && v.route.most != upload && api.Limit(v.w, v.Request, mostSignedOut, true) == nil && v.ParseForm() == nil && len(v.PostForm) > 0 {
			_ = v.show("sure", v.lang.Text("web.sign-in"), surePage{v.lang.Text("web.signed-out"), v.URL.Path, v.PostForm, "/sign-in"})
			return
		}
		_ = v.show("error", v.lang.Text("web.sign-in"), v.lang.Text("web.signed-out"))
		return
	}
	http.Redirect(v.w, v.Request, "/sign-in?next="+url.QueryEscape(v.URL.RequestURI()), http.StatusSeeOther)
}

// goTo redirects to a page after a form.
func (v *visit) goTo(path string) error {
	http.Redirect(v.w, v.Request, path, http.StatusSeeOther)
	return nil
}

// after redirects to a page after a form that was carried out. In the path of the page, {id} is that of the
// request.
func (v *visit) after(err error, path string) error {
	if err != nil {
		return err
	}
	return v.goTo(strings.ReplaceAll(path, "{id}", v.PathValue("id")))
}

// local returns an address if it is one of this server, else "/".
func local(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Opaque != "" || !strings.HasPrefix(address, "/") || strings.HasPrefix(address, "//") || strings.ContainsAny(address, "\\\r\n\t") {
		return "/"
	}
	return address
}

// errSignedOut is the error for a user whose session has ended during an upload.
var errSignedOut = errors.New("the session has ended")

// errChanged is the error for a form whose record somebody has changed since the form was shown.
var errChanged error = phrase.Error("web.changed", "somebody has changed this since you opened the page; the form has your values: open it again to see the present ones, or save once more to replace them")

// errBadRequest is the error for a request that cannot be read.
var errBadRequest = errors.New("bad request")

// statuses are the statuses of errors that are shown to users.
var statuses = []struct {
	err    error
	status int
}{
	{desk.ErrNotFound, http.StatusNotFound}, {desk.ErrForbidden, http.StatusForbidden}, {desk.ErrNeedsFactor, http.StatusForbidden}, {desk.ErrCredentials, http.StatusUnauthorized},
	{desk.ErrExternal, http.StatusConflict}, {desk.ErrCode, http.StatusUnauthorized}, {desk.ErrClockBack, http.StatusUnauthorized}, {desk.ErrTicket, http.StatusUnauthorized},
	{errChanged, http.StatusConflict}, {desk.ErrInUse, http.StatusConflict}, {desk.ErrBusy, http.StatusConflict}, {desk.ErrHasChecks, http.StatusConflict}, {desk.ErrLater, http.StatusConflict},
	{indexes.ErrAway, http.StatusServiceUnavailable}, {indexes.ErrMissing, http.StatusServiceUnavailable}, {bucket.ErrAway, http.StatusServiceUnavailable},
	{storage.ErrReadOnly, http.StatusServiceUnavailable}, {storage.ErrBusy, http.StatusServiceUnavailable},
	{desk.ErrKeyReused, http.StatusConflict}, {desk.ErrGiven, http.StatusConflict}, {desk.ErrClosed, http.StatusConflict}, {desk.ErrSelf, http.StatusConflict}, {desk.ErrIntegrationUser, http.StatusConflict}, {desk.ErrProvided, http.StatusConflict}, {desk.ErrTooLarge, http.StatusRequestEntityTooLarge}, {desk.ErrQuota, http.StatusInsufficientStorage}, {desk.ErrFull, http.StatusInsufficientStorage},
}

// explain returns the status of an error and its text for users. Errors of the server are logged,
// and their text is not shown.
func (v *visit) explain(err error) (status int, text string) {
	var wrong *desk.Invalid
	var many *desk.TooMany
	for _, s := range statuses {
		if errors.Is(err, s.err) {
			if s.status == http.StatusServiceUnavailable {
				v.s.Log.Error("page", "route", v.Pattern, "cause", err)
			}
			return s.status, v.lang.Err(s.err)
		}
	}
	switch {
	case errors.As(err, &wrong):
		return http.StatusUnprocessableEntity, v.lang.Err(wrong.Unwrap())
	case errors.As(err, &many):
		return http.StatusTooManyRequests, v.lang.Err(many)
	case errors.As(err, new(*http.MaxBytesError)):
		return http.StatusRequestEntityTooLarge, v.lang.Err(desk.ErrTooLarge)
	case storage.IsFull(err):
		v.s.Log.Error("page", "route", v.Pattern, "cause", err)
		return http.StatusInsufficientStorage, v.lang.Err(desk.ErrFull)
	case errors.Is(err, errSignedOut):
		return http.StatusUnauthorized, v.lang.Text("web.signed-out")
	case errors.Is(err, errBadRequest), api.IsBadRequest(err):
		return http.StatusBadRequest, v.lang.Text("web.bad-request")
	}
	v.s.Log.Error("page", "route", v.Pattern, "cause", err)
	return http.StatusInternalServerError, v.lang.Text("web.internal")
}

// fail shows the form that was refused with the reason, or the page of an error.
func (v *visit) fail(err error) {
	status, text := v.explain(err)
	v.status = status
	if errors.Is(err, storage.ErrBusy) {
		v.w.Header().Set("Retry-After", "5")
	}
	if v.route.page != nil && answerable(status) {
		v.refused = &refusal{fieldsOf(err), text}
		if v.route.page(v) == nil {
			return
		}
		v.refused = nil
	}
	name, title := "error", fmt.Sprint(status)
	if v.route.dead != "" && status == http.StatusNotFound {
		name, title, text = "dead-link", v.lang.Text("web.dead-link"), v.lang.Text(v.route.dead)
	}
	if err := v.show(name, title, text); err != nil {
		v.s.Log.Error("page of an error", "cause", err)
	}
}

// show writes a page.
func (v *visit) show(name, title string, data any) error {
	var b bytes.Buffer
	if err := v.s.templates[name].ExecuteTemplate(&b, "layout", &view{visit: v, Title: title, Data: data, template: name}); err != nil {
		return err
	}
	page := b.Bytes()
	if v.compare {
		if !bytes.Contains(page, []byte(v.PostFormValue("seen"))) {
			return errChanged
		}
		return nil
	}
	if v.refused != nil {
		var err error
		if page, err = v.refused.amend(page, v.URL.Path, v.PostForm); err != nil {
			return err
		}
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.WriteHeader(cmp.Or(v.status, http.StatusOK))
	_, _ = v.w.Write(page) // the client has gone
	return nil
}
