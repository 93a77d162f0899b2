//go:build linux

package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"unicode"

	"github.com/klauspost/compress/zstd"

	"github.com/otisk/otisk/document"
)

// Documents have from least to most bytes, equally many of each order of magnitude.
const (
	least = 5e3
	most  = 1e6
	// leastWords is the minimum size of a document: a shorter rest of a source is
	// appended to the document before it.
	leastWords = 100
)

// A source is a text to copy.
type source struct {
	text   string
	starts []uint32 // offsets of its words; a word includes the text up to the next
}

// A maker makes documents from sources: first the sources themselves, in parts, and then
// altered copies, pass after pass. In a copy, one of every four consecutive words is
// replaced by another word of the same text, so no seven consecutive words are
// unchanged. The same sources give the same documents.
type maker struct {
	sources      []source
	r            *rand.Rand
	pass, source int
	word         int // index in the source of the next word to copy
	made         int // number of documents made
	words        int64
}

// newMaker reads the sources.
func newMaker(ctx context.Context, patterns []string) (*maker, error) {
	m := &maker{r: rand.New(rand.NewPCG(1, 2))}
	for _, pattern := range patterns {
		names, err := filepath.Glob(pattern)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", pattern, err)
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("no texts in %s", pattern)
		}
		for _, name := range names {
			doc, err := document.Open(ctx, name, document.Options{})
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			if starts := startsOf(doc.Text); len(starts) >= leastWords {
				m.sources = append(m.sources, source{doc.Text, starts})
			}
		}
	}
	return m, nil
}

// startsOf returns the offsets of the words of a text.
func startsOf(text string) (starts []uint32) {
	space := true
	for i, r := range text {
		now := unicode.IsSpace(r)
		if space && !now {
			starts = append(starts, uint32(i))
		}
		space = now
	}
	return starts
}

// at returns word i of s, with the text up to the next word.
func (s *source) at(i int) string {
	if i+1 == len(s.starts) {
		return s.text[s.starts[i]:]
	}
	return s.text[s.starts[i]:s.starts[i+1]]
}

// next returns the next document.
func (m *maker) next() []byte {
	for m.word >= len(m.sources[m.source].starts) {
		m.word = 0
		if m.source++; m.source == len(m.sources) {
			m.source, m.pass = 0, m.pass+1
		}
	}
	s := &m.sources[m.source]
	size := int(least * math.Pow(most/least, m.r.Float64()))
	text := make([]byte, 0, size+100)
	for other := 0; m.word < len(s.starts) && (len(text) < size || len(s.starts)-m.word < leastWords); m.word++ {
		if m.word%4 == 0 {
			other = m.word + m.r.IntN(4)
		}
		if m.pass > 0 && m.word == other {
			text = append(text, s.at((m.word+1+m.r.IntN(len(s.starts)-1))%len(s.starts))...)
		} else {
			text = append(text, s.at(m.word)...)
		}
		m.words++
	}
	m.made++
	return text
}

// compressed returns a function that writes a document to a compressed file.
func compressed() (func(path string, text []byte) error, error) {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	return func(path string, text []byte) error {
		return os.WriteFile(path+".txt.zst", z.EncodeAll(text, nil), 0o666)
	}, err
}

// write writes documents to a folder until they have this number of words in all, and
// returns the bytes of their texts.
func (m *maker) write(dir string, words int64, file func(path string, text []byte) error) (bytes int64, err error) {
	for m.words < words {
		text := m.next()
		path := filepath.Join(dir, fmt.Sprint(m.made/1000), fmt.Sprintf("%07d", m.made))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return bytes, err
		}
		if err := file(path, text); err != nil {
			return bytes, err
		}
		bytes += int64(len(text))
	}
	return bytes, nil
}
