package api

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/report/paper"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/work"
)

// A route is an operation of the API. The types of in and out are described from their fields.
type route struct {
	method, path, summary string
	action                accounts.Action // that the user needs; "" for a valid session or token
	open                  bool            // for everybody
	tca                   bool            // of package tca: the key of an integration, and its form of errors
	query                 []param
	in                    any               // body in JSON, nil for none
	form                  []param           // fields of multipart/form-data, beside the files in "file"; nil for no form
	file                  bool              // the body is a file
	out                   any               // answer, nil for none
	types                 []string          // media types of other forms of the answer
	code                  int               // of success, 0 for 200
	fails                 []int             // further statuses of errors
	most                  int64             // bytes of the body, 0 for the default
	known                 func(*call) error // refuses a stranger before the body is read; nil for none
	do                    operation
}

func (r *route) status() int {
	return cmp.Or(r.code, http.StatusOK)
}

// A param is a parameter of a query, or a field of a form.
type param struct{ name, kind, doc string }

// Bodies and answers.
type (
	// ID is the id of something that was created.
	ID struct {
		ID string `json:"id"`
	}
	// SignIn is a login with its password.
	SignIn struct {
		Login    string `json:"login"`
		Password string `json:"password"`
		Code     string `json:"code,omitempty" doc:"of the authenticator app, or a recovery code, if the user has a second factor"`
	}
	// Password is the current password of the user.
	Password struct {
		Password string `json:"password" max:"1024"`
	}
	// NewWebhook is a webhook to create.
	NewWebhook struct {
		URL    string   `json:"url" min:"1" max:"2000"`
		Events []string `json:"events" doc:"SUBMISSION_COMPLETE, SIMILARITY_COMPLETE, SIMILARITY_RISE"`
	}
	// CreatedWebhook is a new webhook. The secret, which signs its deliveries, is shown only here.
	CreatedWebhook struct {
		ID     string `json:"id"`
		Secret string `json:"secret"`
	}
	// Code is a code of an authenticator app.
	Code struct {
		Code string `json:"code"`
	}
	// RecoveryCodes are shown only once.
	RecoveryCodes struct {
		Codes []string `json:"codes"`
	}
	// First is the first administrator.
	First struct {
		Link     string `json:"link" doc:"secret of the one-time link"`
		Login    string `json:"login"`
		Name     string `json:"name"`
		Password string `json:"password" min:"12" max:"1024"`
	}
	// Accept sets a password.
	Accept struct {
		Link     string `json:"link" doc:"secret of the one-time link"`
		Password string `json:"password" min:"12" max:"1024"`
	}
	// Me is the user of the request.
	Me struct {
		Login   string            `json:"login"`
		Name    string            `json:"name"`
		Role    accounts.Role     `json:"role"`
		Actions []accounts.Action `json:"actions" doc:"that the user may do with this session or token"`
	}
	// Submission is a submission with its checks.
	Submission struct {
		desk.Submission
		Finished bool         `json:"finished" doc:"no check waits, is queued or running"`
		Checks   []desk.Check `json:"checks"`
	}
	// Checks is a page of checks.
	Checks struct {
		Total  int          `json:"total"`
		Checks []desk.Check `json:"checks"`
	}
	// Verdict is the verdict on a text.
	Verdict struct {
		Verdict string `json:"verdict" enum:",acceptable,minor,serious,open" doc:"empty to remove it"`
		Comment string `json:"comment" max:"10000"`
	}
	// Stored is the number of stored decisions.
	Stored struct {
		Number int64 `json:"number"`
	}
	// NewCollection is a collection to create.
	NewCollection struct {
		Name    string `json:"name" min:"1" max:"200"`
		Shared  bool   `json:"shared" doc:"other groups may check against it, too"`
		Private bool   `json:"private,omitempty" doc:"other groups may check against it, and learn only roughly how much of a text is in it"`
		Contact string `json:"contact,omitempty" doc:"of a private collection: whom to ask"`
	}
	// Additions are the additions of a request.
	Additions struct {
		Additions []string `json:"additions" doc:"ids"`
	}
	// Name is a name.
	Name struct {
		Name string `json:"name" min:"1" max:"200"`
	}
	// NewToken is a token to create.
	NewToken struct {
		Name   string           `json:"name" min:"1" max:"200"`
		Scopes []accounts.Scope `json:"scopes"`
		Days   int              `json:"days,omitempty" doc:"until it expires, at most 365; 90 by default"`
	}
	// CreatedToken is a new token. The secret is shown only here.
	CreatedToken struct {
		ID     string `json:"id"`
		Secret string `json:"secret"`
	}
	// Cancelled is the number of checks that were cancelled.
	Cancelled struct {
		Cancelled int `json:"cancelled"`
	}
)

