// Package mail sends messages in plain text by SMTP. Call [New] with the server of the operator, and [Server.Send].
//
// A message is never sent without TLS, except to this machine or if the operator asks for that: it may have a link that sets a
// password. The server is named by the command line only, so it may be in the network of this one.
package mail

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/netip"
	"net/smtp"
	"net/textproto"
	"net/url"
	"strings"
	"time"
)

// patience limits the time of one message, from the connection to the last answer.
const patience = 30 * time.Second

// ErrRefused is the error for an address that the server refuses for good.
var ErrRefused = errors.New("the mail server refuses the address")

var errAddress = errors.New("want smtp://[USER@]HOST[:PORT][?tls=off] or smtps://[USER@]HOST[:PORT]")

// A Server is a mail server that accepts messages.
type Server struct {
	host, port     string
	user, password string
	implicit       bool // TLS from the first byte, and not by STARTTLS
	bare           bool // a connection without TLS is accepted
	from           *mail.Address
	tls            *tls.Config
}

// New returns the server at an address: smtp://HOST, with STARTTLS, or smtps://HOST. A user in it is authenticated with the
// password. from is the address of the sender, which may have a name.
func New(address, from, password string) (*Server, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Path != "" || u.Scheme != "smtp" && u.Scheme != "smtps" || u.RawQuery != "" && u.RawQuery != "tls=off" {
		return nil, errAddress
	}
	s := &Server{host: u.Hostname(), user: u.User.Username(), password: password, implicit: u.Scheme == "smtps", tls: &tls.Config{ServerName: u.Hostname()}}
	s.port = cmp.Or(u.Port(), map[bool]string{true: "465", false: "587"}[s.implicit])
	s.bare = !s.implicit && (u.RawQuery != "" || isLocal(s.host))
	if s.from, err = mail.ParseAddress(from); err != nil {
		return nil, fmt.Errorf("%q is not an e-mail address: %w", from, err)
	}
	return s, nil
}

func isLocal(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// A Message is a message to one person.
type Message struct {
	ID            string // the same each time the message is sent, by which mail programs recognise it
	To            string // address without a name
	Subject, Text string
	At            time.Time
}

// Send sends a message once. An address that is refused for good is an [ErrRefused].
func (s *Server) Send(ctx context.Context, m *Message) error {
	return s.talk(ctx, func(c *smtp.Client) error {
		if err := c.Mail(s.from.Address); err != nil {
			return err
		}
		if err := c.Rcpt(m.To); err != nil {
			if answer, ok := errors.AsType[*textproto.Error](err); ok && answer.Code >= 550 && answer.Code < 560 {
				return fmt.Errorf("%w: %w", ErrRefused, err)
			}
			return err
		}
		w, err := c.Data()
		if err != nil {
			return err
		}
		_, err = w.Write(s.bytes(m))
		return errors.Join(err, w.Close())
	})
}

// Check connects to the server and authenticates the user, without sending a message.
func (s *Server) Check(ctx context.Context) error {
	return s.talk(ctx, (*smtp.Client).Noop)
}

// talk calls do with a connection that is ready for a message.
func (s *Server) talk(ctx context.Context, do func(*smtp.Client) error) (err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	raw, err := new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort(s.host, s.port))
	if err != nil {
		return err
	}
	defer raw.Close()
	stop := context.AfterFunc(ctx, func() { _ = raw.SetDeadline(time.Unix(1, 0)) }) // ends what waits for the server
	defer stop()
	conn := raw
	if s.implicit {
		conn = tls.Client(raw, s.tls)
	}
	c, err := smtp.NewClient(conn, s.host)
	if err != nil {
		return err
	}
	if err := s.prepare(c); err != nil {
		return err
	}
	if err := do(c); err != nil {
		return err
	}
	_ = c.Quit() // the message is accepted, whatever the server answers
	return nil
}

// prepare encrypts the connection and authenticates the user.
func (s *Server) prepare(c *smtp.Client) error {
	_, host, _ := strings.Cut(s.from.Address, "@")
	if err := c.Hello(host); err != nil {
		return err
	}
	if !s.implicit {
		if offered, _ := c.Extension("STARTTLS"); offered {
			if err := c.StartTLS(s.tls); err != nil {
				return err
			}
		} else if !s.bare {
			return errors.New("the mail server offers no STARTTLS")
		}
	}
	if s.user == "" {
		return nil
	}
	return c.Auth(smtp.PlainAuth("", s.user, s.password, s.host))
}

func (s *Server) bytes(m *Message) []byte {
	var b bytes.Buffer
	_, host, _ := strings.Cut(s.from.Address, "@")
	for _, h := range [][2]string{
		{"From", s.from.String()}, {"To", (&mail.Address{Address: m.To}).String()}, {"Subject", mime.BEncoding.Encode("utf-8", strings.Join(strings.Fields(m.Subject), " "))},
		{"Date", m.At.Format(time.RFC1123Z)}, {"Message-ID", "<" + m.ID + "@" + host + ">"}, {"Auto-Submitted", "auto-generated"},
		{"MIME-Version", "1.0"}, {"Content-Type", "text/plain; charset=utf-8"}, {"Content-Transfer-Encoding", "quoted-printable"},
	} {
		b.WriteString(h[0] + ": " + h[1] + "\r\n")
	}
	b.WriteString("\r\n")
	w := quotedprintable.NewWriter(&b)
	_, _ = w.Write([]byte(m.Text)) // into memory
	_ = w.Close()
	return b.Bytes()
}
