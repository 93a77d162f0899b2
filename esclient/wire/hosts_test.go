package wire_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/esclient/wire/wiretest"
)

// ask connects to the cluster of cfg and asks for its indices named x.
func ask(ctx context.Context, cfg wire.Config) error {
	c, err := wire.Connect(ctx, cfg)
	if err != nil {
		return err
	}
	return c.Do(ctx, get)
}

// TestNobodyThere shows that an address where nobody listens is an error
// without a wait: the default number of attempts would take a minute.
func TestNobodyThere(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	err := ask(t.Context(), wire.Config{Hosts: []string{s.URL}})
	wiretest.CheckError(t, err, wire.Unreachable, "connection refused")
	err = ask(t.Context(), wire.Config{Hosts: []string{"no-such-host.invalid:9200"}})
	wiretest.CheckError(t, err, wire.Unreachable, "no-such-host.invalid")
}

// TestSecondHost shows that an unreachable host does not matter while
// another one is.
func TestSecondHost(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	there := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			_, _ = io.WriteString(w, wiretest.Hello)
			return
		}
		wiretest.Refuse(w, http.StatusNotFound, "index_not_found_exception")
	}))
	defer there.Close()
	for range 4 { // whichever comes first
		err := ask(t.Context(), wire.Config{Hosts: []string{gone.URL, there.URL}})
		if !wire.HasCause(err, wire.NoIndex) {
			t.Errorf("Open with one of two hosts = %v, want that the index is not there from the other", err)
		}
	}
}

// TestWrongHost shows that a host which is something else does not matter while
// another one is right, wherever it is in the list.
func TestWrongHost(t *testing.T) {
	right := func(header string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Elastic-Product", header)
			if r.URL.Path == "/" {
				_, _ = io.WriteString(w, wiretest.Hello)
				return
			}
			wiretest.Refuse(w, http.StatusServiceUnavailable, "master_not_discovered_exception")
		}
	}
	page := func(status int, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, text) // a client that left shows in the test
		}
	}
	for _, tt := range []struct {
		name         string
		right, wrong http.HandlerFunc
		tls          bool // the wrong one speaks it
	}{
		{"a web page", right("Elasticsearch"), page(200, "<p>It works!"), false},
		{"a page that is not there", right("Elasticsearch"), page(404, "404 page not found"), false},
		{"a page that is not there, beside OpenSearch", right(""), page(404, "404 page not found"), false},
		{"JSON", right("Elasticsearch"), page(404, `{"detail":"Not Found"}`), false},
		{"an old version", right("Elasticsearch"), page(200, `{"version":{"number":"1.4.2"}}`), false},
		{"TLS of another authority", right("Elasticsearch"), page(200, ""), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			one, other := wiretest.Quiet(httptest.NewUnstartedServer(tt.right)), wiretest.Quiet(httptest.NewUnstartedServer(tt.wrong))
			one.Start()
			defer one.Close()
			if tt.tls {
				other.StartTLS()
			} else {
				other.Start()
			}
			defer other.Close()
			for _, hosts := range [][]string{{other.URL, one.URL}, {one.URL, other.URL}} {
				// Requests go to the hosts in turn, but not to the other one.
				err := ask(t.Context(), wire.Config{Hosts: hosts, Retries: 2, Pause: time.Millisecond})
				var e *wire.Error
				if !errors.As(err, &e) || wire.HasCause(err, wire.NoIndex) || e.Kind != wire.Broken {
					t.Errorf("Open with the right host and a wrong one = %v, want that the right one has no master", err)
				}
			}
		})
	}
	t.Run("none is right", func(t *testing.T) {
		wrong := wiretest.Quiet(httptest.NewUnstartedServer(page(200, "<p>It works!")))
		wrong.Start()
		defer wrong.Close()
		gone := httptest.NewServer(http.NotFoundHandler())
		gone.Close()
		err := ask(t.Context(), wire.Config{Hosts: []string{wrong.URL, gone.URL}, Retries: 2, Pause: time.Millisecond})
		wiretest.CheckError(t, err, wire.NotElasticsearch, gone.URL+": connection refused")
	})
}

