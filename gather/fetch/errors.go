package fetch

import (
	"time"

	"github.com/otisk/otisk/lang/phrase"
)

// The errors of [Client.Get] wrap one of these, unless the network failed in
// another way.
var (
	ErrAddress   error = phrase.Error("cause.not-address", "not a web address")
	ErrForbidden       = phrase.Error("said.own-network", "refused: the address is in your own network")
	ErrRobots    error = phrase.Error("cause.robots", "robots.txt forbids it")
	ErrLoop      error = phrase.Error("cause.redirect-loop", "redirects form a loop")
	ErrRedirects error = phrase.Error("cause.redirects", "too many redirects")
	ErrTooLarge  error = phrase.Error("said.too-large", "too large")
	ErrEncoding  error = phrase.Error("cause.content-encoding", "content encoding cannot be decoded")
	ErrSlow      error = phrase.Error("cause.too-slow", "too slow")
	ErrConnect   error = phrase.Error("cause.no-connection", "no connection")
	ErrBusy      error = phrase.Error("cause.retry-later", "the server asks to retry later")
	ErrStatus    error = phrase.Error("cause.server-answered", "the server answered") // wrapped by a [StatusError]
)

// An Error is returned for an address that could not be fetched.
type Error struct {
	URL string // requested address, without a password
	At  string // address at which it failed: URL, or the target of a redirect
	Err error
}

// Error implements error.
func (e *Error) Error() string { return e.phrase().Error() }

// Message returns the name and the arguments of the message.
func (e *Error) Message() (name string, args []any) { return e.phrase().Message() }

func (e *Error) phrase() *phrase.Phrase {
	return phrase.Error("said.fetch", "fetch {name}: {cause}", "name", e.URL, "cause", e.Err)
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// A StatusError is a response with a status other than success. It wraps [ErrStatus].
type StatusError struct{ Status int }

// Error implements error.
func (e *StatusError) Error() string { return ErrStatus.Error() + " " + statusText(e.Status) }

// Unwrap returns [ErrStatus].
func (e *StatusError) Unwrap() error { return ErrStatus }

// A BusyError says when the next request to a host may be sent. It wraps [ErrBusy].
type BusyError struct {
	Host   string    `json:"host"`
	Until  time.Time `json:"until"`
	Status int       `json:"status"` // of its response: 429 or 503
	Asked  bool      `json:"-"`      // the response is that to this request; otherwise this request was not sent
}

// Error implements error.
func (e *BusyError) Error() string { return e.phrase().Error() }

// Message returns the name and the arguments of the message.
func (e *BusyError) Message() (name string, args []any) { return e.phrase().Message() }

func (e *BusyError) phrase() *phrase.Phrase {
	return phrase.Error("gather.busy", "{cause}: it answered {status}; no request is sent to it before {time}",
		"cause", ErrBusy, "status", statusText(e.Status), "time", e.Until.UTC().Format(time.RFC3339))
}

// Unwrap returns [ErrBusy].
func (e *BusyError) Unwrap() error { return ErrBusy }
