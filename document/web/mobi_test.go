package web_test

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
)

func TestMobi(t *testing.T) {
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"as it is", sample.Mobi(1, "<html><p>Kůň sk", "áče.<mbp:pagebreak/><h1>Head</h1>"), "Kůň skáče.\n\nHead"},
		{"packed", sample.Mobi(2, "<p>abc\xf8abc\x80\x1b\x02\xc5\xaf</p>"), "abc xabcabcabců"},
	}
	for _, tt := range tests {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, tt.data, document.Options{}); err != nil || doc.Text != tt.want || doc.Title != "Heron" || doc.Author != "Jan Novák" {
			t.Errorf("%s: text %q, title %q, author %q, %v, want %q", tt.name, doc.Text, doc.Title, doc.Author, err, tt.want)
		}
	}
	secret := sample.Mobi(1, "text")
	secret[binary.BigEndian.Uint32(secret[78:])+13] = 2
	if err := readtest.Read(t.Context(), &document.Document{}, secret, document.Options{}); err != document.ErrEncrypted {
		t.Errorf("encrypted: error %v, want %v", err, document.ErrEncrypted)
	}
	bomb := strings.Repeat("a\x80\x0f", 20_000)
	if err := readtest.Read(t.Context(), &document.Document{}, sample.Mobi(2, bomb, bomb, bomb, bomb), document.Options{MaxBytes: 100_000}); !errors.Is(err, document.ErrTooLarge) {
		t.Errorf("unpacks to more: error %v, want %v", err, document.ErrTooLarge)
	}
}
