package attack

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/tca"
)

// integration creates an integration of a group and returns its key.
func (f *fortress) integration(group, name string) (id, key string) {
	f.t.Helper()
	id, key, err := f.desk.SaveIntegration(f.t.Context(), f.actor(f.users[group][accounts.Administrator]), "", desk.NewIntegration{Name: name, Collections: []string{f.collection[group]}, Index: f.collection[group], Viewers: desk.ViewInstructors})
	if err != nil {
		f.t.Fatal(err)
	}
	return id, key
}

// asked sends a request with the key of an integration.
func (f *fortress) asked(method, path, key, body string) (int, string) {
	f.t.Helper()
	r := f.request(method, path, "", strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+key)
	return f.send(r)
}

// TestIntegrationKeys: the key of an integration opens its own texts and webhooks and nothing else, and
// nothing else opens them.
func TestIntegrationKeys(t *testing.T) {
	t.Parallel()
	f := build(t, nil)
	_, key := f.integration(ownGroup, "OJS")
	_, beside := f.integration(ownGroup, "Moodle")
	_, foreign := f.integration(otherGroup, "OJS")
	made := map[string]string{}
	for _, path := range []string{"/submissions", "/webhooks"} {
		status, answer := f.asked("POST", tca.Prefix+path, key, `{"owner":"o","title":"t.txt","url":"https://hook.example.org/`+"x"+`","signing_secret":"c2VjcmV0","event_types":["SUBMISSION_COMPLETE"]}`)
		var one struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal([]byte(answer), &one); err != nil || status != http.StatusCreated {
			t.Fatalf("POST %s: %d %s", path, status, answer)
		}
		made[path] = one.ID
	}
	token := func() string {
		_, answer := f.ask("POST", api.Prefix+"/tokens", f.users[ownGroup][accounts.Administrator], api.NewToken{Name: "script", Scopes: accounts.Scopes()})
		var made api.CreatedToken
		if err := json.Unmarshal([]byte(answer), &made); err != nil {
			t.Fatal(err)
		}
		return made.Secret
	}()
	for _, operation := range api.TCAPatterns() {
		method, path, _ := strings.Cut(operation, " ")
		id := made["/submissions"]
		if strings.Contains(path, "/webhooks/") {
			id = made["/webhooks"]
		}
		one := strings.Contains(path, "{id}")
		path = strings.NewReplacer("{$}", "", "{id}", id, "{pdf}", "en", "{version}", "latest", "{user}", "u").Replace(path)
		for who, key := range map[string]string{"nobody": "", "a token": token, "a guess": "AAAAAAAAAAAAAAAAAAAAAAAAAA", "a session": f.users[ownGroup][accounts.Administrator]} {
			if status, answer := f.asked(method, path, key, `{}`); status != http.StatusUnauthorized {
				t.Errorf("%s by %s: %d %s, want 401", operation, who, status, answer)
			}
		}
		if status, answer := f.ask(method, path, f.users[ownGroup][accounts.Administrator], map[string]any{}); status != http.StatusUnauthorized {
			t.Errorf("%s by the session of an administrator: %d %s, want 401", operation, status, answer)
		}
		for who, key := range map[string]string{"another integration": beside, "an integration of another group": foreign} {
			if status, answer := f.asked(method, path, key, `{}`); one && status != http.StatusNotFound {
				t.Errorf("%s by %s: %d %s, want 404", operation, who, status, answer)
			}
		}
	}
	for _, path := range []string{"/me", "/checks", "/submissions/" + f.check[ownGroup], "/users", "/integrations"} {
		if status, answer := f.asked("GET", api.Prefix+path, key, ""); status != http.StatusUnauthorized {
			t.Errorf("GET %s by the key of an integration: %d %s, want 401", path, status, answer)
		}
	}
	if status, _ := f.asked("GET", tca.Prefix+"/submissions/"+made["/submissions"], key, ""); status != http.StatusOK {
		t.Errorf("the own submission: %d, want 200", status)
	}
}

