package pdf_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
)

func TestPDFErrors(t *testing.T) {
	whole := sample.PDF(sample.At(50, 600, strings.Repeat("text ", 50)))
	tests := []struct {
		name string
		data []byte
		opts document.Options
		want error
	}{
		{"only a header", []byte("%PDF-1.7\n"), document.Options{}, document.ErrDamaged},
		{"another thing after the header", append([]byte("%PDF-1.7\n"), make([]byte, 5000)...), document.Options{}, document.ErrDamaged},
		{"more text than allowed", whole, document.Options{MaxBytes: 100}, document.ErrTooLarge},
		{"no time", whole, document.Options{Time: 1}, document.ErrTooLarge},
	}
	for _, tt := range tests {
		if err := readtest.Read(t.Context(), &document.Document{}, tt.data, tt.opts); !errors.Is(err, tt.want) {
			t.Errorf("%s: error %v, want %v", tt.name, err, tt.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := readtest.Read(ctx, &document.Document{}, whole, document.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v, want %v", err, context.Canceled)
	}
	// An engine that was stopped must not take its place from the next file.
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if err := readtest.Read(t.Context(), &document.Document{}, whole, document.Options{}); err != nil {
				t.Errorf("after the errors: %v", err)
			}
		})
	}
	wg.Wait()
}

// TestPDFDamage reads files with bytes changed: text or an error, no more.
func TestPDFDamage(t *testing.T) {
	whole := sample.PDF(sample.At(50, 600, "some text"), sample.Picture+sample.At(50, 500, "more text"))
	random := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		data := bytes.Clone(whole)
		for range 1 + random.IntN(20) {
			data[random.IntN(len(data))] = byte(random.Uint32())
		}
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, data[:len(data)-random.IntN(2)*random.IntN(len(data))], document.Options{}); err == nil && doc.Text == "" {
			t.Errorf("damaged file: no text and no error")
		}
	}
}
