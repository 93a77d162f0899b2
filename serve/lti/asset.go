package lti

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"github.com/otisk/otisk/lang/phrase"
)

// ErrServices is the error for a platform whose services cannot be used as an administrator has
// registered it.
var ErrServices error = phrase.Error("lti.services", "the learning platform cannot send submissions yet: an administrator must enter its access token URL and the addresses of its services on the page Learning platforms")

// NoticePath is the path of the notice handlers. The id of the platform follows.
const NoticePath = "/lti/notices/"

const (
	reviewMessage    = "LtiReportReviewRequest"
	settingsMessage  = "LtiAssetProcessorSettingsRequest"
	processorType    = "ltiAssetProcessor"
	submissionNotice = "LtiAssetProcessorSubmissionNotice"
)

const (
	mostAssets  = 200
	mostID      = 255  // bytes of an identifier
	mostAddress = 2000 // bytes
)

// custom are the custom parameters of our content items, which the platform adds to its messages about
// them.
type custom struct {
	Course   string `json:"otisk_course,omitempty"`
	Language string `json:"otisk_language,omitempty"`
}

// UnmarshalJSON ignores values that are not objects: some platforms send an empty list for no parameters.
func (c *custom) UnmarshalJSON(data []byte) error {
	type plain custom
	if data[0] != '{' {
		return nil
	}
	return json.Unmarshal(data, (*plain)(c))
}

type activity struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// A Notice is a verified notice of a platform: a user has submitted assets to an assignment.
type Notice struct {
	ID         string
	At         time.Time // when the user submitted
	Expires    time.Time // after which the notice is refused; before, it must not count twice
	Course     string    // as [Item.Course]
	Language   string    // as [Item.Language]
	Subject    string    // id of the user at the platform
	Name       string    // of the user, "" if the platform does not send it
	Activity   string    // id of the assignment
	Submission string    // id; a later submission to the same assignment has another
	Report     string    // address of the report service
	Assets     []Asset
}

// An Asset is a submitted file or text.
type Asset struct {
	ID   string
	URL  string
	Name string            // of the file, or the title of a text, with the extension of its type
	Size int64             // bytes, 0 if the platform does not send it
	Sum  [sha256.Size]byte // SHA-256 of its content
}

type noticeClaims struct {
	Party      string `json:"azp"`
	Version    string `json:"https://purl.imsglobal.org/spec/lti/claim/version"`
	Deployment string `json:"https://purl.imsglobal.org/spec/lti/claim/deployment_id"`
	Notice     struct {
		ID   string    `json:"id"`
		Type string    `json:"type"`
		At   time.Time `json:"timestamp"`
	} `json:"https://purl.imsglobal.org/spec/lti/claim/notice"`
	Custom custom `json:"https://purl.imsglobal.org/spec/lti/claim/custom"`
	User   struct {
		ID     string `json:"user_id"`
		Name   string `json:"name"`
		Given  string `json:"given_name"`
		Family string `json:"family_name"`
	} `json:"https://purl.imsglobal.org/spec/lti/claim/for_user"`
	Activity   activity `json:"https://purl.imsglobal.org/spec/lti/claim/activity"`
	Submission struct {
		ID string `json:"id"`
	} `json:"https://purl.imsglobal.org/spec/lti/claim/submission"`
	Report struct {
		URL string `json:"report_url"`
	} `json:"https://purl.imsglobal.org/spec/lti/claim/assetreport"`
	Service struct {
		Assets []assetClaim `json:"assets"`
	} `json:"https://purl.imsglobal.org/spec/lti/claim/assetservice"`
}

type assetClaim struct {
	ID    string `json:"asset_id"`
	URL   string `json:"url"`
	Sum   string `json:"sha256_checksum"` // base64
	Size  int64  `json:"size"`
	Type  string `json:"content_type"`
	Title string `json:"title"`
	File  string `json:"filename"`
}