// TestIntegrationFlood: of a body that never ends, each route reads what it needs, and answers no 500. Of a
// stranger's, and of one for a text of another integration, it reads nothing.
func TestIntegrationFlood(t *testing.T) {
	t.Parallel()
	f := build(t, nil)
	_, key := f.integration(ownGroup, "OJS")
	_, beside := f.integration(ownGroup, "Moodle")
	const size, most, file = 64 << 20, 1 << 20, 1<<20 + 64<<10
	for _, operation := range api.TCAPatterns() {
		method, path, _ := strings.Cut(operation, " ")
		if method == "GET" || method == "DELETE" {
			continue
		}
		status, answer := f.asked("POST", tca.Prefix+"/submissions", key, `{"owner":"o","title":"t.txt"}`)
		var made tca.Submission
		if err := json.Unmarshal([]byte(answer), &made); err != nil || status != http.StatusCreated {
			t.Fatalf("a new text: %d %s", status, answer)
		}
		for _, begin := range []string{`{"title":"`, `[[[[`, `{"view_settings":{"exclude_quotes":`, ``} {
			body := &flood{Reader: io.LimitReader(io.MultiReader(strings.NewReader(begin), xs{}), size)}
			r := httptest.NewRequestWithContext(t.Context(), method, f.URL+strings.NewReplacer("{id}", made.ID, "{version}", "latest").Replace(path), body)
			r.ContentLength = -1
			r.Header.Set("Authorization", "Bearer "+key)
			w := httptest.NewRecorder()
			f.handler.ServeHTTP(w, r)
			if body.read > file+64<<10 || w.Code >= 500 && w.Code != http.StatusNotImplemented {
				t.Errorf("%s with %q: %d after %d bytes, want at most %d and no 500", operation, begin, w.Code, body.read, most)
			}
		}
		strangers := map[string]int{"": http.StatusUnauthorized, "Bearer guess": http.StatusUnauthorized, "Basic " + key: http.StatusUnauthorized, key: http.StatusUnauthorized}
		if strings.HasSuffix(path, "/original") {
			strangers["Bearer "+beside] = http.StatusNotFound
		}
		for authorization, want := range strangers {
			body := &flood{Reader: io.LimitReader(xs{}, size)}
			r := httptest.NewRequestWithContext(t.Context(), method, f.URL+strings.NewReplacer("{id}", made.ID, "{version}", "latest").Replace(path), body)
			r.ContentLength = -1
			r.Header.Set("Authorization", authorization)
			w := httptest.NewRecorder()
			f.handler.ServeHTTP(w, r)
			if body.read > 0 || w.Code != want {
				t.Errorf("%s by %.12q: %d after %d bytes, want %d and none", operation, authorization, w.Code, body.read, want)
			}
		}
	}
}

