package esclient

import (
	"testing"
	"time"
)

// TestDefaults: what is not said is as the documentation says, and the least that may
// be said of memory is kept to.
func TestDefaults(t *testing.T) {
	got, err := Config{Index: "theses"}.resolved()
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Hosts) != 1 || got.Hosts[0] != "http://localhost:9200" || got.Timeout != time.Minute || got.Retries != 10 || got.Memory != 128<<20 {
		t.Errorf("by default the hosts are %q, the time-out %v, attempts after the first %d, memory %d", got.Hosts, got.Timeout, got.Retries, got.Memory)
	}
	got, err = Config{Index: "theses", Timeout: -1, Retries: -1, Memory: 1}.resolved()
	if err != nil || got.Timeout != time.Minute || got.Retries != 0 || got.Memory != 16<<20 {
		t.Errorf("of what makes no sense becomes a time-out of %v, %d attempts after the first, memory %d, %v", got.Timeout, got.Retries, got.Memory, err)
	}
}

// TestUserInAddress: a user in the address goes with the password that is there, or
// with one from elsewhere, and never into what is shown.
func TestUserInAddress(t *testing.T) {
	for _, tt := range []struct {
		cfg            Config
		user, password string
	}{
		{Config{Hosts: []string{"https://jan:secret@a:9200/"}}, "jan", "secret"},
		{Config{Hosts: []string{"https://jan@a:9200"}, Password: "env"}, "jan", "env"},
		{Config{Hosts: []string{"https://jan:secret@a:9200"}, Username: "otisk", Password: "p"}, "otisk", "p"},
		{Config{Hosts: []string{"https://a:9200"}, Password: "env"}, "", "env"},
	} {
		tt.cfg.Index = "theses"
		got, err := tt.cfg.resolved()
		if err != nil || got.Username != tt.user || got.Password != tt.password || got.Hosts[0] != "https://a:9200" {
			t.Errorf("%q gives user %q, password %q, host %q, %v, want %q, %q and https://a:9200", tt.cfg.Hosts, got.Username, got.Password, got.Hosts, err, tt.user, tt.password)
		}
	}
}
