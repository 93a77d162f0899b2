package desk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/lti"
	"github.com/otisk/otisk/serve/lti/ltitest"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/storage/storagetest"
	"github.com/otisk/otisk/serve/work"
)

// A classroom is a term whose texts come from an assignment of a learning platform.
type classroom struct {
	*term
	lms  *ltitest.Platform
	p    *lti.Platform
	tool *lti.Tool
}

// newClassroom returns a classroom whose course checks texts as they arrive.
func newClassroom(t *testing.T) *classroom {
	t.Helper()
	c := &classroom{term: newTerm(t, false), lms: ltitest.Start(t, "https://otisk.example"), tool: lti.New("https://otisk.example", ltitest.Network(t, "127.0.0.1"))}
	c.clock.at = c.clock.at.Add(8 * 24 * time.Hour)
	r := c.lms.Registered()
	id, err := c.d.SavePlatform(t.Context(), c.a, "", NewPlatform{Name: "Canvas", Issuer: r.Issuer, Client: r.Client, AuthURL: r.AuthURL, KeysURL: r.KeysURL, TokenURL: r.TokenURL, Deployments: r.Deployments})
	if err != nil {
		t.Fatal(err)
	}
	registered, err := c.d.PlatformOf(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	c.p = registered.Tool()
	c.lms.Assignment, c.lms.Custom = "a1", map[string]any{"otisk_course": c.id, "otisk_language": "cs"}
	c.trust()
	c.serve(c.d, "127.0.0.1")
	return c
}

// trust gives the platform the key of the server.
func (c *classroom) trust() {
	c.t.Helper()
	key, err := c.d.PlatformKey(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	set, err := json.Marshal(key.Public())
	if err != nil {
		c.t.Fatal(err)
	}
	c.lms.TrustKeys(set)
}

// serve lets a desk call services, of hosts in the network of the server only if they are allowed.
func (c *classroom) serve(d *Desk, allow ...string) {
	c.t.Helper()
	d.opts.Services = lti.NewServices(ltitest.Network(c.t, allow...))
}

// submit sends the notice of a submission, and returns the error of the server.
func (c *classroom) submit(user, id string, files map[string]string) error {
	c.t.Helper()
	n, err := c.tool.VerifyNotice(c.t.Context(), c.p, c.lms.Notice(ltitest.Submission{User: user, ID: id, Files: files}))
	if err != nil {
		return err
	}
	return c.d.StoreNotice(c.t.Context(), c.p, n)
}

// submitted is submit without an error.
func (c *classroom) submitted(user, id string, files map[string]string) {
	c.t.Helper()
	if err := c.submit(user, id, files); err != nil {
		c.t.Fatal(err)
	}
}

// later makes failed requests due again.
func (c *classroom) later() {
	c.t.Helper()
	if err := c.f.Write(c.t.Context(), execute(`UPDATE assets SET ready = 0, sent_ready = 0`)); err != nil {
		c.t.Fatal(err)
	}
}

// work fetches and reports whatever is due.
func (c *classroom) work() {
	c.t.Helper()
	for _, do := range []func(context.Context) (int, error){c.d.fetchDue, c.d.reportDue} {
		for n := 1; n > 0; {
			var err error
			if n, err = do(c.t.Context()); err != nil {
				c.t.Fatal(err)
			}
		}
	}
}

// last returns the last report on an asset.
func (c *classroom) last(asset string) lti.Report {
	c.t.Helper()
	all := c.lms.Reports(asset)
	if len(all) == 0 {
		c.t.Fatalf("no report on %s", asset)
	}
	return all[len(all)-1]
}

// progress returns the states in the reports on an asset.
func (c *classroom) progress(asset string) (list []string) {
	for _, r := range c.lms.Reports(asset) {
		list = append(list, strings.TrimSpace(r.Progress+" "+strings.ReplaceAll(r.Result, "\u00a0", " ")+r.Code))
	}
	return list
}

// assets returns the number of rows.
func (c *classroom) assets() (n int) {
	c.t.Helper()
	if err := c.f.Read.QueryRowContext(c.t.Context(), `SELECT count(*) FROM assets`).Scan(&n); err != nil {
		c.t.Fatal(err)
	}
	return n
}

// TestAssets goes from a notice to the report, which changes with decisions and notices to the student,
// and ends with the deletion of the check.
func TestAssets(t *testing.T) {
	t.Parallel()
	c := newClassroom(t)
	c.scores["essay.txt"] = 12.5
	c.submitted("s1", "attempt-1", map[string]string{"essay.txt": "some words"})
	c.submitted("s1", "attempt-1", map[string]string{"essay.txt": "some words"}) // the same notice again
	if _, err := c.d.reportDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.work()
	if _, texts := c.state(); len(texts) != 1 || !strings.HasPrefix(texts["essay.txt"].By, "s1@") {
		t.Fatalf("texts %+v, want one of the student", texts)
	}
	c.wants("after the notice", c.execute(), "essay.txt")
	c.work()
	if got := c.progress("essay.txt"); !slices.Equal(got, []string{"Processing", "Processed 12,5 %"}) {
		t.Errorf("reports %q", got)
	}
	r := c.last("essay.txt")
	if r.Priority != 0 || r.Color != colorFound || !strings.Contains(r.Comment, "citace") || r.Visible {
		t.Errorf("report %+v, want one that does not accuse, in Czech", r)
	}
	_, texts := c.state()
	id := texts["essay.txt"].ID
	if err := c.decide(id); err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.d.Notify(t.Context(), c.a, id, Notice{For: "Jana", Days: 7, Text: "Please comment", Own: true, Score: true}); err != nil {
		t.Fatal(err)
	}
	c.work()
	if r := c.last("essay.txt"); r.Progress != "Processed" || !r.Visible || r.Result != "0,0\u00a0%" {
		t.Errorf("after a decision and a notice: %+v, want another score that the student sees", r)
	}
	before := len(c.lms.Reports("essay.txt"))
	c.work()
	if after := len(c.lms.Reports("essay.txt")); after != before {
		t.Errorf("%d reports without a change", after-before)
	}
	if _, err := c.d.DeleteCheck(t.Context(), c.a, id); err != nil {
		t.Fatal(err)
	}
	c.work()
	if r := c.last("essay.txt"); r.Progress != "NotProcessed" || r.Result != "" || c.assets() != 0 {
		t.Errorf("after the deletion: %+v, %d rows", r, c.assets())
	}
}

// TestAssetFaults: a request that fails once is repeated, at each step, and a text is neither lost nor
// doubled.
func TestAssetFaults(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"token", "assets", "reports"} {
		for _, status := range []int{0, http.StatusUnauthorized, http.StatusServiceUnavailable} {
			t.Run(kind+" "+http.StatusText(status), func(t *testing.T) {
				t.Parallel()
				c := newClassroom(t)
				c.submitted("s1", "attempt-1", map[string]string{"a.txt": "one", "b.txt": "two"})
				c.lms.FailNext(kind, status)
				for range 3 {
					c.work()
					c.execute()
					c.later()
				}
				if _, texts := c.state(); len(texts) != 2 || texts["a.txt"].State != work.Done || texts["b.txt"].State != work.Done {
					t.Errorf("texts %+v, want both once", texts)
				}
				for _, asset := range []string{"a.txt", "b.txt"} {
					if r := c.last(asset); r.Progress != "Processed" {
						t.Errorf("the last report on %s: %+v", asset, r)
					}
				}
			})
		}
	}
}

// TestAssetToken: an access token is used for many requests, and another one is asked for when the
// platform no longer accepts it.
func TestAssetToken(t *testing.T) {
	t.Parallel()
	c := newClassroom(t)
	c.submitted("s1", "attempt-1", map[string]string{"a.txt": "one", "b.txt": "two", "c.txt": "three"})
	if _, err := c.d.fetchDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	first := c.lms.Requests("token")
	if first > fetchers {
		t.Errorf("%d access tokens for 3 assets", first)
	}
	c.lms.Revoke()
	c.submitted("s2", "attempt-2", map[string]string{"d.txt": "four"})
	if _, err := c.d.fetchDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := c.lms.Requests("token"); n != first+1 {
		t.Errorf("%d further access tokens, want 1", n-first)
	}
	if _, texts := c.state(); len(texts) != 4 {
		t.Errorf("%d texts, want 4", len(texts))
	}
}

// TestAssetRestart: a server that was killed after a notice fetches its assets after the next start.
func TestAssetRestart(t *testing.T) {
	t.Parallel()
	c := newClassroom(t)
	c.submitted("s1", "attempt-1", map[string]string{"a.txt": "one"})
	if err := c.f.Close(); err != nil {
		t.Fatal(err)
	}
	dir := c.f.Path()
	c.d, c.f = open(t, dir)
	c.d.opts.Now = func() time.Time { return c.clock.at }
	c.serve(c.d, "127.0.0.1")
	c.work()
	c.execute()
	c.work()
	if got := c.progress("a.txt"); !slices.Equal(got, []string{"Processing", "Processed 0,0 %"}) {
		t.Errorf("reports %q", got)
	}
}

// TestAssetKilled: a server that is killed during any of its requests to the platform fetches and reports what was
// due after the next start. The course has each text once.
func TestAssetKilled(t *testing.T) {
	t.Parallel()
	if os.Getenv(storagetest.Variable) != "" || os.Getenv(storagetest.BucketVariable) != "" {
		t.Skip("copies the folder as it is at the kill, and the data are elsewhere")
	}
	c := newClassroom(t)
	type kill struct{ during, dir string }
	var kills []kill
	c.lms.During = func(kind string) {
		dir := filepath.Join(t.TempDir(), "data")
		if err := os.CopyFS(dir, os.DirFS(c.f.Path())); err != nil {
			t.Error(err)
		}
		kills = append(kills, kill{fmt.Sprintf("request %d, for %s", len(kills)+1, kind), dir})
	}
	c.submitted("s1", "attempt-1", map[string]string{"a.txt": "one", "b.txt": "two"})
	finish := func(c *classroom) {
		c.later()
		c.work()
		c.execute()
		c.work()
	}
	finish(c)
	c.lms.During = nil
	if len(kills) < 7 { // a token, two assets, and two reports on each
		t.Fatalf("%d requests, want at least 7", len(kills))
	}
	for _, k := range kills {
		again := *c
		term := *c.term
		again.term = &term
		again.d, again.f = open(t, k.dir)
		again.d.opts.Now = func() time.Time { return c.clock.at }
		again.serve(again.d, "127.0.0.1")
		before := len(c.lms.Reports("a.txt")) + len(c.lms.Reports("b.txt"))
		finish(&again)
		if _, texts := again.state(); len(texts) != 2 || again.assets() != 2 {
			t.Errorf("killed during %s: texts %+v and %d assets, want 2", k.during, texts, again.assets())
		}
		if len(c.lms.Reports("a.txt"))+len(c.lms.Reports("b.txt")) == before {
			t.Errorf("killed during %s: no report was sent afterwards", k.during)
		}
		for _, asset := range []string{"a.txt", "b.txt"} {
			if r := c.last(asset); r.Progress != "Processed" {
				t.Errorf("killed during %s: the last report on %s is %+v", k.during, asset, r)
			}
		}
	}
}

// TestAssetRefused: an asset that is too large, has other content, or is in the network of the server is
// rejected, and the platform gets the reason.
func TestAssetRefused(t *testing.T) {
	t.Parallel()
	c := newClassroom(t)
	c.submitted("s1", "large", map[string]string{"large.txt": strings.Repeat("x", 1<<20+1)})
	c.lms.Alter = func(claims map[string]any) {
		for _, asset := range claims[ltitest.Claim+"assetservice"].(map[string]any)["assets"].([]map[string]any) {
			delete(asset, "size")
		}
	}
	c.submitted("s1", "larger", map[string]string{"larger.txt": strings.Repeat("x", 1<<20+1)})
	c.lms.Alter = nil
	n := c.lms.Notice(ltitest.Submission{User: "s2", ID: "other", Files: map[string]string{"other.txt": "one"}})
	c.lms.Notice(ltitest.Submission{User: "s2", ID: "ignored", Files: map[string]string{"other.txt": "two"}}) // the content changes
	notice, err := c.tool.VerifyNotice(t.Context(), c.p, n)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.d.StoreNotice(t.Context(), c.p, notice); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		c.work()
		c.later()
	}
	for asset, want := range map[string]string{"large.txt": codeTooLarge, "larger.txt": codeTooLarge, "other.txt": codeDownload} {
		if r := c.last(asset); r.Progress != "Failed" || r.Code != want || r.Comment == "" || r.Result != "" {
			t.Errorf("report on %s: %+v, want %s", asset, r, want)
		}
	}
	if n := c.lms.Requests("assets"); n != 10 { // one for larger.txt, nine for other.txt
		t.Errorf("%d requests for assets, want 10", n)
	}
	if _, texts := c.state(); len(texts) != 0 {
		t.Errorf("texts %+v", texts)
	}
	c.submitted("s2", "again", map[string]string{"other.txt": "two"}) // as a teacher demands
	c.work()
	if _, texts := c.state(); len(texts) != 1 {
		t.Errorf("%d texts after the notice was sent again, want 1", len(texts))
	}
}

