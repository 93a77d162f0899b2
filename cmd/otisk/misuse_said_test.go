package main

import (
	"errors"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/otisk/otisk/internal/testing/files"
	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/lang"
)

// wrongValues returns values of a flag, of which most are wrong.
func wrongValues(f *pflag.Flag) []string {
	switch f.Value.Type() {
	case "bool":
		return []string{"?", "true"}
	case "int", "intSlice":
		return []string{"?", "-1", "0", "101"}
	case "float64":
		return []string{"?", "-1", "102"}
	case "duration":
		return []string{"?", "-1s"}
	case "size":
		return []string{"?", "-1"}
	}
	return []string{"", "?", "no/such/file.txt", "a.txt", "rok<abc"}
}

// misuses calls fn with the command lines that misuse cmd: wrong and missing flags and
// arguments, and each flag with wrong values. A flag is in tried if a command before had one with the
// same name and description; only with OTISK_TEST_LONG it is misused again.
func misuses(cmd *cobra.Command, path string, tried map[string]bool, fn func(args ...string)) {
	words := strings.Fields(path)
	with := func(more ...string) { fn(slices.Concat(words, more)...) }
	for count := range 4 {
		for _, name := range []string{"no-such-file", "a.txt", ""} {
			with(append(slices.Repeat([]string{name}, count), "--index", "none")...)
		}
	}
	with("--no-such-flag")
	with("--helpp")
	with("-Z")
	with("https://127.0.0.1/oai", "--index", "none")
	right := accepted(cmd)
	var flags []*pflag.Flag
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { flags = append(flags, f) })
	cmd.InheritedFlags().VisitAll(func(f *pflag.Flag) { flags = append(flags, f) })
	for i, f := range flags {
		key := f.Name + " " + f.Usage
		again := tried[key] && !need.All()
		tried[key] = true
		if again || slices.Contains([]string{"help", "version", "lang", "approximate", "data"}, f.Name) { // otisk serve makes any folder, and serves
			continue
		}
		with("--" + f.Name)
		for _, value := range wrongValues(f) {
			with(append(right, "--"+f.Name+"="+value)...)
		}
		for _, other := range flags[:i] {
			if need.All() && cmd.LocalFlags().Lookup(other.Name) != nil && cmd.LocalFlags().Lookup(f.Name) != nil {
				with(append(right, "--"+other.Name+"="+plausible(other), "--"+f.Name+"="+plausible(f))...)
			}
		}
	}
}

// accepted returns as many arguments as cmd takes.
func accepted(cmd *cobra.Command) (args []string) {
	for range 3 {
		if cmd.Args == nil || cmd.Args(cmd, args) == nil {
			break
		}
		args = append(args, "a.txt")
	}
	if cmd.Name() == "harvest" {
		return []string{"https://127.0.0.1/oai"}
	}
	if len(args) == 0 && strings.Contains(cmd.Use, "PATH") {
		return []string{"a.txt"}
	}
	return args
}

// plausible returns a value that a flag takes.
func plausible(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "bool":
		return "true"
	case "int", "float64", "intSlice":
		return "8"
	case "duration":
		return "8s"
	case "size":
		return "8MB"
	}
	return "a.txt"
}

// letters are the words of a text.
var letters = regexp.MustCompile(`\pL{2,}`)

// vocabulary returns the words of the messages and of the help in a language.
func vocabulary(t *testing.T, tag string) map[string]bool {
	t.Helper()
	list, err := filepath.Glob("../../lang/messages/*." + tag + ".json")
	if err != nil || len(list) == 0 {
		t.Fatal(list, err)
	}
	all := map[string]bool{}
	help, err := os.ReadFile("../../lang/help/" + tag + ".txt")
	if err != nil && tag != "en" { // the help in English is in the commands
		t.Fatal(err)
	}
	for _, w := range letters.FindAllString(string(help), -1) {
		all[strings.ToLower(w)] = true
	}
	value := regexp.MustCompile(`: "(.*)"`)
	for _, file := range list {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range value.FindAllStringSubmatch(string(data), -1) {
			for _, w := range letters.FindAllString(strings.ReplaceAll(m[1], `\"`, `"`), -1) {
				all[strings.ToLower(w)] = true
			}
		}
	}
	return all
}

