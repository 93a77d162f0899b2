package esclient_test

import (
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
	"time"

	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/store"
)

// TestNobodyThere shows that an address where nobody listens is an error
// without a wait: the default number of attempts would take a minute.
func TestNobodyThere(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	_, err := esclient.Open(t.Context(), esclient.Config{Hosts: []string{s.URL}, Index: "x"})
	checkError(t, err, esclient.Unreachable, "connection refused", "check the address")
	_, err = esclient.Create(t.Context(), esclient.Config{Hosts: []string{"no-such-host.invalid:9200"}, Index: "x"}, store.Settings{})
	checkError(t, err, esclient.Unreachable, "no-such-host.invalid", "check the address")
}

// TestSecondHost shows that a host which is not there does not matter while
// another one is.
func TestSecondHost(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	there := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			_, _ = io.WriteString(w, hello)
			return
		}
		refuse(w, http.StatusNotFound, "index_not_found_exception")
	}))
	defer there.Close()
	for range 4 { // whichever comes first
		_, err := esclient.Open(t.Context(), esclient.Config{Hosts: []string{gone.URL, there.URL}, Index: "x"})
		if !errors.Is(err, store.ErrNoIndex) {
			t.Errorf("Open with one of two hosts = %v, want store.ErrNoIndex from the other", err)
		}
	}
}

// TestWrongHost shows that a host which is something else does not matter while
// another one is right, wherever it is in the list.
func TestWrongHost(t *testing.T) {
	esclient.SetFirstPause(t, time.Millisecond)
	right := func(header string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Elastic-Product", header)
			if r.URL.Path == "/" {
				_, _ = io.WriteString(w, hello)
				return
			}
			refuse(w, http.StatusServiceUnavailable, "master_not_discovered_exception")
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
			one, other := quiet(httptest.NewUnstartedServer(tt.right)), quiet(httptest.NewUnstartedServer(tt.wrong))
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
				_, err := esclient.Open(t.Context(), esclient.Config{Hosts: hosts, Index: "x", Retries: 2})
				var e *esclient.Error
				if !errors.As(err, &e) || errors.Is(err, store.ErrNoIndex) || e.Kind != esclient.Broken {
					t.Errorf("Open with the right host and a wrong one = %v, want that the right one has no master", err)
				}
			}
		})
	}
	t.Run("none is right", func(t *testing.T) {
		wrong := quiet(httptest.NewUnstartedServer(page(200, "<p>It works!")))
		wrong.Start()
		defer wrong.Close()
		gone := httptest.NewServer(http.NotFoundHandler())
		gone.Close()
		_, err := esclient.Open(t.Context(), esclient.Config{Hosts: []string{wrong.URL, gone.URL}, Index: "x", Retries: 2})
		checkError(t, err, esclient.NotElasticsearch, gone.URL+": connection refused", "port 9200")
	})
}

// TestTwoClusters names hosts of two clusters: what one has would be looked up in the
// other, and not be found.
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
				refuse(w, http.StatusForbidden, "security_exception")
			case r.URL.Path == "/_cluster/state/version":
				fmt.Fprintf(w, `{"cluster_uuid": %q}`, state)
			default:
				refuse(w, http.StatusNotFound, "index_not_found_exception")
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
		_, err := esclient.Open(t.Context(), esclient.Config{Hosts: tt.hosts, Index: "x"})
		if refused := err != nil && strings.Contains(err.Error(), "are of two clusters"); refused != tt.two || errors.As(err, new(esclient.ConfigError)) != tt.two {
			t.Errorf("Open with hosts %v = %v, want them refused: %v", tt.hosts, err, tt.two)
		}
		if !tt.two && !errors.Is(err, store.ErrNoIndex) {
			t.Errorf("Open with hosts of one cluster = %v, want store.ErrNoIndex", err)
		}
	}
}

// TestLateHost shows that a host which does not answer is waited for, but not long.
func TestLateHost(t *testing.T) {
	esclient.SetLateHost(t, time.Millisecond)
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer silent.Close()
	there := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, hello)
		default:
			refuse(w, http.StatusForbidden, "security_exception")
		}
	}))
	defer there.Close()
	_, err := esclient.Open(t.Context(), esclient.Config{Hosts: []string{there.URL, silent.URL}, Index: "x", Timeout: time.Second, Retries: -1})
	var e *esclient.Error
	if !errors.As(err, &e) || e.Op == "connect to server" {
		t.Errorf("Open beside a silent host = %v, want an error after connecting", err)
	}
}

