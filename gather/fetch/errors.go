package fetch

import (
	"errors"
	"fmt"
	"time"
)

// The errors of [Client.Get] wrap one of these, unless the network failed in
// another way.
var (
	ErrAddress   = errors.New("not a web address")
	ErrForbidden = errors.New("refused: the address is in your own network")
	ErrRobots    = errors.New("robots.txt forbids it")
	ErrLoop      = errors.New("redirects form a loop")
	ErrRedirects = errors.New("too many redirects")
	ErrTooLarge  = errors.New("too large")
	ErrEncoding  = errors.New("content encoding cannot be decoded")
	ErrSlow      = errors.New("too slow")
	ErrConnect   = errors.New("no connection")
	ErrBusy      = errors.New("the server asks to retry later")
	ErrStatus    = errors.New("the server answered") // wrapped by a [StatusError]
)

// An Error is returned for an address that could not be fetched.
type Error struct {
	URL string // requested address, without a password
	At  string // address at which it failed: URL, or the target of a redirect
	Err error
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("fetch %s: %v", e.URL, e.Err) }

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
	Host   string
	Until  time.Time
	Status int // of its response: 429 or 503
}

// Error implements error.
func (e *BusyError) Error() string {
	return fmt.Sprintf("%v: it answered %s; no request is sent to it before %s", ErrBusy, statusText(e.Status), e.Until.UTC().Format(time.RFC3339))
}

// Unwrap returns [ErrBusy].
func (e *BusyError) Unwrap() error { return ErrBusy }
