package lexicon

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/otisk/otisk/lang/phrase"
)

// The format of the dictd server: NAME.index has a line for each headword, with the offset and
// the length of its entry in NAME.dict, both in digits of base 64, separated by tabs. The
// headwords of an index are in lower case. An entry is plain text; the dictionaries of FreeDict
// have the headword with its pronunciation and grammar in the first line, then a line for each
// meaning, with translations separated by commas. Lines that are notes, synonyms, references or
// examples are indented further, or start with a keyword.

func readDictd(ctx context.Context, path string, add func(heads, translations []string) error) error {
	stem := strings.TrimSuffix(path, ".dz")
	stem = stem[:strings.LastIndexByte(stem, '.')]
	places, err := readIndex(stem + ".index")
	if err != nil {
		return err
	}
	f, err := open(stem+".dict.dz", stem+".dict")
	if err != nil {
		return err
	}
	defer f.Close()
	w := &window{r: bufio.NewReader(f)}
	for i := 0; i < len(places); {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := places[i]
		text, err := w.at(p.offset, p.length)
		if err != nil {
			return err
		}
		if !utf8.Valid(text) {
			return damaged(phrase.Error("lexicon.entry-utf8", "the entry {name} is not UTF-8", "name", strconv.Quote(p.word)))
		}
		var heads []string
		for ; i < len(places) && places[i].offset == p.offset && places[i].length == p.length; i++ {
			heads = append(heads, places[i].word)
		}
		if err := add(heads, dictdTranslations(string(text))); err != nil {
			return err
		}
	}
	return w.rest() // damage after the last entry counts, too: a check sum is at the end
}

type place struct {
	word           string
	offset, length int64
}

func readIndex(path string) ([]place, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var places []place
	s := bufio.NewScanner(f)
	for n := 1; s.Scan(); n++ {
		fields := strings.Split(s.Text(), "\t")
		if len(fields) < 3 {
			fields = []string{"", "", ""} // whose numbers are wrong
		}
		offset, ok := base64(fields[1])
		length, ok2 := base64(fields[2])
		if !ok || !ok2 || length > mostEntry {
			return nil, damaged(phrase.Error("lexicon.index-line", "line {n} of the index is not a headword, an offset and a length", "n", n))
		}
		if strings.HasPrefix(fields[0], "00database") || strings.HasPrefix(fields[0], "00-database") {
			continue
		}
		if len(places) == mostEntries {
			return nil, ErrTooLarge
		}
		places = append(places, place{fields[0], offset, length})
	}
	if errors.Is(s.Err(), bufio.ErrTooLong) {
		return nil, damaged(phrase.Error("lexicon.line-long", "a line has more than {n} bytes", "n", bufio.MaxScanTokenSize))
	}
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.offset, b.offset), cmp.Compare(a.length, b.length), cmp.Compare(a.word, b.word))
	})
	return places, s.Err()
}

const digits64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// base64 returns a number in digits of base 64, the most significant first.
func base64(s string) (int64, bool) {
	if s == "" || len(s) > 9 {
		return 0, false
	}
	n := int64(0)
	for i := range len(s) {
		d := strings.IndexByte(digits64, s[i])
		if d < 0 {
			return 0, false
		}
		n = n<<6 | int64(d)
	}
	return n, true
}

// dictdTranslations returns the translations in an entry: alternatives of all lines but the
// first, which has the headword, and but notes. An entry of one line has none.
func dictdTranslations(entry string) []string {
	var list []string
	for i, line := range strings.Split(entry, "\n") {
		if i > 0 && !isNote(line) {
			list = append(list, alternatives(line)...)
		}
	}
	return list
}

// isNote reports whether a line of an entry is a note, an example or a reference.
func isNote(line string) bool {
	if strings.HasPrefix(line, "  ") {
		return true
	}
	line = strings.TrimSpace(line)
	for _, key := range []string{"see:", "Note:", "Notes:", "Synonym:", "Synonyms:", "Antonym:", "Antonyms:", "\""} {
		if strings.HasPrefix(line, key) {
			return true
		}
	}
	return false
}

// A window reads entries at ascending offsets from a stream. It keeps the last entry only.
type window struct {
	r     *bufio.Reader
	start int64 // offset of buf
	buf   []byte
}

// at returns length bytes at offset, which is not before that of the previous call.
func (w *window) at(offset, length int64) ([]byte, error) {
	if drop := min(offset-w.start, int64(len(w.buf))); drop > 0 {
		w.buf = w.buf[drop:]
		w.start += drop
	}
	if skip := offset - w.start; skip > 0 {
		if _, err := io.CopyN(io.Discard, w.r, skip); err != nil {
			return nil, cutOff(err)
		}
		w.start = offset
	}
	if more := length - int64(len(w.buf)); more > 0 {
		next := make([]byte, more)
		if _, err := io.ReadFull(w.r, next); err != nil {
			return nil, cutOff(err)
		}
		w.buf = append(bytes.Clone(w.buf), next...)
	}
	return w.buf[:length], nil
}

func (w *window) rest() error {
	_, err := io.Copy(io.Discard, w.r)
	return err
}

// cutOff returns the error for a stream that ended before the end of an entry.
func cutOff(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return damaged(phrase.Error("lexicon.cut-off", "the text ends before an entry that the index lists"))
	}
	return err
}
