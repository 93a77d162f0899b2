package lexicon

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/otisk/otisk/lang/phrase"
)

// The format of StarDict: NAME.ifo has lines KEY=VALUE; NAME.idx has, for each headword, its
// UTF-8 bytes, a zero byte, and the offset and length of its entry in NAME.dict as big-endian
// numbers (of 32 bits; offsets of 64 if idxoffsetbits=64). An entry is a sequence of fields.
// Their types are the letters of sametypesequence, or the first byte of each field. Types in
// lower case are strings that end with a zero byte, those in upper case have a length of 32
// bits before; with sametypesequence, the last field has neither.

func readStarDict(ctx context.Context, path string, add func(heads, translations []string) error) error {
	stem := strings.TrimSuffix(path, ".gz")
	stem = stem[:strings.LastIndexByte(stem, '.')]
	info, err := readIFO(stem + ".ifo")
	if err != nil {
		return err
	}
	places, err := readIDX(stem, info["idxoffsetbits"] == "64")
	if err != nil {
		return err
	}
	f, err := open(stem+".dict.dz", stem+".dict")
	if err != nil {
		return err
	}
	defer f.Close()
	w := &window{r: bufio.NewReader(f)}
	for _, p := range places {
		if err := ctx.Err(); err != nil {
			return err
		}
		data, err := w.at(p.offset, p.length)
		if err != nil {
			return err
		}
		list, ok := starDictTranslations(data, info["sametypesequence"], p.word)
		if !ok {
			return damaged(phrase.Error("lexicon.field", "a field of the entry {name} does not end", "name", strconv.Quote(p.word)))
		}
		if err := add([]string{p.word}, list); err != nil {
			return err
		}
	}
	return w.rest()
}

// readIFO returns the values of the description of a dictionary.
func readIFO(path string) (map[string]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostEntry))
	if err != nil {
		return nil, err
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	if !strings.HasPrefix(text, "StarDict's dict ifo file") {
		return nil, damaged(phrase.Error("lexicon.ifo", "the .ifo file does not begin like that of a StarDict dictionary"))
	}
	info := map[string]string{}
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			info[strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
	}
	return info, nil
}

// readIDX returns the headwords of an index by the place of their entries.
func readIDX(stem string, long bool) ([]place, error) {
	f, err := open(stem+".idx", stem+".idx.gz")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	numbers := make([]byte, 8)
	if long {
		numbers = make([]byte, 12)
	}
	var places []place
	for r := bufio.NewReader(f); ; {
		word, err := r.ReadSlice(0)
		if err == io.EOF && len(word) == 0 {
			break
		}
		if errors.Is(err, bufio.ErrBufferFull) || err == io.EOF || err == nil && !utf8.Valid(word) {
			return nil, damaged(phrase.Error("lexicon.headword", "headword {n} of the index does not end, or is not UTF-8", "n", len(places)+1))
		}
		if err != nil {
			return nil, err
		}
		p := place{word: string(word[:len(word)-1])}
		if _, err := io.ReadFull(r, numbers); err != nil {
			if err == io.EOF || err == io.ErrUnexpectedEOF {
				err = damaged(phrase.Error("lexicon.headword", "headword {n} of the index does not end, or is not UTF-8", "n", len(places)+1))
			}
			return nil, err
		}
		p.length = int64(binary.BigEndian.Uint32(numbers[len(numbers)-4:]))
		if long {
			p.offset = int64(binary.BigEndian.Uint64(numbers) & (1<<62 - 1))
		} else {
			p.offset = int64(binary.BigEndian.Uint32(numbers))
		}
		if p.length > mostEntry {
			return nil, damaged(phrase.Error("lexicon.entry-long", "the entry {name} has more than {n} bytes", "name", strconv.Quote(p.word), "n", mostEntry))
		}
		if len(places) == mostEntries {
			return nil, ErrTooLarge
		}
		places = append(places, p)
	}
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.offset, b.offset), cmp.Compare(a.length, b.length), cmp.Compare(a.word, b.word))
	})
	return places, nil
}

// starDictTranslations returns the translations in the fields of an entry that are text. It
// reports false if a field has no end.
func starDictTranslations(data []byte, types, head string) ([]string, bool) {
	var list []string
	for i := 0; len(data) > 0; i++ {
		var kind byte
		last := false
		if types != "" {
			if i >= len(types) {
				break
			}
			kind, last = types[i], i == len(types)-1
		} else {
			kind, data = data[0], data[1:]
		}
		field, rest, ok := starDictField(data, kind, last)
		if !ok {
			return nil, false
		}
		data = rest
		if strings.IndexByte("mlghx", kind) >= 0 && utf8.Valid(field) {
			list = append(list, textTranslations(string(field), head)...)
		}
	}
	return list, true
}

// starDictField returns the first field of data, which has the type kind, and the rest of data.
func starDictField(data []byte, kind byte, last bool) (field, rest []byte, ok bool) {
	switch {
	case last:
		return data, nil, true
	case kind >= 'A' && kind <= 'Z':
		if len(data) < 4 {
			return nil, nil, false
		}
		n := int64(binary.BigEndian.Uint32(data))
		if n > int64(len(data)-4) {
			return nil, nil, false
		}
		return data[4 : 4+n], data[4+n:], true
	default:
		field, rest, ok = bytes.Cut(data, []byte{0})
		return field, rest, ok
	}
}

var lineBreaks = strings.NewReplacer("<br>", "\n", "<br/>", "\n", "<br />", "\n", "<BR>", "\n", "</div>", "\n", "</li>", "\n", "</p>", "\n", "</tr>", "\n", "&lt;", "<", "&gt;", ">", "&amp;", "&")

// textTranslations returns the translations in the lines of a text, with or without markup.
// A line that repeats the headword, or is a note, has none.
func textTranslations(text, head string) []string {
	var list []string
	for line := range strings.Lines(lineBreaks.Replace(text)) {
		line = strings.TrimRight(line, "\r\n")
		if !isNote(line) && !strings.EqualFold(strings.TrimSpace(plain(line)), head) {
			list = append(list, alternatives(line)...)
		}
	}
	return list
}