var paging = []param{{"limit", "integer", "rows, 1 to 500; 100 by default"}}

// routes is the table of the API.
var routes = []route{
	{method: "POST", path: "/first", summary: "Create the first administrator by a one-time link, and sign in", open: true, in: First{}, code: 204, do: body(first)},
	{method: "POST", path: "/links", summary: "Set a password by a one-time link, and sign in", open: true, in: Accept{}, code: 204, do: body(accept)},
	{method: "POST", path: "/session", summary: "Sign in: sets the cookie of a session", open: true, in: SignIn{}, code: 204, do: body(signIn)},
	{method: "DELETE", path: "/session", summary: "Sign out", open: true, code: 204, do: signOut},
	{method: "GET", path: "/me", summary: "The user of the request", out: Me{}, do: me},

	{method: "POST", path: "/submissions", summary: "Upload files to check; archives are checked member by member. With an Idempotency-Key, a repeated request returns the first result", action: accounts.CheckTexts,
		form: []param{{"collection", "string", "id of the collection; may be repeated: one report covers all"}, {"label", "string", "course, year or any label"}, {"among", "boolean", "also check the texts against each other"},
			{"exact", "boolean", "find only passages of unchanged words"}, {"exclude", "string", "quotation, bibliography, declaration, abstract or contents; may be repeated"},
			{"min_passage", "integer", "exclude shorter passages from the score, in words"}, {"min_source", "integer", "exclude sources that cover fewer words"}, {"min_source_percent", "number", "exclude sources that cover less, in percent"},
			{"given", "string", "id of a given text to exclude from the score; may be repeated"}, {"preset", "string", "id of a preset, instead of the settings above"},
			{"keep", "integer", "days after which the checks are deleted; 0 or nothing for never"}},
		out: ID{}, code: 202, do: files(submit)},
	{method: "GET", path: "/submissions/{id}", summary: "A submission with its checks", action: accounts.ReadChecks, out: Submission{}, do: submission},
	{method: "DELETE", path: "/submissions/{id}", summary: "Delete all checks of an upload", action: accounts.DeleteChecks, out: desk.Deleted{}, do: one((*desk.Desk).DeleteSubmission)},
	{method: "POST", path: "/submissions/{id}/cancel", summary: "Cancel the checks that are not finished", action: accounts.CheckTexts, out: Cancelled{}, do: cancel},

	{method: "GET", path: "/courses", summary: "Courses of the group", action: accounts.ReadChecks, out: []desk.Course{}, do: all((*desk.Desk).Courses)},
	{method: "POST", path: "/courses", summary: "Create a course: texts wait until its date, and are checked then", action: accounts.CheckTexts, in: desk.NewCourse{}, out: ID{}, code: 201, do: body(newCourse)},
	{method: "GET", path: "/courses/{id}", summary: "A course with its texts", action: accounts.ReadChecks, out: CourseTexts{}, do: course},
	{method: "PUT", path: "/courses/{id}", summary: "Change the name, label, date or limit of a course", action: accounts.CheckTexts, in: desk.CourseChange{}, code: 204, do: change((*desk.Desk).ChangeCourse)},
	{method: "DELETE", path: "/courses/{id}", summary: "Delete a course with its texts, reports, decisions, links and files; the answer says whether all of it is removed", action: accounts.DeleteChecks, out: desk.Deleted{}, do: one((*desk.Desk).DeleteCourse)},
	{method: "POST", path: "/courses/{id}/texts", summary: "Upload files to a course; the answer has the ids of their checks. A file with the name of an earlier one gets a number", action: accounts.CheckTexts, form: []param{}, out: IDs{}, code: 202, do: files(handIn)},
	{method: "PUT", path: "/courses/{id}/texts", summary: "Choose which texts of a course count", action: accounts.CheckTexts, in: Choice{}, code: 204, do: body(choose)},
	{method: "POST", path: "/courses/{id}/check", summary: "Check all texts of a course again, also before its date", action: accounts.CheckTexts, code: 204, do: act((*desk.Desk).CheckAgain)},
	{method: "POST", path: "/courses/{id}/seen", summary: "End the notices of scores that rose", action: accounts.CheckTexts, code: 204, do: act((*desk.Desk).Seen)},

	{method: "GET", path: "/checks", summary: "Checks of the group", action: accounts.ReadChecks,
		query: append([]param{{"q", "string", "part of a name, label or login"}, {"label", "string", ""}, {"state", "string", ""}, {"verdict", "string", "none for checks without one"}, {"case", "string", "state of the case"},
			{"sort", "string", "with - before it, descending; -created by default"}, {"offset", "integer", "rows to skip"}}, paging...), out: Checks{}, do: checks},
	{method: "GET", path: "/checks/{id}", summary: "A check", action: accounts.ReadChecks, out: desk.Check{}, do: one((*desk.Desk).Check)},
	{method: "DELETE", path: "/checks/{id}", summary: "Delete a check with its report, decisions, links and file; the answer lists what was deleted, and says whether all of it is removed", action: accounts.DeleteChecks, out: desk.Deleted{}, do: one((*desk.Desk).DeleteCheck)},
	{method: "PUT", path: "/checks/{id}/keep", summary: "Set after how many days from its upload a check is deleted", action: accounts.DeleteChecks, in: Keep{}, code: 204, do: body(retainCheck)},
	{method: "GET", path: "/checks/{id}/report", summary: "The report: in JSON as otisk search writes it, or with decisions in another format", action: accounts.ReadChecks,
		query: []param{{"format", "string", "json by default"}, {"decided", "boolean", "apply the decisions to JSON, too"}}, out: map[string]any{}, types: []string{"application/xml", "text/plain", "text/html", "application/sarif+json", pdfType}, do: reportOn},
	{method: "GET", path: "/checks/{id}/export", summary: "All that is kept about a check, as a zip archive", action: accounts.ExportData, types: []string{zipType}, do: exportCheck},
	{method: "GET", path: "/checks/{id}/decisions", summary: "The latest decisions; ETag is their number", action: accounts.ReadChecks, out: map[string]any{}, do: decisions},
	{method: "PUT", path: "/checks/{id}/decisions", summary: "Store decisions, as the page of a report saves them. With If-Match, only if no others were stored since", action: accounts.DecideOnChecks, in: map[string]any{}, most: MostDecisions, out: Stored{}, do: decide},
	{method: "GET", path: "/checks/{id}/history", summary: "Who decided, and when", action: accounts.ReadChecks, out: []desk.Decided{}, do: history},
	{method: "PUT", path: "/checks/{id}/verdict", summary: "Set the verdict on a text", action: accounts.DecideOnChecks, in: Verdict{}, code: 204, do: body(verdict)},
	{method: "GET", path: "/checks/{id}/links", summary: "Links that open a check without an account", action: accounts.ShareChecks, out: []desk.Share{}, do: one((*desk.Desk).Shares)},
	{method: "POST", path: "/checks/{id}/links", summary: "Create a link that opens a finished check, read-only and without an account, at /shared/SECRET", action: accounts.ShareChecks, in: desk.NewShare{}, out: CreatedLink{}, code: 201, do: body(newShare)},
	{method: "DELETE", path: "/checks/{id}/links/{link}", summary: "Revoke a link", action: accounts.ShareChecks, code: 204, do: deleteShare},
	{method: "PUT", path: "/checks/{id}/links/{link}/access", summary: "Open the score or the report to the student by his link, or close them", action: accounts.ShareChecks, in: desk.Access{}, code: 204, do: body(openToStudent)},
	{method: "GET", path: "/checks/{id}/scores", summary: "Scores of a text that was checked again: one for each check that changed it, the first first", action: accounts.ReadChecks, out: []desk.Scored{}, do: one((*desk.Desk).Scores)},
	{method: "GET", path: "/checks/{id}/case", summary: "The steps of the case, the first first", action: accounts.ReadChecks, out: []desk.Step{}, do: one((*desk.Desk).Steps)},
	{method: "POST", path: "/checks/{id}/case", summary: "Add a comment or a reply, close the case, or reopen it. A step that repeats the last one is not added again", action: accounts.DecideOnChecks, in: desk.NewStep{}, out: Stored{}, code: 201, do: body(addStep)},
	{method: "POST", path: "/checks/{id}/notices", summary: "Add a notice to the student, with a link at /shared/SECRET, by which he can write a statement", action: accounts.ShareChecks, in: desk.Notice{}, out: CreatedLink{}, code: 201, do: body(notify)},
	{method: "POST", path: "/shared/{secret}/statement", summary: "Add a statement of the student", open: true, in: Statement{}, most: MostStatement, known: mayState, code: 204, do: body(state)},
	{method: "GET", path: "/shared/{secret}", summary: "The check that a link opens; for everybody who has the secret", open: true, out: desk.Shared{}, do: shared},
	{method: "GET", path: "/shared/{secret}/report", summary: "The report that a link opens, with the latest decisions, in JSON", open: true, out: map[string]any{}, do: sharedReport},

	{method: "GET", path: "/collections", summary: "Collections that the group may use", action: accounts.ReadCollections, out: []desk.Collection{}, do: all((*desk.Desk).Collections)},
	{method: "POST", path: "/collections", summary: "Create a collection", action: accounts.ChangeCollections, in: NewCollection{}, out: ID{}, code: 201, do: body(newCollection)},
	{method: "GET", path: "/collections/{id}", summary: "A collection", action: accounts.ReadCollections, out: desk.Collection{}, do: one((*desk.Desk).Collection)},
	{method: "DELETE", path: "/collections/{id}", summary: "Delete a collection without checks", action: accounts.ChangeCollections, code: 204, do: act((*desk.Desk).DeleteCollection)},
	{method: "GET", path: "/collections/{id}/documents", summary: "Documents of a collection, by name", action: accounts.ReadCollections, query: append([]param{{"prefix", "string", "start of the names"}, {"q", "string", "in names, titles and authors"}}, paging...), out: []desk.Document{}, do: documents},
	{method: "POST", path: "/collections/{id}/documents", summary: "Upload documents; archives are added member by member", action: accounts.ChangeCollections, form: []param{}, out: Additions{}, code: 202, do: files(add)},
	{method: "DELETE", path: "/collections/{id}/documents", summary: "Delete documents with their texts and n-grams, and what reports quote of them", action: accounts.DeleteDocuments, query: []param{{"name", "string", "name of a document; may be repeated"}}, out: ID{}, code: 202, do: deleteDocuments},
	{method: "PUT", path: "/collections/{id}/keep", summary: "Set after how many days from its addition a document is deleted", action: accounts.DeleteDocuments, in: Keep{}, code: 204, do: body(retainDocuments)},
	{method: "GET", path: "/collections/{id}/private-checks", summary: "Checks of other groups against a private collection of the group, the latest first", action: accounts.ReadCollections, query: paging, out: []desk.PrivateCheck{}, do: latest((*desk.Desk).PrivateChecks)},
	{method: "GET", path: "/collections/{id}/removals", summary: "Deletions of documents, the latest first", action: accounts.ReadCollections, query: paging, out: []desk.Removal{}, do: latest((*desk.Desk).Removals)},
	{method: "GET", path: "/collections/{id}/documents/export", summary: "All that is kept about a document, as a zip archive", action: accounts.ExportData, query: []param{{"name", "string", "of the document"}}, types: []string{zipType}, do: exportDocument},
	{method: "GET", path: "/export", summary: "All that is kept about a person by name, as a zip archive", action: accounts.ExportData, query: []param{{"name", "string", "in names of texts and documents, authors, titles, labels, comments, recipients of links and the audit log"}}, types: []string{zipType}, do: exportPerson},
	{method: "GET", path: "/users/{id}/export", summary: "All that is kept about a user, as a zip archive", action: accounts.ExportData, types: []string{zipType}, do: exportUser},
	{method: "GET", path: "/collections/{id}/additions", summary: "Additions to a collection, the latest first", action: accounts.ReadCollections, query: paging, out: []desk.Addition{}, do: latest((*desk.Desk).Additions)},

	{method: "GET", path: "/collections/{id}/sources", summary: "Sources from which a collection is filled", action: accounts.ChangeCollections, out: []desk.Source{}, do: one((*desk.Desk).Sources)},
	{method: "POST", path: "/collections/{id}/sources", summary: "Add a folder, a repository or a feed to a collection, and read it", action: accounts.ChangeCollections, in: NewSource{}, out: ID{}, code: 202, do: body(addSource)},
	{method: "POST", path: "/sources/{id}/run", summary: "Read a source now", action: accounts.ChangeCollections, code: 204, do: act((*desk.Desk).RunSource)},
	{method: "DELETE", path: "/sources/{id}", summary: "Delete a source; its documents stay", action: accounts.ChangeCollections, code: 204, do: act((*desk.Desk).DeleteSource)},
	{method: "POST", path: "/collections/{id}/metadata", summary: "Upload tables (CSV) with metadata of documents", action: accounts.ChangeCollections, form: []param{}, out: Additions{}, code: 202, do: files(describeTable)},
	{method: "PUT", path: "/collections/{id}/metadata", summary: "Set metadata of one document; empty fields are left as they are", action: accounts.ChangeCollections, in: desk.Metadata{}, out: Additions{}, code: 202, do: body(describeOne)},

	{method: "GET", path: "/presets", summary: "Named settings of checks", action: accounts.CheckTexts, out: []desk.Preset{}, do: all((*desk.Desk).Presets)},
	{method: "POST", path: "/presets", summary: "Create a preset", action: accounts.ChangePresets, in: PresetChange{}, out: ID{}, code: 201, do: body(savePreset)},
	{method: "PUT", path: "/presets/{id}", summary: "Replace a preset", action: accounts.ChangePresets, in: PresetChange{}, code: 204, do: body(savePreset)},
	{method: "DELETE", path: "/presets/{id}", summary: "Delete a preset; checks keep their settings", action: accounts.ChangePresets, code: 204, do: act((*desk.Desk).DeletePreset)},
	{method: "GET", path: "/given", summary: "Given texts, such as assignments and templates", action: accounts.CheckTexts, out: []desk.GivenText{}, do: all((*desk.Desk).GivenTexts)},
	{method: "POST", path: "/given", summary: "Upload given texts. A file that is already there under the same name is kept once", action: accounts.ChangePresets, form: []param{}, out: IDs{}, code: 201, do: files(addGiven)},
	{method: "DELETE", path: "/given/{id}", summary: "Delete a given text that no preset and no open check uses", action: accounts.ChangePresets, code: 204, do: act((*desk.Desk).DeleteGiven)},

	{method: "GET", path: "/users", summary: "Users", action: accounts.ManageUsers, out: []desk.User{}, do: all((*desk.Desk).Users)},
	{method: "POST", path: "/users", summary: "Create a user, who sets a password by a one-time link", action: accounts.ManageUsers, in: desk.Invitation{}, out: desk.Invited{}, code: 201, do: body(invite)},
	{method: "POST", path: "/user-table", summary: "Create users by a table (CSV) with the columns login, name, mail, role and group: all of them, or none if a line is wrong", action: accounts.ManageUsers, form: []param{}, out: []desk.Invited{}, code: 201, do: files(inviteTable)},
	{method: "PUT", path: "/users/{id}", summary: "Change a user, or disable him", action: accounts.ManageUsers, in: desk.UserChange{}, code: 204, do: change((*desk.Desk).ChangeUser)},
	{method: "DELETE", path: "/users/{id}", summary: "Delete an account; the answer lists what stays of it", action: accounts.ManageUsers, out: desk.DeletedUser{}, do: one((*desk.Desk).DeleteUser)},
	{method: "POST", path: "/users/{id}/reset", summary: "Create a one-time link that sets a new password", action: accounts.ManageUsers, out: desk.Invited{}, code: 201, do: reset},
	{method: "GET", path: "/groups", summary: "Groups", action: accounts.ManageUsers, out: []desk.Group{}, do: all((*desk.Desk).Groups)},
	{method: "POST", path: "/groups", summary: "Create a group", action: accounts.ManageUsers, in: Name{}, out: ID{}, code: 201, do: body(newGroup)},
	{method: "PUT", path: "/groups/{id}", summary: "Rename a group", action: accounts.ManageUsers, in: Name{}, code: 204, do: body(renameGroup)},
	{method: "DELETE", path: "/groups/{id}", summary: "Delete a group; all that it has moves to another one", action: accounts.ManageUsers, query: []param{{"to", "string", "id of the other group; needed unless the group is empty"}}, out: desk.DeletedGroup{}, do: deleteGroup},
	{method: "DELETE", path: "/users/{id}/factor", summary: "Switch off the second factor of a user who has lost it", action: accounts.ManageUsers, code: 204, do: act((*desk.Desk).ResetFactor)},
	{method: "GET", path: "/webhooks", summary: "Webhooks of the group, each with its last delivery", action: accounts.ManageWebhooks, out: []desk.Webhook{}, do: all((*desk.Desk).Webhooks)},
	{method: "POST", path: "/webhooks", summary: "Create a webhook", action: accounts.ManageWebhooks, in: NewWebhook{}, out: CreatedWebhook{}, code: 201, do: body(newWebhook)},
	{method: "DELETE", path: "/webhooks/{id}", summary: "Delete a webhook with its deliveries", action: accounts.ManageWebhooks, code: 204, do: act((*desk.Desk).DeleteWebhook)},
	{method: "GET", path: "/webhooks/{id}/deliveries", summary: "Deliveries of a webhook, the latest first", action: accounts.ManageWebhooks, query: paging, out: []desk.Delivery{}, do: latest((*desk.Desk).Deliveries)},
	{method: "POST", path: "/webhooks/{id}/try", summary: "Send a PING", action: accounts.ManageWebhooks, code: 204, do: act((*desk.Desk).TryWebhook)},
	{method: "GET", path: "/integrations", summary: "Journal systems and learning platforms that send texts to the group", action: accounts.ManageIntegrations, out: []desk.Integration{}, do: all((*desk.Desk).Integrations)},
	{method: "POST", path: "/integrations", summary: "Create an integration; the answer has its key, which is shown only here", action: accounts.ManageIntegrations, in: desk.NewIntegration{}, out: CreatedIntegration{}, code: 201, do: body(newIntegration)},
	{method: "PUT", path: "/integrations/{id}", summary: "Change an integration", action: accounts.ManageIntegrations, in: desk.NewIntegration{}, code: 204, do: body(changeIntegration)},
	{method: "POST", path: "/integrations/{id}/key", summary: "Replace the key of an integration", action: accounts.ManageIntegrations, out: CreatedIntegration{}, code: 201, do: newIntegrationKey},
	{method: "DELETE", path: "/integrations/{id}", summary: "Delete an integration with its webhooks; its checks stay", action: accounts.ManageIntegrations, code: 204, do: act((*desk.Desk).DeleteIntegration)},

	{method: "GET", path: "/platforms", summary: "Learning platforms of the group, whose users are signed in by LTI 1.3", action: accounts.ManagePlatforms, out: []desk.Platform{}, do: all((*desk.Desk).Platforms)},
	{method: "POST", path: "/platforms", summary: "Register a learning platform", action: accounts.ManagePlatforms, in: desk.NewPlatform{}, out: ID{}, code: 201, do: body(newPlatform)},
	{method: "PUT", path: "/platforms/{id}", summary: "Change a learning platform", action: accounts.ManagePlatforms, in: desk.NewPlatform{}, code: 204, do: body(changePlatform)},
	{method: "DELETE", path: "/platforms/{id}", summary: "Delete a learning platform, and end the sessions and tokens of its users", action: accounts.ManagePlatforms, code: 204, do: act((*desk.Desk).DeletePlatform)},
	{method: "GET", path: "/platform-keys", summary: "Published keys of this server for learning platforms, the oldest first", action: accounts.ManagePlatforms, out: []desk.PlatformKey{}, do: all((*desk.Desk).PlatformKeys)},
	{method: "POST", path: "/platform-keys", summary: "Make a new key for learning platforms: it signs a day later, and the one before is published for a week", action: accounts.ManagePlatforms, in: NewPlatformKey{}, code: 204, do: body(newPlatformKey)},
	{method: "GET", path: "/own/courses", summary: "Courses that a learning platform has opened to the user, with his texts", action: accounts.OwnTexts, out: []desk.OwnCourse{}, do: all((*desk.Desk).OwnCourses)},
	{method: "POST", path: "/own/courses/{id}/texts", summary: "Hand own texts in to a course; the answer has the ids of their checks", action: accounts.OwnTexts, form: []param{}, out: IDs{}, code: 202, do: files(handInOwn)},
	{method: "GET", path: "/own/texts/{id}", summary: "The notice to the student about an own text, with the score if it is opened", action: accounts.OwnTexts, out: desk.Shared{}, do: one((*desk.Desk).OwnText)},
	{method: "GET", path: "/own/texts/{id}/report", summary: "The report on an own text, if a notice opens it, in JSON", action: accounts.OwnTexts, out: map[string]any{}, do: ownReport},
	{method: "POST", path: "/own/texts/{id}/statement", summary: "Add a statement of the student", action: accounts.OwnTexts, in: Statement{}, code: 204, do: body(ownStatement)},
	{method: "GET", path: "/account", summary: "The account of the user, with his sessions", action: accounts.OwnAccount, out: desk.Account{}, do: all((*desk.Desk).Account)},
	{method: "PUT", path: "/account/password", summary: "Change the own password, and end the other sessions", action: accounts.OwnAccount, in: desk.PasswordChange{}, code: 204, do: body(changePassword)},
	{method: "POST", path: "/account/factor", summary: "Begin to set up a second factor", action: accounts.OwnAccount, in: Password{}, out: desk.Setup{}, code: 201, do: body(newFactor)},
	{method: "POST", path: "/account/factor/confirm", summary: "Switch the second factor on by its first code", action: accounts.OwnAccount, in: Code{}, out: RecoveryCodes{}, do: body(confirmFactor)},
	{method: "POST", path: "/account/factor/end", summary: "Switch the second factor off", action: accounts.OwnAccount, in: Password{}, code: 204, do: body(endFactor)},
	{method: "DELETE", path: "/account/sessions", summary: "End all sessions but that of the request", action: accounts.OwnAccount, code: 204, do: endSessions},
	{method: "GET", path: "/tokens", summary: "Tokens of the user", action: accounts.OwnTokens, out: []desk.Token{}, do: all((*desk.Desk).Tokens)},
	{method: "GET", path: "/all-tokens", summary: "Tokens of all users", action: accounts.ManageUsers, out: []desk.Token{}, do: all((*desk.Desk).AllTokens)},
	{method: "POST", path: "/tokens", summary: "Create a token", action: accounts.OwnTokens, in: NewToken{}, out: CreatedToken{}, code: 201, do: body(newToken)},
	{method: "DELETE", path: "/tokens/{id}", summary: "Revoke a token; a server administrator may revoke those of others", action: accounts.OwnTokens, code: 204, do: act((*desk.Desk).RevokeToken)},
	{method: "GET", path: "/health", summary: "Jobs and space of the server", action: accounts.ReadHealth, out: desk.Health{}, do: all((*desk.Desk).Health)},
	{method: "GET", path: "/audit", summary: "Audit log of the group, the newest first", action: accounts.ReadAudit, query: append([]param{{"before", "integer", "only entries with lower numbers"}}, paging...), out: []desk.Entry{}, do: audit},
}

