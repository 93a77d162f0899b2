// Collections makes the collections measured in docs/PERFORMANCE.md from texts and TEI novels.
//
//	go run ./bench/collections recombined -n 1000000 -words 640 train/src train/susp level1 > million.jsonl
//	go run ./bench/collections vertical -repeat -copies 9 train/src train/susp > big.vert
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "collections: error:", err)
		os.Exit(1)
	}
}

// run writes the collection named by the first argument.
func run(args []string, stdout io.Writer) (err error) {
	makers := map[string]func([]string, *bufio.Writer) error{"recombined": recombined, "vertical": vertical}
	if len(args) == 0 || makers[args[0]] == nil {
		return errors.New("want recombined or vertical, flags, and folders of texts")
	}
	w := bufio.NewWriterSize(stdout, 1<<20)
	if err := makers[args[0]](args[1:], w); err != nil {
		return err
	}
	return w.Flush()
}

// A text has paragraphs of words.
type text struct {
	name string
	pars [][]string
}

// texts reads the .txt and .xml files of folders, in order of their names, and cuts them by cut
// into paragraphs or sentences.
func texts(folders []string, cut func(plain string) []string) (list []text, err error) {
	if len(folders) == 0 {
		return nil, errors.New("no folders of texts")
	}
	for _, folder := range folders {
		files, err := os.ReadDir(folder)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if ext := filepath.Ext(f.Name()); ext != ".txt" && ext != ".xml" {
				continue
			}
			data, err := os.ReadFile(filepath.Join(folder, f.Name()))
			if err != nil {
				return nil, err
			}
			t := text{name: f.Name()}
			for _, p := range cut(plain(f.Name(), string(data))) {
				if w := words(p); len(w) > 0 {
					t.pars = append(t.pars, w)
				}
			}
			list = append(list, t)
		}
	}
	return list, nil
}

var (
	tag       = regexp.MustCompile(`<[^>]*>`)
	paragraph = regexp.MustCompile(`\n\s*\n`)
	sentence  = regexp.MustCompile(`[.!?]\s+`)
)

// plain returns the text of a file. For TEI, this is the body, with a blank line after each paragraph.
func plain(name, data string) string {
	data = strings.ReplaceAll(data, "\r\n", "\n")
	if !strings.HasSuffix(name, ".xml") {
		return data
	}
	if body := strings.Index(data, "<body"); body > 0 {
		data = data[body:]
	}
	data = strings.ReplaceAll(strings.ReplaceAll(data, "</p>", "\n\n"), "</head>", "\n\n")
	return tag.ReplaceAllString(data, " ")
}

func paragraphs(plain string) []string { return paragraph.Split(plain, -1) }
func sentences(plain string) []string  { return sentence.Split(plain, -1) }

func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// parse parses flags and returns the arguments after them.
func parse(f *flag.FlagSet, args []string) ([]string, error) {
	err := f.Parse(args)
	return f.Args(), err
}
