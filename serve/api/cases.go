package api

import (
	"github.com/otisk/otisk/serve/desk"
)

// Statement is the statement of a student.
type Statement struct {
	Text string `json:"text" min:"1" max:"50000"`
}

func steps(c *call) (any, error) { return c.s.Desk.Steps(c.Context(), c.actor, c.id()) }

func addStep(c *call) (any, error) {
	var in desk.NewStep
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	number, err := c.s.Desk.AddStep(c.Context(), c.actor, c.id(), in)
	return Stored{number}, err
}

func notify(c *call) (any, error) {
	var in desk.Notice
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	id, secret, err := c.s.Desk.Notify(c.Context(), c.actor, c.id(), in)
	return CreatedLink{id, secret}, err
}

func openToStudent(c *call) (any, error) {
	var in desk.Access
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	return nil, c.s.Desk.OpenToStudent(c.Context(), c.actor, c.id(), c.PathValue("link"), in)
}

func mayState(c *call) error { return c.s.Desk.MayState(c.Context(), c.PathValue("secret")) }

func state(c *call) (any, error) {
	var in Statement
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	return nil, c.s.Desk.State(c.Context(), c.PathValue("secret"), in.Text)
}
