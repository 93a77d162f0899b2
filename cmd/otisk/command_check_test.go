package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestCheckOtherServer: the error names a server that is not one of Otisk, such as a page for signing in before it.
func TestCheckOtherServer(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }))
	defer s.Close()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := newRemote(t.Context(), s.URL, "token", time.Minute).do(req, &struct{}{}); err == nil || !strings.Contains(err.Error(), s.URL) {
		t.Errorf("do = %v, want the address", err)
	}
}

// TestCheckSilentServer: a server that accepts a request and does not answer is given up.
func TestCheckSilentServer(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer s.Close()
	r := newRemote(t.Context(), s.URL, "token", time.Millisecond)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := r.do(req, nil); err == nil || !again {
		t.Errorf("do = %v, %v, want an error and another attempt", again, err)
	}
}
