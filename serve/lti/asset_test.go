package lti_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/lti"
	"github.com/otisk/otisk/serve/lti/ltitest"
)

// assignment starts a platform with an assignment to which the tool is attached.
func assignment(t *testing.T) *ltitest.Platform {
	t.Helper()
	p := ltitest.Start(t, base)
	p.Assignment, p.Custom = "a1", map[string]any{"otisk_course": "c", "otisk_language": "cs", "other": 1}
	return p
}

var submission = ltitest.Submission{User: "s1", ID: "attempt-1", Files: map[string]string{"essay.txt": "some words"}}

// TestNotice reads a notice of a submission, and ignores others.
func TestNotice(t *testing.T) {
	t.Parallel()
	p, tool := assignment(t), lti.New(base, ltitest.Network(t, "127.0.0.1"))
	n, err := tool.VerifyNotice(t.Context(), p.Registered(), p.Notice(submission))
	if err != nil {
		t.Fatal(err)
	}
	want := lti.Asset{ID: "essay.txt", URL: p.URL + "/assets/essay.txt", Name: "essay.txt", Size: 10, Sum: sha256.Sum256([]byte("some words"))}
	if n.ID != "notice-attempt-1" || n.Subject != "s1" || n.Course != "c" || n.Language != "cs" || n.Activity != "a1" || n.Submission != "attempt-1" || n.Report != p.URL+"/reports/7" || len(n.Assets) != 1 || n.Assets[0] != want {
		t.Errorf("notice %+v", n)
	}
	if time.Since(n.At) > time.Minute || time.Until(n.Expires) < 50*time.Minute {
		t.Errorf("notice at %v until %v", n.At, n.Expires)
	}
	p.Alter = func(c map[string]any) {
		asset := assetOf(c)
		delete(asset, "filename")
		asset["content_type"] = "text/html; charset=utf-8"
	}
	if n, err = tool.VerifyNotice(t.Context(), p.Registered(), p.Notice(submission)); err != nil || n.Assets[0].Name != "Essay 1.html" {
		t.Errorf("a typed text: %+v, %v", n, err)
	}
	p.Alter = func(c map[string]any) { c[ltitest.Claim+"notice"].(map[string]any)["type"] = "LtiHelloWorldNotice" }
	if n, err = tool.VerifyNotice(t.Context(), p.Registered(), p.Notice(submission)); err != nil || n != nil {
		t.Errorf("another notice: %+v, %v, want none", n, err)
	}
}

func assetOf(claims map[string]any) map[string]any {
	return claims[ltitest.Claim+"assetservice"].(map[string]any)["assets"].([]map[string]any)[0]
}

// TestNoticeFaults: a notice is verified as a launch is, and all its addresses are those of the platform.
func TestNoticeFaults(t *testing.T) {
	t.Parallel()
	own := map[string]func(t *testing.T, p *ltitest.Platform){
		"no user":                  claim(ltitest.Claim+"for_user", nil),
		"no assignment":            claim(ltitest.Claim+"activity", nil),
		"no submission":            claim(ltitest.Claim+"submission", nil),
		"no id":                    claim(ltitest.Claim+"notice", map[string]any{"type": "LtiAssetProcessorSubmissionNotice", "timestamp": "2026-11-26T12:00:00Z"}),
		"a long id":                claim(ltitest.Claim+"submission", map[string]any{"id": strings.Repeat("x", 256)}),
		"no assets":                claim(ltitest.Claim+"assetservice", nil),
		"reports to another site":  claim(ltitest.Claim+"assetreport", map[string]any{"report_url": "https://evil.example/reports"}),
		"an asset elsewhere":       asset("url", "https://other-lms.example/assets/1"),
		"an asset in the network":  asset("url", "http://169.254.169.254/latest"),
		"an asset on another port": asset("url", "http://127.0.0.1:1/assets/1"),
		"an asset of a file":       asset("url", "file:///etc/passwd"),
		"an asset with a password": asset("url", "https://a:b@lms.example/1"),
		"no checksum":              asset("sha256_checksum", ""),
		"another checksum":         asset("sha256_checksum", base64.StdEncoding.EncodeToString([]byte("short"))),
		"no asset id":              asset("asset_id", ""),
	}
	for _, name := range []string{
		"expired", "another audience", "two audiences", "for another client", "another issuer", "another deployment", "no deployment", "another version", "another key", "an unknown key", "no signature",
		"an empty signature", "the public key as a secret", "no token",
	} {
		own[name] = faults[name]
	}
	for name, fault := range own {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := assignment(t)
			fault(t, p)
			if n, err := lti.New(base, ltitest.Network(t, "127.0.0.1")).VerifyNotice(t.Context(), p.Registered(), p.Notice(submission)); !errors.Is(err, lti.ErrLaunch) || n != nil {
				t.Errorf("notice %+v, %v, want ErrLaunch", n, err)
			}
		})
	}
}