// notWords matches text without a language: paths, flags, addresses, and values in capitals.
var notWords = regexp.MustCompile(`--?[a-z][a-z-]*|\S*[/\\.=]\w\S*|\b[A-Z_]{2,}\b`)

// englishLeft returns the words of english that are in said, too, though neither a word of the
// language nor typed.
func englishLeft(english, said string, args []string, known map[string]bool) (left []string) {
	typed := map[string]bool{}
	for _, w := range letters.FindAllString(strings.Join(args, " "), -1) {
		typed[strings.ToLower(w)] = true
	}
	also := map[string]bool{}
	for _, w := range letters.FindAllString(notWords.ReplaceAllString(english, " "), -1) {
		also[strings.ToLower(w)] = true
	}
	for _, w := range letters.FindAllString(notWords.ReplaceAllString(said, " "), -1) {
		if w = strings.ToLower(w); also[w] && !known[w] && !typed[w] && !slices.Contains(left, w) {
			left = append(left, w)
		}
	}
	return left
}

// misusedText is the repeated text of a.txt.
const misusedText = "lorem ipsum dolor sit amet consectetur adipiscing elit "

// misused runs a command line in the working directory, which has the file a.txt alone, and
// returns its errors, warnings and hints.
func misused(t *testing.T, args []string) string {
	t.Helper()
	list, err := os.ReadDir(".")
	for _, entry := range list {
		err = errors.Join(err, os.RemoveAll(entry.Name()))
	}
	if err != nil {
		t.Fatal(err)
	}
	files.Write(t, "a.txt", strings.Repeat(misusedText, 9))
	_, _, said := typed(t, args...)
	return said
}

// numerals matches what differs in errors of one kind.
var numerals = regexp.MustCompile(`"[^"]*"|[0-9.]+`)

// TestMisuseIsTranslated misuses each command by each of its flags, found from the commands
// themselves: no word of an error, a warning or a hint is left in English.
func TestMisuseIsTranslated(t *testing.T) {
	need.OneGoroutine(t)
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // thousands of short runs, each of which leaves garbage
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 30))
	words := map[string]map[string]bool{}
	for _, tag := range lang.Tags() {
		words[tag] = vocabulary(t, tag)
	}
	t.Chdir(t.TempDir())
	t.Setenv("PATH", "")
	root := newRootCommand()
	root.InitDefaultHelpCmd()
	seen, tried, runs := map[string]bool{}, map[string]bool{}, 0
	eachCommand(root, func(cmd *cobra.Command, path string) {
		misuses(cmd, path, tried, func(args ...string) {
			english := misused(t, slices.Concat([]string{"--lang", "en"}, args))
			runs++
			shape := numerals.ReplaceAllString(english, "#")
			for _, a := range args {
				if len(a) > 1 {
					shape = strings.ReplaceAll(shape, a, "@")
				}
			}
			if english == "" || seen[shape] {
				return
			}
			seen[shape] = true
			for _, tag := range []string{"cs", "sk", "de"} {
				said := misused(t, slices.Concat([]string{"--lang", tag}, args))
				runs++
				if left := englishLeft(english, said, append(args, misusedText), words[tag]); len(left) > 0 {
					t.Errorf("otisk %q: %s has English words %q:\n%s", args, tag, left, said)
				}
			}
		})
	})
	t.Logf("%d kinds of errors in %d runs", len(seen), runs)
	if len(seen) < 250 {
		t.Errorf("%d kinds of errors in %d runs, want more", len(seen), runs)
	}
}

