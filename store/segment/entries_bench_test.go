//go:build unix

package segment

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/pick"
	"github.com/otisk/otisk/store/storetest"
)

// thesis returns the entry of a thesis as a repository describes one.
func thesis(i int) store.Document {
	sum := sha256.Sum256([]byte(strconv.Itoa(i)))
	d := store.Document{
		Path: fmt.Sprintf("theses/%d/%s-%05d.pdf", 2000+i%25, []string{"novak", "svobodova", "dvorak", "cerna"}[i%4], i), Base: "b1a9c3e2",
		Bytes: int64(1_200_000 + i*7919%900_000), ModTime: time.Unix(1_500_000_000+int64(i)*3571, 0).UTC(),
		Content: hex.EncodeToString(sum[:]), Reader: 12, Format: "pdf", NewLine: "blank",
		Title:  fmt.Sprintf("Příspěvek k otázce číslo %d", i*31%4099),
		Author: []string{"Jan Novák", "Eva Svobodová", "Petr Dvořák", "Jana Černá"}[i%4], Year: 2000 + i%25,
		Text: int64(120_000 + i*613%80_000), Words: int64(18_000 + i*97%9000), Parts: int64(300 + i%200),
		Labels: map[string]string{"faculty": []string{"law", "arts", "medicine", "science", "education"}[i%5], "kind": []string{"bachelor", "master"}[i%2]},
	}
	d.Address = fmt.Sprintf("https://is.example.org/th/%06x/", i)
	return d
}

// BenchmarkEntries goes through the entries of 100,000 documents, and picks those of a
// fifth by a label, by a label and a year, and by a folder.
func BenchmarkEntries(b *testing.B) {
	for _, documents := range []int{20_000, 100_000} {
		s := thesesIndex(b, documents)
		b.Run(fmt.Sprint(documents), func(b *testing.B) { benchEntries(b, s) })
	}
}

// reportCPU returns a function that reports the CPU time of the process since, an
// iteration.
func reportCPU(b *testing.B) func() {
	used := func() float64 {
		var u syscall.Rusage
		_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
		return float64(u.Utime.Nano() + u.Stime.Nano())
	}
	start := used()
	return func() { b.ReportMetric((used()-start)/float64(b.N)/1e6, "CPU-ms/op") }
}

func thesesIndex(b *testing.B, documents int) *Store {
	s, err := Create(b.TempDir(), store.Settings{}, Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	for i := range documents {
		d := thesis(i)
		if err := s.Add(context.Background(), d, "", []store.Grams{storetest.Grams(7, store.Hash(i))}, storetest.Pairs(store.Hash(i))); err != nil {
			b.Fatal(err)
		}
	}
	commit(b, s)
	return s
}

func benchEntries(b *testing.B, s *Store) {
	bytes := int64(0)
	for _, r := range s.snap.index.Tables {
		bytes += r.Bytes
	}
	count := s.snap.index.Documents
	b.Run("Documents", func(b *testing.B) {
		b.ReportAllocs()
		defer reportCPU(b)()
		for b.Loop() {
			if err := s.Documents(context.Background(), "", func(store.Document) error { return nil }); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(bytes)/float64(count), "bytes/doc")
	})
	for _, in := range []string{"faculty=law", "theses/2003"} {
		for _, where := range []string{"", "year>=2010"} {
			b.Run("Only/"+in+","+where, func(b *testing.B) { benchOnly(b, s, in, where) })
		}
	}
}

func benchOnly(b *testing.B, s *Store, in, where string) {
	var conditions pick.Where
	if where != "" {
		var err error
		if conditions, err = pick.ParseWhere([]string{where}); err != nil {
			b.Fatal(err)
		}
	}
	defer reportCPU(b)()
	for b.Loop() {
		p := pick.New([]string{in}, pick.Options{Where: conditions, Labels: true, Folders: true})
		if _, err := pick.Only(context.Background(), s, p); err != nil {
			b.Fatal(err)
		}
	}
}
