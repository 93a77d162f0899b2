package bucket

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/serve/bucket/buckettest"
)

const secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"

// open returns the bucket at an address. Its requests do not wait.
func open(t *testing.T, address string) *Bucket {
	t.Helper()
	b, err := New(Config{Address: address, Region: "us-east-1", Key: "AKIAIOSFODNN7EXAMPLE", Secret: secret})
	if err != nil {
		t.Fatal(err)
	}
	b.wait = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	return b
}

// put stores a text.
func put(t *testing.T, b *Bucket, key, text string) error {
	t.Helper()
	path := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return b.Put(t.Context(), key, path)
}

// get returns a stored text.
func get(t *testing.T, b *Bucket, key string) (string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out")
	if err := b.Get(t.Context(), key, path); err != nil {
		return "", err
	}
	data, err := os.ReadFile(path)
	return string(data), err
}

func keys(t *testing.T, b *Bucket, prefix string) (list []string, err error) {
	t.Helper()
	err = b.Each(t.Context(), prefix, func(key string, stored time.Time) error {
		if time.Since(stored).Abs() > time.Hour {
			t.Errorf("%s was stored at %s", key, stored)
		}
		list = append(list, key)
		return nil
	})
	return list, err
}

// TestSignature signs the requests of the examples in the documentation of S3 (Signature Calculations
// for the Authorization Header).
func TestSignature(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"lifecycle=":          "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
		"max-keys=2&prefix=J": "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
	} {
		b := open(t, "https://examplebucket.s3.amazonaws.com/any")
		b.now = func() time.Time { return time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC) }
		r, err := http.NewRequest(http.MethodGet, "https://examplebucket.s3.amazonaws.com/?"+query, nil)
		if err != nil {
			t.Fatal(err)
		}
		b.sign(r, emptySum)
		if got := r.Header.Get("Authorization"); !strings.HasSuffix(got, ", SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature="+want) {
			t.Errorf("signature of %s is %s, want %s", query, got, want)
		}
	}
}

// story stores, reads, lists and deletes files.
func story(t *testing.T, b *Bucket) {
	t.Helper()
	texts := map[string]string{"files/a": "first", "files/b": "", "files/c": strings.Repeat("long ", 50_000), "reports/d": "d"}
	for key, text := range texts {
		if err := put(t, b, key, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := put(t, b, "files/a", "changed"); err != nil {
		t.Fatal(err)
	}
	texts["files/a"] = "changed"
	for key, want := range texts {
		if got, err := get(t, b, key); err != nil || got != want {
			t.Errorf("Get(%s) = %d bytes, %v; want %d", key, len(got), err, len(want))
		}
	}
	if got, err := keys(t, b, "files/"); err != nil || !slices.Equal(got, []string{"files/a", "files/b", "files/c"}) {
		t.Errorf("keys = %q, %v", got, err)
	}
	for range 2 {
		if err := b.Delete(t.Context(), "files/a"); err != nil {
			t.Errorf("Delete = %v", err)
		}
	}
	if _, err := get(t, b, "files/a"); !errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrAway) {
		t.Errorf("Get of a deleted file = %v, want ErrNotExist", err)
	}
	if got, err := keys(t, b, "files/"); err != nil || len(got) != 2 {
		t.Errorf("keys after the deletion = %q, %v", got, err)
	}
	if versioned, err := b.Versioned(t.Context()); versioned || err != nil {
		t.Errorf("Versioned = %t, %v", versioned, err)
	}
}

func TestBucket(t *testing.T) {
	t.Parallel()
	s := buckettest.Start(t)
	story(t, open(t, s.Address()))
	story(t, open(t, s.Address()+"/a/b"))
	if got := s.Keys(); !slices.Contains(got, "a/b/files/b") || !slices.Contains(got, "files/b") || len(got) != 6 {
		t.Errorf("the server has %q", got)
	}
}

// TestFailures: requests that fail once are repeated, however they fail.
func TestFailures(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(w http.ResponseWriter){
		"busy":    func(w http.ResponseWriter) { buckettest.Refuse(w, http.StatusServiceUnavailable, "SlowDown") },
		"error":   func(w http.ResponseWriter) { buckettest.Refuse(w, http.StatusInternalServerError, "InternalError") },
		"no body": func(w http.ResponseWriter) { panic(http.ErrAbortHandler) },
		"half": func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte("<ListBucketResult><IsTruncated>false</IsTruncated>"))
			panic(http.ErrAbortHandler)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := buckettest.Start(t)
			var requests atomic.Int64
			s.Before = func(w http.ResponseWriter, r *http.Request) bool {
				if requests.Add(1)%2 == 1 {
					fail(w)
					return true
				}
				return false
			}
			story(t, open(t, s.Address()))
			if n := requests.Load(); n < 20 {
				t.Errorf("%d requests, want each twice", n)
			}
		})
	}
}

