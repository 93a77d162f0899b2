package project_test

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/project"
)

// A tree is a tree of files in memory.
type tree map[string]string

func (t tree) Names() []string { return slices.Sorted(maps.Keys(t)) }

func (t tree) Read(name string) ([]byte, error) {
	if text, ok := t[name]; ok {
		return []byte(text), nil
	}
	return nil, fs.ErrNotExist
}

// find returns the projects of a tree.
func find(t *testing.T, files tree) []*project.Project {
	t.Helper()
	list, err := project.Find(t.Context(), files, format.Budget{Bytes: 1 << 20}, "")
	if err != nil {
		t.Fatal(err)
	}
	return list
}

const start, end = "\\documentclass{book}\n\\begin{document}\n", "\n\\end{document}\n"

func TestFind(t *testing.T) {
	tests := []struct {
		name, main string
		files      tree
		want       string // words of the source in their order
		missing    string
	}{
		{"input", "main.tex", tree{"main.tex": start + `ONE \input{ch/a} THREE \include{ch/b.tex}` + end, "ch/a.tex": "TWO", "ch/b.tex": "FOUR", "x.tex": "NO"}, "ONE TWO THREE FOUR", ""},
		{"plain TeX form", "main.tex", tree{"main.tex": start + "\\input a ONE" + end, "a.tex": "TWO"}, "TWO ONE", ""},
		{"comments and verbatim", "main.tex", tree{"main.tex": start + "% \\input{a}\nONE\\verb|\\input{a}|\n\\begin{verbatim}\n\\input{a}\n\\end{verbatim}\n\\iffalse \\input{a} \\fi 10\\% \\input{b}" + end, "a.tex": "NO", "b.tex": "TWO"}, "ONE TWO", ""},
		{"skipped branches", "main.tex", tree{"main.tex": "\\newif\\ifdraft" + start + "ONE \\iffalse \\ifdraft a \\fi \\input{a} \\else \\input{b} \\fi" + end, "a.tex": "NO", "b.tex": "TWO"}, "ONE TWO", ""},
		{"import", "main.tex", tree{"main.tex": start + `\import{ch/}{a}` + end, "ch/a.tex": `ONE \input{b} \subimport{deep}{c}`, "ch/b.tex": "TWO", "ch/deep/c.tex": `THREE \input{d}`, "ch/deep/d.tex": "FOUR"}, "ONE TWO THREE FOUR", ""},
		{"subfile", "main.tex", tree{"main.tex": start + `\subfile{ch/a}` + end, "ch/a.tex": "\\documentclass[../main]{subfiles}\nNO\\begin{document}ONE \\subfile{b}" + end + "NO", "ch/b.tex": "TWO"}, "ONE TWO", ""},
		{"start in an included file", "main.tex", tree{"main.tex": `\input{head} TWO`, "head.tex": start + "ONE"}, "ONE TWO", ""},
		{"missing", "main.tex", tree{"main.tex": "\\input{settings}" + start + `ONE \input{gone}` + end}, "ONE", "gone"},
		{"outside", "sub/main.tex", tree{"sub/main.tex": start + `ONE \input{../../a}` + end, "a.tex": "NO"}, "ONE", "../../a"},
		{"bibliography and pictures", "main.tex", tree{"main.tex": start + `ONE \input{main.bbl} \input{p.pdf_tex}` + end, "main.bbl": "NO", "p.pdf_tex": "NO"}, "ONE", ""},
		{"path in a macro", "main.tex", tree{"main.tex": "\\newcommand{\\dir}{ch}" + start + `\input{\dir/a}` + end, "ch/a.tex": "ONE"}, "ONE", ""},
		{"computed names", "main.tex", tree{"main.tex": start + `\foreach \i in {1,...,10} {\edef\f{ch/c\i}\include{\f}}` + end, "ch/c1.tex": "ONE", "ch/c2.tex": "TWO", "ch/c10.tex": "TEN"}, "ONE TWO TEN", ""},
		{"names in a command", "main.tex", tree{"main.tex": "\\newcommand{\\ch}[1]{\\input{chap/#1}}" + start + `\ch{a}` + end, "chap/a.tex": "ONE"}, "ONE", ""},
		{"other case", "main.tex", tree{"main.tex": start + `\input{Ch/A}` + end, "ch/a.tex": "ONE"}, "ONE", ""},
		{"endinput", "main.tex", tree{"main.tex": start + `\input{a} TWO` + end, "a.tex": `ONE \endinput NO`}, "ONE TWO", ""},
		{"ConTeXt", "book.tex", tree{"book.tex": "\\startproduct book\n\\component ch/a\n\\component ch/b\n\\stopproduct", "ch/a.tex": "\\startcomponent a\n\\product book\nONE", "ch/b.tex": "TWO"}, "ONE TWO", ""},
		{"Typst", "main.typ", tree{"main.typ": "#import \"lib/t.typ\": *\nONE\n#include \"ch/a.typ\"\n// #include \"ch/no.typ\"\nFOUR #{ include \"/ch/c.typ\" }", "ch/a.typ": "TWO #include \"b.typ\"", "ch/b.typ": "THREE", "ch/c.typ": "FIVE", "lib/t.typ": "NO"}, "ONE TWO THREE FOUR FIVE", ""},
		{"mdBook", "book.toml", tree{"book.toml": "[book]\ntitle = \"T\"\n", "src/SUMMARY.md": "# Summary\n[A](a.md)\n- [B](sub/b.md)\n- [C](gone.md)", "src/a.md": "ONE", "src/sub/b.md": "TWO {{#include c.md}}", "src/sub/c.md": "THREE", "src/x.md": "NO"}, "ONE TWO THREE", "gone.md"},
		{"Quarto", "_quarto.yml", tree{"_quarto.yml": "project:\n  type: book\nbook:\n  title: \"T\"\n  chapters:\n    - index.qmd\n    - part: p.qmd\n      chapters:\n        - a.qmd\n  appendices:\n    - z.qmd\nformat:\n  html: default\n", "index.qmd": "ONE\n\n{{< include _i.qmd >}}\n", "_i.qmd": "TWO", "p.qmd": "THREE", "a.qmd": "---\ntitle: FOUR\n---\nFIVE", "z.qmd": "SIX"}, "ONE TWO THREE FOUR FIVE SIX", ""},
		{"bookdown", "_bookdown.yml", tree{"_bookdown.yml": "book_filename: x\n", "01-a.Rmd": "TWO", "02-b.Rmd": "THREE\n\n```{r child = 'sub/c.Rmd'}\n```\n", "index.Rmd": "---\ntitle: T\n---\nONE", "_no.Rmd": "NO", "sub/c.Rmd": "FOUR"}, "ONE TWO THREE FOUR", ""},
		{"bookdown with a list", "_bookdown.yml", tree{"_bookdown.yml": "rmd_files: [\"b.Rmd\",\n \"a.Rmd\"]\n", "a.Rmd": "TWO", "b.Rmd": "ONE", "c.Rmd": "NO"}, "ONE TWO", ""},
	}
	for _, tt := range tests {
		list := find(t, tt.files)
		if len(list) != 1 || list[0].Main != tt.main {
			t.Errorf("%s: %d projects %+v, want one with the main file %s", tt.name, len(list), list, tt.main)
			continue
		}
		if got := strings.Join(capitals(string(list[0].Source)), " "); got != tt.want {
			t.Errorf("%s: source has the words %q, want %q:\n%s", tt.name, got, tt.want, list[0].Source)
		}
		if got := strings.Join(list[0].Missing, " "); got != tt.missing {
			t.Errorf("%s: missing %q, want %q", tt.name, got, tt.missing)
		}
	}
}

