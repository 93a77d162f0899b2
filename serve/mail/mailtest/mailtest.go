// Package mailtest is a mail server for tests.
package mailtest

import (
	"bufio"
	"crypto/tls"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/textproto"
	"strings"
	"sync"
	"testing"
)

// A Message is a message that the server received.
type Message struct {
	To, Subject, Text, ID string
	Raw                   string
	Encrypted             bool
	Auth                  string // what the client sent to be authenticated, decoded by nobody
}

// A Server receives messages. Answer may be set before a message: the answer to its recipient, or to its text if it begins with
// "DATA ".
type Server struct {
	Address string // HOST:PORT
	TLS     *tls.Config
	t       testing.TB

	mu       sync.Mutex
	answer   string
	messages []Message
}

// New starts a server on this machine, which offers STARTTLS if config is not nil. The end of the test stops it.
func New(t testing.TB, config *tls.Config) *Server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Address: l.Addr().String(), TLS: config, t: t}
	var group sync.WaitGroup
	t.Cleanup(func() { _ = l.Close(); group.Wait() })
	group.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			group.Go(func() { s.serve(conn) })
		}
	})
	return s
}

// Answer sets the answer to the next recipients, "" to accept them. "DATA " before it makes it that to their texts.
func (s *Server) Answer(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = text
}

func (s *Server) answers(begin string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	isData := strings.HasPrefix(s.answer, "DATA ")
	if s.answer == "" || isData != (begin == "DATA ") {
		return "", false
	}
	return strings.TrimPrefix(s.answer, "DATA "), true
}

// Messages returns the messages that were accepted.
func (s *Server) Messages() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Message{}, s.messages...)
}

func (s *Server) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	say := func(text string) { _, _ = io.WriteString(conn, text+"\r\n") }
	r := textproto.NewReader(bufio.NewReader(conn))
	say("220 test")
	m := Message{}
	for {
		line, err := r.ReadLine()
		if err != nil {
			return
		}
		verb, rest, _ := strings.Cut(line, " ")
		switch strings.ToUpper(verb) {
		case "EHLO":
			if s.TLS != nil && !m.Encrypted {
				say("250-test\r\n250-AUTH PLAIN\r\n250 STARTTLS")
			} else {
				say("250-test\r\n250 AUTH PLAIN")
			}
		case "STARTTLS":
			say("220 go on")
			conn = tls.Server(conn, s.TLS)
			r, m = textproto.NewReader(bufio.NewReader(conn)), Message{Encrypted: true}
		case "AUTH":
			m.Auth = strings.TrimPrefix(rest, "PLAIN ")
			say("235 ok")
		case "RCPT":
			m.To = strings.Trim(strings.TrimPrefix(rest, "TO:"), "<>")
			if text, is := s.answers("RCPT "); is {
				say(text)
			} else {
				say("250 ok")
			}
		case "DATA":
			say("354 go on")
			text, err := r.ReadDotBytes()
			if err != nil {
				return
			}
			s.accept(m, string(text))
			if text, is := s.answers("DATA "); is {
				say(text)
			} else {
				say("250 ok")
			}
		case "QUIT":
			say("221 bye")
			return
		default:
			say("250 ok")
		}
	}
}

// accept stores a message. It is stored also if the answer to its text is lost or an error, as by real servers.
func (s *Server) accept(m Message, raw string) {
	m.Raw = raw
	parsed, err := mail.ReadMessage(strings.NewReader(raw))
	if err != nil {
		s.t.Errorf("message: %v", err)
		return
	}
	text, err := io.ReadAll(quotedprintable.NewReader(parsed.Body))
	if err != nil {
		s.t.Errorf("message: %v", err)
	}
	if m.Subject, err = new(mime.WordDecoder).DecodeHeader(parsed.Header.Get("Subject")); err != nil {
		s.t.Errorf("message: %v", err)
	}
	m.ID, m.Text = parsed.Header.Get("Message-ID"), string(text)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages = append(s.messages, m)
}
