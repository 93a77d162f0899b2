package project

import (
	"path"
	"slices"
	"strings"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/tex"
)

var (
	texBegins  = format.Pattern(`(?m)^(?:[^%\n\\]|\\.)*?\\begin\s*\{document\}`)
	texClass   = format.Pattern(`(?m)^(?:[^%\n\\]|\\[^d])*?\\documentclass\s*(?:\[[^\]]*\])?\s*\{\s*([^{}\s]+)\s*\}`)
	texStart   = format.Pattern(`(?m)^[ \t]*\\(?:startproduct|starttext)\b`)
	texPath    = format.Pattern(`^\\(?:newcommand|renewcommand|providecommand|[egx]?def)\*?\s*\{?\\([A-Za-z]+)\}?\s*\{((?:[\w ./-]|\\[A-Za-z]+)+)\}`)
	texMacro   = format.Pattern(`\\([A-Za-z]+)(?:\{\}|\s)?|#[1-9]`)
	texCommand = format.Pattern(`^\\(?:[A-Za-z@]+\*?|.)`)
	texName    = format.Pattern(`^\s*(?:\{([^{}]*(?:\{\}[^{}]*)?)\}|([^\s{}\\%]+))`)
	texDigits  = format.Pattern(`[0-9]+`)
	texBrace   = format.Pattern(`^\s*\{([^{}]*)\}`)
)

// texIncludes are commands that include a file, with the number of arguments: the last is the
// file, the first of two its folder.
var texIncludes = map[string]int{
	"input": 1, "include": 1, "subfile": 1, "subfileinclude": 1, "InputIfFileExists": 1, "@input": 1,
	"component": 1, "environment": 1, // of ConTeXt
	"import": 2, "subimport": 2, "inputfrom": 2, "includefrom": 2, "subinputfrom": 2, "subincludefrom": 2,
}

// texLiteral are environments whose content is not interpreted.
var texLiteral = format.Names("verbatim", "verbatim*", "Verbatim", "lstlisting", "minted", "comment", "filecontents", "filecontents*")

// texParts are classes of documents that are parts of another one.
var texParts = format.Names("subfiles", "standalone", "subfile")

// texPictures are extensions of pictures in the form of LaTeX, and of bibliographies that
// BibTeX wrote.
var texPictures = format.Names("bbl", "pgf", "tikz", "pdf_tex", "eps_tex", "pdf_t", "pstex_t", "svg_tex", "pictex")

// isTexMain reports whether a file of LaTeX or ConTeXt may be a document of its own: it has a
// class, or it may include the file that has one.
func isTexMain(_, text string) bool {
	class := texClass().FindStringSubmatch(text)
	return class != nil && !texParts[class[1]] || class == nil && (isTexWhole(text) || strings.Contains(text, `\in`))
}

// isTexWhole reports whether a text has the start of a document.
func isTexWhole(text string) bool {
	return texBegins().MatchString(text) || texStart().MatchString(text)
}

// tex joins a LaTeX file. Comments and verbatim text stay unchanged.
func (j *joiner) tex(name, text string) {
	if len(j.open) == 1 {
		j.paths, j.conditionals, j.begun = map[string]string{}, tex.Conditionals{}, texStart().MatchString(text)
		if !isTexWhole(text) {
			j.p.late = 1
		}
		defer j.texEnd()
	}
	j.conditionals.Define(text)
	if texClass().MatchString(text) {
		if j.classed {
			text = texBody(text)
		}
		j.classed = true
	}
	for j.err == nil && text != "" {
		at := strings.IndexAny(text, `\%`)
		if at < 0 {
			j.write(text)
			return
		}
		j.write(text[:at])
		if text = text[at:]; text[0] == '%' {
			end := strings.IndexByte(text, '\n') + 1
			if end == 0 {
				end = len(text)
			}
			j.write(text[:end])
			text = text[end:]
			continue
		}
		var done bool
		if text, done = j.texStep(text); done {
			return
		}
	}
}

// texEnd joins the files that commands of the document include, if the document does not
// include them otherwise. It drops a source without the start of a document.
func (j *joiner) texEnd() {
	if !isTexWhole(j.out.String()) {
		j.out.Reset()
		return
	}
	for _, name := range j.later {
		if !slices.Contains(j.p.Joined, name) {
			j.include(name, name, true, func(name, text string) { j.texAround("\n\n", name, text) })
		}
	}
}

// texBody returns the text between the start and the end of the document in a file.
func texBody(text string) string {
	if at := texBegins().FindStringIndex(text); at != nil {
		text = text[at[1]:]
	}
	body, _, _ := strings.Cut(text, `\end{document}`)
	return body
}

