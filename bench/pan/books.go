package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/otisk/otisk/bench/plagdet"
)

// A spot is the location of a text of the corpus: a range of a file, in code points.
type spot struct {
	file string
	plagdet.Span
}

// spots has the locations of joined texts, by name. A text without one is a file of its own.
type spots map[string]spot

func (s spots) of(name string) spot {
	if at, ok := s[name]; ok {
		return at
	}
	return spot{file: name, Span: plagdet.Span{End: 1 << 40}}
}

// between separates joined texts.
const between = "\n\n"

// bind concatenates the texts of a folder to files of each texts in another folder, and
// returns their spots.
func bind(from, to, name string, each int) (spots, error) {
	entries, err := os.ReadDir(from)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(to, 0o777); err != nil {
		return nil, err
	}
	at := spots{}
	number := 0
	for chapters := range slices.Chunk(entries, each) {
		file := fmt.Sprintf("%s%04d.txt", name, number)
		number++
		var book strings.Builder
		runes := 0
		for _, e := range chapters {
			data, err := os.ReadFile(filepath.Join(from, e.Name()))
			if err != nil {
				return nil, err
			}
			text := string(data)
			n := utf8.RuneCountInString(text)
			at[e.Name()] = spot{file, plagdet.Span{Start: runes, End: runes + n}}
			runes += n + len(between)
			book.WriteString(text + between)
		}
		if err := os.WriteFile(filepath.Join(to, file), []byte(book.String()), 0o666); err != nil {
			return nil, err
		}
	}
	return at, nil
}

// joinTexts joins the sources to books and the suspects to theses, if the options say so.
func (s *searchBench) joinTexts(dir string) (err error) {
	s.src, s.susp = filepath.Join(s.corpus.dir, "src"), filepath.Join(s.corpus.dir, "susp")
	if s.books > 1 {
		to := filepath.Join(dir, "src")
		if s.sources, err = bind(s.src, to, "book", s.books); err != nil {
			return err
		}
		s.src = to
	}
	if s.thesis > 1 {
		to := filepath.Join(dir, "susp")
		if s.suspects, err = bind(s.susp, to, "thesis", s.thesis); err != nil {
			return err
		}
		s.susp = to
	}
	return nil
}

// checkedFiles returns the files to check, without duplicates.
func (s *searchBench) checkedFiles() []string {
	var files []string
	for _, name := range s.corpus.suspects {
		files = append(files, s.suspects.of(name).file)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// found returns the passages of a pair, which are those of its files that overlap both
// texts, and the spots of the texts.
func (s *searchBench) found(p plagdet.Pair) (list []plagdet.Case, suspect, source spot) {
	suspect, source = s.suspects.of(p.Suspect), s.sources.of(p.Source)
	whole := plagdet.Case{Suspect: suspect.Span, Source: source.Span}
	if c := s.checked[suspect.file]; c != nil {
		for _, at := range c.whole[source.file] {
			if at.Overlaps(whole) {
				list = append(list, at)
			}
		}
	}
	return list, suspect, source
}

// moved returns cases with offsets in the joined files.
func moved(list []plagdet.Case, suspect, source spot) []plagdet.Case {
	var out []plagdet.Case
	for _, c := range list {
		out = append(out, plagdet.Case{
			Suspect: plagdet.Span{Start: c.Suspect.Start + suspect.Start, End: c.Suspect.End + suspect.Start},
			Source:  plagdet.Span{Start: c.Source.Start + source.Start, End: c.Source.End + source.Start},
		})
	}
	return out
}
