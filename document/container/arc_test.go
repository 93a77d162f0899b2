package container

import (
	"fmt"
	"strings"
	"testing"
)

// arcFile returns an ARC file of version 1 with records of these addresses and contents.
func arcFile(records ...[2]string) string {
	describe := "1 0 Test\nURL IP-address Archive-date Content-type Archive-length\n\n"
	out := fmt.Sprintf("filedesc://test.arc 0.0.0.0 20080101000000 text/plain %d\n%s\n", len(describe), describe)
	for _, r := range records {
		kind := "text/html"
		if strings.HasPrefix(r[0], "dns:") {
			kind = "text/dns"
		}
		out += fmt.Sprintf("%s 192.0.2.1 20080102030405 %s %d\n%s\n", r[0], kind, len(r[1]), r[1])
	}
	return out
}

func TestARC(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
	data := arcFile(
		[2]string{"http://example.org/a", ok + "<p>One"},
		[2]string{"http://example.org/b c", ok + "<p>Two\n\nlines"},
		[2]string{"http://example.org/gone", "HTTP/1.1 404 Not Found\r\n\r\n<p>No"},
		[2]string{"dns:example.org", "20080102 192.0.2.1"},
		[2]string{"http://example.org/picture", "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\nPNG"},
	)
	pages := []string{"http://example.org/a: <p>One", "http://example.org/b c: <p>Two\n\nlines"}
	expect(t, read(t, "a.arc", data, Options{}), pages...)
	expect(t, read(t, "unnamed.gz", gzipped(data), Options{}), pages...)
	damaged := strings.Replace(data, "http://example.org/b c 192.0.2.1 2008", "http://example.org/b c 192.0.2.1 x", 1)
	expect(t, read(t, "a.arc", damaged, Options{}), pages[0], "record 3: ! damaged or not whole: the lines before the next record are not an ARC record")
	two := "2 0 Test\nURL IP-address Archive-date Content-type Result-code Checksum Location Offset Filename Archive-length\n"
	data = fmt.Sprintf("filedesc://test.arc 0.0.0.0 20080101000000 text/plain 200 - - 0 test.arc %d\n%s\nhttp://example.org/a 192.0.2.1 20080102030405 text/html 200 x - 200 test.arc %d\n%s", len(two), two, len(ok)+4, ok+"<p>3")
	expect(t, read(t, "a.arc", data, Options{}), "http://example.org/a: <p>3")
	expect(t, read(t, "a.arc", data[:len(data)-3], Options{}), "http://example.org/a: ! damaged or not whole: unexpected EOF")
}

func TestLooksJSONLines(t *testing.T) {
	long := `{"id":1,"text":"` + strings.Repeat("word ", jsonSize/4)
	for head, want := range map[string]bool{
		`{"text":"a","n":{"b":[1]}}`:           false,
		`{"body":"a"}`:                         false, // a JSON file of one object
		`{"body":"a"}` + "\n" + `{"body":"b"}`: true,
		"{\n\"text\":\"a\"\n}":                 false,
		`{"text":"a"} {"text":"b"}`:            false,
		`["text"]`:                             false,
		`{"text":"a`:                           false, // not longer than the head
		long[:jsonSize]:                        true,
		strings.Replace(long, "text", "body", 1)[:jsonSize]: false,
		strings.Replace(long, `1,`, `1,,`, 1)[:jsonSize]:    false,
		"\xef\xbb\xbf" + `{"text":"a"}` + "\n{":             true,
		`{"text":"a"}` + "\r\n\r\n" + `{"other":"no text"}`: true,
		`{"nested":{"text":"a"}}`:                           false,
		`{"url":"u","text":"` + "\\u017e" + `"}  ` + "\n{":  true,
	} {
		if got := LooksJSONLines([]byte(head), "text"); got != want {
			t.Errorf("LooksJSONLines(%.60q) = %v, want %v", head, got, want)
		}
	}
	data := `{"text":"one","url":"u"}` + "\n" + `{"text":"two"}` + "\n"
	expect(t, read(t, "c4-train.00000-of-01024.json.gz", gzipped(data), Options{}), "u: one", "line 2: two")
}
