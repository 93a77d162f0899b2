package look

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/document/format"
)

// TestCascade compares the declarations for the elements of random trees with those that
// trying each rule on each element finds.
func TestCascade(t *testing.T) {
	matched := 0
	for seed := range uint64(300) {
		c := &cascade{rng: rand.New(rand.NewPCG(seed, 5))}
		var s Sheet
		if err := s.Add(t.Context(), c.sheet()); err != nil {
			t.Fatal(err)
		}
		pulse := format.NewPulse(context.Background())
		for range 60 {
			if n := len(c.open); n > 0 && c.rng.IntN(3) == 0 {
				c.open = c.open[:c.rng.IntN(n)]
			}
			e := c.element()
			for side := within; side < sides; side++ {
				list, err := s.styles(pulse, &e, c.open, side)
				if err != nil {
					t.Fatal(err)
				}
				got, want := effective(list), effective(c.naive(e, side))
				if got != want {
					t.Fatalf("seed %d, side %d: %s below %s: got %s, want %s; sheet:\n%s", seed, side, describe(e), describe(c.open...), got, want, strings.Join(c.rules, "\n"))
				}
				if want != "" {
					matched++
				}
			}
			c.open = append(c.open, e)
		}
	}
	if matched < 1000 {
		t.Errorf("only %d elements had declarations", matched)
	}
}

// A cascade is a random style sheet and the open elements of a page.
type cascade struct {
	rng   *rand.Rand
	rules []string // a selector and its declarations each
	open  []Element
}

// one returns one of a few words.
func (c *cascade) one(words ...string) string { return words[c.rng.IntN(len(words))] }

func (c *cascade) compound() string {
	tag := c.one("", "p", "div", "b")
	for range c.rng.IntN(3) {
		tag += c.one(".a", ".b", ".c", "#x", "#y")
	}
	if tag == "" {
		return "*"
	}
	return tag
}

func (c *cascade) sheet() string {
	for range 1 + c.rng.IntN(20) {
		selector := c.compound()
		for range c.rng.IntN(4) {
			selector += c.one(" ", " ", " > ") + c.compound()
		}
		selector += c.one("", "", "::before", "::after")
		var declared string
		for range 1 + c.rng.IntN(2) {
			declared += c.one("color", "top", "content") + ":" + c.one("red", "1px", "'x'") + c.one("", " !important") + ";"
		}
		c.rules = append(c.rules, selector+"{"+declared+"}")
	}
	return strings.Join(c.rules, "\n")
}

func (c *cascade) element() Element {
	e := Element{Name: c.one("p", "div", "b", "i"), ID: c.one("", "", "x", "y", "z")}
	for range c.rng.IntN(3) {
		e.Classes = append(e.Classes, c.one("a", "b", "c", "d"))
	}
	return e
}

// naive returns the declarations for e in rising order of precedence.
func (c *cascade) naive(e Element, side Side) (list []Property) {
	type match struct {
		weight int
		styles []Property
	}
	var found []match
	for _, rule := range c.rules {
		selector, declared, _ := strings.Cut(rule, "{")
		of, ok := strings.CutSuffix(selector, sideNames[side])
		if !ok || strings.Contains(of, "::") {
			continue
		}
		parts := strings.Fields(of)
		if fits(parts, append(slices.Clone(c.open), e)) {
			weight := 10_000*strings.Count(of, "#") + 100*strings.Count(of, ".")
			for _, part := range parts {
				if part[0] >= 'a' && part[0] <= 'z' {
					weight++
				}
			}
			found = append(found, match{weight, Properties(strings.TrimSuffix(declared, "}"))})
		}
	}
	slices.SortStableFunc(found, func(a, b match) int { return a.weight - b.weight })
	for _, m := range found {
		list = append(list, m.styles...)
	}
	return list
}

// fits reports whether a selector matches the last of the elements, below the others.
func fits(parts []string, elements []Element) bool {
	last := len(parts) - 1
	if !fit(parts[last], elements[len(elements)-1]) {
		return false
	}
	above := elements[:len(elements)-1]
	switch {
	case last == 0:
		return true
	case parts[last-1] == ">":
		return len(above) > 0 && fits(parts[:last-1], above)
	}
	for end := len(above); end > 0; end-- {
		if fits(parts[:last], above[:end]) {
			return true
		}
	}
	return false
}

// fit reports whether a compound selector matches an element.
func fit(part string, e Element) bool {
	part = strings.NewReplacer(".", " .", "#", " #").Replace(part)
	for _, f := range strings.Fields(part) {
		switch f[0] {
		case '*':
		case '.':
			if !slices.Contains(e.Classes, f[1:]) {
				return false
			}
		case '#':
			if e.ID != f[1:] {
				return false
			}
		default:
			if e.Name != f {
				return false
			}
		}
	}
	return true
}

// effective returns the values that are in effect after declarations in rising order of precedence.
func effective(list []Property) string {
	values := map[string]string{}
	for _, important := range []bool{false, true} {
		for _, p := range list {
			if p.Important == important {
				values[p.Name] = p.Value
			}
		}
	}
	if len(values) == 0 {
		return ""
	}
	return fmt.Sprint(values)
}

func describe(list ...Element) string {
	var b strings.Builder
	for _, e := range list {
		fmt.Fprintf(&b, "<%s id=%s class=%s>", e.Name, e.ID, e.Classes)
	}
	return b.String()
}
