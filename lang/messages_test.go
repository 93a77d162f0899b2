package lang

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nicksnyder/go-i18n/v2/i18n"
)

var update = flag.Bool("update", false, "write the English texts of phrases in the program into the messages")

// pluralForms are the forms that whole numbers have in each language.
var pluralForms = map[string][]string{"cs": {"one", "few", "other"}, "sk": {"one", "few", "other"}, "de": {"one", "other"}, "en": {"one", "other"}}

func formsOf(m *i18n.Message) map[string]string {
	all := map[string]string{"zero": m.Zero, "one": m.One, "two": m.Two, "few": m.Few, "many": m.Many, "other": m.Other}
	maps.DeleteFunc(all, func(_, text string) bool { return text == "" })
	return all
}

// TestMessages compares the four catalogs: each has every message, with the same arguments and
// with all plural forms of its language.
func TestMessages(t *testing.T) {
	c, err := load(embedded, Tags()...)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]map[string]*i18n.Message{}
	areas := slices.Collect(maps.Keys(c.areas))
	for _, tag := range Tags() {
		all[tag] = c.messages(tag, areas...)
	}
	files, err := embedded.ReadDir("messages")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if tag := strings.TrimPrefix(filepath.Ext(strings.TrimSuffix(f.Name(), ".json")), "."); !slices.Contains(Tags(), tag) {
			t.Errorf("%s is in no language of %v", f.Name(), Tags())
		}
	}
	for tag, messages := range all {
		for name := range all[source] {
			if messages[name] == nil {
				t.Errorf("%s: message %q is missing", tag, name)
			}
		}
		for name, m := range messages {
			checkMessage(t, tag, m, all[source][name])
		}
	}
}

func checkMessage(t *testing.T, tag string, m, english *i18n.Message) {
	t.Helper()
	if english == nil {
		t.Errorf("%s: message %q is not there in English", tag, m.ID)
		return
	}
	forms := formsOf(m)
	want := []string{"other"}
	if len(formsOf(english)) > 1 {
		want = pluralForms[tag]
	}
	if got := slices.Sorted(maps.Keys(forms)); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		t.Errorf("%s: message %q has the forms %v, want %v", tag, m.ID, got, want)
	}
	for form, text := range forms {
		markup := "<>&"
		if area, _, _ := strings.Cut(m.ID, "."); slices.Contains([]string{"usage", "hint", "error", "settings", "read", "pick", "said", "terminal"}, area) {
			markup = "" // pages escape them or do not show them, and they name elements of the settings
		}
		if strings.TrimSpace(text) == "" || strings.ContainsAny(text, markup+"\t\n") {
			t.Errorf("%s: message %q, form %s, is %q: want a text without markup", tag, m.ID, form, text)
		}
		got, want := argumentsOf(text), argumentsOf(english.Other)
		if form == "one" { // it may say "a word" for "1 word"
			got, want = without(got, "n"), without(want, "n")
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: message %q, form %s, has the arguments %v, want %v", tag, m.ID, form, got, want)
		}
	}
}

func without(list []string, name string) []string {
	return slices.DeleteFunc(list, func(s string) bool { return s == name })
}

// argumentsOf returns the names of a message's arguments, each once.
func argumentsOf(text string) []string {
	names := []string{}
	for _, m := range argument.FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// TestFilesOfMessages checks what reading the files as JSON would hide: a name
// that occurs twice, and one in the file of another area.
func TestFilesOfMessages(t *testing.T) {
	names, err := fs.Glob(embedded, "messages/*.json")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		data, err := embedded.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		ids, err := namesOf(data)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		area, _, _ := strings.Cut(filepath.Base(name), ".")
		seen := map[string]bool{}
		for _, id := range ids {
			if seen[id] || !strings.HasPrefix(id, area+".") {
				t.Errorf("%s: message %q is there twice, or belongs to another file", name, id)
			}
			seen[id] = true
		}
	}
}

// uses are the places of the program that say messages.
type uses struct {
	literals map[string]bool // all quoted texts
	said     []use
}

// A use says one message.
type use struct {
	name, where string
	one, text   string   // English texts of a phrase, empty elsewhere; one is that of a single item
	args        []string // nil if unknown
}

var (
	quoted = regexp.MustCompile("[\"'`]([a-z][\\w-]*(?:\\.[\\w-]+)+)[\"'`]")
	calls  = regexp.MustCompile("(?:\\.(?:Text|HTML) |lang\\.text\\()[\"'`]([^\"'`]+)[\"'`]")
)

// TestMessagesAreUsed reads the program, its pages and their scripts: each
// message is used, and each used message exists, with its arguments. The English texts of
// phrases are those of the program; -update copies them into the messages.
func TestMessagesAreUsed(t *testing.T) {
	u := &uses{literals: map[string]bool{}}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || len(d.Name()) > 2 && d.Name()[0] == '.'):
			return filepath.SkipDir
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			return u.readGo(path)
		case strings.HasSuffix(path, ".html"), strings.HasSuffix(path, ".js"):
			return u.readPage(path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := u.writeEnglish(); err != nil {
			t.Fatal(err)
		}
		return
	}
	c := Of(source).catalog
	english := c.messages(source, slices.Collect(maps.Keys(c.areas))...)
	for name, m := range english {
		isFixed := strings.HasPrefix(name, fixedArea+".") && u.literals[m.Other]
		if !isFixed && !u.literals[name] {
			t.Errorf("message %q is not used: nothing names it, or has the text %q", name, m.Other)
		}
	}
	for _, s := range u.said {
		if m := english[s.name]; m != nil && (s.text != "" && s.text != m.Other || s.one != "" && s.one != m.One) {
			t.Errorf("%s: the English text of %q differs from that of its message, %q: go test ./lang -update copies it", s.where, s.name, m.Other)
		}
		if english[s.name] == nil {
			t.Errorf("%s: says %q, which is no message", s.where, s.name)
		} else if want := argumentsOf(english[s.name].Other); s.args != nil && !slices.Equal(s.args, want) {
			t.Errorf("%s: gives %q the arguments %v, want %v", s.where, s.name, s.args, want)
		}
	}
}

