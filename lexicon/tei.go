package lexicon

import (
	"context"
	"encoding/xml"
	"errors"
	"strings"

	"github.com/otisk/otisk/document/xmlwalk"
)

// readTEI reads a dictionary of FreeDict: elements entry with form/orth, the headword, and
// cit[@type="trans"]/quote, the translations. An element tr is an older form of the latter.
func readTEI(ctx context.Context, path string, add func(heads, translations []string) error) error {
	f, err := open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	h := &teiEntries{add: add, stop: cancel}
	err = xmlwalk.Walk(ctx, f, h)
	switch {
	case h.err != nil:
		return h.err
	case err != nil && ctx.Err() == nil && !errors.Is(err, ErrTooLarge) && !errors.Is(err, ErrDamaged):
		return damaged(err)
	}
	return err
}

type teiEntries struct {
	add  func(heads, translations []string) error
	stop func()
	err  error

	heads, translations []string
	cits                []bool // for each open cit, whether it is a translation
	text                *strings.Builder
	size                int
}

func (h *teiEntries) Start(name string, attrs []xml.Attr) {
	switch name {
	case "entry":
		h.heads, h.translations, h.cits, h.size = nil, nil, nil, 0
	case "cit":
		if len(h.cits) < mostEntry {
			kind := xmlwalk.Attr(attrs, "type")
			h.cits = append(h.cits, kind == "trans" || kind == "translation")
		}
	case "orth", "quote", "tr":
		h.text = new(strings.Builder)
	}
}

func (h *teiEntries) Text(s []byte) {
	if h.text == nil {
		return
	}
	if h.size += len(s); h.size <= mostEntry {
		h.text.Write(s)
	}
}

func (h *teiEntries) End(name string) {
	switch name {
	case "cit":
		h.cits = h.cits[:max(0, len(h.cits)-1)]
	case "orth", "quote", "tr":
		if h.text == nil {
			return
		}
		words := alternatives(h.text.String())
		h.text = nil
		switch {
		case name == "orth" && len(h.cits) == 0:
			h.heads = append(h.heads, words...)
		case name == "tr" || name == "quote" && len(h.cits) > 0 && h.cits[len(h.cits)-1]:
			h.translations = append(h.translations, words...)
		}
	case "entry":
		if h.err == nil {
			if h.err = h.add(h.heads, h.translations); h.err != nil {
				h.stop()
			}
		}
		h.heads, h.translations = nil, nil
	}
}
