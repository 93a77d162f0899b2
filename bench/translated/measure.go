package main

import (
	"context"
	"fmt"
	"io"

	"strings"

	"github.com/otisk/otisk/search/hint"
	"github.com/otisk/otisk/search/translated"
)

// A counter counts what a finder finds, and prints the counts.
type counter struct {
	ctx    context.Context
	finder *translated.Finder
	out    io.Writer
}

func textOf(s string) *hint.Text {
	return &hint.Text{Words: wordsOf(s), Breaks: []int{0}, Original: s}
}

// unrelated counts hints between the translations of all blocks and the sources of others.
func (m *counter) unrelated(books []*book) error {
	type tally struct{ pairs, weak, strong int }
	var same, different tally
	for _, b := range books {
		for n, block := range b.blocks {
			search := m.finder.Prepare(textOf(strings.Join(otherSides(block), "\n")))
			for _, c := range books {
				for k, source := range c.blocks {
					if b == c && n == k {
						continue
					}
					found, err := search.Find(m.ctx, textOf(strings.Join(englishSides(source), "\n")))
					if err != nil {
						return err
					}
					t := &different
					if b == c {
						t = &same
					}
					t.pairs++
					switch strongest(found) {
					case hint.Weak:
						t.weak++
					case hint.Strong:
						t.strong++
					}
				}
			}
		}
	}
	fmt.Fprintf(m.out, "pairs of different texts  %4d  with a weak hint only %d, with a strong one %d\n", different.pairs, different.weak, different.strong)
	fmt.Fprintf(m.out, "pairs of the same text    %4d  with a weak hint only %d, with a strong one %d\n", same.pairs, same.weak, same.strong)
	return nil
}

// strongest returns the greatest strength, or "".
func strongest(found []hint.Found) string {
	strength := ""
	for _, f := range found {
		if f.Strength == hint.Strong {
			return hint.Strong
		}
		strength = hint.Weak
	}
	return strength
}

// book prints a line for each form and length of the passages of a text.
func (m *counter) book(b *book) error {
	if len(b.blocks) < 2 {
		return fmt.Errorf("%s in %s is too short", b.name, b.language)
	}
	fmt.Fprintf(m.out, "%-5s %-28s %5s %5s  %6s %8s %9s  %6s\n", b.name, "form", "words", "n", "found", "covered", "precision", "strong")
	for k, f := range forms {
		for _, words := range []int{50, 100, 200, 400} {
			if k > 0 && words != 200 {
				continue
			}
			if err := m.line(b, f, words); err != nil {
				return err
			}
		}
	}
	return nil
}

// line measures one form and one length.
func (m *counter) line(b *book, f form, words int) error {
	n, found, strong := 0, 0, 0
	covered, hinted, right := 0.0, 0, 0
	for block := range b.blocks {
		for place := range placesEach {
			p, ok := b.plant(block, place, words, f)
			if !ok {
				continue
			}
			list, err := m.finder.Prepare(textOf(p.suspect)).Find(m.ctx, textOf(p.source))
			if err != nil {
				return err
			}
			n++
			strength, common := "", 0
			for _, h := range list {
				hinted += h.Suspect.Len()
				if c := h.Suspect.Common(p.at); c > 0 && h.Origin.Common(p.from) > 0 {
					common += c
					if h.Strength == hint.Strong || strength == "" {
						strength = h.Strength
					}
				}
			}
			right += common
			covered += float64(common) / float64(p.at.Len())
			if strength != "" {
				found++
			}
			if strength == hint.Strong {
				strong++
			}
		}
	}
	percent := func(x float64, of int) float64 { return 100 * x / float64(max(1, of)) }
	_, err := fmt.Fprintf(m.out, "%-5s %-28s %5d %5d  %5.0f%% %7.0f%% %8.0f%%  %5.0f%%\n", "", f.name, words, n,
		percent(float64(found), n), percent(covered, n), percent(float64(right), hinted), percent(float64(strong), n))
	return err
}
