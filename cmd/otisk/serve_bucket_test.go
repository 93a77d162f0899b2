package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/otisk/otisk/serve/bucket/buckettest"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/storage/storagetest"
)

// bucketFlags returns the flags and variables of a server on a data folder if the environment names a
// bucket for tests. A folder that has uploads, as a backup has, needs none.
func bucketFlags(t *testing.T, data string) (flags, variables []string) {
	t.Helper()
	b := storagetest.Bucket(t, data)
	if files, _ := os.ReadDir(filepath.Join(data, storage.Files)); b == nil || len(files) > 0 {
		return nil, nil
	}
	return []string{"--bucket", b.Address}, []string{"AWS_ACCESS_KEY_ID=" + b.Key, "AWS_SECRET_ACCESS_KEY=" + b.Secret}
}

// keysIn returns the keys of all files in the bucket of a data folder.
func keysIn(t *testing.T, data string) (list []string) {
	t.Helper()
	mustDo(t, storagetest.Bucket(t, data).Each(t.Context(), "", func(key string, _ time.Time) error {
		list = append(list, key)
		return nil
	}))
	return list
}

// TestServeBucket does the same on a server with its files in the data folder and on one with a bucket
// whose store refuses one request in 11. All answers are equal, and after all checks were deleted, the
// bucket has no file of them.
func TestServeBucket(t *testing.T) {
	address := os.Getenv(storagetest.BucketVariable)
	t.Setenv(storagetest.BucketVariable, "")
	want := story(startServe(t, t.TempDir()))
	if address == "" {
		var requests atomic.Int64
		store := buckettest.StartWith(t, func(w http.ResponseWriter, _ *http.Request) bool {
			fails := requests.Add(1)%11 == 7
			if fails {
				buckettest.Refuse(w, http.StatusServiceUnavailable, "SlowDown")
			}
			return fails
		})
		address = strings.Replace(store.Address(), "//", "//key:secret@", 1)
	}
	t.Setenv(storagetest.BucketVariable, address)
	s := startServe(t, t.TempDir())
	if got := story(s); got != want {
		t.Errorf("answers of %d bytes with a bucket, want the %d with a folder", len(got), len(want))
	}
	if got := keysIn(t, s.data); len(got) != 1 {
		t.Errorf("after all checks were deleted, the bucket has %q", got)
	}
	essay := sample(t, "suspects/czech-essay.txt")
	var all []struct{ ID string }
	s.call("GET", "/collections", nil, http.StatusOK, &all)
	checked := s.check(map[string]string{"essay.txt": essay}, "collection", all[0].ID)[0]
	if got := keysIn(t, s.data); len(got) != 3 {
		t.Errorf("after a check, the bucket has %q, want an upload, a report and the mark", got)
	}
	for _, folder := range []string{storage.Files, storage.Reports, storage.Work} {
		if files, err := os.ReadDir(filepath.Join(s.data, folder)); err != nil || len(files) > 0 {
			t.Errorf("%s has %v, %v, want no file", folder, files, err)
		}
	}
	out := filepath.Join(t.TempDir(), "backup")
	flags, _ := bucketFlags(t, s.data)
	b := storagetest.Bucket(t, s.data)
	t.Setenv("AWS_ACCESS_KEY_ID", b.Key)
	t.Setenv("AWS_SECRET_ACCESS_KEY", b.Secret)
	if status, _, errs := typed(t, append([]string{"serve", "backup", "--data", s.data, out}, flags...)...); status != 0 {
		t.Fatalf("backup: status %d, %s", status, errs)
	}
	copied := startServe(t, out)
	copied.client = s.client
	var got, report []byte
	s.call("GET", "/checks/"+checked.ID+"/report", nil, http.StatusOK, &report)
	copied.call("GET", "/checks/"+checked.ID+"/report", nil, http.StatusOK, &got)
	if len(report) == 0 || string(got) != string(report) {
		t.Errorf("the report from the backup has %d bytes, want the %d of the server", len(got), len(report))
	}
}

// TestServeBucketFlag: an address with a key, which other users could read, is refused, and so is a
// bucket without a key.
func TestServeBucketFlag(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	for address, want := range map[string]string{
		"https://key:geheim@s3.example.org/otisk": "without a key",
		"https://s3.example.org":                  "https://HOST/BUCKET",
		"https://s3.example.org/otisk":            "AWS_SECRET_ACCESS_KEY",
	} {
		status, _, errs := typed(t, "serve", "--data", t.TempDir(), "--bucket", address)
		if status != statusUsage || !strings.Contains(errs, want) || strings.Contains(errs, "geheim") {
			t.Errorf("--bucket %s: status %d, %s, want %d and %q", address, status, errs, statusUsage, want)
		}
	}
}
