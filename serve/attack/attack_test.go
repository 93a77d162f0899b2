// Package attack has the tests of otisk serve by people who want to break it: strangers, users of each
// role and of two groups, pairs of clients at once, and a disk that is full. They send requests to the
// whole server as it listens.
package attack

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/front"
	"github.com/otisk/otisk/serve/hooks"
	"github.com/otisk/otisk/serve/lti"
	"github.com/otisk/otisk/serve/lti/ltitest"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/storage/storagetest"
	"github.com/otisk/otisk/serve/work"
)

const password = "correct horse battery"

// Names of the two groups. The first administrator and the learning platform are in the first one.
const (
	ownGroup   = "Otisk"
	otherGroup = "Other"
)

// A fortress is a server with two groups. Each group has a user of each role, a collection and a
// submitted text.
type fortress struct {
	*httptest.Server
	t        *testing.T
	folder   *storage.Folder
	desk     *desk.Desk
	queue    *work.Queue // does not run
	handler  http.Handler
	log      lockedBuffer
	clock    time.Time // of limits and due times
	admin    accounts.Actor
	groups   map[string]string                   // ids by names
	platform string                              // id of the learning platform
	users    map[string]map[accounts.Role]string // sessions by names of groups and roles

	collection, check map[string]string // ids by names of groups
}

// A lockedBuffer is a buffer for several writers.
type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

// build starts a server on a new data folder. set changes its settings before the start; it may be nil.
func build(t *testing.T, set func(*front.Options, *desk.Options)) *fortress {
	t.Helper()
	return buildIn(t, t.TempDir(), set)
}

// buildIn is [build] in a folder.
func buildIn(t *testing.T, dir string, set func(*front.Options, *desk.Options)) *fortress {
	t.Helper()
	f := &fortress{t: t, clock: time.Now(), groups: map[string]string{}, users: map[string]map[accounts.Role]string{}, collection: map[string]string{}, check: map[string]string{}}
	f.open(dir)
	f.serve(set)
	link, err := f.desk.FirstLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	session, err := f.desk.First(t.Context(), link, desk.Person{Login: "first", Password: password})
	if err != nil {
		t.Fatal(err)
	}
	f.admin = f.actor(session)
	f.groups[ownGroup] = f.admin.Group
	if f.groups[otherGroup], err = f.desk.NewGroup(t.Context(), f.admin, otherGroup); err != nil {
		t.Fatal(err)
	}
	for name, group := range f.groups {
		f.populate(name, group)
	}
	f.users[ownGroup][accounts.Student] = f.student()
	return f
}

// open opens the data folder.
func (f *fortress) open(dir string) {
	f.t.Helper()
	folder, err := storagetest.Open(f.t, dir)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { _ = folder.Close() })
	f.folder = folder
}

