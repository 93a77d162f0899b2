package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/serve/mail/mailtest"
)

// config returns settings of a server with a certificate for the address, and of a client that trusts it.
func config(t *testing.T) (server, client *tls.Config) {
	t.Helper()
	s := httptest.NewTLSServer(nil)
	t.Cleanup(s.Close)
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return &tls.Config{Certificates: s.TLS.Certificates}, &tls.Config{RootCAs: pool, ServerName: "127.0.0.1"}
}

// TestNew: addresses that name no mail server, or a sender without an address, are refused.
func TestNew(t *testing.T) {
	for address, want := range map[string]string{
		"smtp://mail.example.org": "mail.example.org:587", "smtps://otisk@mail.example.org": "mail.example.org:465", "smtp://localhost:25": "localhost:25", "smtp://[::1]:25?tls=off": "::1:25",
		"mail.example.org": "", "http://mail.example.org": "", "smtp://": "", "smtp://mail.example.org/path": "", "smtp://mail.example.org?tls=maybe": "",
	} {
		s, err := New(address, "Otisk <otisk@example.org>", "")
		if got := ""; want != "" {
			if err == nil {
				got = s.host + ":" + s.port
			}
			if got != want {
				t.Errorf("New(%q) = %q, %v, want %q", address, got, err, want)
			}
		} else if err == nil {
			t.Errorf("New(%q) accepts it", address)
		}
	}
	if _, err := New("smtp://localhost", "nobody", ""); err == nil {
		t.Error("a sender that is no address is accepted")
	}
}

// TestSend: a message arrives as it was, encrypted where the server offers that, and one header stays one.
func TestSend(t *testing.T) {
	t.Parallel()
	server, client := config(t)
	for _, encrypted := range []bool{false, true} {
		var offered *tls.Config
		if encrypted {
			offered = server
		}
		to := mailtest.New(t, offered)
		s, err := New("smtp://otisk@"+to.Address, "Ötisk <otisk@example.org>", "secret")
		if err != nil {
			t.Fatal(err)
		}
		s.tls = client
		m := &Message{ID: "a1", To: "jana@example.org", Subject: "Kontrola\r\nBcc: eve@example.org žluť", Text: "První řádek,\n.tečka\n" + strings.Repeat("dlouhý ", 50) + "\n", At: time.Now()}
		if err := errors.Join(s.Check(t.Context()), s.Send(t.Context(), m)); err != nil {
			t.Fatal(err)
		}
		all := to.Messages()
		if len(all) != 1 {
			t.Fatalf("%d messages, want 1", len(all))
		}
		got := all[0]
		auth, err := base64.StdEncoding.DecodeString(got.Auth)
		if got.To != m.To || got.Subject != "Kontrola Bcc: eve@example.org žluť" || strings.ReplaceAll(got.Text, "\r\n", "\n") != m.Text || got.ID != "<a1@example.org>" || got.Encrypted != encrypted || err != nil || string(auth) != "\x00otisk\x00secret" {
			t.Errorf("received %+v with %q, %v", got, auth, err)
		}
		for _, line := range strings.Split(got.Raw, "\n") {
			if strings.HasPrefix(line, "Bcc") || len(line) > 998 {
				t.Errorf("line %q", line)
			}
		}
	}
}

// TestNoTLS: nothing is sent in clear to a foreign machine, nor to a server with a certificate that is not trusted.
func TestNoTLS(t *testing.T) {
	t.Parallel()
	server, _ := config(t)
	m := &Message{ID: "a", To: "jana@example.org", Subject: "s", Text: "t", At: time.Now()}
	bare := mailtest.New(t, nil)
	s, err := New("smtp://"+bare.Address, "otisk@example.org", "")
	if err != nil {
		t.Fatal(err)
	}
	s.bare = false // as for another machine
	if err := s.Send(t.Context(), m); err == nil || !strings.Contains(err.Error(), "STARTTLS") {
		t.Errorf("a server without TLS: %v, want an error", err)
	}
	forged := mailtest.New(t, server)
	if s, err = New("smtp://"+forged.Address, "otisk@example.org", ""); err != nil {
		t.Fatal(err)
	}
	if err := s.Send(t.Context(), m); err == nil {
		t.Error("a certificate that is not trusted is accepted")
	}
	if n := len(bare.Messages()) + len(forged.Messages()); n != 0 {
		t.Errorf("%d messages were sent, want 0", n)
	}
}

// TestRefused: an address that is refused for good differs from a server that is busy, and a server that is silent from one
// that answers.
func TestRefused(t *testing.T) {
	t.Parallel()
	to := mailtest.New(t, nil)
	s, err := New("smtp://"+to.Address, "otisk@example.org", "")
	if err != nil {
		t.Fatal(err)
	}
	m := &Message{ID: "a", To: "nobody@example.org", Subject: "s", Text: "t", At: time.Now()}
	for answer, want := range map[string]bool{"550 no such user": true, "451 later": false, "DATA 554 rejected": false} {
		to.Answer(answer)
		if err := s.Send(t.Context(), m); err == nil || errors.Is(err, ErrRefused) != want {
			t.Errorf("after %q: %v, refused for good: want %v", answer, err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Check(ctx); err == nil {
		t.Error("a context that has ended does not end the connection")
	}
}
