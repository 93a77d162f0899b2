package pdf

import "math"

// Programs draw a text twice: as a shadow, to make it darker, or a table row in slices, each under a clip
// path of its own. The engine returns the characters of the first of two equal texts that follow each
// other, whether or not it is visible, and those of both if other texts are between them.

// Thresholds for texts at the same place.
const (
	sameSize    = 1    // maximum difference in points of the width and height of equal texts
	sameShift   = 0.5  // maximum distance of equal texts relative to their height
	letterShift = 0.15 // maximum distance of equal letters relative to the font size
	maxInCell   = 50   // equal letters in a square of the grid that are compared with others
)

// findAgain sets for each stretch the objects that draw its text again and have no characters.
func (r *reader) findAgain(list []*stretch, texts []written) {
	spoken := map[handle]bool{}
	for i := range r.units {
		spoken[r.objectOf(i)] = true
	}
	boxes, silent := map[handle]box{}, map[int][]*written{}
	for i := range texts {
		if t := &texts[i]; spoken[t.object] {
			boxes[t.object] = t.at
		} else if band := t.at.band(); len(silent[band]) < maxBeside {
			silent[band] = append(silent[band], t)
		}
	}
	if len(silent) == 0 {
		return
	}
	for _, s := range list {
		at, ok := boxes[s.object]
		for band := at.band() - 1; ok && band <= at.band()+1; band++ {
			for _, t := range silent[band] {
				if at.equals(t.at) {
					s.again = append(s.again, t.object)
				}
			}
		}
	}
}

// band returns the number of a horizontal band of the page that contains the lower edge of a box.
func (b box) band() int { return int(math.Floor(b.bottom / bandHeight)) }

// equals reports whether the boxes of two texts are those of one text that is drawn twice.
func (b box) equals(o box) bool {
	near := func(a, b, by float64) bool { return math.Abs(a-b) <= by }
	width, height := b.right-b.left, b.top-b.bottom
	return near(width, o.right-o.left, sameSize) && near(height, o.top-o.bottom, sameSize) &&
		near(b.left, o.left, sameShift*height) && near(b.bottom, o.bottom, sameShift*height)
}

// dropRepeated drops letters that are drawn again at the same place by another object. A visible letter
// stays rather than an invisible one, and of two visible ones that of the longer text.
func (r *reader) dropRepeated(texts []written) {
	near := repeatable(texts)
	if len(near) == 0 {
		return
	}
	length, by := map[handle]int{}, map[uint16][]int{}
	for i, u := range r.units {
		if obj := r.objectOf(i); near[obj] && u > ' ' && u < hyphen {
			length[obj]++
			by[u] = append(by[u], i)
		}
	}
	isHidden := func(i int) bool { return r.seen != nil && r.seen[i] != "" }
	again := map[handle][]int{} // letters to drop, by object
	for _, list := range by {
		placed := map[[2]int][]letter{}
		for _, i := range list {
			l, ok := r.letterAt(i)
			if !ok {
				continue
			}
			old := l.repeated(placed)
			switch {
			case old == nil && len(placed[l.cell()]) >= maxInCell: // more than a page that people read has
			case old == nil:
				placed[l.cell()] = append(placed[l.cell()], l)
			case isHidden(old.index) && !isHidden(i), isHidden(old.index) == isHidden(i) && length[old.object] < length[l.object]:
				again[old.object] = append(again[old.object], old.index)
				old.index, old.object = i, l.object
			default:
				again[l.object] = append(again[l.object], i)
			}
		}
	}
	for obj, list := range again {
		if 2*len(list) < length[obj] {
			continue // another text, which has a few letters at the same places
		}
		for _, i := range list {
			r.drop(i)
		}
	}
}

// drop drops a character and the spaces after it.
func (r *reader) drop(i int) {
	r.units[i] = dropped
	for i++; i < len(r.units) && r.units[i] == ' '; i++ {
		r.units[i] = dropped
	}
}

// repeatable returns the texts of which another one may draw letters again.
func repeatable(texts []written) map[handle]bool {
	near, bands := map[handle]bool{}, map[int][]*written{}
	for i := range texts {
		t := &texts[i]
		for band := t.at.band() - 1; band <= t.at.band()+1; band++ {
			for _, o := range bands[band] {
				if t.at.covers(o.at) {
					near[t.object], near[o.object] = true, true
				}
			}
		}
		if band := t.at.band(); len(bands[band]) < maxBeside {
			bands[band] = append(bands[band], t)
		}
	}
	return near
}

// covers reports whether two boxes share most of the smaller one.
func (b box) covers(o box) bool { return 2*b.within(o).area() > min(b.area(), o.area()) }

// A letter is a character of an object, with its origin.
type letter struct {
	index  int
	object handle
	x, y   float64
	size   float64
}

func (r *reader) letterAt(i int) (letter, bool) {
	x, y, ok := r.origin(i)
	return letter{i, r.objectOf(i), x, y, r.statedSize(i)}, ok
}

// cell returns the square of a grid that contains a letter.
func (l *letter) cell() [2]int {
	return [2]int{int(math.Floor(l.x / bandHeight)), int(math.Floor(l.y / bandHeight))}
}

// repeated returns the letter of another object among those placed at which l is drawn again, nil if there
// is none.
func (l *letter) repeated(placed map[[2]int][]letter) *letter {
	at, by := l.cell(), letterShift*l.size
	for x := at[0] - 1; x <= at[0]+1; x++ {
		for y := at[1] - 1; y <= at[1]+1; y++ {
			for i := range placed[[2]int{x, y}] {
				o := &placed[[2]int{x, y}][i]
				if o.object != l.object && math.Abs(o.x-l.x) <= by && math.Abs(o.y-l.y) <= by {
					return o
				}
			}
		}
	}
	return nil
}
