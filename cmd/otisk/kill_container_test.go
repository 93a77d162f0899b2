package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"html"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
)

// TestKillContainers kills the indexing of each kind of container at random moments, until it
// was killed 4 times, or 12 with OTISK_TEST_LONG. The run that completes makes the same index as an undisturbed one, and
// does not index committed documents again.
func TestKillContainers(t *testing.T) {
	times := killsOf(t, 4, 12)
	dir := t.TempDir()
	binary := program(t)
	for _, name := range []string{"crawl.warc.gz", "wiki.xml.gz", "lines.jsonl", "table.csv", "rows.parquet"} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(7, uint64(len(name))))
			file, index := filepath.Join(dir, name), filepath.Join(dir, name+".index")
			writeContainer(t, rng, file)
			start := time.Now()
			otisk(t, "index", "--index", index+".whole", file)
			whole := time.Since(start)
			for kills := 0; kills < times; {
				cmd := exec.Command(binary, "index", "--index", index, "--commit-every", "20ms", file)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Duration(rng.Int64N(int64(whole) / 4)))
				_ = cmd.Process.Kill()
				if err := cmd.Wait(); err == nil {
					if err := os.RemoveAll(index); err != nil { // it had come to its end
						t.Fatal(err)
					}
					continue
				}
				kills++
			}
			before := 0
			if committed(t, index) {
				before = len(documents(t, index))
			}
			out := otisk(t, "index", "--index", index, file)
			if want := fmt.Sprintf("indexed %d documents (7-grams)", 600-before); !strings.HasPrefix(out, want) {
				t.Errorf("%d documents were there, and then: %s", before, out)
			}
			got, want := otisk(t, "docs", "--index", index, "--format", "json"), otisk(t, "docs", "--index", index+".whole", "--format", "json")
			if got != want {
				t.Errorf("the index is another: %d bytes of %d", len(got), len(want))
			}
			if out := otisk(t, "verify", "--deep", "--index", index); !strings.HasPrefix(out, "sound") {
				t.Errorf("verify says %s", out)
			}
		})
	}
}

// committed reports whether there is an index in the folder, which the first commit
// makes: a run that was killed before that leaves none.
func committed(t *testing.T, index string) bool {
	t.Helper()
	manifests, err := filepath.Glob(filepath.Join(index, "manifest-*"))
	if err != nil {
		t.Fatal(err)
	}
	return len(manifests) > 0
}

// writeContainer writes 600 documents of random words into a container of the kind
// that its name says.
func writeContainer(t *testing.T, rng *rand.Rand, path string) {
	t.Helper()
	var b bytes.Buffer
	type row struct{ ID, Text string }
	rows := parquet.NewGenericWriter[row](&b, parquet.MaxRowsPerRowGroup(100))
	for i := range 600 {
		var text strings.Builder
		for range 300 {
			fmt.Fprintf(&text, "w%d ", rng.IntN(100_000))
		}
		switch {
		case strings.Contains(path, ".warc"):
			page := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>T</title><p>" + text.String()
			fmt.Fprintf(&b, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://example.org/%d\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", i, len(page), page)
		case strings.Contains(path, ".xml"):
			if i == 0 {
				b.WriteString("<mediawiki><siteinfo></siteinfo>")
			}
			fmt.Fprintf(&b, "<page><title>P %d</title><ns>0</ns><revision><text>%s</text></revision></page>\n", i, html.EscapeString(text.String()))
		case strings.Contains(path, ".jsonl"):
			fmt.Fprintf(&b, "{\"id\":\"%d\",\"title\":\"T\",\"lang\":\"cs\",\"text\":%q}\n", i, text.String())
		case strings.Contains(path, ".parquet"):
			if _, err := rows.Write([]row{{fmt.Sprint(i), text.String()}}); err != nil {
				t.Fatal(err)
			}
		default:
			if i == 0 {
				b.WriteString("id,year,text\n")
			}
			fmt.Fprintf(&b, "%d,2001,\"%s\n\"\n", i, text.String())
		}
	}
	if strings.Contains(path, ".parquet") {
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var w io.WriteCloser = f
	if strings.HasSuffix(path, ".gz") {
		w = gzip.NewWriter(f)
	}
	if _, err := b.WriteTo(w); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
