package pdf

// Colours alone do not determine visibility: a pattern has no colour, backgrounds are drawn in
// many ways, and letters may be drawn as paths with invisible text over them. So before text
// counts as invisible, the page is rendered with and without it.

const (
	shownDPI = 96
	margin   = 2 // points around the text that are rendered with it
)

// A stretch is the characters of one text object that may be invisible.
type stretch struct {
	object handle
	chars  []int
	why    string
}

// shown marks characters as visible that were considered invisible but can be seen.
func (r *reader) shown(page handle) {
	list, area := r.stretches()
	if len(list) == 0 {
		return
	}
	if !r.compare(page, list, area) {
		unsure := false
		for _, s := range list {
			if Veiled(s.why) {
				r.see(s.chars)
			} else {
				unsure = true
			}
		}
		if unsure {
			r.unsure++
		} else {
			r.unproved++
		}
	}
	r.seeSpaces()
}

// compare renders the page with and without the stretches and marks those as visible that can
// be seen. ok is false if rendering exceeds its limit.
func (r *reader) compare(page handle, list []*stretch, area box) (ok bool) {
	before, ok := r.picture(page, area, shownDPI)
	if !ok {
		return false
	}
	overlaid := false
	for _, s := range list {
		overlaid = overlaid || s.why == Invisible || s.why == Covered
		r.engine.call(fnObjectActive, uint64(s.object), 0)
	}
	after, ok := r.picture(page, area, shownDPI)
	if !ok {
		return false
	}
	without := after
	if overlaid && r.withoutText() {
		if without, ok = r.picture(page, area, shownDPI); !ok {
			return false
		}
	}
	for _, s := range list {
		switch {
		case Veiled(s.why):
			r.see(r.shownOf(s, &before, &after, &without))
		case r.isShown(s, &before, &after, &without):
			r.see(s.chars)
		}
	}
	return true
}

// seeSpaces marks spaces after visible characters as visible, as the engine adds some that belong
// to no text.
func (r *reader) seeSpaces() {
	for i := 1; i < len(r.seen); i++ {
		if r.units[i] <= ' ' && r.seen[i-1] == "" {
			r.seen[i] = ""
		}
	}
}

// see marks characters as visible.
func (r *reader) see(chars []int) {
	for _, i := range chars {
		r.seen[i] = ""
	}
}

// shownOf returns the characters of a text that are visible: the picture changes without them,
// or the drawing over them has letters, as in a scan whose recognised text is under it. Signs
// and spaces are as visible as the letter before them.
func (r *reader) shownOf(s *stretch, before, after, without *picture) (chars []int) {
	if s.why == Covered && r.isShown(s, before, after, without) {
		return s.chars
	}
	seen := true
	for _, i := range s.chars {
		if b, ok := r.inkBox(r.text, i); ok && isLetter(r.units[i]) {
			seen = before.differs(after, b)
		}
		if seen {
			chars = append(chars, i)
		}
	}
	return chars
}

// stretches returns the possibly invisible text and the area that contains it.
func (r *reader) stretches() (list []*stretch, area box) {
	type of struct {
		object handle
		why    string
	}
	by := map[of]*stretch{}
	for i, why := range r.seen {
		if why != White && why != Invisible && !Veiled(why) || r.units[i] == dropped {
			continue
		}
		obj := r.engine.handle(fnTextObject, uint64(r.text), uint64(i))
		if obj == 0 {
			continue
		}
		key := of{obj, why}
		if by[key] == nil {
			by[key] = &stretch{object: obj, why: why}
			list = append(list, by[key])
		}
		by[key].chars = append(by[key].chars, i)
		if b, ok := r.inkBox(r.text, i); ok {
			area = area.around(b)
		}
	}
	return list, box{area.left - margin, area.bottom - margin, area.right + margin, area.top + margin}
}

// around returns the bounding box of both boxes. A box without a size is ignored.
func (b box) around(o box) box {
	if b == (box{}) {
		return o
	}
	return box{min(b.left, o.left), min(b.bottom, o.bottom), max(b.right, o.right), max(b.top, o.top)}
}

// withoutText removes all text from the page. It reports whether there was any.
func (r *reader) withoutText() bool {
	last := handle(0)
	for i := range r.units {
		if obj := r.engine.handle(fnTextObject, uint64(r.text), uint64(i)); obj != 0 && obj != last {
			r.engine.call(fnObjectActive, uint64(obj), 0)
			last = obj
		}
	}
	return last != 0
}

// isShown reports whether half of the letters of a text are visible: the picture changes
// without them, or they are invisible ones over letters drawn in another way.
func (r *reader) isShown(s *stretch, before, after, without *picture) bool {
	letters, seen := 0, 0
	for _, i := range s.chars {
		b, ok := r.inkBox(r.text, i)
		if r.units[i] <= ' ' || !ok {
			continue
		}
		letters++
		if before.differs(after, b) || (s.why == Invisible || s.why == Covered) && without.drawn(b) {
			seen++
		}
	}
	return seen > 0 && 2*seen >= letters
}
