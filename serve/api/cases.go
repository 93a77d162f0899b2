package api

import "github.com/otisk/otisk/serve/desk"

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
