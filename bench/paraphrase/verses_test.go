package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/otisk/otisk/internal/testing/files"
)

// translation writes a book with this number of chapters, each verse of which says in
// words of its own where it is; the last chapter lacks its last verse in one of
// the two, and every seventh verse is empty in the other.
func translation(t *testing.T, word string, short, gaps bool) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("### Genesis\n\n")
	for c := 1; c <= 40; c++ {
		verses := 12
		if short && c == 40 {
			verses--
		}
		for v := 1; v <= verses; v++ {
			text := strings.Repeat(fmt.Sprintf("%s%dx%d ", word, c, v), 9)
			if gaps && v%7 == 0 {
				text = ""
			}
			fmt.Fprintf(&b, "[%d:%d] %s\n", c, v, text)
		}
	}
	return files.Write(t, filepath.Join(t.TempDir(), word+".txt"), b.String())
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	body, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// TestTruth checks that the true passages of the suspect are the same verses in the
// other translation, and that the rest of it is the host.
func TestTruth(t *testing.T) {
	host := filepath.Dir(files.Write(t, filepath.Join(t.TempDir(), "novel.txt"), strings.Repeat("Einmal war ein Wirt. Er sprach wenig.\n", 900)))
	out := filepath.Join(t.TempDir(), "out")
	o := options{
		out: out, source: translation(t, "alt", false, false), copy: translation(t, "neu", true, true),
		hosts: host, seed: 1, suspects: 4, short: true,
	}
	if err := run(o); err != nil {
		t.Fatal(err)
	}
	number := func(text, name string) int {
		m := regexp.MustCompile(" " + name + `="(\d+)"`).FindStringSubmatch(text)
		n, _ := strconv.Atoi(m[1])
		return n
	}
	pairs := strings.Fields(read(t, out, "03-other-translation", "pairs"))
	if len(pairs) != 2*o.suspects {
		t.Fatalf("%d names in pairs, want two for each of %d suspects", len(pairs), o.suspects)
	}
	for i := 0; i < len(pairs); i += 2 {
		truth := read(t, out, "03-other-translation", strings.TrimSuffix(pairs[i], ".txt")+"-"+strings.TrimSuffix(pairs[i+1], ".txt")+".xml")
		suspect, source := []rune(read(t, out, "susp", pairs[i])), []rune(read(t, out, "src", pairs[i+1]))
		at, from := number(truth, "this_offset"), number(truth, "source_offset")
		this := string(suspect[at : at+number(truth, "this_length")])
		that := string(source[from : from+number(truth, "source_length")])
		if got, want := strings.Join(strings.Fields(this), " "), strings.ReplaceAll(strings.Join(strings.Fields(that), " "), "alt", "neu"); got != want {
			t.Errorf("%s: the passage is\n%s\nwant\n%s", pairs[i], got, want)
		}
		if rest := string(suspect[:at]) + string(suspect[at+len([]rune(this)):]); strings.Contains(rest, "neu") {
			t.Errorf("%s: there is more of the translation: %s", pairs[i], rest)
		}
	}
	for i, name := range strings.Fields(read(t, out, "02-other-chapters", "pairs")) {
		if i%2 == 0 && !strings.Contains(read(t, out, "susp", name), "neu") {
			t.Errorf("%s has nothing of other chapters", name)
		}
	}
	sources, _ := filepath.Glob(filepath.Join(out, "src", "*"))
	for _, name := range sources {
		text := read(t, name)
		if strings.Contains(text, "alt40x") {
			t.Errorf("%s has verses of a chapter that the two number otherwise", name)
		}
		if strings.Contains(text, "x7 ") {
			t.Errorf("%s has verses that one of the two lacks", name)
		}
	}
}

func TestRunErrors(t *testing.T) {
	host := filepath.Dir(files.Write(t, filepath.Join(t.TempDir(), "novel.txt"), "Ein Satz. Noch einer.\n"))
	book := translation(t, "alt", false, false)
	for name, o := range map[string]options{
		"begins with a number such as [1:1]": {source: files.Write(t, filepath.Join(t.TempDir(), "prose.txt"), "no verses"), copy: book, hosts: host},
		"too few chapters":                   {source: book, copy: files.Write(t, filepath.Join(t.TempDir(), "one.txt"), "### Exodus\n[1:1] One.\n"), hosts: host},
		"no .txt or .xml file":               {source: book, copy: book, hosts: t.TempDir()},
		"no such file":                       {source: book, copy: filepath.Join(host, "missing"), hosts: host},
	} {
		o.out, o.suspects = filepath.Join(t.TempDir(), "out"), 1
		if err := run(o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v, want one with %q", err, name)
		}
	}
}
