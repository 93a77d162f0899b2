package accounts

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
)

// NewID returns a random id of 130 bits, in letters and digits.
func NewID() string { return strings.ToLower(rand.Text()) }

// NewSecret returns a random secret and its hash, which is what the database has.
func NewSecret() (secret, hash string) {
	secret = rand.Text()
	return secret, HashSecret(secret)
}

// HashSecret returns the hash of a random secret. A secret of 130 bits needs no slow hash.
func HashSecret(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// The parameters of Argon2id: RFC 9106, section 4, second choice, with one lane, so that a sign-in
// takes 64 MB and one core.
const (
	argonTime    = 3
	argonMemory  = 64 << 10 // KiB
	argonThreads = 1
	argonKey     = 32
	argonSalt    = 16
)

// Limits of the length of a password, in bytes: NIST SP 800-63B requires at least 8 characters,
// OWASP ASVS 12.
const (
	LeastPassword = 12
	MostPassword  = 1024
)

// HashPassword returns the hash of a password by Argon2id, in the PHC string format.
func HashPassword(password string) string {
	salt := make([]byte, argonSalt)
	_, _ = rand.Read(salt) // never fails
	key := argon2.IDKey([]byte(password), salt, argonTime, argonMemory, argonThreads, argonKey)
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, argonMemory, argonTime, argonThreads,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(key))
}

// VerifyPassword reports whether a password has this hash. An empty hash takes as long, so that the
// time does not reveal whether a user exists.
func VerifyPassword(hash, password string) bool {
	exists := hash != ""
	if !exists {
		hash = "$argon2id$v=19$m=65536,t=3,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	}
	var version, memory, time, threads uint32
	fields := strings.Split(hash, "$")
	if len(fields) != 6 || fields[1] != "argon2id" {
		return false
	}
	if _, err := fmt.Sscanf(fields[2]+" "+fields[3], "v=%d m=%d,t=%d,p=%d", &version, &memory, &time, &threads); err != nil || version != argon2.Version {
		return false
	}
	salt, err1 := base64.RawStdEncoding.DecodeString(fields[4])
	want, err2 := base64.RawStdEncoding.DecodeString(fields[5])
	if err1 != nil || err2 != nil || time == 0 || threads == 0 || threads > 255 || len(want) == 0 {
		return false
	}
	got := argon2.IDKey([]byte(password), salt, time, memory, uint8(threads), uint32(len(want)))
	return subtle.ConstantTimeCompare(got, want) == 1 && exists
}
