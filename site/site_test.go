package main

import (
	"bytes"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/otisk/otisk/internal/testing/browser"
	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/lang"
)

// TestContent: each language has the same pages, and its tour runs the same commands and shows the same pictures.
func TestContent(t *testing.T) {
	parts := func(tag string) []string {
		var list []string
		names, err := filepath.Glob(filepath.Join("content", tag, "*.md"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, filepath.Base(name))
			for _, b := range block.FindAllSubmatch(text, -1) {
				list = append(list, string(b[1]))
			}
			for _, p := range pictures {
				if bytes.Contains(text, []byte("]("+p.name+".png)")) {
					list = append(list, p.name)
				}
			}
		}
		return list
	}
	want := parts("en")
	if len(want) != 5+3+len(pictures) {
		t.Fatalf("the English pages have %q, want five pages, three commands and each of %d pictures", want, len(pictures))
	}
	for _, tag := range lang.Tags() {
		if got := parts(tag); !slices.Equal(got, want) {
			t.Errorf("%s: pages, commands and pictures are\n%q, want\n%q", tag, got, want)
		}
	}
}

// TestLiteral: a document may show the include line of another program.
func TestLiteral(t *testing.T) {
	got := string(literal([]byte("Lines such as `{{< include part.qmd >}}` and {{% x %}} name files.")))
	if want := "Lines such as `{{</* include part.qmd */>}}` and {{%/* x */%}} name files."; got != want {
		t.Errorf("literal = %q, want %q", got, want)
	}
}

// TestVacate: a folder with other files is not deleted.
func TestVacate(t *testing.T) {
	dir := t.TempDir()
	mine := filepath.Join(dir, "thesis.txt")
	if err := os.WriteFile(mine, []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := vacate(dir); err == nil {
		t.Error("vacate accepts a folder with thesis.txt")
	}
	if _, err := os.Stat(mine); err != nil {
		t.Error(err)
	}
}

// TestSite makes the site, and checks its links, its search and its accessibility.
func TestSite(t *testing.T) {
	need.Long(t)
	p := browser.Start(t)
	out, otisk := filepath.Join(t.TempDir(), "site"), os.Getenv("OTISK_TEST_PROGRAM")
	if otisk == "" {
		otisk = filepath.Join(t.TempDir(), "otisk")
		if said, err := exec.Command("go", "build", "-o", otisk, "../cmd/otisk").CombinedOutput(); err != nil {
			t.Fatalf("go build: %v\n%s", err, said)
		}
	}
	if err := build(t.Context(), "..", otisk, out); err != nil {
		t.Fatal(err)
	}
	pages := readSite(t, out)
	t.Run("links", func(t *testing.T) { checkLinks(t, out, pages) })
	t.Run("pictures", func(t *testing.T) { comparePictures(t, out) })
	t.Run("pages", func(t *testing.T) { lookAt(t, p.In(t), out, pages) })
	t.Run("search", func(t *testing.T) { trySearch(t, p.In(t), out) })
}

// readSite returns the parsed pages of a site by their paths.
func readSite(t *testing.T, out string) map[string]*html.Node {
	t.Helper()
	pages := map[string]*html.Node{}
	err := fs.WalkDir(os.DirFS(out), ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".html" {
			return err
		}
		text, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			return err
		}
		pages[name], err = html.Parse(bytes.NewReader(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) < 150 {
		t.Fatalf("the site has %d pages, want the documents and each command in four languages", len(pages))
	}
	return pages
}

// changing matches dates and other numbers.
var changing = regexp.MustCompile(`\d+ \pL+ \d{4}|\d+`)

// comparePictures: the pictures of reports in docs/images show the words that the pages have now.
func comparePictures(t *testing.T, out string) {
	for _, name := range []string{"report.txt", "passage.txt"} {
		var words [2]string
		for i, folder := range []string{out, "../docs/images"} {
			text, err := os.ReadFile(filepath.Join(folder, name))
			if err != nil {
				t.Fatal(err)
			}
			words[i] = changing.ReplaceAllString(string(text), "")
		}
		if words[0] != words[1] {
			t.Errorf("docs/images/%s has the words\n%s\nwhile the page has\n%s\nrun make pictures", name, words[1], words[0])
		}
	}
}

// attributes returns the values of the named attributes of all elements.
func attributes(page *html.Node, keys ...string) (values []string) {
	for n := range page.Descendants() {
		for _, a := range n.Attr {
			if slices.Contains(keys, a.Key) {
				values = append(values, a.Val)
			}
		}
	}
	return values
}

// checkLinks: links within the site lead to files and headings that exist, all others to addresses with https.
func checkLinks(t *testing.T, out string, pages map[string]*html.Node) {
	for name, page := range pages {
		for _, link := range attributes(page, "href", "src") {
			u, err := url.Parse(link)
			if err != nil || u.Scheme != "" {
				if err != nil || u.Scheme != "https" && u.Scheme != "data" {
					t.Errorf("%s links to %s (%v)", name, link, err)
				}
				continue
			}
			target := name
			if u.Path != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(name), u.Path))
			}
			if _, err := os.Stat(filepath.Join(out, target)); err != nil {
				t.Errorf("%s links to %s: %v", name, link, err)
			} else if u.Fragment != "" && !slices.Contains(attributes(pages[target], "id"), u.Fragment) {
				t.Errorf("%s links to %s, which has no such heading", name, link)
			}
		}
	}
}

// lookAt opens pages on a desktop and on a phone: the documents, and of the pages in each language those that are written by
// hand, the list of commands, and a command.
func lookAt(t *testing.T, p *browser.Page, out string, pages map[string]*html.Node) {
	for name := range pages {
		if strings.Contains(name, "commands/") && filepath.Base(name) != "index.html" && filepath.Base(name) != "otisk-search.html" {
			continue
		}
		for _, width := range []int{1280, 390} {
			p.Size(width, 800)
			p.Open(filepath.Join(out, name))
			for _, r := range p.Requests {
				if !strings.HasPrefix(r, "file://") {
					t.Errorf("%s loads %s", name, r)
				}
			}
			if len(p.Errors) > 0 {
				t.Errorf("%s: %s", name, p.Errors)
			}
			if got := p.Text("document.documentElement.scrollWidth"); width == 390 && got != "390" {
				t.Errorf("%s is %s pixels wide on a phone, want 390", name, got)
			}
		}
		for _, v := range p.Violations() {
			t.Errorf("%s: axe: %s", name, v)
		}
	}
}

// trySearch: the search finds a heading and a command by words without accents, and follows the first result.
func trySearch(t *testing.T, p *browser.Page, out string) {
	p.Size(1280, 800)
	for _, tt := range []struct{ page, words, want string }{
		{"index.html", "back up restore", "docs/operation.html#back-up-and-restore"},
		{"cs/commands/otisk-index.html", "zkontrolujte prohlizeci", "cs/index.html#3-zkontrolujte-texty"},
		{"docs/operation.html", "near-duplicate", "commands/otisk-corpus-near.html"},
	} {
		p.Open(filepath.Join(out, tt.page))
		p.Eval("document.getElementById('query').focus()", nil)
		p.Press(strings.Split(tt.words, "")...)
		p.Eval(`new Promise(done => { const look = () => document.querySelector("#found a, #found:not(:empty)") ? done() : requestAnimationFrame(look); look(); })`, nil)
		if got := p.Text(`[...document.querySelectorAll("#found a")].map(a => a.href).join("\n")`); !strings.Contains(got, "/site/"+tt.want) {
			t.Errorf("%s: %q finds\n%s\nwant %s", tt.page, tt.words, got, tt.want)
		}
	}
}
