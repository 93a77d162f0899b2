package api

import "github.com/otisk/otisk/serve/desk"

// CreatedIntegration is an integration with its key, which is shown only here.
type CreatedIntegration struct {
	ID  string `json:"id"`
	Key string `json:"key"`
}

func integrations(c *call) (any, error) { return c.s.Desk.Integrations(c.Context(), c.actor) }

func newIntegration(c *call) (any, error) {
	var in desk.NewIntegration
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	id, key, err := c.s.Desk.SaveIntegration(c.Context(), c.actor, "", in)
	return CreatedIntegration{id, key}, err
}

func changeIntegration(c *call) (any, error) {
	var in desk.NewIntegration
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	_, _, err := c.s.Desk.SaveIntegration(c.Context(), c.actor, c.id(), in)
	return nil, err
}

func newIntegrationKey(c *call) (any, error) {
	key, err := c.s.Desk.NewIntegrationKey(c.Context(), c.actor, c.id())
	return CreatedIntegration{c.id(), key}, err
}

func deleteIntegration(c *call) (any, error) {
	return nil, c.s.Desk.DeleteIntegration(c.Context(), c.actor, c.id())
}
