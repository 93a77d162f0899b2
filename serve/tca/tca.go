// Package tca is the protocol by which journal systems and learning platforms send texts to a similarity
// service: the Turnitin Core API, as far as its open clients use it. It has no database and no handlers.
package tca

import (
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/otisk/otisk/search/exclude"
)

// Prefix is the path of the protocol. Clients get the address of the server with Root, to which they
// add the rest.
const (
	Root   = "/tca"
	Prefix = Root + "/api/v1"
)

// A Code is why a text cannot be checked.
type Code string

// Codes that clients know.
const (
	Unsupported Code = "UNSUPPORTED_FILETYPE"
	TooLittle   Code = "TOO_LITTLE_TEXT"
	TooMuch     Code = "TOO_MUCH_TEXT"
	NoText      Code = "CANNOT_EXTRACT_TEXT"
	Locked      Code = "FILE_LOCKED"
	Corrupt     Code = "CORRUPT_FILE"
	Processing  Code = "PROCESSING_ERROR"
)

// Explain returns the meaning of a code.
func (c Code) Explain() string {
	return map[Code]string{
		Unsupported: "the format of the file is not supported", TooLittle: "the text is too short", TooMuch: "the file has too much text", NoText: "the file has no text",
		Locked: "the file is encrypted with a password", Corrupt: "the file is damaged", Processing: "the text could not be checked",
	}[c]
}

// States of a text and of its report.
const (
	StateCreated    = "CREATED"
	StateProcessing = "PROCESSING"
	StateComplete   = "COMPLETE"
	StateError      = "ERROR"
)

// Events of webhooks.
const (
	SubmissionComplete = "SUBMISSION_COMPLETE" // a text was read, or failed
	SimilarityComplete = "SIMILARITY_COMPLETE" // the report is ready
	SimilarityUpdated  = "SIMILARITY_UPDATED"  // a decision has changed the score
)

// unsent are events that clients may choose and that this server does not send.
var unsent = []string{"PDF_STATUS", "GROUP_ATTACHMENT_COMPLETE"}

// Events returns the events of a webhook that this server sends, or an error for an unknown one.
func Events(chosen []string) (events []string, err error) {
	for _, e := range chosen {
		switch {
		case slices.Contains(unsent, e), slices.Contains(events, e):
		case e == SubmissionComplete, e == SimilarityComplete, e == SimilarityUpdated:
			events = append(events, e)
		default:
			return nil, fmt.Errorf("unknown event type %q", e)
		}
	}
	if len(events) == 0 {
		return nil, errors.New("event_types has no event that this server sends")
	}
	return events, nil
}

// A Text is an id or a name. Clients also send numbers.
type Text string

// UnmarshalJSON implements [json.Unmarshaler].
func (t *Text) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err == nil {
		*t = Text(text)
		return nil
	}
	var number json.Number
	if err := json.Unmarshal(data, &number); err != nil {
		return errors.New("want a text or a number")
	}
	*t = Text(number.String())
	return nil
}

// A Person is an owner or submitter of a text.
type Person struct {
	ID     Text   `json:"id,omitempty"`
	Given  string `json:"given_name,omitempty"`
	Family string `json:"family_name,omitempty"`
	Email  string `json:"email,omitempty"`
}

// Name returns the name of the person, "" if it is unknown.
func (p *Person) Name() string { return strings.TrimSpace(p.Given + " " + p.Family) }

// A Group is an assignment or a course.
type Group struct {
	ID   Text   `json:"id,omitempty"`
	Name string `json:"name,omitempty"`
	Type string `json:"type,omitempty"`
}

// A NewSubmission is a text to create.
type NewSubmission struct {
	Owner       Text   `json:"owner"`
	Submitter   Text   `json:"submitter,omitempty"`
	Title       string `json:"title"`
	OwnerRole   string `json:"owner_default_permission_set,omitempty"`
	SubmitRole  string `json:"submitter_default_permission_set,omitempty"`
	ExtractOnly bool   `json:"extract_text_only,omitempty"`
	Terms       *Terms `json:"eula,omitempty"`
	Metadata    struct {
		Owners    []Person `json:"owners,omitempty"`
		Submitter *Person  `json:"submitter,omitempty"`
		Group     *Group   `json:"group,omitempty"`
		Context   *Group   `json:"group_context,omitempty"`
	} `json:"metadata,omitzero"`
}

