// Package lang has what people read in their own language: Czech, German,
// English or Slovak. Messages with the right plural forms, numbers, percentages
// and dates come from a [Printer]; call [Choose] for the one that the user or
// the system asks for, [Of] for one by name.
//
// # Messages
//
// The messages are in the folder messages, a file for each area of the program
// and language: overview.cs.json has the Czech words of the overview, and the
// name of each of its messages starts with "overview.". A message is a text, or
// one text for each plural form that the language has for whole numbers: one
// and other in German and English, one, few and other in Czech and Slovak.
//
//	"text.checked": "{words} wurden mit {index} verglichen",
//	"text.passages": {"one": "{n} pasáž", "few": "{n} pasáže", "other": "{n} pasáží"}
//
// What is in braces is an argument. The argument n chooses the form:
//
//	p.Text("text.passages", "n", 3) // 3 pasáže
//
// English is the language that the others are translated from. Its messages may
// have a description, which tells translators what a message is for. To add a
// message, write it in all four files of its area and use it by its whole name;
// tests fail when one is missing, unused, or has other arguments than its
// callers give. To add an area, add its four files.
//
// An error that a user sees is a message too: [Say] makes it where it arises, and
// [Printer.Err] says it in the user's language.
//
//	lang.Say("usage.want", "what", "-a 120", "wanted", lang.Say("usage.percentage"))
//
// Results are kept in English, in JSON too. [Printer.Said] says a note or a
// flag of a result in another language, if its English words are one of the
// messages in said.en.json.
//
// # Pages
//
// A page's script says the same: [Printer.Script] is a script that defines the
// object lang with the messages that a page needs.
//
//	p.Script("page.", "common.") // for a template.JS, before the scripts that use it
//
//	lang.text("page.passages", {n: list.length}) // 3 pasáže
//	lang.number(12345)                           // 12 345
//	lang.percent(12.34)                          // 12,3 %
//	lang.date("2026-11-22")                      // 22. listopadu 2026
//
// Templates get the Printer itself and call {{.Lang.Text "page.score"}}, or
// [Printer.HTML] where an argument is an element. The element html has the
// language in {{.Lang.Tag}}.
package lang

