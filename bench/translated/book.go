package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/otisk/otisk/language"
	"github.com/otisk/otisk/normalize"
)

// A book is a text in English and its translation, piece by piece: a sentence or a paragraph.
type book struct {
	name, language string
	pieces         []piece
	blocks         [][]piece // consecutive pieces with sourceWords words of English
}

type piece struct{ english, other string }

const sourceWords = 3500

// readBooks reads the texts that are translated into a language.
func readBooks(o options, l *language.Language) ([]*book, error) {
	var books []*book
	add := func(name string, pieces []piece) {
		b := &book{name: name, language: l.Code, pieces: pieces}
		b.cut()
		books = append(books, b)
	}
	if o.ntrex != "" {
		pieces, err := readNTREX(o.ntrex, l)
		if err != nil {
			return nil, err
		}
		add("news", pieces)
	}
	if o.progit != "" {
		pieces, err := readProGit(o.progit, l)
		if err != nil {
			return nil, err
		}
		if len(pieces) > 0 {
			add("book", pieces)
		}
	}
	return books, nil
}

// cut makes the blocks. A rest of fewer than 60 % of the words is left out.
func (b *book) cut() {
	start, n := 0, 0
	for i, p := range b.pieces {
		if n += len(strings.Fields(p.english)); n >= sourceWords {
			b.blocks = append(b.blocks, b.pieces[start:i+1])
			start, n = i+1, 0
		}
	}
	if n > sourceWords*6/10 {
		b.blocks = append(b.blocks, b.pieces[start:])
	}
}

// readNTREX reads the sentences of NTREX-128, one a line.
func readNTREX(folder string, l *language.Language) ([]piece, error) {
	lines := func(name string) ([]string, error) {
		data, err := os.ReadFile(filepath.Join(folder, name))
		return strings.Split(strings.TrimRight(string(data), "\n"), "\n"), err
	}
	english, err := lines("newstest2019-src.eng.txt")
	if err != nil {
		return nil, err
	}
	other, err := lines("newstest2019-ref." + l.ISO3 + ".txt")
	if err != nil {
		return nil, err
	}
	if len(english) != len(other) {
		return nil, fmt.Errorf("%s: %d lines, want %d", l.ISO3, len(other), len(english))
	}
	pieces := make([]piece, len(english))
	for i := range pieces {
		pieces[i] = piece{english[i], other[i]}
	}
	return pieces, nil
}

// readProGit reads the paragraphs of the chapters of Pro Git, paired by their lengths. It returns
// none if the book has no translation into the language.
func readProGit(folder string, l *language.Language) ([]piece, error) {
	chapters, err := filepath.Glob(filepath.Join(folder, "en", "0*", "*.markdown"))
	if err != nil {
		return nil, err
	}
	if len(chapters) == 0 {
		return nil, fmt.Errorf("%s: no chapters en/0*/*.markdown", folder)
	}
	var pieces []piece
	for _, path := range chapters {
		found, err := filepath.Glob(filepath.Join(folder, l.Code, filepath.Base(filepath.Dir(path)), "*.markdown"))
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			continue
		}
		english, err := paragraphs(path)
		if err != nil {
			return nil, err
		}
		other, err := paragraphs(found[0])
		if err != nil {
			return nil, err
		}
		pieces = append(pieces, slices.DeleteFunc(pair(english, other), piece.untranslated)...)
	}
	return pieces, nil
}

// untranslated reports whether at least half of the words of the translation are in the original:
// most of chapter 7 of the Polish book is still in English.
func (p piece) untranslated() bool {
	original := strings.Fields(p.english)
	words, same := 0, 0
	for w := range strings.FieldsSeq(p.other) {
		words++
		if slices.Contains(original, w) {
			same++
		}
	}
	return 2*same >= words
}

var (
	comments   = regexp.MustCompile(`(?s)<!--.*?-->`) // the Polish translation has the original in some
	blankLines = regexp.MustCompile(`\n\s*\n`)
	markup     = regexp.MustCompile("[`*#]+|https?://\\S+")
)

// paragraphs returns the paragraphs of a chapter without code, pictures, comments and markup.
func paragraphs(path string) ([]string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, p := range blankLines.Split(comments.ReplaceAllString(string(data), ""), -1) {
		if strings.HasPrefix(p, "\t") || strings.HasPrefix(p, "    ") || strings.HasPrefix(p, "Insert") {
			continue
		}
		if p = strings.Join(strings.Fields(markup.ReplaceAllString(p, " ")), " "); p != "" {
			list = append(list, p)
		}
	}
	return list, nil
}

var splitter = func() *normalize.Normalizer {
	n, err := normalize.New(normalize.DefaultRules())
	if err != nil {
		panic(err)
	}
	return n
}()

// wordsOf returns the words of a text.
func wordsOf(text string) (words []normalize.Word) {
	for _, p := range splitter.Paragraphs(text, normalize.Auto) {
		words = append(words, p.Words...)
	}
	return words
}
