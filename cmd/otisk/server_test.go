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

	"github.com/otisk/otisk/internal/testing/files"
)

// TestServerErrors types commands against servers that cannot answer, and expects status 4,
// one error and one hint that a user can act on, at once.
func TestServerErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	files.Write(t, "a.txt", "the quick brown fox jumps over the lazy dog")
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
		{"no privilege to read", refuse(403, "security_exception", "action [indices:admin/get] is unauthorized for user [otisk] on indices [theses-*]"), false, "", ".* at .*: 403 Forbidden action .indices:admin/get. is unauthorized .*", `the user needs the privilege "view_index_metadata" on the indices NAME-\*`},
		{"no privilege that is named", refuse(403, "security_exception", "not allowed"), false, "", ".* at .*: 403 Forbidden not allowed", `the user needs the privileges "monitor" on the cluster, .*`},
		{"an unknown authority", say(200, ""), true, "", "connect to server at .*: an unknown authority signed the certificate of the server", "give the authority .*"},
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

// TestOutdatedCluster types commands against an index that was made before the first
// release, and expects its name, the reason and the command that makes it again.
func TestOutdatedCluster(t *testing.T) {
	t.Chdir(t.TempDir())
	files.Write(t, "a.txt", "the quick brown fox jumps over the lazy dog")
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Elastic-Product", "Elasticsearch")
		answer := `{"version": {"number": "8.18.8"}}`
		switch {
		case r.Method != http.MethodGet:
			t.Errorf("%s %s, want only what reads", r.Method, r.URL)
		case strings.HasPrefix(r.URL.Path, "/theses-"):
			answer = `{"theses-documents-1": {"aliases": {"theses-documents": {}}, "mappings": {"_meta": {"otisk": {"format": 2, "part": "documents", "block": 256, "settings": {}}}}}}`
		}
		_, _ = io.WriteString(w, answer) // a client that left shows in the test
	}))
	defer s.Close()
	for _, command := range []string{"index a.txt", "search a.txt", "info", "verify", "clean --yes"} {
		status, out, errs := typed(t, append(strings.Fields(command), "--index", s.URL+"/theses")...)
		const want = "otisk: error: open index theses-documents-1: its layout is older than the first release, and this program reads layout 2\n" +
			"otisk: hint: delete the indices NAME-* in the cluster and run otisk index PATH... again, or index into another name, by --index\n"
		if status != 1 || errs != want || out != "" {
			t.Errorf("otisk %s: status %d, output %q and\n%swant 1, none and\n%s", command, status, out, errs, want)
		}
	}
}

// TestWrongCluster types commands with settings of which nobody has to be asked to
// know that they are wrong: status 2, as for others, and nothing is made.
func TestWrongCluster(t *testing.T) {
	t.Chdir(t.TempDir())
	files.Write(t, "a.txt", "the quick brown fox jumps over the lazy dog")
	const here = "<host>localhost:1</host>"
	for _, tt := range []struct{ settings, error string }{
		{"<host>htp://localhost:1</host>", `use host "htp://localhost:1": want host:port or https://host:port`},
		{"<host>http://otisk:secret@localhost:port</host>", `read config.xml: line 1: host: has a user or a password: use <user> and <password_file>`},
		{"<host>localhost:99999</host>", `use host "http://localhost:99999": want host:port or https://host:port`},
		{"<cloud_id>theses</cloud_id>", `use cluster: cloud id "theses": it names no Elasticsearch`},
		{"<cloud_id>theses:!</cloud_id>", `use cluster: cloud id "theses:!": illegal base64 data at input byte 0`},
		{here + "<cloud_id>theses:eA==</cloud_id>", "use cluster: hosts and a cloud id were both given"},
		{here + "<index>Theses</index>", `use index name "Theses": it has an upper-case letter`},
		{here + "<ca_file>no.pem</ca_file>", "read certificate authority: open no.pem: no such file or directory"},
		{here + "<ca_file>a.txt</ca_file>", "read certificate authority: a.txt has no certificate in PEM form"},
		{here + "<fingerprint>abc</fingerprint>", "use fingerprint: want the 64 hexadecimal digits of a SHA-256"},
	} {
		files.Write(t, "config.xml", "<config>"+tt.settings+"</config>")
		for _, command := range []string{"index a.txt", "search a.txt", "info", "clean --yes"} {
			status, out, errs := typed(t, strings.Fields(command)...)
			if want := "otisk: error: " + tt.error + "\n"; status != 2 || errs != want || out != "" {
				t.Errorf("otisk %s with %s: status %d, output %q and\n%swant 2, none and\n%s", command, tt.settings, status, out, errs, want)
			}
		}
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
