package pdf

// What the colours say of a text is not always what is seen: a pattern has none, a ground
// may be drawn in many ways, and letters may be drawn as lines with invisible text
// over them. So before a text is taken for unseen the page is drawn, with it and
// without it.

const (
	shownDPI = 96
	margin   = 2 // points around text that are drawn with it
)

// A stretch is the characters of one text object that may be unseen.
type stretch struct {
	object handle
	chars  []int
	why    string
}

// shown takes back what is seen of the characters that are taken for white or
// invisible.
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

// stretches returns what may be unseen, and the area that it takes.
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

// around returns the box that both are in. One without a size is none.
func (b box) around(o box) box {
	if b == (box{}) {
		return o
	}
	return box{min(b.left, o.left), min(b.bottom, o.bottom), max(b.right, o.right), max(b.top, o.top)}
}

// withoutText makes the page one without its texts. It reports whether there were any.
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

// isShown reports whether half of the letters of a text are seen: the picture changes
// without them, or they are invisible ones over letters that are drawn otherwise.
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
