package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// TestServerErrors types commands against servers that cannot help, and expects
// what a user can act on: status 4, one error and one hint, at once.
func TestServerErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "a.txt", "the quick brown fox jumps over the lazy dog")
	t.Setenv("ELASTICSEARCH_USERNAME", "otisk")
	t.Setenv("ELASTICSEARCH_PASSWORD", "secret")
	say := func(status int, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, text) // a client that left shows in the test
		}
	}
	refuse := func(status int, kind, reason string) http.HandlerFunc {
		return say(status, fmt.Sprintf(`{"error":{"type":%q,"reason":%q},"status":%d}`, kind, reason, status))
	}
	for _, tt := range []struct {
		name   string
		answer http.HandlerFunc // nil for nobody there
		https  bool             // spoken by the server
		url    string           // begins with, "" for what the server speaks
		error  string
		hint   string
	}{
		{"nobody there", nil, false, "", "connect to server at .*: connection refused", "check the address .*"},
		{"a web page", say(200, "<p>It works!"), false, "", "connect to server at .*: it does not answer as Elasticsearch does: the answer is not JSON", "check the address .* port 9200"},
		{"an ancient version", say(200, `{"version": {"number": "1.4.2"}}`), false, "", "connect to server at .*: it is Elasticsearch 1.4.2, and 8.0 or newer is needed", "use Elasticsearch 8 .*"},
		{"a wrong password", refuse(401, "security_exception", "unable to authenticate user [otisk]"), false, "", "connect to server at .*: 401 Unauthorized unable to authenticate user .otisk.", "set ELASTICSEARCH_USERNAME .*"},
		{"an expired key", refuse(401, "security_exception", "api key is expired"), false, "", "connect to server at .*: 401 Unauthorized api key is expired", "make a new API key, .*"},
		{"an unknown authority", say(200, ""), true, "", "connect to server at .*: tls: failed to verify certificate: x509: certificate signed by unknown authority", "give the authority .*"},
		{"https to a server without", say(200, ""), false, "https:", "connect to server at .*: the server does not speak TLS there", "use http:// .*"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := httptest.NewUnstartedServer(tt.answer)
			s.Config.ErrorLog = log.New(io.Discard, "", 0)
			if tt.https {
				s.StartTLS()
			} else {
				s.Start()
			}
			defer s.Close()
			if tt.answer == nil {
				s.Close()
			}
			url := s.URL
			if tt.url != "" {
				url = tt.url + strings.TrimPrefix(url, "http:")
			}
			for _, command := range []string{
				"index a.txt", "index --dedup a.txt", "search a.txt", "search --in theses a.txt", "info", "verify", "docs --where draft",
				"label --set draft --where year>2000", "delete --where draft", "watch --once --settle 1ms .", "clean --yes",
			} {
				checkServerError(t, append(strings.Fields(command), "--index", url+"/theses"), tt.error, tt.hint)
			}
		})
	}
}

func checkServerError(t *testing.T, args []string, reason, hint string) {
	t.Helper()
	var out, errs bytes.Buffer
	status := run(context.Background(), args, strings.NewReader(""), &out, &errs)
	want := regexp.MustCompile("^otisk: error: " + reason + "\notisk: hint: " + hint + "\n$")
	if status != 4 || !want.MatchString(errs.String()) || out.Len() > 0 {
		t.Errorf("otisk %s: status %d, output %q and\n%swant 4, none and\n%v", strings.Join(args, " "), status, out.String(), errs.String(), want)
	}
	if strings.Contains(errs.String(), "secret") {
		t.Errorf("otisk %s shows the password: %s", strings.Join(args, " "), errs.String())
	}
}
