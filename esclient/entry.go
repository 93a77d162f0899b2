package esclient

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// A piece describes one part of a document: its n-grams of a length, its pairs, or its
// text.
type piece struct {
	N     int   `json:"n,omitempty"` // 0 for the text, pairsN for the pairs
	Gen   int64 `json:"gen"`
	Units int   `json:"units"` // blocks or chunks
	Grams int64 `json:"grams,omitempty"`
	Bytes int64 `json:"bytes,omitempty"` // of the text
	Kept  int64 `json:"kept,omitempty"`  // of the text, compressed
	Sum   sum   `json:"sum,string"`

	Marks string `json:"marks,omitempty"` // of the text, encoded, in base64
}

type version struct {
	From int64
	To   int64 // 0 for none
	Doc  store.Document
	Text *piece
	Size []piece // by rising N
	// Id and version number, if it was read from the index.
	id string
	at place
}

type entrySource struct {
	Doc   string           `json:"doc"`
	Key   string           `json:"key"`
	From  int64            `json:"from"`
	To    *int64           `json:"to,omitempty"`
	Gens  []int64          `json:"gens"`
	About []string         `json:"about,omitempty"`
	Text  int64            `json:"text"`
	Kept  int64            `json:"kept"`
	Grams map[string]int64 `json:"grams"`
	Units map[string]int64 `json:"units"`
	Entry entryDetails     `json:"entry"`
}

type entryDetails struct {
	Document store.Document `json:"document"`
	Prefix   []byte         `json:"prefix,omitempty"` // with Path, if the name is not UTF-8
	Path     []byte         `json:"path,omitempty"`
	Text     *piece         `json:"text,omitempty"`
	Sizes    []piece        `json:"sizes"`
}

// longestName is the limit of a name in bytes: a key has twice as many, and the limit of
// a Lucene term is 32,766.
const longestName = 16_000

func (p *piece) setMarks(marks *store.Marks) {
	if marks != nil {
		p.Marks = base64.StdEncoding.EncodeToString(marks.Encode())
	}
}

func (v *version) marks() (*store.Marks, error) {
	data, err := base64.StdEncoding.DecodeString(v.Text.Marks)
	if err != nil {
		return nil, phrase.Error("cluster.marks", "marks of the text of {name}: {cause}: {damaged}", "name", v.Doc.Name(), "cause", err, "damaged", store.ErrDamaged)
	}
	marks, err := store.DecodeMarks(data, v.Text.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", v.Doc.Name(), err)
	}
	return marks, nil
}

func (v *version) pieces() []piece {
	list := slices.Clone(v.Size)
	if v.Text != nil {
		list = append(list, *v.Text)
	}
	return list
}

func (v *version) gens() []int64 {
	list := []int64{}
	list = append(list, lists.Map(v.pieces(), func(p piece) int64 { return p.Gen })...)
	return list
}

func (v *version) size(n int) (piece, bool) {
	i := slices.IndexFunc(v.Size, func(p piece) bool { return p.N == n })
	if i < 0 {
		return piece{}, false
	}
	return v.Size[i], true
}

func (v *version) setSize(p piece) {
	v.Size = slices.DeleteFunc(slices.Clone(v.Size), func(old piece) bool { return old.N == p.N })
	v.Size = append(v.Size, p)
	slices.SortFunc(v.Size, func(a, b piece) int { return a.N - b.N })
	if p.N == pairsN {
		v.Doc.Paired, v.Doc.Pairs = true, p.Grams
	} else {
		v.Doc.SetGrams(p.N, p.Grams)
	}
}

// nameKey returns the key of a name. Keys sort by the bytes of the names.
func nameKey(name string) string { return hex.EncodeToString([]byte(name)) }

func (v *version) encode() []byte {
	s := entrySource{
		Doc: v.Doc.ID.String(), Key: nameKey(v.Doc.Name()), From: v.From,
		Gens: v.gens(), About: v.Doc.Told(), Text: v.Doc.Text, Grams: map[string]int64{}, Units: map[string]int64{textsPart: 0},
		Entry: entryDetails{Document: v.Doc, Text: v.Text, Sizes: v.Size},
	}
	if v.To != 0 {
		s.To = &v.To
	}
	if v.Text != nil {
		s.Kept, s.Units[textsPart] = v.Text.Kept, int64(v.Text.Units)
	}
	for _, p := range v.Size {
		s.Grams[gramsField(p.N)], s.Units[gramsField(p.N)] = p.Grams, int64(p.Units)
	}
	if !utf8.ValidString(v.Doc.Name()) {
		s.Entry.Prefix, s.Entry.Path = []byte(v.Doc.Prefix), []byte(v.Doc.Path)
	}
	return marshal(s)
}

// version decodes s. It returns an error if s contradicts itself.
func (s *entrySource) version() (*version, error) {
	v := &version{From: s.From, Doc: s.Entry.Document, Text: s.Entry.Text, Size: s.Entry.Sizes}
	if s.To != nil {
		v.To = *s.To
	}
	if s.Entry.Prefix != nil || s.Entry.Path != nil {
		v.Doc.Prefix, v.Doc.Path = string(s.Entry.Prefix), string(s.Entry.Path)
	}
	v.Doc.ID = store.IDOf(v.Doc.Prefix, v.Doc.Path)
	v.Doc.ModTime = v.Doc.ModTime.UTC()
	if got := v.Doc.ID.String(); got != s.Doc {
		return nil, phrase.Error("cluster.entry-name", "entry of document {id} has the name {name}, whose id is {wanted}: {cause}", "id", fmt.Sprintf("%.20q", s.Doc), "name", strconv.Quote(v.Doc.Name()), "wanted", got, "cause", store.ErrDamaged)
	}
	if !slices.Equal(v.gens(), s.Gens) {
		return nil, phrase.Error("cluster.entry-parts", "entry of {name}: gens do not match its parts: {cause}", "name", v.Doc.Name(), "cause", store.ErrDamaged)
	}
	return v, nil
}

func versionOf(h *foundHit[entrySource]) (*version, error) {
	v, err := h.Source.version()
	if err != nil {
		return nil, err
	}
	v.id, v.at = h.ID, place{h.SeqNo, h.Term}
	return v, nil
}