func (u *uses) readGo(path string) error {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, path, nil, 0)
	if err != nil {
		return err
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if s, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil {
				u.literals[s] = true
			}
		case *ast.CallExpr:
			u.call(n, files.Position(n.Pos()).String())
		}
		return true
	})
	return nil
}

// sayers are the functions whose arguments are those of a message.
var sayers = []string{"Text", "HTML", "say", "heading", "Say", "misuse", "confirm"}

// calledName returns the name of the called function, or of a method of a value or a function
// of a package.
func calledName(f ast.Expr) string {
	switch f := f.(type) {
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.Ident:
		return f.Name
	}
	return ""
}

// isPhrase reports whether a function is that of package phrase.
func isPhrase(f ast.Expr) bool {
	s, ok := f.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != "Error" && s.Sel.Name != "Counted" {
		return false
	}
	x, ok := s.X.(*ast.Ident)
	return ok && x.Name == "phrase"
}

// call notes a call of one of sayers with a name that is written out.
func (u *uses) call(c *ast.CallExpr, where string) {
	isPhrase := isPhrase(c.Fun)
	if !isPhrase && !slices.Contains(sayers, calledName(c.Fun)) || len(c.Args) == 0 {
		return
	}
	name, one, text, first := literal(c.Args[0]), "", "", 1
	args := []string{}
	if !strings.Contains(name, ".") {
		return
	}
	if isPhrase {
		text, first = literal(c.Args[1]), 2
	}
	if isPhrase && calledName(c.Fun) == "Counted" { // with the singular before the plural, and the number
		one, text, first = literal(c.Args[1]), literal(c.Args[2]), 4
		args = append(args, "n")
	}
	for i := first; i < len(c.Args); i += 2 {
		args = append(args, literal(c.Args[i]))
	}
	slices.Sort(args)
	if c.Ellipsis.IsValid() {
		args = nil
	}
	u.said = append(u.said, use{name, where, one, text, args})
}

// writeEnglish writes the English texts of phrases into the files of messages, in place of those that they have or at
// the end.
func (u *uses) writeEnglish() error {
	areas := map[string][]use{}
	for _, s := range u.said {
		if s.text != "" {
			area, _, _ := strings.Cut(s.name, ".")
			areas[area] = append(areas[area], s)
		}
	}
	for area, list := range areas {
		path := "messages/" + area + "." + source + ".json"
		old, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		data, err := withTexts(old, list)
		if err != nil {
			return err
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// withTexts returns a file of messages with the texts of phrases.
func withTexts(file []byte, phrases []use) ([]byte, error) {
	var messages map[string]any
	if err := json.Unmarshal(file, &messages); err != nil {
		return nil, err
	}
	names, err := namesOf(file)
	if err != nil {
		return nil, err
	}
	for _, p := range phrases {
		if messages[p.name] == nil {
			names = append(names, p.name)
		}
		forms, _ := messages[p.name].(map[string]any)
		if forms == nil {
			forms = map[string]any{}
		}
		forms["other"] = p.text
		if p.one != "" {
			forms["one"] = p.one
		}
		messages[p.name] = forms
		if len(forms) == 1 {
			messages[p.name] = p.text
		}
	}
	var b bytes.Buffer
	for i, name := range names {
		b.WriteString(map[bool]string{true: "{\n  ", false: ",\n  "}[i == 0])
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		e.SetIndent("  ", "  ")
		if err := e.Encode(name); err != nil {
			return nil, err
		}
		b.Truncate(b.Len() - 1) // the line feed of Encode
		b.WriteString(": ")
		if err := e.Encode(messages[name]); err != nil {
			return nil, err
		}
		b.Truncate(b.Len() - 1)
	}
	b.WriteString("\n}\n")
	return b.Bytes(), nil
}

// namesOf returns the names of the messages of a file, in its order.
func namesOf(file []byte) (names []string, err error) {
	d := json.NewDecoder(bytes.NewReader(file))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var text any
		if err := d.Decode(&text); err != nil {
			return nil, fmt.Errorf("%v: %w", name, err)
		}
		names = append(names, name.(string))
	}
	return names, nil
}

// literal returns the text of an expression that is one, else "".
func literal(e ast.Expr) string {
	l, ok := e.(*ast.BasicLit)
	if !ok {
		return ""
	}
	s, _ := strconv.Unquote(l.Value)
	return s
}

func (u *uses) readPage(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for _, m := range quoted.FindAllStringSubmatch(string(data), -1) {
		u.literals[m[1]] = true
	}
	for _, m := range calls.FindAllStringSubmatch(string(data), -1) {
		u.said = append(u.said, use{m[1], path, "", "", nil})
	}
	return nil
}
