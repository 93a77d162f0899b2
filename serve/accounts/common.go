package accounts

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"sort"
	"strings"
)

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