// asset returns a fault: an asset with another value.
func asset(name, value string) func(*testing.T, *ltitest.Platform) {
	return func(_ *testing.T, p *ltitest.Platform) {
		p.Alter = func(c map[string]any) { assetOf(c)[name] = value }
	}
}

// TestProcessorLaunches reads the launches of an assignment: deep linking, its settings, and a report.
func TestProcessorLaunches(t *testing.T) {
	t.Parallel()
	p := assignment(t)
	l, err := launch(t, p, "Instructor", lti.SelectPath)
	if err != nil || l.Select == nil || !l.Select.Processor || l.Select.Notices != p.URL+"/notices/7" || l.Select.Title != "Writing: Essay 1" {
		t.Fatalf("deep linking: %+v, %v", l, err)
	}
	p.Message = "LtiAssetProcessorSettingsRequest"
	if l, err := launch(t, p, "Instructor", "/lti/open"); err != nil || l.Course != "c" || l.Role != accounts.Checker {
		t.Errorf("settings: %+v, %v", l, err)
	}
	if l, err := launch(t, p, "Learner", "/lti/open"); !errors.Is(err, lti.ErrNoRole) {
		t.Errorf("settings for a student: %+v, %v, want ErrNoRole", l, err)
	}
	p.Message, p.Asset = "LtiReportReviewRequest", "essay.txt"
	for role, want := range map[string]accounts.Role{"Instructor": accounts.Checker, "Learner": accounts.Student} {
		if l, err := launch(t, p, role, "/lti/open"); err != nil || l.Asset != "essay.txt" || l.Submission != "attempt-1" || l.Role != want {
			t.Errorf("a report for %s: %+v, %v", role, l, err)
		}
	}
	p.Asset = ""
	if l, err := launch(t, p, "Instructor", "/lti/open"); !errors.Is(err, lti.ErrLaunch) {
		t.Errorf("a report on no asset: %+v, %v, want ErrLaunch", l, err)
	}
}

// TestServicesUnknown: an asset processor needs a platform with an access token URL, and its services at
// its own addresses.
func TestServicesUnknown(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]func(p *ltitest.Platform, r *lti.Platform){
		"no access token URL": func(_ *ltitest.Platform, r *lti.Platform) { r.TokenURL = "" },
		"another address":     func(_ *ltitest.Platform, r *lti.Platform) { r.Origins = []string{"https://lms.example.org"} },
		"no service": func(p *ltitest.Platform, _ *lti.Platform) {
			p.Alter = func(c map[string]any) { delete(c, ltitest.Claim+"platformnotificationservice") }
		},
	} {
		p, tool := assignment(t), lti.New(base, ltitest.Network(t, "127.0.0.1"))
		r := p.Registered()
		fault(p, r)
		address, cookie, err := tool.Start(toolKey(), r, p.Initiate(lti.SelectPath))
		if err != nil {
			t.Fatal(err)
		}
		form := p.Authorize(address, "Instructor", lti.SelectPath)
		flow, err := tool.Flow(toolKey(), form.Get("state"), cookie)
		if err != nil {
			t.Fatal(err)
		}
		if l, err := tool.Verify(t.Context(), r, flow, form.Get("id_token")); !errors.Is(err, lti.ErrServices) {
			t.Errorf("%s: %+v, %v, want ErrServices", name, l, err)
		}
	}
}

// TestProcessorItem: the content item has the course as a custom parameter, and a platform verifies it by
// the published key.
func TestProcessorItem(t *testing.T) {
	t.Parallel()
	p := assignment(t)
	token, err := toolKey().Respond(p.Registered(), &lti.Select{Return: p.URL, Deployment: "1"}, []lti.Item{{Title: "Otisk", Address: base + "/lti/open", Course: "c", Language: "cs"}})
	if err != nil {
		t.Fatal(err)
	}
	signed, err := jose.ParseSignedCompact(token, []jose.SignatureAlgorithm{jose.RS256})
	if err != nil {
		t.Fatal(err)
	}
	data, err := signed.Verify(toolKey().Public().Keys[0].Key)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]json.RawMessage
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	want := `[{"custom":{"otisk_course":"c","otisk_language":"cs"},"report":{"url":"` + base + `/lti/open"},"title":"Otisk","type":"ltiAssetProcessor","url":"` + base + `/lti/open"}]`
	if items := string(got[ltitest.Deep+"content_items"]); items != want {
		t.Errorf("items %s, want %s", items, want)
	}
}
