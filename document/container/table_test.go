package container

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

func TestTable(t *testing.T) {
	rows := "id,title,text\r\na,T,one\r\n\r\nb,\"T, \"\"x\"\"\",\"two\r\nlines, and a \"\"quote\"\"\"\r\n,U,five\" long\r\nc,,\"last\""
	want := []string{"a: one", "b: two\r\nlines, and a \"quote\"", `line 6: five" long`, "c: last"}
	expect(t, read(t, "a.csv", rows, Options{}), want...)
	expect(t, read(t, "a.csv", "\ufeff"+rows, Options{}), want...)
	expect(t, read(t, "a.csv.gz", gzipped(rows), Options{}), want...)
	expect(t, read(t, "a.csv", strings.NewReplacer(",", ";").Replace(rows), Options{}), "a: one", "b: two\r\nlines; and", "line 6: five", "c: last")
	expect(t, read(t, "a.tsv", strings.NewReplacer(",", "\t").Replace(rows), Options{}), "a: one", "b: two\r\nlines", "line 6: five", "c: last")
	expect(t, read(t, "a.csv", "\ufeff\"text\",\"id\"\r\n\"one, two\",a\r\n", Options{}), "a: one, two")
	expect(t, read(t, "a.csv", "\ufeff\"sep=;\"\r\nid;text\r\na;one, two\r\n", Options{}), "a: one, two")
	expect(t, read(t, "a.csv", "Nr,Body\n7,x\n", Options{Field: "body", ID: "nr"}), "7: x")
	expect(t, read(t, "a.csv", "url,text\nhttps://example.org/,x\n", Options{}), "https://example.org/: x")
	expect(t, read(t, "a.csv", "text\nx\n\ny", Options{}), "line 2: x", "line 4: y")
	for _, separator := range []string{";", ",", "\t", "|"} {
		stated := "sep=" + separator + "\r\n" + strings.NewReplacer(";", separator).Replace("id;text\na;one\nb;two, three. four\n")
		expect(t, read(t, "a.csv", strings.ReplaceAll(stated, "two, three", "two"), Options{}), "a: one", "b: two. four")
		expect(t, read(t, "a.csv", "\ufeff"+strings.ReplaceAll(stated, "two, three", "two"), Options{}), "a: one", "b: two. four")
	}
	expect(t, read(t, "a.csv", "\"sep=,\"\nid,text\na,one\n", Options{}), "a: one")
	for _, line := range []string{`"sep=;"`, "SEP=; ", "sep=;,,,", "\ufeffsep=;"} {
		expect(t, read(t, "a.csv", line+"\nid;text\na;one\nb;two, three. four\n", Options{}), "a: one", "b: two, three. four")
	}
	expect(t, read(t, "a.csv", "sep=,text\n1,x\n", Options{}), "line 2: x")
}

// TestTableBroken: a broken row is reported by its line number, and reading continues with
// the next line.
func TestTableBroken(t *testing.T) {
	for _, tt := range []struct {
		name, rows string
		want       []string
	}{
		{"too few values", "id,text\na,one\nb\nc,three\n", []string{"a: one", "line 3: ! damaged or not whole: 1 value, and the table has 2 columns", "c: three"}},
		{"two values for one column", "text\none\ntwo,three\n", []string{"line 2: one", "line 3: ! damaged or not whole: 2 values, and the table has 1 column"}},
		{"too many", "id,text\na,one\nb,x,y,z\nc,three\n", []string{"a: one", "line 3: ! damaged", "c: three"}},
		{"a quote that is never closed", "id,text\na,\"one\nb,two\nc,three", []string{"line 2: ! damaged or not whole: the opening quote of a value has no closing quote", "b: two", "c: three"}},
		{"a quote that the next one closes", "id,text\na,\"one\nb,\"two\"\nc,three\n", []string{"line 2: ! damaged or not whole: the closing quote of a value is not followed by a separator", "b: two", "c: three"}},
		{"a quote after a back slash", "id,text\na,\"one \\\"two\\\" three\"\nb,\"C:\\\"\n", []string{"a: one \"two\" three", "b: C:\\"}},
		{"a quote in the place of a value", "id,text\na,\"one\" and more\nb,two\n", []string{"line 2: ! damaged", "b: two"}},
		{"no text", "id,text\na,\nb,two\n", []string{"a: ! no text", "b: two"}},
		{"bytes that are none", "id,text\na,ž\nb,\xff\nc,three\n", []string{"a: ž", "line 3: ! encoding unknown", "c: three"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			opts := Options{}
			if strings.Contains(tt.name, "bytes") {
				opts.Encoding = "utf-8"
				tt.rows = strings.Replace(tt.rows, "\xff", strings.Repeat(" ", 1<<20)+"\xff", 1)
				opts.MaxBytes, opts.Encoding = 4<<20, ""
			}
			expect(t, read(t, "a.csv", tt.rows, opts), tt.want...)
		})
	}
}

