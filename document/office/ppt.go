package office

import (
	"context"
	"fmt"
	"strings"

	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/ole"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
)

// A presentation of PowerPoint 97 to 2003 is a stream of nested records. Each save appends new
// records; directories with the offsets of the current ones form a chain, the newest first, which
// starts in the stream "Current User". The format is documented in [MS-PPT].

const (
	slideStream = "PowerPoint Document"
	pptOther    = 4 // neither title nor body
)

// LooksPPT reports whether data is a PowerPoint presentation in the binary format used until 2007.
func LooksPPT(data []byte) bool { return ole.Holds(data, slideStream) }

// Types of the records that are read.
const (
	pptDocument = 0x03E8
	pptSlide    = 0x03EE
	pptNotes    = 0x03F0
	pptMaster   = 0x03F8
	pptNotesOf  = 0x03F1 // slide that notes belong to
	pptPersist  = 0x03F3 // entry of the list of slides
	pptShown    = 0x03F9
	pptOutline  = 0x0F9E // text stored in the list
	pptKind     = 0x0F9F // kind of the text that follows
	pptChars    = 0x0FA0
	pptBytes    = 0x0FA8
	pptLine     = 0x0FBA // a name, a comment or a footer
	pptHolder   = 0x0BC3 // placeholder
	pptObject   = 0x0FCC // embedded object
	pptFooters  = 0x0FD9
	pptComment  = 0x2EE0
	pptList     = 0x0FF0
	pptEdit     = 0x0FF5
	pptPlaces   = 0x1772
	pptBox      = 0xF00D // content of a box
)

// A pptRecord is a record of the stream.
type pptRecord struct {
	kind, instance int
	group          bool // contains records
	body           []byte
}

// A pptText is a text with its kind.
type pptText struct {
	kind uint32
	text string
	ref  int // index in the list, −1 if it is not from the list
}

// A pptSlideRef is an entry of the list of slides.
type pptSlideRef struct {
	persist, id uint32
	texts       []pptText
}

// A pptReader reads a presentation.
type pptReader struct {
	*flow.Body
	pulse  *format.Pulse
	data   []byte
	places map[uint32]uint32 // offsets of records by number
	slides []pptSlideRef
	notes  map[uint32][]pptText // by slide number
	hidden hiddenParts
	aside  besides
	err    error
}

// PPT reads a presentation of PowerPoint 97 to 2003: its slides in order, each followed by its
// notes.
func PPT(ctx context.Context, src *format.Source) (*format.Text, error) {
	f, err := ole.Open(src.Data)
	if err != nil {
		return nil, err
	}
	r := &pptReader{Body: flow.NewBody(), pulse: format.NewPulse(ctx), places: map[uint32]uint32{}, notes: map[uint32][]pptText{}}
	document, err := r.open(f)
	if err != nil {
		return nil, err
	}
	r.lists(document)
	for i, s := range r.slides {
		r.slide(i+1, s)
	}
	if r.err != nil {
		return nil, r.err
	}
	t, err := r.Done()
	r.hidden.note(t)
	r.aside.Note(t)
	t.Title, t.Author = ole.Summary(f)
	return t, r.hidden.check(err)
}

var errPPT = fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.ppt-records", "the records of the presentation are not valid"))

// open finds the offsets of the current records and returns the document record, which lists the
// slides.
func (r *pptReader) open(f *ole.File) (pptRecord, error) {
	const editAt, minEdit, encryptedEdit = 16, 28, 32
	var err error
	if r.data, err = f.Stream(slideStream); err != nil {
		return pptRecord{}, err
	}
	user, err := f.Stream("Current User")
	if err != nil {
		return pptRecord{}, err
	}
	if len(user) < editAt+4 {
		return pptRecord{}, errPPT
	}
	document, seen := uint32(0), map[uint32]bool{}
	for at := u32(user, editAt); !seen[at]; {
		seen[at] = true
		edit, ok := r.record(at)
		if !ok || edit.kind != pptEdit || len(edit.body) < minEdit {
			return pptRecord{}, errPPT
		}
		if len(edit.body) >= encryptedEdit {
			return pptRecord{}, format.ErrEncrypted
		}
		if document == 0 {
			document = u32(edit.body, 16)
		}
		if err := r.persisted(u32(edit.body, 12)); err != nil {
			return pptRecord{}, err
		}
		if at = u32(edit.body, 8); at == 0 {
			break
		}
	}
	d, ok := r.at(document)
	if !ok || d.kind != pptDocument {
		return d, errPPT
	}
	return d, nil
}

