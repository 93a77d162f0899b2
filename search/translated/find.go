package translated

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/otisk/otisk/language"
	"github.com/otisk/otisk/lexicon"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search/hint"
)

// Figures by which candidates are judged.
const (
	weakFigure   = 20 // log-likelihood ratio from which a candidate is a hint
	strongFigure = 25 // the same of a strong hint
	leastLinked  = 10 // words of a hint that a dictionary or their spelling links
	mostListed   = 400
)

// Lexica returns the lexica from one language to another, and those in the opposite direction.
// Both languages are given by their codes.
type Lexica func(ctx context.Context, from, to string) (forward, backward []*lexicon.Lexicon, err error)

// A Finder finds hints of [hint.KindTranslated]. It is safe for use by several goroutines.
type Finder struct {
	lexica Lexica
	place  func(languages [][2]string) Place

	mu           sync.Mutex
	dictionaries map[[2]string]*Dictionary // nil for languages without lexica
	vocabularies map[*language.Language]*vocabulary
	omitted      map[Omitted]int
}

// Omitted are the languages of texts between which a finder did not search: at least one is
// unknown, both are the same, or no lexicon serves them.
type Omitted struct{ Suspect, Source string } // codes, "" if unknown

// New returns a finder that reads the lexica of two languages when it first meets them.
func New(lexica Lexica) *Finder {
	return &Finder{lexica: lexica, dictionaries: map[[2]string]*Dictionary{}, vocabularies: map[*language.Language]*vocabulary{}, omitted: map[Omitted]int{}}
}

// CacheAt lets the finder cache dictionaries in files, for itself and other programs. place returns the file of the
// dictionary between languages: pairs of codes, that of the suspects first. It must be called
// before the first search.
func (f *Finder) CacheAt(place func(languages [][2]string) Place) { f.place = place }

// Kind returns [hint.KindTranslated].
func (*Finder) Kind() string { return hint.KindTranslated }

// Omitted returns the languages between which the finder did not search so far, and the number
// of pairs of texts in them.
func (f *Finder) Omitted() map[Omitted]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.omitted)
}

