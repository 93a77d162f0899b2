package api

import (
	"bytes"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/serve/desk"
)

func changePassword(c *call, in desk.PasswordChange) (any, error) {
	return nil, c.s.Desk.ChangePassword(c.Context(), c.actor, in, c.s.Address(c.Request))
}

func newFactor(c *call, in Password) (any, error) {
	return c.s.Desk.NewFactor(c.Context(), c.actor, in.Password, c.s.Issuer, c.s.Address(c.Request))
}

func confirmFactor(c *call, in Code) (any, error) {
	codes, err := c.s.Desk.ConfirmFactor(c.Context(), c.actor, in.Code)
	return RecoveryCodes{codes}, err
}

func endFactor(c *call, in Password) (any, error) {
	return nil, c.s.Desk.EndFactor(c.Context(), c.actor, in.Password, c.s.Address(c.Request))
}

func endSessions(c *call) (any, error) { return nil, c.s.Desk.EndSessions(c.Context(), c.actor) }

// Statement is the statement of a student.
type Statement struct {
	Text string `json:"text" min:"1" max:"50000"`
}

func addStep(c *call, in desk.NewStep) (any, error) {
	number, err := c.s.Desk.AddStep(c.Context(), c.actor, c.id(), in)
	return Stored{number}, err
}

func notify(c *call, in desk.Notice) (any, error) {
	id, secret, err := c.s.Desk.Notify(c.Context(), c.actor, c.id(), in)
	return CreatedLink{id, secret}, err
}

func openToStudent(c *call, in desk.Access) (any, error) {
	return nil, c.s.Desk.OpenToStudent(c.Context(), c.actor, c.id(), c.PathValue("link"), in)
}

func mayState(c *call) error { return c.s.Desk.MayState(c.Context(), c.PathValue("secret")) }

func state(c *call, in Statement) (any, error) {
	return nil, c.s.Desk.State(c.Context(), c.PathValue("secret"), in.Text)
}

// A CreatedLink is a new link to a check. The secret is shown only here.
type CreatedLink struct {
	ID     string `json:"id"`
	Secret string `json:"secret"`
}

func newShare(c *call, in desk.NewShare) (any, error) {
	id, secret, err := c.s.Desk.Share(c.Context(), c.actor, c.id(), in)
	return CreatedLink{id, secret}, err
}

func deleteShare(c *call) (any, error) {
	return nil, c.s.Desk.Unshare(c.Context(), c.actor, c.id(), c.PathValue("link"))
}

func shared(c *call) (any, error) {
	return c.s.Desk.Shared(c.Context(), c.PathValue("secret"), lang.Of("en"))
}

func sharedReport(c *call) (any, error) {
	r, err := c.s.Desk.SharedReport(c.Context(), c.PathValue("secret"))
	return c.sendReport(r, err)
}

// sendReport writes a report in JSON.
func (c *call) sendReport(r *report.Report, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = report.Write(&b, "json", r, report.Options{})
	return c.send(mediaTypes["json"], b.Bytes(), err)
}

type (
	// CourseTexts is a course with its texts.
	CourseTexts struct {
		desk.Course
		Checks []desk.Check `json:"checks"`
	}
	// Choice is which texts of a course count.
	Choice struct {
		Count    []string `json:"count" doc:"ids of checks"`
		LeaveOut []string `json:"leave_out" doc:"ids of checks that do not count; others stay as they are"`
	}
)

func newCourse(c *call, in desk.NewCourse) (any, error) {
	id, err := c.s.Desk.NewCourse(c.Context(), c.actor, in)
	return ID{id}, err
}

func course(c *call) (any, error) {
	found, checks, err := c.s.Desk.Course(c.Context(), c.actor, c.id())
	if err != nil {
		return nil, err
	}
	return CourseTexts{*found, checks}, nil
}

func handIn(c *call, f *Form) (any, error) {
	ids, err := c.s.Desk.HandIn(c.Context(), c.actor, c.id(), c.Header.Get("Idempotency-Key"), f.Files)
	return IDs{ids}, err
}

