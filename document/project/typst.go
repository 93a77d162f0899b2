package project

import (
	"path"
	"strings"

	"github.com/otisk/otisk/document/format"
)

var (
	typstInclude = format.Pattern(`(?m)(//[^\n]*|/\*(?s:.*?)\*/)|(#?)\binclude\s*\(?\s*"([^"\n]+)"\s*\)?`)
	typstImport  = format.Pattern(`(?m)^\s*#?import\s+"([^"\n@]+)"`)
)

// isTypstMain reports whether a Typst file may be the main one. A file without text, such as a
// template, may be.
func isTypstMain(string, string) bool { return true }

// typst joins a Typst file. In markup, an included file takes the place of the statement; in
// code, it is a block of content.
func (j *joiner) typst(_, text string) {
	for _, m := range typstImport().FindAllStringSubmatch(text, -1) {
		if name, ok := j.typstFile(m[1]); ok {
			j.p.used = add(j.p.used, name)
		}
	}
	at := 0
	for _, m := range typstInclude().FindAllStringSubmatchIndex(text, -1) {
		if m[6] < 0 {
			continue // in a comment
		}
		asked, before, after := text[m[6]:m[7]], "\n", "\n"
		if m[4] == m[5] {
			before, after = "[\n", "\n]"
		}
		j.write(text[at:m[0]])
		at = m[1]
		name, found := j.typstFile(asked)
		j.include(asked, name, found, func(name, text string) {
			j.write(before)
			j.typst(name, text)
			j.write(after)
		})
	}
	j.write(text[at:])
}

// typstFile returns the file at a path, which is relative to the file that has it or, with a
// slash, to the root of the project.
func (j *joiner) typstFile(asked string) (string, bool) {
	if rest, ok := strings.CutPrefix(asked, "/"); ok {
		for dir := j.p.Root(); ; dir = path.Dir(dir) {
			if name, found := j.resolve(rest, []string{dir}, ""); found || dir == "." {
				return name, found
			}
		}
	}
	return j.resolve(asked, []string{j.here()}, "")
}