func (c *call) id() string { return c.PathValue("id") }

func first(c *call, in First) (any, error) {
	session, err := c.s.Desk.First(c.Context(), in.Link, desk.Person{Login: in.Login, Name: in.Name, Password: in.Password})
	return c.signedIn(session, err)
}

// signedIn sets the cookie of a new session.
func (c *call) signedIn(session string, err error) (any, error) {
	if err == nil {
		SetSession(c.w, session, c.s.Secure)
	}
	return nil, err
}

func accept(c *call, in Accept) (any, error) {
	session, err := c.s.Desk.Accept(c.Context(), in.Link, in.Password)
	return c.signedIn(session, err)
}

func signIn(c *call, in SignIn) (any, error) {
	session, err := c.s.Desk.SignIn(c.Context(), in.Login, in.Password, c.s.Address(c.Request))
	if needs, ok := errors.AsType[*desk.NeedsCode](err); ok && in.Code != "" {
		session, err = c.s.Desk.SecondFactor(c.Context(), needs.Ticket, in.Code, c.s.Address(c.Request))
	}
	return c.signedIn(session, err)
}

func signOut(c *call) (any, error) {
	SetSession(c.w, "", c.s.Secure)
	cookie, err := c.Cookie(CookieName(c.s.Secure))
	if err != nil {
		return nil, nil
	}
	return nil, c.s.Desk.SignOut(c.Context(), cookie.Value)
}