// persisted reads a directory of offsets; entries of newer directories take precedence.
func (r *pptReader) persisted(at uint32) error {
	list, ok := r.record(at)
	if !ok || list.kind != pptPlaces {
		return errPPT
	}
	for b := list.body; len(b) >= 4; {
		first, count := u32(b, 0)&0xFFFFF, u32(b, 0)>>20
		b = b[4:]
		for i := uint32(0); i < count && len(b) >= 4; i, b = i+1, b[4:] {
			if _, newer := r.places[first+i]; !newer {
				r.places[first+i] = u32(b, 0)
			}
		}
	}
	return nil
}

// at returns the record with this number.
func (r *pptReader) at(persist uint32) (pptRecord, bool) {
	place, ok := r.places[persist]
	if !ok {
		return pptRecord{}, false
	}
	return r.record(place)
}

func (r *pptReader) record(at uint32) (pptRecord, bool) {
	if int64(at) >= int64(len(r.data)) {
		return pptRecord{}, false
	}
	rec, _, ok := nextPPT(r.data[at:])
	return rec, ok
}

// nextPPT returns the record at the start of b and the rest of b.
func nextPPT(b []byte) (rec pptRecord, rest []byte, ok bool) {
	if len(b) < 8 || int64(u32(b, 4)) > int64(len(b)-8) {
		return rec, nil, false
	}
	head := u16(b, 0)
	end := 8 + int(u32(b, 4))
	return pptRecord{kind: u16(b, 2), instance: head >> 4, group: head&15 == 15, body: b[8:end]}, b[end:], true
}

// maxPPT is the largest depth of nested records.
const maxPPT = 100

// walk calls fn for each record in b and for the records nested in it, unless fn returns true.
func (r *pptReader) walk(b []byte, depth int, fn func(pptRecord) (done bool)) {
	if depth > maxPPT {
		r.err = fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.records-deep", "records are nested more than {depth} deep", "depth", maxPPT))
	}
	for r.err == nil {
		rec, rest, ok := nextPPT(b)
		if !ok {
			return
		}
		if b, r.err = rest, r.pulse.Err(); r.err == nil && !fn(rec) && rec.group {
			r.walk(rec.body, depth+1, fn)
		}
	}
}

// lists reads the lists of slides, with the texts in it, and of notes.
func (r *pptReader) lists(document pptRecord) {
	const ofSlides, ofMasters, ofNotes = 0, 1, 2
	r.walk(document.body, 0, func(rec pptRecord) bool {
		if rec.kind != pptList {
			r.countAside(rec)
			return !rec.group
		}
		list := r.list(rec)
		switch rec.instance {
		case ofSlides:
			r.slides = append(r.slides, list...)
		case ofMasters:
			for _, m := range list {
				r.countMaster(m)
			}
		case ofNotes:
			for _, n := range list {
				r.readNotes(n)
			}
		}
		return true
	})
}

// countAside counts what of a record is shown and not read: comments, footers, and embedded objects
// other than formulas.
func (r *pptReader) countAside(rec pptRecord) {
	const comment = 1 // 0 is its author
	switch rec.kind {
	case pptComment, pptFooters:
		for _, line := range r.within(rec, pptLine) {
			if rec.kind == pptFooters || line.instance == comment {
				r.aside.count(map[int]string{pptComment: "comment", pptFooters: "footer"}[rec.kind], ole.String16(line.body))
			}
		}
	case pptObject:
		for _, line := range r.within(rec, pptLine) {
			if strings.HasPrefix(ole.String16(line.body), equationClass) {
				return
			}
		}
		r.aside.Part("ExOleEmbed")
	}
}

// countMaster counts the text of a master in boxes that are not placeholders: each slide shows it.
func (r *pptReader) countMaster(ref pptSlideRef) {
	rec, ok := r.at(ref.persist)
	if !ok || rec.kind != pptMaster {
		return
	}
	const shape = 0xF004
	r.walk(rec.body, 0, func(rec pptRecord) bool {
		if rec.kind != shape || len(r.within(rec, pptHolder)) > 0 {
			return rec.kind == shape
		}
		for _, t := range r.boxes(rec) {
			r.aside.count("master", t.text)
		}
		return true
	})
}

// within returns the records of a kind within rec.
func (r *pptReader) within(rec pptRecord, kind int) (list []pptRecord) {
	r.walk(rec.body, 0, func(rec pptRecord) bool {
		if rec.kind == kind {
			list = append(list, rec)
		}
		return false
	})
	return list
}

