package api

import (
	"context"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/desk"
)

// An operation carries out a request. It returns the answer: nil for none, or written.
type operation func(*call) (any, error)

// all returns the operation that calls a method of the desk.
func all[T any](get func(*desk.Desk, context.Context, accounts.Actor) (T, error)) operation {
	return func(c *call) (any, error) { return get(c.s.Desk, c.Context(), c.actor) }
}

// one returns the operation that calls a method of the desk with the id in the path.
func one[T any](get func(d *desk.Desk, ctx context.Context, a accounts.Actor, id string) (T, error)) operation {
	return func(c *call) (any, error) { return get(c.s.Desk, c.Context(), c.actor, c.id()) }
}

// latest is [one] with the limit of rows in the query.
func latest[T any](get func(d *desk.Desk, ctx context.Context, a accounts.Actor, id string, limit int) (T, error)) operation {
	return func(c *call) (any, error) {
		limit, err := c.number("limit")
		if err != nil {
			return nil, err
		}
		return get(c.s.Desk, c.Context(), c.actor, c.id(), limit)
	}
}

// act is [one] without an answer.
func act(do func(d *desk.Desk, ctx context.Context, a accounts.Actor, id string) error) operation {
	return func(c *call) (any, error) { return nil, do(c.s.Desk, c.Context(), c.actor, c.id()) }
}

// change is [act] with the body of the request.
func change[T any](do func(d *desk.Desk, ctx context.Context, a accounts.Actor, id string, in T) error) operation {
	return body(func(c *call, in T) (any, error) { return nil, do(c.s.Desk, c.Context(), c.actor, c.id(), in) })
}

// body returns an operation on the body of a request, in JSON.
func body[T any](do func(c *call, in T) (any, error)) operation {
	return func(c *call) (any, error) {
		var in T
		if err := c.decode(&in); err != nil {
			return nil, err
		}
		return do(c, in)
	}
}
