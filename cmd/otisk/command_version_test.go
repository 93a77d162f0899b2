package main

import (
	"runtime/debug"
	"strings"
	"testing"

	"github.com/otisk/otisk/lang"
)

// TestBuildOf: the version is that of the tag, without its v; a build without one is devel.
func TestBuildOf(t *testing.T) {
	setting := func(pairs ...string) (list []debug.BuildSetting) {
		for i := 0; i < len(pairs); i += 2 {
			list = append(list, debug.BuildSetting{Key: pairs[i], Value: pairs[i+1]})
		}
		return list
	}
	for _, tt := range []struct {
		version  string
		settings []debug.BuildSetting
		want     string
	}{
		{"v1.2.3", setting("vcs.revision", "0123456789abcdef", "vcs.modified", "false"), "otisk 1.2.3 (commit 0123456789ab, "},
		{"v1.2.3+dirty", setting("vcs.revision", "0123456789abcdef", "vcs.modified", "true"), "otisk 1.2.3+dirty (commit 0123456789ab+changes, "},
		{"v1.2.3", nil, "otisk 1.2.3 (go"}, // by go install
		{"(devel)", nil, "otisk devel (go"},
		{"", nil, "otisk devel (go"},
	} {
		info := &debug.BuildInfo{Settings: tt.settings}
		info.Main.Version = tt.version
		if got := buildOf(info).line(); !strings.HasPrefix(got, tt.want) {
			t.Errorf("version %q, settings %v: %q, want %q…", tt.version, tt.settings, got, tt.want)
		}
	}
}

// TestManualPage: a page has the date of its commit, headings, and escapes for the characters that
// roff reads.
func TestManualPage(t *testing.T) {
	root := newRootCommand()
	localize(root, lang.Of("en"))
	cmd, _, err := root.Find([]string{"index"})
	if err != nil {
		t.Fatal(err)
	}
	info := &debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.time", Value: "2026-12-01T01:00:00+02:00"}}}
	info.Main.Version = "v1.2.3"
	page := manualPage(cmd, buildOf(info), lang.Of("en"))
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
