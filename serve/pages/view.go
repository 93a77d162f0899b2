package pages

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/language"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/desk"
)

// A view is the data of a template.
type view struct {
	*visit
	Title string
	Data  any

	template string // name
}

// Lang returns the messages of the page.
func (v *view) Lang() *lang.Printer { return v.lang }

// Signed reports whether the user is signed in.
func (v *view) Signed() bool { return v.signed }

// Name returns the name of the user.
func (v *view) Name() string { return v.actor.Person() }

// Version returns the version of the program.
func (v *view) Version() string { return v.s.Version }

// May reports whether the user may do an action.
func (v *view) May(action string) bool { return v.signed && v.actor.May(accounts.Action(action)) }

// Seen returns the value of the hidden field "seen" of a form that changes a record with these values.
func (v *view) Seen(values ...any) (string, error) {
	b, err := json.Marshal(values)
	return fmt.Sprintf("%x", sha256.Sum256(b)), err
}

// Address returns the address of the page, to which the choice of a language returns. A page that
// answers a form has none.
func (v *view) Address() string {
	if v.Method != http.MethodGet {
		return "/"
	}
	return v.URL.RequestURI()
}

// A checkView is the data of the templates for the state and the score of a check.
type checkView struct {
	View  *view
	Lang  *lang.Printer
	Check *desk.Check
}

// Of returns the data of the templates for the state and the score of a check.
func (v *view) Of(c any) checkView {
	switch c := c.(type) {
	case desk.Check:
		return checkView{v, v.lang, &c}
	case *desk.Check:
		return checkView{v, v.lang, c}
	}
	panic("pages: not a check")
}

// Shares returns the percentages of the grades of a score, or that it consists of reworded words only. It returns ""
// for a score of 0 and for a check of an earlier version.
func (v *view) Shares(s search.Score) string {
	return cmp.Or(report.RewordedOnly(v.lang, s), strings.Join(report.Shares(v.lang, s), ", "))
}

// A group is the words that the score of a check counts in passages of one group.
type group struct {
	Name  string
	Words int
}

// Groups returns the groups of the passages of a check, nil if none is counted, as in a check of an earlier version. The last one is neither
// quoted nor cited.
func (v *view) Groups(g desk.Groups) (list []group) {
	if g == (desk.Groups{}) {
		return nil
	}
	for i, name := range search.Groups() {
		list = append(list, group{report.GroupName(v.lang, name), g.Words()[i]})
	}
	return list
}

// An item is an entry of the menu.
type item struct {
	Path, Name string
	Here       bool
}

// Menu returns the entries of the menu that the user may open.
func (v *view) Menu() (list []item) {
	if !v.signed {
		return nil
	}
	if !v.actor.May(accounts.ReadChecks) {
		return []item{{"/own", v.lang.Text("lti.own"), v.URL.Path == "/own"}}
	}
	for _, m := range []struct {
		path, message string
		action        accounts.Action
	}{
		{"/check", "web.check", accounts.CheckTexts}, {"/courses", "course.courses", accounts.ReadChecks}, {"/checks", "web.checks", accounts.ReadChecks}, {"/collections", "web.collections", accounts.ReadCollections},
		{"/presets", "web.presets", accounts.ChangePresets},
		{"/users", "web.users", accounts.ManageUsers}, {"/audit", "web.audit", accounts.ReadAudit}, {"/tokens", "web.tokens", accounts.OwnTokens},
	} {
		if v.actor.May(m.action) {
			here := v.URL.Path == m.path || strings.HasPrefix(v.URL.Path, m.path+"/")
			list = append(list, item{m.path, v.lang.Text(m.message), here})
		}
	}
	return list
}

// languageNames are the names of the languages in themselves.
var languageNames = map[string]string{"cs": "Čeština", "de": "Deutsch", "en": "English", "sk": "Slovenčina"}

// Languages returns the languages to choose from.
func (v *view) Languages() (list []item) {
	return lists.Map(lang.Tags(), func(tag string) item { return item{tag, languageNames[tag], tag == v.lang.Tag()} })
}