// TestTwoClusters: hosts of two clusters are rejected, because the documents of one would be
// looked up in the other and not be found.
func TestTwoClusters(t *testing.T) {
	start := func(hello, state string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Elastic-Product", "Elasticsearch")
			switch {
			case r.URL.Path == "/" && hello == "":
				w.WriteHeader(http.StatusMethodNotAllowed) // as one without that part does
			case r.URL.Path == "/":
				fmt.Fprintf(w, `{"cluster_uuid": %q, "version": {"number": "9.5.3"}}`, hello)
			case r.URL.Path == "/_cluster/state/version" && state == "":
				wiretest.Refuse(w, http.StatusForbidden, "security_exception")
			case r.URL.Path == "/_cluster/state/version":
				fmt.Fprintf(w, `{"cluster_uuid": %q}`, state)
			default:
				wiretest.Refuse(w, http.StatusNotFound, "index_not_found_exception")
			}
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	a, other, bare, otherBare := start("a", ""), start("b", ""), start("", "a"), start("", "b")
	unknown, young := start("", ""), start("_na_", "")
	for _, tt := range []struct {
		hosts []string
		two   bool
	}{
		{[]string{a, a}, false}, {[]string{a, bare}, false}, {[]string{a, unknown, young, bare}, false}, {[]string{other, otherBare}, false},
		{[]string{a, other}, true}, {[]string{bare, otherBare}, true}, {[]string{a, bare, otherBare}, true}, {[]string{unknown, a, other}, true},
	} {
		err := ask(t.Context(), wire.Config{Hosts: tt.hosts})
		if refused := err != nil && strings.Contains(err.Error(), "belong to two clusters"); refused != tt.two || errors.As(err, new(wire.ConfigError)) != tt.two {
			t.Errorf("Open with hosts %v = %v, want them refused: %v", tt.hosts, err, tt.two)
		}
		if !tt.two && !wire.HasCause(err, wire.NoIndex) {
			t.Errorf("Open with hosts of one cluster = %v, want that the index is not there", err)
		}
	}
}

// TestLateHost shows that a host which does not answer delays connecting by lateHost.
func TestLateHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := wiretest.New(func(_ int, r *http.Request) (int, string, error) {
			if r.URL.Host == "silent:9200" {
				<-r.Context().Done()
				return 0, "", r.Context().Err()
			}
			return 200, wiretest.Hello, nil
		})
		begin := time.Now()
		_, err := wire.Connect(t.Context(), wire.Config{Hosts: []string{"there:9200", "silent:9200"}, Transport: s})
		if took := time.Since(begin); err != nil || took != wire.LateHost {
			t.Errorf("Connect beside a silent host = %v after %v, want none after %v", err, took, wire.LateHost)
		}
	})
}

