package report

import (
	"strings"
	"testing"
)

// TestWebAddress holds links to the web: what people say of a document may be
// anything, and a page must not run it.
func TestWebAddress(t *testing.T) {
	for address, want := range map[string]string{
		"https://example.org/a?b=c&d=ž": "https://example.org/a?b=c&d=ž",
		"http://example.org":            "http://example.org",
		"HTTPS://example.org/x":         "https://example.org/x",
		"javascript:alert(1)":           "",
		"data:text/html,x":              "",
		"file:///etc/passwd":            "",
		"https:///nowhere":              "",
		"example.org":                   "",
		"":                              "",
		"https://example.org/%zz":       "",
	} {
		if got := webAddress(address); got != want {
			t.Errorf("webAddress(%q) = %q, want %q", address, got, want)
		}
	}
	page := render(t, "html", hostile(), Options{})
	if strings.Contains(page, `href="javascript`) || strings.Contains(page, `"address":"javascript`) {
		t.Error("the page links to javascript:")
	}
}
