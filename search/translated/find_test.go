package translated

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/otisk/otisk/language"
	"github.com/otisk/otisk/lexicon"
	"github.com/otisk/otisk/search/hint"
)

func testdata(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(data))
}

// finder returns a finder with the lexicon of the tests.
func finder(t testing.TB) *Finder {
	t.Helper()
	l, err := lexicon.Read(t.Context(), filepath.Join("testdata", "en-cs.tsv"), "", "")
	if err != nil {
		t.Fatal(err)
	}
	return New(func(_ context.Context, from, to string) (forward, backward []*lexicon.Lexicon, err error) {
		switch from + "-" + to {
		case "en-cs":
			return []*lexicon.Lexicon{l}, nil, nil
		case "cs-en":
			return nil, []*lexicon.Lexicon{l}, nil
		}
		return nil, nil, nil
	})
}

func hintText(original string) *hint.Text {
	return &hint.Text{Words: wordsOf(original), Breaks: []int{0}, Original: original}
}

// find returns the hints between two texts, and checks their form.
func find(t *testing.T, suspect, source string) []hint.Found {
	t.Helper()
	a, b := hintText(suspect), hintText(source)
	found, err := finder(t).Prepare(a).Find(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	end := 0
	for _, f := range found {
		if f.Suspect.From < end || f.Suspect.To > len(a.Words) || f.Origin.From < 0 || f.Origin.To > len(b.Words) || f.Suspect.Len() <= 0 || f.Origin.Len() <= 0 {
			t.Errorf("hint at %v from %v of texts of %d and %d words", f.Suspect, f.Origin, len(a.Words), len(b.Words))
		}
		end = f.Suspect.To
		place := -1
		for _, l := range f.Links {
			if l.Suspect.From <= place || f.Suspect.Common(l.Suspect) != 1 || f.Origin.Common(l.Origin) != 1 {
				t.Errorf("link %v in the hint %v from %v", l, f.Suspect, f.Origin)
			}
			place = l.Suspect.From
		}
		if (f.Strength == hint.Strong) != (f.Figure >= strongFigure) || f.Figure < weakFigure {
			t.Errorf("figure %v is %s", f.Figure, f.Strength)
		}
	}
	return found
}

// covered returns the words of a range of bytes that strong hints cover.
func covered(found []hint.Found, text string, from, to int) (inside, outside, all int) {
	for i, w := range wordsOf(text) {
		in := w.Start >= from && w.End <= to
		if in {
			all++
		}
		for _, f := range found {
			if f.Strength == hint.Strong && f.Suspect.From <= i && i < f.Suspect.To {
				if in {
					inside++
				} else {
					outside++
				}
			}
		}
	}
	return inside, outside, all
}

// TestFind: a translation between two unrelated texts is found in either direction and where it is,
// whatever surrounds it.
func TestFind(t *testing.T) {
	t.Parallel()
	cs, en := testdata(t, "bridge.cs.txt"), testdata(t, "bridge.en.txt")
	otherCS, otherEN := testdata(t, "other.cs.txt"), testdata(t, "other.en.txt")
	half := strings.Index(cs, "\n\n")
	tests := []struct{ name, before, passage, after, source string }{
		{"alone", "", cs, "", en},
		{"within other texts", otherCS + "\n\n", cs, "\n\n" + otherCS, otherEN + "\n\n" + en + "\n\n" + otherEN},
		{"one paragraph", otherCS + "\n\n", cs[:half], "\n\n" + otherCS, en},
		{"from Czech", otherEN + "\n\n", en, "\n\n" + otherEN, otherCS + "\n\n" + cs},
		{"on other lines", otherCS + "\n\n", strings.ReplaceAll(cs, " ", "\n"), "\n\n" + otherCS, en},
		{"in capitals", otherCS + "\n\n", strings.ToUpper(cs), "\n\n" + otherCS, en},
	}
	for _, tt := range tests {
		text := tt.before + tt.passage + tt.after
		found := find(t, text, tt.source)
		inside, outside, all := covered(found, text, len(tt.before), len(tt.before)+len(tt.passage))
		if inside*10 < all*8 || outside > 15 {
			t.Errorf("%s: hints cover %d of %d words, and %d others: %v", tt.name, inside, all, outside, found)
		}
	}
	whole, n := find(t, cs, en), len(wordsOf(en))
	if len(whole) != 1 || whole[0].Origin.From > 5 || whole[0].Origin.To < n-5 {
		t.Errorf("a whole translation is hinted at as %v of a source of %d words", whole, n)
	}
	twice := find(t, cs+"\n\n"+otherCS+"\n\n"+cs, en)
	if inside, _, all := covered(twice, cs, 0, len(cs)); len(twice) < 2 || inside*10 < all*8 {
		t.Errorf("a passage that occurs twice: %v", twice)
	}
}

// TestFindNothing: pairs of texts that share no translation, or nothing but names, figures and code.
func TestFindNothing(t *testing.T) {
	t.Parallel()
	cs, en := testdata(t, "bridge.cs.txt"), testdata(t, "bridge.en.txt")
	otherCS, otherEN := testdata(t, "other.cs.txt"), testdata(t, "other.en.txt")
	repeat := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i*37%1000, 1900+i*13%120)
		}
		return b.String()
	}
	names := "Antonín Dvořák, Bedřich Smetana, Leoš Janáček, Bohuslav Martinů, Josef Suk, Zdeněk Fibich, Vítězslav Novák, Johann Sebastian Bach, Wolfgang Amadeus Mozart, Ludwig van Beethoven, Franz Schubert, Robert Schumann, Johannes Brahms, Richard Wagner, Gustav Mahler, Arnold Schönberg, Alban Berg, Anton Webern, Igor Stravinsky, Sergei Prokofiev, Dmitri Shostakovich, Claude Debussy, Maurice Ravel, Olivier Messiaen, Benjamin Britten. "
	table := repeat(60, "%d 12.5 %d 3,14 0.05\n")
	formulas := repeat(40, "f(x) = a x^%d + b y - sin(z) / cos(%d), where E = m c^2, alpha + beta = gamma\n")
	code := repeat(40, "for (int index = 0; index < length; index++) { result[index] = compute(buffer, index, %d) + offset * %d; printf(\"value\"); return NULL; }\n")
	books := repeat(1, "KNUTH, Donald. The Art of Computer Programming. Reading: Addison-Wesley, 1997. ISBN 0201896834. MANNING, Christopher D.; RAGHAVAN, Prabhakar; SCHÜTZE, Hinrich. Introduction to Information Retrieval. Cambridge: Cambridge University Press, 2008. POTTHAST, Martin; STEIN, Benno; BARRÓN-CEDEÑO, Alberto; ROSSO, Paolo. An Evaluation Framework for Plagiarism Detection. In: COLING 2010. Beijing: Tsinghua University Press, 2010, pp. 997–1005. BROWN, Peter F. The Mathematics of Statistical Machine Translation. Computational Linguistics, %d, vol. 19, no. 2, pp. 263–311, %d. SALTON, Gerard; BUCKLEY, Christopher. Term-weighting Approaches in Automatic Text Retrieval. Information Processing & Management, 1988. ")
	for name, both := range map[string]string{"names": names, "tables": table, "formulas": formulas, "code": code, "bibliographies": books} {
		if found := find(t, otherCS+"\n\n"+both, otherEN+"\n\n"+both); len(found) > 0 {
			t.Errorf("%s on both sides: %v", name, found)
		}
	}
	for name, pair := range map[string][2]string{
		"unrelated":                {otherCS, en},
		"unrelated, exchanged":     {cs, otherEN},
		"one language":             {cs, cs},
		"one language, English":    {en, en},
		"no text":                  {"", en},
		"no source":                {cs, ""},
		"unknown language":         {strings.Repeat("lorem ipsum dolor sit amet consectetur ", 30), en},
		"language without lexicon": {"Am Morgen ging der alte Mann auf den Markt, weil er seiner Tochter versprochen hatte, dass er ihr Äpfel mitbringt. " + cs[:0], en},
		"the subject only":         {strings.Repeat("Most, řeka, kostel, mlýn, voda a město. ", 3) + otherCS, en},
	} {
		if found := find(t, pair[0], pair[1]); len(found) > 0 {
			t.Errorf("%s: %v", name, found)
		}
	}
}

