package layout

import "testing"

// TestLooks: a PDF is distinguished from a text that quotes its header.
func TestLooks(t *testing.T) {
	tests := []struct {
		name, data string
		want       bool
	}{
		{"the header alone", "%PDF-1.7\n", true},
		{"after a byte order mark and an empty line", "\ufeff\r\n%PDF-1.7\n1 0 obj", true},
		{"after the header of a message", "Content-Type: application/pdf\n\n%PDF-1.4\n1 0 obj\n%%EOF\n", true},
		{"cut off after the header of a message", "HTTP/1.0 200 OK\n\n%PDF-1.4\n1 0 obj stream \x00\x05\xff", true},
		{"a text on PDF", "A file begins with %PDF-1.7 and has its table at its end.", false},
		{"one that is not in UTF-8", "Soubor za\xe8\xedn\xe1 \xf8\xe1dkem %PDF-1.7, jak je ps\xe1no v norm\xec.", false},
		{"another text", "A file begins with a line.", false},
	}
	for _, tt := range tests {
		if got := Looks([]byte(tt.data)); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
