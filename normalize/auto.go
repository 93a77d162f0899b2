package normalize

import "strings"

// autoSample is how many bytes of a text Auto looks at.
const autoSample = 1 << 20

// Resolve returns m, with Auto decided by the text: Line where lines end as
// sentences do, so that each is a paragraph of its own, and Blank where they
// are wrapped. Where it cannot tell it takes Blank: too large a paragraph loses
// no n-gram, one that is cut does.
func (m Mode) Resolve(text string) Mode {
	if m != Auto {
		return m
	}
	if len(text) > autoSample {
		text = text[:autoSample]
	}
	ends, broken := 0, 0
	lines := strings.Split(text, "\n")
	for i := 0; i+1 < len(lines); i++ {
		line, next := strings.TrimSpace(lines[i]), strings.TrimSpace(lines[i+1])
		if line == "" || next == "" {
			continue
		}
		broken++
		if strings.ContainsAny(line[len(line)-1:], ".!?:\"'") || strings.HasSuffix(line, "”") || strings.HasSuffix(line, "“") {
			ends++
		}
	}
	if broken > 0 && ends*10 >= broken*8 {
		return Line
	}
	return Blank
}