// omit counts a pair of texts between which the finder does not search.
func (f *Finder) omit(suspect, source *language.Language) {
	code := func(l *language.Language) string {
		if l == nil {
			return ""
		}
		return l.Code
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.omitted[Omitted{code(suspect), code(source)}]++
}

// Prepare detects the language of the suspect.
func (f *Finder) Prepare(suspect *hint.Text) hint.Search {
	s := &search{finder: f, language: LanguageOf(suspect.Words)}
	if s.language != nil {
		s.suspect = newText(f.vocabulary(s.language), suspect.Original, suspect.Words)
	}
	return s
}

// vocabulary returns the vocabulary of a language.
func (f *Finder) vocabulary(l *language.Language) *vocabulary {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.vocabularies[l] == nil {
		f.vocabularies[l] = newVocabulary(l)
	}
	return f.vocabularies[l]
}

// LanguageOf returns the language of a text, or nil if it is unknown.
func LanguageOf(words []normalize.Word) *language.Language {
	return language.Detect(func(yield func(string) bool) {
		for _, w := range words {
			if !yield(w.Text) {
				return
			}
		}
	})
}

// Dictionary returns the dictionary between two languages, or nil if no lexicon serves them.
// The lexica of related languages serve, too: those of Czech for Slovak.
func (f *Finder) Dictionary(ctx context.Context, from, to *language.Language) (*Dictionary, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := [2]string{from.Code, to.Code}
	if d, ok := f.dictionaries[key]; ok {
		return d, nil
	}
	d, err := f.read(ctx, from, to)
	if err == nil {
		f.dictionaries[key] = d
	}
	return d, err
}

// read returns the dictionary that is kept, or else makes it of its lexica.
func (f *Finder) read(ctx context.Context, from, to *language.Language) (*Dictionary, error) {
	var pairs [][2]string
	for _, a := range served(from) {
		for _, b := range served(to) {
			if a != b {
				pairs = append(pairs, [2]string{a, b})
			}
		}
	}
	var place Place
	if f.place != nil {
		place = f.place(pairs)
	}
	if place.File != "" {
		if d, ok := kept(place, from, to); ok {
			return d, nil
		}
	}
	var forward, backward []*lexicon.Lexicon
	for _, p := range pairs {
		there, back, err := f.lexica(ctx, p[0], p[1])
		if err != nil {
			return nil, err
		}
		forward, backward = append(forward, there...), append(backward, back...)
	}
	n := len(forward) + len(backward)
	if n == 0 {
		return nil, nil
	}
	d := NewDictionary(from, to, forward, backward)
	if place.File != "" && n == place.Lexica {
		_ = storeDictionary(d, place) // otherwise, the next search makes it again
	}
	return d, nil
}

// served returns the codes of the languages whose lexica serve a language.
func served(l *language.Language) []string {
	if l.Kin == "" {
		return []string{l.Code}
	}
	return []string{l.Code, l.Kin}
}

// A search looks for passages of one suspect.
type search struct {
	finder   *Finder
	language *language.Language
	suspect  *text
	wordings sync.Map // *wording, by dictionary
}

// wording returns the wording of the suspect for a dictionary.
func (s *search) wording(d *Dictionary) *wording {
	if w, ok := s.wordings.Load(d); ok {
		return w.(*wording)
	}
	w, _ := s.wordings.LoadOrStore(d, newWording(d, s.suspect))
	return w.(*wording)
}

// Find returns the hints between the suspect and a source. It returns none if both texts are in
// one language, or a language is unknown, or no lexicon serves both.
func (s *search) Find(ctx context.Context, source *hint.Text) ([]hint.Found, error) {
	var d *Dictionary
	other := LanguageOf(source.Words)
	if s.language != nil && other != nil && other != s.language {
		var err error
		if d, err = s.finder.Dictionary(ctx, s.language, other); err != nil {
			return nil, err
		}
	}
	if d == nil {
		s.finder.omit(s.language, other)
		return nil, nil
	}
	found, err := candidates(ctx, s.wording(d), newText(s.finder.vocabulary(other), source.Original, source.Words))
	if err != nil {
		return nil, err
	}
	var list []hint.Found
	for _, c := range found {
		if c.figure() >= weakFigure && c.linked >= leastLinked {
			list = append(list, c.found())
		}
	}
	return list, nil
}

// candidates returns the ranges of the suspect that may be translated from the source, by place
// in the suspect. No two have a word in common: a better one keeps its words, and the other is
// shortened, or left out if it loses half of them.
func candidates(ctx context.Context, suspect *wording, source *text) ([]candidate, error) {
	if suspect.len() == 0 || source.len() == 0 {
		return nil, nil
	}
	p := newPair(suspect, source)
	defer p.release()
	var found []candidate
	for _, cluster := range clusters(cores(crowded(p.points(), suspect.len(), source.len()))) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if c, ok := p.check(cluster); ok {
			found = append(found, c)
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.ratio, a.ratio), cmp.Compare(a.from, b.from), cmp.Compare(a.sourceFrom, b.sourceFrom))
	})
	var kept []candidate
	for _, c := range found {
		words, ok := len(c.matches), true
		for _, k := range kept {
			if ok {
				c, ok = c.without(k.from, k.to())
			}
		}
		if ok && 2*len(c.matches) > words {
			kept = append(kept, c)
		}
	}
	slices.SortFunc(kept, func(a, b candidate) int { return cmp.Compare(a.from, b.from) })
	return kept, nil
}

// linkKinds are the names of the kinds in hints.
var linkKinds = [...]string{byDictionary: hint.LinkDictionary, byCognate: hint.LinkCognate, byName: hint.LinkName, byNumber: hint.LinkNumber}

// found returns the hint of a candidate.
func (c *candidate) found() hint.Found {
	f := hint.Found{
		Suspect: hint.Range{From: c.from, To: c.to()}, Origin: hint.Range{From: c.sourceFrom, To: c.sourceTo},
		Figure: c.figure(), Level: weakFigure, Strength: hint.Weak,
	}
	if f.Figure >= strongFigure {
		f.Strength = hint.Strong
	}
	for k, m := range c.matches {
		if m.j >= c.sourceFrom && m.j < c.sourceTo && len(f.Links) < mostListed {
			f.Links = append(f.Links, hint.Link{Kind: linkKinds[m.kind], Suspect: wordAt(c.from + k), Origin: wordAt(m.j)})
		}
	}
	return f
}

func wordAt(i int) hint.Range { return hint.Range{From: i, To: i + 1} }
