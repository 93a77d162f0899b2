package pages

import (
	"encoding/csv"
	"net/url"
	"strings"

	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/desk"
)

// A usersPage is the data of the page of users and groups.
type usersPage struct {
	Users   []desk.User
	Groups  []desk.Group
	Own     string    // group of the user
	New     freshLink // one-time link that was created
	Table   string    // logins and links of users that were created by a table, in CSV
	Deleted *desk.DeletedGroup
	Gone    *desk.DeletedUser
	Name    string // of the user or group that was deleted
}

// A freshLink is a one-time link that was created. Its address is "" if none was.
type freshLink struct {
	Address, Login string
	Mail           string // address to which it is sent
}

// A freshPart is the data of the template for a one-time link that was created.
type freshPart struct {
	Lang *lang.Printer
	Link freshLink
}

// Fresh returns the data of the template for a one-time link that was created.
func (v *view) Fresh(link freshLink) freshPart { return freshPart{v.lang, link} }

// Mails reports whether the server sends e-mail.
func (v *view) Mails() bool { return v.s.Desk.Mails() }

// mailed returns an address to which a message is queued: "" if the server sends none.
func (v *visit) mailed(address string) string {
	if !v.s.Desk.Mails() {
		return ""
	}
	return address
}

// linkAddress returns the address of a one-time link.
func (v *visit) linkAddress(secret string) string {
	return v.s.BaseURL + "/link?secret=" + url.QueryEscape(secret)
}

func showUsers(v *visit) error { return v.showUsers(usersPage{}) }

func (v *visit) showUsers(p usersPage) (err error) {
	p.Own = v.actor.Group
	if p.Users, err = v.s.Desk.Users(v.Context(), v.actor); err != nil {
		return err
	}
	if p.Groups, err = v.s.Desk.Groups(v.Context(), v.actor); err != nil {
		return err
	}
	return v.show("users", v.lang.Text("web.users"), p)
}

func invite(v *visit) error {
	in := desk.Invitation{Login: v.PostFormValue("login"), Name: v.PostFormValue("name"), Mail: v.PostFormValue("mail"), Role: accounts.Role(v.PostFormValue("role")), Group: v.PostFormValue("group")}
	_, link, err := v.s.Desk.Invite(v.Context(), v.actor, in)
	if err != nil {
		return err
	}
	return v.showUsers(usersPage{New: freshLink{v.linkAddress(link), in.Login, v.mailed(in.Mail)}})
}

func inviteTable(v *visit) error {
	f, err := v.readForm()
	if err != nil {
		return err
	}
	all, err := v.s.Desk.InviteTable(v.Context(), v.actor, f.Files)
	if err != nil {
		return err
	}
	var table strings.Builder
	w := csv.NewWriter(&table)
	for _, one := range all {
		_ = w.Write([]string{one.Login, v.linkAddress(one.Link)}) // in memory
	}
	w.Flush()
	return v.showUsers(usersPage{Table: table.String()})
}

// A userPage is the data of the page of a user.
type userPage struct {
	*desk.User
	Groups []desk.Group
	Self   bool // it is the user of the page
	New    freshLink
}

func showUser(v *visit) error { return v.showUser(freshLink{}) }

func (v *visit) showUser(link freshLink) (err error) {
	p := userPage{Self: v.PathValue("id") == v.actor.User, New: link}
	if p.User, err = v.s.Desk.User(v.Context(), v.actor, v.PathValue("id")); err != nil {
		return err
	}
	if p.Groups, err = v.s.Desk.Groups(v.Context(), v.actor); err != nil {
		return err
	}
	return v.show("user", p.Login, p)
}

func changeUser(v *visit) error {
	name, mail := v.PostFormValue("name"), v.PostFormValue("mail")
	c := desk.UserChange{Login: v.PostFormValue("login"), Name: &name, Mail: &mail, Group: v.PostFormValue("group"), Role: accounts.Role(v.PostFormValue("role")), Disabled: v.PostFormValue("disabled") != ""}
	return v.after(v.s.Desk.ChangeUser(v.Context(), v.actor, v.PathValue("id"), c), "/users")
}

func resetPassword(v *visit) error {
	link, login, err := v.s.Desk.Reset(v.Context(), v.actor, v.PathValue("id"))
	if err != nil {
		return err
	}
	u, err := v.s.Desk.User(v.Context(), v.actor, v.PathValue("id"))
	if err != nil {
		return err
	}
	return v.showUser(freshLink{v.linkAddress(link), login, v.mailed(u.Mail)})
}

func deleteUser(v *visit) error {
	u, err := v.s.Desk.User(v.Context(), v.actor, v.PathValue("id"))
	if err != nil {
		return err
	}
	left, err := v.s.Desk.DeleteUser(v.Context(), v.actor, u.ID)
	if err != nil {
		return err
	}
	return v.showUsers(usersPage{Gone: &left, Name: u.Login})
}

func newGroup(v *visit) error {
	_, err := v.s.Desk.NewGroup(v.Context(), v.actor, v.PostFormValue("name"))
	return v.after(err, "/users")
}

func renameGroup(v *visit) error {
	return v.after(v.s.Desk.RenameGroup(v.Context(), v.actor, v.PathValue("id"), v.PostFormValue("name")), "/users")
}

func deleteGroup(v *visit) error {
	moved, err := v.s.Desk.DeleteGroup(v.Context(), v.actor, v.PathValue("id"), v.PostFormValue("to"))
	if err != nil {
		return err
	}
	if v.actor.Group == v.PathValue("id") {
		v.actor.Group = v.PostFormValue("to")
	}
	return v.showUsers(usersPage{Deleted: &moved, Name: v.PostFormValue("for")})
}
