package attack

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
)

// together sends n requests at once, and returns their statuses in ascending order.
func (f *fortress) together(n int, send func(i int) int) []int {
	f.t.Helper()
	statuses := make([]int, n)
	var group sync.WaitGroup
	begin := make(chan struct{})
	for i := range n {
		group.Go(func() {
			<-begin
			statuses[i] = send(i)
		})
	}
	close(begin)
	group.Wait()
	slices.Sort(statuses)
	return statuses
}

// TestAtOnce: of several requests at once that exclude each other, one succeeds. Of two administrators who delete each
// other, one stays.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	f := build(t, nil)
	const n = 6
	admins := []string{f.users[ownGroup][accounts.Administrator], f.users[otherGroup][accounts.Administrator]}
	ask := func(method, path string, in func(i int) any) func(i int) int {
		return func(i int) int {
			var body any
			if in != nil {
				body = in(i)
			}
			status, _ := f.ask(method, api.Prefix+path, admins[i%2], body)
			return status
		}
	}
	same := func(v any) func(int) any { return func(int) any { return v } }
	_, link, err := f.desk.Invite(t.Context(), f.admin, desk.Invitation{Login: "invited", Role: accounts.Checker})
	if err != nil {
		t.Fatal(err)
	}
	checker := f.actor(f.users[ownGroup][accounts.Checker])
	var empty api.ID
	if _, answer := f.ask("POST", api.Prefix+"/groups", admins[0], api.Name{Name: "Empty"}); json.Unmarshal([]byte(answer), &empty) != nil {
		t.Fatal(answer)
	}
	for _, tt := range []struct {
		name          string
		send          func(i int) int
		first, others int
	}{
		{"one name for new groups", ask("POST", "/groups", same(api.Name{Name: "Twice"})), http.StatusCreated, http.StatusConflict},
		{"one login for new users", ask("POST", "/users", same(desk.Invitation{Login: "twin", Role: accounts.Reader})), http.StatusCreated, http.StatusConflict},
		{"one link for several passwords", ask("POST", "/links", func(i int) any { return api.Accept{Link: link, Password: fmt.Sprint(password, i)} }), http.StatusNoContent, http.StatusNotFound},
		{"one check is deleted", ask("DELETE", "/checks/"+f.reported(), nil), http.StatusOK, http.StatusNotFound},
		{"one user is deleted", ask("DELETE", "/users/"+checker.User, nil), http.StatusOK, http.StatusNotFound},
		{"one group is deleted", ask("DELETE", "/groups/"+empty.ID, nil), http.StatusOK, http.StatusNotFound},
	} {
		want := append([]int{tt.first}, slices.Repeat([]int{tt.others}, n-1)...)
		if got := f.together(n, tt.send); !slices.Equal(got, want) {
			t.Errorf("%s: %d, want %d", tt.name, got, want)
		}
	}
	first, second := f.actor(admins[0]).User, f.actor(admins[1]).User
	execute(t, f.folder, `UPDATE users SET role = 'checker' WHERE role = 'administrator' AND id NOT IN ('`+first+`', '`+second+`')`)
	deleted := f.together(2, func(i int) int {
		status, _ := f.ask("DELETE", api.Prefix+"/users/"+[]string{second, first}[i], admins[i], nil)
		return status
	})
	if deleted[0] != http.StatusOK || deleted[1] < 400 || deleted[1] >= 500 {
		t.Errorf("two administrators delete each other: %d, want one refusal", deleted)
	}
}

// TestCrossOriginEverywhere: no route that changes something answers a request from another site, or from another
// host of the same one.
func TestCrossOriginEverywhere(t *testing.T) {
	t.Parallel()
	f := build(t, nil)
	session, tried := f.users[ownGroup][accounts.Administrator], 0
	for _, operation := range f.operations() {
		method, path, _ := strings.Cut(operation, " ")
		if method == http.MethodGet || strings.HasPrefix(path, "/lti/") || !strings.HasPrefix(path, api.Prefix) && strings.HasPrefix(path, "/api/") {
			continue // platforms send launches, and other servers have keys
		}
		tried++
		for _, header := range [][2]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://evil.example"}, {"Origin", "null"}} {
			r := f.request(method, path, session, nil)
			r.Header.Del("Sec-Fetch-Site")
			r.Header.Set(header[0], header[1])
			if status, answer := f.send(r); status != http.StatusForbidden {
				t.Errorf("%s with %s: %s: %d %.100s, want %d", operation, header[0], header[1], status, answer, http.StatusForbidden)
			}
		}
	}
	if tried < 100 {
		t.Errorf("%d routes were tried, want at least 100", tried)
	}
}
