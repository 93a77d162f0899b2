package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/otisk/otisk/corpus/work"
	"github.com/otisk/otisk/lang"
)

// TestCorpusField has --field and --id mean the same for lines of JSON however they
// are packed, before the command or after it.
func TestCorpusField(t *testing.T) {
	const lines = `{"key":"k1","body":"the fox","text":"no"}` + "\n" + `{"key":"k2","body":"the dog","text":"no"}` + "\n"
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, data := range map[string][]byte{"x.jsonl": []byte(lines), "x.jsonl.zst": z.EncodeAll([]byte(lines), nil)} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{
			{"corpus", "ngrams", "-n", "1", "-q", "--tmp", dir, "--field", "body", path},
			{"--field", "body", "-q", "corpus", "ngrams", "-n", "1", "--tmp", dir, path},
		} {
			var out, errs bytes.Buffer
			if status := run(t.Context(), args, nil, &out, &errs); status != 0 || out.String() != "ngram\tcount\nthe\t2\ndog\t1\nfox\t1\n" {
				t.Errorf("otisk %v: status %d, writes %q and %q", args, status, out.String(), errs.String())
			}
		}
	}
	var out, errs bytes.Buffer
	run(t.Context(), []string{"corpus", "signatures", "-q", "--tmp", dir, "--field", "body", "--id", "key", filepath.Join(dir, "x.jsonl")}, nil, &out, &errs)
	if !bytes.Contains(out.Bytes(), []byte("\tk1\n")) {
		t.Errorf("the field key names no document: %q %q", out.String(), errs.String())
	}
}

// TestCorpusDiskFull expects an error that names the full disk, the space needed there and the
// remedy, and finished files to stay.
func TestCorpusDiskFull(t *testing.T) {
	for _, test := range []struct {
		path        string
		err         error
		read, total int64
		want        string
	}{
		{"sets", syscall.ENOSPC, 25e6, 100e6, "temporary files had 3.0 MB in DIR when 25% of the collection was read, so at least 12.0 MB are needed: make room, or name a folder on another disk by --tmp"},
		{"sets", syscall.EDQUOT, 100e6, 100e6, "temporary files had 3.0 MB in DIR, and need more space: make room"},
		{"", syscall.ENOSPC, 0, 0, "make room on the disk; the same command then continues from its last finished step"},
	} {
		parent := t.TempDir()
		dir, err := work.Open(parent, "key")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(dir.Path("grams.1"), make([]byte, 3e6), 0o600); err != nil {
			t.Fatal(err)
		}
		where := "out.tsv"
		if test.path != "" {
			where = dir.Path(test.path)
		}
		r := &corpusRun{p: new(progress), read: test.read, total: test.total}
		err = r.ended(fmt.Errorf("write %s: %w", where, test.err), dir)
		if got := strings.ReplaceAll(hint(err, lang.Of("en")), parent, "DIR"); !strings.Contains(err.Error(), where) || !strings.Contains(got, test.want) {
			t.Errorf("%v has the hint %q, want %q in it", err, got, test.want)
		}
	}
}
