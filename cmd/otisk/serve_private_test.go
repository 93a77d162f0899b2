package main

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/work"
)

// as returns a client of the server for a new user, in a group by id.
func (s *testServer) as(login string, role accounts.Role, group string) *testServer {
	s.t.Helper()
	var invited desk.Invited
	s.call("POST", "/users", desk.Invitation{Login: login, Role: role, Group: group}, http.StatusCreated, &invited)
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	other := *s
	other.client = &http.Client{Jar: jar}
	other.call("POST", "/links", api.Accept{Link: invited.Link, Password: testPassword}, http.StatusNoContent, nil)
	return &other
}

// page returns the answer to a request for a page.
func (s *testServer) page(path string) string {
	s.t.Helper()
	resp, err := s.client.Get(s.address + path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(data)
}

// TestServePrivate checks a text of another group against a private collection. Nothing that the
// group gets, and nothing that is stored for it, has a word of the source that the text lacks.
func TestServePrivate(t *testing.T) {
	t.Parallel()
	s := startServe(t, t.TempDir())
	s.first()
	copied := "On Monday we went to the old mill by the river, and there we saw the miller grinding the last of the summer wheat. " + strings.ReplaceAll(sample(t, "suspects/palmer-remember-me-another-copy.txt")[4000:8000], "\n", " ")
	source := "Zirkonium begins this text. " + copied + "In the xylograph evening the whole village gathered near the vermilion fountain to listen to the stories of the travelling merchant. Quagmire ends it. " + strings.Repeat("Wunderkammer stands between them. ", 12)
	essay := copied + "In the evening the whole village gathered near the fountain to listen to the stories of the travelling merchant. " + sample(t, "suspects/california-code-1851.txt")[:3000]
	var private api.ID
	s.call("POST", "/collections", api.NewCollection{Name: "Archive", Private: true}, http.StatusUnprocessableEntity, nil)
	s.call("POST", "/collections", api.NewCollection{Name: "Archive", Private: true, Contact: "jana@example.org"}, http.StatusCreated, &private)
	s.upload("/collections/"+private.ID+"/documents", map[string]string{"Klandestin.txt": source, "Klandestin2.txt": source + " Twice."}, nil, nil)
	s.added(private.ID)
	s.upload("/collections/"+private.ID+"/metadata", map[string]string{"t.csv": "path,title,author,address,faculty\nKlandestin.txt,Obscurum,Nemesis,https://secret.example.org/7,alchemy\n"}, nil, nil)
	s.added(private.ID)
	var group api.ID
	s.call("POST", "/groups", api.Name{Name: "Law"}, http.StatusCreated, &group)
	other := s.as("eva", accounts.Librarian, group.ID)
	open := other.collection("Own", map[string]string{"own.txt": sample(t, "suspects/california-code-1851.txt")[:2000]})
	secrets := []string{"zirkonium", "xylograph", "vermilion", "quagmire", "wunderkammer", "klandestin", "obscurum", "nemesis", "secret.example", "alchemy"}
	hidden := func(where, text string) {
		t.Helper()
		for _, secret := range secrets {
			if strings.Contains(strings.ToLower(text), secret) {
				t.Errorf("%s has %q", where, secret)
			}
		}
	}
	for _, fields := range [][]string{{"collection", private.ID}, {"collection", open, "collection", private.ID}, {"collection", private.ID, "collection", open, "among", "true"}} {
		checks := other.check(map[string]string{"essay.txt": essay, "second.txt": essay + " More."}, append(fields, "label", "2026")...)
		for _, c := range checks {
			if c.State != work.Done || c.Score < 5 {
				t.Fatalf("check %+v, want one that is done and found the copy", c)
			}
			for _, format := range []string{"json", "xml", "text", "html", "junit"} {
				var data []byte
				other.call("GET", "/checks/"+c.ID+"/report?format="+format, nil, http.StatusOK, &data)
				hidden(format, string(data))
				if !strings.Contains(string(data), "jana@example.org") {
					t.Errorf("%s does not say whom to ask", format)
				}
			}
			for _, path := range []string{"/checks/" + c.ID, "/checks/" + c.ID + "/report", "/submissions/" + c.Submission} {
				hidden(path, other.page(path))
			}
		}
	}
	for _, path := range []string{"/checks", "/checks.csv", "/collections", "/collections/" + private.ID, "/audit"} {
		hidden(path, other.page(path))
	}
	for _, part := range []string{"/documents", "/additions", "/sources"} {
		other.call("GET", "/collections/"+private.ID+part, nil, http.StatusNotFound, nil)
	}
	files, err := filepath.Glob(filepath.Join(s.data, storage.Reports, "*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		hidden(file, string(data))
	}
	own := s.check(map[string]string{"essay.txt": essay}, "collection", private.ID)
	var data []byte
	s.call("GET", "/checks/"+own[0].ID+"/report", nil, http.StatusOK, &data)
	if !strings.Contains(string(data), "Klandestin.txt") || !strings.Contains(string(data), "vermilion") || !strings.Contains(string(data), "Nemesis") {
		t.Error("the group of the collection does not see the source")
	}
}
