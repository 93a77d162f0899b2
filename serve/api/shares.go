package api

import (
	"bytes"

	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/serve/desk"
)

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
