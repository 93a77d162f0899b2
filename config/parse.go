package config

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/language"

	"github.com/otisk/otisk/internal/xmltree"
	"github.com/otisk/otisk/lang/phrase"
)

type element = xmltree.Element

// form has a depth of elements that settings do not come near: they need 4.
var form = xmltree.Limits{Depth: 16}

// unknown returns an error about an element whose name has no meaning there.
func unknown(e *element) error {
	return xmltree.AtLine(e.Line, phrase.Error("settings.unknown-element", "unknown element {name}", "name", strconv.Quote(e.Name)))
}

// unwrap returns the elements of settings: the given ones or, if they have a root element of any
// name, its children. Attributes and text of the root are refused, since they may be intended as
// settings.
func unwrap(elements []*element) ([]*element, error) {
	if len(elements) != 1 || known(elements[0].Name) {
		return elements, nil
	}
	root := elements[0]
	for _, a := range root.Attrs {
		if known(a.Name.Local) {
			return nil, root.Wrong(phrase.Error("settings.attribute", "settings are elements: write <{name}> in it", "name", a.Name.Local))
		}
	}
	text := root.Value()
	switch {
	case text == "":
		return root.Children, nil
	case len(root.Children) == 0:
		return elements, nil
	}
	return nil, root.Wrong(phrase.Error("settings.text-between", "has text outside of its elements: {text}", "text", strconv.Quote(strings.Join(strings.Fields(text), " "))))
}

// Languages converts a list of languages of text in pictures, such as "cs,en" or "ces+eng", to the
// names that Tesseract uses.
func Languages(list string) ([]string, error) {
	var names []string
	for _, name := range strings.FieldsFunc(list, func(r rune) bool { return r == '+' || r == ',' || r == ' ' }) {
		if strings.Trim(name, letters) != "" {
			return nil, phrase.Error("said.ocr-language", "language {name}: want a name such as ces, or several as in ces+eng", "name", strconv.Quote(name))
		}
		if base, err := language.ParseBase(name); err == nil && len(name) == 2 {
			name = base.ISO3()
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, phrase.Error("said.no-language", "no language: want one such as ces, or several as in ces+eng")
	}
	return names, nil
}

// letters are the characters of language names, as in chi_sim or script/Latin.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/"
