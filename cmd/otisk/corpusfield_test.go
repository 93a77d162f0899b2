package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"
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
			if status := run(t.Context(), args, nil, &out, &errs); status != 0 || out.String() != "the\t2\ndog\t1\nfox\t1\n" {
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
