package esclient

import (
	"errors"
	"strings"
	"testing"

	"github.com/otisk/otisk/esclient/wire"
)

// TestDefaults compares the defaults with the documentation.
func TestDefaults(t *testing.T) {
	got, err := Config{Index: "theses"}.resolved()
	if err != nil || got.Memory != 128<<20 || got.Retries != 10 {
		t.Errorf("by default Memory is %d and Retries %d, %v, want 128 MB and 10", got.Memory, got.Retries, err)
	}
	if got, err = (Config{Index: "theses", Memory: 1}).resolved(); err != nil || got.Memory != 16<<20 {
		t.Errorf("Memory 1 becomes %d, %v, want 16 MB", got.Memory, err)
	}
	if got := (Config{}).writing().Retries; got != 30 {
		t.Errorf("a writer retries %d times by default, want 30", got)
	}
	if got := (Config{Config: wire.Config{Retries: 2}}).writing().Retries; got != 2 {
		t.Errorf("a writer told to retry twice retries %d times", got)
	}
}

func TestIndexNames(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"", `index name "": it is empty`}, {"Theses", "upper-case"}, {"a*", "has one of"}, {"_a", "begins with"},
		{"\xff", "UTF-8"}, {strings.Repeat("x", 201), "longer than"},
	} {
		_, err := Open(t.Context(), Config{Index: tt.name})
		if err == nil || !strings.Contains(err.Error(), tt.want) || !errors.As(err, new(wire.ConfigError)) {
			t.Errorf("Open of index %q = %v, want a ConfigError with %q", tt.name, err, tt.want)
		}
	}
}
