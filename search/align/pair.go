package align

// A span is a stretch of words [from, to).
type span struct{ from, to int32 }

func (s span) len() int { return int(s.to - s.from) }

func (s span) meets(o span) bool { return s.from < o.to && o.from < s.to }

// common returns how many words two spans share.
func (s span) common(o span) int { return max(0, int(min(s.to, o.to)-max(s.from, o.from))) }

// A candidate may become a passage: a of the suspect, b of the source.
type candidate struct {
	a, b         span
	peakA, peakB int32 // the densest core of a cluster
	kind         Kind
	sharp        bool // whether its ends are those of equal words
}

// A side is one text of a pair. Its keys are numbered as those of the suspect
// are, with the source's own ones after them.
type side struct {
	*Prepared
	key []int32 // by word
}

// A pair is two texts under alignment. It is used by one goroutine.
type pair struct {
	params *Params
	a, b   side
	shared []int32   // by key number of the source: the one of the suspect, or a new one
	form   []int32   // by word of the source: its form in the suspect, or -1
	weight []float64 // by key
	left   []int32   // by key: a bag of words, empty between uses
}

func newPair(params *Params, suspect, source *Prepared) *pair {
	p := &pair{params: params, a: side{suspect, suspect.keys}, b: side{Prepared: source}}
	p.number()
	p.weigh()
	return p
}

// number brings the words of the source to the numbers of the suspect.
func (p *pair) number() {
	own, other := p.a.Prepared, p.b.Prepared
	p.shared = make([]int32, len(other.starts))
	next := int32(len(own.starts))
	for k, s := range other.starts {
		if n, ok := own.keyOf(s); ok {
			p.shared[k] = n
			continue
		}
		p.shared[k] = next
		next++
	}
	p.left = make([]int32, next)
	forms := make([]int32, len(other.texts))
	for f, w := range other.texts {
		n, ok := own.formOf(w)
		if !ok {
			n = -1
		}
		forms[f] = n
	}
	p.b.key, p.form = make([]int32, other.Len()), make([]int32, other.Len())
	for i := range p.form {
		p.b.key[i], p.form[i] = p.shared[other.keys[i]], forms[other.forms[i]]
	}
}
