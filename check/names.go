package check

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// longestName is the size limit for the name of a report without its extension, in bytes. Most
// systems allow 255 with it.
const longestName = 230

type names struct{ taken map[string]bool }

// distinct returns name, or name~2 and so on if it is in use. Names that differ only in case or in
// the composition of accents are the same, since some systems would use one file for them. A name
// that is too long is cut and gets a hash of the whole name as its end. Control characters, which
// could control a terminal that lists the folder, become underscores.
func (n *names) distinct(name string) string {
	if n.taken == nil {
		n.taken = map[string]bool{}
	}
	name = short(strings.Map(visible, name))
	free := name
	for i := 2; n.taken[folded(free)]; i++ {
		free = fmt.Sprintf("%s~%d", name, i)
	}
	n.taken[folded(free)] = true
	return free
}

func visible(r rune) rune {
	if unicode.IsControl(r) {
		return '_'
	}
	return r
}

func folded(name string) string { return strings.ToLower(norm.NFC.String(name)) }

func short(name string) string {
	if len(name) <= longestName {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	end := longestName - 9
	for end > 0 && !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end] + "~" + hex.EncodeToString(sum[:4])
}
