package store

import "testing"

// TestSays: metadata that people assigned takes precedence over that of the file, and Says
// agrees with Description.
func TestSays(t *testing.T) {
	d := Document{
		Title: "Stated", Author: "A. Author", Year: 1999, Labels: map[string]string{"faculty": "law", "kind": "thesis"},
		Said: Description{Title: "Said", Labels: map[string]string{"faculty": "arts", "mark": "1"}},
	}
	want := map[string]string{"title": "Said", "Author": "A. Author", "year": "1999", "address": "", "url": "", "faculty": "arts", "KIND": "thesis", "mark": "1"}
	whole := d.Description()
	for name, value := range want {
		if got, ok := d.Value(name); got != value || !ok {
			t.Errorf("Says(%q) = %q, %v, want %q, true", name, got, ok, value)
		}
		if got, ok := whole.Value(name); got != value || !ok {
			t.Errorf("Description().Value(%q) = %q, %v, want %q, true", name, got, ok, value)
		}
	}
	if got, ok := d.Value("nothing"); got != "" || ok {
		t.Errorf(`Says("nothing") = %q, %v, want "", false`, got, ok)
	}
}
