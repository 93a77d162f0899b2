package project

import (
	"runtime/debug"
	"strings"
	"testing"
	"time"
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
		if got := buildOf(info).String(); !strings.HasPrefix(got, tt.want) {
			t.Errorf("version %q, settings %v: %q, want %q…", tt.version, tt.settings, got, tt.want)
		}
	}
}

// TestBuildTime: the time of a build is that of its commit.
func TestBuildTime(t *testing.T) {
	info := &debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.time", Value: "2026-12-01T01:00:00+02:00"}}}
	if got, want := buildOf(info).Time, time.Date(2026, 11, 30, 23, 0, 0, 0, time.UTC); !got.Equal(want) {
		t.Errorf("Time = %v, want %v", got, want)
	}
}
