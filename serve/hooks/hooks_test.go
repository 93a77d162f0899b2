package hooks

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/gather/fetch"
	"github.com/otisk/otisk/serve/outgoing"
)

// TestSign has an example of the Standard Webhooks specification.
func TestSign(t *testing.T) {
	t.Parallel()
	got, err := Sign("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; err != nil || got != want {
		t.Errorf("Sign = %s, %v, want %s", got, err, want)
	}
	if a, b := NewSecret(), NewSecret(); a == b || !strings.HasPrefix(a, secretPrefix) {
		t.Errorf("secrets %s and %s", a, b)
	}
}

func sender(t *testing.T, allow ...string) *Sender {
	t.Helper()
	n, err := outgoing.New(allow)
	if err != nil {
		t.Fatal(err)
	}
	return NewSender(n)
}

// TestCheck: an address needs TLS, unless the administrator of the server names its host.
func TestCheck(t *testing.T) {
	t.Parallel()
	s := sender(t, "lms.local:8080")
	for address, want := range map[string]bool{
		"https://lms.example.org/otisk": true, "https://lms.example.org:8443/a?b=c": true, "http://lms.local:8080/otisk": true,
		"http://lms.example.org/otisk": false, "http://lms.local/otisk": false, "https://jana:secret@lms.example.org/": false, "ftp://lms.example.org/": false,
		"//lms.example.org/": false, "lms.example.org": false, "": false, "https://": false, "https://a.example/#b": false, "javascript:alert(1)": false, "https://a.example/" + strings.Repeat("a", mostURL): false,
	} {
		if err := s.Check(address); (err == nil) != want {
			t.Errorf("Check(%.60q) = %v, want allowed: %v", address, err, want)
		}
	}
}

// TestSend sends a signed request to an allowed host, and follows no redirect.
func TestSend(t *testing.T) {
	t.Parallel()
	var got *http.Request
	var body []byte
	status := http.StatusNoContent
	reached := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reached++
		got = r
		body, _ = io.ReadAll(r.Body)
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
	}))
	defer server.Close()
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	d := &Delivery{ID: "1", URL: server.URL, Secret: NewSecret(), Event: Ping, Body: []byte(`{"type":"PING"}`)}
	s := sender(t, u.Host)
	if code, err := s.Send(t.Context(), d); err != nil || code != status {
		t.Fatalf("Send = %d, %v, want %d", code, err, status)
	}
	seconds, err := strconv.ParseInt(got.Header.Get("webhook-timestamp"), 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > time.Minute {
		t.Errorf("timestamp %q, %v, want the present time", got.Header.Get("webhook-timestamp"), err)
	}
	want, err := Sign(d.Secret, "1", time.Unix(seconds, 0), body)
	if err != nil || got.Header.Get("webhook-signature") != want || got.Header.Get("webhook-id") != "1" || got.Header.Get("Otisk-Event") != Ping {
		t.Errorf("headers %v, want the signature %s", got.Header, want)
	}
	for _, status = range []int{301, 302, 307, 308, 400, 410, 500} {
		reached = 0
		if code, err := s.Send(t.Context(), d); err == nil || code != status || reached != 1 {
			t.Errorf("Send = %d, %v after %d requests, want an error about %d after one", code, err, reached, status)
		}
	}
}

// TestOwnNetwork: without an allowance, no address of this machine or its network is reached, by
// whatever way it is written.
func TestOwnNetwork(t *testing.T) {
	t.Parallel()
	reached := false
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer server.Close()
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	s := sender(t)
	for _, host := range []string{"127.0.0.1", "localhost", "127.1", "2130706433", "0x7f000001", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0.0.0.0", "[::]", "10.0.0.1", "169.254.169.254", "192.168.1.1", "[fd00::1]", "[fe80::1]", "[64:ff9b::7f00:1]"} {
		_, err := s.Send(t.Context(), &Delivery{ID: "1", URL: "https://" + host + ":" + u.Port() + "/", Secret: NewSecret()})
		if err == nil || reached {
			t.Errorf("a webhook reaches %s", host)
		}
		if strings.HasPrefix(host, "127.0") || strings.HasPrefix(host, "1") && strings.Count(host, ".") == 3 {
			if !errors.Is(err, fetch.ErrForbidden) {
				t.Errorf("%s: %v, want ErrForbidden", host, err)
			}
		}
		if r := Reason(err); strings.Contains(r, u.Port()) || strings.Contains(r, "127.0.0.1") || r == "" {
			t.Errorf("the reason for users %q has an address, or is empty", r)
		}
	}
}

// TestDelay: tries become rarer and end after about two days.
func TestDelay(t *testing.T) {
	t.Parallel()
	var last, sum time.Duration
	tries := 1
	for ; ; tries++ {
		wait, again := Delay(tries)
		if !again {
			break
		}
		if wait <= last {
			t.Errorf("after try %d: %v, want more than %v", tries, wait, last)
		}
		last, sum = wait, sum+wait
	}
	if sum < 40*time.Hour || sum > 50*time.Hour {
		t.Errorf("%d tries take %v, want about two days", tries, sum)
	}
	if _, again := Delay(0); again {
		t.Error("a delivery is tried again before it failed")
	}
}
