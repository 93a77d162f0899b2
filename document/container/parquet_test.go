package container

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
)

// A parquetRow is a row of the tests' files.
type parquetRow struct {
	ID    string    `parquet:"id"`
	Text  *string   `parquet:"text,optional"`
	Title string    `parquet:"Title"`
	Year  int32     `parquet:"year"`
	Seen  time.Time `parquet:"seen,timestamp(microsecond)"`
	Born  int32     `parquet:"born,date"`
	Pages []struct {
		Body string `parquet:"body"`
	} `parquet:"pages,list"`
	Vector []float32 `parquet:"vector,list"`
}

// parquetFile returns a file with this number of rows, in several row groups.
func parquetFile(t testing.TB, rows int) string {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[parquetRow](&b, parquet.MaxRowsPerRowGroup(50), parquet.Compression(&parquet.Zstd))
	for i := range rows {
		text := strings.Repeat("word ", i%7+1) + fmt.Sprint(i)
		row := parquetRow{ID: fmt.Sprint("d", i), Text: &text, Title: fmt.Sprint("Title ", i), Year: 2001, Seen: time.Unix(1e9, 0), Born: 18262, Vector: []float32{1, 2}}
		row.Pages = append(row.Pages, struct {
			Body string `parquet:"body"`
		}{fmt.Sprint("page one of ", i)}, struct {
			Body string `parquet:"body"`
		}{"page two"})
		if i == 3 {
			row.Text, row.ID = nil, ""
		}
		if _, err := w.Write([]parquetRow{row}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestParquet(t *testing.T) {
	const rows = 120
	data := parquetFile(t, rows)
	got := read(t, "train-00000-of-00001.parquet", data, Options{})
	if len(got) != rows || got[0] != "d0: word 0" || got[3] != "row 4: ! no text in it" || got[119] != "d119: "+strings.Repeat("word ", 1)+"119" {
		t.Errorf("%d records: %.200q", len(got), got)
	}
	pages := read(t, "a.parquet", data, Options{Field: "pages.body", ID: "title"})
	if len(pages) != rows || pages[5] != "Title 5: page one of 5\n\npage two" {
		t.Errorf("nested texts: %.200q", pages)
	}
	if got := read(t, "a.parquet", data, Options{Field: "body"}); len(got) != 1 || !strings.Contains(got[0], `"body": id, text, Title, year, seen, born, pages.body, vector`) {
		t.Errorf("a column that is not there: %q", got)
	}
	if got := read(t, "a.parquet", data, Options{MaxBytes: 20}); got[0] != "d0: word 0" || got[6] != "d6: ! too large: more than 20 bytes" {
		t.Errorf("with a limit: %q", got[:7])
	}
	s, err := Open(t.Context(), strings.NewReader(data), "a.parquet", Options{MaxBytes: 1000})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Each(t.Context(), func(rec Record, err error) error {
		if rec.Title != "Title 0" || rec.Year != 2001 || len(rec.Labels) != 2 || rec.Labels["seen"] != "2001-09-09T01:46:40Z" || rec.Labels["born"] != "2020-01-01" {
			t.Errorf("the first record is %+v", rec)
		}
		return errEnoughRows
	})
	if err != errEnoughRows {
		t.Errorf("Each = %v, want the error of its receiver", err)
	}
}

// TestParquetUnread finds the note on prose in a column that is not read.
func TestParquetUnread(t *testing.T) {
	type row struct {
		Text  string   `parquet:"text"`
		Parts []string `parquet:"parts,list"`
	}
	var b bytes.Buffer
	if err := parquet.Write(&b, []row{{"text", []string{strings.Repeat("copied words ", 10), "two more"}}, {"text", []string{"few words"}}}); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), strings.NewReader(b.String()), "a.parquet", Options{MaxBytes: 1000})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"[22 words that may be shown are not read: parts]", "[]"}
	err = s.Each(t.Context(), func(rec Record, err error) error {
		if err != nil {
			return err
		}
		if doc, err := rec.Text(t.Context(), rec.Data); err != nil || fmt.Sprint(doc.Notes) != want[0] {
			t.Errorf("notes %q, %v, want %s", doc.Notes, err, want[0])
		}
		want = want[1:]
		return nil
	})
	if err != nil || len(want) > 0 {
		t.Errorf("Each = %v, missing %q", err, want)
	}
}

var errEnoughRows = fmt.Errorf("enough")

// TestParquetDamaged reads files with damage anywhere, and cut off anywhere: it returns an
// error or records, and never panics.
func TestParquetDamaged(t *testing.T) {
	data := parquetFile(t, 60)
	for at := 0; at < len(data); at += 7 {
		for _, bad := range []string{data[:at], data[:at] + "\xff" + data[min(at+1, len(data)):]} {
			s, err := Open(t.Context(), strings.NewReader(bad), "a.parquet", Options{MaxBytes: 1 << 20})
			if err != nil || s == nil {
				continue
			}
			_ = s.Each(t.Context(), func(Record, error) error { return nil })
		}
	}
}

// TestParquetBad counts the rows at the end that cannot be read, and limits the text of a list.
func TestParquetBad(t *testing.T) {
	type row struct {
		Text []string `parquet:"text,list"`
	}
	rows := []row{{[]string{"one", "", "two"}}, {[]string{"four", "five", "six"}}}
	for range 150 {
		rows = append(rows, row{[]string{"\xff"}})
	}
	var b bytes.Buffer
	if err := parquet.Write(&b, rows); err != nil {
		t.Fatal(err)
	}
	got := read(t, "a.parquet", b.String(), Options{MaxBytes: 12})
	if len(got) != 102 || got[0] != "row 1: one\n\n\n\ntwo" || got[1] != "row 2: ! too large: more than 12 bytes" || !strings.Contains(got[101], "51 more lines") {
		t.Errorf("%d records: %q", len(got), got)
	}
}
