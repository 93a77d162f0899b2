package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/otisk/otisk/search/hint"
)

const (
	hostWords  = 2400 // words of a suspect besides the passage
	placesEach = 5    // passages of each block
)

// A planted passage: a suspect, its source, and where the passage is in both, in words.
type planted struct {
	suspect, source string
	at, from        hint.Range
}

// A form degrades a passage: its pieces, other pieces of the same language, and random numbers.
type form struct {
	name string
	make func(r *rand.Rand, passage, others []string) []string
}

var forms = []form{
	{"as it is", func(_ *rand.Rand, passage, _ []string) []string { return passage }},
	{"30 % of the words replaced", func(r *rand.Rand, passage, others []string) []string { return replaced(r, passage, others, 0.3) }},
	{"half of the words replaced", func(r *rand.Rand, passage, others []string) []string { return replaced(r, passage, others, 0.5) }},
	{"shuffled by fours", shuffled},
	{"alternating with others", alternating},
}

// replaced returns the passage with a share of the words of four letters or more replaced by such words of the others.
func replaced(r *rand.Rand, passage, others []string, share float64) []string {
	content := func(w string) bool { return len([]rune(w)) >= 4 }
	var words []string
	for _, o := range others {
		for w := range strings.FieldsSeq(o) {
			if content(w) {
				words = append(words, w)
			}
		}
	}
	var list []string
	for _, p := range passage {
		fields := strings.Fields(p)
		for i, w := range fields {
			if content(w) && r.Float64() < share {
				fields[i] = words[r.IntN(len(words))]
			}
		}
		list = append(list, strings.Join(fields, " "))
	}
	return list
}

// shuffled returns the sentences in random order within each four of them.
func shuffled(r *rand.Rand, passage, _ []string) []string {
	list := sentences(passage)
	for i := 0; i < len(list); i += 4 {
		four := list[i:min(i+4, len(list))]
		r.Shuffle(len(four), func(a, b int) { four[a], four[b] = four[b], four[a] })
	}
	return list
}

// alternating returns the sentences with one of the others after each.
func alternating(r *rand.Rand, passage, others []string) []string {
	var list []string
	for _, s := range sentences(passage) {
		rest := sentences(others[r.IntN(len(others)):])
		list = append(list, s, rest[0])
	}
	return list
}

// sentences splits pieces at full stops.
func sentences(pieces []string) []string {
	var list []string
	for _, p := range pieces {
		for s := range strings.SplitAfterSeq(p, ". ") {
			if s = strings.TrimSpace(s); s != "" {
				list = append(list, s)
			}
		}
	}
	return list
}

// plant returns a passage of a number of words of block n, which starts at a fifth of it, in a suspect. It reports
// false if the block ends before.
func (b *book) plant(n, place, words int, f form) (planted, bool) {
	block, next := b.blocks[n], b.blocks[(n+1)%len(b.blocks)]
	start := len(block) * place / placesEach
	var passage, before, english []string
	for _, p := range block[:start] {
		before = append(before, p.english)
	}
	count := 0
	for _, p := range block[start:] {
		if count >= words {
			break
		}
		passage = append(passage, p.other)
		english = append(english, p.english)
		count += len(wordsOf(p.other))
	}
	if count < words*9/10 {
		return planted{}, false
	}
	others := otherSides(next)
	r := rand.New(rand.NewPCG(uint64(n), uint64(place*1000+words)))
	text := strings.Join(f.make(r, passage, others[len(others)/2:]), "\n")
	host := strings.Join(others, "\n")
	all := wordsOf(host)
	all = all[:min(len(all), hostWords)]
	half, end := all[len(all)/2].Start, all[len(all)-1].End
	from, at := len(wordsOf(strings.Join(before, "\n"))), len(wordsOf(host[:half]))
	return planted{
		suspect: host[:half] + "\n" + text + "\n" + host[half:end],
		source:  strings.Join(englishSides(block), "\n"),
		at:      hint.Range{From: at, To: at + len(wordsOf(text))},
		from:    hint.Range{From: from, To: from + len(wordsOf(strings.Join(english, "\n")))},
	}, true
}

func otherSides(pieces []piece) (list []string) {
	for _, p := range pieces {
		list = append(list, p.other)
	}
	return list
}

func englishSides(pieces []piece) (list []string) {
	for _, p := range pieces {
		list = append(list, p.english)
	}
	return list
}

// write writes the passages of 200 words as files.
func write(folder string, b *book) error {
	for _, name := range []string{"suspects", "sources"} {
		if err := os.MkdirAll(filepath.Join(folder, name), 0o777); err != nil {
			return err
		}
	}
	truth, err := os.OpenFile(filepath.Join(folder, "truth.tsv"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	for n := range b.blocks {
		for place := range placesEach {
			p, ok := b.plant(n, place, 200, forms[0])
			if !ok {
				continue
			}
			name := fmt.Sprintf("%s-%s-%02d-%d.txt", b.language, b.name, n, place)
			fmt.Fprintf(truth, "%s\t%d\t%d\t%d\t%d\n", name, p.at.From, p.at.To, p.from.From, p.from.To)
			for kind, text := range map[string]string{"suspects": p.suspect, "sources": p.source} {
				if err := os.WriteFile(filepath.Join(folder, kind, name), []byte(text), 0o666); err != nil {
					return err
				}
			}
		}
	}
	return truth.Close()
}
