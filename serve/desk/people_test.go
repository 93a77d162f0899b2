package desk

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/storage"
)

// joined invites a user and returns him, signed in.
func joined(t *testing.T, d *Desk, a accounts.Actor, in Invitation) accounts.Actor {
	t.Helper()
	_, link, err := d.Invite(t.Context(), a, in)
	if err != nil {
		t.Fatal(err)
	}
	session, err := d.Accept(t.Context(), link, "correct horse battery")
	if err != nil {
		t.Fatal(err)
	}
	return must(d.Actor(t.Context(), session))
}

// TestDeleteUser: an account without traces leaves nothing. Checks and decisions of another one stay with their group
// under a login with the date; a new user can have the earlier login, and is not its author.
func TestDeleteUser(t *testing.T) {
	t.Parallel()
	d, f := open(t, t.TempDir())
	a := administrator(t, d)
	none := joined(t, d, a, Invitation{Login: "none", Role: accounts.Reader})
	if left, err := d.DeleteUser(t.Context(), a, none.User); err != nil || left != (DeletedUser{}) {
		t.Errorf("an account without traces: %+v, %v, want nothing that stays", left, err)
	}
	var rows int
	if err := f.Read.QueryRowContext(t.Context(), `SELECT count(*) FROM users WHERE id = ?`, none.User).Scan(&rows); err != nil || rows != 0 {
		t.Errorf("%d rows of an account without traces, %v, want 0", rows, err)
	}

	in := Invitation{Login: "Eva", Name: "Eva Nová", Mail: "eva@example.org", Role: accounts.Librarian}
	eva := joined(t, d, a, in)
	c := submit(t, d, eva, "essay.txt", "some words", "")
	finish(t, d, f, c)
	if err := d.Verdict(t.Context(), eva, c.ID, "minor", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := d.DeleteUser(t.Context(), eva, eva.User); !errors.Is(err, ErrForbidden) {
		t.Errorf("a librarian deletes an account: %v, want %v", err, ErrForbidden)
	}
	if _, err := d.DeleteUser(t.Context(), a, a.User); !errors.Is(err, ErrSelf) {
		t.Errorf("the own account: %v, want %v", err, ErrSelf)
	}
	left, err := d.DeleteUser(t.Context(), a, eva.User)
	closed := "Eva (" + time.Now().UTC().Format(time.DateOnly) + ")"
	if want := (DeletedUser{Login: closed, Checks: 1, Decisions: 2}); err != nil || left != want {
		t.Errorf("DeleteUser = %+v, %v, want %+v", left, err, want)
	}
	if _, err := d.DeleteUser(t.Context(), a, eva.User); !errors.Is(err, ErrNotFound) {
		t.Errorf("a deleted account: %v, want %v", err, ErrNotFound)
	}
	if _, _, err := d.Reset(t.Context(), a, eva.User); !errors.Is(err, ErrNotFound) {
		t.Errorf("a link for a deleted account: %v, want %v", err, ErrNotFound)
	}
	if _, err := d.SignIn(t.Context(), closed, "", "192.0.2.1"); !errors.Is(err, ErrCredentials) {
		t.Errorf("signing in to a deleted account: %v, want %v", err, ErrCredentials)
	}
	if _, err := d.SignIn(t.Context(), "Eva", "correct horse battery", "192.0.2.1"); !errors.Is(err, ErrCredentials) {
		t.Errorf("signing in with the earlier login: %v, want %v", err, ErrCredentials)
	}
	var kept int
	if err := f.Read.QueryRowContext(t.Context(), `SELECT (SELECT count(*) FROM sessions WHERE user_id = ?1) + (SELECT count(*) FROM users WHERE id = ?1 AND (mail != '' OR password != '' OR NOT disabled))`, eva.User).Scan(&kept); err != nil || kept != 0 {
		t.Errorf("%d sessions, passwords and addresses of a deleted account, %v, want 0", kept, err)
	}
	users, err := d.Users(t.Context(), a)
	if err != nil || len(users) != 1 {
		t.Errorf("users %+v, %v, want the administrator only", users, err)
	}
	again := joined(t, d, a, in)
	check, err := d.Check(t.Context(), again, c.ID)
	if err != nil || check.By != closed || check.VerdictBy != closed {
		t.Errorf("the check is by %q with a verdict of %q, %v, want %q", check.By, check.VerdictBy, err, closed)
	}
	files := exported(t, must(d.ExportUser(t.Context(), a, again.User)))
	if files["verdicts.json"] != "" || files["checks.json"] != "" {
		t.Errorf("a new user with an earlier login has %s and %s, want nothing", files["verdicts.json"], files["checks.json"])
	}
	if _, err := d.DeleteUser(t.Context(), a, again.User); err != nil {
		t.Errorf("an account with a login that was deleted before: %v", err)
	}
}

// TestUserTables: the tables whose rows keep the row of a deleted account are those of the schema.
func TestUserTables(t *testing.T) {
	t.Parallel()
	_, f := open(t, t.TempDir())
	if f.Shared() {
		t.Skip("asks SQLite for its schema")
	}
	for column, want := range map[string][]string{
		"user_id": append([]string{"integrations", "course_students"}, userTables...),
		"group_id": func() (all []string) {
			for _, table := range groupTables {
				all = append(all, table.table)
			}
			return all
		}(),
	} {
		got, err := list(t.Context(), f.Read, scanString, `SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c ON c.name = ? WHERE m.type = 'table'
			AND (c.name = 'group_id' OR EXISTS (SELECT 1 FROM pragma_foreign_key_list(m.name) k WHERE k."from" = c.name AND k."table" = 'users' AND k.on_delete != 'CASCADE'))`, column)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("the tables with %s are %v, want %v", column, got, want)
		}
	}
}

