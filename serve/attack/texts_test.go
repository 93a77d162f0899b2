package attack

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
)

// TestBrokenTexts: zero bytes and bytes that are not UTF-8, which PostgreSQL does not store, are no error of the
// server, wherever a stranger or a user sends them.
func TestBrokenTexts(t *testing.T) {
	t.Parallel()
	f := build(t, nil)
	admin, collection, check := f.users[ownGroup][accounts.Administrator], f.collection[ownGroup], f.check[ownGroup]
	form := func(values url.Values) *http.Request {
		r := f.request("POST", "", admin, strings.NewReader(values.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		return r
	}
	at := func(path string, r *http.Request) *http.Request {
		r.URL.Path = path
		return r
	}
	files := func(field, value, name string) *http.Request {
		var body bytes.Buffer
		w := multipart.NewWriter(&body)
		_ = w.WriteField("collection", collection)
		_ = w.WriteField(field, value)
		part, err := w.CreateFormFile("file", name)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = part.Write([]byte("text")) // to a buffer
		_ = w.Close()
		r := f.request("POST", api.Prefix+"/submissions", admin, &body)
		r.Header.Set("Content-Type", w.FormDataContentType())
		return r
	}
	keyed := f.request("POST", api.Prefix+"/submissions", admin, nil)
	{
		with := files("label", "x", "a.txt")
		keyed.Body, keyed.ContentLength = with.Body, with.ContentLength
		keyed.Header.Set("Content-Type", with.Header.Get("Content-Type"))
		keyed.Header.Set("Idempotency-Key", "\xff")
	}
	requests := map[string]*http.Request{
		"a login of a stranger":                   f.request("POST", api.Prefix+"/session", "", api.SignIn{Login: "a\x00", Password: password}),
		"a link of a stranger":                    f.request("POST", api.Prefix+"/links", "", api.Accept{Link: "a\x00", Password: password}),
		"a shared link of a stranger":             f.request("GET", "/shared/%00", "", nil),
		"a shared link that is not UTF-8":         f.request("GET", api.Prefix+"/shared/%ff", "", nil),
		"a launch of a stranger":                  f.request("GET", "/lti/login?iss=%00&login_hint=x&target_link_uri=x&client_id=%ff", "", nil),
		"the name of a collection":                f.request("POST", api.Prefix+"/collections", admin, api.NewCollection{Name: "a\x00b"}),
		"the name of a group":                     f.request("POST", api.Prefix+"/groups", admin, api.Name{Name: "\x00"}),
		"a comment in a case":                     f.request("POST", api.Prefix+"/checks/"+check+"/case", admin, desk.NewStep{Kind: "comment", Text: "a\x00b"}),
		"the id of a check":                       f.request("GET", api.Prefix+"/checks/%00", admin, nil),
		"the id of a check that is not UTF-8":     f.request("GET", api.Prefix+"/checks/%c3%28", admin, nil),
		"a search":                                f.request("GET", api.Prefix+"/checks?q=%00", admin, nil),
		"a search that is not UTF-8":              f.request("GET", api.Prefix+"/checks?label=%ff", admin, nil),
		"the page of a search":                    f.request("GET", "/checks?q=%00", admin, nil),
		"the name of a document":                  f.request("DELETE", api.Prefix+"/collections/"+collection+"/documents?name=%00", admin, nil),
		"a label":                                 files("label", "a\x00b", "a.txt"),
		"a label that is not UTF-8":               files("label", "\xff\xfe", "a.txt"),
		"an idempotency key that is not UTF-8":    keyed,
		"a form":                                  at("/groups", form(url.Values{"name": {"a\x00b"}})),
		"a form with text that is not UTF-8":      at("/groups", form(url.Values{"name": {"a\xff"}})),
		"the name of a field that is not UTF-8":   at("/groups", form(url.Values{"name": {"a"}, "\xff": {"b"}})),
		"a form of a stranger":                    at("/sign-in", form(url.Values{"login": {"a\x00"}, "password": {"\xff"}})),
		"a form with a file and a field of \\x00": at("/check", files("label", "\x00", "a.txt")),
	}
	for what, r := range requests {
		if status, answer := f.send(r); status >= http.StatusInternalServerError {
			t.Errorf("%s: %d %.200s", what, status, answer)
		}
	}
	if strings.Contains(f.log.String(), "level=ERROR") {
		t.Errorf("the server logged errors:\n%s", f.log.String())
	}
}

// TestInvisibleNames: names of groups and collections lose characters that are not shown, so that none looks like
// another one.
func TestInvisibleNames(t *testing.T) {
	t.Parallel()
	f := build(t, nil)
	admin := f.users[ownGroup][accounts.Administrator]
	for name, want := range map[string]int{
		otherGroup + "\u200b": http.StatusConflict, "\u202e" + otherGroup: http.StatusConflict, "Ot\u00adher": http.StatusConflict, otherGroup + "\n": http.StatusConflict,
		"\u200b\ufeff": http.StatusUnprocessableEntity, "\u0007": http.StatusUnprocessableEntity, "نمی\u200cخواهم": http.StatusCreated, "Two\nlines": http.StatusCreated,
	} {
		if status, answer := f.ask("POST", api.Prefix+"/groups", admin, api.Name{Name: name}); status != want {
			t.Errorf("a group %+q: %d %s, want %d", name, status, answer, want)
		}
	}
	groups, err := f.desk.Groups(t.Context(), f.admin)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, g := range groups {
		names = append(names, g.Name)
	}
	if got, want := strings.Join(names, "|"), "Other|Otisk|Two lines|نمی\u200cخواهم"; got != want {
		t.Errorf("groups %+q, want %+q", got, want)
	}
}
