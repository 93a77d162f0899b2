package phrase

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// TestXML: each reason that package encoding/xml gives for a broken file is a message, with the same text.
func TestXML(t *testing.T) {
	for _, text := range []string{
		"<a>", "<a></b>", "</a>", "<a></a b>", "<a b>", "<a b=c>", "<a <", "<a / >", "<", "</", "<?", "<!-x", "<!--a--b-->", "<![x", "<a>]]></a>", `<a b="<">`,
		"<a>&nothing;</a>", "<a>\x01</a>", "<a>\xff</a>", "<a><![CDATA[x", "<1>", `<?xml version="2.0"?>`,
	} {
		d := xml.NewDecoder(strings.NewReader(text))
		var err error
		for err == nil {
			_, err = d.Token()
		}
		got := XML(err)
		_, isFixed := got.(Fixed)
		_, isPhrase := got.(*Phrase)
		if errors.Is(err, io.EOF) || !isFixed && !isPhrase {
			t.Errorf("%q: %v has the reason %v, which is no message", text, err, got)
		}
	}
	if got := XML(errors.New("xml: another reason")); got.Error() != "another reason" {
		t.Errorf("another reason is %q", got)
	}
}