// TestChangeUser: a new login is that of the verdicts, too, and a user who changes the group sees the checks of the new one.
// Both groups have it in their logs.
func TestChangeUser(t *testing.T) {
	t.Parallel()
	d, f := open(t, t.TempDir())
	a := administrator(t, d)
	law := must(d.NewGroup(t.Context(), a, "Law"))
	eva := joined(t, d, a, Invitation{Login: "eva", Name: "Eva", Role: accounts.Librarian})
	c := submit(t, d, eva, "essay.txt", "some words", "")
	finish(t, d, f, c)
	if err := d.Verdict(t.Context(), eva, c.ID, "minor", ""); err != nil {
		t.Fatal(err)
	}
	name, mail, wrong := "Eva Malá", "eva@example.org", "Eva <eva@example.org>"
	for _, tt := range []struct {
		change UserChange
		field  string
	}{
		{UserChange{Login: "a b", Role: accounts.Librarian}, "login"}, {UserChange{Mail: &wrong, Role: accounts.Checker}, "mail"}, {UserChange{Role: "king"}, "role"},
		{UserChange{Group: "none", Role: accounts.Librarian}, "group"},
	} {
		var invalid *Invalid
		if err := d.ChangeUser(t.Context(), a, eva.User, tt.change); !errors.As(err, &invalid) || invalid.Field != tt.field {
			t.Errorf("%+v: %v, want an error of the field %s", tt.change, err, tt.field)
		}
	}
	if err := d.ChangeUser(t.Context(), a, eva.User, UserChange{Login: "ADMIN", Role: accounts.Librarian}); !errors.Is(err, ErrInUse) {
		t.Errorf("the login of another user: %v, want %v", err, ErrInUse)
	}
	if err := d.ChangeUser(t.Context(), a, eva.User, UserChange{Name: &name, Mail: &mail, Role: accounts.Librarian}); err != nil {
		t.Fatal(err)
	}
	if u, err := d.User(t.Context(), a, eva.User); err != nil || u.Login != "eva" || u.Name != name || u.Mail != mail {
		t.Errorf("User = %+v, %v, want the new name and address", u, err)
	}
	if _, err := d.Account(t.Context(), eva); err != nil {
		t.Errorf("after a change of the name: %v, want the session to last", err)
	}
	if err := d.ChangeUser(t.Context(), a, eva.User, UserChange{Login: "mala", Group: law, Role: accounts.Librarian}); err != nil {
		t.Fatal(err)
	}
	check, err := d.Check(t.Context(), a, c.ID)
	if err != nil || check.VerdictBy != "mala" || check.By != "mala" {
		t.Errorf("the check is by %q with a verdict of %q, %v, want mala", check.By, check.VerdictBy, err)
	}
	session := must(d.SignIn(t.Context(), "mala", "correct horse battery", "192.0.2.1"))
	if _, err := d.Check(t.Context(), must(d.Actor(t.Context(), session)), c.ID); !errors.Is(err, ErrNotFound) {
		t.Errorf("a check of the earlier group: %v, want %v", err, ErrNotFound)
	}
	for _, group := range []string{a.Group, law} {
		in := a
		in.Group = group
		entries, err := d.Audit(t.Context(), in, 0, 10)
		if err != nil || !slices.ContainsFunc(entries, func(e Entry) bool {
			return e.Action == "change user" && e.Detail == "librarian, eva → mala, Otisk → Law"
		}) {
			t.Errorf("the log of a group has %+v, %v, want the change", entries, err)
		}
	}
}

