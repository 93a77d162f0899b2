package accounts

import (
	"strings"
	"testing"
)

func TestPassword(t *testing.T) {
	t.Parallel()
	const password = "correct horse battery"
	hash := Recommended().Hash(password)
	if want := "$argon2id$v=19$m=65536,t=3,p=1$"; !strings.HasPrefix(hash, want) {
		t.Errorf("the recommended hash is %q, want %q before the salt", hash, want)
	}
	other := Cost{Time: 1, Memory: 8} // verifies hashes of any cost
	if !other.Verify(hash, password) {
		t.Error("the password is wrong for its own hash")
	}
	if first, second := other.Hash(password), other.Hash(password); first == second {
		t.Error("two hashes have the same salt")
	}
	for _, hash := range []string{other.Hash(password), "", "$argon2id$v=19$m=8,t=1,p=1$AAAA", strings.Replace(hash, "v=19", "v=16", 1), strings.Replace(hash, "t=3", "t=0", 1)} {
		if other.Verify(hash, password+"!") || other.Verify(hash, "") {
			t.Errorf("a wrong password is right for %q", hash)
		}
	}
	for _, bad := range []string{"", other.Hash(""), "$argon2i" + strings.TrimPrefix(hash, "$argon2id")} {
		if other.Verify(bad, password) {
			t.Errorf("the password is right for %q", bad)
		}
	}
}

// TestCommon: the most common long passwords are refused in any case, and their likes are not.
func TestCommon(t *testing.T) {
	t.Parallel()
	for password, want := range map[string]bool{
		"123qweasdzxc": true, "1qaz2wsx3edc": true, "QWERTY123456": true, "superfriends": true, // the first ones and one of the last
		"123qweasdzxd": false, "correct horse battery": false, "": false, "kachna plave po rybníku": false,
	} {
		if got := Common(password); got != want {
			t.Errorf("Common(%q) = %v, want %v", password, got, want)
		}
	}
	if n := len(commonPasswords); n != 5000*commonBytes {
		t.Errorf("the list has %d bytes, want 5,000 entries", n)
	}
}
