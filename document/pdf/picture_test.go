package pdf

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/otisk/otisk/document/internal/sample"
)

// TestOnly checks that a picture is the same in boxes without what is beside them, and that this is put back.
func TestOnly(t *testing.T) {
	done, err := Ready(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	p, err := Options{}.engine().compile()
	if err != nil {
		t.Fatal(err)
	}
	m, err := p.machine()
	if err != nil {
		t.Fatal(err)
	}
	defer m.close()
	r := &reader{ctx: t.Context(), engine: m, pauses: drawPauses, left: 1 << 20}
	const image = "q 100 0 0 100 300 300 cm /I Do Q\n"
	if err := r.open(sample.PDF(image + sample.At(50, 600, "compared") + sample.At(50, 100, "beside"))); err != nil {
		t.Fatal(err)
	}
	page := m.handle(fnLoadPage, uint64(r.doc), 0)
	r.text = m.handle(fnTextLoadPage, uint64(page))
	if err := r.load(); err != nil {
		t.Fatal(err)
	}
	r.objectsOf(page)
	boxes := r.letters(func(i int) bool { return i < len("compared") })
	picture := func() *picture {
		p, ok := r.picture(page, everywhere, dpi)
		if !ok {
			t.Fatal("no picture")
		}
		return &p
	}
	places := map[string]box{"image": {300, 300, 400, 400}, "other text": {50, 98, 90, 110}}
	for _, texts := range []bool{false, true} {
		all := picture()
		restore := r.only(boxes, everywhere.within(all.area), dpi, texts)
		some := picture()
		restore()
		for _, b := range boxes {
			if !some.drawn(b) || all.differs(some, b, 0) {
				t.Errorf("texts %v: the picture differs in %+v", texts, b)
			}
		}
		for name, at := range places {
			if !all.drawn(at) || some.drawn(at) != (name == "other text" && !texts) {
				t.Errorf("texts %v: %s is drawn: %v, with all %v", texts, name, some.drawn(at), all.drawn(at))
			}
		}
		if again := picture(); !bytes.Equal(again.dots, all.dots) {
			t.Errorf("texts %v: the picture of all differs afterwards", texts)
		}
	}
}

// TestGrid checks that a grid misses no box near its own, and meets none that is far from them in its area.
func TestGrid(t *testing.T) {
	area := box{100, 200, 612, 968}
	const by = 2
	odd := rand.New(rand.NewPCG(1, 2))
	somewhere := func(size float64) box {
		x, y := odd.Float64()*700, odd.Float64()*1100
		return box{x, y, x + odd.Float64()*size, y + odd.Float64()*size}
	}
	for range 200 {
		boxes := []box{somewhere(40), somewhere(40), somewhere(300)}
		g := newGrid(boxes, area, by)
		for range 50 {
			b := somewhere(60)
			near, far := false, b.within(area) == b
			for _, o := range boxes {
				common := b.within(o)
				apart := max(common.left-common.right, common.bottom-common.top)
				near, far = near || apart < by, far && apart > by+16 && o.within(area) == o
			}
			if met := g.meets(b); near && !met || far && met {
				t.Fatalf("%+v meets %+v: %v", b, boxes, met)
			}
		}
	}
	nan := math.NaN()
	letter := box{300, 500, 310, 510}
	for _, g := range []*grid{newGrid([]box{letter}, box{nan, nan, nan, nan}, by), newGrid([]box{letter}, area, nan), newGrid([]box{{nan, nan, nan, nan}}, area, by),
		newGrid([]box{letter, {310, 510, 300, 500}}, area, by)} {
		if !g.meets(letter) {
			t.Errorf("a letter is missed among %+v", g.area)
		}
	}
	if g := newGrid([]box{letter}, area, by); !g.meets(box{nan, nan, nan, nan}) || !g.meets(box{math.Inf(-1), math.Inf(-1), math.Inf(1), math.Inf(1)}) || g.meets(box{400, 500, 410, 510}) {
		t.Error("boxes without bounds are missed, or others are met")
	}
	if newGrid(nil, area, by).meets(area) {
		t.Error("a grid without boxes is met")
	}
}
