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

// longestName is how many bytes the name of a report has before its ending.
// Most systems take 255 with it.
const longestName = 230

// names are those of reports that are in use.
type names struct{ taken map[string]bool }

// distinct returns name, or name~2 and so on where a report is called so
// already: also where the two differ in case or in how accents are written, as
// some systems would put them into one file. A name that is too long for a file
// is cut, and ends in a number that stands for all of it. Control characters,
// which would drive a terminal that lists the folder, become underscores.
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