func me(c *call) (any, error) {
	m := Me{Login: c.actor.Login, Name: c.actor.Name, Role: c.actor.Role, Actions: []accounts.Action{}}
	for _, action := range accounts.Actions() {
		if c.actor.May(action) {
			m.Actions = append(m.Actions, action)
		}
	}
	return m, nil
}

func submit(c *call, f *Form) (any, error) {
	s, err := SubmissionOf(f)
	if err != nil {
		c.s.Desk.Discard(c.Context(), f.Files)
		return nil, err
	}
	id, err := c.s.Desk.Submit(c.Context(), c.actor, s, c.Header.Get("Idempotency-Key"), f.Files)
	if err != nil {
		return nil, err
	}
	c.w.Header().Set("Location", Prefix+"/submissions/"+id)
	return ID{id}, nil
}

// SubmissionOf returns the settings of a submission in a form.
func SubmissionOf(f *Form) (s desk.Submission, err error) {
	s = desk.Submission{Collection: f.Value("collection"), Also: f.Rest("collection"), Label: f.Value("label"), Among: truth(f.Value("among")), PresetID: f.Value("preset")}
	if s.Keep, err = f.Int("keep"); err != nil {
		return s, err
	}
	s.Preset, err = SettingsOf(f)
	return s, err
}

