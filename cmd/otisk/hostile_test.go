package main

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/text/encoding/htmlindex"

	"github.com/otisk/otisk/internal/testing/zipped"
)

// hostile are the commands by which scripts make content that a text file of the script cannot
// hold.
var hostile = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	// hostile FOLDER makes files that are no text.
	"hostile": func(ts *testscript.TestScript, _ bool, args []string) {
		for name, content := range map[string]string{
			"nul.txt": "hello a\x00b one two three four five six seven", "invalid.txt": "caf\xff\xfe one two three four five six ni\xc3",
			"program": "\x7fELF\x02\x01\x01" + strings.Repeat("\x00\x01\x02", 500), "empty.txt": "",
		} {
			ts.Check(os.WriteFile(ts.MkAbs(filepath.Join(args[0], name)), []byte(content), 0o666))
		}
	},
	// oddly-named FOLDER makes files with names that few expect.
	"oddly-named": func(ts *testscript.TestScript, _ bool, args []string) {
		ts.Check(os.MkdirAll(ts.MkAbs(args[0]), 0o777))
		for _, name := range []string{"line\nbreak.txt", "esc\x1b[2J \"quoted' & <b>.txt"} {
			ts.Check(os.WriteFile(ts.MkAbs(filepath.Join(args[0], name)), []byte("one two three four five six seven eight"), 0o666))
		}
	},
	// zip FILE MEMBER=SOURCE... makes an archive.
	"zip": func(ts *testscript.TestScript, _ bool, args []string) {
		var members []string
		for _, arg := range args[1:] {
			name, source, _ := strings.Cut(arg, "=")
			members = append(members, name, ts.ReadFile(source))
		}
		ts.Check(os.WriteFile(ts.MkAbs(args[0]), zipped.Of(members...), 0o666))
	},
	// long-name FOLDER makes a text whose name leaves no room for an ending, and
	// another.
	"long-name": func(ts *testscript.TestScript, _ bool, args []string) {
		ts.Check(os.MkdirAll(ts.MkAbs(args[0]), 0o777))
		for _, name := range []string{strings.Repeat("long", 62) + ".txt", "fox.txt"} {
			ts.Check(os.WriteFile(ts.MkAbs(filepath.Join(args[0], name)), []byte("the quick brown fox jumps over the lazy dog"), 0o666))
		}
	},
	// summarised SOURCE SUSPECT makes a text, and one with a stretch that draws
	// phrases from all over it.
	"summarised": func(ts *testscript.TestScript, _ bool, args []string) {
		random := rand.New(rand.NewPCG(1, 2))
		prose := func(count int) (words []string) { // two words in five are frequent
			for i := range count {
				number := fmt.Sprintf("%05d", random.IntN([]int{50, 50, 8000, 8000, 8000}[i%5]))
				words = append(words, strings.Map(func(r rune) rune { return r - '0' + 'a' }, number))
			}
			return words
		}
		source := prose(1500)
		suspect := prose(500)
		for at := 0; at+6 < len(source); at += 60 {
			suspect = append(suspect, source[at:at+6]...)
		}
		suspect = append(suspect, prose(500)...)
		for i, words := range [][]string{source, suspect} {
			ts.Check(os.WriteFile(ts.MkAbs(args[i]), []byte(strings.Join(words, " ")), 0o666))
		}
	},
	// deep-page FILE makes a page of 100,000 elements in each other.
	"deep-page": func(ts *testscript.TestScript, _ bool, args []string) {
		page := strings.Repeat("<div>", 100_000) + "one two three four five six seven eight"
		ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(page), 0o666))
	},
	// newer-version INDEX makes an index one of a version to come.
	"newer-version": func(ts *testscript.TestScript, _ bool, args []string) {
		changeFile(ts, args[0], "manifest-*", func(data []byte) []byte {
			binary.LittleEndian.PutUint32(data[len(data)-8:], 99)
			sum := crc32.Checksum(data[:len(data)-4], crc32.MakeTable(crc32.Castagnoli))
			binary.LittleEndian.PutUint32(data[len(data)-4:], sum)
			return data
		})
	},
	// encoded NAME FILE writes a Czech sentence in the encoding of that name.
	"encoded": func(ts *testscript.TestScript, _ bool, args []string) {
		enc, err := htmlindex.Get(args[0])
		ts.Check(err)
		text, err := enc.NewEncoder().String("Žluťoučký kůň úpěl ďábelské ódy a pak šel domů spát.\n")
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o666))
	},
	// cut-segment INDEX takes the end from a segment.
	"cut-segment": func(ts *testscript.TestScript, _ bool, args []string) {
		changeFile(ts, args[0], "segment-*", func(data []byte) []byte { return data[:len(data)-100] })
	},
	// as-nobody COMMAND... runs a command as a user that file modes count for.
	"as-nobody": func(ts *testscript.TestScript, neg bool, args []string) {
		if os.Getuid() == 0 {
			program, err := exec.LookPath(filepath.Join(strings.Split(ts.Getenv("PATH"), string(os.PathListSeparator))[0], args[0]))
			ts.Check(err)
			for _, start := range []string{program, ts.MkAbs(".")} {
				for dir := start; dir != filepath.Clean(os.TempDir()) && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
					ts.Check(os.Chmod(dir, 0o755))
				}
			}
			args = append([]string{"setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"}, args...)
		}
		switch err := ts.Exec(args[0], args[1:]...); {
		case err == nil && neg:
			ts.Fatalf("it should have failed")
		case err != nil && !neg:
			ts.Fatalf("%v", err)
		}
	},
}

// changeFile changes the first file in dir that matches pattern.
func changeFile(ts *testscript.TestScript, dir, pattern string, change func([]byte) []byte) {
	paths, err := filepath.Glob(filepath.Join(ts.MkAbs(dir), pattern))
	ts.Check(err)
	data, err := os.ReadFile(paths[0])
	ts.Check(err)
	ts.Check(os.WriteFile(paths[0], change(data), 0o666))
}