// mostText is the limit of an id or a title, in bytes.
const mostText = 1000

// Check returns an error for a text that cannot be created.
func (n *NewSubmission) Check() error {
	n.Submitter = cmp.Or(n.Submitter, n.Owner)
	for name, value := range map[string]string{"owner": string(n.Owner), "submitter": string(n.Submitter), "title": n.Title} {
		if value == "" || len(value) > mostText {
			return fmt.Errorf("%s has 1 to %d bytes", name, mostText)
		}
	}
	return nil
}

// OwnerName returns the name and the address of the owner, "" if the client does not send them.
func (n *NewSubmission) OwnerName() (name, email string) {
	for _, p := range n.Metadata.Owners {
		if p.ID == n.Owner {
			return p.Name(), p.Email
		}
	}
	return "", ""
}

// Label returns the course and the assignment of a text, to group checks by.
func (n *NewSubmission) Label() string {
	var parts []string
	for _, g := range []*Group{n.Metadata.Context, n.Metadata.Group} {
		if g != nil && g.Name != "" {
			parts = append(parts, g.Name)
		}
	}
	return strings.Join(parts, " / ")
}

// IDs returns the ids of the assignment and of its course, "" for none.
func (n *NewSubmission) IDs() (group, context string) {
	if g := n.Metadata.Group; g != nil {
		group = string(g.ID)
	}
	if g := n.Metadata.Context; g != nil {
		context = string(g.ID)
	}
	return group, context
}

// A Submission describes a text.
type Submission struct {
	ID         string    `json:"id"`
	Owner      string    `json:"owner"`
	Submitter  string    `json:"submitter,omitempty"`
	Title      string    `json:"title"`
	Status     string    `json:"status" enum:"CREATED,PROCESSING,COMPLETE,ERROR"`
	Fault      Code      `json:"error_code,omitempty"`
	Message    string    `json:"message,omitempty"` // of the fault
	Words      int       `json:"word_count"`
	Characters int       `json:"character_count"`
	Created    time.Time `json:"created_time"`
}

// Settings are the settings of a report that a client sends.
type Settings struct {
	Indexing struct {
		Add bool `json:"add_to_index"`
	} `json:"indexing_settings,omitzero"`
	Generation map[string]json.RawMessage `json:"generation_settings,omitempty"`
	View       map[string]json.RawMessage `json:"view_settings,omitempty"`
}

// Scopes of texts of the same owner that are not sources.
const (
	ScopeAll     = "ALL"
	ScopeGroup   = "GROUP"
	ScopeContext = "GROUP_CONTEXT"
	ScopeNone    = "NONE"
)

// A Request is the settings of a report in terms of this program.
type Request struct {
	Exclude    []string `json:"exclude,omitempty"`     // kinds of stretches
	MinPassage int      `json:"min_passage,omitempty"` // words
	Scope      string   `json:"scope,omitempty"`
	Ignored    []string `json:"ignored,omitempty"` // settings without a meaning here
}

// kinds are the settings that leave stretches out of the score.
var kinds = map[string]string{"exclude_quotes": exclude.Quotation, "exclude_bibliography": exclude.Bibliography, "exclude_abstract": exclude.Abstract}

