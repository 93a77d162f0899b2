package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/otisk/otisk/search"
)

// verdicts are the options of a run with a limit that a text exceeds, of one with a limit that it might exceed, and of
// one without a limit.
func verdicts() map[string]Options {
	failed := errors.New(`score over 20%: "a" <b> & c` + "\x01")
	return map[string]Options{
		"over":   {Verdict: func(*Report) (over, unsure error) { return failed, nil }},
		"unsure": {Verdict: func(*Report) (over, unsure error) { return nil, failed }},
		"none":   {},
	}
}

// TestJUnit: a test fails by the limit only, and its output is the text report.
func TestJUnit(t *testing.T) {
	for verdict, options := range verdicts() {
		for name, r := range samples() {
			out := render(t, "junit", r, options)
			var got struct {
				Suite struct {
					Tests    int `xml:"tests,attr"`
					Failures int `xml:"failures,attr"`
					Errors   int `xml:"errors,attr"`
					Case     struct {
						Name    string     `xml:"name,attr"`
						Failure []struct{} `xml:"failure"`
						Error   []struct{} `xml:"error"`
						Out     string     `xml:"system-out"`
					} `xml:"testcase"`
				} `xml:"testsuite"`
			}
			if err := xml.Unmarshal([]byte(out), &got); err != nil {
				t.Fatalf("%s, %s: %v\n%s", name, verdict, err, out)
			}
			s := got.Suite
			if s.Tests != 1 || (s.Failures == 1) != (verdict == "over") || (s.Errors == 1) != (verdict == "unsure") || len(s.Case.Failure) != s.Failures || len(s.Case.Error) != s.Errors {
				t.Errorf("%s, %s: %+v", name, verdict, s)
			}
			if !strings.Contains(s.Case.Out, "Score") || s.Case.Name == "" {
				t.Errorf("%s: the output is %q, the name %q", name, s.Case.Out, s.Case.Name)
			}
		}
	}
}

// TestJUnitFollowsSchema: Jenkins accepts the reports, by the schema of its plugin xunit.
func TestJUnitFollowsSchema(t *testing.T) {
	schema := os.Getenv("OTISK_JUNIT_XSD")
	xmllint, err := exec.LookPath("xmllint")
	if schema == "" || err != nil {
		t.Skip("no schema: name junit-10.xsd of jenkinsci/xunit-plugin in OTISK_JUNIT_XSD, and install xmllint")
	}
	for _, options := range verdicts() {
		for name, r := range samples() {
			cmd := exec.Command(xmllint, "--nonet", "--noout", "--schema", schema, "-")
			cmd.Stdin = strings.NewReader(render(t, "junit", r, options))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", name, err, out)
			}
		}
	}
}

// A sarifLog is the part of a SARIF file that code hosts read.
type sarifLog struct {
	Schema  string `json:"$schema"`
	Version string
	Runs    []struct {
		Tool struct {
			Driver struct {
				Name  string
				Rules []struct {
					ID               string
					ShortDescription struct{ Text string }
				}
			}
		}
		AutomationDetails struct{ ID string }
		Results           []sarifResult
	}
}

type sarifResult struct {
	RuleID, Level string
	Message       struct{ Text string }
	Locations     []struct {
		PhysicalLocation struct {
			ArtifactLocation struct{ URI string }
			Region           struct{ StartLine, StartColumn, EndLine, EndColumn int }
		}
	}
	PartialFingerprints map[string]string
}

