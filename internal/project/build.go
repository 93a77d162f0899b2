package project

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"
)

// A Build is the information that the Go command recorded in the program.
type Build struct {
	Version  string    // version of the module without its v, "devel" if unknown
	Time     time.Time // time of the commit, zero if unknown
	revision string    // commit, "" if unknown
	modified bool      // files differed from the commit
}

// Built returns the build of the running program.
var Built = sync.OnceValue(func() Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return buildOf(info)
})

// Version returns the version of the running program.
func Version() string { return Built().Version }

// buildOf returns the build that info describes. The Go command sets the version of the module from
// a tag of the commit, or from the time and hash of the commit, unless -buildvcs=false.
func buildOf(info *debug.BuildInfo) Build {
	b := Build{Version: strings.TrimPrefix(info.Main.Version, "v")}
	if b.Version == "" || b.Version == "(devel)" {
		b.Version = "devel"
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.revision = s.Value
		case "vcs.time":
			b.Time, _ = time.Parse(time.RFC3339, s.Value) // zero if it is not a time
		case "vcs.modified":
			b.modified = s.Value == "true"
		}
	}
	return b
}

// String returns the build as a line, such as "otisk 1.2.3 (commit 0123456789ab, go1.26.0, linux/amd64)".
func (b Build) String() string {
	parts := []string{runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
	if b.revision != "" {
		commit := "commit " + b.revision[:min(12, len(b.revision))]
		if b.modified {
			commit += "+changes"
		}
		parts = append([]string{commit}, parts...)
	}
	return fmt.Sprintf("otisk %s (%s)", b.Version, strings.Join(parts, ", "))
}
