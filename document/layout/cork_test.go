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
		{"Turkish", "oldu§unu gösteren e§er ba§\x19ms\x19z de§i³ken i³lem", "olduğunu gösteren eğer bağımsız değişken işlem"},
		{"Romanian", "funcµii liniare, înmulµirea ³i compunerea acea³i relaµie", "funcţii liniare, înmulţirea şi compunerea aceaşi relaţie"},
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

// TestGermanCork reads ÿ as ß and the ligatures in a German text of pictures of letters, and
// leaves a text alone that has an ß, or is no German.
func TestGermanCork(t *testing.T) {
	const joins = "der und die und das ist nicht und der und die"
	tests := []struct{ last, want string }{
		{"Straÿe, groÿe Füÿe, Kon\x1cguration", "Straße, große Füße, Konfiguration"},
		{"Straÿe, groÿe Füÿe, Maß", "Straÿe, groÿe Füÿe, Maß"},
		{"Louÿs", "Louÿs"},
	}
	for _, tt := range tests {
		pages := []pdf.Page{{Lines: []pdf.Line{{Text: joins}, {Text: tt.last}}}}
		mendCork(pages)
		if got := pages[0].Lines[1].Text; got != tt.want {
			t.Errorf("%q is read as %q, want %q", tt.last, got, tt.want)
		}
	}
	pages := []pdf.Page{{Lines: []pdf.Line{{Text: "Louÿs, Haÿ, Cluÿ: the rest is in another language"}}}}
	if mendCork(pages); !strings.HasPrefix(pages[0].Lines[0].Text, "Louÿs") {
		t.Errorf("%q, want it as it was", pages[0].Lines[0].Text)
	}
}
