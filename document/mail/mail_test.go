package mail_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
)

func TestMail(t *testing.T) {
	const html = "Content-Type: text/html; charset=utf-8\n\n<p>as a page</p>"
	const text = "Content-Type: text/plain; charset=utf-8\n\nas text"
	mixed := func(parts ...string) []byte { return sample.Mail(sample.Multipart("mixed", parts...)) }
	nested := func(kind string, parts ...string) string {
		head, body := sample.Multipart(kind, parts...)
		return head + "\n\n" + body
	}
	attached := "Content-Type: application/octet-stream; name=\"a.docx\"\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment; filename=\"a.docx\"\n\n" +
		base64.StdEncoding.EncodeToString(sample.DOCX("<w:p><w:r><w:t>in the file</w:t></w:r></w:p>"))
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"quoted-printable", sample.Mail("Content-Type: text/plain; charset=windows-1250\nContent-Transfer-Encoding: quoted-printable", "k=F9=F2 sk=\n=E1=E8e"), `"kůň skáče"`},
		{"base64", sample.Mail("Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64", base64.StdEncoding.EncodeToString([]byte("kůň skáče"))), `"kůň skáče"`},
		{"Korean", sample.Mail("Content-Type: text/plain; charset=ks_c_5601-1987", "\xc7\xd1\xb1\xb9"), `"한국"`},
		{"Shift JIS", sample.Mail("Content-Type: text/plain; charset=Shift_JIS", "\x82\xb1\x82\xcc"), `"この"`},
		{"page whose message says more", sample.Mail("Content-Type: text/html; charset=euc-kr", "<meta charset=utf-8><p>\xc7\xd1"), `"한"`},
		{"label of a program that has no other", sample.Mail("Content-Type: text/plain; charset=iso-8859-1", string(sample.Encode(t, "Příliš žluťoučký kůň", "windows-1250"))), `"Příliš žluťoučký kůň"`},
		{"the same, which is right", sample.Mail("Content-Type: text/plain; charset=iso-8859-1", "Gr\xfc\xdfe an alle, sch\xf6ne \xdcberraschung"), `"Grüße an alle, schöne Überraschung"`},
		{"label that is none", sample.Mail("Content-Type: text/plain; charset=x-none", string(sample.Encode(t, "Příliš žluťoučký kůň", "windows-1250"))), `"Příliš žluťoučký kůň"`},
		{"UTF-8 with another label", sample.Mail("Content-Type: text/plain; charset=euc-kr", "kůň"), `"kůň"`},
		{"Japanese", sample.Mail("Content-Type: text/plain; charset=iso-2022-jp", "\x1b$B$3$s\x1b(B"), `"こん"`},
		{"the last of several versions", sample.Mail(sample.Multipart("alternative", text, html)), `"as a page"`},
		{"a page with what belongs to it", sample.Mail(sample.Multipart("related", html, "Content-Type: text/html\n\n<p>an advertisement")), `"as a page"`},
		{"parts that follow each other", mixed(text, html), `"as text\n\nas a page"`},
		{"a file", mixed(text, attached), `"as text" !/a.docx docx "in the file"`},
		{"only a file", mixed(attached), ` !/a.docx docx "in the file"`},
		{"versions and a file", mixed(nested("alternative", text, html), attached), `"as a page" !/a.docx docx "in the file"`},
		{"a message that is forwarded", mixed(text, "Content-Type: message/rfc822\n\n"+string(sample.Mail(html[:strings.Index(html, "\n")], "<p>inside"))), `"as text\n\ninside"`},
		{"a picture", mixed(text, "Content-Type: image/png\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo="), `"as text" [1 picture, sound or film in the message is not read]`},
		{"a footer after the data", sample.Mail("Content-Type: text/plain\nContent-Transfer-Encoding: base64", base64.StdEncoding.EncodeToString([]byte("one two three four"))+"\n____\nlist mailing list\nhttp://x\n"), `"one two three four" [the message ends early: its last part may not be whole]`},
		{"the start of what belongs together", sample.Mail("Content-Type: multipart/related; boundary=x; start=\"<r>\"", "--x\nContent-Type: text/plain\nContent-ID: <n>\n\n"+strings.Repeat("a ", 30)+"\n--x\nContent-Type: text/html\nContent-ID: <r>\n\n<p>two three</p>\n--x--\n"), `"two three" [30 words that may be shown are not read: multipart/related]`},
		{"encrypted parts", mixed(text, "Content-Type: multipart/encrypted; boundary=y\n\n--y\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n--y\nContent-Type: application/octet-stream\n\n-----BEGIN PGP MESSAGE-----\nabc\n--y--"), `"as text" [not read, although it may be shown: PGP MESSAGE, multipart/encrypted]`},
		{"a file about encrypted parts", mixed(text, "Content-Type: text/plain; name=b.txt\nContent-Disposition: attachment; filename=b.txt\n\none -----BEGIN PGP MESSAGE----- two"), `"as text" [not read, although it may be shown: PGP MESSAGE] !/b.txt text "one -----BEGIN PGP MESSAGE----- two"`},
		{"a digest", sample.Mail("Content-Type: multipart/digest; boundary=x", "--x\n\nSubject: one\n\ntwo\n--x\n\nSubject: three\n\nfour\n--x--\n"), `"two\n\nfour"`},
		{"text after the data", sample.Mail("Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64", base64.StdEncoding.EncodeToString([]byte("kůň skáče tam"))+"\n\nfooter of a list\n"), `"kůň skáče tam" [the message ends early: its last part may not be whole]`},
		{"spaces that mark lines", sample.Mail("Content-Type: text/plain; charset=utf-8; format=flowed; delsp=yes", "as  \ntext\n> har \n> bour"), `"as text\n> har bour"`},
		{"cut", []byte(strings.TrimSuffix(string(mixed(text)), "--bmixed--\r\n")), `"as text" [the message ends early: its last part may not be whole]`},
	}
	for _, tt := range tests {
		var got strings.Builder
		path := readtest.Write(t, "a.eml", string(tt.data))
		err := document.Each(t.Context(), path, document.Options{}, func(d *document.Document, err error) error {
			d.Path = strings.TrimPrefix(d.Path, path)
			if err != nil {
				fmt.Fprintf(&got, " %s: %v", d.Path, err)
				return nil
			}
			if d.Format == "mail" {
				if d.Title != "Kůň" || d.Author != "Jan Novák" || d.Year != 2024 {
					t.Errorf("%s: title %q, author %q, year %d", tt.name, d.Title, d.Author, d.Year)
				}
			} else {
				fmt.Fprintf(&got, " %s %s ", d.Path, d.Format)
			}
			fmt.Fprintf(&got, "%q", strings.ReplaceAll(d.Text, "\r\n", "\n"))
			if len(d.Notes) > 0 {
				fmt.Fprintf(&got, " %v", d.Notes)
			}
			return nil
		})
		if err != nil || got.String() != tt.want {
			t.Errorf("%s: %s, %v, want %s", tt.name, got.String(), err, tt.want)
		}
	}
}

