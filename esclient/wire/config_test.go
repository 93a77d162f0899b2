package wire_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/otisk/otisk/esclient/wire"
)

// TestDefaults compares the defaults with the documentation.
func TestDefaults(t *testing.T) {
	got, err := wire.Config{}.Resolved()
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Hosts) != 1 || got.Hosts[0] != "http://localhost:9200" || got.Timeout != time.Minute || got.Retries != 10 || got.Pause != 200*time.Millisecond {
		t.Errorf("by default the hosts are %q, the time-out %v, attempts after the first %d, the first pause %v", got.Hosts, got.Timeout, got.Retries, got.Pause)
	}
	got, err = wire.Config{Timeout: -1, Retries: -1}.Resolved()
	if err != nil || got.Timeout != time.Minute || got.Retries != -1 {
		t.Errorf("of what makes no sense becomes a time-out of %v, %d attempts after the first, %v", got.Timeout, got.Retries, err)
	}
}

// TestUserInAddress: a user in the address is used with the password in the address, or with
// one from elsewhere, and never shown.
func TestUserInAddress(t *testing.T) {
	for _, tt := range []struct {
		cfg            wire.Config
		user, password string
	}{
		{wire.Config{Hosts: []string{"https://jan:secret@a:9200/"}}, "jan", "secret"},
		{wire.Config{Hosts: []string{"https://jan@a:9200"}, Password: "env"}, "jan", "env"},
		{wire.Config{Hosts: []string{"https://jan:secret@a:9200"}, Username: "otisk", Password: "p"}, "otisk", "p"},
		{wire.Config{Hosts: []string{"https://a:9200"}, Password: "env"}, "", "env"},
	} {
		got, err := tt.cfg.Resolved()
		if err != nil || got.Username != tt.user || got.Password != tt.password || got.Hosts[0] != "https://a:9200" {
			t.Errorf("%q gives user %q, password %q, host %q, %v, want %q, %q and https://a:9200", tt.cfg.Hosts, got.Username, got.Password, got.Hosts, err, tt.user, tt.password)
		}
	}
}

// TestCompression: answers are compressed on the way from another machine, or if the configuration
// says so.
func TestCompression(t *testing.T) {
	for _, tt := range []struct {
		hosts    []string
		compress bool
		want     bool
	}{
		{nil, false, false},
		{[]string{"127.0.0.1:9200", "http://[::1]:9201", "https://localhost"}, false, false},
		{[]string{"127.0.0.1:9200"}, true, true},
		{[]string{"localhost:9200", "es2.example.org:9200"}, false, true},
		{[]string{"10.0.0.7"}, false, true},
		{[]string{"localhost.example.org"}, false, true},
	} {
		cfg, err := wire.Config{Hosts: tt.hosts, Compress: tt.compress}.Resolved()
		if err != nil {
			t.Fatal(err)
		}
		network, err := wire.Network(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if got := !network.(*http.Transport).DisableCompression; got != tt.want {
			t.Errorf("%q, compress %v: answers are compressed: %v, want %v", tt.hosts, tt.compress, got, tt.want)
		}
	}
}
