package lang

import "testing"

func TestLanguage(t *testing.T) {
	for _, tt := range []struct{ in, code, want string }{
		{"en", "cs", "Czech"}, {"cs", "de", "němčina"}, {"sk", "en", "angličtina"}, {"de", "pl", "Polnisch"},
		{"en", "sr", "sr"}, {"en", "unknown", "unknown"}, {"en", "xq", "xq"}, {"en", "", ""},
	} {
		if got := Of(tt.in).Language(tt.code); got != tt.want {
			t.Errorf("%s in %s is %q, want %q", tt.code, tt.in, got, tt.want)
		}
	}
}
