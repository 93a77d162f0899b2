package main

import (
	"cmp"
	"errors"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/bucket"
	"github.com/otisk/otisk/serve/mail"
	"github.com/otisk/otisk/serve/oidc"
	"github.com/otisk/otisk/serve/outgoing"
)

// oidcSecret is the environment variable with the secret of the client.
const oidcSecret = "OTISK_OIDC_SECRET"

type oidcOptions struct {
	issuer     string
	client     string
	secret     string // file
	name       string
	scopes     []string
	loginClaim string
	roleClaim  string
	roles      []string // VALUE=ROLE
	groupClaim string
	groups     []string // VALUE=GROUP
}

func (o *oidcOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.issuer, "oidc-issuer", "", "`address` of an OpenID Connect provider that signs users in")
	f.StringVar(&o.client, "oidc-client", "", "`id` of this server at the provider, whose callback is /sign-in/callback")
	f.StringVar(&o.secret, "oidc-secret-file", "", "`file` with the secret of the client (default: the variable "+oidcSecret+")")
	f.StringVar(&o.name, "oidc-name", "", "`name` of the provider on the page for signing in (default: its host)")
	f.StringSliceVar(&o.scopes, "oidc-scope", []string{"profile", "email"}, "`scope` to ask for, beside openid; may be repeated")
	f.StringVar(&o.loginClaim, "oidc-login-claim", "preferred_username", "`claim` with the login")
	f.StringVar(&o.roleClaim, "oidc-role-claim", "roles", "`claim` with the roles; dots lead into nested claims, as in realm_access.roles")
	f.StringSliceVar(&o.roles, "oidc-role", nil, "`VALUE=ROLE` of the claim; may be repeated (default: the values are reader, checker, librarian and administrator)")
	f.StringVar(&o.groupClaim, "oidc-group-claim", "", "`claim` with the groups (default: all users are in the first group)")
	f.StringSliceVar(&o.groups, "oidc-group", nil, "`VALUE=GROUP` of the claim; may be repeated (default: the values are names of groups)")
}

func (o *oidcOptions) check() error {
	if (o.issuer == "") != (o.client == "") {
		return misuse("usage.goes-with", "flag", "--oidc-issuer", "other", "--oidc-client")
	}
	u, err := url.Parse(o.issuer)
	local := err == nil && (u.Hostname() == "localhost" || u.Hostname() == "127.0.0.1" || u.Hostname() == "::1")
	if o.issuer != "" && (err != nil || u.Host == "" || u.Scheme != "https" && !(local && u.Scheme == "http")) {
		return misuse("usage.want", "what", "--oidc-issuer "+o.issuer, "wanted", "https://...")
	}
	for _, typed := range o.roles {
		if value, role, _ := strings.Cut(typed, "="); value == "" || !slices.Contains(accounts.Roles(), accounts.Role(role)) {
			return misuse("usage.want", "what", "--oidc-role "+typed, "wanted", "reader, checker, librarian, administrator")
		}
	}
	for _, typed := range o.groups {
		if value, group, _ := strings.Cut(typed, "="); value == "" || group == "" {
			return misuse("usage.want", "what", "--oidc-group "+typed, "wanted", "VALUE=GROUP")
		}
	}
	return nil
}

// pairs returns the values of flags such as VALUE=ROLE, nil for none.
func pairs[T ~string](typed []string) map[string]T {
	if len(typed) == 0 {
		return nil
	}
	all := map[string]T{}
	for _, t := range typed {
		value, to, _ := strings.Cut(t, "=")
		all[value] = T(to)
	}
	return all
}

// provider returns the provider, nil for none. address is that of this server, allow are the hosts in
// its network that may be asked beside the provider.
func (o *oidcOptions) provider(address string, allow []string) (*oidc.Provider, error) {
	if o.issuer == "" {
		return nil, nil
	}
	secret := os.Getenv(oidcSecret)
	if o.secret != "" {
		data, err := os.ReadFile(o.secret)
		if err != nil {
			return nil, err
		}
		secret = strings.TrimSpace(string(data))
	}
	network, err := outgoing.New(append([]string{hostOf(o.issuer)}, allow...))
	if err != nil {
		return nil, err
	}
	return oidc.New(oidc.Options{
		Issuer: o.issuer, Client: o.client, Secret: secret, Redirect: address + oidc.Callback, Name: cmp.Or(o.name, hostOf(o.issuer)),
		Scopes: o.scopes, LoginClaim: o.loginClaim, RoleClaim: o.roleClaim, GroupClaim: o.groupClaim,
		Roles: pairs[accounts.Role](o.roles), Groups: pairs[string](o.groups),
	}, network), nil
}

// mailPassword is the environment variable with the password of the user in --smtp.
const mailPassword = "OTISK_SMTP_PASSWORD"

type mailOptions struct{ address, from string }

func (o *mailOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.address, "smtp", "", "`address` of a mail server, such as smtp://otisk@mail.example.org; its password is in "+mailPassword+" (default: no e-mail)")
	f.StringVar(&o.from, "mail-from", "", "`address` of the sender of e-mail, such as otisk@example.org")
}

// server returns the mail server of the flags, nil if there is none. A password in its address would be in the list of processes.
func (o *mailOptions) server() (*mail.Server, error) {
	switch u, err := url.Parse(o.address); {
	case o.address == "" && o.from == "":
		return nil, nil
	case o.address == "":
		return nil, misuse("usage.goes-with", "flag", "--mail-from", "other", "--smtp")
	case o.from == "":
		return nil, misuse("usage.goes-with", "flag", "--smtp", "other", "--mail-from")
	case err == nil && u.User != nil && u.User.String() != url.User(u.User.Username()).String():
		return nil, misuse("usage.smtp-password", "variable", mailPassword)
	}
	s, err := mail.New(o.address, o.from, os.Getenv(mailPassword))
	if err != nil {
		return nil, misuse("usage.want", "what", "--smtp "+o.address+" --mail-from "+o.from, "wanted", "smtp://[USER@]HOST[:PORT], smtps://…, NAME@HOST")
	}
	return s, nil
}

func bucketFlag(f *pflag.FlagSet, address *string) {
	f.StringVar(address, "bucket", "", "`address` of a bucket in an S3 store with the uploads and reports, such as https://s3.example.org/otisk; the key is in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (default: folders in --data)")
}

// openBucket returns the bucket at address with the key of the environment, nil if there is no address.
func openBucket(address string) (*bucket.Bucket, error) {
	if address == "" {
		return nil, nil
	}
	b, err := bucket.New(bucket.Environment(address, os.Getenv))
	switch {
	case errors.Is(err, bucket.ErrAddress):
		return nil, misuse("usage.bucket")
	case errors.Is(err, bucket.ErrKey):
		return nil, misuse("usage.bucket-key")
	}
	return b, err
}
