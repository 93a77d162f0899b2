package document

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestArchivedPages reads a page of a web archive in the three ways, in both formats.
func TestArchivedPages(t *testing.T) {
	text := strings.Repeat("<p>Starý mlýn u řeky byl prodán za korunu muži, který v něm nechtěl mlít nic jiného než čas, a tak v něm od té doby stojí kolo i kameny a voda teče kolem.</p>", 5)
	page := "<!DOCTYPE html><html><head><meta charset=utf-8></head><body><nav>Domů</nav><article><h1>Mlýn</h1>" + text + "</article><div class=related><p>Jiný mlýn se neprodal, protože o něj nikdo nestál.</p></div></body></html>"
	answer := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page
	about := "1 0 test\n"
	for name, data := range map[string]string{
		"a.warc": fmt.Sprintf("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.cz/\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", len(answer), answer),
		"a.arc":  fmt.Sprintf("filedesc://a.arc 0.0.0.0 20260301000000 text/plain %d\n%s\nhttp://a.cz/ 1.2.3.4 20260301000000 text/html %d\n%s\n", len(about), about, len(answer), answer),
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		for how, want := range map[Boilerplate][2]bool{ToArticle: {false, false}, Stripped: {false, true}, Kept: {true, true}} {
			var texts []string
			err := Each(t.Context(), path, Options{Archived: how}, func(doc *Document, err error) error {
				if err == nil {
					texts = append(texts, doc.Text)
				}
				return err
			})
			if err != nil || len(texts) != 1 {
				t.Errorf("%s, %q: %d texts, %v", name, how, len(texts), err)
				continue
			}
			if got := [2]bool{strings.Contains(texts[0], "Domů"), strings.Contains(texts[0], "neprodal")}; got != want || !strings.Contains(texts[0], "Starý mlýn") {
				t.Errorf("%s, %q: %q", name, how, texts[0])
			}
		}
	}
}
