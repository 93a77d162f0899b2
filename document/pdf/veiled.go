package pdf

import (
	"bytes"
	"compress/zlib"
	"io"
	"math"
	"slices"
)

// Text is also invisible on a layer that is off, outside its clip path, compressed to no width,
// under a later drawing, in the colour of its background, or in a paint that shows nothing. The objects of a page show only
// where that is possible; a character counts as invisible if the rendered page is the same
// without it.

// Why text that was compared with the rendered page is invisible.
const (
	Layer     = "on a layer that is off"
	Clipped   = "outside its clip path"
	Narrow    = "too narrow to see"
	Covered   = "under a drawing"
	Blended   = "in the colour of its background"
	Unpainted = "painted so that nothing shows"
)

// Veiled reports whether text that is invisible for this reason was compared with the rendered
// page.
func Veiled(why string) bool {
	switch why {
	case Layer, Clipped, Narrow, Covered, Blended, Unpainted:
		return true
	}
	return false
}

// Limits and thresholds for possibly invisible text.
const (
	maxVeilWork = 20_000_000 // comparisons of texts with drawings on a page
	narrowScale = 0.15       // horizontal scale relative to the vertical one
	sameColour  = visible    // maximum difference of one colour component
	opaque      = 128        // least alpha of a drawing that can cover text
)

// A matrix maps coordinates of a form to those of the page.
type matrix struct{ a, b, c, d, e, f float64 }

var identity = matrix{a: 1, d: 1}

// times returns the matrix that applies n and then m.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m.a*n.a + m.c*n.b, m.b*n.a + m.d*n.b, m.a*n.c + m.c*n.d, m.b*n.c + m.d*n.d,
		m.a*n.e + m.c*n.f + m.e, m.b*n.e + m.d*n.f + m.f,
	}
}

// of returns the bounding box of a transformed box.
func (m matrix) of(b box) box {
	if m == identity {
		return b
	}
	out := box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, p := range [][2]float64{{b.left, b.bottom}, {b.left, b.top}, {b.right, b.bottom}, {b.right, b.top}} {
		x, y := m.a*p[0]+m.c*p[1]+m.e, m.b*p[0]+m.d*p[1]+m.f
		out = box{min(out.left, x), min(out.bottom, y), max(out.right, x), max(out.top, y)}
	}
	return out
}

// matrixOf returns the matrix of an object.
func (r *reader) matrixOf(obj handle) matrix {
	m := r.engine
	if !m.ok(fnObjectMatrix, uint64(obj), m.out(4, 0)) {
		return identity
	}
	return matrix{m.f32(0), m.f32(1), m.f32(2), m.f32(3), m.f32(4), m.f32(5)}
}

// A paint is something drawn that text can be on or under.
type paint struct {
	at     box
	order  int // in drawing order
	colour colour
	plain  bool // of this one colour; otherwise a picture, a shading or a pattern
	even   bool // a shading, or a picture that may be of one colour
}

// A written is a text object of a page, with its position and order.
type written struct {
	object handle
	at     box
	order  int
	colour colour
	why    string // reason that follows from the object alone
}

// A scene has the texts and drawings of a page in drawing order, in coordinates of the page.
type scene struct {
	order  int
	texts  []written
	paints []paint
	drawn  []box // of all drawings, also of those that cannot hide text
	clips  bool  // a text is a clip path of the texts after it
}

// addText adds a text object with the matrix of its form.
func (r *reader) addText(s *scene, obj handle, bounds box, m matrix, depth int, veiled bool) {
	s.order++
	t := written{object: obj, at: m.of(bounds), order: s.order}
	t.colour, _ = r.colour(fnObjectColor, uint64(obj))
	switch {
	case r.layered && (depth > 0 || r.marked(obj)):
		t.why = Layer
	case r.narrow(obj):
		t.why = Narrow
	case r.clipped(obj, bounds) || s.clips:
		t.why = Clipped
	case veiled || r.oddlyPainted(obj, t.colour) || bounds.top-bounds.bottom < noHeight:
		t.why = Unpainted
	}
	s.clips = s.clips || r.engine.int(fnRenderMode, uint64(obj)) >= modeFillClip
	s.texts = append(s.texts, t)
}

// noHeight is the height in points of a text whose glyphs have no outlines.
const noHeight = 0.01

