package desk

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/lti"
	"github.com/otisk/otisk/serve/oidc"
	"github.com/otisk/otisk/serve/storage"
)

// The platforms are the learning platforms that sign users in.
type platforms struct{ room }

// A Platform is a learning platform whose users are signed in by LTI 1.3.
type Platform struct {
	ID string `json:"id"`
	NewPlatform
	Created time.Time `json:"created"`
}

// A NewPlatform is a learning platform to register.
type NewPlatform struct {
	Name        string   `json:"name" min:"1" max:"200"`
	Issuer      string   `json:"issuer" min:"1" max:"2000" doc:"as in its tokens"`
	Client      string   `json:"client" min:"1" max:"200" doc:"id of this server at the platform"`
	AuthURL     string   `json:"auth_url" min:"1" max:"2000" doc:"address of its authentication requests"`
	KeysURL     string   `json:"keys_url" min:"1" max:"2000" doc:"address of its key set"`
	TokenURL    string   `json:"token_url,omitempty" max:"2000" doc:"address of its access tokens; only submissions that it sends need it"`
	Deployments []string `json:"deployments" doc:"ids of the deployments of this server at the platform"`
	Frames      []string `json:"frames,omitempty" doc:"further addresses of the platform whose pages may show this server in a frame"`
}

// mostPlatforms is the number of platforms that a group may have.
const mostPlatforms = 50

func (p *NewPlatform) check() (err error) {
	if p.Name, err = checkName(p.Name); err != nil {
		return err
	}
	p.Issuer, p.Client, p.AuthURL, p.KeysURL = strings.TrimSpace(p.Issuer), strings.TrimSpace(p.Client), strings.TrimSpace(p.AuthURL), strings.TrimSpace(p.KeysURL)
	p.TokenURL = strings.TrimSpace(p.TokenURL)
	if p.Client == "" || longer(p.Client, 200) {
		return Wrong("client", "serve.name", "a name has 1 to {most} characters", "most", 200)
	}
	addresses := []struct{ field, value string }{{"issuer", p.Issuer}, {"auth_url", p.AuthURL}, {"keys_url", p.KeysURL}}
	if p.TokenURL != "" {
		addresses = append(addresses, struct{ field, value string }{"token_url", p.TokenURL})
	}
	for _, frame := range p.Frames {
		addresses = append(addresses, struct{ field, value string }{"frames", frame})
	}
	for _, a := range addresses {
		if !lti.Secure(a.value) || len(a.value) > 2000 || strings.ContainsAny(a.value, " ;,") {
			return Wrong(a.field, "lti.address", "the platform needs addresses with https, such as https://lms.example.org")
		}
	}
	for _, id := range p.Deployments {
		if id == "" || longer(id, 255) || strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
			return Wrong("deployments", "lti.deployment", "the id of a deployment has 1 to {most} characters without spaces", "most", 255)
		}
	}
	if len(p.Deployments) > 1000 || len(p.Frames) > 20 {
		return Wrong("deployments", "lti.many", "there are at most {deployments} deployments and {frames} addresses of frames", "deployments", 1000, "frames", 20)
	}
	return nil
}

