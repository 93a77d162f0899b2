package project

import (
	"path"
	"slices"
	"strings"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/internal/lists"
)

var (
	bookBlock   = format.Pattern(`(?m)^book:[ \t]*\n((?:[ \t]+.*\n?|#.*\n?|[ \t]*\n)*)`)
	bookTitle   = format.Pattern(`(?m)^(?:[ \t]*title|title)[ \t]*[:=][ \t]*["']?(.*?)["']?[ \t]*$`)
	bookAuthor  = format.Pattern(`(?m)^[ \t]*author[ \t]*[:=][ \t]*["']?([^\n"'\[\]]+?)["']?[ \t]*$`)
	bookChapter = format.Pattern(`(?mi)^[ \t]*-[ \t]+(?:(?:part|href|file):[ \t]*)?["']?([^\s"'#:]+\.(?:qmd|md|rmd|ipynb))`)
	bookFiles   = format.Pattern(`(?m)^rmd_files:[ \t]*(\[[^\]]*\]|(?:\n[ \t]*-.*)+|\n(?:[ \t]+.*\n?)+)`)
	bookSubdirs = format.Pattern(`(?m)^rmd_subdir:[ \t]*(?:true|yes|\[|\n)`)
	bookName    = format.Pattern(`(?i)["']?([\w./-]+\.r?md)\b`)
	bookSource  = format.Pattern(`(?m)^src[ \t]*=[ \t]*"([^"]*)"`)
	bookLink    = format.Pattern(`\]\(([^()\s]+\.md)\)`)

	markdownInclude = format.Pattern(`(?mi)^[ \t]*\{\{<[ \t]*include[ \t]+["']?([^\s"'>]+)["']?[ \t]*>\}\}[ \t]*$|` +
		`\{\{#include[ \t]+([^\s:}]+\.md)[^}\n]*\}\}|` + "^[ \t]*```\\{r[^}\n]*child[ \t]*=[ \t]*(?:c\\()?[\"']([^\"'\n]+)[\"'][^}\n]*\\}[ \t]*\n(?:[^`\n]*\n)*?[ \t]*```[ \t]*$")
	frontMatter = format.Pattern(`^---[ \t]*\n((?s:.*?))\n(?:---|\.\.\.)[ \t]*(?:\n|$)`)
)

// isBook reports whether a file is the configuration of a book: of Quarto, bookdown or mdBook.
// Without a text, the name decides.
func isBook(name, text string) bool {
	switch path.Base(name) {
	case "_quarto.yml", "_quarto.yaml":
		return text == "" || bookBlock().MatchString(text)
	case "_bookdown.yml", "_bookdown.yaml", "book.toml":
		return true
	}
	return false
}

// isMarkdownMain reports whether a file of Quarto or R Markdown includes others.
func isMarkdownMain(_, text string) bool { return markdownInclude().MatchString(text) }

// book joins the chapters of a book.
func (j *joiner) book(name, text string) {
	var chapters []string
	dir := path.Dir(name)
	switch base := path.Base(name); {
	case base == "book.toml":
		dir = path.Join(dir, "src")
		if m := bookSource().FindStringSubmatch(text); m != nil {
			dir = path.Join(path.Dir(name), m[1])
		}
		chapters = j.summary(dir)
	case strings.HasPrefix(base, "_bookdown"):
		chapters = j.bookdown(dir, text)
	default:
		if m := bookBlock().FindStringSubmatch(text); m != nil {
			text = m[1]
			chapters = append(chapters, lists.Map(bookChapter().FindAllStringSubmatch(text, -1), func(c []string) string { return c[1] })...)
		}
	}
	j.bookHead(text)
	before := len(j.p.Joined)
	for _, c := range chapters {
		full, found := j.resolve(c, []string{dir}, "")
		if extension(c) == "ipynb" {
			found = false // a notebook is not Markdown
		}
		j.include(c, full, found, func(name, text string) {
			j.write("\n\n")
			j.markdown(name, text)
			j.write("\n")
		})
	}
	if len(j.p.Joined) == before {
		j.out.Reset() // the files of a book are elsewhere
	}
}

// bookHead writes the title and the author of a book as front matter.
func (j *joiner) bookHead(text string) {
	title, author := bookTitle().FindStringSubmatch(text), bookAuthor().FindStringSubmatch(text)
	if title == nil && author == nil {
		return
	}
	j.write("---\n")
	if title != nil {
		j.write("title: " + title[1] + "\n")
	}
	if author != nil {
		j.write("author: " + author[1] + "\n")
	}
	j.write("---\n")
}

// summary returns the chapters in the table of contents of mdBook.
func (j *joiner) summary(dir string) (chapters []string) {
	name, found := j.resolve("SUMMARY.md", []string{dir}, "")
	if !found {
		return nil
	}
	t, err := j.text(name)
	if err != nil {
		return nil
	}
	j.p.used = add(j.p.used, name)
	for _, m := range bookLink().FindAllStringSubmatch(t.text, -1) {
		chapters = add(chapters, m[1])
	}
	return chapters
}

// bookdown returns the chapters of a book: those that the configuration lists, or all files
// of R Markdown in the folder, the index first.
func (j *joiner) bookdown(dir, text string) (chapters []string) {
	if m := bookFiles().FindStringSubmatch(text); m != nil {
		for _, c := range bookName().FindAllStringSubmatch(m[1], -1) {
			chapters = add(chapters, c[1])
		}
		return chapters
	}
	deep := bookSubdirs().MatchString(text)
	for _, name := range j.names {
		rel := strings.TrimPrefix(name, dir+"/")
		inside := dir == "." || rel != name
		if inside && (deep || !strings.Contains(rel, "/")) && extension(name) == "rmd" && !strings.HasPrefix(path.Base(name), "_") {
			chapters = append(chapters, rel)
		}
	}
	if i := slices.IndexFunc(chapters, func(c string) bool { return strings.EqualFold(c, "index.rmd") }); i > 0 {
		index := chapters[i]
		chapters = slices.Insert(slices.Delete(chapters, i, i+1), 0, index)
	}
	return chapters
}

// markdown joins a file of Markdown. Only the first front matter stays, with the title of
// others as a heading.
func (j *joiner) markdown(_, text string) {
	if m := frontMatter().FindStringSubmatchIndex(text); m != nil && (len(j.open) > 1 || j.out.Len() > 0) {
		head := text[m[2]:m[3]]
		text = text[m[1]:]
		if j.out.Len() == 0 || strings.TrimSpace(j.out.String()) == "" {
			j.out.Reset()
			j.bookHead(head)
		} else if title := bookTitle().FindStringSubmatch(head); title != nil && title[1] != "" {
			j.write("# " + title[1] + "\n\n")
		}
	}
	at := 0
	for _, m := range markdownInclude().FindAllStringSubmatchIndex(text, -1) {
		asked := ""
		for g := 2; g < len(m); g += 2 {
			if m[g] >= 0 {
				asked = text[m[g]:m[g+1]]
			}
		}
		j.write(text[at:m[0]])
		at = m[1]
		folders := []string{j.here(), j.p.Root()}
		name, found := j.resolve(asked, folders, "")
		j.include(asked, name, found, func(name, text string) {
			j.write("\n")
			j.markdown(name, text)
			j.write("\n")
		})
	}
	j.write(text[at:])
}