// When formats a time with its date, in the time zone of the server; "" for none.
func (v *view) When(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	t = t.Local()
	return v.lang.Date(t) + " " + t.Format("15:04")
}

// Number formats a number.
func (v *view) Number(n any) string {
	switch n := n.(type) {
	case int:
		return v.lang.Number(int64(n))
	case int64:
		return v.lang.Number(n)
	}
	return ""
}

// Size formats a number of bytes, rounded up to MB, or to tenths of GB.
func (v *view) Size(n int64) string {
	if n < 1e9 {
		return v.lang.Number((n+1e6-1)/1e6) + " MB"
	}
	return v.lang.Decimal(math.Ceil(float64(n)/1e8)/10) + " GB"
}

// State returns the name of a state.
func (v *view) State(state string) string { return v.named(stateNames, state) }

// Kind returns the name of a kind of source or addition.
func (v *view) Kind(kind string) string { return v.named(kindNames, kind) }

// Role returns the name of a role.
func (v *view) Role(role accounts.Role) string { return v.named(roleNames, string(role)) }

// Scope returns the name of a scope.
func (v *view) Scope(scope accounts.Scope) string { return v.named(scopeNames, string(scope)) }

// Done returns the name of an action in the audit log.
func (v *view) Done(action string) string { return v.named(actionNames, action) }

// Verdict returns the name of a verdict.
func (v *view) Verdict(verdict string) string { return v.named(verdictNames, verdict) }

// Roles returns all roles.
func (v *view) Roles() []accounts.Role { return accounts.Roles() }

// Verdicts returns all verdicts.
func (v *view) Verdicts() []string { return report.Verdicts }

// NewKey returns a key that lets a form be sent once only.
func (v *view) NewKey() string { return accounts.NewID() }

func (v *visit) named(names map[string]string, name string) string {
	if message := names[name]; message != "" {
		return v.lang.Text(message)
	}
	return name
}

