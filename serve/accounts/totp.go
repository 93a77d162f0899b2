package accounts

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1" // by RFC 6238; few authenticator apps support another hash
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// The parameters of one-time codes that all authenticator apps support: RFC 6238 with HMAC-SHA-1.
const (
	totpStep   = 30 * time.Second
	totpDigits = 6
	totpSecret = 20 // bytes
	totpSkew   = 1  // steps that the clock of a device may be off
)

var base32Text = base32.StdEncoding.WithPadding(base32.NoPadding)

// NewTOTP returns a random secret for one-time codes, in Base32.
func NewTOTP() string {
	b := make([]byte, totpSecret)
	_, _ = rand.Read(b) // never fails
	return base32Text.EncodeToString(b)
}

// TOTPAddress returns the address of a secret that authenticator apps read from a QR code.
func TOTPAddress(secret, issuer, login string) string {
	query := url.Values{"secret": {secret}, "issuer": {issuer}}
	u := url.URL{Scheme: "otpauth", Host: "totp", Path: "/" + issuer + ":" + login, RawQuery: strings.ReplaceAll(query.Encode(), "+", "%20")}
	return u.String()
}

// TOTP returns the code of a secret in the step of time t, "" if the secret is not Base32: RFC 6238
// and RFC 4226, section 5.3.
func TOTP(secret string, t time.Time) string { return code(secret, step(t)) }

// step returns the number of the step of a time.
func step(t time.Time) int64 { return t.Unix() / int64(totpStep/time.Second) }

func code(secret string, step int64) string {
	key, err := base32Text.DecodeString(secret)
	if err != nil || len(key) == 0 || step < 0 {
		return ""
	}
	mac := hmac.New(sha1.New, key)
	_ = binary.Write(mac, binary.BigEndian, step) // a hash returns no error
	sum := mac.Sum(nil)
	number := binary.BigEndian.Uint32(sum[sum[len(sum)-1]&15:]) & (1<<31 - 1)
	return fmt.Sprintf("%0*d", totpDigits, number%1_000_000)
}

// VerifyTOTP reports whether typed is the code of a secret at the time t, one step before or one
// after, and belongs to a later step than last. It returns the step, which is the next last: no
// code is valid twice.
func VerifyTOTP(secret, typed string, t time.Time, last int64) (used int64, ok bool) {
	typed = strings.ReplaceAll(typed, " ", "")
	for at := step(t) - totpSkew; at <= step(t)+totpSkew; at++ {
		want := code(secret, at)
		if want != "" && subtle.ConstantTimeCompare([]byte(want), []byte(typed)) == 1 && at > last {
			used, ok = at, true
		}
	}
	return used, ok
}

// TOTPAhead reports whether the step last of a code that was used is so late that no code of the time t is
// valid: the clock was turned back.
func TOTPAhead(last int64, t time.Time) bool { return last > step(t)+totpSkew }

// recoveryCodes is the number of recovery codes of a user.
const recoveryCodes = 10

// NewRecoveryCodes returns random codes of 80 bits, each of which replaces a one-time code once, and
// their hashes.
func NewRecoveryCodes() (codes, hashes []string) {
	for range recoveryCodes {
		text := rand.Text()
		c := text[:4] + "-" + text[4:8] + "-" + text[8:12] + "-" + text[12:16]
		codes, hashes = append(codes, c), append(hashes, HashRecoveryCode(c))
	}
	return codes, hashes
}

// HashRecoveryCode returns the hash of a recovery code. Case, spaces and hyphens do not matter.
func HashRecoveryCode(typed string) string {
	return HashSecret(strings.ToUpper(strings.NewReplacer("-", "", " ", "").Replace(typed)))
}
