package accounts

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	_ "embed"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"sort"
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

// A Cost is the cost of the hash of a password by Argon2id, with one lane, so that a sign-in takes one core. Use
// [Recommended] except in tests.
type Cost struct {
	Time   uint32 // passes
	Memory uint32 // KiB
}

// Recommended returns the second choice of RFC 9106, section 4: a sign-in takes 64 MB.
func Recommended() Cost { return Cost{Time: 3, Memory: 64 << 10} }

// Lengths in bytes.
const (
	argonKey  = 32
	argonSalt = 16
)

// Limits of the length of a password, in bytes: NIST SP 800-63B requires at least 8 characters,
// OWASP ASVS 12.
const (
	LeastPassword = 12
	MostPassword  = 1024
)

// Hash returns the hash of a password in the PHC string format.
func (c Cost) Hash(password string) string {
	salt := make([]byte, argonSalt)
	_, _ = rand.Read(salt) // never fails
	return c.format(salt, argon2.IDKey([]byte(password), salt, c.Time, c.Memory, 1, argonKey))
}

func (c Cost) format(salt, key []byte) string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=1$%s$%s", argon2.Version, c.Memory, c.Time,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(key))
}

// Verify reports whether a password has this hash, of any cost. An empty hash takes as long as one of cost c, so that
// the time does not reveal whether a user exists.
func (c Cost) Verify(hash, password string) bool {
	exists := hash != ""
	if !exists {
		hash = c.format(make([]byte, argonSalt), make([]byte, argonKey))
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

// commonPasswords has the first 5 bytes of the SHA-256 of each of the 5,000 most common passwords of at least
// LeastPassword bytes, in lower case, in order. They are those of the list of ten million leaked passwords that Mark
// Burnett published for research in 2015 (without restrictions; its first million is also in SecLists):
//
//	LC_ALL=C awk 'length >= 12' 10_million_password_list_top_1M.txt | tr A-Z a-z | awk '!seen[$0]++' | head -5000
//
// A password that is not among them has the same bytes as one of them with a probability of 5·10⁻⁹.
//
//go:embed common.bin
var commonPasswords []byte

// commonBytes is the size of one entry.
const commonBytes = 5

// Common reports whether a password is one of the most common ones, whatever its case.
func Common(password string) bool {
	sum := sha256.Sum256([]byte(strings.ToLower(password)))
	entry := func(i int) []byte { return commonPasswords[i*commonBytes : (i+1)*commonBytes] }
	n := len(commonPasswords) / commonBytes
	i := sort.Search(n, func(i int) bool { return bytes.Compare(entry(i), sum[:commonBytes]) >= 0 })
	return i < n && bytes.Equal(entry(i), sum[:commonBytes])
}
