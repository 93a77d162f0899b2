// Package lang translates messages into Czech, German, English and Slovak. A
// [Printer] formats messages with plural forms, numbers, percentages and dates.
// Call [Choose] for the printer that the user or the system asks for, or [Of]
// for a printer by the name of its language.
//
// # Messages
//
// The messages are in the folder messages, with a file for each area of the
// program and each language. For example, overview.cs.json has the Czech messages
// of the overview, whose names all start with "overview.". A message is a text, or
// one text for each plural form of whole numbers in the language: one and other in
// German and English; one, few and other in Czech and Slovak.
//
//	"text.checked": "{words} wurden mit {index} verglichen",
//	"text.passages": {"one": "{n} pasáž", "few": "{n} pasáže", "other": "{n} pasáží"}
//
// Names in braces are arguments. The argument n selects the plural form:
//
//	p.Text("text.passages", "n", 3) // 3 pasáže
//
// The other languages are translated from English. An English message may have a
// description for translators. To add a message, add it to all four files of its
// area and use it by its full name. Tests fail if a message is missing or unused,
// or if its arguments differ from those of its callers. To add an area, add its
// four files.
//
// An error that a user sees is a message, too: [Say] creates it where the error
// occurs, and [Printer.Err] translates it into the user's language.
//
//	lang.Say("usage.want", "what", "-a 120", "wanted", lang.Say("usage.percentage"))
//
// Packages that do not know the language create their errors with package phrase, by the name
// of a message, its English text and the values of its arguments; Err translates these, too.
//
// Results are stored in English, with the messages of their notes, the details of their flags
// and the reasons why files were not read. [Printer.Note] and [Printer.Stored] translate these.
//
// # Pages
//
// Scripts of HTML pages use the same messages. [Printer.Script] returns a script
// that defines the object lang with the messages of a page.
//
//	p.Script("page.", "common.") // for a template.JS, before the scripts that use it
//
//	lang.text("page.passages", {n: list.length}) // 3 pasáže
//	lang.number(12345)                           // 12 345
//	lang.percent(12.34)                          // 12,3 %
//	lang.date("2026-11-22")                      // 22. listopadu 2026
//
// Templates get the Printer and call {{.Lang.Text "page.score"}}, or
// [Printer.HTML] if an argument is an HTML element. {{.Lang.Tag}} is the value of
// the attribute lang of the element html.
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

// source is the language that the others are translated from. It is used for
// messages that have no translation.
const source = "en"

// locales maps each language to the locale for numbers and dates. English has
// several; the British one is used.
var locales = map[string]string{"cs": "cs-CZ", "de": "de-DE", "en": "en-GB", "sk": "sk-SK"}

//go:embed messages/*.json
var embedded embed.FS

// A catalog holds the messages of some languages.
type catalog struct {
	bundle   *i18n.Bundle
	messages map[string]map[string]*i18n.Message // by language and name
	fixed    func() map[string]string            // names of the messages of [Printer.Fixed] by their English texts
}

// load reads the messages in the given languages, and in English.
func load(files fs.FS, tags ...string) (*catalog, error) {
	var names []string
	for _, tag := range slices.Compact(slices.Sorted(slices.Values(append(tags, source)))) {
		list, err := fs.Glob(files, "messages/*."+tag+".json")
		if err != nil {
			return nil, err
		}
		names = append(names, list...)
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
	c.fixed = sync.OnceValue(func() map[string]string { return fixedTexts(c.messages[source]) })
	return c, nil
}

// A Printer formats messages, numbers and dates in one language. It is safe for
// concurrent use.
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

// Tags returns the available languages, sorted, as values of the HTML attribute
// lang.
func Tags() []string { return slices.Sorted(maps.Keys(locales)) }

// printers has a printer for each language. Each is made when it is first used, since most programs
// use one language, and reading the messages of all takes a third of the time of a short command.
// A printer panics then if its messages are malformed, which a test rules out.
var printers = func() map[string]func() *Printer {
	all := map[string]func() *Printer{}
	for _, tag := range Tags() {
		all[tag] = sync.OnceValue(func() *Printer {
			c, err := load(embedded, tag)
			if err != nil {
				panic(err)
			}
			return newPrinter(c, tag)
		})
	}
	return all
}()

// Of returns the printer for the language of a name such as cs, cs-CZ or
// cs_CZ.UTF-8. If the language is not one of [Tags], it returns the English
// printer.
func Of(name string) *Printer {
	tag := tagOf(name)
	if tag == "" {
		tag = source
	}
	return printers[tag]()
}

// Tag returns the language as a value of the HTML attribute lang.
func (p *Printer) Tag() string { return p.tag }

// Text returns the message with the given name. args alternates names and values
// of arguments. Whole numbers are formatted for the language, and the argument n
// selects the plural form. If the message has no translation, Text returns it in
// English; if it does not exist, Text returns its name.
func (p *Printer) Text(name string, args ...any) string {
	values, count := p.arguments(args)
	text, err := p.messages.Localize(&i18n.LocalizeConfig{MessageID: name, PluralCount: count, TemplateData: values, TemplateParser: braces{}})
	if text == "" && err != nil {
		return name
	}
	return text
}

// HTML returns a message as HTML. Arguments of type [template.HTML] are inserted
// unchanged; all other arguments are escaped. The text of the message is not
// escaped.
func (p *Printer) HTML(name string, args ...any) template.HTML {
	args = slices.Clone(args)
	for i := 1; i < len(args); i += 2 {
		if _, ok := args[i].(template.HTML); !ok {
			args[i] = escaped{args[i]}
		}
	}
	return template.HTML(p.Text(name, args...))
}

// escaped marks an argument that must be escaped for HTML.
type escaped struct{ value any }

// arguments returns the values of arguments as text by name, and the number that
// selects the plural form, nil if there is none.
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
		case Percent:
			values[name], whole = p.Percent(float64(v)), false
		case Limit:
			values[name], whole = p.Limit(float64(v)), false
		case float64:
			values[name], whole = p.Decimal(v), false
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

// braces is a template parser for arguments in braces. Messages have no other
// syntax, so that the script of a page can format them, too.
type braces struct{}

func (braces) Cacheable() bool { return false }

func (braces) Parse(text, _, _ string) (i18ntemplate.ParsedTemplate, error) { return filler(text), nil }

type filler string

// Execute replaces the arguments in braces by their values in data. A missing
// argument stays in braces, so that the mistake is visible.
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
