// Command test runs go test with its arguments, and prints what go test prints without -v. At the end it lists
// the tests that were skipped, with their reasons.
//
//	go run .ci/test.go -timeout 30m ./...
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// An event is a line of go test -json.
type event struct{ Action, Package, Test, Output string }

func main() {
	log.SetFlags(0)
	cmd := exec.Command("go", append([]string{"test", "-json"}, os.Args[1:]...)...)
	cmd.Stderr = os.Stderr
	events, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		log.Fatal("test: ", err)
	}
	skipped, err := printEvents(events, os.Stdout)
	if err != nil {
		log.Fatal("test: read the events of go test: ", err)
	}
	err = cmd.Wait()
	if len(skipped) > 0 {
		slices.Sort(skipped)
		fmt.Printf("\n%d tests were skipped:\n%s", len(skipped), strings.Join(skipped, ""))
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		os.Exit(1)
	}
	if err != nil {
		log.Fatal("test: ", err)
	}
}

// printEvents prints the results of packages and the output of failed tests. It returns a line for each skipped test.
func printEvents(events io.Reader, out io.Writer) (skipped []string, err error) {
	output := map[[2]string][]string{} // lines of a test, by package and name
	lines := json.NewDecoder(events)
	for {
		var e event
		if err := lines.Decode(&e); errors.Is(err, io.EOF) {
			return skipped, nil
		} else if err != nil {
			return skipped, err
		}
		test := [2]string{e.Package, e.Test}
		switch {
		case e.Action == "build-output", e.Action == "output" && e.Test == "" && e.Output != "PASS\n":
			fmt.Fprint(out, e.Output)
		case e.Action == "output" && !strings.HasPrefix(e.Output, "==="):
			output[test] = append(output[test], e.Output)
		case e.Action == "fail":
			fmt.Fprint(out, strings.Join(output[test], ""))
		case e.Action == "skip" && e.Test != "":
			skipped = append(skipped, fmt.Sprintf("%s %s: %s\n", e.Package, e.Test, reason(output[test])))
		}
		if e.Action == "pass" || e.Action == "skip" {
			delete(output, test)
		}
	}
}

// reason returns the message of a skipped test: the first line that is not of the form "--- SKIP".
func reason(lines []string) string {
	for _, line := range lines {
		if !strings.HasPrefix(strings.TrimSpace(line), "---") {
			return strings.TrimSpace(line)
		}
	}
	return "no reason"
}
