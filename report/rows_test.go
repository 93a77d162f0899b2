package report

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// rows are one of each status, the last with a name that is hostile to tables.
func rows() []Row {
	return []Row{
		RowOf(sample(), "thesis.txt.out.html"),
		{Path: "later.txt", Status: RowUnchecked},
		{Path: "=HYPERLINK(\"x\")\n\x1b[2J,\";", Status: RowUnread, Reason: "no text in it"},
	}
}

func TestRowsAsCSV(t *testing.T) {
	var b strings.Builder
	if err := WriteRows(&b, "csv", rows()); err != nil {
		t.Fatal(err)
	}
	got, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil || len(got) != 4 {
		t.Fatalf("%d lines, %v:\n%s", len(got), err, b.String())
	}
	for i, line := range got {
		if len(line) != len(got[0]) {
			t.Errorf("line %d has %d cells, the first %d", i, len(line), len(got[0]))
		}
	}
	if name := got[3][0]; name != "'=HYPERLINK(\"x\") \uFFFD[2J,\";" {
		t.Errorf("the hostile name is %q", name)
	}
	if r := sample(); got[1][0] != r.Suspect.Path || got[1][7] != formatFloat(r.Score.Percent) || got[2][6] != "" {
		t.Errorf("cells: %q", got)
	}
	cells := map[string]string{}
	for i, name := range got[0] {
		cells[name] = got[1][i]
	}
	for name, want := range map[string]string{
		"unsearched": "documents, long sources", "verbatim": "23", "verbatim_percent": formatFloat(2300.0 / 52), "edited": "14", "edited_percent": formatFloat(1400.0 / 52),
		"reworded": "0", "reworded_percent": "0", "reworded_only": "false", "counted_run": "16",
	} {
		if cells[name] != want {
			t.Errorf("%s: %q, want %q", name, cells[name], want)
		}
	}
}

// A full is a writer on a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestRowsThatCannotBeWritten(t *testing.T) {
	for _, format := range []string{"csv", "jsonl"} {
		if err := WriteRows(full{}, format, rows()); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("WriteRows(%s) = %v, want that the disk is full", format, err)
		}
	}
}

// TestRowsFollowTheirSchema: and the schema knows every field.
func TestRowsFollowTheirSchema(t *testing.T) {
	schema := jsonSchema(t, "otisk-summary.schema.json")
	var b strings.Builder
	if err := WriteRows(&b, "jsonl", rows()); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d lines, want 3:\n%s", len(lines), b.String())
	}
	for _, line := range lines {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	var first map[string]any
	if err := json.Unmarshal([]byte(lines[0]), &first); err != nil {
		t.Fatal(err)
	}
	first["unheard-of"] = 1
	if err := schema.Validate(first); err == nil {
		t.Error("the schema of rows does not notice a field that it does not have")
	}
	if err := WriteRows(&b, "xlsx", nil); err == nil {
		t.Error("WriteRows knows a format that there is not")
	}
}
