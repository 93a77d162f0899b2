package indexer_test

import (
	"os"
	"strings"
	"testing"
)

// TestLibraryProgram: the program in docs/LIBRARY.md is the example of this package, which is compiled and run, as a
// program of its own, and the page has its output.
func TestLibraryProgram(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/LIBRARY.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	source, output, found := strings.Cut(string(example), "\t// Output:\n\t// ")
	if !found {
		t.Fatal("example_test.go has no output")
	}
	var program strings.Builder
	for line := range strings.Lines(strings.NewReplacer("package indexer_test", "package main", "func ExampleAddText()", "func main()").Replace(source)) {
		if line != "\n" {
			program.WriteString("    ")
		}
		program.WriteString(line)
	}
	if want := program.String() + "    }\n"; !strings.Contains(string(page), want) {
		t.Errorf("LIBRARY.md lacks the program of example_test.go:\n%s", want)
	}
	if printed, _, _ := strings.Cut(output, "\n"); !strings.Contains(string(page), "`"+printed+"`") {
		t.Errorf("LIBRARY.md lacks the output %s", printed)
	}
}