// TestRefusals: an error says who refused what, and why, and has no secret.
func TestRefusals(t *testing.T) {
	t.Parallel()
	s := buckettest.Start(t)
	refuse := func(status int, code string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool {
			buckettest.Refuse(w, status, code)
			return true
		}
	}
	for _, tt := range []struct {
		address, want string
		before        func(http.ResponseWriter, *http.Request) bool
	}{
		{s.Address(), "refuses the key for bucket otisk: 403 SignatureDoesNotMatch", refuse(403, "SignatureDoesNotMatch")},
		{s.Address(), "refuses the key for bucket otisk: 403 InvalidAccessKeyId", refuse(403, "InvalidAccessKeyId")},
		{s.Address(), "refuses the time of this machine: its clock shows", refuse(403, "RequestTimeTooSkewed")},
		{s.Address(), "503 SlowDown: as the test wants", refuse(503, "SlowDown")},
		{s.Address(), "404 XAdminUserNotFound", refuse(404, "XAdminUserNotFound")}, // versitygw, for an unknown key
		{s.Address(), "404 :", refuse(404, "")},                                    // a proxy
		{s.Address(), "301 PermanentRedirect", refuse(301, "PermanentRedirect")},
		{strings.Replace(s.Address(), "/otisk", "/others", 1), "has no bucket others", nil},
		{"http://127.0.0.1:1/otisk", "http://127.0.0.1:1 does not answer", nil}, // nobody listens there
	} {
		if s.Before = tt.before; tt.before == nil {
			s.Before = func(http.ResponseWriter, *http.Request) bool { return false }
		}
		b := open(t, tt.address)
		_, listed := keys(t, b, "")
		_, got := get(t, b, "a")
		for what, err := range map[string]error{"put": put(t, b, "a", "text"), "list": listed, "get": got, "delete": b.Delete(t.Context(), "a")} {
			if !errors.Is(err, ErrAway) || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), secret) {
				t.Errorf("%s = %v, want %s", what, err, tt.want)
			}
			if phrase.StoredOf(err) == nil {
				t.Errorf("%s: %v has no message", what, err)
			}
		}
	}
}

// TestDamage: a file that is not the one that was stored is not returned, and neither is a part of a
// list.
func TestDamage(t *testing.T) {
	t.Parallel()
	s := buckettest.Start(t)
	b := open(t, s.Address())
	if err := put(t, b, "a", "text"); err != nil {
		t.Fatal(err)
	}
	s.Set("a", "tent")
	if got, err := get(t, b, "a"); !errors.Is(err, ErrAway) || !strings.Contains(err.Error(), "checksum") {
		t.Errorf("Get = %q, %v; want the checksum", got, err)
	}
	s.Before = func(w http.ResponseWriter, _ *http.Request) bool {
		_, _ = w.Write([]byte("<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>"))
		return true
	}
	if got, err := keys(t, b, ""); !errors.Is(err, ErrAway) {
		t.Errorf("keys of a list that is cut off = %q, %v", got, err)
	}
}

// TestAddress: addresses with a key, and those without a bucket, are refused.
func TestAddress(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"", "otisk", "s3://otisk", "https://s3.example.org", "https://s3.example.org/", "https://key:secret@s3.example.org/otisk",
		"https://s3.example.org/otisk?x=1", "https://s3.example.org/otisk/../other", "https://s3.example.org/otisk/a b", "https://s3.example.org/otisk//a",
	} {
		if _, err := New(Config{Address: address, Key: "k", Secret: "s"}); !errors.Is(err, ErrAddress) {
			t.Errorf("New(%q) = %v, want ErrAddress", address, err)
		}
	}
	for _, address := range []string{"https://s3.example.org/otisk", "http://10.0.0.1:9000/otisk/", "https://s3.example.org/my.bucket/a/b"} {
		if _, err := New(Config{Address: address, Key: "k", Secret: "s"}); err != nil {
			t.Errorf("New(%q) = %v", address, err)
		}
		if _, err := New(Config{Address: address, Key: "k"}); !errors.Is(err, ErrKey) {
			t.Errorf("New without a secret = %v, want ErrKey", err)
		}
	}
}

// TestVersioned: a bucket that keeps earlier versions is recognized; a key that may not ask is no error.
func TestVersioned(t *testing.T) {
	t.Parallel()
	s := buckettest.Start(t)
	b := open(t, s.Address())
	for answer, want := range map[string]bool{"<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>": true, "<VersioningConfiguration><Status>Suspended</Status></VersioningConfiguration>": false, "": false} {
		s.Before = func(w http.ResponseWriter, _ *http.Request) bool {
			if answer == "" {
				buckettest.Refuse(w, http.StatusForbidden, "AccessDenied")
			}
			_, _ = w.Write([]byte(answer))
			return true
		}
		if got, err := b.Versioned(t.Context()); got != want || err != nil {
			t.Errorf("Versioned with the answer %q = %v, %v, want %v", answer, got, err, want)
		}
	}
}