// truth reports whether the value of a checkbox or parameter means yes.
func truth(text string) bool { return text == "true" || text == "1" || text == "on" }

func submission(c *call) (any, error) {
	s, err := c.s.Desk.Submission(c.Context(), c.actor, c.id())
	if err != nil {
		return nil, err
	}
	out := Submission{Submission: *s, Finished: true}
	out.Checks, _, err = c.s.Desk.Checks(c.Context(), c.actor, desk.Filter{Submission: s.ID, Sort: "created", Limit: 500})
	for _, check := range out.Checks {
		if check.State == work.Queued || check.State == work.Running || check.State == work.Waiting && check.Counts {
			out.Finished = false
		}
	}
	return out, err
}

func cancel(c *call) (any, error) {
	n, err := c.s.Desk.Cancel(c.Context(), c.actor, c.id())
	return Cancelled{n}, err
}

func checks(c *call) (any, error) {
	f := desk.Filter{Query: c.FormValue("q"), Label: c.FormValue("label"), State: c.FormValue("state"), Verdict: c.FormValue("verdict"), Case: c.FormValue("case"), Sort: c.FormValue("sort")}
	var err error
	if f.Limit, err = c.number("limit"); err == nil {
		f.Offset, err = c.number("offset")
	}
	if err != nil {
		return nil, err
	}
	list, total, err := c.s.Desk.Checks(c.Context(), c.actor, f)
	return Checks{total, list}, err
}

