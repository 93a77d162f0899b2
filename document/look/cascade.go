package look

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/internal/lists"
)

// An index finds the rules for an element. Elements with the same features, and ancestors with
// the same features, have the same declarations: these are looked up once. So the time for a
// page grows with its rules and with its elements, and not with their product.
type index struct {
	groups   [sides]map[string]*group // by a feature of the element, "" for rules that name none
	features map[string]bool          // features in selectors
	tests    []*test                  // conditions among them
	made     uint32                   // kinds
	kinds    map[string]*kind         // by their features
	styles   map[string][]Property    // by side, kind, and kinds of the ancestors
}

// maxKinds limits the memory for kinds, and for their declarations: beyond it, both are
// forgotten.
const maxKinds = 1 << 16

// A group is the rules for elements with one feature.
type group struct {
	alone []*rule            // without ancestors
	below map[string][]*rule // by a feature of an ancestor, "" for rules that name none
}

// A kind is the features of an element that selectors name.
type kind struct {
	index  *index
	number uint32
	list   []string // distinct
	set    map[string]bool
	below  [sides]bool // some rules for this kind have ancestors
}

// newIndex indexes rules by the rarest of their features.
func newIndex(rules map[string]*rule, tests map[string]*test) *index {
	x := &index{features: map[string]bool{}, kinds: map[string]*kind{}, styles: map[string][]Property{}}
	own, above := map[string]int{}, map[string]int{}
	for _, r := range rules {
		for i, c := range r.chain {
			counts := above
			if i == 0 {
				counts = own
			}
			for _, f := range c.features {
				x.features[f] = true
				counts[f]++
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tests)) {
		if x.features[name] {
			x.tests = append(x.tests, tests[name])
		}
	}
	for _, r := range rules {
		x.add(r, own, above)
	}
	return x
}

// add adds a rule; own and above count the rules that name a feature for an element and for an
// ancestor.
func (x *index) add(r *rule, own, above map[string]int) {
	if x.groups[r.side] == nil {
		x.groups[r.side] = map[string]*group{}
	}
	feature := rarest(r.chain[:1], own)
	g := x.groups[r.side][feature]
	if g == nil {
		g = &group{below: map[string][]*rule{}}
		x.groups[r.side][feature] = g
	}
	if len(r.chain) == 1 {
		g.alone = append(g.alone, r)
		return
	}
	feature = rarest(r.chain[1:], above)
	g.below[feature] = append(g.below[feature], r)
}

// rarest returns the feature in chain with the lowest count, "" if there are no features.
func rarest(chain []compound, counts map[string]int) string {
	found := ""
	for _, c := range chain {
		for _, f := range c.features {
			if found == "" || counts[f] < counts[found] {
				found = f
			}
		}
	}
	return found
}

// kind returns the kind of e.
func (x *index) kind(e *Element) *kind {
	if e.kind != nil && e.kind.index == x {
		return e.kind
	}
	var signature []byte
	k := &kind{index: x}
	note := func(feature string) {
		if x.features[feature] {
			k.list = append(k.list, feature)
			signature = append(append(signature, feature...), ' ')
		}
	}
	note(e.Name)
	note("#" + e.ID)
	for _, class := range e.Classes {
		note("." + class)
	}
	for _, t := range x.tests {
		if t.holds(e) {
			note(t.name)
		}
	}
	if known := x.kinds[string(signature)]; known != nil {
		e.kind = known
		return known
	}
	k.complete()
	x.made++
	k.number = x.made
	if len(x.kinds) >= maxKinds {
		clear(x.kinds)
	}
	x.kinds[string(signature)], e.kind = k, k
	return k
}

// complete sets the other fields of a kind by its list, and removes duplicates from that.
func (k *kind) complete() {
	k.set = make(map[string]bool, len(k.list))
	list := k.list[:0]
	for _, f := range k.list {
		if !k.set[f] {
			k.set[f] = true
			list = append(list, f)
		}
	}
	k.list = list
	for side, groups := range k.index.groups {
		for _, f := range append([]string{""}, k.list...) {
			if g := groups[f]; g != nil && len(g.below) > 0 {
				k.below[side] = true
			}
		}
	}
}

func (c compound) matches(k *kind) bool {
	return !slices.ContainsFunc(c.features, func(f string) bool { return !k.set[f] })
}

// matches reports whether the rule matches an element of kind k with these ancestors. It takes
// the nearest ancestor for each compound; if the parent of that does not match as it must, it
// continues with the next ancestor.
func (r *rule) matches(k *kind, ancestors []*kind) bool {
	if !r.chain[0].matches(k) {
		return false
	}
	at, other, otherAt := len(ancestors)-1, 0, 0
	for i := 1; i < len(r.chain); {
		direct := r.chain[i-1].direct
		for !direct && at >= 0 && !r.chain[i].matches(ancestors[at]) {
			at--
		}
		switch {
		case at < 0:
			return false
		case r.chain[i].matches(ancestors[at]):
			if !direct {
				other, otherAt = i, at-1
			}
			i, at = i+1, at-1
		case other == 0:
			return false
		default:
			i, at = other, otherAt
		}
	}
	return true
}

// Styles returns the declarations of the sheets for e, whose ancestors are open, in rising
// order of precedence; the caller must not change them. The error is that of the pulse.
func (s *Sheet) Styles(pulse *format.Pulse, e *Element, open []Element) ([]Property, error) {
	return s.styles(pulse, e, open, within)
}

// Beside returns the text that the sheets generate on one side of e, whose ancestors are open,
// as an element; its content is "" if there is none.
func (s *Sheet) Beside(pulse *format.Pulse, e *Element, open []Element, side Side) (Element, error) {
	list, err := s.styles(pulse, e, open, side)
	if len(list) == 0 {
		return Element{}, err
	}
	inner := e.Inside("")
	inner.Apply(list)
	return inner, err
}

func (s *Sheet) styles(pulse *format.Pulse, e *Element, open []Element, side Side) ([]Property, error) {
	if !s.places[side] {
		return nil, nil
	}
	if s.index == nil {
		s.index = newIndex(s.rules, s.tests)
	}
	x := s.index
	k := x.kind(e)
	var ancestors []*kind
	if k.below[side] {
		near := open[max(0, len(open)-maxParents):]
		ancestors = make([]*kind, len(near))
		for i := range near {
			ancestors[i] = x.kind(&near[i])
		}
	}
	id := append(make([]byte, 0, 256), byte(side))
	for _, k := range append(ancestors, k) {
		id = binary.LittleEndian.AppendUint32(id, k.number)
	}
	if list, ok := x.styles[string(id)]; ok {
		return list, pulse.Err()
	}
	list, err := x.find(pulse, k, ancestors, side)
	if err != nil {
		return nil, err
	}
	if len(x.styles) >= maxKinds {
		clear(x.styles)
	}
	x.styles[string(id)] = list
	return list, nil
}

// find looks up the declarations for an element of kind k with these ancestors.
func (x *index) find(pulse *format.Pulse, k *kind, ancestors []*kind, side Side) (list []Property, err error) {
	var found []declared
	try := func(rules []*rule) {
		for _, r := range rules {
			if err == nil {
				err = pulse.Err()
			}
			if err == nil && r.matches(k, ancestors) {
				found = append(found, r.styles...)
			}
		}
	}
	above := map[string]bool{"": true} // features of the ancestors
	for _, a := range ancestors {
		for _, f := range a.list {
			above[f] = true
		}
	}
	for _, feature := range append([]string{""}, k.list...) {
		g := x.groups[side][feature]
		if g == nil {
			continue
		}
		try(g.alone)
		if len(g.below) < len(above) {
			for f, rules := range g.below {
				if above[f] {
					try(rules)
				}
			}
			continue
		}
		for f := range above {
			try(g.below[f])
		}
	}
	slices.SortFunc(found, func(a, b declared) int { return a.rank - b.rank })
	list = append(list, lists.Map(found, func(d declared) Property { return d.Property })...)
	return list, err
}

// Inside returns a child of e with the inherited look.
func (e Element) Inside(name string) Element {
	inner := Element{Name: name, Look: e.Look, Veiled: e.Veiled, Backwards: e.Backwards, Tight: e.Tight, gone: e.gone, faint: e.faint, rightLeft: e.rightLeft, vars: e.vars,
		paint: e.paint, grounded: e.grounded, drawing: e.drawing, unfilled: e.unfilled, unstroked: e.unstroked, clear: e.clear}
	if name == "svg" {
		inner.drawing, inner.unfilled, inner.clear, inner.unstroked = true, false, false, true
	}
	inner.Look.Up = name == "sup" || e.Look.Up && name != "sub"
	inner.Generated.Quotes, inner.Generated.Marker = e.Generated.Quotes, e.Generated.Marker
	return inner
}
