package report

import (
	"html/template"
	"net/url"
	"path"
	"path/filepath"
	"strings"
)

// webAddress returns an address that is one of the web, and "" for any other: a
// page must not open what else an address can be.
func webAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	return u.String()
}

// relative returns the address of a file that lies beside the page or below
// it. Each part of the path is escaped, so a name with a colon is no scheme
// and one with a question mark no query.
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
