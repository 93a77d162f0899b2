package layout

import (
	"strings"
	"testing"

	"github.com/otisk/otisk/document/pdf"
)

func TestCork(t *testing.T) {
	if len(corkLow) != 0x20 || len(corkHigh) != 0x40 {
		t.Fatalf("the table has %d and %d characters, want 32 and 64", len(corkLow), len(corkHigh))
	}
	const czech = "\x12Kdyº se vý²ka p°ev¥ºe, t°eba pe£liv¥ zv¥t²it: \x1cle\x10 \x15 dal²í p°íhody"
	tests := []struct{ name, text, want string }{
		{"Czech", czech, "„Když se výška převěže, třeba pečlivě zvětšit: file“ – další příhody"},
		{"one sign", "The area in m²ha and 20 °C is the same", "The area in m²ha and 20 °C is the same"},
		{"Catalan", "la col·lecció és excel·lent i il·lustra", "la col·lecció és excel·lent i il·lustra"},
		{"few among much", strings.Repeat("many plain words ", 300) + czech, strings.Repeat("many plain words ", 300) + czech},
	}
	for _, tt := range tests {
		pages := []pdf.Page{{Lines: []pdf.Line{{Text: tt.text}}}}
		mendCork(pages)
		if got := pages[0].Lines[0].Text; got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
