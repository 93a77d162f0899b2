package fetch

import (
	"errors"
	"fmt"
	"time"
)

// Why something is not fetched. The errors of [Client.Get] wrap one of them where
// it is not the network that failed.
var (
	ErrAddress   = errors.New("not an address of the web")
	ErrForbidden = errors.New("refused, as it is inside the own network")
	ErrRobots    = errors.New("robots.txt forbids it")
	ErrLoop      = errors.New("redirects go round in a loop")
	ErrRedirects = errors.New("too many redirects")
	ErrTooLarge  = errors.New("too large")
	ErrEncoding  = errors.New("sent in a content encoding that cannot be undone")
	ErrSlow      = errors.New("too slow")
	ErrConnect   = errors.New("no connection")
	ErrBusy      = errors.New("the server asks to come back later")
	ErrStatus    = errors.New("the server answered") // wrapped by a [StatusError]
)

// An Error says what could not be fetched, and why.
type Error struct {
	URL string // that was asked for, without a password
	At  string // where it failed: URL, or where redirects have led
	Err error
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("fetch %s: %v", e.URL, e.Err) }

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// A StatusError says what a server answered in place of what it was asked for. It
// wraps [ErrStatus].
type StatusError struct{ Status int }

// Error implements error.
func (e *StatusError) Error() string { return ErrStatus.Error() + " " + statusText(e.Status) }

// Unwrap returns [ErrStatus].
func (e *StatusError) Unwrap() error { return ErrStatus }

// A BusyError says when a host may be asked again. It wraps [ErrBusy].
type BusyError struct {
	Host   string
	Until  time.Time
	Status int // that it answered, 429 or 503
}

// Error implements error.
func (e *BusyError) Error() string {
	return fmt.Sprintf("%v: it answered %s, and is not asked again before %s", ErrBusy, statusText(e.Status), e.Until.UTC().Format(time.RFC3339))
}

// Unwrap returns [ErrBusy].
func (e *BusyError) Unwrap() error { return ErrBusy }