// pdfType is the type of a PDF.
const pdfType = "application/pdf"

// mediaTypes are the types of the formats of reports.
var mediaTypes = map[string]string{
	"json": "application/json", "xml": "application/xml", "text": "text/plain; charset=utf-8", "html": "text/html; charset=utf-8",
	"junit": "application/xml", "sarif": "application/sarif+json", report.PDF: pdfType,
}

func reportOn(c *call) (any, error) {
	format := cmp.Or(c.FormValue("format"), "json")
	if mediaTypes[format] == "" {
		return nil, badRequest{report.Check(format)}
	}
	if format == "json" && !truth(c.FormValue("decided")) {
		data, err := c.s.Desk.ReportFile(c.Context(), c.actor, c.id())
		return c.send(mediaTypes[format], data, err)
	}
	r, err := c.s.Desk.Report(c.Context(), c.actor, c.id())
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = report.Write(&b, format, r, report.Options{Print: paper.Printer(c.Context())})
	if format == "html" { // its scripts must not run on this server's origin
		c.w.Header().Set("Content-Disposition", "attachment; filename=report.html")
		c.w.Header().Set("Content-Security-Policy", "sandbox")
	}
	return c.send(mediaTypes[format], b.Bytes(), err)
}

// send writes an answer that is not in JSON of the API.
func (c *call) send(kind string, data []byte, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	c.w.Header().Set("Content-Type", kind)
	c.w.Header().Set("Cache-Control", "no-store")
	c.w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = c.w.Write(data) // the client has gone
	return written, nil
}