// VerifyNotice returns the notice of a token that a platform has sent: signature, issuer, audience,
// expiry and deployment must be right, and the addresses those of the platform. It returns nil for a
// notice of another type, and errors that wrap [ErrLaunch]. The caller must ignore an id that it has seen.
func (t *Tool) VerifyNotice(ctx context.Context, p *Platform, raw string) (*Notice, error) {
	token, err := t.verify(ctx, p, raw)
	if err != nil {
		return nil, err
	}
	var c noticeClaims
	if err := token.Claims(&c); err != nil {
		return nil, errors.Join(ErrLaunch, err)
	}
	if err := c.check(p, token); err != nil {
		return nil, errors.Join(ErrLaunch, err)
	}
	if c.Notice.Type != submissionNotice {
		return nil, nil
	}
	n, err := c.notice(p)
	if err != nil {
		return nil, errors.Join(ErrLaunch, err)
	}
	n.Expires = token.Expiry
	return n, nil
}

func (c *noticeClaims) check(p *Platform, token *oidc.IDToken) error {
	switch {
	case otherParty(p, token, c.Party):
		return errors.New("the notice is for another client")
	case c.Version != "1.3.0":
		return fmt.Errorf("the notice has LTI version %q", c.Version)
	case !slices.Contains(p.Deployments, c.Deployment):
		return fmt.Errorf("deployment %q is not registered", c.Deployment)
	case !isID(c.Notice.ID):
		return errors.New("the notice has no id")
	}
	return nil
}

// isID reports whether a text may be an identifier of the platform.
func isID(s string) bool { return s != "" && len(s) <= mostID }

func (c *noticeClaims) notice(p *Platform) (*Notice, error) {
	n := &Notice{
		ID: c.Notice.ID, At: c.Notice.At, Course: c.Custom.Course, Language: c.Custom.Language, Subject: c.User.ID, Name: fullName(c.User.Name, c.User.Given, c.User.Family),
		Activity: c.Activity.ID, Submission: c.Submission.ID, Report: c.Report.URL,
	}
	switch {
	case !isID(n.Subject), !isID(n.Activity), !isID(n.Submission):
		return nil, errors.New("the notice names no user, activity or submission")
	case !p.serves(n.Report):
		return nil, fmt.Errorf("the report service %q is not an address of the platform", n.Report)
	case len(c.Service.Assets) == 0 || len(c.Service.Assets) > mostAssets:
		return nil, fmt.Errorf("the notice has %d assets", len(c.Service.Assets))
	}
	for _, claim := range c.Service.Assets {
		a, err := claim.asset(p)
		if err != nil {
			return nil, err
		}
		n.Assets = append(n.Assets, a)
	}
	return n, nil
}

// extensions are the extensions of assets without a file name: the types of texts that users type on a
// page of the platform.
var extensions = map[string]string{"text/html": ".html", "text/plain": ".txt"}

func (c *assetClaim) asset(p *Platform) (a Asset, err error) {
	if !isID(c.ID) || !p.serves(c.URL) {
		return a, fmt.Errorf("asset %q at %q is not of the platform", c.ID, c.URL)
	}
	sum, err := base64.StdEncoding.DecodeString(c.Sum)
	if err != nil || len(sum) != sha256.Size {
		return a, fmt.Errorf("asset %q has the checksum %q, want SHA-256 in base64", c.ID, c.Sum)
	}
	a = Asset{ID: c.ID, URL: c.URL, Name: c.File, Size: c.Size, Sum: [sha256.Size]byte(sum)}
	if a.Name == "" {
		kind, _, _ := strings.Cut(c.Type, ";")
		a.Name = cmp.Or(c.Title, "text") + extensions[strings.ToLower(strings.TrimSpace(kind))]
	}
	return a, nil
}

// serves reports whether the services of a platform may be at an address: one of its origins, with TLS.
func (p *Platform) serves(address string) bool {
	u, err := url.Parse(address)
	return err == nil && len(address) <= mostAddress && Secure(address) && slices.Contains(p.Origins, u.Scheme+"://"+u.Host)
}

// checkProcessor returns [ErrServices] unless the platform can notify this server of submissions.
func (p *Platform) checkProcessor(notices string) error {
	switch {
	case p.TokenURL == "":
		return fmt.Errorf("%w: no access token URL", ErrServices)
	case !p.serves(notices):
		return fmt.Errorf("%w: the notification service %q has another address", ErrServices, notices)
	}
	return nil
}
