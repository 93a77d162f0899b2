package config

import (
	"strings"
	"testing"
)

func TestLanguages(t *testing.T) {
	for list, want := range map[string]string{"ces": "ces", "cs, en": "ces eng", "ces+eng+cs": "ces eng", "chi_sim": "chi_sim", "script/Latin": "script/Latin", "": "", " + ": "", "a;b": "", "-x": ""} {
		got, err := Languages(list)
		if strings.Join(got, " ") != want || (err == nil) != (want != "") {
			t.Errorf("Languages(%q) = %q, %v, want %q", list, got, err, want)
		}
	}
}