func (r *pptReader) list(rec pptRecord) []pptSlideRef {
	var list []pptSlideRef
	kind := uint32(0)
	r.walk(rec.body, 0, func(rec pptRecord) bool {
		n := len(list) - 1
		switch {
		case rec.kind == pptPersist && len(rec.body) >= 16:
			list = append(list, pptSlideRef{persist: u32(rec.body, 0), id: u32(rec.body, 12)})
		case rec.kind == pptKind && len(rec.body) >= 4:
			kind = u32(rec.body, 0)
			if n >= 0 {
				list[n].texts = append(list[n].texts, pptText{kind: kind})
			}
		case n >= 0 && len(list[n].texts) > 0:
			if s, ok := pptString(rec); ok {
				list[n].texts[len(list[n].texts)-1].text = s
			}
		}
		return true
	})
	return list
}

// pptString returns the text of a record if it is a text record.
func pptString(rec pptRecord) (string, bool) {
	switch rec.kind {
	case pptChars:
		return ole.String16(rec.body), true
	case pptBytes:
		text := lists.Map(rec.body, func(b byte) rune { return rune(b) })
		return string(text), true
	}
	return "", false
}

// boxes returns the texts of the boxes of a slide.
func (r *pptReader) boxes(slide pptRecord) []pptText {
	var texts []pptText
	r.walk(slide.body, 0, func(rec pptRecord) bool {
		if rec.kind != pptBox {
			return false
		}
		t := pptText{kind: pptOther, ref: -1}
		r.walk(rec.body, 0, func(rec pptRecord) bool {
			switch {
			case rec.kind == pptOutline && len(rec.body) >= 4:
				t.ref = int(u32(rec.body, 0))
			case rec.kind == pptKind && len(rec.body) >= 4:
				t.kind = u32(rec.body, 0)
			default:
				if s, ok := pptString(rec); ok {
					t.text = s
				}
			}
			return true
		})
		texts = append(texts, t)
		return true
	})
	return texts
}

// readNotes stores the text of notes for their slide.
func (r *pptReader) readNotes(ref pptSlideRef) {
	const kindNotes = 2
	rec, ok := r.at(ref.persist)
	if !ok || rec.kind != pptNotes {
		return
	}
	of := uint32(0)
	r.walk(rec.body, 0, func(rec pptRecord) bool {
		if rec.kind == pptNotesOf && len(rec.body) >= 4 {
			of = u32(rec.body, 0)
		}
		return true
	})
	for _, t := range append(ref.texts, r.boxes(rec)...) {
		if t.kind == kindNotes && t.text != "" {
			r.notes[of] = append(r.notes[of], t)
		}
	}
}

// slide adds the texts of a slide: those of its boxes, some of which are stored in the list, then
// the remaining texts of the list, and the notes.
func (r *pptReader) slide(number int, s pptSlideRef) {
	rec, ok := r.at(s.persist)
	if !ok || rec.kind != pptSlide {
		r.hidden.missing = append(r.hidden.missing, fmt.Sprintf("slide %d", number))
		return
	}
	r.walk(rec.body, 0, func(rec pptRecord) bool {
		const flags, hiddenFlag = 10, 4
		r.countAside(rec)
		if rec.kind == pptShown && len(rec.body) >= flags+2 && u16(rec.body, flags)&hiddenFlag != 0 {
			r.hidden.slides = append(r.hidden.slides, fmt.Sprint(number))
		}
		return true
	})
	shown := make([]bool, len(s.texts))
	for _, t := range r.boxes(rec) {
		if 0 <= t.ref && t.ref < len(s.texts) && !shown[t.ref] {
			shown[t.ref] = true
			t = s.texts[t.ref]
		}
		r.add(t)
	}
	for i, t := range s.texts {
		if !shown[i] {
			r.add(t)
		}
	}
	for _, t := range r.notes[s.id] {
		r.add(t)
	}
}

// add adds a text, whose paragraphs end with carriage returns.
func (r *pptReader) add(t pptText) {
	const title, centredTitle = 0, 6
	for p := range strings.SplitSeq(t.text, "\r") {
		if r.err == nil {
			r.err = r.pulse.Err()
		}
		if r.err != nil {
			return
		}
		r.Begin()
		start := r.Len()
		for i, l := range strings.Split(p, "\v") {
			if i > 0 {
				r.LineBreak()
			}
			r.Builder.Text([]byte(l))
		}
		if t.kind == title || t.kind == centredTitle {
			r.Mark(format.Heading, start)
		}
		r.Finish()
	}
}
