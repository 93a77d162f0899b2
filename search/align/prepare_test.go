package align

import (
	"reflect"
	"slices"
	"testing"
)

func TestFirstLetters(t *testing.T) {
	for word, want := range map[string]string{
		"": "", "heron": "heron", "hero": "hero", "herons": "heron",
		"žluťoučký": "žluťo", "žluť": "žluť", "žluťo": "žluťo", "中文中文中文": "中文中文中",
		"a\xff\xfebcd": "a\xff\xfebc",
	} {
		if got := firstLetters(word); got != want {
			t.Errorf("firstLetters(%q) = %q, want %q", word, got, want)
		}
	}
}

// TestTextsBesideOthersAreTheTextsAlone, as suspect and as source, beside their counterpart or
// another text.
func TestTextsBesideOthersAreTheTextsAlone(t *testing.T) {
	s := newSpeaker(31)
	copied := s.words(90)
	suspectText := textOf(t, say(s.words(200), s.edited(copied, 5), s.words(100)))
	sourceText := textOf(t, say(s.words(100), copied, s.words(200)))
	other := prepare(t, say(s.words(150)))
	suspect, source := Prepare(suspectText), Prepare(sourceText)
	want := aligned(New(DefaultParams()), suspect, source)
	if len(want) == 0 {
		t.Fatal("no passage")
	}
	slice := other.Beside(suspectText).Slice(0, len(suspectText.Words))
	for _, tt := range []struct {
		name            string
		suspect, source *Prepared
	}{
		{"the source beside the suspect", suspect, suspect.Beside(sourceText)},
		{"the source beside another text", suspect, other.Beside(sourceText)},
		{"the suspect beside another text", other.Beside(suspectText), source},
		{"both beside another text", other.Beside(suspectText), other.Beside(sourceText)},
		{"a slice beside another text, and the source beside it", slice, slice.Beside(sourceText)},
	} {
		if got := aligned(New(DefaultParams()), tt.suspect, tt.source); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", tt.name, got, want)
		}
	}
}

// TestStretchesOfASource are the texts alone, in whatever order they are taken and
// however they overlap, and whether or not memory was used before.
func TestStretchesOfASource(t *testing.T) {
	s := newSpeaker(32)
	copied := s.words(60)
	suspect := prepare(t, say(s.words(80), copied, s.words(80)))
	words := textOf(t, say(s.words(150), copied, s.words(150)))
	al := New(DefaultParams())
	for range 3 {
		src := suspect.Source(words)
		var got, want [][]Passage
		for _, at := range [][2]int{{140, 260}, {100, 200}, {0, 360}, {150, 210}} {
			got = append(got, aligned(al, suspect, src.Slice(at[0], at[1])))
			want = append(want, aligned(al, suspect, Prepare(Text{Words: words.Words[at[0]:at[1]], Text: words.Text})))
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("passages of stretches: %+v, want %+v", got, want)
		}
		src.Release()
	}
}

// TestWordsHaveNumbers: equal words have the same number, in a vocabulary that grows,
// and a missing word has none.
func TestWordsHaveNumbers(t *testing.T) {
	var v table
	if got := v.find("heron"); got != -1 {
		t.Errorf("the number of a word in no words is %d, want -1", got)
	}
	words := newSpeaker(33).words(20_000)
	number := map[string]int32{}
	for _, w := range words {
		n, known := number[w]
		if !known {
			n = int32(len(number))
			number[w] = n
		}
		if got := v.add(w); got != n {
			t.Fatalf("the number of %q is %d, want %d", w, got, n)
		}
	}
	for w, n := range number {
		if got := v.find(w); got != n {
			t.Errorf("the number of %q is %d, want %d", w, got, n)
		}
		if got := v.find(w + "?"); got != -1 {
			t.Errorf("the number of %q is %d, want -1", w+"?", got)
		}
	}
	if 2*len(v.texts) > len(v.slots) {
		t.Errorf("%d words in %d slots, want half of them free", len(v.texts), len(v.slots))
	}
}

func TestPlacesOf(t *testing.T) {
	p := placesOf([]int32{2, 0, 2, 3, 0, 2}, 5)
	for k, want := range [][]int32{{1, 4}, {}, {0, 2, 5}, {3}, {}} {
		if got := p.of(int32(k)); !slices.Equal(got, want) || p.count(int32(k)) != len(want) {
			t.Errorf("number %d is at %v, %d times, want %v", k, got, p.count(int32(k)), want)
		}
	}
}
