package pdf

import (
	"cmp"
	"iter"
	"math"
	"slices"
)

// Colours alone do not determine visibility: a pattern has no colour, backgrounds are drawn in
// many ways, and letters may be drawn as paths with invisible text over them. So before text
// counts as invisible, the page is rendered with and without it.

const (
	shownDPI = 96
	margin   = 2 // points around the text that are rendered with it

	// Small bitmaps of letters are drawn up to a pixel beside their place.
	onePixel   = 72. / shownDPI // points
	thinLetter = 2 * onePixel
)

// A stretch is the characters of one text object that may be invisible.
type stretch struct {
	object handle
	chars  []int
	text   []uint16
	why    string
	at     box
	layer  int
	again  []handle // objects that draw the text at the same place and have no characters
}

// isHidden reports whether the text counts as invisible if the page is not rendered.
func (s *stretch) isHidden() bool { return !Veiled(s.why) }

// leastInk is the least share of the box of a letter in which the page changes without it. Dots
// of a dashed outline are no letter, and a letter without width is a line. The box of a thin letter is larger than it.
func (s *stretch) leastInk(thin bool) float64 {
	switch {
	case s.why == Narrow && thin:
		return math.Inf(1)
	case s.why != Unpainted:
		return 0
	case thin:
		return 1. / 30
	}
	return 1. / 12
}

// overlaid reports whether a drawing at a stretch may show its letters, as in a scan.
func (s *stretch) overlaid() bool {
	return s.why == Invisible || s.why == Covered || s.why == Blended
}