// TestFindTogether: searches of two suspects in two sources at the same time find the same hints as one after another.
func TestFindTogether(t *testing.T) {
	f := finder(t)
	searches := []hint.Search{f.Prepare(hintText(testdata(t, "bridge.cs.txt"))), f.Prepare(hintText(testdata(t, "other.cs.txt") + " " + testdata(t, "bridge.cs.txt")))}
	sources := []*hint.Text{hintText(testdata(t, "bridge.en.txt")), hintText(testdata(t, "other.en.txt") + " " + testdata(t, "bridge.en.txt"))}
	var want, got [4][]hint.Found
	look := func(list *[4][]hint.Found, i int) { list[i], _ = searches[i%2].Find(t.Context(), sources[i/2]) }
	for i := range want {
		if look(&want, i); len(want[i]) == 0 {
			t.Fatalf("no hint of suspect %d in source %d", i%2, i/2)
		}
	}
	for range 10 {
		var group sync.WaitGroup
		for i := range got {
			group.Go(func() { look(&got, i) })
		}
		if group.Wait(); !reflect.DeepEqual(got, want) {
			t.Fatalf("at the same time: hints %v, want %v", got, want)
		}
	}
}

// TestFindSlovak: lexica of Czech serve a text in Slovak.
func TestFindSlovak(t *testing.T) {
	t.Parallel()
	sk := "Starý most cez rieku postavil z dubu tesár, na ktorého meno si v dedine už nikto nepamätal. Každú jar odniesla povodeň jednu alebo dve dosky a každé leto ho ľudia z mesta opravili, pretože cesta ku kostolu a k mlynu inadiaľ cez vodu neviedla. V zime roku 1784 prišla v noci búrka. Vietor strhol strechu z veže, sneh zakryl polia a ráno mlynár uvidel, že posledný kameň na brehu spadol a že most je preč."
	if found := find(t, sk, testdata(t, "bridge.en.txt")); len(found) != 1 {
		t.Errorf("hints: %v, want one", found)
	}
}