// TestAssetNetwork: neither an asset nor the redirect to one leads into the network of the server, and
// another host does not get the access token.
func TestAssetNetwork(t *testing.T) {
	t.Parallel()
	c := newClassroom(t)
	asked := make(chan string, 10)
	store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Header.Get("Authorization")
		_, _ = w.Write([]byte("one"))
	}))
	defer store.Close()
	fetch := func(id string, allow ...string) int {
		c.serve(c.d, allow...)
		c.submitted("s1", id, map[string]string{id: "one"})
		if _, err := c.d.fetchDue(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, texts := c.state()
		return len(texts)
	}
	lms := strings.TrimPrefix(c.lms.URL, "http://")
	if n := fetch("a.txt"); n != 0 || c.lms.Requests("token") != 0 {
		t.Errorf("a platform in the network of the server: %d texts, %d tokens, want none", n, c.lms.Requests("token"))
	}
	c.lms.StoreAt(store.URL)
	if n := fetch("b.txt", lms); n != 0 || len(asked) != 0 {
		t.Errorf("a redirect into the network of the server: %d texts, %d requests, want none", n, len(asked))
	}
	c.later()
	if n := fetch("c.txt", "127.0.0.1"); n != 3 {
		t.Errorf("a redirect to an allowed store: %d texts, want 3", n)
	}
	for len(asked) > 0 {
		if token := <-asked; token != "" {
			t.Errorf("the store got the access token %q", token)
		}
	}
}

