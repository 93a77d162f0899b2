package api

import "github.com/otisk/otisk/serve/desk"

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
