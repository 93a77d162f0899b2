package pages

import (
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/desk"
)

// A firstStep is a step of the list for who sets the server up.
type firstStep struct {
	Message, Path string
	Done          bool
}

// firstSteps returns what the server still needs before others can use it: nil if nothing is missing, or if the user may not do it.
func (v *visit) firstSteps(collections []desk.Collection) ([]firstStep, error) {
	if !v.actor.May(accounts.ManageUsers) {
		return nil, nil
	}
	documents := lists.Sum(collections, func(c desk.Collection) int64 { return c.Documents })
	_, checked, err := v.s.Desk.Checks(v.Context(), v.actor, desk.Filter{Limit: 1})
	if err != nil {
		return nil, err
	}
	users, err := v.s.Desk.Users(v.Context(), v.actor)
	if err != nil {
		return nil, err
	}
	steps := []firstStep{
		{"guide.first-collection", "/collections", len(collections) > 0},
		{"guide.first-documents", "/collections", documents > 0},
		{"guide.first-check", "/check#file", checked > 0},
		{"guide.first-users", "/users", len(users) > 1},
	}
	for _, s := range steps {
		if !s.Done {
			return steps, nil
		}
	}
	return nil, nil
}