func decisions(c *call) (any, error) {
	data, number, err := c.s.Desk.Decisions(c.Context(), c.actor, c.id())
	if err == nil && data == nil {
		err = desk.ErrNotFound
	}
	c.w.Header().Set("ETag", strconv.Quote(strconv.FormatInt(number, 10)))
	return c.send("application/json", data, err)
}

func decide(c *call) (any, error) {
	base := int64(-1)
	if match := c.Header.Get("If-Match"); match != "" {
		var err error
		if base, err = strconv.ParseInt(strings.Trim(match, `"`), 10, 64); err != nil || base < 0 {
			return nil, badRequest{strconv.ErrSyntax}
		}
	}
	data, err := io.ReadAll(c.Body)
	if err != nil {
		return nil, readError(err)
	}
	number, err := c.s.Desk.Decide(c.Context(), c.actor, c.id(), base, data)
	return Stored{number}, err
}

func history(c *call) (any, error) {
	return c.s.Desk.History(c.Context(), c.actor, c.id(), lang.Of("en"))
}

func verdict(c *call, in Verdict) (any, error) {
	return nil, c.s.Desk.Verdict(c.Context(), c.actor, c.id(), in.Verdict, in.Comment)
}

func newCollection(c *call, in NewCollection) (any, error) {
	if in.Private {
		id, err := c.s.Desk.NewPrivateCollection(c.Context(), c.actor, in.Name, in.Contact)
		return ID{id}, err
	}
	id, err := c.s.Desk.NewCollection(c.Context(), c.actor, in.Name, in.Shared)
	return ID{id}, err
}

