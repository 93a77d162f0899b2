package accounts

import (
	"encoding/base32"
	"net/url"
	"strings"
	"testing"
	"time"
)

// TestTOTP checks the last six digits of the SHA-1 test vectors of RFC 6238, appendix B.
func TestTOTP(t *testing.T) {
	t.Parallel()
	secret := base32.StdEncoding.EncodeToString([]byte("12345678901234567890"))
	for at, want := range map[int64]string{59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924", 2000000000: "279037", 20000000000: "353130"} {
		if got := TOTP(secret, time.Unix(at, 0)); got != want {
			t.Errorf("TOTP at %d = %s, want %s", at, got, want)
		}
	}
	if got := TOTP("not Base32!", time.Unix(59, 0)); got != "" {
		t.Errorf("TOTP with a wrong secret = %q, want none", got)
	}
}

// TestVerifyTOTP accepts a code for a step around its own, and once only.
func TestVerifyTOTP(t *testing.T) {
	t.Parallel()
	secret, now := NewTOTP(), time.Unix(1_800_000_000, 0)
	for offset, want := range map[time.Duration]bool{-61 * time.Second: false, -30 * time.Second: true, 0: true, 30 * time.Second: true, 61 * time.Second: false} {
		if _, ok := VerifyTOTP(secret, TOTP(secret, now.Add(offset)), now, 0); ok != want {
			t.Errorf("the code of %v later is valid: %v, want %v", offset, ok, want)
		}
	}
	typed := TOTP(secret, now)
	used, ok := VerifyTOTP(secret, typed[:3]+" "+typed[3:], now, 0)
	if !ok {
		t.Error("a code with a space is refused")
	}
	if _, ok := VerifyTOTP(secret, typed, now.Add(10*time.Second), used); ok {
		t.Error("a code is valid twice")
	}
	if _, ok := VerifyTOTP(secret, TOTP(secret, now.Add(-30*time.Second)), now, used); ok {
		t.Error("an earlier code is valid after a later one")
	}
	for _, wrong := range []string{"", "000", "abcdef", "1234567"} {
		if _, ok := VerifyTOTP(secret, wrong, now, 0); ok {
			t.Errorf("the code %q is valid", wrong)
		}
	}
	if _, ok := VerifyTOTP("", "", now, 0); ok {
		t.Error("no code is valid without a secret")
	}
}

// TestTOTPAddress has what apps need, with a login that contains marks of addresses.
func TestTOTPAddress(t *testing.T) {
	t.Parallel()
	u, err := url.Parse(TOTPAddress("ABC", "otisk.example", "jana?a=b&c/d"))
	if err != nil || u.Scheme != "otpauth" || u.Host != "totp" || u.Path != "/otisk.example:jana?a=b&c/d" || u.Query().Get("secret") != "ABC" || u.Query().Get("issuer") != "otisk.example" {
		t.Errorf("address %v, %v", u, err)
	}
}

// TestRecoveryCodes are different and do not depend on case and hyphens.
func TestRecoveryCodes(t *testing.T) {
	t.Parallel()
	codes, hashes := NewRecoveryCodes()
	seen := map[string]bool{}
	for i, c := range codes {
		if seen[c] || len(c) != 19 {
			t.Errorf("recovery code %s", c)
		}
		seen[c] = true
		if got := HashRecoveryCode(" " + strings.ToLower(strings.ReplaceAll(c, "-", ""))); got != hashes[i] {
			t.Errorf("the hash of %s depends on case or hyphens", c)
		}
	}
	if len(codes) != recoveryCodes {
		t.Errorf("%d codes, want %d", len(codes), recoveryCodes)
	}
}
