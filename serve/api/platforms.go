package api

import "github.com/otisk/otisk/serve/desk"

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
