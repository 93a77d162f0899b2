package report

import (
	"html/template"
	"net/url"
	"path"
	"path/filepath"
	"strings"
)

// webAddress returns an http or https address, and "" for any other: a page must not
// link to other schemes.
func webAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	return u.String()
}

// relative returns the relative URL of a file beside or below the page. Each part of the
// path is escaped, so that a colon starts no scheme and a question mark no query.
func relative(file string) template.URL {
	if file == "" {
		return ""
	}
	parts := strings.Split(path.Clean(filepath.ToSlash(file)), "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return template.URL("./" + strings.ReplaceAll(strings.Join(parts, "/"), ":", "%3A"))
}
