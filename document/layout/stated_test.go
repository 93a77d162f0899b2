package layout

import "testing"

// TestMendStated reads titles in the code page that the words of the text show.
func TestMendStated(t *testing.T) {
	const text = "OVĚŘENÍ škálovatelnosti, napsal Škvára. Größe und Naïveté, žluťoučký kůň."
	for _, tt := range []struct{ name, title, want string }{
		{"ASCII", "Google App Engine", "Google App Engine"},
		{"T1", "Ov¥°ení ²kálovatelnosti Google App Engine", "Ověření škálovatelnosti Google App Engine"},
		{"T1, a capital letter", "Jakub ™kvára", "Jakub Škvára"},
		{"Windows-1250", "Ovìøení ıkálovatelnosti", "Ověření škálovatelnosti"},
		{"ISO 8859-2", "Ovìøení ¹kálovatelnosti", "Ověření škálovatelnosti"},
		{"UTF-8", "Å¾luÅ¥ouÄ“kÃ½ kÅ¯Å‹", "žluťoučký kůň"},
		{"as it should be", "Größe und Naïveté", "Größe und Naïveté"},
		{"in Unicode", "Ověření", "Ověření"},
		{"words that the text has not", "²estý ²krtí", "²estý ²krtí"},
	} {
		if got := mendStated(tt.title, text); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
