package main

import (
	"bufio"
	"flag"
	"fmt"
	"math/rand"
	"slices"
)

// vertical writes a vertical file of texts, -copies times. In each copy after the first, every
// fourth word is changed.
func vertical(args []string, w *bufio.Writer) error {
	f := flag.NewFlagSet("vertical", flag.ContinueOnError)
	copies := f.Int("copies", 1, "write the collection this `number` of times")
	repeat := f.Bool("repeat", false, "repeat every tenth paragraph elsewhere")
	seed := f.Int64("seed", 1, "seed of the random numbers")
	folders, err := parse(f, args)
	if err != nil {
		return err
	}
	list, err := texts(folders, paragraphs)
	if err != nil {
		return err
	}
	if *repeat {
		repeated(list, rand.New(rand.NewSource(*seed)))
	}
	for i := range *copies {
		writeCopy(w, list, i)
	}
	return nil
}

// repeated copies every tenth paragraph to another text.
func repeated(list []text, r *rand.Rand) {
	var tenth [][]string
	count := 0
	for _, t := range list {
		for _, p := range t.pars {
			if count++; count%10 == 0 {
				tenth = append(tenth, p)
			}
		}
	}
	for _, p := range tenth {
		t := &list[r.Intn(len(list))]
		t.pars = slices.Insert(t.pars, r.Intn(len(t.pars)+1), p)
	}
}

func writeCopy(w *bufio.Writer, list []text, number int) {
	count := 0
	for _, t := range list {
		fmt.Fprintf(w, "<doc id=\"%d-%s\">\n", number, t.name)
		for _, p := range t.pars {
			w.WriteString("<p>\n")
			for _, word := range p {
				w.WriteString(word)
				if count++; number > 0 && count%4 == 0 {
					fmt.Fprintf(w, "%c%c", 'a'+number/26, 'a'+number%26)
				}
				w.WriteByte('\n')
			}
			w.WriteString("</p>\n")
		}
		w.WriteString("</doc>\n")
	}
}
