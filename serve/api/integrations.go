package api

import "github.com/otisk/otisk/serve/desk"

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
