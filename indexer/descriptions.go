package indexer

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/container"
	"github.com/otisk/otisk/indexer/internal/grams"
	"github.com/otisk/otisk/internal/closing"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/internal/walk"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// ErrDescriptions is wrapped by errors about the content of a table of descriptions.
var ErrDescriptions error = phrase.Error("said.no-table", "not a table of descriptions")

// Descriptions are the descriptions of documents in a table. See [ReadDescriptions].
type Descriptions struct {
	folder  string // canonical folder of the table
	columns []string

	mu   sync.Mutex
	rows map[string]*described // by the value in the first column
}

// A described is one row of the table.
type described struct {
	says store.Description
	line int
	used bool // it matched a document
}

// ReadDescriptions reads a table with values separated by commas, semicolons or tabs, whose first
// row names the columns, or a Parquet file. The first column has the name of the document or the path of its file:
// absolute, relative to the folder of the table, or relative to an indexed folder. The columns
// title, author, year and address (or url) have that metadata, also by usual names in other
// languages (see [container.Headings]); every other column is a label.
// Empty cells are ignored. Errors about the content wrap [ErrDescriptions]; no error names the
// file.
func ReadDescriptions(ctx context.Context, file string) (*Descriptions, error) {
	table, err := tableOf(ctx, file)
	if err != nil {
		return nil, err
	}
	folder, err := walk.Canonical(filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	d := &Descriptions{folder: folder, rows: map[string]*described{}}
	if err := d.read(table); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDescriptions, err)
	}
	return d, nil
}

// tableOf returns the rows of the table in a file; the first one names the columns.
func tableOf(ctx context.Context, file string) (table [][]string, err error) {
	if table, err = parquetTable(file); table != nil || err != nil {
		return table, err
	}
	doc, err := document.Open(ctx, file, document.Options{AsIs: true, Whole: true})
	if err != nil {
		return nil, err
	}
	text := strings.TrimPrefix(doc.Text, "\ufeff")
	r := csv.NewReader(strings.NewReader(text))
	r.Comma = separator(text)
	if table, err = r.ReadAll(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDescriptions, csvError(err))
	}
	return table, nil
}

// parquetTable returns the rows of a Parquet file; nil for another file.
func parquetTable(file string) (table [][]string, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, nil // document.Open reports it
	}
	defer closing.Into(&err, f)
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, err
	}
	head := make([]byte, 8)
	if _, err := io.ReadFull(f, head); err != nil || !container.IsParquet(head) {
		return nil, nil
	}
	return container.ParquetRows(f, info.Size(), document.DefaultMaxBytes)
}

// separator returns the most frequent of comma, semicolon and tab in the first line.
func separator(text string) rune {
	first, _, _ := strings.Cut(text, "\n")
	return slices.MaxFunc([]rune{',', ';', '\t'}, func(a, b rune) int {
		return strings.Count(first, string(a)) - strings.Count(first, string(b))
	})
}

// csvError returns an error of package encoding/csv as a message.
func csvError(err error) error {
	var at *csv.ParseError
	switch {
	case errors.As(err, &at) && errors.Is(err, csv.ErrFieldCount):
		return phrase.Error("cause.row-fields", "line {line} and the first line have different numbers of values", "line", at.Line)
	case errors.As(err, &at):
		return phrase.Error("cause.csv", "line {line}, column {column}: {cause}", "line", at.Line, "column", at.Column, "cause", csvReason(at.Err))
	}
	return err
}

func csvReason(err error) error {
	switch err {
	case csv.ErrQuote:
		return phrase.Error("cause.csv-quote", "extraneous or missing \" in a quoted value")
	case csv.ErrBareQuote:
		return phrase.Error("cause.csv-bare", "a \" in a value without quotes")
	}
	return err
}

func (d *Descriptions) read(table [][]string) error {
	if len(table) == 0 || len(table[0]) < 2 {
		return phrase.Error("said.table-columns", "its first line must name the columns: path, then others such as title, author and year")
	}
	for i, name := range table[0] {
		table[0][i] = strings.TrimSpace(name)
	}
	d.columns = append(table[0][:1:1], container.Headings(table[0][1:])...)
	table[0] = d.columns
	columns := map[string]bool{}
	for i := range table[0] {
		if i == 0 {
			continue
		}
		if err := store.CheckLabel(table[0][i]); err != nil {
			return phrase.Error("cause.table-column", "line 1, column {column}: {cause}", "column", i+1, "cause", err)
		}
		column := store.LabelName(table[0][i])
		if columns[column] {
			return phrase.Error("cause.table-column", "line 1, column {column}: {cause}", "column", i+1, "cause", phrase.Error("cause.table-again", "duplicate column name {name}", "name", column))
		}
		columns[column] = true
	}
	for i, cells := range table[1:] {
		line := i + 2
		row := &described{line: line}
		for at, name := range table[0][1:] {
			if err := row.says.Set(name, strings.TrimSpace(cells[at+1])); err != nil {
				return phrase.Error("cause.table-row", "row {row}: {cause}", "row", line, "cause", err)
			}
		}
		key := keyOfRow(cells[0])
		if key == "." {
			return phrase.Error("cause.row-nameless", "row {row} does not name a document", "row", line)
		}
		if other := d.rows[key]; other != nil {
			return phrase.Error("cause.rows-same", "rows {first} and {row} describe the same document {name}", "first", other.line, "row", line, "name", cells[0])
		}
		d.rows[key] = row
	}
	return nil
}

