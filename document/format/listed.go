package format

import (
	"fmt"
	"strings"
)

// maxListed is the number of names that Listed writes.
const maxListed = 5

// Listed returns names as a list with commas; of more than 5, it counts the others.
func Listed(names []string) string {
	if more := len(names) - maxListed; more > 0 {
		return strings.Join(names[:maxListed], ", ") + fmt.Sprintf(" (+%d)", more)
	}
	return strings.Join(names, ", ")
}
