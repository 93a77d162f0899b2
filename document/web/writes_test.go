package web

import (
	"regexp"
	"testing"
)

// TestWrites compares the search for names with a regular expression for all of them.
func TestWrites(t *testing.T) {
	pattern := regexp.MustCompile(`innerHTML|outerHTML|innerText|textContent|nodeValue|\.write|TextNode|\.data\b|\.value\b|\.content\b|insertAdjacent|append|prepend|replace(?:With|Children)|` +
		`\.(?:after|before)\(|setAttribute|setProperty|srcdoc|setHTML|fillText|strokeText|DOMParser|createContextualFragment|createObjectURL|eval|Function`)
	for _, code := range []string{"", "a.innerHTML=b", "x.replace(a)", "x.replaceWith(a)", "a.data", "a.data=1", "a.dataset", "a.dataset; b.data_; c.data;", "a.value2", "a.contentType + b.content", "a.after (b)", "a.after(b)",
		"a.valueé", "document.write(x)", "medieval", "function f(){}", "new Function", "Datatable.database", "a.contents"} {
		if got, want := writes([]byte(code)), pattern.MatchString(code); got != want {
			t.Errorf("%q: %v, want %v", code, got, want)
		}
	}
}