// TestResubmission: a later submission of a student replaces his earlier one, whose report stays; those of
// other students and assignments stay, too.
func TestResubmission(t *testing.T) {
	t.Parallel()
	c := newClassroom(t)
	c.submitted("s1", "first", map[string]string{"a1.txt": "one", "b1.txt": "more"})
	c.submitted("s2", "other", map[string]string{"c.txt": "two"})
	c.lms.Assignment = "a2"
	c.submitted("s1", "elsewhere", map[string]string{"d.txt": "three"})
	c.lms.Assignment = "a1"
	c.work()
	c.execute()
	c.submitted("s1", "second", map[string]string{"a2.txt": "four"})
	c.work()
	c.execute()
	c.work()
	_, texts := c.state()
	for path, want := range map[string]bool{"a1.txt": false, "b1.txt": false, "c.txt": true, "d.txt": true, "a2.txt": true} {
		if texts[path].Counts != want || texts[path].State != work.Done {
			t.Errorf("%s: counts %v, %s; want %v, done", path, texts[path].Counts, texts[path].State, want)
		}
	}
	if r := c.last("a1.txt"); r.Progress != "Processed" {
		t.Errorf("the report on the earlier submission: %+v", r)
	}
}

// TestNoticeRefused: a notice for a course of another group, or for none, is refused and leaves nothing.
func TestNoticeRefused(t *testing.T) {
	t.Parallel()
	c := newClassroom(t)
	group, err := c.d.NewGroup(t.Context(), c.a, "Other")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.f.Write(t.Context(), execute(`UPDATE courses SET group_id = ?`, group)); err != nil {
		t.Fatal(err)
	}
	if err := c.submit("s1", "x", map[string]string{"a.txt": "one"}); !errors.Is(err, ErrNotFound) {
		t.Errorf("a course of another group: %v, want ErrNotFound", err)
	}
	c.lms.Custom = nil
	if err := c.submit("s1", "y", map[string]string{"a.txt": "one"}); !errors.Is(err, ErrNotFound) {
		t.Errorf("no course: %v, want ErrNotFound", err)
	}
	var users int
	err = c.f.Read.QueryRowContext(t.Context(), `SELECT count(*) FROM users WHERE role = ?`, string(accounts.Student)).Scan(&users)
	if err != nil || users != 0 || c.assets() != 0 {
		t.Errorf("%d users and %d assets, %v, want none", users, c.assets(), err)
	}
}