// capitals returns the words in capitals, except those in comments and in verbatim text.
func capitals(text string) (words []string) {
	for w := range strings.FieldsFuncSeq(text, func(r rune) bool { return (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') }) {
		if len(w) > 1 && w == strings.ToUpper(w) {
			words = append(words, w)
		}
	}
	return words
}

func TestFindSeveral(t *testing.T) {
	tests := []struct {
		name  string
		files tree
		want  string // main files
	}{
		{"none", tree{"a.tex": "text", "b.md": "text", "_quarto.yml": "project:\n  type: website\n"}, ""},
		{"two", tree{"thesis.tex": start + `\input{a}` + end, "slides.tex": start + "text" + end, "a.tex": "text"}, "slides.tex thesis.tex"},
		{"a part that can be compiled", tree{"thesis.tex": start + `\input{a}` + end, "a.tex": start + "text" + end}, "thesis.tex"},
		{"cycle of main files", tree{"a.tex": start + `\input{b}` + end, "b.tex": start + `\input{a}` + end}, "a.tex"},
		{"picture", tree{"p.tex": "\\documentclass[tikz]{standalone}\\begin{document}x\\end{document}"}, ""},
		{"commented class", tree{"p.tex": "% \\documentclass{book}\ntext"}, ""},
	}
	for _, tt := range tests {
		var mains []string
		for _, p := range find(t, tt.files) {
			mains = append(mains, p.Main)
		}
		if got := strings.Join(mains, " "); got != tt.want {
			t.Errorf("%s: main files %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestFindCycle(t *testing.T) {
	list := find(t, tree{"main.tex": start + `ONE \input{a}` + end, "a.tex": `TWO \input{b} \input{main}`, "b.tex": `THREE \input{a}`})
	if len(list) != 1 || !slices.Equal(list[0].Circular, []string{"a.tex", "main.tex"}) {
		t.Fatalf("projects %+v, want one with the circular files a.tex and main.tex", list)
	}
}

// TestFindLarge joins files whose includes grow exponentially.
func TestFindLarge(t *testing.T) {
	files := tree{"main.tex": start + `\input{a0}` + end, "a30.tex": strings.Repeat("x", 1000)}
	for i := range 30 {
		name := func(i int) string { return "a" + string(rune('0'+i/10)) + string(rune('0'+i%10)) }
		files[name(i)+".tex"] = `\input{` + name(i+1) + `}\input{` + name(i+1) + `}`
	}
	files["main.tex"] = start + `\input{a00}` + end
	_, err := project.Find(t.Context(), files, format.Budget{Bytes: 1 << 20}, "")
	if !errors.Is(err, format.ErrTooLarge) {
		t.Errorf("Find of files of 2³⁰ kB: error %v, want %v", err, format.ErrTooLarge)
	}
}

// TestFindChanged changes a tree in ways that do not change its project, or change it in a known way.
func TestFindChanged(t *testing.T) {
	base := func() tree {
		return tree{"main.tex": start + "ONE \\input{a} TWO \\include{b}" + end, "a.tex": "THREE \\input{c}", "b.tex": "FOUR", "c.tex": "FIVE", "x.png": "\x89PNG"}
	}
	const words = "ONE THREE FIVE TWO FOUR"
	tests := []struct {
		name   string
		change func(tree)
		want   string
	}{
		{"unchanged", func(tree) {}, words},
		{"unrelated files", func(f tree) { f["z/notes.tex"], f["0.txt"], f["code.py"] = "NO", "NO", "NO" }, words},
		{"in a folder", func(f tree) {
			for name, text := range base() {
				delete(f, name)
				f["deep/er/"+name] = text
			}
		}, words},
		{"an include twice", func(f tree) { f["b.tex"] = "FOUR \\input{c}" }, words + " FIVE"},
		{"an include split in two", func(f tree) { f["b.tex"], f["d.tex"] = "\\input{d}", "FOUR" }, words},
		{"renamed", func(f tree) {
			f["a.tex"], f["e.tex"] = "THREE \\input{e}", f["c.tex"]
			delete(f, "c.tex")
		}, words},
		{"line ends of Windows", func(f tree) {
			for name, text := range f {
				f[name] = strings.ReplaceAll(text, "\n", "\r\n")
			}
		}, words},
	}
	for _, tt := range tests {
		files := base()
		tt.change(files)
		list := find(t, files)
		if len(list) != 1 {
			t.Errorf("%s: %d projects, want 1", tt.name, len(list))
			continue
		}
		if got := strings.Join(capitals(string(list[0].Source)), " "); got != tt.want {
			t.Errorf("%s: words %q, want %q", tt.name, got, tt.want)
		}
	}
}

// A failing tree fails to read one file, once.
type failing struct {
	tree
	name string
}

func (f *failing) Read(name string) ([]byte, error) {
	if name == f.name {
		f.name = ""
		return nil, errors.New("read error")
	}
	return f.tree.Read(name)
}

// TestFindFaults reads each file with an error once: the file is missing and named, or there is no
// project, but no text is lost in silence.
func TestFindFaults(t *testing.T) {
	files := tree{"main.tex": start + "ONE \\input{a}" + end, "a.tex": "TWO"}
	for name := range files {
		list, err := project.Find(t.Context(), &failing{files, name}, format.Budget{Bytes: 1 << 20}, "")
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, p := range list {
			if strings.Join(capitals(string(p.Source)), " ") != "ONE TWO" && !slices.Contains(p.Missing, strings.TrimSuffix(name, ".tex")) {
				t.Errorf("%s cannot be read: source %q, missing %q; want that it is named", name, p.Source, p.Missing)
			}
		}
	}
}

// FuzzFind joins any two files: it ends, stays within its budget, and the source is UTF-8.
func FuzzFind(f *testing.F) {
	f.Add(start+"\\input{b}\\iffalse \\fi \\import{c/}{b} \\include{a}"+end, "\\input{a} \\newif\\ifx \\iffalse")
	f.Add("#include \"b.typ\"\n= A", "text")
	f.Add("---\ntitle: x\n---\n{{< include b.md >}}", "# B")
	f.Fuzz(func(t *testing.T, a, b string) {
		const budget = 1 << 16
		for _, ext := range []string{"tex", "typ", "qmd"} {
			list, err := project.Find(t.Context(), tree{"a." + ext: a, "b." + ext: b, "_quarto.yml": b, "book.toml": a}, format.Budget{Bytes: budget}, "utf-8")
			if err != nil && !errors.Is(err, format.ErrTooLarge) {
				t.Fatal(err)
			}
			for _, p := range list {
				if len(p.Source) > budget || !utf8.Valid(p.Source) {
					t.Fatalf("source of %d bytes, valid UTF-8: %t", len(p.Source), utf8.Valid(p.Source))
				}
			}
		}
	})
}