// shown marks characters as visible that were considered invisible but can be seen.
func (r *reader) shown(page handle, o *objects) {
	list := r.stretches()
	if len(list) == 0 {
		return
	}
	r.findAgain(list, o.scene.texts)
	if r.mostlyDrawn() && !slices.ContainsFunc(list, (*stretch).isHidden) || !r.compare(page, o, list) {
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
// be seen. ok is false if rendering exceeds its limit. Most texts of an honest page show ink where nothing else is
// drawn; only the others need pictures without them.
func (r *reader) compare(page handle, o *objects, list []*stretch) (ok bool) {
	defer r.activate(list, false)
	area := areaOf(list)
	before, ok := r.picture(page, area, shownDPI)
	if !ok {
		return false
	}
	all := len(list)
	if list = r.seeDrawn(list, o, &before); len(list) == 0 {
		return true
	}
	if len(list) < all { // drawing takes most of the time
		r.activateText(false, o.scene.near(list))
		area = before.onGrid(areaOf(list))
		if before, ok = r.picture(page, area, shownDPI); !ok {
			return false
		}
	}
	layers := layersOf(list)
	after := make([]picture, len(layers))
	for i, layer := range layers {
		r.activate(layer, false)
		if after[i], ok = r.picture(page, area, shownDPI); !ok {
			return false
		}
		r.activate(layer, len(layers) > 1)
	}
	without := after[0]
	if slices.ContainsFunc(list, (*stretch).overlaid) && r.activateText(false, nil) {
		if without, ok = r.picture(page, area, shownDPI); !ok {
			return false
		}
	}
	for i, layer := range layers {
		for _, s := range layer {
			switch {
			case Veiled(s.why):
				r.see(r.shownOf(s, &before, &after[i], &without))
			case r.isShown(s, &before, &after[i], &without):
				r.see(s.chars)
			}
		}
	}
	r.seeThin(list)
	return true
}

// areaOf returns the part of the page that is rendered to examine stretches.
func areaOf(list []*stretch) box {
	var area box
	for _, s := range list {
		area = area.around(s.at)
	}
	return area.wider(margin)
}

// seeDrawn marks the characters of texts as visible whose letters all show ink where the page draws nothing else, and
// returns the other texts.
func (r *reader) seeDrawn(list []*stretch, o *objects, p *picture) (rest []*stretch) {
	if o.cut || !slices.ContainsFunc(list, func(s *stretch) bool { return !s.isHidden() }) {
		return list
	}
	owners, ok := p.owners(&o.scene)
	if !ok {
		return list
	}
	for _, s := range list {
		isOwn := func(at int) bool { return owners[at/4] == s.object && differ(p.dots[at:], paper) }
		isUnproved := func(i int) bool {
			b, thin, ok := r.letterBox(s, i)
			return ok && !p.accepts(b, s.leastInk(thin), isOwn)
		}
		if s.isHidden() || slices.ContainsFunc(s.chars, isUnproved) {
			rest = append(rest, s)
		} else {
			r.see(s.chars)
		}
	}
	return rest
}

// near returns the text objects that may share a pixel with one of the stretches.
func (s *scene) near(list []*stretch) map[handle]bool {
	near, bands := map[handle]bool{}, map[int][]*stretch{}
	for _, o := range list {
		near[o.object] = true
		for _, again := range o.again {
			near[again] = true
		}
		for band := range o.at.bands() {
			if len(bands[band]) < maxBeside {
				bands[band] = append(bands[band], o)
			}
		}
	}
	for i := range s.texts {
		t := &s.texts[i]
		for band := range t.at.bands() {
			beside := bands[band]
			near[t.object] = near[t.object] || len(beside) == maxBeside || slices.ContainsFunc(beside, func(o *stretch) bool { return t.at.touches(o.at) })
		}
	}
	return near
}

// shared is the owner of a pixel that several objects may draw.
const shared = ^handle(0)

// mostOwned limits the pixels of the boxes of the objects of a page.
const mostOwned = 32 << 20

// owners returns for each pixel the text object that may draw it, 0 if none may, and shared for pixels at which
// another object is. ok is false if the boxes exceed their limit.
func (p *picture) owners(s *scene) (owners []handle, ok bool) {
	owners = make([]handle, p.width*p.height)
	left := mostOwned
	mark := func(b box, owner handle) {
		if left < 0 {
			return
		}
		p.each(b.wider(onePixel), func(at int) {
			left--
			if o := &owners[at/4]; *o == 0 {
				*o = owner
			} else if *o != owner {
				*o = shared
			}
		})
	}
	for i := range s.texts {
		mark(s.texts[i].at, s.texts[i].object)
	}
	for _, b := range s.drawn {
		mark(b, shared)
	}
	return owners, left >= 0
}

// thinShare is the least share of the invisible characters of a page that are over drawn letters if the rest
// is, too: dots and thin letters of a drawing leave no trace at the resolution of the picture.
const thinShare = 0.9

// seeThin marks all invisible characters of a page as visible if almost all are over drawn letters, as in a
// diagram whose letters are outlines.
func (r *reader) seeThin(list []*stretch) {
	seen, all := 0, 0
	for _, s := range list {
		for _, i := range s.chars {
			if s.why == Invisible && r.units[i] > ' ' {
				if all++; r.seen[i] == "" {
					seen++
				}
			}
		}
	}
	if seen == all || float64(seen) < thinShare*float64(all) {
		return
	}
	for _, s := range list {
		if s.why == Invisible {
			r.see(s.chars)
		}
	}
}

// activate sets whether stretches are drawn.
func (r *reader) activate(list []*stretch, drawn bool) {
	on := uint64(0)
	if drawn {
		on = 1
	}
	for _, s := range list {
		r.engine.call(fnObjectActive, uint64(s.object), on)
		for _, obj := range s.again {
			r.engine.call(fnObjectActive, uint64(obj), on)
		}
	}
}

// Limits of layers of text.
const (
	maxLayers  = 4
	maxBeside  = 1000 // stretches at one height that are compared with each other
	bandHeight = 10   // points
	beside     = 0.75 // points between stretches that may share a pixel
)

// repeats reports whether a stretch is drawn again at the same place, as to make it darker.
func (s *stretch) repeats(o *stretch) bool {
	near := func(a, b float64) bool { return math.Abs(a-b) < beside }
	return near(s.at.left, o.at.left) && near(s.at.bottom, o.at.bottom) && near(s.at.right, o.at.right) && near(s.at.top, o.at.top) && slices.Equal(s.text, o.text)
}

// layersOf divides stretches so that those of a layer do not overlap, except for repeated ones: the page is
// the same without a hidden one, but not without a visible one at the same place.
func layersOf(list []*stretch) [][]*stretch {
	layers, bands := make([][]*stretch, 1), map[int][]*stretch{}
	for _, s := range list {
		var taken [maxLayers]bool
		var same *stretch
		for band := range s.at.bands() {
			for _, o := range bands[band] {
				if same == nil && s.repeats(o) {
					same = o
				}
				taken[o.layer] = taken[o.layer] || s.at.touches(o.at)
			}
			if len(bands[band]) < maxBeside {
				bands[band] = append(bands[band], s)
			}
		}
		if s.layer = max(slices.Index(taken[:], false), 0); same != nil {
			s.layer = same.layer
		}
		if s.layer == len(layers) {
			layers = append(layers, nil)
		}
		layers[s.layer] = append(layers[s.layer], s)
	}
	return layers
}

// bands yields the numbers of the horizontal bands of the page that a box reaches.
func (b box) bands() iter.Seq[int] {
	from := b.band()
	return func(yield func(int) bool) {
		for i := from; i <= min(int(math.Floor(b.top/bandHeight)), from+maxBeside) && yield(i); i++ {
		}
	}
}

// touches reports whether two boxes may share a pixel.
func (b box) touches(o box) bool {
	common := b.within(o)
	return common.right-common.left > -beside && common.top-common.bottom > -beside
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
// or the drawing over them has letters, as in a scan whose recognised text is under it. Signs,
// spaces, and letters thinner than two pixels that show nothing are as visible as the letter before them.
func (r *reader) shownOf(s *stretch, before, after, without *picture) (chars []int) {
	if s.overlaid() && r.isShown(s, before, after, without) {
		return s.chars
	}
	seen, first := true, true
	var cut cutLine
	for _, i := range s.chars {
		if b, thin, ok := r.letterBox(s, i); ok {
			d := before.differs(after, b, s.leastInk(thin))
			if !d && seen && r.isGap(s, i) {
				r.units[i], d = ' ', true
			}
			if d || first || !thin {
				seen, first = d, false
				cut.add(b, d)
			}
		}
		if seen {
			chars = append(chars, i)
		}
	}
	if s.why == Clipped && cut.isCut() {
		return s.chars
	}
	return chars
}

// flat is the maximum height in points of a glyph that draws nothing.
const flat = 0.1

// isGap reports whether a letter that shows nothing may be a space in a font of type 3 that states no characters.
func (r *reader) isGap(s *stretch, i int) bool {
	b, _ := r.inkBox(i)
	return s.why == Unpainted && b.top-b.bottom < flat && b.right-b.left >= leastGap*(s.at.top-s.at.bottom)
}

// letterBox returns the box in which a letter of a text changes the page, and whether the letter is thin; ok is false for
// other characters. One that draws nothing is as high as the text.
func (r *reader) letterBox(s *stretch, i int) (b box, thin, ok bool) {
	b, ok = r.inkBox(i)
	if b.top-b.bottom < flat {
		b.bottom, b.top = s.at.bottom, s.at.top
	}
	if thin = b.right-b.left < thinLetter; thin {
		b.left, b.right = b.left-onePixel, b.right+onePixel
	}
	if s.why == Unpainted && b.top-b.bottom < thinLetter {
		b.bottom, b.top = b.bottom-onePixel, b.top+onePixel // a dash may lie a pixel beside its place
	}
	return b, thin, ok && isLetter(r.units[i])
}

// A cutLine has the letters of a text that a clip path may cut lengthwise, as at the lower edge of a form
// field: then tall letters are visible in part, and the others are not.
type cutLine struct {
	seen, hidden []box
}

func (c *cutLine) add(b box, seen bool) {
	if seen {
		c.seen = append(c.seen, b)
	} else {
		c.hidden = append(c.hidden, b)
	}
}

// Thresholds for a line that is cut lengthwise.
const (
	cutShare = 0.25 // least share of its letters that are visible
	cutStep  = 0.1  // least difference in height of visible and hidden letters, relative to the highest one
)

// isCut reports whether all visible letters reach higher than the hidden ones, or all reach lower.
func (c *cutLine) isCut() bool {
	if n := len(c.seen); n == 0 || len(c.hidden) == 0 || float64(n) < cutShare*float64(n+len(c.hidden)) {
		return false
	}
	low := slices.MinFunc(c.seen, func(a, b box) int { return cmp.Compare(a.top, b.top) })
	high := slices.MaxFunc(c.hidden, func(a, b box) int { return cmp.Compare(a.top, b.top) })
	over := slices.MaxFunc(c.seen, func(a, b box) int { return cmp.Compare(a.bottom, b.bottom) })
	under := slices.MinFunc(c.hidden, func(a, b box) int { return cmp.Compare(a.bottom, b.bottom) })
	step := cutStep * max(low.top-low.bottom, high.top-high.bottom)
	return low.top-high.top >= step || under.bottom-over.bottom >= step
}

// stretches returns the possibly invisible text.
func (r *reader) stretches() (list []*stretch) {
	type of struct {
		object handle
		why    string
	}
	by := map[of]*stretch{}
	for i, why := range r.seen {
		if why != White && why != Invisible && !Veiled(why) || r.units[i] == dropped {
			continue
		}
		obj := r.objectOf(i)
		if obj == 0 {
			continue
		}
		key := of{obj, why}
		if by[key] == nil {
			by[key] = &stretch{object: obj, why: why}
			list = append(list, by[key])
		}
		by[key].chars, by[key].text = append(by[key].chars, i), append(by[key].text, r.units[i])
		if b, ok := r.inkBox(i); ok {
			by[key].at = by[key].at.around(b)
		}
	}
	return list
}

// around returns the bounding box of both boxes. A box without a size is ignored.
func (b box) around(o box) box {
	if b == (box{}) {
		return o
	}
	return box{min(b.left, o.left), min(b.bottom, o.bottom), max(b.right, o.right), max(b.top, o.top)}
}

// activateText sets whether the texts of the page are drawn, except for some, and reports whether there are any.
func (r *reader) activateText(drawn bool, except map[handle]bool) bool {
	on := uint64(0)
	if drawn {
		on = 1
	}
	last := handle(0)
	for i := range r.units {
		if obj := r.objectOf(i); obj != 0 && obj != last && !except[obj] {
			r.engine.call(fnObjectActive, uint64(obj), on)
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
		b, ok := r.inkBox(i)
		if r.units[i] <= ' ' || !ok {
			continue
		}
		letters++
		if before.differs(after, b, s.leastInk(false)) || s.overlaid() && without.drawn(b) {
			seen++
		}
	}
	return seen > 0 && 2*seen >= letters
}