// TestTableColumnsTwice reads the first of the columns with one name, and tells that there are more.
func TestTableColumnsTwice(t *testing.T) {
	const told = `line 1: ! damaged or not whole: more than one column is called "Text", and only the first of them is read`
	expect(t, read(t, "a.csv", "id,text,Text,,\na,one,two,,\nb,three,four,x,y\n", Options{}), told, "a: one", "b: three")
	s, err := Open(t.Context(), strings.NewReader("id,title,year,title,text,ID,title\na,T,2001,U,one,b,V\n"), "a.csv", Options{MaxBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var got []Record
	var errs []string
	err = s.Each(t.Context(), func(r Record, err error) error {
		if got = append(got, r); err != nil {
			errs = append(errs, err.Error())
		}
		return nil
	})
	if err != nil || len(got) != 4 || len(errs) != 3 || got[3].Name != "a" || got[3].Title != "T" || got[3].Year != 2001 || len(got[3].Labels) > 0 {
		t.Errorf("%+v, %q, %v", got, errs, err)
	}
}

// TestTableTabs interprets quotes in tab-separated files as the program that wrote them does.
func TestTableTabs(t *testing.T) {
	expect(t, read(t, "a.tsv", "id\ttext\na\t\"one,\" she said\nb\t\"two\nc\tthree\nd\t\"four\"\n", Options{}),
		`a: "one," she said`, `b: "two`, "c: three", "d: four")
	expect(t, read(t, "a.tsv", "id\ttext\na\t\"one\ntwo\"\nb\tx\n", Options{}), "a: one\ntwo", "b: x")
	expect(t, read(t, "a.tsv", "id\ttext\na\t\"one\nb\ttwo\nc\tthree\"\n", Options{}), `a: "one`, "b: two", `c: three"`)
}

// TestTableLong leaves out a row that is longer than it may be, however many lines it
// has.
func TestTableLong(t *testing.T) {
	long := strings.Repeat("x", 3000)
	for _, row := range []string{"b," + long, "b,\"" + long, "b,\"" + strings.Repeat("x\n", 1500)} {
		got := read(t, "a.csv", "id,text\na,one\n"+row+"\nc,three\n", Options{MaxBytes: 1000})
		if got[0] != "a: one" || !strings.HasPrefix(got[1], "line 3: ! ") || got[len(got)-1] != "c: three" {
			t.Errorf("%.8q: %.200q", row, got)
		}
	}
}

func TestTableEncodings(t *testing.T) {
	rows := "id;text\na;Příliš žluťoučký kůň úpěl ďábelské ódy\nb;a také zvířata, která nikdo nikdy neviděl\n"
	want := []string{"a: Příliš žluťoučký kůň úpěl ďábelské ódy", "b: a také zvířata, která nikdo nikdy neviděl"}
	cp1250, err := charmap.Windows1250.NewEncoder().String(rows)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, read(t, "a.csv", cp1250, Options{}), want...)
	expect(t, read(t, "a.csv", cp1250, Options{Encoding: "windows-1250"}), want...)
	for _, order := range []unicode.Endianness{unicode.LittleEndian, unicode.BigEndian} {
		utf16, err := unicode.UTF16(order, unicode.UseBOM).NewEncoder().String(strings.Replace(rows, "úpěl", "úpěl"+strings.Repeat(" ú", 300_000), 1))
		if err != nil {
			t.Fatal(err)
		}
		got := read(t, "a.csv", utf16, Options{MaxBytes: 4 << 20})
		expect(t, got, "a: Příliš žluťoučký kůň úpěl ú", "b: a také zvířata")
	}
}

func TestTableDescribed(t *testing.T) {
	s, err := Open(t.Context(), strings.NewReader("id,title,author,date,url,faculty,a=b,,text\n1,T,A,12. 5. 2019,https://example.org,law,x,y,words\n"), "a.csv", Options{MaxBytes: 1000})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Each(t.Context(), func(r Record, err error) error {
		if err != nil || r.Name != "1" || r.Title != "T" || r.Author != "A" || r.Year != 2019 || r.Address != "https://example.org" || len(r.Labels) != 2 || r.Labels["faculty"] != "law" {
			t.Errorf("the record is %+v, %v", r, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestNoTable leaves a table without a column for the text to the reader of text,
// unless that column was asked for.
func TestNoTable(t *testing.T) {
	for _, data := range []string{"id,title\n1,x\n", "just text\n", "", "\"text"} {
		if s, err := Open(t.Context(), strings.NewReader(data), "a.csv", Options{}); s != nil || err != nil {
			t.Errorf("%q is taken for a table of texts: %v", data, err)
		}
	}
	got := read(t, "a.csv", "id,title\n1,x\n", Options{Field: "body"})
	expect(t, got, `!! no text in it: it has no field or column "body": id, title`)
}

// TestTableCut: each row that lost data is reported.
func TestTableCut(t *testing.T) {
	first, second, third := gzipped("id,text\na,one\nb,tw"), gzipped("o\nc,lost\n"), gzipped("d,four\n")
	got := read(t, "a.csv.gz", first+second[:len(second)-9]+third, Options{})
	if got[0] != "a: one" || got[len(got)-1] != "d: four" || !strings.Contains(strings.Join(got, "\n"), "left out") {
		t.Errorf("%q", got)
	}
	for _, line := range got {
		if strings.HasPrefix(line, "b: tw") && line != "b: two" {
			t.Errorf("half a row is given: %q", line)
		}
	}
}

// FuzzTable compares with encoding/csv: tables that it reads are read with the same result,
// and for those that it rejects, an error is reported.
func FuzzTable(f *testing.F) {
	for _, seed := range []string{"a,one\n", "a,\"one\ntwo\"\nb,\"\"\"x\"\n", "a,\"b\nc,d\n", "a\n\n,\n", "a,b\"c\n", "\"a\"b,c\n\"d\",e"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, rows string) {
		if !utf8.ValidString(rows) || strings.ContainsAny(rows, "\r\x00") {
			return
		}
		for line := range strings.Lines(rows) {
			if strings.TrimSpace(line) == "" && line != "\n" {
				return // it is passed over here, and a row there
			}
		}
		r := csv.NewReader(strings.NewReader("id,text\n" + rows))
		table, err := r.ReadAll()
		got := read(t, "a.csv", "id,text\n"+rows, Options{Encoding: "utf-8"})
		told := slices.ContainsFunc(got, func(line string) bool { return strings.Contains(line, ": ! ") })
		if err != nil {
			if !told && !strings.Contains(err.Error(), "bare") {
				t.Errorf("nothing is told, where encoding/csv says %v: %q", err, got)
			}
			return
		}
		for i, row := range table[1:] {
			if text := strings.TrimSpace(row[1]); i < len(got) && text != "" && !strings.HasSuffix(strings.TrimSpace(got[i]), text) {
				t.Errorf("row %d is %q, want %q", i+1, got[i], row)
			}
		}
		if len(got) != len(table)-1 {
			t.Errorf("%d rows, want %d: %q", len(got), len(table)-1, got)
		}
	})
}
