package lexicon

import (
	"bufio"
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/otisk/otisk/lang/phrase"
)

// readTSV reads lines of a word, a tab and its translations, which commas or semicolons
// separate. Further columns, empty lines and lines that start with # are ignored.
func readTSV(ctx context.Context, path string, add func(heads, translations []string) error) error {
	f, err := open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, mostEntry)
	for n := 1; s.Scan(); n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		line := strings.TrimPrefix(s.Text(), "\ufeff")
		if line == "" || line[0] == '#' {
			continue
		}
		word, rest, ok := strings.Cut(line, "\t")
		switch {
		case !utf8.ValidString(line):
			return damaged(phrase.Error("lexicon.line-utf8", "line {n} is not UTF-8", "n", n))
		case !ok:
			return damaged(phrase.Error("lexicon.line-tab", "line {n} has no tab between a word and its translations", "n", n))
		}
		translations, _, _ := strings.Cut(rest, "\t")
		if err := add(alternatives(word), alternatives(translations)); err != nil {
			return err
		}
	}
	if errors.Is(s.Err(), bufio.ErrTooLong) {
		return damaged(phrase.Error("lexicon.line-long", "a line has more than {n} bytes", "n", mostEntry))
	}
	return s.Err()
}
