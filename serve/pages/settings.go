package pages

import (
	"slices"
	"strconv"
	"strings"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/desk"
)

// A tokensPage is the data of the page of the user's tokens.
type tokensPage struct {
	Tokens []desk.Token
	Others []desk.Token // of all users, for a server administrator
	Days   int          // until a token expires
	Scopes []accounts.Scope
	Secret string // of a token that was created
}

// A tokenList is the data of the template for tokens.
type tokenList struct {
	View   *view
	Title  string
	Tokens []desk.Token
	All    bool // of all users
}

// OwnTokens returns the data of the template for tokens of the user.
func (v *view) OwnTokens(list []desk.Token) tokenList {
	return tokenList{v, v.lang.Text("web.tokens"), list, false}
}

// AllTokens returns the data of the template for tokens of all users.
func (v *view) AllTokens(list []desk.Token) tokenList {
	return tokenList{v, v.lang.Text("web.all-tokens"), list, true}
}

func showTokens(v *visit) error { return v.showTokens("") }

func (v *visit) showTokens(secret string) (err error) {
	p := tokensPage{Secret: secret, Days: desk.TokenDays}
	for _, s := range accounts.Scopes() {
		if scopeIsUseful(v.actor.Role, s) {
			p.Scopes = append(p.Scopes, s)
		}
	}
	if p.Tokens, err = v.s.Desk.Tokens(v.Context(), v.actor); err != nil {
		return err
	}
	if v.actor.May(accounts.ManageUsers) {
		if p.Others, err = v.s.Desk.AllTokens(v.Context(), v.actor); err != nil {
			return err
		}
	}
	return v.show("tokens", v.lang.Text("web.tokens"), p)
}

// scopeIsUseful reports whether a role may do anything with a scope.
func scopeIsUseful(role accounts.Role, scope accounts.Scope) bool {
	return slices.ContainsFunc(accounts.Actions(), func(action accounts.Action) bool {
		return accounts.ScopeOf(action) == scope && accounts.May(role, action)
	})
}

func newToken(v *visit) error {
	days, err := v.days()
	if err != nil {
		return err
	}
	scopes := lists.Map(v.PostForm["scope"], func(s string) accounts.Scope { return accounts.Scope(s) })
	_, secret, err := v.s.Desk.NewToken(v.Context(), v.actor, v.PostFormValue("name"), scopes, days)
	if err != nil {
		return err
	}
	return v.showTokens(secret)
}

// An auditPage is the data of the audit log.
type auditPage struct {
	Health  *desk.Health
	Entries []desk.Entry
	Older   string // address, "" for none
}

// entriesShown is the number of entries on a page of the audit log.
const entriesShown = 100

// Detail returns the detail of an entry in the language of the page.
func (v *view) Detail(e desk.Entry) string {
	switch number, isPercent := strings.CutSuffix(e.Detail, " %"); {
	case e.Action == "verdict":
		return v.Verdict(e.Detail)
	case e.Action == "decide" && isPercent:
		if percent, err := strconv.ParseFloat(number, 64); err == nil {
			return v.lang.Percent(percent)
		}
	}
	return e.Detail
}

func showAudit(v *visit) (err error) {
	before, err := strconv.ParseInt(v.FormValue("before"), 10, 64)
	if err != nil || before < 0 {
		before = 0
	}
	var p auditPage
	if p.Entries, err = v.s.Desk.Audit(v.Context(), v.actor, before, entriesShown); err != nil {
		return err
	}
	if p.Health, err = v.s.Desk.Health(v.Context(), v.actor); err != nil {
		return err
	}
	if len(p.Entries) == entriesShown {
		p.Older = "/audit?before=" + strconv.FormatInt(p.Entries[entriesShown-1].Number, 10)
	}
	return v.show("audit", v.lang.Text("web.audit"), p)
}