// TestDeleteGroup: a group with something needs another one, which gets all of it; an equal name gets that of the group.
func TestDeleteGroup(t *testing.T) {
	t.Parallel()
	d, _ := open(t, t.TempDir())
	a := administrator(t, d)
	law := must(d.NewGroup(t.Context(), a, "Law"))
	if err := d.RenameGroup(t.Context(), a, law, "Otisk"); !errors.Is(err, ErrInUse) {
		t.Errorf("a name in use: %v, want %v", err, ErrInUse)
	}
	if err := d.RenameGroup(t.Context(), a, law, "Faculty of Law"); err != nil {
		t.Fatal(err)
	}
	eva := joined(t, d, a, Invitation{Login: "eva", Role: accounts.Librarian, Group: law})
	c := submit(t, d, eva, "essay.txt", "some words", "")
	own := must(d.NewCollection(t.Context(), a, c.CollectionName, false))
	for _, to := range []string{"", "none", law} {
		var invalid *Invalid
		if _, err := d.DeleteGroup(t.Context(), a, law, to); !errors.As(err, &invalid) || invalid.Field != "to" {
			t.Errorf("DeleteGroup to %q: %v, want an error of the field to", to, err)
		}
	}
	if _, err := d.DeleteGroup(t.Context(), eva, law, a.Group); !errors.Is(err, ErrForbidden) {
		t.Errorf("a librarian deletes a group: %v, want %v", err, ErrForbidden)
	}
	moved, err := d.DeleteGroup(t.Context(), a, law, a.Group)
	if want := (DeletedGroup{To: "Otisk", Users: 1, Checks: 1, Collections: 1}); err != nil || moved != want {
		t.Errorf("DeleteGroup = %+v, %v, want %+v", moved, err, want)
	}
	if _, err := d.Check(t.Context(), a, c.ID); err != nil {
		t.Errorf("a check that moved: %v", err)
	}
	names := map[string]bool{}
	for _, k := range must(d.Collections(t.Context(), a)) {
		names[k.Name] = k.Own && (k.ID == own) == (k.Name == c.CollectionName)
	}
	if !names[c.CollectionName] || !names[c.CollectionName+" (Faculty of Law)"] || len(names) != 2 {
		t.Errorf("the collections are %v, want both, that of the deleted group with its name", names)
	}
	entries := must(d.Audit(t.Context(), a, 0, 100))
	if !slices.ContainsFunc(entries, func(e Entry) bool { return e.Action == "check texts" && e.Login == "eva" }) || entries[0].Detail != "Faculty of Law → Otisk" {
		t.Errorf("the log is %+v, want the deletion and the entries of the deleted group", entries)
	}
	empty := must(d.NewGroup(t.Context(), a, "Empty"))
	if moved, err := d.DeleteGroup(t.Context(), a, empty, ""); err != nil || moved != (DeletedGroup{}) {
		t.Errorf("an empty group: %+v, %v", moved, err)
	}
	if _, err := d.DeleteGroup(t.Context(), a, a.Group, ""); err == nil {
		t.Error("the last group was deleted")
	}
}

