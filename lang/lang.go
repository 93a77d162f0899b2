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
// An error that a user sees is a message, too: [NewMessage] creates it where the error
// occurs, and [Printer.Err] translates it into the user's language.
//
//	lang.NewMessage("usage.want", "what", "-a 120", "wanted", lang.NewMessage("usage.percentage"))
//
// Packages that do not know the language create their errors with package phrase, by the name
// of a message, its English text and the values of its arguments; Err translates these, too.
// Their English texts are written in the program alone: "go test ./lang -update" copies them
// into the messages.
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
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"path"
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

// A catalog holds the messages of some languages. The messages of an area are read when one of
// them is first used: a command uses few areas, and reading all took a third of the time of a
// short command.
type catalog struct {
	areas map[string]func() *area
	fixed func() map[string]string // names of the messages of [Printer.Fixed] by their English texts
}

// An area has the messages whose names begin with its name and a dot.
type area struct {
	localizer *i18n.Localizer
	messages  map[string]map[string]*i18n.Message // by language and name
}

// load returns the catalog of the given languages, and of English. Using an area whose files are
// malformed panics, which a test rules out.
func load(files fs.FS, tags ...string) (*catalog, error) {
	names, err := fs.Glob(files, "messages/*.json")
	if err != nil {
		return nil, err
	}
	paths := map[string][]string{} // by area
	for _, name := range names {
		part := strings.Split(path.Base(name), ".") // area, language, json
		if part[1] == source || slices.Contains(tags, part[1]) {
			paths[part[0]] = append(paths[part[0]], name)
		}
	}
	c := &catalog{areas: map[string]func() *area{}}
	for name, list := range paths {
		c.areas[name] = sync.OnceValue(func() *area {
			a, err := loadArea(files, list, tags)
			if err != nil {
				panic(err)
			}
			return a
		})
	}
	c.fixed = sync.OnceValue(func() map[string]string { return fixedTexts(c.messages(source, fixedArea)) })
	return c, nil
}

func loadArea(files fs.FS, paths, tags []string) (*area, error) {
	bundle := i18n.NewBundle(language.Make(source))
	a := &area{localizer: i18n.NewLocalizer(bundle, tags...), messages: map[string]map[string]*i18n.Message{}}
	for _, path := range paths {
		f, err := bundle.LoadMessageFileFS(files, path)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		byName := map[string]*i18n.Message{}
		for _, m := range f.Messages {
			byName[m.ID] = m
		}
		a.messages[f.Tag.String()] = byName
	}
	return a, nil
}

// areaOf returns the area of a message, nil if there is none.
func (c *catalog) areaOf(name string) *area {
	area, _, _ := strings.Cut(name, ".")
	if read := c.areas[area]; read != nil {
		return read()
	}
	return nil
}

// message returns a message in a language, nil if there is none.
func (c *catalog) message(tag, name string) *i18n.Message {
	if a := c.areaOf(name); a != nil {
		return a.messages[tag][name]
	}
	return nil
}

// messages returns the messages of areas in a language, by name.
func (c *catalog) messages(tag string, areas ...string) map[string]*i18n.Message {
	all := map[string]*i18n.Message{}
	for _, name := range areas {
		if read := c.areas[name]; read != nil {
			maps.Copy(all, read().messages[tag])
		}
	}
	return all
}

// A Printer formats messages, numbers and dates in one language. It is safe for
// concurrent use.
type Printer struct {
	tag     string
	catalog *catalog
	numbers *message.Printer
}

func newPrinter(c *catalog, tag string) *Printer {
	return &Printer{tag: tag, catalog: c, numbers: message.NewPrinter(language.Make(locales[tag]))}
}

// Tags returns the available languages, sorted, as values of the HTML attribute
// lang.
func Tags() []string { return slices.Sorted(maps.Keys(locales)) }

// printers has a printer for each language, made when it is first used, since most programs use
// one language.
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
	return printers[cmp.Or(tagOf(name), source)]()
}

// Tag returns the language as a value of the HTML attribute lang.
func (p *Printer) Tag() string { return p.tag }

// Text returns the message with the given name. args alternates names and values
// of arguments. Whole numbers are formatted for the language, and the argument n
// selects the plural form. If the message has no translation, Text returns it in
// English; if it does not exist, Text returns its name.
func (p *Printer) Text(name string, args ...any) string {
	a := p.catalog.areaOf(name)
	if a == nil {
		return name
	}
	values, count := p.arguments(args)
	text, err := a.localizer.Localize(&i18n.LocalizeConfig{MessageID: name, PluralCount: count, TemplateData: values, TemplateParser: braces{}})
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
