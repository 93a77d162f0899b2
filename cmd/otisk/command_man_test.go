package main

import (
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/internal/project"
	"github.com/otisk/otisk/lang"
)

// TestManualPage: a page has the date of its commit, headings, and escapes for the characters that
// roff reads.
func TestManualPage(t *testing.T) {
	root := newRootCommand()
	localize(root, lang.Of("en"))
	cmd, _, err := root.Find([]string{"index"})
	if err != nil {
		t.Fatal(err)
	}
	build := project.Build{Version: "1.2.3", Time: time.Date(2026, 12, 1, 1, 0, 0, 0, time.FixedZone("", 2*60*60))}
	page := manualPage(cmd, build, lang.Of("en"))
	for _, want := range []string{
		`.TH "OTISK\-INDEX" 1 "2026-11-30" "otisk 1.2.3"`, "\n.SH NAME\notisk\\-index \\- Add", "\n.SH EXIT STATUS\n.nf\n0  all", "\n.TP\n\\fB\\-n,\\fR \\fB\\-\\-words\\fR \\fIwords\\fR\n", `\fBotisk\fR(1)`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q:\n%s", want, page)
		}
	}
	got := paragraphs(".a\\b\n  'c\n  d\n\nE\n  f\ng-h")
	if want := "\\&.a\\eb\n.nf\n\\&'c\nd\n.fi\n.SH E\n.nf\nf\n.fi\ng\\-h\n"; got != want {
		t.Errorf("paragraphs = %q, want %q", got, want)
	}
}
