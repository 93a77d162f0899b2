package lexicon

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/otisk/otisk/internal/testing/files"
)

// packedText returns text compressed by gzip.
func packedText(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// in64 returns a number in the digits of an index of dictd.
func in64(n int) string {
	if n < 64 {
		return digits64[n : n+1]
	}
	return in64(n/64) + digits64[n%64:n%64+1]
}

// dictd returns an index and a text with these entries: the headwords of an entry, separated by
// |, then its text.
func dictd(entries ...[2]string) (index, text string) {
	for _, e := range entries {
		for head := range strings.SplitSeq(e[0], "|") {
			index += head + "\t" + in64(len(text)) + "\t" + in64(len(e[1])) + "\n"
		}
		text += e[1]
	}
	return index, text
}

// starDict returns an index and a text of StarDict.
func starDict(long bool, entries ...[2]string) (index, text string) {
	b := []byte{}
	for _, e := range entries {
		b = append(append(b, e[0]...), 0)
		if long {
			b = binary.BigEndian.AppendUint64(b, uint64(len(text)))
		} else {
			b = binary.BigEndian.AppendUint32(b, uint32(len(text)))
		}
		b = binary.BigEndian.AppendUint32(b, uint32(len(e[1])))
		text += e[1]
	}
	return string(b), text
}

const ifo = "StarDict's dict ifo file\nversion=2.4.2\nwordcount=2\n"

const tei = `<?xml version="1.0" encoding="UTF-8"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><title>a <quote>no</quote></title></teiHeader><text><body>
<entry><form><orth>house</orth><pron>haʊs</pron></form>
 <sense><cit type="trans" xml:lang="cs"><quote>dům</quote></cit>
  <cit type="example"><quote>a white house</quote><cit type="trans"><quote>bílý dům</quote></cit></cit>
  <cit type="translation"><quote>stavení, budova</quote></cit></sense></entry>
<entry><form><orth>to go</orth></form><trans><tr>jít (pěšky)</tr></trans></entry>
<entry><form><orth>empty</orth></form></entry>
</body></text></TEI>`

func TestRead(t *testing.T) {
	t.Parallel()
	index, text := dictd(
		[2]string{"00databaseinfo", "00-database-info\n a book of words\n"},
		[2]string{"house", "house /haʊs/ <n>\ndům <masc>, stavení; budova\n   Synonym: {home}\n\n see: {hut}\n"},
		[2]string{"go|walk", "go\njít, chodit pěšky\n      \"go home\" - jít domů\n"},
		[2]string{"white lie", "white lie\nlež\n"},
		[2]string{"one line", "bez překladu"},
	)
	idx, plainText := starDict(false, [2]string{"house", "dům, stavení\nbudova"}, [2]string{"go", "jít"})
	idx64, markup := starDict(true, [2]string{"house", "thaʊs\x00h<b>house</b><br>dům<br>stavení, budova\x00"}, [2]string{"go", "W\x00\x00\x00\x02xxmjít\x00"})
	dictdWant := []Pair{{"go", "jít"}, {"house", "budova"}, {"house", "dům"}, {"house", "stavení"}, {"walk", "jít"}}
	want := []Pair{{"go", "jít"}, {"house", "budova"}, {"house", "dům"}, {"house", "stavení"}}
	tests := []struct {
		name, path string
		files      map[string]string
		want       []Pair
	}{
		{"dictd", "freedict-eng-ces.index", map[string]string{"freedict-eng-ces.index": index, "freedict-eng-ces.dict.dz": packedText(t, text)}, dictdWant},
		{"dictd by its text", "eng-ces.dict.dz", map[string]string{"eng-ces.index": index, "eng-ces.dict.dz": packedText(t, text)}, dictdWant},
		{"dictd unpacked", "eng-ces.dict", map[string]string{"eng-ces.index": index, "eng-ces.dict": text}, dictdWant},
		{"StarDict", "eng-ces.ifo", map[string]string{"eng-ces.ifo": ifo + "sametypesequence=m\n", "eng-ces.idx": idx, "eng-ces.dict": plainText}, want},
		{"StarDict with types, 64 bits, packed", "en_cs.ifo", map[string]string{"en_cs.ifo": ifo + "idxoffsetbits=64\n", "en_cs.idx.gz": packedText(t, idx64), "en_cs.dict.dz": packedText(t, markup)}, want},
		{"TEI", "eng-ces.tei", map[string]string{"eng-ces.tei": tei}, want},
		{"TEI packed", "eng-ces.tei.gz", map[string]string{"eng-ces.tei.gz": packedText(t, tei)}, want},
		{"TSV", "my.en-cs.tsv", map[string]string{"my.en-cs.tsv": "\ufeff# mine\nHouse\tdům, Stavení; budova\tnoun\r\n\nto go\tjít\nwhite lie\tlež\ngo\tjít\n"}, want},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := files.Folder(t, tt.files)
			l, err := Read(t.Context(), filepath.Join(dir, tt.path), "", "")
			if err != nil {
				t.Fatal(err)
			}
			if l.From != "en" || l.To != "cs" || !slices.Equal(l.Pairs, tt.want) {
				t.Errorf("Read = %s-%s %v, want en-cs %v", l.From, l.To, l.Pairs, tt.want)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	index, text := dictd([2]string{"house", "house\ndům\n"}, [2]string{"go", "go\njít\n"})
	idx, plainText := starDict(false, [2]string{"house", "dům"}, [2]string{"go", "jít"})
	cut := packedText(t, text)
	flipped := []byte(cut)
	flipped[len(flipped)-8] ^= 1 // the check sum
	tests := []struct {
		name, path string
		files      map[string]string
		want       error
		message    string
	}{
		{"empty TSV", "en-cs.tsv", map[string]string{"en-cs.tsv": ""}, ErrEmpty, "no pair of single words"},
		{"only expressions", "en-cs.tsv", map[string]string{"en-cs.tsv": "white lie\tmilosrdná lež\n"}, ErrEmpty, ""},
		{"no tab", "en-cs.tsv", map[string]string{"en-cs.tsv": "# x\nhouse: dům\n"}, ErrDamaged, "line 2"},
		{"TSV in Latin-2", "en-cs.tsv", map[string]string{"en-cs.tsv": "house\td\xf9m\n"}, ErrDamaged, "line 1 is not UTF-8"},
		{"long line", "en-cs.tsv", map[string]string{"en-cs.tsv": strings.Repeat("x", mostEntry+1)}, ErrDamaged, "a line has more than"},
		{"no languages", "words.tsv", map[string]string{"words.tsv": "house\tdům\n"}, ErrLanguages, "eng-ces"},
		{"unknown format", "en-cs.pdf", map[string]string{"en-cs.pdf": "%PDF"}, ErrFormat, ""},
		{"missing text", "en-cs.index", map[string]string{"en-cs.index": index}, fs.ErrNotExist, "en-cs.dict.dz"},
		{"missing index", "en-cs.dict", map[string]string{"en-cs.dict": text}, fs.ErrNotExist, "en-cs.index"},
		{"text cut off", "en-cs.dict", map[string]string{"en-cs.index": index, "en-cs.dict": text[:len(text)-2]}, ErrDamaged, "ends before an entry"},
		{"compressed text cut off", "en-cs.dict.dz", map[string]string{"en-cs.index": index, "en-cs.dict.dz": cut[:len(cut)-12]}, ErrDamaged, ""},
		{"wrong check sum", "en-cs.dict.dz", map[string]string{"en-cs.index": index, "en-cs.dict.dz": string(flipped)}, ErrDamaged, ""},
		{"entry of a gigabyte", "en-cs.index", map[string]string{"en-cs.index": "a\tA\t" + in64(1<<30) + "\n", "en-cs.dict": text}, ErrDamaged, "line 1 of the index"},
		{"text as index", "en-cs.index", map[string]string{"en-cs.index": text, "en-cs.dict": text}, ErrDamaged, "line 1 of the index"},
		{"StarDict without its first line", "en-cs.ifo", map[string]string{"en-cs.ifo": "x", "en-cs.idx": idx, "en-cs.dict": plainText}, ErrDamaged, ".ifo"},
		{"StarDict index cut off", "en-cs.ifo", map[string]string{"en-cs.ifo": ifo + "sametypesequence=m", "en-cs.idx": idx[:len(idx)-1], "en-cs.dict": plainText}, ErrDamaged, "headword 2"},
		{"StarDict field without end", "en-cs.ifo", map[string]string{"en-cs.ifo": ifo, "en-cs.idx": idx, "en-cs.dict": plainText}, ErrDamaged, `"house"`},
		{"StarDict text cut off", "en-cs.ifo", map[string]string{"en-cs.ifo": ifo + "sametypesequence=m", "en-cs.idx": idx, "en-cs.dict": plainText[:3]}, ErrDamaged, "ends before"},
		{"TEI cut off", "en-cs.tei", map[string]string{"en-cs.tei": tei[:len(tei)/2]}, ErrDamaged, ""},
		{"no file", "en-cs.tsv", nil, fs.ErrNotExist, "en-cs.tsv"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := files.Folder(t, tt.files)
			l, err := Read(t.Context(), filepath.Join(dir, tt.path), "", "")
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.message) {
				t.Errorf("Read = %v, %v, want an error wrapping %v with %q", l, err, tt.want, tt.message)
			}
		})
	}
}

// TestLimits: a dictionary with too many entries or pairs is refused, not read in part.
func TestLimits(t *testing.T) {
	t.Parallel()
	c := &collector{entries: mostEntries}
	if err := c.add([]string{"a"}, []string{"b"}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("entry %d: %v, want %v", mostEntries+1, err, ErrTooLarge)
	}
	c = &collector{pairs: make([]Pair, 0, 2*MostPairs)}
	word := func(n int) string { // without digits
		b := []byte(strconv.Itoa(n))
		for i := range b {
			b[i] += 'a' - '0'
		}
		return string(b)
	}
	var err error
	n := 0
	for ; err == nil && n <= 2*MostPairs; n++ {
		err = c.add([]string{word(n)}, []string{"x"})
	}
	if !errors.Is(err, ErrTooMany) || n < MostPairs {
		t.Errorf("pair %d: %v, want %v after %d", n, err, ErrTooMany, MostPairs)
	}
}

func TestPairOf(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, from, to string }{
		{"freedict-eng-ces", "en", "cs"}, {"en-cs", "en", "cs"}, {"cze-eng", "cs", "en"}, {"my-best-ger_eng2", "de", "en"},
		{"eng-swe", "en", "sv"}, {"wn", "", ""}, {"fd-hun", "", ""}, {"moby-thesaurus", "", ""}, {"EN-CS", "en", "cs"},
	}
	for _, tt := range tests {
		from, to, ok := PairOf(tt.name)
		if from != tt.from || to != tt.to || ok != (from != "") {
			t.Errorf("PairOf(%q) = %q, %q, %v, want %q, %q", tt.name, from, to, ok, tt.from, tt.to)
		}
	}
}

// TestFreeDict reads a dictionary as Debian installs it, if it is installed.
func TestFreeDict(t *testing.T) {
	t.Parallel()
	path := "/usr/share/dictd/freedict-ces-eng.index"
	if _, err := os.Stat(path); err != nil {
		t.Skip("the Debian package dict-freedict-ces-eng is not installed")
	}
	l, err := Read(t.Context(), path, "", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []Pair{{"okno", "window"}, {"oko", "eye"}, {"adresa", "address"}} {
		if !slices.Contains(l.Pairs, want) {
			t.Errorf("%v is missing among %d pairs", want, len(l.Pairs))
		}
	}
}
