package pages

import (
	"slices"

	"github.com/otisk/otisk/serve/accounts"
)

// A topic is a text of the help: what a user can do on a page.
type topic struct {
	ID          string // the anchor
	title, text string // messages
	pages       []string
	action      accounts.Action // that leads to the page, "" for everybody
}

// topics are the texts of the help, in the order of the menu.
var topics = []topic{
	{"check", "web.check-texts", "guide.check", []string{"submission"}, accounts.CheckTexts},
	{"courses", "course.courses", "guide.courses", []string{"course", "pairs", "pair", "select", "processor"}, accounts.ReadChecks},
	{"checks", "web.checks", "guide.checks", nil, accounts.ReadChecks},
	{"record", "web.record", "guide.record", []string{"deleted"}, accounts.ReadChecks},
	{"flags", "guide.flags-title", "guide.flags", nil, accounts.ReadChecks},
	{"collections", "web.collections", "guide.collections", []string{"collection"}, accounts.ChangeCollections},
	{"document", "guide.document-title", "guide.document", nil, accounts.ChangeCollections},
	{"presets", "web.presets", "guide.presets", []string{"preset"}, accounts.ChangePresets},
	{"users", "web.users", "guide.users", []string{"user"}, accounts.ManageUsers},
	{"audit", "web.audit", "guide.audit", nil, accounts.ReadAudit},
	{"tokens", "web.tokens", "guide.tokens", []string{"webhooks", "platforms", "integrations"}, accounts.OwnTokens},
	{"own", "lti.own", "guide.own", nil, accounts.OwnTexts},
	{"shared", "guide.shared-title", "guide.shared", nil, accounts.ShareChecks},
	{"student", "guide.student-title", "guide.student", nil, accounts.ShareChecks},
	{"account", "account.title", "guide.account", []string{"code"}, accounts.OwnAccount},
	{"sign-in", "web.sign-in", "guide.sign-in", []string{"link", "dead-link", "error", "respond"}, ""},
}

// A helpTopic is a topic as a page shows it.
type helpTopic struct{ ID, Title, Text string }

// A helpPage is the data of the page with the help.
type helpPage struct {
	Here   *helpTopic // topic of the page that the user comes from; nil if it has none
	Others []helpTopic
}

// showHelp shows the help for the page that the address names, and for the others that the user may open. Who has no account may read
// the text of the page that a link opens.
func showHelp(v *visit) error {
	var p helpPage
	for _, t := range topics {
		one := helpTopic{t.ID, v.lang.Text(t.title), v.lang.Text(t.text)}
		switch {
		case t.ID == v.FormValue("at"):
			p.Here = &one
		case v.signed && (t.action == "" || v.actor.May(t.action)):
			p.Others = append(p.Others, one)
		}
	}
	return v.show("help", v.lang.Text("guide.help"), p)
}

// Help returns the address of the help for a page.
func (v *view) Help() string {
	for _, t := range topics {
		if t.ID == v.template || slices.Contains(t.pages, v.template) {
			return "/help?at=" + t.ID
		}
	}
	return "/help"
}
