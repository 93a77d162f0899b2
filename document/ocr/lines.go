package ocr

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/lang/phrase"
)

// doubtful is the confidence, of 100, below which a word should be checked: of 2,600 words of
// a printed and scanned Czech novel, one in six of the 65 words below it was wrong, and one in
// a hundred of the others.
const doubtful = 60

// Levels and columns of the rows of the table.
const (
	rowWord = "5"

	columnKind   = 0
	columnLine   = 4 // the first four number the page, block, paragraph and line
	columnLeft   = 6
	columnTop    = 7
	columnWidth  = 8
	columnHeight = 9
	columnSure   = 10
	columnText   = 11
)

var errTable error = phrase.Error("cause.ocr-table", "its output is not a table of words")

// parse parses the table that Tesseract writes: a row for each word, with its position.
func parse(data []byte) ([]format.Line, error) {
	head, rows, _ := bytes.Cut(data, []byte("\n"))
	if !bytes.HasPrefix(head, []byte("level\tpage_num\t")) {
		return nil, errTable
	}
	var lines []format.Line
	last := ""
	var words []word
	for row := range strings.Lines(string(rows)) {
		columns := strings.SplitN(strings.TrimRight(row, "\r\n"), "\t", columnText+1)
		if len(columns) <= columnText || columns[columnKind] != rowWord {
			continue
		}
		w, err := newWord(columns)
		if err != nil {
			return nil, err
		}
		if w.text == "" {
			continue
		}
		if line := strings.Join(columns[1:columnLine+1], "."); line != last {
			lines = add(lines, words)
			words, last = nil, line
		}
		words = append(words, w)
	}
	return add(lines, words), nil
}

// A word is a row of the table.
type word struct {
	text                     string
	sure                     float64
	left, top, right, bottom int
}

func newWord(columns []string) (word, error) {
	var numbers [4]int
	for i := range numbers {
		n, err := strconv.Atoi(columns[columnLeft+i])
		if err != nil {
			return word{}, errTable
		}
		numbers[i] = n
	}
	sure, err := strconv.ParseFloat(columns[columnSure], 64)
	if err != nil {
		return word{}, errTable
	}
	w := word{sure: sure, left: numbers[0], top: numbers[1], right: numbers[0] + numbers[2], bottom: numbers[1] + numbers[3]}
	w.text = strings.Join(strings.Fields(strings.ToValidUTF8(columns[columnText], "\ufffd")), " ")
	return w, nil
}

// add appends a line of words to lines.
func add(lines []format.Line, words []word) []format.Line {
	if len(words) == 0 {
		return lines
	}
	l := format.Line{Left: words[0].left, Top: words[0].top, Right: words[0].right, Bottom: words[0].bottom}
	var text strings.Builder
	for i, w := range words {
		if i > 0 {
			text.WriteByte(' ')
		}
		if w.sure < doubtful {
			l.Doubts = append(l.Doubts, format.Span{Start: text.Len(), End: text.Len() + len(w.text)})
		}
		text.WriteString(w.text)
		l.Left, l.Top = min(l.Left, w.left), min(l.Top, w.top)
		l.Right, l.Bottom = max(l.Right, w.right), max(l.Bottom, w.bottom)
	}
	l.Text, l.Base = text.String(), baseOf(words)
	return append(lines, l)
}

// baseOf returns the baseline of a line: the bottom of words without descenders.
func baseOf(words []word) int {
	var ends []int
	for _, w := range words {
		if strings.ContainsFunc(w.text, unicode.IsLetter) {
			ends = append(ends, w.bottom)
		}
	}
	if len(ends) == 0 {
		return words[0].bottom
	}
	slices.Sort(ends)
	return ends[len(ends)/4]
}
