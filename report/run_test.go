package report

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/otisk/otisk/search/score"
)

// TestReportsOfRun checks the reports of a whole run, in the folder that the
// environment variable OTISK_REPORTS names: each JSON report against its
// schema and against its own score; and that the XML and HTML reports beside
// it are, byte for byte, those that its figures make.
// otisk search --format html,json,xml -o FOLDER makes such a folder.
func TestReportsOfRun(t *testing.T) {
	dir := os.Getenv("OTISK_REPORTS")
	if dir == "" {
		t.Skip("OTISK_REPORTS names no folder of reports to check")
	}
	reports, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(reports) == 0 {
		t.Fatalf("no JSON reports in %s (%v)", dir, err)
	}
	schema := jsonSchema(t, "otisk-report.schema.json")
	for _, name := range reports {
		checkReportFile(t, schema, name)
	}
	t.Logf("%d reports checked", len(reports))
	checkXMLFiles(t, dir)
}

func checkReportFile(t *testing.T, schema *jsonschema.Schema, name string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	r, err := ReadJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if total := inputOf(r).Count(score.Choice{}); total.Covered != r.Score.Covered || total.Percent != r.Score.Percent {
		t.Errorf("%s: score of %d words, counted again %d", name, r.Score.Covered, total.Covered)
	}
	stem := strings.TrimSuffix(name, ".json")
	makes(t, r, "html", stem+".html")
	makes(t, r, "xml", stem+".xml")
}

// makes fails the test if a file exists and differs from the output of r.
func makes(t *testing.T, r *Report, format, name string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		return
	}
	var made bytes.Buffer
	if err := Write(&made, format, r, Options{Overview: "index.html"}); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text, made.Bytes()) {
		t.Errorf("%s is not what %s makes", name, strings.TrimSuffix(name, "."+format)+".json")
	}
}

func checkXMLFiles(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.xml"))
	if err != nil {
		t.Fatal(err)
	}
	for len(files) > 0 {
		n := min(len(files), 200)
		args := append([]string{"--nonet", "--noout", "--schema", "schema/otisk-report.xsd"}, files[:n]...)
		if out, err := exec.Command("xmllint", args...).CombinedOutput(); err != nil {
			t.Errorf("xmllint: %v\n%.2000s", err, out)
		}
		files = files[n:]
	}
}
