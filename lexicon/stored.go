package lexicon

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/otisk/otisk/internal/replace"
	"github.com/otisk/otisk/lang/phrase"
)

// A stored lexicon is a file of tab-separated values, which [Read] reads, too. Its first line
// is a comment with the number of pairs, and the size and time of the file that it was read
// from if it is a copy of an installed dictionary:
//
//	# otisk lexicon 1	109749	2500947-1650542400000000000
//	aardvark	mravenečník

const storedHead = "# otisk lexicon 1"

func write(path string, l *Lexicon, stamp string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return replace.File(path, 0o666, true, func(w io.Writer) error {
		b := bufio.NewWriter(w)
		fmt.Fprintf(b, "%s\t%d\t%s\n", storedHead, len(l.Pairs), stamp)
		for _, p := range l.Pairs {
			b.WriteString(p.Word)
			b.WriteByte('\t')
			b.WriteString(p.Translation)
			b.WriteByte('\n')
		}
		return b.Flush()
	})
}

func readStored(item Item, stamp string) (*Lexicon, error) {
	f, err := os.Open(item.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Scan()
	head := strings.Split(s.Text(), "\t")
	if len(head) != 3 || head[0] != storedHead || head[2] != stamp {
		return nil, about(item.Path, damaged(phrase.Error("lexicon.head", "the first line is not that of a stored lexicon")))
	}
	want, err := strconv.Atoi(head[1])
	if err != nil || want > MostPairs {
		return nil, about(item.Path, damaged(phrase.Error("lexicon.head", "the first line is not that of a stored lexicon")))
	}
	l := &Lexicon{Name: item.Name, From: item.From, To: item.To}
	for s.Scan() && len(l.Pairs) <= want {
		if word, other, ok := strings.Cut(s.Text(), "\t"); ok {
			l.Pairs = append(l.Pairs, Pair{word, other})
		}
	}
	if s.Err() != nil || len(l.Pairs) != want {
		return nil, about(item.Path, damaged(phrase.Error("lexicon.count", "{n} pairs were read, {want} stored", "n", len(l.Pairs), "want", want)))
	}
	return l, nil
}

// stampOf returns the sizes and times of the files of a dictionary, by which a copy of it
// becomes outdated.
func stampOf(path string) string {
	stem := strings.TrimSuffix(path, filepath.Ext(path))
	var stamps []string
	for _, ext := range []string{".tsv", ".index", ".ifo", ".idx", ".idx.gz", ".dict", ".dict.dz"} {
		if info, err := os.Stat(stem + ext); err == nil {
			stamps = append(stamps, fmt.Sprintf("%d-%d", info.Size(), info.ModTime().UnixNano()))
		}
	}
	return strings.Join(stamps, " ")
}
