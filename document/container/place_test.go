package container

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// TestGoOn: reading resumed after any record returns the following records, with the same
// names and addresses as in the whole file.
func TestGoOn(t *testing.T) {
	var pages, lines, wiki []string
	wiki = append(wiki, `<mediawiki><siteinfo><base>https://wiki.example.org/wiki/Main</base><namespaces><namespace key="14">Kategorie</namespace></namespaces></siteinfo>`)
	for i := range 12 {
		text := strings.Repeat(fmt.Sprintf("text %d ", i), 1+i*40)
		pages = append(pages, record("request", "https://example.org/", "application/http", "GET /"), page(fmt.Sprintf("https://example.org/%d", i%9), "", "<p>"+text))
		lines = append(lines, fmt.Sprintf("{\"text\": %q}\n", text), "\n", "no JSON\n")
		wiki = append(wiki, fmt.Sprintf("<page><title>P%d</title><ns>0</ns><revision><text>%s [[Kategorie:X]]</text></revision></page>\n", i, text))
	}
	wiki = append(wiki, "</mediawiki>")
	for name, data := range map[string]string{
		"a.warc": strings.Join(pages, ""), "members.warc.gz": gzipped(pages...), "whole.warc.gz": gzipped(strings.Join(pages, "")), "cut.warc.gz": gzipped(strings.Join(pages[:9], ""), strings.Join(pages[9:], "")),
		"a.jsonl": strings.Join(lines, ""), "a.jsonl.gz": gzipped(strings.Join(lines, "")), "a.jsonl.zst": zstandard(strings.Join(lines, "")),
		"a.xml": strings.Join(wiki, ""), "streams.xml.gz": gzipped(wiki...),
	} {
		all, places := readOn(t, name, data, nil)
		if slices.Contains(places, nil) {
			t.Errorf("%s: a record has no place after it", name)
		}
		for i, place := range places {
			if got, _ := readOn(t, name, data, place); !slices.Equal(got, all[i+1:]) {
				t.Errorf("%s: after record %d at %+v follow\n%.300q\nwant\n%.300q", name, i+1, *place, got, all[i+1:])
			}
		}
	}
}

// TestGoOnDamaged: documents after damage have no place, since skipped data are not counted.
func TestGoOnDamaged(t *testing.T) {
	line := gzipped("{\"text\": \"" + strings.Repeat("one ", 10_000) + "\"}\n")
	_, places := readOn(t, "a.jsonl.gz", strings.Repeat(line, 100)+"\x1f\x8b\x08 no member at all"+line, nil)
	if places[0] == nil || places[len(places)-1] != nil {
		t.Errorf("places are %v", places)
	}
}

// readOn reads a file, from a place on unless that is nil, and returns its records with
// the places after them.
func readOn(t *testing.T, name, data string, from *Place) (list []string, places []*Place) {
	t.Helper()
	s, err := Open(t.Context(), strings.NewReader(data), name, Options{MaxBytes: 1 << 20})
	if err != nil || s == nil {
		t.Fatalf("Open(%s) = %v, %v", name, s, err)
	}
	defer s.Close()
	if from != nil {
		if err := s.GoOn(*from); err != nil {
			t.Fatalf("%s: GoOn(%+v) = %v", name, *from, err)
		}
	}
	err = s.Each(t.Context(), func(rec Record, err error) error {
		text := string(rec.Data)
		if rec.Text != nil {
			made, terr := rec.Text(t.Context(), rec.Data)
			if terr != nil {
				t.Fatal(terr)
			}
			text = made.Text
		}
		list = append(list, fmt.Sprint(rec.Name, rec.Address, text, err))
		places = append(places, rec.After)
		return nil
	})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return list, places
}

func zstandard(text string) string {
	var b bytes.Buffer
	z, _ := zstd.NewWriter(&b) // the options are sound
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return b.String()
}