// TestTLS opens a missing index over connections of which some
// are good.
func TestTLS(t *testing.T) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); r.Header.Get("Authorization") != "APIKey a2V5" && user+":"+password != "u:secret" {
			wiretest.Refuse(w, http.StatusUnauthorized, "security_exception")
			return
		}
		if r.URL.Path == "/" {
			_, _ = io.WriteString(w, wiretest.Hello)
			return
		}
		wiretest.Refuse(w, http.StatusNotFound, "index_not_found_exception")
	})
	s := wiretest.Quiet(httptest.NewUnstartedServer(handler))
	s.StartTLS()
	defer s.Close()
	other := selfSigned(t)
	pemOf := func(der []byte) string {
		path := filepath.Join(t.TempDir(), "ca.pem")
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	sum := sha256.Sum256(s.Certificate().Raw)
	right, wrong := hex.EncodeToString(sum[:]), strings.Repeat("ab", 32)
	plain := strings.Replace(s.URL, "https:", "http:", 1)
	byName := strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
	for _, tt := range []struct {
		name string
		cfg  wire.Config
		kind wire.Kind // "" where the connection is good
		want string
	}{
		{"right authority", wire.Config{Hosts: []string{s.URL}, CAFile: pemOf(s.Certificate().Raw), APIKey: "a2V5"}, "", ""},
		{"right fingerprint", wire.Config{Hosts: []string{s.URL}, Fingerprint: right, Username: "u", Password: "secret"}, "", ""},
		{"password in the address", wire.Config{Hosts: []string{strings.Replace(s.URL, "://", "://u:secret@", 1)}, Fingerprint: strings.ToUpper(right)}, "", ""},
		{"no authority", wire.Config{Hosts: []string{s.URL}, APIKey: "a2V5"}, wire.BadCertificate, "unknown authority"},
		{"wrong authority", wire.Config{Hosts: []string{s.URL}, CAFile: pemOf(other), APIKey: "a2V5"}, wire.BadCertificate, "unknown authority"},
		{"wrong fingerprint", wire.Config{Hosts: []string{s.URL}, Fingerprint: wrong, APIKey: "a2V5"}, wire.BadCertificate, "fingerprint"},
		{"other name", wire.Config{Hosts: []string{byName}, CAFile: pemOf(s.Certificate().Raw), APIKey: "a2V5"}, wire.BadCertificate, "localhost"},
		{"wrong password", wire.Config{Hosts: []string{s.URL}, Fingerprint: right, Username: "u", Password: "guess"}, wire.Unauthorized, "401"},
		{"http instead of https", wire.Config{Hosts: []string{plain}, APIKey: "a2V5"}, wire.NotElasticsearch, "400"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := ask(t.Context(), tt.cfg)
			if tt.kind == "" {
				if !wire.HasCause(err, wire.NoIndex) {
					t.Errorf("Open = %v, want that the index is not there over a good connection", err)
				}
				return
			}
			wiretest.CheckError(t, err, tt.kind, tt.want)
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("error shows the password: %v", err)
			}
		})
	}
	t.Run("https instead of http", func(t *testing.T) {
		s := wiretest.Quiet(httptest.NewUnstartedServer(handler))
		s.Start()
		defer s.Close()
		err := ask(t.Context(), wire.Config{Hosts: []string{strings.Replace(s.URL, "http:", "https:", 1)}, Retries: -1})
		wiretest.CheckError(t, err, wire.NoTLS, "does not speak TLS")
	})
}

// selfSigned returns a certificate that signed nothing but itself.
func selfSigned(t *testing.T) (der []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err = x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

func TestConfig(t *testing.T) {
	for _, tt := range []struct {
		cfg  wire.Config
		want string
	}{
		{wire.Config{Hosts: []string{"ftp://host"}}, "want host:port"},
		{wire.Config{Hosts: []string{"http://u:secret@host:port"}}, `use host "host:port": want`},
		{wire.Config{Hosts: []string{"ftp://u:secret@host"}}, "want host:port"},
		{wire.Config{Hosts: []string{"host:99999"}}, `use host "http://host:99999": want`},
		{wire.Config{Hosts: []string{"http://"}}, "want host:port"},
		{wire.Config{Hosts: []string{"a"}, CloudID: "b"}, "both given"},
		{wire.Config{CAFile: "/no/such/file"}, "read certificate authority"},
		{wire.Config{CAFile: "hosts_test.go"}, "no certificate"},
		{wire.Config{Fingerprint: "abc"}, "64 hexadecimal digits"},
		{wire.Config{Hosts: []string{"https://a", "b:9200"}, Fingerprint: strings.Repeat("ab", 32), Password: "secret"}, `use host "http://b:9200": a certificate authority or fingerprint is given`},
		{wire.Config{CloudID: "no:cloud"}, "use cluster"},
		{wire.Config{CloudID: "bm90aGluZw=="}, "use cluster"},
		{wire.Config{CloudID: "name:" + base64.StdEncoding.EncodeToString([]byte("cloud.example.org$"))}, "names no Elasticsearch"},
	} {
		err := ask(t.Context(), tt.cfg)
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("Open(%+v) = %v, want an error with %q and without a secret", tt.cfg, err, tt.want)
		}
		if errors.Is(err, wire.ErrServer) || !errors.As(err, new(wire.ConfigError)) {
			t.Errorf("Open(%+v) = %v, want a ConfigError, which is not the fault of a server", tt.cfg, err)
		}
	}
}

