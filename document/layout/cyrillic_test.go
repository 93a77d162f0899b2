package layout

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"

	"github.com/otisk/otisk/document/pdf"
)

// asLatin encodes a text in Windows-1251 and reads it as Latin 1.
func asLatin(t *testing.T, text string) string {
	t.Helper()
	encoded, err := charmap.Windows1251.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, c := range []byte(encoded) {
		b.WriteRune(rune(c))
	}
	return b.String()
}

func TestCyrillic(t *testing.T) {
	const russian = "Ещё одной задачей этой работы является описание алгоритма, который определяет фазы ночного сна по сигналам датчиков; всё это проверено на данных, полученных от десяти здоровых людей. Word и файл report.pdf (§ 3) взяты из архива, который был создан раньше."
	const ukrainian = "Метою цієї роботи є дослідження її властивостей і побудова алгоритму, який знаходить розв’язок задачі за найменшу кількість кроків; отримані результати перевірено на прикладах і порівняно з відомими методами, що описані в літературі."
	const french = "à été où là île çà né dû où ça été là à çà où été né là île où dû été ça là à né où été çà là"
	tests := []struct{ name, text, want string }{
		{"Russian", asLatin(t, russian), russian},
		{"Ukrainian", asLatin(t, ukrainian), strings.ReplaceAll(ukrainian, "’", "\u0092")},
		{"T2A", strings.NewReplacer("\u00b8", "\u00bc", "\u00a8", "\u009c").Replace(asLatin(t, russian)), russian},
		{"French", french, french},
		{"Cyrillic", russian, russian},
		{"few among much", strings.Repeat("plain words of English ", 100) + asLatin(t, russian), strings.Repeat("plain words of English ", 100) + asLatin(t, russian)},
		{"no language", strings.Repeat("ÿþýüûÿ þÿüýÿ ", 40), strings.Repeat("ÿþýüûÿ þÿüýÿ ", 40)},
	}
	for _, tt := range tests {
		pages := []pdf.Page{{Lines: []pdf.Line{{Text: tt.text}}}}
		mendCyrillic(pages)
		if got := pages[0].Lines[0].Text; got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
