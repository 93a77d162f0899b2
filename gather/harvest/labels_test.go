package harvest

import (
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/store"
)

// TestLabelsByHand labels two theses by hand. One then gets a second file, so that its document
// has a new name and keeps the label; the other is deleted, and its lost label is reported.
func TestLabelsByHand(t *testing.T) {
	b := newBench(t)
	b.add(1, nil)
	b.add(2, nil)
	b.run()
	s, err := b.open()
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range b.documentsOf(s) {
		said := store.Description{Labels: map[string]string{"faculty": []string{"law", "medicine"}[i]}}
		if err := indexer.Describe(t.Context(), s, d, said.Over(d.Said)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	b.now = day(60)
	b.files["/bitstream/1/appendix.txt"] = words(7, 7)
	b.add(1, func(r *thesis) { r.stamp, r.links = day(50), append(r.links, b.URL+"/bitstream/1/appendix.txt") })
	b.add(2, func(r *thesis) { r.stamp, r.deleted = day(51), true })
	b.run()
	b.want("1!/appendix.txt", "1!/thesis.txt")
	at := slices.IndexFunc(b.documents(), func(d store.Document) bool { return strings.HasSuffix(d.Name(), "thesis.txt") })
	if got, _ := b.documents()[at].Value("faculty"); got != "law" {
		t.Errorf("the renamed document has faculty %q, want law", got)
	}
	b.wantTold("oai:repo.example.org:1: is removed: its description is now that of oai:repo.example.org:1!/thesis.txt")
	b.wantTold("oai:repo.example.org:2: is removed, and its description with it: faculty=medicine")
	if slices.ContainsFunc(b.told, func(s string) bool { return strings.Contains(s, "masterThesis") }) {
		t.Errorf("metadata of the repository is reported as lost: %q", b.told)
	}
}
