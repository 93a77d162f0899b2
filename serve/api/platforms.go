package api

import (
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/desk"
)

func platforms(c *call) (any, error) { return c.s.Desk.Platforms(c.Context(), c.actor) }

func newPlatform(c *call) (any, error) {
	var in desk.NewPlatform
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	id, err := c.s.Desk.SavePlatform(c.Context(), c.actor, "", in)
	return ID{id}, err
}

func changePlatform(c *call) (any, error) {
	var in desk.NewPlatform
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	_, err := c.s.Desk.SavePlatform(c.Context(), c.actor, c.id(), in)
	return nil, err
}

func deletePlatform(c *call) (any, error) {
	return nil, c.s.Desk.DeletePlatform(c.Context(), c.actor, c.id())
}

func platformKeys(c *call) (any, error) { return c.s.Desk.PlatformKeys(c.Context(), c.actor) }

// A NewPlatformKey asks for a new key.
type NewPlatformKey struct {
	Stolen bool `json:"stolen,omitempty" doc:"earlier keys become invalid at once"`
}

func newPlatformKey(c *call) (any, error) {
	var in NewPlatformKey
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	return nil, c.s.Desk.RotatePlatformKey(c.Context(), c.actor, in.Stolen)
}

func ownCourses(c *call) (any, error) { return c.s.Desk.OwnCourses(c.Context(), c.actor) }

func handInOwn(c *call) (any, error) {
	f, err := c.form(accounts.OwnTexts)
	if err != nil {
		return nil, err
	}
	ids, err := c.s.Desk.HandInOwn(c.Context(), c.actor, c.id(), c.Header.Get("Idempotency-Key"), f.Files)
	return IDs{ids}, err
}

func ownText(c *call) (any, error) { return c.s.Desk.OwnText(c.Context(), c.actor, c.id()) }

func ownReport(c *call) (any, error) {
	r, err := c.s.Desk.OwnReport(c.Context(), c.actor, c.id())
	return c.sendReport(r, err)
}

func ownStatement(c *call) (any, error) {
	var in Statement
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	return nil, c.s.Desk.OwnStatement(c.Context(), c.actor, c.id(), in.Text)
}