// texStep joins the command at the start of text, and returns the rest and whether the file
// ends here.
func (j *joiner) texStep(text string) (rest string, done bool) {
	command := texCommand().FindString(text)
	if command == "" {
		j.write(text)
		return "", true
	}
	rest = text[len(command):]
	switch name := strings.TrimPrefix(command, `\`); {
	case name == "endinput":
		return "", true
	case name == "verb" || name == "verb*" || name == "lstinline":
		if rest != "" {
			if end := strings.Index(rest[1:], rest[:1]); end >= 0 && !strings.Contains(rest[1:1+end], "\n") {
				command += rest[:end+2]
			}
		}
	case name == "iffalse":
		if end := j.conditionals.EndFalse(rest); end >= 0 {
			command += rest[:end]
		}
	case name == "begin":
		m := texBrace().FindStringSubmatch(rest)
		j.begun = j.begun || m != nil && m[1] == "document"
		if m != nil && texLiteral[m[1]] {
			if end := strings.Index(rest, `\end{`+m[1]+`}`); end >= 0 {
				command += rest[:end]
			}
		}
	case strings.HasSuffix(name, "def") || strings.HasSuffix(strings.TrimSuffix(name, "*"), "command"):
		if m := texPath().FindStringSubmatch(text); m != nil {
			j.paths[m[1]] = m[2]
		}
	case texIncludes[name] > 0:
		if rest, ok := j.texInclude(name, rest); ok {
			return rest, false
		}
	}
	j.write(command)
	return text[len(command):], false
}

// texInclude joins the file in the arguments of a command, and returns the text after them. ok is
// false if the arguments are no file name.
func (j *joiner) texInclude(command, text string) (rest string, ok bool) {
	var dir string
	if texIncludes[command] == 2 {
		m := texBrace().FindStringSubmatch(text)
		if m == nil {
			return "", false
		}
		dir, text = m[1], text[len(m[0]):]
	}
	m := texName().FindStringSubmatch(text)
	if m == nil {
		return "", false
	}
	asked := strings.Trim(strings.TrimSpace(j.texPaths(m[1]+m[2], 0)), `"`)
	dir = strings.TrimSpace(j.texPaths(dir, 0))
	if asked == "" || strings.ContainsAny(dir+asked, `\|{}#`) {
		return "", false
	}
	rest = text[len(m[0]):]
	if texPictures[extension(asked)] {
		return rest, true
	}
	folders := j.texFolders(command, dir)
	if strings.Contains(asked, "*") {
		names := j.matching(asked, folders)
		if len(names) == 0 {
			return "", false
		}
		j.p.Guessed = add(j.p.Guessed, asked)
		if strings.Contains(m[1]+m[2], "#") { // in the definition of a command
			j.later = append(j.later, names...)
			return "", false
		}
		for _, name := range names {
			j.include(name, name, true, func(name, text string) { j.texAround("\n\n", name, text) })
		}
		return rest, true
	}
	name, found := j.resolve(asked, folders, ".tex", "", ".ltx", ".latex", ".mkiv")
	switch {
	case found && texPictures[extension(name)]:
		return rest, true
	case !found && (command == "InputIfFileExists" || command == "@input" || command == "environment" || !j.begun):
		return rest, true // TeX may have it, and no text is in the preamble
	}
	if found && dir != "" {
		j.roots = append(j.roots, folders[0])
	}
	around := "\n"
	if strings.Contains(command, "include") || command == "component" {
		around = "\n\n"
	}
	j.include(path.Join(dir, asked), name, found, func(name, text string) { j.texAround(around, name, text) })
	if found && dir != "" {
		j.roots = j.roots[:len(j.roots)-1]
	}
	return rest, true
}

// texAround joins an included file, which ends in one line end or is between blank lines.
func (j *joiner) texAround(around, name, text string) {
	j.write(strings.TrimPrefix(around, "\n"))
	j.tex(name, text)
	j.write(around)
}

// matching returns the LaTeX files that match a name with asterisks, in the first folder that
// has any, ordered by the numbers in their names. A name that is hardly more than an asterisk
// matches none.
func (j *joiner) matching(pattern string, folders []string) []string {
	if len(strings.Trim(pattern, "*./")) < 2 {
		return nil
	}
	for _, dir := range folders {
		var names []string
		full := strings.TrimSuffix(path.Join(dir, pattern), ".tex") + ".tex"
		for _, name := range j.names {
			if ok, err := path.Match(full, name); ok && err == nil {
				names = append(names, name)
			}
		}
		if len(names) > 0 {
			slices.SortStableFunc(names, byNumbers)
			return names
		}
	}
	return nil
}

// byNumbers compares names; numbers in them count by their value.
func byNumbers(a, b string) int {
	pad := func(s string) string {
		return texDigits().ReplaceAllStringFunc(s, func(n string) string { return strings.Repeat("0", max(0, 9-len(n))) + n })
	}
	return strings.Compare(pad(a), pad(b))
}

// texFolders returns the folders that a file may be in, the likeliest first.
func (j *joiner) texFolders(command, dir string) []string {
	folders := []string{j.p.Root(), j.here()}
	if strings.HasPrefix(command, "subfile") {
		slices.Reverse(folders)
	}
	if n := len(j.roots); n > 0 {
		folders = append([]string{j.roots[n-1]}, folders...)
	}
	if dir != "" {
		if !strings.HasPrefix(command, "sub") {
			folders = []string{j.p.Root(), j.here()}
		}
		for i := range folders {
			folders[i] = path.Join(folders[i], dir)
		}
	}
	return folders
}

// texPaths replaces macros in the name of a file: by their definition if that is part of a path,
// otherwise by an asterisk.
func (j *joiner) texPaths(name string, depth int) string {
	return texMacro().ReplaceAllStringFunc(name, func(s string) string {
		m := texMacro().FindStringSubmatch(s)
		if body, ok := j.paths[m[1]]; ok && depth < maxDepth {
			return j.texPaths(body, depth+1)
		}
		return "*"
	})
}
