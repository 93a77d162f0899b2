// Package accounts decides who may do what, and keeps secrets: passwords, sessions, tokens and
// one-time links. It has no database.
package accounts

import (
	"cmp"
	"slices"
)

// A Role is what a user is in a group.
type Role string

// Roles, each with the rights of those before it.
const (
	Student       Role = "student"       // hands in own texts; only learning platforms give this role
	Reader        Role = "reader"        // reads checks and reports
	Checker       Role = "checker"       // also checks texts and decides
	Librarian     Role = "librarian"     // also maintains collections
	Administrator Role = "administrator" // also manages users
)

// Roles returns the roles that an administrator or a provider can give, the least powerful first.
func Roles() []Role { return []Role{Reader, Checker, Librarian, Administrator} }

// AllRoles returns all roles, the least powerful first.
func AllRoles() []Role { return append([]Role{Student}, Roles()...) }

// An Action is something that a user may do.
type Action string

// Actions.
const (
	ReadChecks         Action = "read checks"
	CheckTexts         Action = "check texts"
	DecideOnChecks     Action = "decide on checks"
	ShareChecks        Action = "share checks"
	DeleteChecks       Action = "delete checks"
	ReadCollections    Action = "read collections"
	ChangeCollections  Action = "change collections"
	ChangePresets      Action = "change presets"
	DeleteDocuments    Action = "delete documents"
	ManageUsers        Action = "manage users"
	ReadAudit          Action = "read audit log"
	ReadHealth         Action = "read health"
	ManageWebhooks     Action = "manage webhooks"
	ManagePlatforms    Action = "manage platforms"
	ManageIntegrations Action = "manage integrations"
	Integrate          Action = "send texts of an integration"
	ExportData         Action = "export data"
	OwnTokens          Action = "manage own tokens"
	OwnAccount         Action = "manage own account"
	OwnTexts           Action = "hand in own texts"
)

// A Scope is a part of the rights of a user that a token has.
type Scope string

// Scopes.
const (
	ScopeRead        Scope = "read"
	ScopeCheck       Scope = "check"
	ScopeCollections Scope = "collections"
	ScopeAdmin       Scope = "admin"

	// ScopeIntegration is that of the keys of integrations, which may nothing else. No token has it.
	ScopeIntegration Scope = "integration"
)

// Scopes returns all scopes.
func Scopes() []Scope { return []Scope{ScopeRead, ScopeCheck, ScopeCollections, ScopeAdmin} }

// rights is the one table of rights: the least role that may do an action, and the scope that a
// token needs for it. Without a scope, only a session may.
var rights = []struct {
	action Action
	least  Role
	scope  Scope
}{
	{OwnAccount, Student, ""},
	{OwnTexts, Student, ""},
	{ReadChecks, Reader, ScopeRead},
	{ReadCollections, Reader, ScopeRead},
	{OwnTokens, Checker, ""},
	{CheckTexts, Checker, ScopeCheck},
	{DecideOnChecks, Checker, ScopeCheck},
	{Integrate, Checker, ScopeIntegration},
	{ShareChecks, Checker, ScopeCheck},
	{DeleteChecks, Librarian, ScopeCheck},
	{ChangeCollections, Librarian, ScopeCollections},
	{ChangePresets, Librarian, ScopeCollections},
	{DeleteDocuments, Librarian, ScopeCollections},
	{ManageUsers, Administrator, ScopeAdmin},
	{ManageWebhooks, Administrator, ScopeAdmin},
	{ManagePlatforms, Administrator, ScopeAdmin},
	{ManageIntegrations, Administrator, ScopeAdmin},
	{ReadAudit, Administrator, ScopeAdmin},
	{ExportData, Administrator, ScopeAdmin},
	{ReadHealth, Administrator, ScopeAdmin},
}

// Actions returns all actions.
func Actions() []Action {
	var list []Action
	for _, r := range rights {
		list = append(list, r.action)
	}
	return list
}

// May reports whether a role may do an action.
func May(role Role, action Action) bool {
	for _, r := range rights {
		if r.action == action {
			return slices.Index(AllRoles(), role) >= slices.Index(AllRoles(), r.least)
		}
	}
	return false
}

// ScopeOf returns the scope that a token needs for an action, "" if no token may do it.
func ScopeOf(action Action) Scope {
	for _, r := range rights {
		if r.action == action {
			return r.scope
		}
	}
	return ""
}

// An Actor is who makes a request.
type Actor struct {
	User, Login, Name string
	Role              Role
	Group             string

	Lang    string // that the user read pages in last, "" if that is not known
	Session string // hash of the session of the request, "" for a token

	// NeedsFactor is set if the role of the user demands a second factor, which the user has not
	// set up. The actor may do nothing else.
	NeedsFactor bool

	Token  string  // id of the token of the request, "" for a session
	Scopes []Scope // of the token
}

// Person returns the name of the user, or the login if there is none.
func (a Actor) Person() string { return cmp.Or(a.Name, a.Login) }

// May reports whether the actor may do an action, by role and, for a token, by scope.
func (a Actor) May(action Action) bool {
	if !May(a.Role, action) || a.NeedsFactor && action != OwnAccount {
		return false
	}
	scope := ScopeOf(action)
	return a.Token == "" || scope != "" && slices.Contains(a.Scopes, scope)
}
