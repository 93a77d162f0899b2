package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/gather/watch"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/lang/phrase"
)

// TestServerHints: each kind of error of a cluster has a hint in each language. A cut connection
// and a full disk have hints of their own.
func TestServerHints(t *testing.T) {
	kinds := []wire.Kind{
		wire.Unreachable, wire.TimedOut, wire.BadCertificate, wire.NoTLS, wire.Unauthorized, wire.Expired, wire.Forbidden,
		wire.NotElasticsearch, wire.TooOld, wire.Red, wire.ReadOnly, wire.Broken, wire.Overloaded,
	}
	seen := map[string]wire.Kind{}
	for _, kind := range kinds {
		got := hint(&wire.Error{Kind: kind}, lang.Of("en"))
		if other, ok := seen[got]; got == "" || ok {
			t.Errorf("the hint for %q is %q, that for %q is the same", kind, got, other)
		}
		seen[got] = kind
		for _, tag := range []string{"cs", "de", "sk"} {
			if there := hint(&wire.Error{Kind: kind}, lang.Of(tag)); there == "" || there == got {
				t.Errorf("the hint for %q in %s is %q", kind, tag, there)
			}
		}
	}
	for _, tt := range []struct {
		err  *wire.Error
		want string
	}{
		{&wire.Error{Kind: wire.Unreachable, Reason: fmt.Errorf("%w (5 attempts in 2s)", wire.ErrCutOff)}, "needs https:// if the server speaks TLS"},
		{&wire.Error{Kind: wire.ReadOnly, Reason: errors.New("blocked by: [FORBIDDEN/12/disk usage exceeded flood-stage watermark]")}, `PUT NAME-*/_settings {"index.blocks.read_only_allow_delete": null}`},
		{&wire.Error{Kind: wire.ReadOnly, Reason: errors.New("blocked by: [FORBIDDEN/8/index write (api)]")}, "a setting blocks writes"},
	} {
		if got := hint(tt.err, lang.Of("en")); !strings.Contains(got, tt.want) {
			t.Errorf("the hint for %q is %q, want %q in it", tt.err.Reason, got, tt.want)
		}
	}
}

// TestAdvice: problems of files are followed by advice to the user, also in a translation; other
// problems are not.
func TestAdvice(t *testing.T) {
	taken := phrase.Error("index.name-taken", "its name {name} belongs to {place}, which has a different text", "name", "a.txt", "place", "/b/a.txt").Of(indexer.ErrNameTaken)
	for _, tt := range []struct {
		err  error
		tag  string
		want string
	}{
		{taken, "en", "its name a.txt belongs to /b/a.txt, which has a different text; distinguish the names by --base or --prefix; if the folder was moved, use otisk move-base"},
		{fmt.Errorf("add: %w", taken), "de", "add: ihren Namen a.txt hat schon /b/a.txt mit einem anderen Text; unterscheiden Sie die Namen mit --base oder --prefix; wenn der Ordner verschoben wurde, verwenden Sie otisk move-base"},
		{watch.ErrMissing, "en", "files are missing; remove them with --remove-many"},
		{fmt.Errorf("%w: not UTF-8 at byte 3", document.ErrEncoding), "en", "encoding unknown: not UTF-8 at byte 3; name it by --encoding, such as --encoding windows-1250"},
		{errors.New("damaged"), "en", "damaged"},
	} {
		if got := reasonOf(lang.Of(tt.tag), tt.err); got != tt.want {
			t.Errorf("reasonOf(%q) in %s = %q, want %q", tt.err, tt.tag, got, tt.want)
		}
	}
	if got, want := noteOf(lang.Of("en"), errors.New(document.NoTextColumn)), document.NoTextColumn+"; --field names the column with the texts"; got != want {
		t.Errorf("noteOf(%q) = %q, want %q", document.NoTextColumn, got, want)
	}
}