// TestTLS opens an index, which is not there, over connections of which some
// are good.
func TestTLS(t *testing.T) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); r.Header.Get("Authorization") != "APIKey a2V5" && user+":"+password != "u:secret" {
			refuse(w, http.StatusUnauthorized, "security_exception")
			return
		}
		if r.URL.Path == "/" {
			_, _ = io.WriteString(w, hello)
			return
		}
		refuse(w, http.StatusNotFound, "index_not_found_exception")
	})
	s := quiet(httptest.NewUnstartedServer(handler))
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
		cfg  esclient.Config
		kind esclient.Kind // "" where the connection is good
		want string
	}{
		{"right authority", esclient.Config{Hosts: []string{s.URL}, CAFile: pemOf(s.Certificate().Raw), APIKey: "a2V5"}, "", ""},
		{"right fingerprint", esclient.Config{Hosts: []string{s.URL}, Fingerprint: right, Username: "u", Password: "secret"}, "", ""},
		{"password in the address", esclient.Config{Hosts: []string{strings.Replace(s.URL, "://", "://u:secret@", 1)}, Fingerprint: strings.ToUpper(right)}, "", ""},
		{"no authority", esclient.Config{Hosts: []string{s.URL}, APIKey: "a2V5"}, esclient.BadCertificate, "unknown authority"},
		{"wrong authority", esclient.Config{Hosts: []string{s.URL}, CAFile: pemOf(other), APIKey: "a2V5"}, esclient.BadCertificate, "unknown authority"},
		{"wrong fingerprint", esclient.Config{Hosts: []string{s.URL}, Fingerprint: wrong, APIKey: "a2V5"}, esclient.BadCertificate, "fingerprint"},
		{"other name", esclient.Config{Hosts: []string{byName}, CAFile: pemOf(s.Certificate().Raw), APIKey: "a2V5"}, esclient.BadCertificate, "localhost"},
		{"wrong password", esclient.Config{Hosts: []string{s.URL}, Fingerprint: right, Username: "u", Password: "guess"}, esclient.Unauthorized, "401"},
		{"http instead of https", esclient.Config{Hosts: []string{plain}, APIKey: "a2V5"}, esclient.NotElasticsearch, "400"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.cfg.Index = "x"
			_, err := esclient.Open(t.Context(), tt.cfg)
			if tt.kind == "" {
				if !errors.Is(err, store.ErrNoIndex) {
					t.Errorf("Open = %v, want store.ErrNoIndex over a good connection", err)
				}
				return
			}
			checkError(t, err, tt.kind, tt.want, "")
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("error shows the password: %v", err)
			}
		})
	}
	t.Run("https instead of http", func(t *testing.T) {
		s := quiet(httptest.NewUnstartedServer(handler))
		s.Start()
		defer s.Close()
		_, err := esclient.Open(t.Context(), esclient.Config{Hosts: []string{strings.Replace(s.URL, "http:", "https:", 1)}, Index: "x", Retries: -1})
		checkError(t, err, esclient.NoTLS, "does not speak TLS", "http://")
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
		cfg  esclient.Config
		want string
	}{
		{esclient.Config{}, `index name "": it is empty`},
		{esclient.Config{Index: "Theses"}, "upper-case"},
		{esclient.Config{Index: "a*"}, "has one of"},
		{esclient.Config{Index: "_a"}, "begins with"},
		{esclient.Config{Index: "\xff"}, "UTF-8"},
		{esclient.Config{Index: strings.Repeat("x", 201)}, "longer than"},
		{esclient.Config{Index: "x", Hosts: []string{"ftp://host"}}, "want host:port"},
		{esclient.Config{Index: "x", Hosts: []string{"http://u:secret@host:port"}}, `use host "host:port": want`},
		{esclient.Config{Index: "x", Hosts: []string{"ftp://u:secret@host"}}, "want host:port"},
		{esclient.Config{Index: "x", Hosts: []string{"host:99999"}}, `use host "http://host:99999": want`},
		{esclient.Config{Index: "x", Hosts: []string{"http://"}}, "want host:port"},
		{esclient.Config{Index: "x", Hosts: []string{"a"}, CloudID: "b"}, "both given"},
		{esclient.Config{Index: "x", CAFile: "/no/such/file"}, "read certificate authority"},
		{esclient.Config{Index: "x", CAFile: "errors_test.go"}, "no certificate"},
		{esclient.Config{Index: "x", Fingerprint: "abc"}, "64 hexadecimal digits"},
		{esclient.Config{Index: "x", Hosts: []string{"https://a", "b:9200"}, Fingerprint: strings.Repeat("ab", 32), Password: "secret"}, `use host "http://b:9200": a certificate authority or fingerprint is given`},
		{esclient.Config{Index: "x", CloudID: "no:cloud"}, "use cluster"},
		{esclient.Config{Index: "x", CloudID: "bm90aGluZw=="}, "use cluster"},
		{esclient.Config{Index: "x", CloudID: "name:" + base64.StdEncoding.EncodeToString([]byte("cloud.example.org$"))}, "names no Elasticsearch"},
	} {
		_, err := esclient.Open(t.Context(), tt.cfg)
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("Open(%+v) = %v, want an error with %q and without a secret", tt.cfg, err, tt.want)
		}
		if errors.Is(err, esclient.ErrServer) || !errors.As(err, new(esclient.ConfigError)) {
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
		cfg  esclient.Config
		url  string
		auth string
	}{
		{"default", esclient.Config{}, "http://localhost:9200/", ""},
		{"path of a proxy", esclient.Config{Hosts: []string{"https://a.example.org/es/"}}, "https://a.example.org/es/", ""},
		{"cloud", esclient.Config{CloudID: cloud, APIKey: "a2V5"}, "https://abc123.eu.cloud.example.org:9243/", "APIKey a2V5"},
		{"cloud without more", esclient.Config{CloudID: "x:" + base64.StdEncoding.EncodeToString([]byte("eu.example.org$abc123"))}, "https://abc123.eu.example.org/", ""},
		{"password", esclient.Config{Username: "u", Password: "p"}, "http://localhost:9200/", "Basic dTpw"},
		{"a key wins over a password", esclient.Config{Username: "u", Password: "p", APIKey: "a2V5"}, "http://localhost:9200/", "APIKey a2V5"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			tt.cfg.Index = "x"
			tt.cfg.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
				got = append(got, r.URL.String(), r.Header.Get("Authorization"), r.UserAgent())
				return nil, errors.New("enough seen")
			})
			tt.cfg.Retries = -1
			_, err := esclient.Open(t.Context(), tt.cfg)
			checkError(t, err, esclient.Unreachable, "enough seen", "")
			if want := []string{tt.url, tt.auth, "otisk"}; !slices.Equal(got, want) {
				t.Errorf("sent %q, want %q", got, want)
			}
		})
	}
}