// A roundTrip answers requests in place of a server.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestWhatIsSent looks at the first request: where it goes, with which
// credentials and headers.
func TestWhatIsSent(t *testing.T) {
	cloud := "my deployment:" + base64.StdEncoding.EncodeToString([]byte("eu.cloud.example.org:9243$abc123$kibana"))
	for _, tt := range []struct {
		name string
		cfg  wire.Config
		url  string
		auth string
	}{
		{"default", wire.Config{}, "http://localhost:9200/", ""},
		{"path of a proxy", wire.Config{Hosts: []string{"https://a.example.org/es/"}}, "https://a.example.org/es/", ""},
		{"cloud", wire.Config{CloudID: cloud, APIKey: "a2V5"}, "https://abc123.eu.cloud.example.org:9243/", "APIKey a2V5"},
		{"cloud without more", wire.Config{CloudID: "x:" + base64.StdEncoding.EncodeToString([]byte("eu.example.org$abc123"))}, "https://abc123.eu.example.org/", ""},
		{"password", wire.Config{Username: "u", Password: "p"}, "http://localhost:9200/", "Basic dTpw"},
		{"a key wins over a password", wire.Config{Username: "u", Password: "p", APIKey: "a2V5"}, "http://localhost:9200/", "APIKey a2V5"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			tt.cfg.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
				got = append(got, r.URL.String(), r.Header.Get("Authorization"), r.UserAgent())
				return nil, errors.New("enough seen")
			})
			tt.cfg.Retries = -1
			err := ask(t.Context(), tt.cfg)
			wiretest.CheckError(t, err, wire.Unreachable, "enough seen")
			if want := []string{tt.url, tt.auth, "otisk"}; !slices.Equal(got, want) {
				t.Errorf("sent %q, want %q", got, want)
			}
		})
	}
}

func TestEnvironment(t *testing.T) {
	env := map[string]string{
		"ELASTICSEARCH_URL": "https://a:9200,https://b:9200", "ELASTICSEARCH_USERNAME": "u", "ELASTICSEARCH_PASSWORD": "p\n",
		"ELASTICSEARCH_API_KEY": "k\r\n", "ELASTICSEARCH_CA_FILE": "f", "ELASTICSEARCH_FINGERPRINT": "ff",
	}
	getenv := func(name string) string { return env[name] }
	got := fmt.Sprintf("%+v", wire.Config{}.WithEnvironment(getenv))
	want := fmt.Sprintf("%+v", wire.Config{
		Hosts: []string{"https://a:9200", "https://b:9200"}, Username: "u", Password: "p", APIKey: "k", CAFile: "f", Fingerprint: "ff",
	})
	if got != want {
		t.Errorf("WithEnvironment() = %s\nwant %s", got, want)
	}
	set := wire.Config{Hosts: []string{"h"}, Username: "x", Password: "y", APIKey: "z", CAFile: "c", Fingerprint: "d"}
	if got, want := fmt.Sprintf("%+v", set.WithEnvironment(getenv)), fmt.Sprintf("%+v", set); got != want {
		t.Errorf("WithEnvironment() = %s, want what was set: %s", got, want)
	}
	env = map[string]string{"ELASTICSEARCH_CLOUD_ID": "cloud:id"}
	if got := (wire.Config{}).WithEnvironment(getenv).CloudID; got != "cloud:id" {
		t.Errorf("CloudID = %q, want cloud:id", got)
	}
}