// sayEnglish are the functions whose texts a user sees as they are written.
var sayEnglish = []string{"fmt.Errorf", "errors.New", "fmt.Fprintf", "fmt.Fprintln", "fmt.Fprint", "io.WriteString"}

// written are texts that are no sentences (rows of data, the key of a temporary folder, names of
// programs), texts of errors that only the package itself or a caller of a wrong function sees, and kinds of errors, which
// are not shown.
var written = []string{"otisk: %s: %s\n", "otisk: ", "otisk %s (%s, %s/%s)", "SOURCE_DATE_EPOCH", "tesseract: %w", "tesseract: %w%s",
	"no project", "stopped", "closed", "unexpected engine", "%w: it imports %d", "%w: instruction %#x", "%w: instruction 0xfc %d", "%w: without %s",
	"the store is closed", "write to index: the store is closed", "too many postings at once", ": documents are being added", "WARC-Truncated: ", "WARC-Segment-Number: ",
	"HTTP/1.1 %d %s\r\n", "Content-Length: %d\r\n\r\n", "fetch: UserAgent is required", "the list is too short", "enough", "files are missing",
	"form %d of a file is unknown", "unknown method %d", "n-grams of %d words are given twice", "a pair has more than %d bits", "a hash has more than %d bits",
	"past the names that begin so", "found", "too many postings", "marks of its text not kept", "no dictionary", "two names have the same id",
	"the name of a file is that of another document", "a folder with documents in the index has no files", "unknown on this system",
	" page%+d", "/F%d<</Type/Font/Subtype/Type1/BaseFont/%s>>", "BT /F%d 12 Tf %d %d Td (%c) Tj ET\n"}

// inLanguages are the packages whose errors users see, beside the commands.
var inLanguages = []string{"document", "esclient", "gather", "corpus", "store", "indexer", "check", "search", "normalize", "config", "lexicon", "internal"}

// testHelpers are folders in them with helpers of tests.
var testHelpers = []string{"internal", "wiretest", "gathertest", "storetest", "corpustest", "testing", "phrase", "prose", "compiles"}

// TestNoEnglishInCommands reads the source files of the commands and of the packages whose errors users see: no error and
// no output has words that are not a message of package lang.
func TestNoEnglishInCommands(t *testing.T) {
	list, err := filepath.Glob("*.go")
	for _, dir := range inLanguages {
		err = errors.Join(err, filepath.WalkDir("../../"+dir, func(path string, e fs.DirEntry, err error) error {
			if err == nil && e.IsDir() && slices.Contains(testHelpers, e.Name()) && path != "../../internal" {
				return filepath.SkipDir
			}
			if strings.HasSuffix(path, ".go") {
				list = append(list, path)
			}
			return err
		}))
	}
	if err != nil || len(list) < 200 {
		t.Fatal(len(list), err)
	}
	verb := regexp.MustCompile(`%[-+#0-9.*]*[a-zA-Z]|\\x1b\[K`)
	for _, file := range list {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		set := gotoken.NewFileSet()
		f, err := parser.ParseFile(set, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !slices.Contains(sayEnglish, types.ExprString(call.Fun)) {
				return true
			}
			for _, lit := range literals(call.Args) {
				text, err := strconv.Unquote(lit.Value)
				if strings.Contains(text, " 0 obj<<") { // a PDF
					continue
				}
				if err == nil && letters.MatchString(verb.ReplaceAllString(text, "")) && !slices.Contains(written, text) {
					t.Errorf("%s: %q is no message of package lang", set.Position(lit.Pos()), text)
				}
			}
			return true
		})
	}
}

// literals returns the strings in expressions, which may be joined by +.
func literals(list []ast.Expr) (all []*ast.BasicLit) {
	for _, e := range list {
		switch e := e.(type) {
		case *ast.BasicLit:
			if e.Kind == gotoken.STRING {
				all = append(all, e)
			}
		case *ast.BinaryExpr:
			all = append(all, literals([]ast.Expr{e.X, e.Y})...)
		}
	}
	return all
}
