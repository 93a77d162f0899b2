package lang

import (
	_ "embed"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/nicksnyder/go-i18n/v2/i18n"
)

//go:embed lang.js
var script string

// Script returns a script that defines the object lang, the counterpart of the Printer in an
// HTML page, with the functions lang.text, lang.number, lang.percent, lang.limit and lang.date.
// It includes the messages whose names start with one of prefixes, each an area with a dot or more, or with "date.". The script
// contains nothing that ends a script element.
func (p *Printer) Script(prefixes ...string) (string, error) {
	areas := []string{"date"}
	for _, prefix := range prefixes {
		area, _, _ := strings.Cut(prefix, ".")
		areas = append(areas, area)
	}
	all := p.catalog.messages(source, areas...)
	maps.Copy(all, p.catalog.messages(p.tag, areas...))
	messages := map[string]any{}
	for name, m := range all {
		if strings.HasPrefix(name, "date.") || hasPrefix(name, prefixes) {
			messages[name] = forms(m)
		}
	}
	data, err := json.Marshal(map[string]any{"locale": locales[p.tag], "months": monthNames, "messages": messages})
	if err != nil {
		return "", err
	}
	return script + "const lang = newLang(" + string(data) + ");\n", nil
}

func hasPrefix(name string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// forms returns a message in the form of its JSON file: a text, or one text for
// each plural form.
func forms(m *i18n.Message) any {
	if m.One == "" {
		return m.Other
	}
	list := map[string]string{"one": m.One, "other": m.Other}
	if m.Few != "" {
		list["few"] = m.Few
	}
	return list
}