// execute runs statements on the database of a folder.
func execute(t *testing.T, f *storage.Folder, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		err := f.Write(t.Context(), func(tx *storage.Tx) { tx.Exec(statement) })
		if err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// serve starts the server on its folder.
func (f *fortress) serve(set func(*front.Options, *desk.Options)) {
	f.t.Helper()
	log, network := slog.New(slog.NewTextHandler(&f.log, nil)), ltitest.Network(f.t)
	f.Server = httptest.NewUnstartedServer(nil)
	address := "http://" + f.Listener.Addr().String()
	d := desk.Options{MaxFile: 1 << 20, Passwords: accounts.Cost{Time: 1, Memory: 8}, Hooks: hooks.NewSender(network), Services: lti.NewServices(network), Log: log, Now: func() time.Time { return f.clock }}
	o := front.Options{Log: log, Version: "1", Address: address, MaxFile: d.MaxFile, Ready: f.folder.Ready, LTI: lti.New(address, network), Client: func(r *http.Request) string {
		host, _, _ := net.SplitHostPort(r.RemoteAddr)
		return host
	}}
	if set != nil {
		set(&o, &d)
	}
	var err error
	if f.desk, f.queue, err = desk.New(f.t.Context(), f.folder, work.Program{}, d); err != nil {
		f.t.Fatal(err)
	}
	o.Desk, o.Queue = f.desk, f.queue
	if f.handler, err = front.New(o); err != nil {
		f.t.Fatal(err)
	}
	f.Config.Handler = f.handler
	f.Start()
	f.t.Cleanup(f.Close)
}

// populate adds users of each role, a collection and a text to a group.
func (f *fortress) populate(name, group string) {
	f.t.Helper()
	f.users[name] = map[accounts.Role]string{}
	for _, role := range accounts.Roles() {
		f.users[name][role] = f.user(strings.ToLower(name)+"-"+string(role), role, group)
	}
	a := f.actor(f.users[name][accounts.Librarian])
	var err error
	if f.collection[name], err = f.desk.NewCollection(f.t.Context(), a, "Theses", false); err != nil {
		f.t.Fatal(err)
	}
	f.check[name] = f.submit(a, f.collection[name], "thesis.txt", "the text of a thesis of "+name)
}

// user creates a user and returns a session.
func (f *fortress) user(login string, role accounts.Role, group string) string {
	f.t.Helper()
	_, link, err := f.desk.Invite(f.t.Context(), f.admin, desk.Invitation{Login: login, Role: role, Group: group})
	if err != nil {
		f.t.Fatal(err)
	}
	session, err := f.desk.Accept(f.t.Context(), link, password)
	if err != nil {
		f.t.Fatal(err)
	}
	return session
}

// actor returns the user of a session.
func (f *fortress) actor(session string) accounts.Actor {
	f.t.Helper()
	a, err := f.desk.Actor(f.t.Context(), session)
	if err != nil {
		f.t.Fatal(err)
	}
	return a
}

// submit queues the check of a text and returns its id.
func (f *fortress) submit(a accounts.Actor, collection, name, text string) string {
	f.t.Helper()
	u, err := f.desk.Receive(f.t.Context(), a, accounts.CheckTexts, name, strings.NewReader(text))
	if err != nil {
		f.t.Fatal(err)
	}
	id, err := f.desk.Submit(f.t.Context(), a, desk.Submission{Collection: collection}, "", []*desk.Upload{u})
	if err != nil {
		f.t.Fatal(err)
	}
	checks, _, err := f.desk.Checks(f.t.Context(), a, desk.Filter{Submission: id})
	if err != nil || len(checks) != 1 {
		f.t.Fatalf("checks %v, %v, want one", checks, err)
	}
	return checks[0].ID
}

// student registers a learning platform, and launches a student into a course.
func (f *fortress) student() (session string) {
	f.t.Helper()
	ctx := f.t.Context()
	course, err := f.desk.NewCourse(ctx, f.admin, desk.NewCourse{CourseChange: desk.CourseChange{Name: "Essays", Ends: time.Now().Add(time.Hour)}, Collections: []string{f.collection[ownGroup]}})
	if err != nil {
		f.t.Fatal(err)
	}
	platform, err := f.desk.SavePlatform(ctx, f.admin, "", desk.NewPlatform{Name: "Moodle", Issuer: "https://lms.example.org", Client: "1", AuthURL: "https://lms.example.org/auth", KeysURL: "https://lms.example.org/keys"})
	if err != nil {
		f.t.Fatal(err)
	}
	f.platform = platform
	p, err := f.desk.PlatformOf(ctx, platform)
	if err != nil {
		f.t.Fatal(err)
	}
	_, session, err = f.desk.Launch(ctx, &lti.Launch{Platform: p.Tool(), Subject: "s", Role: accounts.Student, Course: course, Nonce: "n", Expires: time.Now().Add(time.Minute)})
	if err != nil {
		f.t.Fatal(err)
	}
	return session
}

// request returns a request of a session, "" for a stranger. Its body is in, as JSON unless it is a
// reader.
func (f *fortress) request(method, path, session string, in any) *http.Request {
	f.t.Helper()
	body, ok := in.(io.Reader)
	if !ok {
		data, err := json.Marshal(in)
		if err != nil {
			f.t.Fatal(err)
		}
		body = bytes.NewReader(data)
	}
	r, err := http.NewRequestWithContext(f.t.Context(), method, f.URL+path, body)
	if err != nil {
		f.t.Fatal(err)
	}
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if session != "" {
		r.AddCookie(&http.Cookie{Name: api.Cookie, Value: session})
	}
	return r
}

// ask sends a request to the API or for a page, and returns the status and the answer.
func (f *fortress) ask(method, path, session string, in any) (int, string) {
	f.t.Helper()
	return f.send(f.request(method, path, session, in))
}

// send sends a request and returns the status and the answer. It follows no redirects.
func (f *fortress) send(r *http.Request) (int, string) {
	f.t.Helper()
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		f.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

// upload sends a file with fields, as pairs of name and value, to the API.
func (f *fortress) upload(path, session, name, content string, fields ...string) (int, string) {
	f.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for i := 0; i < len(fields); i += 2 {
		if err := form.WriteField(fields[i], fields[i+1]); err != nil {
			f.t.Fatal(err)
		}
	}
	part, err := form.CreateFormFile("file", name)
	if err != nil {
		f.t.Fatal(err)
	}
	_, _ = io.WriteString(part, content) // to a buffer
	if err := form.Close(); err != nil {
		f.t.Fatal(err)
	}
	r := f.request("POST", api.Prefix+path, session, &body)
	r.Header.Set("Content-Type", form.FormDataContentType())
	return f.send(r)
}
