// Package buckettest is a small S3 server in memory for tests. It does not verify signatures: the
// tests do so with a server of others.
package buckettest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Name is the name of the only bucket.
const Name = "otisk"

// pageSize is the number of files in a part of a list.
const pageSize = 2

// A Server is a running server.
type Server struct {
	// Before is called with each request, and reports whether it has answered it.
	Before func(w http.ResponseWriter, r *http.Request) bool

	address string
	mu      sync.Mutex
	files   map[string]file
}

type file struct {
	data   []byte
	sum    string
	stored time.Time
}

// Start starts a server, which the end of the test stops.
func Start(t *testing.T) *Server {
	return StartWith(t, func(http.ResponseWriter, *http.Request) bool { return false })
}

// StartWith starts a server with a value of Before. If another process sends the requests, the race detector
// would find one that is set later.
func StartWith(t *testing.T, before func(http.ResponseWriter, *http.Request) bool) *Server {
	s := New()
	s.Before = before
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.address = server.URL
	return s
}

// New returns a server that listens nowhere yet.
func New() *Server {
	return &Server{files: map[string]file{}, Before: func(http.ResponseWriter, *http.Request) bool { return false }}
}

// Address returns the address of the bucket.
func (s *Server) Address() string { return s.address + "/" + Name }

// Keys returns the keys of all files, in order.
func (s *Server) Keys() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.files))
}

// Age makes all files older.
func (s *Server) Age(by time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, f := range s.files {
		f.stored = f.stored.Add(-by)
		s.files[key] = f
	}
}

// Set changes the content of a file and keeps its checksum.
func (s *Server) Set(key, data string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.files[key]
	f.data = []byte(data)
	s.files[key] = f
}

// Delete deletes a file.
func (s *Server) Delete(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.files, key)
}

// Refuse answers with an error of S3.
func Refuse(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	_, _ = io.WriteString(w, "<Error><Code>"+code+"</Code><Message>as the test wants</Message></Error>")
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.Before(w, r) {
		return
	}
	name, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch {
	case name != Name:
		Refuse(w, http.StatusNotFound, "NoSuchBucket")
	case key == "" && r.URL.Query().Has("versioning"):
		_, _ = io.WriteString(w, "<VersioningConfiguration/>")
	case key == "":
		s.list(w, r)
	case r.Method == http.MethodPut:
		s.put(w, r, key)
	case r.Method == http.MethodDelete:
		s.Delete(key)
		w.WriteHeader(http.StatusNoContent)
	default:
		s.get(w, key)
	}
}

func (s *Server) put(w http.ResponseWriter, r *http.Request, key string) {
	data, err := io.ReadAll(r.Body)
	sum := sha256.Sum256(data)
	if err != nil || hex.EncodeToString(sum[:]) != r.Header.Get("X-Amz-Content-Sha256") {
		Refuse(w, http.StatusBadRequest, "XAmzContentSHA256Mismatch")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[key] = file{data, r.Header.Get("X-Amz-Meta-Sha256"), time.Now()}
}

func (s *Server) get(w http.ResponseWriter, key string) {
	s.mu.Lock()
	f, ok := s.files[key]
	s.mu.Unlock()
	if !ok {
		Refuse(w, http.StatusNotFound, "NoSuchKey")
		return
	}
	w.Header().Set("X-Amz-Meta-Sha256", f.sum)
	_, _ = w.Write(f.data)
}

func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	type content struct {
		Key          string
		LastModified time.Time
	}
	var page struct {
		XMLName               xml.Name `xml:"ListBucketResult"`
		Contents              []content
		IsTruncated           bool
		NextContinuationToken string
	}
	q := r.URL.Query()
	for _, key := range s.Keys() {
		if !strings.HasPrefix(key, q.Get("prefix")) || key <= q.Get("continuation-token") {
			continue
		}
		if len(page.Contents) == pageSize {
			page.IsTruncated, page.NextContinuationToken = true, page.Contents[pageSize-1].Key
			break
		}
		s.mu.Lock()
		page.Contents = append(page.Contents, content{key, s.files[key].stored})
		s.mu.Unlock()
	}
	_ = xml.NewEncoder(w).Encode(page)
}