// TestFindErrors: unreadable lexica and a canceled context.
func TestFindErrors(t *testing.T) {
	t.Parallel()
	cs, en := hintText(testdata(t, "bridge.cs.txt")), hintText(testdata(t, "bridge.en.txt"))
	broken := errors.New("broken")
	calls := 0
	f := New(func(context.Context, string, string) (forward, backward []*lexicon.Lexicon, err error) {
		if calls++; calls == 1 {
			return nil, nil, broken
		}
		return nil, nil, nil
	})
	if _, err := f.Prepare(cs).Find(t.Context(), en); !errors.Is(err, broken) {
		t.Errorf("Find = %v, want %v", err, broken)
	}
	for range 2 {
		if found, err := f.Prepare(cs).Find(t.Context(), en); err != nil || len(found) > 0 {
			t.Errorf("without lexica: %v, %v", found, err)
		}
	}
	if got, want := f.Omitted(), (map[Omitted]int{{"cs", "en"}: 2}); !maps.Equal(got, want) {
		t.Errorf("Omitted = %v, want %v", got, want)
	}
	if calls != 2 {
		t.Errorf("the lexica were asked for %d times, want again after the error, and then no more", calls)
	}
	ctx, cancel := context.WithCancel(t.Context())
	search := finder(t).Prepare(cs)
	cancel()
	if _, err := search.Find(ctx, en); !errors.Is(err, context.Canceled) {
		t.Errorf("Find = %v, want %v", err, context.Canceled)
	}
}

// naiveSound replaces letters by a table, and then removes double ones.
func naiveSound(word string) string {
	s := strings.NewReplacer("ph", "f", "th", "t", "qu", "kv", "x", "ks", "ch", "h", "ck", "k", "c", "k",
		"w", "v", "y", "i", "j", "i", "ae", "e", "oe", "e", "tz", "k", "z", "s").Replace(language.Fold(word))
	var b strings.Builder
	for i := range len(s) {
		if i == 0 || s[i] != s[i-1] {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

func TestSound(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{{"philosophy", "filozofie", "Philosophie"}, {"demokracie", "demokratie"}} {
		for _, w := range same[1:] {
			if a, b := sound(same[0]), sound(w); a[:cognateLetter] != b[:cognateLetter] {
				t.Errorf("sounds of %s and %s are %q and %q", same[0], w, a, b)
			}
		}
	}
	for _, w := range strings.Fields("philosophy quiz quinn xylem chuck tzar blitz accept oeuvre aether yes jazz Žluťoučký straße школа qu ph c \xff aaee") {
		if got, want := sound(w), naiveSound(w); got != want {
			t.Errorf("sound(%q) = %q, want %q", w, got, want)
		}
	}
}
