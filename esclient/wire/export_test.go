package wire

import "time"

// Internals for the tests of package wire_test.
const (
	LastPause     = lastPause
	NotifyAfter   = notifyAfter
	LateHost      = lateHost
	ProductHeader = productHeader
)

// Down reports whether the server counts as down.
func (c *Conn) Down() bool { return c.health.down() }

// SetNamed has c expect productHeader in every answer.
func (c *Conn) SetNamed() { c.named = true }

// AsFirst returns r as the first request of a connection.
func AsFirst(r Request) Request {
	r.first = true
	return r
}

// Begin returns when the attempts that count began.
func (a *Attempts) Begin() time.Time { return a.begin }
