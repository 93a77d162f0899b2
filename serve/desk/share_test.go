package desk

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/serve/accounts"
)

// TestShare: a link opens its check until it expires or is revoked; each opening is in the audit log.
// The secret is not stored, and opens nothing else.
func TestShare(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d, f := open(t, dir)
	a := administrator(t, d)
	c := submit(t, d, a, "novak.txt", "text", "")
	if _, _, err := d.Share(t.Context(), a, c.ID, NewShare{For: "Committee", Days: 3}); !errors.Is(err, ErrNotFound) {
		t.Errorf("Share of a check in the queue = %v, want ErrNotFound", err)
	}
	finish(t, d, f, c)
	for _, bad := range []NewShare{{"", 3}, {strings.Repeat("a", 201), 3}, {"Committee", 0}, {"Committee", 366}} {
		if _, _, err := d.Share(t.Context(), a, c.ID, bad); !errors.As(err, new(*Invalid)) {
			t.Errorf("Share with %.20q and %d days = %v, want an Invalid", bad.For, bad.Days, err)
		}
	}
	first, secret, err := d.Share(t.Context(), a, c.ID, NewShare{For: " Committee ", Days: 3})
	if err != nil {
		t.Fatal(err)
	}
	s, err := d.Shared(t.Context(), secret, lang.Of("en"))
	if err != nil || s.Check.ID != c.ID || s.For != "Committee" {
		t.Fatalf("Shared = %+v, %v, want check %s for Committee", s, err, c.ID)
	}
	if r, err := d.SharedReport(t.Context(), secret); err != nil || r.Suspect.Words != 7 {
		t.Errorf("SharedReport = %v, %v", r, err)
	}
	log, err := d.Audit(t.Context(), a, 0, 3)
	if err != nil || log[0].Action != "open report by link" || log[1].Action != "open link" || log[2].Action != "share check" || log[1].Detail != "Committee" || log[1].Object != c.ID || log[1].Login != "" {
		t.Errorf("Audit = %+v, %v, want the link created, opened, and the report opened", log, err)
	}
	if links, err := d.Shares(t.Context(), a, c.ID); err != nil || len(links) != 1 || links[0].Times != 2 || links[0].Opened.IsZero() || links[0].Expired() {
		t.Errorf("Shares = %+v, %v, want one, opened twice", links, err)
	}
	for name, err := range map[string]error{
		"a session":        func() error { _, err := d.Actor(t.Context(), secret); return err }(),
		"a token":          func() error { _, err := d.TokenActor(t.Context(), secret); return err }(),
		"a one-time link":  func() error { _, err := d.Link(t.Context(), secret); return err }(),
		"its id as secret": func() error { _, err := d.Shared(t.Context(), first, lang.Of("en")); return err }(),
		"its hash":         func() error { _, err := d.Shared(t.Context(), accounts.HashSecret(secret), lang.Of("en")); return err }(),
		"a guess":          func() error { _, err := d.Shared(t.Context(), "AAAAAAAAAAAAAAAAAAAAAAAAAA", lang.Of("en")); return err }(),
	} {
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("the secret as %s: %v, want ErrNotFound", name, err)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "otisk.db*"))
	if err != nil || len(files) == 0 && !f.Shared() {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if data, err := os.ReadFile(file); err != nil || strings.Contains(string(data), secret) {
			t.Errorf("%s contains the secret, or %v", file, err)
		}
	}
	if err := f.Write(t.Context(), execute(`UPDATE shares SET expires = ?`, time.Now().Add(-time.Second).UnixMilli())); err != nil {
		t.Fatal(err)
	}
	if links, err := d.Shares(t.Context(), a, c.ID); err != nil || len(links) != 1 || !links[0].Expired() {
		t.Errorf("Shares = %+v, %v, want one that has expired", links, err)
	}
	second, revoked, err := d.Share(t.Context(), a, c.ID, NewShare{For: "Dean", Days: 365})
	if err == nil {
		err = d.Unshare(t.Context(), a, c.ID, second)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, secret := range map[string]string{"expired": secret, "revoked": revoked} {
		if _, err := d.Shared(t.Context(), secret, lang.Of("en")); !errors.Is(err, ErrNotFound) {
			t.Errorf("Shared of a link that was %s = %v, want ErrNotFound", name, err)
		}
		if _, err := d.SharedReport(t.Context(), secret); !errors.Is(err, ErrNotFound) {
			t.Errorf("SharedReport of a link that was %s = %v, want ErrNotFound", name, err)
		}
	}
	if err := d.Unshare(t.Context(), a, c.ID, second); !errors.Is(err, ErrNotFound) {
		t.Errorf("Unshare again = %v, want ErrNotFound", err)
	}
}
