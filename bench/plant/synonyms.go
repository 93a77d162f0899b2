package plant

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// ReadSynonyms reads a file with a group of synonyms on each line, separated by commas. A
// word in several groups has the synonyms of all of them.
func ReadSynonyms(name string) (map[string][]string, error) {
	body, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read synonyms: %w", err)
	}
	synonyms := map[string][]string{}
	for line := range strings.Lines(string(body)) {
		group := strings.Split(strings.TrimSpace(line), ",")
		for i := range group {
			group[i] = strings.TrimSpace(group[i])
		}
		for i, w := range group {
			for j, other := range group {
				if i != j && w != "" && w != other && !slices.Contains(synonyms[w], other) {
					synonyms[w] = append(synonyms[w], other)
				}
			}
		}
	}
	return synonyms, nil
}