func documents(c *call) (any, error) {
	limit, err := c.number("limit")
	if err != nil {
		return nil, err
	}
	return c.s.Desk.Documents(c.Context(), c.actor, c.id(), c.FormValue("prefix"), c.FormValue("q"), limit)
}

func deleteDocuments(c *call) (any, error) {
	id, err := c.s.Desk.DeleteDocuments(c.Context(), c.actor, c.id(), c.URL.Query()["name"])
	return ID{id}, err
}

func add(c *call, f *Form) (any, error) {
	ids, err := c.s.Desk.Add(c.Context(), c.actor, c.id(), c.Header.Get("Idempotency-Key"), f.Files)
	return Additions{ids}, err
}

func invite(c *call, in desk.Invitation) (any, error) {
	id, link, err := c.s.Desk.Invite(c.Context(), c.actor, in)
	return desk.Invited{ID: id, Login: in.Login, Link: link}, err
}

func inviteTable(c *call, f *Form) (any, error) {
	return c.s.Desk.InviteTable(c.Context(), c.actor, f.Files)
}

func reset(c *call) (any, error) {
	link, login, err := c.s.Desk.Reset(c.Context(), c.actor, c.id())
	return desk.Invited{ID: c.id(), Login: login, Link: link}, err
}

func newGroup(c *call, in Name) (any, error) {
	id, err := c.s.Desk.NewGroup(c.Context(), c.actor, in.Name)
	return ID{id}, err
}

func renameGroup(c *call, in Name) (any, error) {
	return nil, c.s.Desk.RenameGroup(c.Context(), c.actor, c.id(), in.Name)
}

func deleteGroup(c *call) (any, error) {
	return c.s.Desk.DeleteGroup(c.Context(), c.actor, c.id(), c.FormValue("to"))
}

func newToken(c *call, in NewToken) (any, error) {
	id, secret, err := c.s.Desk.NewToken(c.Context(), c.actor, in.Name, in.Scopes, in.Days)
	return CreatedToken{id, secret}, err
}

func audit(c *call) (any, error) {
	limit, err := c.number("limit")
	if err != nil {
		return nil, err
	}
	before, err := c.number("before")
	if err != nil {
		return nil, err
	}
	return c.s.Desk.Audit(c.Context(), c.actor, int64(before), limit)
}