// TestMailWithin reads files in files as deep as it may be.
func TestMailWithin(t *testing.T) {
	data := []byte("text")
	for range 10 {
		data = sample.Mail("Content-Type: application/octet-stream; name=x\nContent-Transfer-Encoding: base64", base64.StdEncoding.EncodeToString(data))
	}
	got, err := readtest.All(t, "a.eml", data, document.Options{})
	if want := strings.Repeat("!/x", 6) + ": archive in an archive"; err != nil || len(got) != 1 || got[0] != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	part := "text"
	for i := range 40 {
		part = fmt.Sprintf("Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n%s\n--b%d--\n", i, i, part, i)
	}
	if err := readtest.Read(t.Context(), &document.Document{Ext: "eml"}, []byte("MIME-Version: 1.0\n"+part), document.Options{}); !errors.Is(err, document.ErrDamaged) {
		t.Errorf("40 parts in each other: error %v, want %v", err, document.ErrDamaged)
	}
}

// TestMailbox reads a box: its messages, one of which is damaged.
func TestMailbox(t *testing.T) {
	one := string(sample.Mail("Content-Type: text/plain", "first\n\n>From here on\n\nFrom now on\n"))
	box := "From jan Mon Jan 1\r\n" + one + "\r\nFrom jan Mon Jan 1\r\n" + string(sample.Mail("Content-Type: text/plain; charset=utf-8", "žž\xff\n")) + "\r\nFrom jan\r\n" + string(sample.Mail("Content-Type: text/plain", "last\n"))
	got, err := readtest.All(t, "a.mbox", []byte(box), document.Options{})
	want := []string{`!/1 mail mbox: "first\r\n\r\nFrom here on\r\n\r\nFrom now on\r\n\r\n"`, `!/2: encoding unknown: not UTF-8 at byte 4`, `!/3 mail mbox: "last\r\n"`}
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

// TestLooksMail tells messages from texts that only look like them.
func TestLooksMail(t *testing.T) {
	tests := map[string]string{
		string(sample.Mail("Content-Type: text/plain", "text")):                    "mail",
		"From: a\nMessage-ID: <1>\n folded\n\ntext":                                "mail",
		"Poznámka: text\nDate: dnes\n\nFrom: nikdo":                                "text",
		"From: a\nTo: b\nSubject: c\n\na memo":                                     "text",
		"Dear Sir,\nMIME-Version: 1.0\nFrom: a\n":                                  "text",
		"From here to there it is far.\n\n":                                        "text",
		"MIME-Version: 1.0\nFrom: a\n" + strings.Repeat("X: y\n", 2000) + "\ntext": "mail",
	}
	for text, want := range tests {
		doc := &document.Document{Ext: "txt"}
		if err := readtest.Read(t.Context(), doc, []byte(text), document.Options{}); err != nil || doc.Format != want {
			t.Errorf("%.40q: %s, %v, want %s", text, doc.Format, err, want)
		}
	}
}

// TestBadHeader: the error for an invalid header quotes its beginning.
func TestBadHeader(t *testing.T) {
	_, err := document.Open(t.Context(), readtest.Write(t, "a.eml", strings.Repeat("no header ", 1000)+"\r\n\r\ntext"), document.Options{})
	if !errors.Is(err, document.ErrDamaged) || !strings.Contains(err.Error(), "no header") || len(err.Error()) > 300 {
		t.Errorf("error %v, want one that shows how the header begins", err)
	}
}

// TestFaultyParts reads messages whose parts have a line in the header that is not valid, or that have no parts.
func TestFaultyParts(t *testing.T) {
	for body, want := range map[string]string{
		"--b\r\nContent-Type: text/plain\r\n\r\none\r\n--b\r\nContent-Type: text/plain\r\ntwo and\r\nthree\r\n--b--\r\n": "one\n\ntwo and\r\nthree",
		"No parts.\r\n": "No parts.",
	} {
		doc := &document.Document{Ext: "eml"}
		message := "From: a@b\r\nMessage-ID: <1>\r\nContent-Type: multipart/mixed; boundary=\"b\"\r\n\r\n" + body
		if err := readtest.Read(t.Context(), doc, []byte(message), document.Options{}); err != nil || strings.TrimSpace(doc.Text) != want {
			t.Errorf("%q: text %q, %v, want %q", body, doc.Text, err, want)
		}
	}
}

// TestFaultyHeaders reads messages with lines in the header that are not valid, and in UTF-16.
func TestFaultyHeaders(t *testing.T) {
	const message = "From: a@b\r\nReferences: <c@d>, <e\r\nf@g>\r\nSubject: a\r\n folded title\r\n__\r\n  <h@i>\r\nMessage-ID: <1>\r\n\r\ntext: of\r\nit"
	wide := "\xff\xfe"
	for _, c := range strings.ReplaceAll(message, "__", "X: y") {
		wide += string([]byte{byte(c), 0})
	}
	for _, data := range []string{message, wide} {
		doc := &document.Document{Ext: "eml"}
		if err := readtest.Read(t.Context(), doc, []byte(data), document.Options{}); err != nil || strings.TrimSpace(doc.Text) != "text: of\r\nit" || doc.Title != "a folded title" {
			t.Errorf("text %q, title %q, %v", doc.Text, doc.Title, err)
		}
	}
}