import (
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/nicksnyder/go-i18n/v2/i18n"
	i18ntemplate "github.com/nicksnyder/go-i18n/v2/i18n/template"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// source is the language that the others are translated from. What they lack
// is said in it.
const source = "en"

// locales are the regions whose manner of writing numbers and dates is used,
// which English has two of.
var locales = map[string]string{"cs": "cs-CZ", "de": "de-DE", "en": "en-GB", "sk": "sk-SK"}

//go:embed messages/*.json
var embedded embed.FS

// catalogs returns the messages that are part of the program. A test reads
// them, so they are sound.
var catalogs = sync.OnceValue(func() *catalog {
	c, err := load(embedded)
	if err != nil {
		panic(err)
	}
	return c
})

// A catalog has all messages of all languages.
type catalog struct {
	bundle   *i18n.Bundle
	messages map[string]map[string]*i18n.Message // by language and name
	said     func() []saidForm
}

func load(files fs.FS) (*catalog, error) {
	names, err := fs.Glob(files, "messages/*.json")
	if err != nil {
		return nil, err
	}
	c := &catalog{bundle: i18n.NewBundle(language.Make(source)), messages: map[string]map[string]*i18n.Message{}}
	for _, name := range names {
		f, err := c.bundle.LoadMessageFileFS(files, name)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		tag := f.Tag.String()
		if c.messages[tag] == nil {
			c.messages[tag] = map[string]*i18n.Message{}
		}
		for _, m := range f.Messages {
			c.messages[tag][m.ID] = m
		}
	}
	c.said = sync.OnceValue(func() []saidForm { return saidForms(c.messages[source]) })
	return c, nil
}

// A Printer says things in one language. It can be used by several goroutines.
type Printer struct {
	tag      string
	catalog  *catalog
	messages *i18n.Localizer
	numbers  *message.Printer
}

func newPrinter(c *catalog, tag string) *Printer {
	return &Printer{tag: tag, catalog: c, messages: i18n.NewLocalizer(c.bundle, tag),
		numbers: message.NewPrinter(language.Make(locales[tag]))}
}

// Tags returns the languages there are, as they are named in the attribute
// lang of HTML.
func Tags() []string { return slices.Sorted(maps.Keys(locales)) }

// printers are made once, since their tables take time to find.
var printers = sync.OnceValue(func() map[string]*Printer {
	all := map[string]*Printer{}
	for _, tag := range Tags() {
		all[tag] = newPrinter(catalogs(), tag)
	}
	return all
})

// Of returns the printer for a language named like cs, cs-CZ or cs_CZ.UTF-8;
// the English one if the language is not one of [Tags].
func Of(name string) *Printer {
	tag := tagOf(name)
	if tag == "" {
		tag = source
	}
	return printers()[tag]
}

// Tag returns the name of the language, as in the attribute lang of HTML.
func (p *Printer) Tag() string { return p.tag }

// Text returns a message. After its name come the names of its arguments, each
// with its value: whole numbers are written as in the language, and that named
// n chooses among plural forms. A message that the language lacks is said in
// English; one that there is not at all is its name, never nothing.
func (p *Printer) Text(name string, args ...any) string {
	values, count := p.arguments(args)
	text, err := p.messages.Localize(&i18n.LocalizeConfig{MessageID: name, PluralCount: count, TemplateData: values, TemplateParser: braces{}})
	if text == "" && err != nil {
		return name
	}
	return text
}

// HTML returns a message as HTML. Arguments of type [template.HTML] are put in
// as they are; all else is escaped.
func (p *Printer) HTML(name string, args ...any) template.HTML {
	args = slices.Clone(args)
	for i := 1; i < len(args); i += 2 {
		if _, ok := args[i].(template.HTML); !ok {
			args[i] = escaped{args[i]}
		}
	}
	return template.HTML(p.Text(name, args...))
}

// escaped is an argument of a message that becomes HTML.
type escaped struct{ value any }

// arguments returns the values of arguments as text, and what chooses among
// plural forms, nil for nothing.
func (p *Printer) arguments(args []any) (values map[string]string, count any) {
	values = map[string]string{}
	for i := 0; i+1 < len(args); i += 2 {
		name, value := fmt.Sprint(args[i]), args[i+1]
		e, isEscaped := value.(escaped)
		if isEscaped {
			value = e.value
		}
		whole := true
		switch v := value.(type) {
		case int:
			values[name] = p.Number(int64(v))
		case int64:
			values[name] = p.Number(v)
		default:
			values[name], whole = fmt.Sprint(v), false
		}
		if isEscaped {
			values[name] = template.HTMLEscapeString(values[name])
		}
		if name == "n" && whole {
			count = value
		}
	}
	return values, count
}

// braces fills in what messages have in braces. They have no other syntax, so
// that a page's script can fill them in as well.
type braces struct{}

func (braces) Cacheable() bool { return false }

func (braces) Parse(text, _, _ string) (i18ntemplate.ParsedTemplate, error) { return filler(text), nil }

type filler string

// Execute fills in the arguments that data has. One that is missing stays as
// it is, to be seen.
func (f filler) Execute(data any) (string, error) {
	values, _ := data.(map[string]string)
	var b strings.Builder
	rest := string(f)
	for {
		before, after, found := strings.Cut(rest, "{")
		name, next, closed := strings.Cut(after, "}")
		value, known := values[name]
		b.WriteString(before)
		switch {
		case !found:
			return b.String(), nil
		case closed && known:
			b.WriteString(value)
			rest = next
		default:
			b.WriteString("{")
			rest = after
		}
	}
}