// The names of messages for states, roles, verdicts and actions of the audit log.
var (
	stateNames = map[string]string{"waiting": "course.waiting", "queued": "web.state-queued", "running": "web.state-running", "done": "web.state-done", "failed": "web.state-failed", "cancelled": "web.state-cancelled"}
	kindNames  = map[string]string{"files": "web.source-files", "table": "web.source-table", "document": "web.metadata", "folder": "web.source-folder", "oai": "web.source-oai", "feed": "web.source-feed"}
	roleNames  = map[string]string{
		string(accounts.Student): "lti.role-student", string(accounts.Reader): "web.role-reader", string(accounts.Checker): "web.role-checker",
		string(accounts.Librarian): "web.role-librarian", string(accounts.Administrator): "web.role-administrator",
	}
	scopeNames = map[string]string{
		string(accounts.ScopeRead): "web.scope-read", string(accounts.ScopeCheck): "web.scope-check", string(accounts.ScopeCollections): "web.scope-collections", string(accounts.ScopeAdmin): "web.scope-admin",
	}
	verdictNames = map[string]string{"acceptable": "common.verdict-acceptable", "minor": "common.verdict-minor", "serious": "common.verdict-serious", "open": "common.verdict-open"}
	actionNames  = map[string]string{
		"check texts": "web.did-check", "cancel checks": "web.did-cancel", "delete check": "web.did-delete-check", "delete upload": "web.did-delete-upload", "close private collection": "web.did-close-private", "decide": "web.did-decide", "verdict": "web.did-verdict",
		"create course": "course.did-create", "change course": "course.did-change", "hand in texts": "course.did-hand-in", "count text": "course.did-count", "leave out text": "course.did-leave-out",
		"check course again": "course.did-check-again", "see risen scores": "course.did-see", "delete course": "course.did-delete",
		"share check": "web.did-share", "revoke link": "web.did-unshare", "open link": "web.did-open-link", "open report by link": "web.did-open-report-link",
		"delete documents": "web.did-delete-documents",
		"export check":     "case.did-export-check", "export document": "case.did-export-document", "export user": "case.did-export-user", "export person": "case.did-export-person",
		"case: comment": "case.did-comment", "case: notice": "case.did-notice", "case: access": "case.did-access", "case: statement": "case.did-statement", "case: reply": "case.did-reply", "case: closed": "case.did-close", "case: reopened": "case.did-reopen",
		"comment on place": "case.did-remark", "delete comment on place": "case.did-delete-remark", "keep check": "case.did-keep-check", "keep documents": "case.did-keep-documents", "delete check by retention": "case.did-delete-check", "delete documents by retention": "case.did-delete-documents",
		"create collection": "web.did-create-collection", "delete collection": "web.did-delete-collection", "move collection": "web.did-move-collection", "add to collection": "web.did-add", "describe documents": "web.did-describe", "add source": "web.did-add-source", "delete source": "web.did-delete-source",
		"save preset": "web.did-save-preset", "delete preset": "web.did-delete-preset", "add given text": "web.did-add-given", "delete given text": "web.did-delete-given",
		"first administrator": "web.did-first", "invite user": "web.did-invite", "reset password": "web.did-reset", "set password": "web.did-password", "change user": "web.did-change-user",
		"delete user": "people.did-delete", "send mail": "mail.did-send", "mail failed": "mail.did-fail", "create group": "web.did-group", "rename group": "people.did-rename-group", "delete group": "people.did-delete-group", "create token": "web.did-token", "revoke token": "web.did-revoke",
		"sign in": "account.did-sign-in", "set up second factor": "account.did-factor", "end second factor": "account.did-end-factor", "reset second factor": "account.did-reset-factor", "end sessions": "account.did-end-sessions", "set mail": "account.did-mail",
		"create webhook": "hook.did-create", "delete webhook": "hook.did-delete", "create user": "account.did-create-user", "refuse user": "account.did-refuse-user",
		"create platform": "lti.did-create", "change platform": "lti.did-change", "delete platform": "lti.did-delete", "rotate platform key": "lti.did-rotate",
		"create integration": "tca.did-create", "change integration": "tca.did-change", "delete integration": "tca.did-delete", "new integration key": "tca.did-key",
	}
)

// languageCookie is the name of the cookie with the chosen language.
const languageCookie = "otisk_lang"

// languageOf returns the language of a request: the chosen one, or the first that the browser
// prefers and that there is.
func languageOf(r *http.Request) *lang.Printer {
	if tag := r.URL.Query().Get("lang"); slices.Contains(lang.Tags(), tag) { // of a client that knows the language of its user
		return lang.Of(tag)
	}
	if c, err := r.Cookie(languageCookie); err == nil {
		return lang.Of(c.Value)
	}
	wanted, _, err := language.ParseAcceptLanguage(r.Header.Get("Accept-Language"))
	if err != nil {
		return lang.Of("en")
	}
	for _, tag := range wanted {
		base, _ := tag.Base()
		if p := lang.Of(base.String()); p.Tag() == base.String() {
			return p
		}
	}
	return lang.Of("en")
}

func setLanguage(v *visit) error {
	http.SetCookie(v.w, &http.Cookie{Name: languageCookie, Value: lang.Of(v.PostFormValue("lang")).Tag(), Path: "/", MaxAge: 365 * 24 * 3600,
		HttpOnly: true, Secure: v.s.Secure, SameSite: http.SameSiteLaxMode})
	return v.goTo(local(v.PostFormValue("back")))
}

// Left states how long something will take, "" if that is not known.
func (v *view) Left(left time.Duration) string {
	switch {
	case left <= 0:
		return ""
	case left > 90*time.Minute:
		return v.lang.Text("course.hours-left", "n", int(math.Round(left.Hours())))
	}
	return v.lang.Text("course.minutes-left", "n", int(math.Ceil(left.Minutes())))
}

// Whole returns a share as a whole number of percent.
func (v *view) Whole(share float64) int { return int(100 * share) }

// finished reports whether the state of a check no longer changes.
func finished(c *desk.Check) bool { return c.State != "queued" && c.State != "running" }
