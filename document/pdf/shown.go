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

// shown marks characters as visible that were considered white or invisible but can be seen.
func (r *reader) shown(page handle) {
	list, area := r.stretches()
	if len(list) == 0 {
		return
	}
	r.unsure++
	before, ok := r.picture(page, area, shownDPI)
	if !ok {
		return
	}
	invisible := false
	for _, s := range list {
		invisible = invisible || s.why == Invisible
		r.engine.call(fnObjectActive, uint64(s.object), 0)
	}
	after, ok := r.picture(page, area, shownDPI)
	if !ok {
		return
	}
	without := after
	if invisible && r.withoutText() {
		if without, ok = r.picture(page, area, shownDPI); !ok {
			return
		}
	}
	r.unsure--
	for _, s := range list {
		if r.isShown(s, &before, &after, &without) {
			for _, i := range s.chars {
				r.seen[i] = ""
			}
		}
	}
}

// stretches returns the possibly invisible text and the area that contains it.
func (r *reader) stretches() (list []*stretch, area box) {
	by := map[handle]*stretch{}
	for i, why := range r.seen {
		if why != White && why != Invisible || r.units[i] == dropped {
			continue
		}
		obj := r.engine.handle(fnTextObject, uint64(r.text), uint64(i))
		if obj == 0 {
			continue
		}
		if by[obj] == nil {
			by[obj] = &stretch{object: obj, why: why}
			list = append(list, by[obj])
		}
		by[obj].chars = append(by[obj].chars, i)
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
		if before.differs(after, b) || s.why == Invisible && without.drawn(b) {
			seen++
		}
	}
	return seen > 0 && 2*seen >= letters
}
