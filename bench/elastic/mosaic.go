package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/otisk/otisk/document"
)

// Documents of a mosaic have from leastWords to mostWords words, equally many of each order
// of magnitude, in paragraphs of paragraphWords.
const (
	leastWords, mostWords = 600, 18_000
	paragraphWords        = 120
)

// Stretches of a mosaic have from shortest to longest words. Of each so many words of a
// stretch, one is replaced.
const (
	shortest, longest = 8, 40
	replacedOf        = 6
)

// A mosaic makes documents from stretches of texts with some words replaced. So a collection of
// any size has the pairs of words of ordinary texts, and no seven consecutive words in common
// with them. The same texts give the same documents.
type mosaic struct {
	words []string // of all texts
	r     *rand.Rand
	made  int   // documents
	size  int64 // words of all documents
}

// newMosaic reads the texts in folders.
func newMosaic(ctx context.Context, folders []string) (*mosaic, error) {
	m := &mosaic{r: rand.New(rand.NewPCG(1, 2))}
	for _, folder := range folders {
		names, err := filepath.Glob(filepath.Join(folder, "*"))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			doc, err := document.Open(ctx, name, document.Options{})
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			m.words = append(m.words, strings.Fields(doc.Text)...)
		}
	}
	if len(m.words) <= longest {
		return nil, fmt.Errorf("%s: too few words for a mosaic", strings.Join(folders, ", "))
	}
	return m, nil
}

// next returns the next document.
func (m *mosaic) next() string {
	size := int(leastWords * math.Pow(float64(mostWords)/leastWords, m.r.Float64()))
	var text strings.Builder
	for count := 0; count < size; {
		length := min(shortest+m.r.IntN(longest-shortest+1), size-count)
		from := m.r.IntN(len(m.words) - length)
		other := m.r.IntN(replacedOf)
		for i, word := range m.words[from : from+length] {
			if i%replacedOf == other {
				word = m.words[m.r.IntN(len(m.words))]
			}
			text.WriteString(word)
			if count++; count%paragraphWords == 0 {
				text.WriteString("\n\n")
			} else {
				text.WriteByte(' ')
			}
		}
	}
	m.made, m.size = m.made+1, m.size+int64(size)
	return text.String()
}

// write writes documents to a folder until all documents have this number of words.
func (m *mosaic) write(folder string, words int64) error {
	if err := os.Mkdir(folder, 0o777); err != nil {
		return err
	}
	for m.size < words {
		text := m.next()
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%07d.txt", m.made)), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}
