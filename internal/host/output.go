package host

import "strings"

// LastLine returns the last line that a program printed, at most 200 bytes of it, after a colon; "" if it printed none.
func LastLine(said string) string {
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(said, "?")), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	if last == "" {
		return ""
	}
	return ": " + last[:min(len(last), 200)]
}
