package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/storage"
)

// besideOptions hold the flags of commands that change rows of a server, which may be running.
type besideOptions struct{ data, db, user string }

func (o *besideOptions) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.data, "data", "", "`folder` with all data of the server")
	cmd.Flags().StringVar(&o.db, "database", "", "`address` of a PostgreSQL database, such as postgres://otisk@db.example.org/otisk (default: SQLite in --data)")
	cmd.Flags().StringVar(&o.user, "user", "", "`login` of the user in whose name the command acts")
}

// open calls fn with the desk of the server. If create is set, a folder without data is no error.
func (o *besideOptions) open(cmd *cobra.Command, create bool, fn func(d *desk.Desk) error) (err error) {
	switch {
	case o.data == "":
		return misuse("usage.serve-data")
	case o.user == "":
		return misuse("usage.serve-user")
	}
	f, err := storage.Beside(cmd.Context(), o.data, o.db)
	if create && errors.Is(err, fs.ErrNotExist) {
		f, err = storage.Open(cmd.Context(), o.data, storage.Options{Database: o.db})
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return fn(desk.Beside(f))
}

func (o *besideOptions) with(cmd *cobra.Command, fn func(d *desk.Desk, a accounts.Actor) error) error {
	return o.open(cmd, false, func(d *desk.Desk) error {
		a, err := d.Operator(cmd.Context(), o.user)
		if errors.Is(err, desk.ErrNotFound) {
			return about("--user "+o.user, lang.NewMessage("error.no-user"))
		}
		if err != nil {
			return err
		}
		return fn(d, a)
	})
}

func newServeAdminCommand() *cobra.Command {
	var o besideOptions
	var file string
	cmd := &cobra.Command{
		Use:     "admin [flags] --data DIR --user NAME --password-file FILE",
		Example: "  otisk serve admin --data /srv/otisk --user admin --password-file password.txt",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if file == "" {
				return misuse("usage.serve-password")
			}
			password, err := os.ReadFile(file)
			if err != nil {
				return about("--password-file "+file, err)
			}
			line, _, _ := strings.Cut(string(password), "\n")
			person := desk.Person{Login: o.user, Name: o.user, Password: strings.TrimSuffix(line, "\r")}
			return o.open(cmd, true, func(d *desk.Desk) error {
				if err := person.Check(); err != nil { // before the link that the server printed becomes invalid
					return err
				}
				link, err := d.FirstLink(cmd.Context())
				if err == nil && link == "" {
					err = lang.NewMessage("error.has-users")
				}
				if err != nil {
					return err
				}
				_, err = d.First(cmd.Context(), link, person)
				return err
			})
		},
	}
	o.flags(cmd)
	cmd.Flags().Lookup("user").Usage = "`login` of the administrator"
	cmd.Flags().StringVar(&file, "password-file", "", "`file` whose first line is the password")
	return cmd
}

func newServeTokenCommand() *cobra.Command {
	var o besideOptions
	name, days, scopes := "otisk serve token", 0, []string(nil)
	cmd := &cobra.Command{
		Use:     "token [flags] --data DIR --user NAME --scope SCOPE",
		Example: "  otisk serve token --data /srv/otisk --user librarian --scope check --scope read > token.txt",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.with(cmd, func(d *desk.Desk, a accounts.Actor) error {
				list := lists.Map(scopes, func(s string) accounts.Scope { return accounts.Scope(s) })
				_, secret, err := d.NewToken(cmd.Context(), a, name, list, days)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(cmd.OutOrStdout(), secret)
				return err
			})
		},
	}
	o.flags(cmd)
	cmd.Flags().StringVar(&name, "name", name, "`name` of the token on the page of the user")
	cmd.Flags().StringSliceVar(&scopes, "scope", nil, "`scope` of the token: read, check, collections or admin; may be repeated")
	cmd.Flags().IntVar(&days, "days", desk.TokenDays, "`number` of days until the token expires")
	return cmd
}

func newServeIntegrationCommand() *cobra.Command {
	var o besideOptions
	n := desk.NewIntegration{Viewers: desk.ViewInstructors}
	cmd := &cobra.Command{
		Use:     "integration [flags] --data DIR --user NAME --name NAME --collection NAME",
		Example: "  otisk serve integration --data /srv/otisk --user admin --name OJS --collection Papers --add-to Papers",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.with(cmd, func(d *desk.Desk, a accounts.Actor) error {
				key, err := addIntegration(cmd, d, a, n)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(cmd.OutOrStdout(), key)
				return err
			})
		},
	}
	o.flags(cmd)
	cmd.Flags().StringVar(&n.Name, "name", "", "`name` of the integration")
	cmd.Flags().StringArrayVar(&n.Collections, "collection", nil, "`collection` to check against, by name or id; may be repeated")
	cmd.Flags().StringVar(&n.Index, "add-to", "", "`collection` to which texts are added if the client asks for it (default: none)")
	cmd.Flags().StringVar(&n.Viewers, "viewers", n.Viewers, "`who` may open reports: instructors or everybody")
	return cmd
}

// addIntegration creates an integration whose collections are given by name or id, and returns its key.
func addIntegration(cmd *cobra.Command, d *desk.Desk, a accounts.Actor, n desk.NewIntegration) (string, error) {
	all, err := d.Collections(cmd.Context(), a)
	if err != nil {
		return "", err
	}
	var names []string
	ids := map[string]string{}
	for _, c := range all {
		names, ids[c.ID], ids[c.Name] = append(names, c.Name), c.ID, c.ID
	}
	for _, typed := range [][]string{n.Collections, {n.Index}} {
		for i, name := range typed {
			if name != "" && ids[name] == "" {
				return "", misuse("usage.check-collection", "names", strings.Join(names, ", "))
			}
			typed[i] = ids[name]
		}
	}
	n.Index = ids[n.Index]
	_, key, err := d.SaveIntegration(cmd.Context(), a, "", n)
	return key, err
}