// Origins returns the origins of the platform whose pages may show this server in a frame.
func (p *NewPlatform) Origins() (list []string) {
	for _, address := range append([]string{p.Issuer, p.AuthURL}, p.Frames...) {
		if u, err := url.Parse(address); err == nil && u.Host != "" {
			list = append(list, u.Scheme+"://"+u.Host)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

const selectPlatforms = `SELECT id, name, issuer, client, auth_url, keys_url, token_url, frames, deployments, created FROM platforms`

func scanPlatform(row func(...any) error, p *Platform) error {
	var frames, deployments string
	err := row(&p.ID, &p.Name, &p.Issuer, &p.Client, &p.AuthURL, &p.KeysURL, &p.TokenURL, &frames, &deployments, millis{&p.Created})
	p.Frames, p.Deployments = strings.Fields(frames), strings.Fields(deployments)
	return err
}

// Tool returns the platform for package lti.
func (p *Platform) Tool() *lti.Platform {
	return &lti.Platform{ID: p.ID, Issuer: p.Issuer, Client: p.Client, AuthURL: p.AuthURL, KeysURL: p.KeysURL, TokenURL: p.TokenURL, Origins: p.Origins(), Deployments: p.Deployments}
}

// Platforms returns the learning platforms of the actor's group.
func (d *platforms) Platforms(ctx context.Context, a accounts.Actor) ([]Platform, error) {
	return listFor(ctx, may(a, accounts.ManagePlatforms), d.folder.Read, scanPlatform, selectPlatforms+` WHERE group_id = ? ORDER BY created, id`, a.Group)
}

// SavePlatform registers a learning platform, whose users are in the actor's group, or changes the one
// with this id. Two cannot have the same issuer and client.
func (d *platforms) SavePlatform(ctx context.Context, a accounts.Actor, id string, p NewPlatform) (string, error) {
	action := "change platform"
	err := d.change(ctx, errors.Join(may(a, accounts.ManagePlatforms), p.check()), func(tx *storage.Tx) {
		if id == "" {
			action = "create platform"
			id = d.insertPlatform(tx, a)
		}
		tx.RefuseIf(ErrInUse, `SELECT count(*) > 0 FROM platforms WHERE issuer = ? AND client = ? AND id != ?`, p.Issuer, p.Client, id)
		tx.Change(ErrNotFound, `UPDATE platforms SET name = ?, issuer = ?, client = ?, auth_url = ?, keys_url = ?, token_url = ?, frames = ?, deployments = ? WHERE id = ? AND group_id = ?`,
			p.Name, p.Issuer, p.Client, p.AuthURL, p.KeysURL, p.TokenURL, strings.Join(p.Frames, " "), strings.Join(p.Deployments, " "), id, a.Group)
		note(tx, a, action, id, p.Name)
	})
	return id, err
}

// insertPlatform adds a platform without values, and the key of this server with the first one.
func (d *platforms) insertPlatform(tx *storage.Tx, a accounts.Actor) (id string) {
	var platforms, keys int
	tx.Row(`SELECT (SELECT count(*) FROM platforms WHERE group_id = ?), (SELECT count(*) FROM platform_keys)`, a.Group).Scan(&platforms, &keys)
	if platforms >= mostPlatforms {
		tx.Fail(Wrong("name", "lti.most", "a group has at most {most} platforms", "most", mostPlatforms))
	}
	if keys == 0 {
		d.insertPlatformKey(tx)
	}
	id = accounts.NewID()
	tx.Exec(`INSERT INTO platforms (id, group_id, name, issuer, client, auth_url, keys_url, frames, deployments, created) VALUES (?1, ?2, '', ?1, '', '', '', '', '', ?3)`, id, a.Group, now())
	return id
}

// DeletePlatform deletes a learning platform of the actor's group. Its users stay, and can no longer
// sign in: their sessions and tokens end.
func (d *platforms) DeletePlatform(ctx context.Context, a accounts.Actor, id string) error {
	return d.change(ctx, may(a, accounts.ManagePlatforms), func(tx *storage.Tx) {
		var name string
		tx.RowOr(ErrNotFound, `DELETE FROM platforms WHERE id = ? AND group_id = ? RETURNING name`, id, a.Group).Scan(&name)
		endExternal(tx, platformIssuer(id))
		note(tx, a, "delete platform", id, name)
	})
}

// FindPlatform returns the platform that initiates a login, by its issuer and, if the platform sends
// it, the client; or [lti.ErrPlatform] unless there is exactly one.
func (d *platforms) FindPlatform(ctx context.Context, issuer, client string) (*Platform, error) {
	all, err := list(ctx, d.folder.Read, scanPlatform, selectPlatforms+` WHERE issuer = ? AND ? IN ('', client) LIMIT 2`, issuer, client)
	if err != nil {
		return nil, err
	}
	if len(all) != 1 {
		return nil, lti.ErrPlatform
	}
	return &all[0], nil
}

// PlatformOf returns the platform with an id, or [lti.ErrPlatform].
func (d *platforms) PlatformOf(ctx context.Context, id string) (*Platform, error) {
	p := new(Platform)
	err := scanPlatform(d.folder.Read.QueryRowContext(ctx, selectPlatforms+` WHERE id = ?`, id).Scan, p)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, lti.ErrPlatform
	}
	return p, err
}

// platformIssuer returns the issuer of the users of a platform. It is not an address, so that no OpenID
// Connect provider and no other platform can sign in as one of them.
func platformIssuer(id string) string { return "lti " + id }

// loginsOf returns logins for a new user of a platform, the best first.
func loginsOf(l *lti.Launch) []string {
	host := "lti"
	if u, err := url.Parse(l.Platform.Issuer); err == nil {
		host = cmp.Or(u.Hostname(), host)
	}
	return []string{l.Email, l.Subject + "@" + host, accounts.NewID()[:12] + "@" + host}
}

// Times of a key for learning platforms, which keep the key set for a while.
const (
	keyLead = 24 * time.Hour     // a new key is published before it signs
	keyKept = 7 * 24 * time.Hour // an old key is published after its successor was made
)

// A PlatformKey is a key of this server for learning platforms.
type PlatformKey struct {
	ID      string    `json:"id" doc:"kid in the key set"`
	Created time.Time `json:"created"`
	Signs   bool      `json:"signs" doc:"signs answers to platforms; others are published and sign later, or did before"`

	data []byte
}

// platformKeys returns the published keys, the oldest first.
func (d *platforms) platformKeys(ctx context.Context, db storage.Querier) ([]PlatformKey, error) {
	keys, err := list(ctx, db, func(row func(...any) error, k *PlatformKey) error { return row(&k.ID, &k.data, millis{&k.Created}) },
		`SELECT id, key, created FROM platform_keys ORDER BY created, id`)
	if err != nil || len(keys) == 0 {
		return keys, err
	}
	signs, first, now := 0, 0, d.opts.Now()
	for i := 1; i < len(keys); i++ {
		age := now.Sub(keys[i].Created)
		if age >= keyLead {
			signs = i
		}
		if age >= keyKept {
			first = i
		}
	}
	keys[signs].Signs = true
	return keys[first:], nil
}

// PlatformKeys returns the published keys of this server for learning platforms, the oldest first.
func (d *platforms) PlatformKeys(ctx context.Context, a accounts.Actor) ([]PlatformKey, error) {
	if err := may(a, accounts.ManagePlatforms); err != nil {
		return nil, err
	}
	return d.platformKeys(ctx, d.folder.Read)
}

// PlatformKey returns the key that signs answers to learning platforms, beside the other published
// keys; or ErrNotFound before the first platform is registered.
func (d *platforms) PlatformKey(ctx context.Context) (signs *lti.Key, err error) {
	keys, err := d.platformKeys(ctx, d.folder.Read)
	if err != nil {
		return nil, err
	}
	var others []*lti.Key
	for _, k := range keys {
		read, err := lti.ReadKey(k.ID, k.data)
		if err != nil {
			return nil, err
		}
		if k.Signs {
			signs = read
		} else {
			others = append(others, read)
		}
	}
	if signs == nil {
		return nil, ErrNotFound
	}
	return signs.Beside(others...), nil
}

// RotatePlatformKey makes a new key for learning platforms. It is published at once and signs a day
// later; the one before is published for a week. With stolen, all earlier keys become invalid at once:
// platforms that keep the key set refuse answers until they read it again.
func (d *platforms) RotatePlatformKey(ctx context.Context, a accounts.Actor, stolen bool) error {
	return d.change(ctx, may(a, accounts.ManagePlatforms), func(tx *storage.Tx) {
		keys := read(tx, func(ctx context.Context, db *sql.Tx) ([]PlatformKey, error) { return d.platformKeys(ctx, db) })
		var last PlatformKey
		if len(keys) > 0 {
			last = keys[len(keys)-1]
			if !stolen && !last.Signs {
				tx.Fail(Wrong("key", "lti.key-waits", "the last new key signs at {time} at the earliest", "time", last.Created.Add(keyLead).Format(time.RFC3339)))
			}
			tx.Exec(`DELETE FROM platform_keys WHERE ? OR created < ?`, stolen, keys[0].Created.UnixMilli())
		}
		d.insertPlatformKey(tx)
		note(tx, a, "rotate platform key", last.ID, "")
	})
}

func (d *platforms) insertPlatformKey(tx *storage.Tx) {
	data, err := lti.NewKey()
	tx.Fail(err)
	tx.Exec(`INSERT INTO platform_keys (id, key, created) VALUES (?, ?, ?)`, accounts.NewID(), data, d.opts.Now().UnixMilli())
}

// Launch signs in the user of a verified launch, who is created at the first one; later ones set name
// and role. A student may then hand texts in to the course of the link. The session is "" if the user
// chooses what to link: that needs none.
//
// A launch counts once. Its course or check must be of the group of the platform.
func (d *platforms) Launch(ctx context.Context, l *lti.Launch) (a accounts.Actor, session string, err error) {
	var refused error
	err = d.folder.Write(ctx, func(tx *storage.Tx) {
		if !useNonce(tx, l.Nonce, l.Expires) {
			tx.Fail(lti.ErrFlow)
		}
		if l.Asset != "" {
			setReviewed(tx, l)
		}
		id := &oidc.Identity{Issuer: platformIssuer(l.Platform.ID), Subject: l.Subject, Name: l.Name, Role: l.Role}
		group := identify(tx, l, id)
		if a, refused = externalUser(tx, id, "LTI"); refused != nil {
			return
		}
		enrol(tx, a, l, group)
		if l.Select == nil {
			session = newSession(tx, a.User, true)
		}
	})
	return a, session, cmp.Or(err, refused)
}

// useNonce reports whether the nonce of a launch or notice is new: none was accepted with it before. It removes
// those that have expired.
func useNonce(tx *storage.Tx, nonce string, expires time.Time) bool {
	tx.Exec(`DELETE FROM launches WHERE expires < ?`, time.Now().Add(-lti.FlowLife).UnixMilli())
	return tx.Exec(`INSERT INTO launches (nonce, expires) VALUES (?, ?) ON CONFLICT DO NOTHING`, nonce, expires.UnixMilli()) > 0
}

// identify sets the group of the platform and, for a new user, a login that nobody has.
func identify(tx *storage.Tx, l *lti.Launch, id *oidc.Identity) (group string) {
	var name string
	tx.RowOr(ErrNotFound, `SELECT g.id, g.name FROM platforms p JOIN groups g ON g.id = p.group_id WHERE p.id = ?`, l.Platform.ID).Scan(&group, &name) // deleted meanwhile
	id.Groups = []string{name}
	id.Login = freeLogin(tx, loginsOf(l))
	return group
}

// enrol lets a student hand texts in to the course of a launch. It fails with ErrNotFound if the course or
// the check does not belong to the group of the platform.
func enrol(tx *storage.Tx, a accounts.Actor, l *lti.Launch, group string) {
	a.Group = group
	if l.Course != "" {
		ownCourse(tx, a, l.Course)
		if l.Role == accounts.Student {
			addStudent(tx, a.User, l.Course)
			return
		}
	}
	if l.Check != "" {
		var id string
		tx.RowOr(ErrNotFound, `SELECT c.id FROM checks c JOIN submissions s ON s.id = c.submission_id WHERE c.id = ? AND s.group_id = ?`, l.Check, group).Scan(&id)
	}
}

// Selecting returns the user of a deep linking request that is not finished, or ErrNotFound.
func (d *platforms) Selecting(ctx context.Context, s *lti.Selection) (a accounts.Actor, err error) {
	if time.Now().After(s.Expires) {
		return a, lti.ErrFlow
	}
	err = d.folder.Read.QueryRowContext(ctx, `SELECT id, login, name, role, group_id FROM users WHERE id = ? AND NOT disabled`, s.User).Scan(&a.User, &a.Login, &a.Name, &a.Role, &a.Group)
	return a, found(err)
}