// TestSARIF: each passage that counts is a note with a place, and a score over the limit is the only error.
func TestSARIF(t *testing.T) {
	for verdict, options := range verdicts() {
		for name, r := range samples() {
			var log sarifLog
			if err := json.Unmarshal([]byte(render(t, "sarif", r, options)), &log); err != nil {
				t.Fatal(err)
			}
			if len(log.Runs) != 1 || log.Version != "2.1.0" {
				t.Fatalf("%s: %+v", name, log)
			}
			run := log.Runs[0]
			rules := map[string]bool{}
			for _, rule := range run.Tool.Driver.Rules {
				rules[rule.ID] = rule.ShortDescription.Text != ""
			}
			levels := map[string]int{}
			for _, x := range run.Results {
				levels[x.Level]++
				if !rules[x.RuleID] || x.Message.Text == "" || len(x.Locations) != 1 || x.Locations[0].PhysicalLocation.Region.StartLine < 1 || x.Locations[0].PhysicalLocation.ArtifactLocation.URI == "" {
					t.Errorf("%s: %+v", name, x)
				}
			}
			if (levels["error"] == 1) != (verdict == "over") || (levels["warning"] == 1) != (verdict == "unsure") {
				t.Errorf("%s, %s: %v", name, verdict, levels)
			}
			if counted := len(countedPassages(r, nil)); levels["note"] != counted {
				t.Errorf("%s: %d notes for %d passages that count", name, levels["note"], counted)
			}
		}
	}
}

// countedPassages returns the indexes of the passages that count, plus those in list.
func countedPassages(r *Report, list []int) []int {
	for i, p := range remaining(r).Passages[:len(r.Passages)] {
		if p.Counted > 0 {
			list = append(list, i)
		}
	}
	return list
}

// TestSARIFPlaces: lines and columns are those of the words, and the fingerprint does not depend on the place.
func TestSARIFPlaces(t *testing.T) {
	text := "čtyři\r\n\nOwn words, copied words here.\nand more"
	at := strings.Index(text, "copied")
	r := empty()
	r.Suspect.Path, r.Suspect.Format, r.Suspect.Text = "a b/č.txt", "text", text
	s := sarif{english(), r, ""}
	if got := s.region(search.Span{Start: at, End: at + len("copied words here.\nand")}); got["startLine"] != 3 || got["startColumn"] != 12 || got["endLine"] != 4 || got["endColumn"] != 4 {
		t.Errorf("region = %v, want 3:12 to 4:4", got)
	}
	r.Suspect.Format = "latex"
	if got := s.region(search.Span{Start: at, End: at + 3}); got["startLine"] != 1 || len(got) != 1 {
		t.Errorf("region in LaTeX = %v, want the first line", got)
	}
	out := render(t, "sarif", r, Options{})
	if !strings.Contains(out, `"otisk/a%20b/%C4%8D.txt/"`) {
		t.Errorf("the name is not encoded:\n%s", out)
	}
	moved := sample()
	shift := func(p *search.Span) { p.Start, p.End = p.Start+2, p.End+2 }
	moved.Suspect.Text = "\n\n" + moved.Suspect.Text
	for i := range moved.Passages {
		shift(&moved.Passages[i].Suspect)
	}
	a, b := sarif{english(), sample(), ""}, sarif{english(), moved, ""}
	x, y := a.passage(&sample().Passages[0]), b.passage(&moved.Passages[0])
	if x, y := x["partialFingerprints"].(object)["passage/v1"], y["partialFingerprints"].(object)["passage/v1"]; x != y || x == "" {
		t.Errorf("fingerprints of a passage that moved: %v and %v", x, y)
	}
}

// TestSARIFFollowsSchema validates the reports by the schema of OASIS.
func TestSARIFFollowsSchema(t *testing.T) {
	file := os.Getenv("OTISK_SARIF_SCHEMA")
	if file == "" {
		t.Skip("no schema: name sarif-schema-2.1.0.json of oasis-tcs/sarif-spec in OTISK_SARIF_SCHEMA")
	}
	schema, err := jsonschema.NewCompiler().Compile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, options := range verdicts() {
		for name, r := range samples() {
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(render(t, "sarif", r, options))))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(value); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if value, err := jsonschema.UnmarshalJSON(strings.NewReader(`{"version": "2.1.0"}`)); err != nil || schema.Validate(value) == nil {
		t.Error("the schema accepts a file without runs")
	}
}