// oddlyPainted reports whether a text is painted in another way than with a colour, so that it may
// not show. colour is that of its fill.
func (r *reader) oddlyPainted(obj handle, fill colour) bool {
	m := r.engine
	if fill.clear() {
		return false // like white, and over a picture the text of a scan
	}
	if r.uncoloured || r.shaded && fill.ofPattern() || m.ok(fnTransparent, uint64(obj)) {
		return true
	}
	mode := m.int(fnRenderMode, uint64(obj)) % modeFillClip
	if mode != modeStroke && mode != modeFillStroke {
		return false
	}
	stroke, ok := r.colour(fnStrokeColor, uint64(obj))
	return !ok || isWhite(stroke) || r.shaded && stroke.ofPattern() || mode == modeStroke && m.int(fnDashes, uint64(obj)) > 0
}

// ofPattern reports whether a colour may be the one that the engine states for a pattern.
func (c colour) ofPattern() bool {
	return c[0] == c[1] && c[1] == c[2] && (c[0] == 0xBF || c[0] == 0xFF)
}

// uncoloured reports whether a file may have a pattern of the current colour, for which the engine
// states that colour.
func uncoloured(data []byte) bool {
	key := []byte("/PaintType")
	for {
		at := bytes.Index(data, key)
		if at < 0 {
			return false
		}
		data = data[at+len(key):]
		if kind := bytes.TrimLeft(data[:min(len(data), maxStreamHead)], "\x00\t\n\f\r "); len(kind) < 2 || kind[0] != '1' || kind[1] >= '0' && kind[1] <= '9' {
			return true
		}
	}
}

// addPaint adds a drawing and reports whether it is of one colour.
func (r *reader) addPaint(s *scene, obj handle, bounds box, m matrix, kind int) (plain bool) {
	s.order++
	s.drawn = append(s.drawn, m.of(bounds))
	p := paint{at: m.of(bounds), order: s.order, even: kind == kindShading || kind == kindImage && r.pictureKey(obj).even()}
	if kind == kindPath {
		if !r.filled(obj) {
			return true
		}
		if p.colour, p.plain = r.colour(fnObjectColor, uint64(obj)); p.plain && p.colour[3] < opaque {
			return true
		}
	}
	s.paints = append(s.paints, p)
	return p.plain
}

// filled reports whether a path is filled.
func (r *reader) filled(path handle) bool {
	m := r.engine
	return m.ok(fnDrawMode, uint64(path), m.out(4, 0), m.out(4, 1)) && m.u32(0) != 0
}

// narrow reports whether text is compressed to hardly any width.
func (r *reader) narrow(obj handle) bool {
	t := r.matrixOf(obj)
	return math.Hypot(t.a, t.b) < narrowScale*math.Hypot(t.c, t.d)
}

// marked reports whether an object belongs to optional content.
func (r *reader) marked(obj handle) bool {
	m := r.engine
	for i := range min(m.int(fnMarkCount, uint64(obj)), maxMarks) {
		mark := m.handle(fnMark, uint64(obj), uint64(i))
		if mark != 0 && m.ok(fnMarkName, uint64(mark), m.out(8, 2), 8, m.out(4, 0)) && m.u32(0) == 6 {
			if name := m.units16(handle(m.out(8, 2)), 2); name[0] == 'O' && name[1] == 'C' {
				return true
			}
		}
	}
	return false
}

// Limits for the examination of clip paths.
const (
	maxClips  = 8
	rectangle = 5 // segments of a rectangle; other paths may have holes
)

// clipped reports whether the clip paths of an object may exclude a part of its bounds.
func (r *reader) clipped(obj handle, bounds box) bool {
	m := r.engine
	clip := m.handle(fnClip, uint64(obj))
	if clip == 0 {
		return false
	}
	x, y := (bounds.left+bounds.right)/2, (bounds.bottom+bounds.top)/2
	visible := everywhere
	for i := range min(m.int(fnClipCount, uint64(clip)), maxClips) {
		var b box
		segments := m.int(fnClipSegments, uint64(clip), uint64(i))
		if segments > rectangle {
			return true
		}
		for j := range segments {
			segment := m.handle(fnClipSegment, uint64(clip), uint64(i), uint64(j))
			if segment != 0 && m.ok(fnSegmentPoint, uint64(segment), m.out(4, 0), m.out(4, 1)) {
				at := box{m.f32(0), m.f32(1), m.f32(0), m.f32(1)}
				if j == 0 {
					b = at
				}
				b = box{min(b.left, at.left), min(b.bottom, at.bottom), max(b.right, at.right), max(b.top, at.top)}
			}
		}
		visible = visible.within(b)
	}
	within := bounds.within(visible)
	return !visible.holds(x, y) || within.right-within.left < (bounds.right-bounds.left)/2
}

