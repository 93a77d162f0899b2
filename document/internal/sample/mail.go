package sample

import (
	"strings"
)

// Mail returns a message with these headers and this body; the lines of both end in \n. The author is
// Jan Novák, the subject Kůň.
func Mail(head, body string) []byte {
	return []byte("From: =?utf-8?Q?Jan_Nov=C3=A1k?= <jan@example.org>\r\nSubject: =?iso-8859-2?Q?K=F9=F2?=\r\nDate: Mon, 1 Jan 2024 10:00:00 +0100\r\nMIME-Version: 1.0\r\n" +
		strings.ReplaceAll(strings.ReplaceAll(head+"\n\n"+body, "\r", ""), "\n", "\r\n"))
}

// Multipart returns the header and the body of a message of parts, each with its headers.
func Multipart(kind string, parts ...string) (head, body string) {
	return `Content-Type: multipart/` + kind + `; boundary="b` + kind + `"`, "--b" + kind + "\n" + strings.Join(parts, "\n--b"+kind+"\n") + "\n--b" + kind + "--\n"
}
