package align

import "testing"

// A thesis of 50,000 words of which 30 % come, lightly edited, from 20 sources
// of 50,000 words.
func BenchmarkThesis(b *testing.B) {
	s := newSpeaker(1)
	thesis := s.words(35_000)
	var sources []*Prepared
	for range 20 {
		source := s.words(50_000)
		thesis = append(thesis, s.edited(source[20_000:20_750], 12)...)
		sources = append(sources, prepare(b, say(source)))
	}
	text := textOf(b, say(thesis))
	al := New(DefaultParams())
	b.ReportAllocs()
	for b.Loop() {
		suspect, passages := Prepare(text), 0
		for _, source := range sources {
			passages += len(aligned(al, suspect, source))
		}
		if passages < 20 {
			b.Fatalf("%d passages, want at least one from each of 20 sources", passages)
		}
	}
}

func BenchmarkPrepare(b *testing.B) {
	text := textOf(b, say(newSpeaker(1).words(50_000)))
	b.SetBytes(int64(len(text.Text)))
	for b.Loop() {
		Prepare(text)
	}
}
