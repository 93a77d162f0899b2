package pick

import (
	"context"
	"strings"

	"github.com/otisk/otisk/store"
)

// sift returns a reader of the documents that p means, if r can select them by itself.
// Otherwise it returns nil, also if nothing is found: then p must read entries, to suggest
// similar names.
func (p *Picker) sift(ctx context.Context, r store.Reader) (store.Reader, error) {
	s, ok := r.(store.Sifter)
	if !ok || p.opts.Prefix != nil {
		return nil, nil
	}
	values, ok, err := s.Values(ctx, p.listable())
	if !ok || err != nil {
		return nil, err
	}
	for _, m := range p.means {
		m.unlabel(values)
	}
	all, ok := p.conditions(values)
	if !ok {
		return nil, nil
	}
	names, err := p.namings(ctx, r)
	if err != nil {
		return nil, err
	}
	part, err := s.Among(ctx, all, names)
	if part == nil || err != nil {
		return nil, err
	}
	p.sifted(values)
	return part, nil
}

// byName returns the name that m means, without a slash at the end, if m is neither a
// pattern nor a condition.
func (m *meaning) byName() string {
	if m.pattern != nil || m.where != nil {
		return ""
	}
	return strings.TrimSuffix(m.typed, "/")
}

// namings returns matchers for the names of all documents that are meant by name, except by
// m as a folder.
func (p *Picker) namings(ctx context.Context, r store.Catalogue) (list []store.Naming, err error) {
	for _, m := range p.means {
		prefixes, err := m.prefixes(ctx, r, p)
		if err != nil {
			return nil, err
		}
		for i, prefix := range prefixes {
			if prefix == m.byName() && prefix != "" {
				continue
			}
			// A pattern for the last part of names matches anywhere.
			list = append(list, store.Naming{Text: prefix, Within: i == 0 && m.last && m.pattern != nil})
		}
	}
	return list, nil
}

// sifted records that everything typed means some document.
func (p *Picker) sifted(values map[string][]store.Value) {
	for _, m := range p.means {
		m.found = 1
	}
	for name := range values {
		p.labels[name] = true
	}
}

// listable returns the names in conditions under which an index may list values.
func (p *Picker) listable() (names []string) {
	where := p.opts.Where
	for _, m := range p.means {
		if m.where == nil {
			names = append(names, "prefix")
		}
		where = append(where[:len(where):len(where)], m.where...)
	}
	for _, c := range where {
		if name := strings.ToLower(c.name); store.IsTold(name) {
			names = append(names, name)
		}
	}
	return names
}

// unlabel makes m no longer a condition if no document has the label.
func (m *meaning) unlabel(values map[string][]store.Value) {
	if len(m.where) == 1 && !m.where[0].own() && len(values[strings.ToLower(m.where[0].name)]) == 0 && !m.where[0].holds("", false) {
		m.where = nil
	}
}

// conditions returns the conditions for documents that are meant; ok is false if a name may
// be meant instead, or there are no conditions.
func (p *Picker) conditions(values map[string][]store.Value) (all []store.Condition, ok bool) {
	var one store.Condition // of the typed conditions
	for _, m := range p.means {
		if name := m.byName(); name != "" && p.opts.Folders {
			one = append(one, store.Having{In: name})
			continue
		}
		if len(m.where) != 1 {
			return nil, false
		}
		h, ok := m.where[0].having(values)
		if !ok {
			return nil, false
		}
		one = append(one, h)
	}
	if len(one) > 0 {
		all = append(all, one)
	}
	for i := range p.opts.Where {
		h, ok := p.opts.Where[i].having(values)
		if !ok {
			return nil, false
		}
		all = append(all, store.Condition{h})
	}
	return all, len(all) > 0
}

// having returns the values for which c holds; ok is false if it holds for none, or they
// are unknown.
func (c *condition) having(values map[string][]store.Value) (h store.Having, ok bool) {
	h.Name = strings.ToLower(c.name)
	if !store.IsTold(h.Name) || len(values[h.Name]) == 0 {
		return h, false
	}
	h.Not = c.holds("", c.own()) // for documents without a value
	for _, v := range values[h.Name] {
		if c.holds(v.Value, true) != h.Not {
			h.Values = append(h.Values, v)
		}
	}
	return h, h.Not || len(h.Values) > 0
}
