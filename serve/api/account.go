package api

import "github.com/otisk/otisk/serve/desk"

func account(c *call) (any, error) { return c.s.Desk.Account(c.Context(), c.actor) }

func changePassword(c *call) (any, error) {
	var in desk.PasswordChange
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	return nil, c.s.Desk.ChangePassword(c.Context(), c.actor, in, c.s.Address(c.Request))
}

func newFactor(c *call) (any, error) {
	var in Password
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	return c.s.Desk.NewFactor(c.Context(), c.actor, in.Password, c.s.Issuer, c.s.Address(c.Request))
}

func confirmFactor(c *call) (any, error) {
	var in Code
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	codes, err := c.s.Desk.ConfirmFactor(c.Context(), c.actor, in.Code)
	return RecoveryCodes{codes}, err
}

func endFactor(c *call) (any, error) {
	var in Password
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	return nil, c.s.Desk.EndFactor(c.Context(), c.actor, in.Password, c.s.Address(c.Request))
}

func resetFactor(c *call) (any, error) {
	return nil, c.s.Desk.ResetFactor(c.Context(), c.actor, c.id())
}

func endSessions(c *call) (any, error) { return nil, c.s.Desk.EndSessions(c.Context(), c.actor) }