func TestEnvironment(t *testing.T) {
	env := map[string]string{
		"ELASTICSEARCH_URL": "https://a:9200,https://b:9200", "ELASTICSEARCH_USERNAME": "u", "ELASTICSEARCH_PASSWORD": "p",
		"ELASTICSEARCH_API_KEY": "k", "ELASTICSEARCH_CA_FILE": "f", "ELASTICSEARCH_FINGERPRINT": "ff",
	}
	getenv := func(name string) string { return env[name] }
	got := fmt.Sprintf("%+v", esclient.Config{}.WithEnvironment(getenv))
	want := fmt.Sprintf("%+v", esclient.Config{
		Hosts: []string{"https://a:9200", "https://b:9200"}, Username: "u", Password: "p", APIKey: "k", CAFile: "f", Fingerprint: "ff",
	})
	if got != want {
		t.Errorf("WithEnvironment() = %s\nwant %s", got, want)
	}
	set := esclient.Config{Hosts: []string{"h"}, Username: "x", Password: "y", APIKey: "z", CAFile: "c", Fingerprint: "d"}
	if got, want := fmt.Sprintf("%+v", set.WithEnvironment(getenv)), fmt.Sprintf("%+v", set); got != want {
		t.Errorf("WithEnvironment() = %s, want what was set: %s", got, want)
	}
	env = map[string]string{"ELASTICSEARCH_CLOUD_ID": "cloud:id"}
	if got := (esclient.Config{}).WithEnvironment(getenv).CloudID; got != "cloud:id" {
		t.Errorf("CloudID = %q, want cloud:id", got)
	}
}
