package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/corpus"
	"github.com/otisk/otisk/internal/lists"
)

func (o *corpusOptions) headingFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.noHeading, "no-heading", false, "do not begin a table (tsv) with the names of its columns")
}

// A table is the list of a command: tab-separated columns below their names, or JSON objects.
type table struct {
	w     io.Writer
	jsonl bool
	names []string // of the columns, which are the keys of the objects
}

func (o *corpusOptions) table(w io.Writer, names ...string) (*table, error) {
	t := &table{w: w, jsonl: o.format == "jsonl", names: names}
	if t.jsonl || o.noHeading {
		return t, nil
	}
	_, err := io.WriteString(w, strings.Join(names, "\t")+"\n")
	return t, err
}

func (t *table) row(values ...any) error {
	if !t.jsonl {
		return writeColumns(t.w, values)
	}
	var line []byte
	for i, v := range values {
		line = append(line, map[bool]byte{true: '{', false: ','}[i == 0])
		line = append(append(strconv.AppendQuote(line, t.names[i]), ':'), jsonOf(v)...)
	}
	_, err := t.w.Write(append(line, "}\n"...))
	return err
}

func writeColumns(w io.Writer, values []any) error {
	var line []byte
	for i, v := range values {
		if i > 0 {
			line = append(line, '\t')
		}
		line = append(line, columnOf(v)...)
	}
	_, err := w.Write(append(line, '\n'))
	return err
}

// Ranges are [from, to) of words.
type ranges [][2]int

// Words are separated by blanks in a column.
type words []string

// columnOf formats a value as a column. Floating-point numbers have six significant digits.
func columnOf(v any) string {
	switch v := v.(type) {
	case float64:
		return strconv.FormatFloat(v, 'g', 6, 64)
	case string:
		return corpus.Cell(v)
	case words:
		return strings.Join(v, " ")
	case ranges:
		list := lists.Map(v, func(r [2]int) string { return fmt.Sprintf("%d-%d", r[0], r[1]) })
		return strings.Join(list, " ")
	}
	return fmt.Sprint(v)
}

func jsonOf(v any) string {
	if f, ok := v.(float64); ok {
		return strconv.FormatFloat(f, 'g', 6, 64)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(b)
}

// writeName writes a document of a list of documents, which has no heading: other commands
// read it.
func writeName(w io.Writer, format, id string) error {
	t := &table{w: w, jsonl: format == "jsonl", names: []string{"document"}}
	return t.row(id)
}

type group struct {
	Signature string   `json:"signature,omitempty"`
	Documents []string `json:"documents"`
}

// writeGroup writes the ids of a group on one line, after its signature if it has one.
func writeGroup(w io.Writer, format, signature string, ids []string) error {
	if format == "jsonl" {
		b, err := json.Marshal(group{signature, ids})
		if err != nil {
			return err
		}
		_, err = w.Write(append(b, '\n'))
		return err
	}
	var columns []any
	if signature != "" {
		columns = append(columns, signature)
	}
	columns = append(columns, lists.Map(ids, func(id string) any { return id })...)
	return writeColumns(w, columns)
}