// veils records which texts of the page may be invisible, with their boxes as suspects.
func (r *reader) veils(o *objects) {
	s := &o.scene
	if len(s.texts)*len(s.paints) > maxVeilWork {
		o.cut = true
		s.paints = s.paints[:maxVeilWork/len(s.texts)]
	}
	for i := range s.texts {
		t := &s.texts[i]
		on := s.veiledBy(t)
		if t.why == "" && on == nil {
			continue
		}
		if o.veiled == nil {
			o.veiled = map[handle]*veil{}
		}
		o.veiled[t.object] = &veil{written: *t, on: on}
		o.suspects = append(o.suspects, t.at)
	}
}

// A veil is a text object that may be invisible, with the drawings on and under it.
type veil struct {
	written
	on []*paint
}

// veiledBy returns the drawings on and under a text if one of them may hide it.
func (s *scene) veiledBy(t *written) (on []*paint) {
	middle := (t.at.bottom + t.at.top) / 2
	hides := false
	for i := range s.paints {
		p := &s.paints[i]
		if middle < p.at.bottom || middle > p.at.top || min(p.at.right, t.at.right)-max(p.at.left, t.at.left) < 0.5 {
			continue
		}
		on = append(on, p)
		hides = hides || p.hides(t)
	}
	if !hides {
		return nil
	}
	return on
}

// hides reports whether a drawing may hide a text where both are.
func (p *paint) hides(t *written) bool {
	switch {
	case p.order > t.order:
		return true
	case !p.plain:
		return (p.even || isWhite(t.colour)) && !t.colour.clear() // transparent text over a picture is that of a scan
	}
	return p.colour.near(t.colour)
}

// near reports whether two colours look the same.
func (c colour) near(o colour) bool {
	for i := range 3 {
		if max(c[i], o[i])-min(c[i], o[i]) > sameColour {
			return false
		}
	}
	return true
}

// whyAt returns why a character of the text at a point may be invisible; "" if it is visible.
func (v *veil) whyAt(x, y float64) string {
	if v.why != "" {
		return v.why
	}
	for _, p := range slices.Backward(v.on) {
		if !p.at.holds(x, y) {
			continue
		}
		switch {
		case p.order > v.order:
			return Covered
		case !p.hides(&v.written):
			return "" // a visible background
		case p.plain && isWhite(p.colour):
			return White
		}
		return Blended
	}
	return ""
}

// states reports for each list of names whether a file may have an entry or a value of one of them,
// in its catalog or in another dictionary. It may be in a compressed stream; those of an encrypted
// file are unknown.
func states(data []byte, lists ...[]string) []bool {
	found := make([]bool, len(lists))
	look := func(in []byte) {
		for i, names := range lists {
			found[i] = found[i] || slices.ContainsFunc(names, func(n string) bool { return bytes.Contains(in, []byte(n)) })
		}
	}
	if look(data); bytes.Contains(data, []byte("/Encrypt")) {
		return slices.Repeat([]bool{true}, len(lists))
	}
	streams := []byte("/ObjStm")
	var z io.ReadCloser // one for all streams, since its tables are large
	var inflated bytes.Buffer
	for slices.Contains(found, false) {
		at := bytes.Index(data, streams)
		if at < 0 {
			break
		}
		data = data[at+len(streams):]
		start := bytes.Index(data[:min(len(data), maxStreamHead)], []byte("stream"))
		if start < 0 {
			continue
		}
		var err error
		if in := bytes.NewReader(bytes.TrimLeft(data[start+len("stream"):], "\r\n")); z == nil {
			z, err = zlib.NewReader(in)
		} else {
			err = z.(zlib.Resetter).Reset(in, nil)
		}
		if err == nil {
			inflated.Reset()
			_, _ = inflated.ReadFrom(io.LimitReader(z, maxObjectStream)) // a damaged stream is read up to the damage
			look(inflated.Bytes())
		}
	}
	return found
}

// Names of PDF objects that can hide text.
var (
	layerNames   = []string{"/OCProperties"}
	patternNames = []string{"/PatternType"}
	maskNames    = []string{
		"/Luminosity", "/Alpha", "/Multiply", "/Screen", "/Overlay", "/Darken", "/Lighten", "/ColorDodge", "/ColorBurn",
		"/HardLight", "/SoftLight", "/Difference", "/Exclusion", "/Hue", "/Saturation", "/BM/Color", "/BM /Color",
	}
)

// Limits for object streams, in bytes.
const (
	maxStreamHead   = 1000
	maxObjectStream = 4 << 20
)
