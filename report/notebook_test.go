package report

import (
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestNotebook executes the cells of docs/reports.ipynb on reports in JSON, by a Python with pandas and matplotlib that
// OTISK_PYTHON can name.
func TestNotebook(t *testing.T) {
	python := cmp.Or(os.Getenv("OTISK_PYTHON"), "python3")
	if exec.Command(python, "-c", "import pandas, matplotlib").Run() != nil {
		t.Skip("no Python with pandas and matplotlib to execute docs/reports.ipynb with: name one in OTISK_PYTHON")
	}
	data, err := os.ReadFile("../docs/reports.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	var notebook struct {
		Cells []struct {
			Kind   string `json:"cell_type"`
			Source []string
		}
	}
	if err := json.Unmarshal(data, &notebook); err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	for _, c := range notebook.Cells {
		if c.Kind == "code" {
			script.WriteString(strings.Join(c.Source, "") + "\n")
		}
	}
	script.WriteString("print(len(texts), len(sources), texts['percent'].max())\n")
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "reports"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]*Report{"sample": sample(), "reviewed": reviewed(), "empty": empty()} {
		text := render(t, "json", r, Options{})
		if err := os.WriteFile(filepath.Join(dir, "reports", name+".out.json"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), python, "-c", script.String())
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "MPLBACKEND=Agg", "MPLCONFIGDIR="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "3 4 ") {
		t.Errorf("the notebook: %v, want 3 texts and 4 sources\n%s", err, out)
	}
	if picture, err := os.Stat(filepath.Join(dir, "scores.png")); err != nil || picture.Size() < 5000 {
		t.Errorf("the picture: %v", err)
	}
}