// TestAssetCourseDeleted: after the deletion of a course, the platform gets a report on each asset, also
// on those that were not fetched.
func TestAssetCourseDeleted(t *testing.T) {
	t.Parallel()
	c := newClassroom(t)
	c.submitted("s1", "first", map[string]string{"a.txt": "one"})
	c.work()
	c.execute()
	c.submitted("s2", "second", map[string]string{"b.txt": "two"})
	if _, err := c.d.DeleteCourse(t.Context(), c.a, c.id); err != nil {
		t.Fatal(err)
	}
	c.work()
	for _, asset := range []string{"a.txt", "b.txt"} {
		if r := c.last(asset); r.Progress != "NotProcessed" {
			t.Errorf("report on %s: %+v", asset, r)
		}
	}
	if n := c.assets(); n != 0 || c.lms.Requests("assets") != 1 {
		t.Errorf("%d rows and %d requests for assets, want 0 and 1", n, c.lms.Requests("assets"))
	}
}

// TestCodeOf: the platform learns why a text cannot be checked.
func TestCodeOf(t *testing.T) {
	t.Parallel()
	c := newClassroom(t)
	c.submitted("s1", "first", map[string]string{"a.pdf": "one"})
	c.work()
	for want, message := range map[string]string{
		codeTooLarge: `{"name":"said.too-large"}`, codeTooSmall: `{"name":"chain","args":{"parts":[{"name":"said.too-short"}]}}`, codeUnsupported: `{"name":"said.not-text"}`, codeUnreadable: `{"name":"said.no-text-layer"}`,
	} {
		err := c.f.Write(t.Context(), func(tx *storage.Tx) {
			tx.Exec(`UPDATE checks SET state = 'failed', reason = ?, message = ?`, want, message)
		})
		if err != nil {
			t.Fatal(err)
		}
		c.work()
		if r := c.last("a.pdf"); r.Progress != "Failed" || r.Code != want || r.Comment == "" {
			t.Errorf("%s: %+v, want %s", message, r, want)
		}
	}
}

// TestAssetQuota: a file of a learning platform that exceeds the quota is not kept. It is fetched again
// later, when somebody may have made room.
func TestAssetQuota(t *testing.T) {
	t.Parallel()
	c := newClassroom(t)
	c.d.opts.GroupQuota = 20
	c.submitted("s1", "1", map[string]string{"a.txt": "some words"})
	c.work()
	c.submitted("s2", "2", map[string]string{"b.txt": strings.Repeat("more words ", 2)})
	c.work()
	texts := func() (n int) {
		_, all, err := c.d.Course(t.Context(), c.a, c.id)
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	if got, files := texts(), len(storagetest.Names(t, c.f, storage.Files)); got != 1 || files != 1 {
		t.Errorf("%d texts and %d files, want those within the quota, one each", got, files)
	}
	c.d.opts.GroupQuota = 1000
	c.later()
	c.work()
	if got := texts(); got != 2 {
		t.Errorf("%d texts when there is room, want 2", got)
	}
}
