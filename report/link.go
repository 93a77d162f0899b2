package report

import (
	"html/template"
	"net/url"
	"path"
	"strings"
)

// relative returns the address of a file that lies beside the page or below
// it. Each part of the path is escaped, so a name with a colon is no scheme
// and one with a question mark no query.
func relative(file string) template.URL {
	if file == "" {
		return ""
	}
	parts := strings.Split(path.Clean(strings.ReplaceAll(file, `\`, "/")), "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return template.URL("./" + strings.ReplaceAll(strings.Join(parts, "/"), ":", "%3A"))
}
