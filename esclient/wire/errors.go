package wire

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
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// ErrServer is wrapped by every error that the cluster or the network causes, and not
// the program, its input or the index.
var ErrServer error = phrase.Error("cluster.server", "server error")

// A Kind classifies errors of the server.
type Kind string

// The kinds of errors.
const (
	Unreachable      Kind = "unreachable"       // no connection, or a connection that was cut
	TimedOut         Kind = "timed out"         // no answer within the timeout
	BadCertificate   Kind = "bad certificate"   // the TLS authority, name or fingerprint does not match
	NoTLS            Kind = "no TLS"            // https was requested and the server does not speak TLS
	Unauthorized     Kind = "unauthorized"      // wrong user name, password or key
	Expired          Kind = "expired"           // the key has expired
	Forbidden        Kind = "forbidden"         // the user lacks a privilege
	NotElasticsearch Kind = "not elasticsearch" // another program answers
	TooOld           Kind = "too old"           // the version is not supported
	Red              Kind = "red"               // data of the index are not available
	ReadOnly         Kind = "read-only"         // writes are blocked
	Overloaded       Kind = "overloaded"        // rejected for lack of room, at each attempt
	Broken           Kind = "broken"            // an internal error of the server, at each attempt
	Refused          Kind = "refused"           // any other rejection
)

// An Error is an error of the server or of the way to it.
type Error struct {
	Kind   Kind
	Where  string // addresses of the cluster
	Op     string // operation: search, write blocks, ...
	Status int    // HTTP status, 0 without an answer
	Reason error  // from the answer, in the words of the server, or what happened to the connection
	Item   bool   // it concerns one item of a bulk request
	Err    error  // cause, may be nil

	product   bool   // the answer had productHeader
	rejection answer // the whole answer
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("%s at %s: %v", e.Op, e.Where, e.Reason)
}

// Message returns the name and the arguments of the message in package lang.
func (e *Error) Message() (name string, args []any) {
	return phrase.Error("cluster.at", "{what} at {where}: {cause}", "what", phrase.Fixed(e.Op), "where", e.Where, "cause", e.Reason).Message()
}

// Unwrap returns ErrServer, the error of package store with the same meaning if there
// is one, and the cause.
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

// refused reports whether the server rejects this item of a bulk request and may accept
// others.
func (e *Error) refused() bool {
	return e.Item && !e.rejection.includes(NoIndex) && !e.rejection.includes(closedIndex) && (e.Kind == Refused || e.Kind == Overloaded)
}

// HasCause reports whether err is a rejection whose causes include that type of
// Elasticsearch's errors, such as [NoIndex].
func HasCause(err error, kind string) bool {
	var e *Error
	return errors.As(err, &e) && e.rejection.includes(kind)
}

// Status returns the HTTP status of an [Error], or 0.
func Status(err error) int {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Status
	}
	return 0
}

// KindOf returns the kind of an [Error], or "".
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return ""
}

// CutOff reports whether the connection was lost before the end of the answer, as when the
// server speaks TLS and the address begins with http.
func (e *Error) CutOff() bool { return errors.Is(e.Reason, ErrCutOff) }

// DiskFull reports whether the server blocks writes because its disk is full, and not because
// of a setting.
func (e *Error) DiskFull() bool {
	return e.Kind == ReadOnly && e.Reason != nil && strings.Contains(e.Reason.Error(), "/12/") // the number of that block
}

// ClosedIndex returns the name of the index that the request needs and that is closed. If the
// answer does not name it, the name is "INDEX". closed is false for other errors.
func (e *Error) ClosedIndex() (name string, closed bool) {
	if !e.rejection.includes(closedIndex) {
		return "", false
	}
	return cmp.Or(e.rejection.cause.Index, "INDEX"), true
}

// actionPattern matches the action that a server refuses, such as indices:data/read/search.
var actionPattern = regexp.MustCompile(`\b(?:cluster|indices):[a-z_/]+`)

// actionPrivileges are the privileges of Elasticsearch that grant actions, by the beginning of the
// action: the one that grants the least, of those that the roles in docs/ELASTICSEARCH.md have. The
// first entry that matches applies.
var actionPrivileges = []struct{ action, privilege string }{
	{"indices:data/read/", "read"},
	{"indices:data/write/", "write"},
	{"indices:admin/index_template/get", "monitor"},
	{"indices:admin/template/get", "monitor"},
	{"indices:admin/get", "view_index_metadata"},
	{"indices:admin/aliases/get", "view_index_metadata"},
	{"indices:admin/mappings/get", "view_index_metadata"},
	{"indices:monitor/settings/get", "view_index_metadata"},
	{"indices:monitor/", "monitor"},
	{"indices:admin/", "manage"},
	{"cluster:monitor/", "monitor"},
}

// Privilege returns the privilege that the user lacks, and whether it is one on the cluster and not
// on indices. For other errors, and if the answer names no action, the name is "".
func (e *Error) Privilege() (name string, cluster bool) {
	if e.Kind != Forbidden || e.Reason == nil {
		return "", false
	}
	action := actionPattern.FindString(e.Reason.Error())
	for _, p := range actionPrivileges {
		if strings.HasPrefix(action, p.action) {
			return p.privilege, strings.HasPrefix(action, "cluster:") || strings.HasSuffix(action, "template/get")
		}
	}
	return "", false
}

// lost returns the error of an attempt that got no complete answer within limit.
func lost(where, op string, limit time.Duration, err error) *Error {
	e := &Error{Kind: Unreachable, Where: where, Op: op, Reason: plainReason(err), Err: err}
	var netErr net.Error
	var syntax *json.SyntaxError
	var other *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		e.Kind, e.Reason = Broken, phrase.Error("cluster.not-json", "the answer is not JSON")
	case errors.As(err, &other):
		e.Kind, e.Reason = Broken, phrase.Error("cluster.other-json", "the JSON of the answer has not the form that Elasticsearch sends")
	case certificateError(err):
		e.Kind = BadCertificate
	case errors.As(err, new(tls.RecordHeaderError)):
		e.Kind, e.Reason = NoTLS, phrase.Error("cluster.no-tls", "the server does not speak TLS there")
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &netErr) && netErr.Timeout():
		e.Kind, e.Reason = TimedOut, phrase.Error("cluster.late", "no answer within {time}", "time", limit)
	}
	return e
}

// ErrCutOff is the reason of an [Error] whose connection was lost before the end of the answer.
var ErrCutOff error = phrase.Error("cluster.cut-off", "connection lost before the end of the answer")

// plainReason drops the details of a network error that only help a programmer.
func plainReason(err error) error {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return syscall.ECONNREFUSED
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return ErrCutOff
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return phrase.Error("cluster.no-host", "no such host: {name}", "name", dns.Name)
	}
	if certificateError(err) {
		return certificateReason(err)
	}
	return err
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

// certificateReason returns why a certificate is rejected, or err if it is for another reason.
func certificateReason(err error) error {
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.Is(err, errFingerprint):
		return errFingerprint
	case errors.As(err, new(x509.UnknownAuthorityError)):
		return phrase.Error("cluster.unknown-authority", "an unknown authority signed the certificate of the server")
	case errors.As(err, &host):
		return phrase.Error("cluster.other-name", "the certificate of the server is not for {name}", "name", host.Host)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return phrase.Error("cluster.expired", "the certificate of the server has expired, or is not valid yet")
	}
	return err
}