func choose(c *call, in Choice) (any, error) {
	counts := lists.Set(in.Count)
	for _, id := range in.LeaveOut {
		counts[id] = false
	}
	return nil, c.s.Desk.Choose(c.Context(), c.actor, c.id(), counts)
}

// NewSource is a source of documents to add to a collection.
type NewSource struct {
	Kind    string `json:"kind" enum:"folder,oai,feed"`
	Address string `json:"address" doc:"full path of a folder on the server, or URL"`
	Part    string `json:"part,omitempty" doc:"set of a repository"`
	Hours   int    `json:"hours" doc:"between two runs; 0 for one run"`
}

func addSource(c *call, in NewSource) (any, error) {
	id, err := c.s.Desk.AddSource(c.Context(), c.actor, c.id(), desk.Source{Kind: in.Kind, Address: in.Address, Part: in.Part, Hours: in.Hours})
	return ID{id}, err
}

func describeTable(c *call, f *Form) (any, error) {
	ids, err := c.s.Desk.Describe(c.Context(), c.actor, c.id(), c.Header.Get("Idempotency-Key"), f.Files)
	return Additions{ids}, err
}

func describeOne(c *call, in desk.Metadata) (any, error) {
	id, err := c.s.Desk.DescribeOne(c.Context(), c.actor, c.id(), in, false)
	return Additions{[]string{id}}, err
}

// Keep is after how many days something is deleted.
type Keep struct {
	Days int `json:"days" doc:"0 for never, at most 36525"`
}

func retainCheck(c *call, in Keep) (any, error) {
	return nil, c.s.Desk.KeepCheck(c.Context(), c.actor, c.id(), in.Days)
}

func retainDocuments(c *call, in Keep) (any, error) {
	return nil, c.s.Desk.KeepDocuments(c.Context(), c.actor, c.id(), in.Days)
}

func newPlatform(c *call, in desk.NewPlatform) (any, error) {
	id, err := c.s.Desk.SavePlatform(c.Context(), c.actor, "", in)
	return ID{id}, err
}

func changePlatform(c *call, in desk.NewPlatform) (any, error) {
	_, err := c.s.Desk.SavePlatform(c.Context(), c.actor, c.id(), in)
	return nil, err
}

// A NewPlatformKey asks for a new key.
type NewPlatformKey struct {
	Stolen bool `json:"stolen,omitempty" doc:"earlier keys become invalid at once"`
}

func newPlatformKey(c *call, in NewPlatformKey) (any, error) {
	return nil, c.s.Desk.RotatePlatformKey(c.Context(), c.actor, in.Stolen)
}

func handInOwn(c *call, f *Form) (any, error) {
	ids, err := c.s.Desk.HandInOwn(c.Context(), c.actor, c.id(), c.Header.Get("Idempotency-Key"), f.Files)
	return IDs{ids}, err
}

func ownReport(c *call) (any, error) {
	r, err := c.s.Desk.OwnReport(c.Context(), c.actor, c.id())
	return c.sendReport(r, err)
}

func ownStatement(c *call, in Statement) (any, error) {
	return nil, c.s.Desk.OwnStatement(c.Context(), c.actor, c.id(), in.Text)
}

// CreatedIntegration is an integration with its key, which is shown only here.
type CreatedIntegration struct {
	ID  string `json:"id"`
	Key string `json:"key"`
}

func newIntegration(c *call, in desk.NewIntegration) (any, error) {
	id, key, err := c.s.Desk.SaveIntegration(c.Context(), c.actor, "", in)
	return CreatedIntegration{id, key}, err
}

func changeIntegration(c *call, in desk.NewIntegration) (any, error) {
	_, _, err := c.s.Desk.SaveIntegration(c.Context(), c.actor, c.id(), in)
	return nil, err
}

func newIntegrationKey(c *call) (any, error) {
	key, err := c.s.Desk.NewIntegrationKey(c.Context(), c.actor, c.id())
	return CreatedIntegration{c.id(), key}, err
}

func newWebhook(c *call, in NewWebhook) (any, error) {
	id, secret, err := c.s.Desk.NewWebhook(c.Context(), c.actor, in.URL, in.Events)
	return CreatedWebhook{id, secret}, err
}
