package pick

import (
	"context"
	"slices"
	"strings"

	"github.com/otisk/otisk/store"
)

// byLabels takes in what p means where that can be found out without reading the
// entries of all documents: where it means labels, and nothing but. It reports false
// where it cannot, and where something typed is no document: then all have to be
// looked at to say what is near it.
func (o *only) byLabels(ctx context.Context, p *Picker) (done bool, err error) {
	s, ok := o.Reader.(store.Selector)
	where, known := p.tests(p.opts.Where)
	if !ok || !known || p.opts.Prefix != nil {
		return false, nil
	}
	if len(p.means) == 0 {
		return s.Select(ctx, where, func(d *store.Document) error { o.add(d); return nil })
	}
	for _, m := range p.means {
		if done, err := o.byLabel(ctx, s, p, m, where); !done || err != nil {
			return false, err
		}
	}
	return true, nil
}

// byLabel takes in the documents that m means, by a label and by their names.
func (o *only) byLabel(ctx context.Context, s store.Selector, p *Picker, m *meaning, where []store.LabelTest) (done bool, err error) {
	tests, known := p.tests(m.where)
	if !known || m.where == nil || m.pattern != nil {
		return false, nil
	}
	names, err := m.prefixes(ctx, o.Reader, p)
	if err != nil || slices.Contains(names, "") {
		return false, err
	}
	found := 0
	ok, err := s.Select(ctx, slices.Concat(where, tests), func(d *store.Document) error { found++; o.add(d); return nil })
	if !ok || err != nil {
		return false, err
	}
	for _, name := range names {
		err := o.Reader.DocumentsIn(ctx, name, func(d store.Document) error {
			if p.Match(&d) {
				o.add(&d)
			}
			return nil
		})
		if err != nil {
			return false, err
		}
	}
	m.found += found
	return m.found > 0, nil
}

// tests returns conditions as tests of labels; ok is false where one is about
// something else.
func (p *Picker) tests(w Where) (tests []store.LabelTest, ok bool) {
	for i := range w {
		c := &w[i]
		name := strings.ToLower(c.name)
		if c.own() && !slices.Contains(store.LabelNames, name) {
			return nil, false
		}
		tests = append(tests, store.LabelTest{Name: name, Holds: func(value string, ok bool) bool {
			if ok {
				p.labels[name] = true
			}
			return c.holds(value, ok)
		}})
	}
	return tests, true
}
