package main

import (
	"cmp"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/otisk/otisk/serve/accounts"
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
