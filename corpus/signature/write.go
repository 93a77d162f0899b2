package signature

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"

	"github.com/otisk/otisk/corpus"
	"github.com/otisk/otisk/lang/phrase"
)

// A Written counts the documents that [Write] wrote.
type Written struct {
	corpus.Summary
	Foreign int // without a signature, because most letters are not a to z
}

// Write copies the documents to out, each with its signature: in the attribute signature of
// the tag that starts it, or in a field of its JSON object. Other bytes of a document stay as
// they are. digits is as in [Of].
func Write(ctx context.Context, in *corpus.Input, digits bool, out io.Writer) (w Written, err error) {
	type signed struct {
		raw     []byte
		foreign bool
	}
	worker := func() func(*corpus.Doc) (signed, error) {
		return func(d *corpus.Doc) (signed, error) {
			sum, _, foreign := Of(d.Text, digits)
			raw, err := withSignature(d, sum)
			return signed{raw, foreign}, err
		}
	}
	w.Summary, err = corpus.Map(ctx, in, worker, func(_ *corpus.Doc, s signed) error {
		if s.foreign {
			w.Foreign++
		}
		return writeDocument(out, s.raw)
	})
	return w, err
}

var signatureAttribute = regexp.MustCompile(`\s+signature\s*=\s*(?:"[^"]*"|'[^']*')`)

func withSignature(d *corpus.Doc, sum Sum) ([]byte, error) {
	switch d.Form {
	case corpus.JSONLines:
		return corpus.SetField(d.Raw, "signature", fmt.Sprintf("%q", sum))
	case corpus.Vertical:
		line, rest := d.Raw, []byte(nil)
		if end := bytes.IndexByte(d.Raw, '\n'); end >= 0 {
			line, rest = d.Raw[:end], d.Raw[end:]
		}
		end := bytes.LastIndexByte(line, '>')
		if end < 0 || line[0] != '<' {
			return d.Raw, nil // text outside of any document
		}
		tag := signatureAttribute.ReplaceAll(line[:end], nil)
		return slices.Concat(tag, fmt.Appendf(nil, " signature=%q", sum), line[end:], rest), nil
	}
	return nil, errNotStream
}

func writeDocument(out io.Writer, raw []byte) error {
	if raw[len(raw)-1] != '\n' {
		raw = append(slices.Clip(raw), '\n')
	}
	_, err := out.Write(raw)
	return err
}

var errNotListed error = phrase.Error("said.not-listed", "not in the collection, or not in its order")

var errNotStream error = phrase.Error("cause.not-stream", "only documents of vertical files and JSON Lines can be copied")

// Select copies the listed documents to out, byte for byte. The list has one id a line,
// in the form of the results and in the order of the collection: Select reads both once, in
// parallel. It calls missing for each listed id that the collection does not have.
func Select(ctx context.Context, in *corpus.Input, list io.Reader, out io.Writer, missing func(id string, err error)) (written int, sum corpus.Summary, err error) {
	ids := bufio.NewScanner(list)
	ids.Buffer(nil, 1<<20)
	more := ids.Scan()
	sum, err = corpus.Each(ctx, in, func(d *corpus.Doc) error {
		if !more || corpus.Cell(d.ID) != ids.Text() {
			return nil
		}
		if d.Raw == nil {
			return fmt.Errorf("%s: %w", d.Where, errNotStream)
		}
		more = ids.Scan()
		written++
		return writeDocument(out, d.Raw)
	})
	if err != nil {
		return written, sum, err
	}
	for ; more; more = ids.Scan() {
		missing(ids.Text(), errNotListed)
	}
	return written, sum, ids.Err()
}
