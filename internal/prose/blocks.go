package main

import (
	"go/scanner"
	"go/token"
	"regexp"
	"strconv"
	"strings"
)

// A line is one line of prose and its number in the file, counting from 1.
type line struct {
	number int
	text   string
}

// A block is a run of lines that are read as one text: a comment, a string
// literal or a paragraph. A phrase may continue on the next line.
type block []line

// goBlocks returns the comments of a Go file, without indented examples, and,
// unless comments alone are wanted, the string literals of three words or more.
func goBlocks(src []byte, commentsOnly bool) []block {
	var s scanner.Scanner
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(src))
	s.Init(file, src, nil, scanner.ScanComments)
	var blocks []block
	last := -1 // line of the comment before
	for {
		pos, tok, lit := s.Scan()
		at := fset.Position(pos).Line
		switch {
		case tok == token.EOF:
			return blocks
		case tok == token.COMMENT:
			text, isLine := strings.CutPrefix(lit, "//")
			if !isLine {
				blocks = append(blocks, lines(at, strings.Trim(lit, "/*")))
				continue
			}
			if strings.HasPrefix(text, "\t") {
				text = ""
			}
			if last != at-1 {
				blocks = append(blocks, nil)
			}
			end := &blocks[len(blocks)-1]
			*end = append(*end, line{at, strings.TrimSpace(text)})
			last = at
		case tok == token.STRING && !commentsOnly:
			text, err := strconv.Unquote(lit)
			if err == nil && len(strings.Fields(text)) >= 3 && !strings.Contains(lineOf(src, file.Offset(pos)), "prose:ok") {
				blocks = append(blocks, lines(at, text))
				last = -1
			}
		}
	}
}

// messageValue matches the text of a message, which is alone on its line.
var messageValue = regexp.MustCompile(`^\s*"[^"]+": ("(?:[^"\\]|\\.)*"),?$`)

// messageBlocks returns the texts of four words or more of a file of messages: shorter ones are labels.
func messageBlocks(src []byte, _ bool) []block {
	var blocks []block
	for i, l := range strings.Split(string(src), "\n") {
		m := messageValue.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		if text, err := strconv.Unquote(m[1]); err == nil && len(strings.Fields(text)) >= 4 {
			blocks = append(blocks, block{{i + 1, text}})
		}
	}
	return blocks
}

// lineOf returns the line of src that contains offset.
func lineOf(src []byte, offset int) string {
	_, after, _ := strings.Cut(string(src[offset:]), "\n")
	return string(src[offset : len(src)-len(after)])
}

func lines(first int, text string) block {
	var b block
	for i, t := range strings.Split(text, "\n") {
		b = append(b, line{first + i, strings.TrimSpace(t)})
	}
	return b
}

var notProse = regexp.MustCompile("`[^`]*`|\\]\\([^)]*\\)|<!-- [^>]* -->")

// markdownBlocks returns the paragraphs, items and table rows of a Markdown
// file. Code, headings and the targets of links are blank.
func markdownBlocks(src []byte, _ bool) []block {
	blocks := []block{nil}
	fenced := false
	for i, text := range strings.Split(string(src), "\n") {
		trimmed := strings.TrimSpace(text)
		fence := strings.HasPrefix(trimmed, "```")
		if fence {
			fenced = !fenced
		}
		item := strings.HasPrefix(trimmed, "- ") || strings.HasPrefix(trimmed, "|")
		if trimmed == "" || fence || item {
			blocks = append(blocks, nil)
		}
		if fence || fenced || strings.HasPrefix(text, "#") || strings.Contains(text, "prose:ok") {
			continue
		}
		end := &blocks[len(blocks)-1]
		*end = append(*end, line{i + 1, notProse.ReplaceAllString(strings.TrimLeft(trimmed, "-| "), "x")})
	}
	return blocks
}
