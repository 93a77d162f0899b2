package desk

import (
	"context"
	"errors"
	"fmt"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/storage"
)

// ErrGroupUsed is the error for the deletion of a group with users, checks or collections that names no other group.
var ErrGroupUsed error = phrase.Error("people.group-used", "the group has users, checks or collections: choose the group to which they move")

// A Group is a set of users who see the same checks.
type Group struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Groups returns all groups.
func (d *people) Groups(ctx context.Context, a accounts.Actor) ([]Group, error) {
	return listFor(ctx, may(a, accounts.ManageUsers), d.folder.Read, func(row func(...any) error, g *Group) error { return row(&g.ID, &g.Name) },
		`SELECT id, name FROM groups ORDER BY name`)
}

// groupName returns the name of a group, "" if there is none.
func groupName(tx *storage.Tx, id string) (name string) {
	tx.Row(`SELECT name FROM groups WHERE id = ?`, id).Scan(&name)
	return name
}

// NewGroup creates a group.
func (d *people) NewGroup(ctx context.Context, a accounts.Actor, name string) (id string, err error) {
	name, err = checkName(name)
	id = accounts.NewID()
	err = d.change(ctx, errors.Join(may(a, accounts.ManageUsers), err), func(tx *storage.Tx) {
		tx.Change(ErrInUse, `INSERT INTO groups (id, name) VALUES (?, ?) ON CONFLICT DO NOTHING`, id, name)
		note(tx, a, "create group", id, name)
	})
	return id, err
}

// RenameGroup renames a group.
func (d *people) RenameGroup(ctx context.Context, a accounts.Actor, id, name string) error {
	name, err := checkName(name)
	return d.change(ctx, errors.Join(may(a, accounts.ManageUsers), err), func(tx *storage.Tx) {
		old := groupName(tx, id)
		if old == "" {
			tx.Fail(ErrNotFound)
		}
		tx.RefuseIf(ErrInUse, `SELECT EXISTS (SELECT 1 FROM groups WHERE name = ? AND id != ?)`, name, id)
		tx.Exec(`UPDATE groups SET name = ? WHERE id = ?`, name, id)
		noteGroups(tx, a, `SELECT id FROM groups WHERE id = ?`, []any{id}, "rename group", id, old+" → "+name)
	})
}

// A DeletedGroup is what moved to another group when a group was deleted.
type DeletedGroup struct {
	To          string `json:"to,omitempty" doc:"name of the other group; empty if nothing moved"`
	Users       int    `json:"users"`
	Checks      int    `json:"checks"`
	Collections int    `json:"collections"`
}

// groupTables are the tables with rows of a group, all of which move when it is deleted. Of the named ones, a group has each name once.
var groupTables = []struct {
	table string
	named bool
}{
	{"users", false}, {"collections", true}, {"submissions", false}, {"courses", true}, {"presets", true}, {"given_texts", true},
	{"webhooks", false}, {"platforms", false}, {"integrations", true}, {"private_checks", false}, {"audit", false}, {"mails", false},
}

// DeleteGroup deletes a group. Everything in it moves to the group with the id to, and is visible to the users of that group. The id may be
// empty if the group has nothing but its audit log, which then moves to the group of the actor. A name that the other group has
// gets that of the deleted group in parentheses.
func (d *people) DeleteGroup(ctx context.Context, a accounts.Actor, id, to string) (moved DeletedGroup, err error) {
	err = d.change(ctx, may(a, accounts.ManageUsers), func(tx *storage.Tx) {
		name := groupName(tx, id)
		used := d.groupUsed(tx, id)
		switch {
		case name == "":
			tx.Fail(ErrNotFound)
		case to == "" && used:
			tx.Fail(&Invalid{"to", ErrGroupUsed})
		case to == "" && id != a.Group:
			to = a.Group
		case id == to || to == "":
			tx.Fail(Wrong("to", "people.other-group", "choose another group"))
		}
		other := groupName(tx, to)
		if other == "" {
			tx.Fail(Wrong("to", "serve.group", "unknown group"))
		}
		tx.Row(`SELECT (SELECT count(*) FROM users WHERE group_id = ?1 AND deleted = 0), (SELECT count(*) FROM checks c JOIN submissions s ON s.id = submission_id WHERE s.group_id = ?1),
			(SELECT count(*) FROM collections WHERE group_id = ?1)`, id).Scan(&moved.Users, &moved.Checks, &moved.Collections)
		if used {
			moved.To = other
		}
		for _, t := range groupTables {
			if t.named {
				makeRoom(tx, t.table, id, to, name)
			}
			tx.Exec(`UPDATE `+t.table+` SET group_id = ? WHERE group_id = ?`, to, id)
		}
		tx.Exec(`DELETE FROM groups WHERE id = ?`, id)
		if a.Group == id {
			a.Group = to
		}
		noteGroups(tx, a, `SELECT id FROM groups WHERE id = ?`, []any{to}, "delete group", id, name+" → "+other)
	})
	return moved, err
}

// groupUsed reports whether a group has more than entries of its audit log.
func (d *people) groupUsed(tx *storage.Tx, id string) (used bool) {
	for _, t := range groupTables {
		if !used && t.table != "audit" && t.table != "mails" {
			tx.Row(`SELECT EXISTS (SELECT 1 FROM `+t.table+` WHERE group_id = ?)`, id).Scan(&used)
		}
	}
	return used
}

// makeRoom renames the rows of a table that cannot move from one group to another under their names.
func makeRoom(tx *storage.Tx, table, from, to, group string) {
	names := rows(tx, scanString, `SELECT name FROM `+table+` WHERE group_id = ? OR group_id = ?`, from, to)
	used := map[string]int{}
	for _, name := range names {
		used[name]++
	}
	for _, name := range names {
		if used[name] < 2 {
			continue
		}
		free := fmt.Sprintf("%s (%s)", name, group)
		for n := 2; used[free] > 0; n++ {
			free = fmt.Sprintf("%s (%s, %d)", name, group, n)
		}
		used[name], used[free] = 1, 1
		tx.Exec(`UPDATE `+table+` SET name = ? WHERE group_id = ? AND name = ?`, free, from, name)
	}
}