// Request returns the meaning of the settings. A setting that is false, 0 or empty has no effect.
func (s *Settings) Request() (*Request, error) {
	r := &Request{Scope: ScopeNone}
	for _, name := range slices.Sorted(maps.Keys(s.View)) {
		value := string(s.View[name])
		switch {
		case value == "false" || value == "null" || value == "0" || value == "[]":
		case kinds[name] != "" && value == "true":
			r.Exclude = append(r.Exclude, kinds[name])
		case kinds[name] != "":
			return nil, fmt.Errorf("%s is not true or false", name)
		case name == "exclude_small_matches":
			if err := json.Unmarshal(s.View[name], &r.MinPassage); err != nil || r.MinPassage < 0 {
				return nil, fmt.Errorf("%s is not a number of words", name)
			}
		default:
			r.Ignored = append(r.Ignored, "view_settings."+name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Generation)) {
		if name != "auto_exclude_self_matching_scope" {
			r.Ignored = append(r.Ignored, "generation_settings."+name)
			continue
		}
		if err := json.Unmarshal(s.Generation[name], &r.Scope); err != nil || !slices.Contains([]string{ScopeAll, ScopeGroup, ScopeContext, ScopeNone}, r.Scope) {
			return nil, fmt.Errorf("%s is not ALL, GROUP, GROUP_CONTEXT or NONE", name)
		}
	}
	return r, nil
}

// Scheduled is the answer to the request for a report.
type Scheduled struct {
	Message string   `json:"message"`
	Ignored []string `json:"ignored_settings,omitempty" doc:"settings without a meaning here"`
}

// A Similarity is the state of a report.
type Similarity struct {
	ID        string     `json:"submission_id"`
	Status    string     `json:"status" enum:"PROCESSING,COMPLETE,ERROR"`
	Percent   *int       `json:"overall_match_percentage,omitempty"`
	Partial   bool       `json:"partial,omitempty" doc:"part of the collections was not searched: the percentage may be too low"`
	Message   string     `json:"message,omitempty"`
	Requested time.Time  `json:"time_requested"`
	Generated *time.Time `json:"time_generated,omitempty"`
}

// A View is who opens a report.
type View struct {
	User   Text   `json:"viewer_user_id"`
	Role   string `json:"viewer_default_permission_set"`
	Locale string `json:"locale,omitempty"`
	Given  string `json:"given_name,omitempty"`
	Family string `json:"family_name,omitempty"`
}

// Instructs reports whether a role may read the texts of others.
func Instructs(role string) bool {
	return slices.Contains([]string{"ADMINISTRATOR", "EDITOR", "INSTRUCTOR"}, role)
}

// Terms is an acceptance of the terms of use.
type Terms struct {
	User     Text   `json:"user_id,omitempty"`
	Version  string `json:"version,omitempty"`
	Language string `json:"language,omitempty"`
	At       string `json:"accepted_timestamp,omitempty"`
}

// NoTerms is the version of the terms of an integration that has none. A client accepts it without asking.
const NoTerms = "v1beta"

// Version returns the version of a text with terms of use.
func Version(terms string) string {
	if terms == "" {
		return NoTerms
	}
	sum := sha256.Sum256([]byte(terms))
	return "v" + hex.EncodeToString(sum[:6])
}

// A Webhook is an address to which events are sent.
type Webhook struct {
	ID          string    `json:"id"`
	URL         string    `json:"url"`
	Description string    `json:"description"`
	Events      []string  `json:"event_types"`
	Insecure    bool      `json:"allow_insecure"`
	Created     time.Time `json:"created_time"`
}

// A NewWebhook is a webhook to create.
type NewWebhook struct {
	URL         string   `json:"url"`
	Secret      string   `json:"signing_secret" doc:"key of the signatures, in Base64"`
	Description string   `json:"description,omitempty"`
	Events      []string `json:"event_types"`
	Insecure    bool     `json:"allow_insecure,omitempty"`
}

// key decodes the key of signatures. It needs no padding.
func key(secret string) ([]byte, error) {
	return base64.RawStdEncoding.DecodeString(strings.TrimRight(strings.TrimSpace(secret), "="))
}

// CheckSecret returns an error for a key that cannot sign.
func CheckSecret(secret string) error {
	if k, err := key(secret); err != nil || len(k) == 0 || len(secret) > mostText {
		return errors.New("signing_secret is not in Base64")
	}
	return nil
}

// Sign returns the signature of the body of a delivery: HMAC with SHA-256, in hexadecimal digits.
func Sign(secret string, body []byte) (string, error) {
	k, err := key(secret)
	if err != nil {
		return "", fmt.Errorf("the key of the webhook: %w", err)
	}
	mac := hmac.New(sha256.New, k)
	_, _ = mac.Write(body) // never fails
	return hex.EncodeToString(mac.Sum(nil)), nil
}

// disposition matches the name in a Content-Disposition header. Clients send quotes in it as they are.
var disposition = regexp.MustCompile(`(?i)\bfilename="?(.*?)"?\s*$`)

// FileName returns the name in a Content-Disposition header, "" for none. One client encodes the whole
// header as a part of a query, another one the name.
func FileName(header string) string {
	if !strings.Contains(header, "=") {
		if decoded, err := url.QueryUnescape(header); err == nil {
			header = decoded
		}
	}
	m := disposition.FindStringSubmatch(header)
	if m == nil {
		return ""
	}
	if decoded, err := url.PathUnescape(m[1]); err == nil {
		return decoded
	}
	return m[1]
}

// NewID returns a random id in the form of a UUID, which clients store as such.
func NewID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
