package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/otisk/otisk/serve/mail/mailtest"
)

// TestMailFlags: wrong flags are misused before the server starts, a password is not in the list of processes, and doctor states
// whether the mail server answers.
func TestMailFlags(t *testing.T) {
	to := mailtest.New(t, nil)
	for _, tt := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"serve", "--data", t.TempDir(), "--smtp", "smtp://localhost"}, 2, "--mail-from"},
		{[]string{"serve", "--data", t.TempDir(), "--mail-from", "otisk@example.org"}, 2, "--smtp"},
		{[]string{"serve", "--data", t.TempDir(), "--smtp", "smtp://otisk:secret@localhost", "--mail-from", "otisk@example.org"}, 2, "OTISK_SMTP_PASSWORD"},
		{[]string{"serve", "--data", t.TempDir(), "--smtp", "localhost", "--mail-from", "otisk@example.org"}, 2, "smtp://[USER@]HOST"},
		{[]string{"serve", "--data", t.TempDir(), "--smtp", "smtp://localhost", "--mail-from", "otisk"}, 2, "NAME@HOST"},
		{[]string{"doctor", "--smtp", "smtp://" + to.Address, "--mail-from", "otisk@example.org"}, -1, "Mail server"},
		{[]string{"doctor", "--smtp", "smtp://127.0.0.1:1", "--mail-from", "otisk@example.org"}, 1, "connection refused"},
	} {
		var out, errs bytes.Buffer
		status := run(t.Context(), tt.args, strings.NewReader(""), &out, &errs)
		if all := out.String() + errs.String(); tt.status >= 0 && status != tt.status || !strings.Contains(all, tt.want) || strings.Contains(all, "secret@") {
			t.Errorf("%v: status %d, want %d and %q:\n%s", tt.args, status, tt.status, tt.want, all)
		}
	}
	if n := len(to.Messages()); n != 0 {
		t.Errorf("doctor sent %d messages", n)
	}
}
