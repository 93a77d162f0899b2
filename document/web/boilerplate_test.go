package web_test

import (
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
)

func TestBoilerplate(t *testing.T) {
	const text = "This is the text of the page, which is long enough to be one. It has several sentences."
	p := "<p>" + text + "</p>"
	tests := []struct{ name, html, want string }{
		{"nothing around it", p, text},
		{"elements", "<header><nav>Home News</nav></header>" + p + "<aside>See also</aside><footer>© 2024</footer>", text},
		{"roles", "<div role=navigation>Home</div>" + p + "<div role='contentinfo'>© 2024</div>", text},
		{"classes", "<div class='top cookie-bar'>We use cookies</div><ul class=breadcrumbs><li>Home<li>Here</ul>" + p + "<div id=site-footer>© 2024</div>", text},
		{"main part", "<div>Logo</div><main><h1>Head</h1>" + p + "</main><div>Other pages</div>", "Head\n\n" + text},
		{"main part by its role", "<div>Logo</div><div role=\"main\">" + p + "</div><div>Other pages</div>", text},
		{"main part that holds little", "<main>Hi</main>" + p, "Hi\n\n" + text},
		{"footer and note of an article", "<article>" + p + "<footer>Written by Jan</footer><aside>A note</aside></article>", text + "\n\nWritten by Jan\n\nA note"},
		{"navigation in an article", "<article><nav>Contents</nav>" + p + "</article>", text},
		{"names that say what a page has", "<body class='has-sidebar no-footer'><div class='page-with-sidebar'>" + p + "</div></body>", text},
		{"text called by a wrong name", "<div class=sidebar>" + p + p + "</div><p>End", text + "\n\n" + text + "\n\nEnd"},
		{"all of it navigation", "<nav>Home News</nav>", "Home News"},
		{"element that ends what is left out", "<footer>© <p>2024</footer>" + p, text},
		{"hidden text", "<nav>Home</nav><p>copied<b style='color:white'>x</b>from</p>" + p, "copied from\n\n" + text},
	}
	for _, tt := range tests {
		for _, strip := range []bool{true, false} {
			doc := &document.Document{Ext: "html"}
			err := readtest.Read(t.Context(), doc, []byte("<title>T</title>"+tt.html), document.Options{Strip: strip})
			switch {
			case err != nil || strip && doc.Text != tt.want:
				t.Errorf("%s: text %q, %v, want %q", tt.name, doc.Text, err, tt.want)
			case !strip && !strings.Contains(doc.Text, text) && tt.name != "all of it navigation":
				t.Errorf("%s: text %q without stripping", tt.name, doc.Text)
			case doc.Title != "T":
				t.Errorf("%s: title %q", tt.name, doc.Title)
			}
		}
	}
}