// keyOfRow returns the key of a row, with composed accents: file names on macOS have decomposed
// ones, tables usually do not. Backslashes, which tables made on Windows have, become slashes.
func keyOfRow(cell string) string {
	return norm.NFC.String(path.Clean(strings.ReplaceAll(strings.TrimSpace(cell), `\`, "/")))
}

// Labels returns the names of the columns if none of them is the title, author, year or
// address, and nil otherwise.
func (d *Descriptions) Labels() []string {
	for _, name := range d.columns[1:] {
		if slices.Contains([]string{"title", "author", "year", "address", "url"}, store.LabelName(name)) {
			return nil
		}
	}
	return d.columns[1:]
}

// of returns the description of the document with any of these names.
func (d *Descriptions) of(names ...string) (says store.Description, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, name := range names {
		if row := d.rows[keyOfRow(name)]; row != nil {
			row.used = true
			return row.says, true
		}
	}
	return store.Description{}, false
}

// Len returns the number of documents that the table describes.
func (d *Descriptions) Len() int { return len(d.rows) }

// Unused returns the first column of the rows that matched no document, in order.
func (d *Descriptions) Unused() (list []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for name, row := range d.rows {
		if !row.used {
			list = append(list, name)
		}
	}
	slices.SortFunc(list, func(a, b string) int { return d.rows[a].line - d.rows[b].line })
	return list
}

// Of returns the description of a document of the index, by its name or the path of its file.
func (d *Descriptions) Of(doc *store.Document, bases []store.Base) (store.Description, bool) {
	return d.of(d.namesOf(doc.Name(), doc.Path, store.File(bases, doc.Base, doc.Path), bases, nil)...)
}

// OfFile returns the description of the document whose file has a name that no other has.
func (d *Descriptions) OfFile(name string) (store.Description, bool) { return d.of(name) }

// namesOf returns the keys by which a row may identify a document: its name with and without the
// prefix, and the path of its file, absolute, relative to the table, to a base of the index, and to
// the folders in roots.
func (d *Descriptions) namesOf(name, path, place string, bases []store.Base, roots []root) []string {
	names, folders := []string{name, path, place}, []string{d.folder}
	folders = append(folders, lists.Map(roots, func(root root) string { return root.canonical })...)
	for _, b := range bases {
		if b.Folder != "" {
			folders = append(folders, b.Folder)
		}
	}
	for _, folder := range folders {
		if rel, ok := walk.Within(folder, place); ok {
			names = append(names, rel)
		}
	}
	return names
}

// said returns the description for the document at f: that of the table, or else that of old, its
// present entry.
func (r *run) said(f *file, old store.Document) store.Description {
	if r.opts.Descriptions == nil {
		return old.Said
	}
	names := r.opts.Descriptions.namesOf(r.opts.Prefix+f.document(), f.document(), f.canonical+f.member, r.names.bases, r.roots)
	if says, ok := r.opts.Descriptions.of(names...); ok {
		return says.Over(old.Said)
	}
	return old.Said
}

// Errors of changing a description, which requires the kept text.
var (
	errNoText error = phrase.Error("cause.text-not-kept", "the index does not keep its text: to describe it, index it again with a table of descriptions")
	errOther  error = phrase.Error("index.other-text", "its kept text is not the text that was indexed: {cause}", "cause", store.ErrDamaged)
)

// Describe replaces the description of d, a document of s, and changes nothing else. The change is
// pending until the next commit. It returns an error if s does not keep the text of d.
func Describe(ctx context.Context, s store.Store, d store.Document, says store.Description) error {
	if d.NoText {
		return errNoText
	}
	text, err := store.TextOf(ctx, s, d.ID)
	if err != nil {
		return err
	}
	if d.TextSum != store.TextSum(text, d.Rules, d.NewLine) {
		return errOther // adding it would drop its n-grams
	}
	if d.Marks, err = grams.MarksOf(ctx, s, d.ID); err != nil {
		return err
	}
	d.Said = says
	return s.Add(ctx, d, text, nil, nil)
}