// TestIntegrationBodies: odd bodies are refused by 400, and not stored.
func TestIntegrationBodies(t *testing.T) {
	t.Parallel()
	f := build(t, nil)
	id, key := f.integration(ownGroup, "OJS")
	for _, body := range []string{``, `null`, `[]`, `{}`, `{"owner":"","title":"t"}`, `{"owner":{},"title":"t"}`, `{"owner":"o","title":""}`, `{"owner":"` + strings.Repeat("o", 1001) + `","title":"t"}`, `{"owner":true,"title":"t"}`} {
		if status, answer := f.asked("POST", tca.Prefix+"/submissions", key, body); status != http.StatusBadRequest {
			t.Errorf("a text %.40s: %d %s, want 400", body, status, answer)
		}
	}
	for _, body := range []string{
		`{"url":"http://127.0.0.1/","signing_secret":"c2VjcmV0","event_types":["SUBMISSION_COMPLETE"]}`, `{"url":"https://a.example.org","signing_secret":"","event_types":["SUBMISSION_COMPLETE"]}`,
		`{"url":"https://a.example.org","signing_secret":"###","event_types":["SUBMISSION_COMPLETE"]}`, `{"url":"https://a.example.org","signing_secret":"c2VjcmV0","event_types":[]}`,
		`{"url":"https://a.example.org","signing_secret":"c2VjcmV0","event_types":["tca:SUBMISSION_COMPLETE"]}`, `{"url":"https://u:p@a.example.org","signing_secret":"c2VjcmV0","event_types":["SUBMISSION_COMPLETE"]}`,
	} {
		if status, answer := f.asked("POST", tca.Prefix+"/webhooks", key, body); status != http.StatusBadRequest {
			t.Errorf("a webhook %s: %d %s, want 400", body, status, answer)
		}
	}
	for i := range 11 {
		want := http.StatusCreated
		if i == 10 {
			want = http.StatusBadRequest
		}
		if status, answer := f.asked("POST", tca.Prefix+"/webhooks", key, fmt.Sprintf(`{"url":"https://a%d.example.org","signing_secret":"c2VjcmV0","event_types":["SIMILARITY_UPDATED"]}`, i)); status != want {
			t.Errorf("webhook %d: %d %s, want %d", i, status, answer, want)
		}
	}
	if _, err := f.desk.NewIntegrationKey(t.Context(), f.admin, id); err != nil {
		t.Fatal(err)
	}
	if status, _ := f.asked("GET", tca.Prefix+"/webhooks", key, ""); status != http.StatusUnauthorized {
		t.Errorf("a replaced key: %d, want 401", status)
	}
	administrator := f.actor(f.users[otherGroup][accounts.Administrator])
	if err := f.desk.DeleteIntegration(t.Context(), administrator, id); err == nil {
		t.Error("an administrator of another group deletes an integration")
	}
	if err := f.desk.DeleteCollection(t.Context(), f.admin, f.collection[ownGroup]); err == nil {
		t.Error("the collection of an integration can be deleted")
	}
}

// TestTerms: texts need the acceptance of the terms of use, if there are any.
func TestTerms(t *testing.T) {
	t.Parallel()
	f := build(t, nil)
	id, key := f.integration(ownGroup, "OJS")
	if _, _, err := f.desk.SaveIntegration(t.Context(), f.admin, id, desk.NewIntegration{Name: "OJS", Collections: []string{f.collection[ownGroup]}, Viewers: desk.ViewEverybody, Terms: "Be <honest>."}); err != nil {
		t.Fatal(err)
	}
	const text = `{"owner":"o","submitter":"s","title":"t.txt"}`
	if status, answer := f.asked("POST", tca.Prefix+"/submissions", key, text); status != http.StatusUnavailableForLegalReasons {
		t.Errorf("a text without acceptance: %d %s, want 451", status, answer)
	}
	if status, _ := f.asked("POST", tca.Prefix+"/eula/v1beta/accept", key, `{"user_id":"s"}`); status != http.StatusNotFound {
		t.Errorf("the acceptance of another version: %d, want 404", status)
	}
	var version api.TermsVersion
	_, answer := f.asked("GET", tca.Prefix+"/eula/latest", key, "")
	if err := json.Unmarshal([]byte(answer), &version); err != nil {
		t.Fatal(err)
	}
	if status, page := f.ask("GET", strings.TrimPrefix(version.URL, f.URL), "", nil); status != http.StatusOK || !strings.Contains(page, "Be &lt;honest&gt;.") {
		t.Errorf("the page of the terms %s: %d %s", version.URL, status, page)
	}
	if status, answer := f.asked("POST", tca.Prefix+"/eula/"+version.Version+"/accept", key, `{"user_id":"s","language":"en-US"}`); status != http.StatusOK {
		t.Errorf("the acceptance: %d %s", status, answer)
	}
	if status, answer := f.asked("GET", tca.Prefix+"/eula/latest/accept/s", key, ""); status != http.StatusOK {
		t.Errorf("the stored acceptance: %d %s", status, answer)
	}
	if status, answer := f.asked("POST", tca.Prefix+"/submissions", key, text); status != http.StatusCreated {
		t.Errorf("a text after the acceptance: %d %s, want 201", status, answer)
	}
}