// TestInviteTable: a table adds all its users or none, and each wrong line is named, in each language.
func TestInviteTable(t *testing.T) {
	t.Parallel()
	d, f := open(t, t.TempDir())
	a := administrator(t, d)
	law := must(d.NewGroup(t.Context(), a, "Law"))
	table := func(text string) ([]Invited, error) {
		u, err := d.Receive(t.Context(), a, accounts.ManageUsers, "users.csv", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return d.InviteTable(t.Context(), a, []*Upload{u})
	}
	many := "login,role\n"
	for n := range mostInvited + 1 {
		many += fmt.Sprintf("user%d,reader\n", n)
	}
	for _, tt := range []struct{ text, want string }{
		{"", "the first line names the columns: login and role, and any of name, mail and group"},
		{"login,name\njana,Jana\n", "the first line names the columns: login and role, and any of name, mail and group"},
		{"login,role,password\n", "the first line has the column password: it names each of login, name, mail, role, group at most once"},
		{"login,role,Role\n", "the first line has the column Role: it names each of login, name, mail, role, group at most once"},
		{"login,role\n", "a table has 1 to 2000 users"},
		{many, "a table has 1 to 2000 users"},
		{"login,role\n\xe8ech,reader\n", "save the table as CSV in UTF-8"},
		{"login,role\njana,\"reader\nx,y\n", "nobody was added: line 2: not CSV: quotation marks do not match"},
		{"login,role,mail\njana,reader,x\nb c,reader,\nok,reader,\npavel,student,\nzoe,reader,,,\n",
			"nobody was added: line 2: type an e-mail address such as jana@example.org, line 3: a login has 1 to 200 characters without spaces, line 5: unknown role, line 6: it has more fields than the first line"},
		{"login,role\njana,reader\nJANA,reader\n", "nobody was added: line 3: line 2 has the login JANA, too"},
		{"login,role,group\njana,reader,Physics\nAdmin,reader,\n", "nobody was added: line 2: there is no group Physics, line 3: the login Admin is in use"},
	} {
		_, err := table(tt.text)
		var invalid *Invalid
		if !errors.As(err, &invalid) || invalid.Field != "file" || err.Error() != tt.want {
			t.Errorf("%.60q: %v, want %s", tt.text, err, tt.want)
			continue
		}
		for _, tag := range lang.Tags() {
			if text := lang.Of(tag).Err(invalid.Unwrap()); tag != "en" && text == tt.want {
				t.Errorf("%.60q in %s: %q, want a translation", tt.text, tag, text)
			}
		}
	}
	if users := must(d.Users(t.Context(), a)); len(users) != 1 {
		t.Fatalf("%d users after wrong tables, want 1", len(users))
	}
	if entries := must(d.Audit(t.Context(), a, 0, 100)); slices.ContainsFunc(entries, func(e Entry) bool { return e.Action == "invite user" }) {
		t.Error("the log has invitations of wrong tables")
	}
	for _, text := range []string{"\ufefflogin;name;mail;role;group\r\njana;\"Nová; Jana\";jana@example.org;Checker;\r\n\r\npavel; Pavel ;;librarian;Law\r\n", "Role\tLogin\nreader\tzoe"} {
		all, err := table(text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		for _, one := range all {
			if _, err := d.Accept(t.Context(), one.Link, "correct horse battery"); err != nil {
				t.Errorf("the link of %s: %v", one.Login, err)
			}
		}
	}
	want := map[string]User{
		"jana": {Name: "Nová; Jana", Mail: "jana@example.org", Role: accounts.Checker, Group: a.Group}, "pavel": {Name: "Pavel", Role: accounts.Librarian, Group: law}, "zoe": {Role: accounts.Reader, Group: a.Group},
	}
	for _, u := range must(d.Users(t.Context(), a)) {
		if w, ok := want[u.Login]; ok && (u.Name != w.Name || u.Mail != w.Mail || u.Role != w.Role || u.Group != w.Group) {
			t.Errorf("%s is %+v, want %+v", u.Login, u, w)
		}
		delete(want, u.Login)
	}
	if len(want) > 0 {
		t.Errorf("not added: %v", want)
	}
	if files, err := os.ReadDir(f.Path(storage.Files)); err != nil || len(files) != 0 {
		t.Errorf("files that are left: %v, %v, want none", files, err)
	}
}
