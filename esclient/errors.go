package esclient

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/otisk/otisk/store"
)

// ErrServer is wrapped by every error that the cluster or the way to it is the
// cause of, and not the program, its input or the index.
var ErrServer = errors.New("server error")

// A Kind distinguishes errors of the server.
type Kind string

// The kinds of errors.
const (
	Unreachable      Kind = "unreachable"       // nobody answers there
	TimedOut         Kind = "timed out"         // no answer within the time-out
	BadCertificate   Kind = "bad certificate"   // TLS: authority, name or fingerprint is another
	NoTLS            Kind = "no TLS"            // https is asked for and not spoken there
	Unauthorized     Kind = "unauthorized"      // user and password, or key, are wrong
	Expired          Kind = "expired"           // the key was right once
	Forbidden        Kind = "forbidden"         // the user may not do this
	NotElasticsearch Kind = "not elasticsearch" // something else answers
	TooOld           Kind = "too old"           // a version that is not supported
	Red              Kind = "red"               // data of the index are not available
	ReadOnly         Kind = "read-only"         // writes are blocked
	Overloaded       Kind = "overloaded"        // refused again and again for lack of room
	Broken           Kind = "broken"            // answers again and again with errors of its own
	Refused          Kind = "refused"           // anything else that it says no to
)

// An Error is an error of the server.
type Error struct {
	Kind   Kind
	Where  string // address that was asked
	Op     string // what was being done: search, write blocks, ...
	Status int    // HTTP status, 0 without an answer
	Reason string // what the server said, or what happened to the connection
	Err    error  // cause, if there is one

	product bool   // it came with the header of Elasticsearch
	item    bool   // it is about one item of a bulk request
	said    answer // all of it
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("%s at %s: %s", e.Op, e.Where, e.Reason)
}

// Unwrap returns ErrServer, the error of package store that says the same, and
// the cause.
func (e *Error) Unwrap() []error {
	list := []error{ErrServer}
	if e.Kind == ReadOnly {
		list = append(list, store.ErrReadOnly)
	}
	if e.refused() {
		list = append(list, store.ErrRefused)
	}
	if e.Err != nil {
		list = append(list, e.Err)
	}
	return list
}

// refused says whether the server does not want this item, while it may well
// take others.
func (e *Error) refused() bool {
	return e.item && !e.said.has(noIndex) && !e.said.has(closedIndex) && (e.Kind == Refused || e.Kind == Overloaded)
}

// addressSettings are the ways to say where the server is.
const addressSettings = "--index, <host> or ELASTICSEARCH_URL"

// Hint returns what the user can do about e.
func (e *Error) Hint() string {
	switch e.Kind {
	case Unreachable:
		if strings.HasPrefix(e.Reason, cutShort) {
			return "check the address (" + addressSettings + "): https:// where the server speaks TLS; and look at the server's log"
		}
		return "check the address (" + addressSettings + "), and that the server runs"
	case TimedOut:
		return "the server is too slow or stuck: look at its load, or raise <timeout>"
	case BadCertificate:
		return "give the authority that signed the server's certificate (<ca_file> or ELASTICSEARCH_CA_FILE), or its fingerprint (<fingerprint> or ELASTICSEARCH_FINGERPRINT)"
	case NoTLS:
		return "use http:// in the address (" + addressSettings + "), or the port that speaks TLS"
	case Unauthorized:
		return "set ELASTICSEARCH_USERNAME and ELASTICSEARCH_PASSWORD, or ELASTICSEARCH_API_KEY (in the settings: <user>, <password_file>, <api_key_file>)"
	case Expired:
		return "make a new API key, and set ELASTICSEARCH_API_KEY or <api_key_file>"
	case Forbidden:
		return "the user needs the privileges \"monitor\" on the cluster and \"all\" on the indices NAME-*"
	case NotElasticsearch:
		return "check the address (" + addressSettings + "): Elasticsearch usually answers on port 9200"
	case TooOld:
		return "use Elasticsearch 8 or newer, or OpenSearch 2.4 or newer"
	case Red:
		return "wait for the missing nodes, or see GET _cluster/allocation/explain"
	case ReadOnly:
		return e.blockHint()
	case Refused:
		if e.said.has(closedIndex) {
			return "a closed index cannot be read: POST " + cmp.Or(e.said.cause.Index, "INDEX") + "/_open"
		}
	case Broken:
		return "look at the health of the cluster (GET _cluster/health) and at its log; then run it again, it goes on where it stopped"
	case Overloaded:
		return "the server has too much to do: run it again later, it goes on where it stopped"
	}
	return ""
}

// blockHint distinguishes a full disk from a setting, by the number of the block.
func (e *Error) blockHint() string {
	if strings.Contains(e.Reason, "/12/") {
		return "free disk space on the server; then it lifts the block by itself, or PUT NAME-*/_settings {\"index.blocks.read_only_allow_delete\": null}"
	}
	return "a setting blocks writes: see index.blocks in GET NAME-*/_settings, and cluster.blocks in GET _cluster/settings"
}

// lost describes a connection that gave no whole answer.
func lost(where, op string, err error) *Error {
	e := &Error{Kind: Unreachable, Where: where, Op: op, Reason: plainReason(err), Err: err}
	var netErr net.Error
	var syntax *json.SyntaxError
	var other *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		e.Kind, e.Reason = Broken, "the answer is not JSON"
	case errors.As(err, &other):
		e.Kind, e.Reason = Broken, "the answer is not what Elasticsearch says"
	case certificateError(err):
		e.Kind = BadCertificate
	case errors.As(err, new(tls.RecordHeaderError)):
		e.Kind, e.Reason = NoTLS, "the server does not speak TLS there"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &netErr) && netErr.Timeout():
		e.Kind, e.Reason = TimedOut, "no answer within the time-out"
	}
	return e
}

const cutShort = "connection lost before the whole answer came"

// plainReason drops the parts of a network error that only a programmer wants.
func plainReason(err error) string {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return cutShort
	}
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return "no such host: " + dns.Name
	}
	return err.Error()
}

func certificateError(err error) bool {
	var (
		verify    *tls.CertificateVerificationError
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		invalid   x509.CertificateInvalidError
	)
	return errors.As(err, &verify) || errors.As(err, &authority) || errors.As(err, &host) ||
		errors.As(err, &invalid) || errors.Is(err, errFingerprint)
}
