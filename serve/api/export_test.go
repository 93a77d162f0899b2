package api

import (
	"archive/zip"
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/storage/storagetest"
)

// TestExport: an export is a zip archive with the uploaded file. If the file cannot be read, the client
// sees that the answer is cut off.
func TestExport(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	server := httptest.NewServer(h.handler)
	defer server.Close()
	get := func() ([]byte, error) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), "GET", server.URL+Prefix+"/checks/"+h.check+"/export", nil)
		if err != nil {
			t.Fatal(err)
		}
		session(h.session)(req)
		resp, err := server.Client().Do(req)
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		if kind := resp.Header.Get("Content-Type"); resp.StatusCode != http.StatusOK || kind != zipType {
			t.Errorf("status %d, type %s, want a zip archive", resp.StatusCode, kind)
		}
		return io.ReadAll(resp.Body)
	}
	data, err := get()
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	f, err := z.Open("upload/a.txt")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(f); err != nil || string(text) != "text" {
		t.Errorf("the upload is %q, %v, want text", text, err)
	}
	for _, name := range storagetest.Names(t, h.folder, storage.Files) {
		if err := h.folder.Shelf(storage.Files).Remove(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	if data, err := get(); err == nil {
		t.Errorf("an incomplete export ends as a complete one, after %d bytes", len(data))
	}
}
