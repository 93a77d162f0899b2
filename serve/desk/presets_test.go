package desk

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/storage/storagetest"
	"github.com/otisk/otisk/serve/work"
)

// give uploads a given text.
func give(t *testing.T, d *Desk, a accounts.Actor, name, text string) string {
	t.Helper()
	u, err := d.Receive(t.Context(), a, accounts.ChangePresets, name, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	ids, err := d.AddGiven(t.Context(), a, []*Upload{u})
	if err != nil || len(ids) != 1 {
		t.Fatal(ids, err)
	}
	return ids[0]
}

// TestPresets: a check copies the settings of a preset, and its given texts stay as long as they are
// needed.
func TestPresets(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	d, f := open(t, t.TempDir())
	a := administrator(t, d)
	text := give(t, d, a, "assignment.txt", "write an essay")
	if again := give(t, d, a, "assignment.txt", "write an essay"); again != text {
		t.Errorf("the same file again has the id %s, want %s", again, text)
	}
	if files := storagetest.Names(t, f, storage.Files); len(files) != 1 {
		t.Errorf("files %v, want one", files)
	}
	id, err := d.SavePreset(ctx, a, "", Preset{Name: " Bachelor ", Label: "2026", Settings: work.Preset{Exclude: []string{"abstract"}, MinPassage: 9, Given: []string{text}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.SavePreset(ctx, a, "", Preset{Name: "Bachelor"}); !errors.Is(err, ErrInUse) {
		t.Errorf("a second preset with the name: %v, want ErrInUse", err)
	}
	c := submit(t, d, a, "essay.txt", "text", "")
	u, err := d.Receive(ctx, a, accounts.CheckTexts, "essay.txt", strings.NewReader("text"))
	if err != nil {
		t.Fatal(err)
	}
	sub, err := d.Submit(ctx, a, Submission{Collection: c.Collection, PresetID: id}, "", []*Upload{u})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.SavePreset(ctx, a, id, Preset{Name: "Master"}); err != nil {
		t.Fatal(err)
	}
	s, err := d.Submission(ctx, a, sub)
	if err != nil || s.Label != "2026" || s.Preset.MinPassage != 9 || !slices.Equal(s.Preset.Exclude, []string{"abstract", "template"}) || !slices.Equal(s.Preset.Given, []string{text}) {
		t.Errorf("the submission has %+v, %v, want the settings of the preset before the change", s, err)
	}
	if err := d.DeleteGiven(ctx, a, text); !errors.Is(err, ErrGiven) {
		t.Errorf("DeleteGiven of a text that a check needs: %v, want ErrGiven", err)
	}
	if _, err := d.Cancel(ctx, a, sub); err != nil {
		t.Fatal(err)
	}
	if err := d.DeletePreset(ctx, a, id); err != nil {
		t.Fatal(err)
	}
	if err := d.DeleteGiven(ctx, a, text); err != nil {
		t.Errorf("DeleteGiven = %v", err)
	}
	if files := storagetest.Names(t, f, storage.Files); len(files) != 2 {
		t.Errorf("files %v, want those of the checks", files)
	}
}

// TestSettingsRefused: settings that a check could not follow are refused, and leave no file.
func TestSettingsRefused(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	d, f := open(t, t.TempDir())
	a := administrator(t, d)
	id, err := d.SavePreset(ctx, a, "", Preset{Name: "Bachelor"})
	if err != nil {
		t.Fatal(err)
	}
	collection, err := d.NewCollection(ctx, a, "Theses", false)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []Submission{
		{Preset: work.Preset{Exclude: []string{"template"}}},
		{Preset: work.Preset{Exclude: []string{"everything"}}},
		{Preset: work.Preset{Given: []string{"unknown"}}},
		{Preset: work.Preset{MinPassage: 1}, PresetID: id},
		{PresetID: "unknown"},
	} {
		s.Collection = collection
		u, err := d.Receive(ctx, a, accounts.CheckTexts, "a.txt", strings.NewReader("text"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.Submit(ctx, a, s, "", []*Upload{u}); !errors.As(err, new(*Invalid)) {
			t.Errorf("Submit(%+v) = %v, want an Invalid", s, err)
		}
	}
	// A write that fails keeps no file.
	if err := f.Write(ctx, execute(storagetest.Refusal("full_disk", "BEFORE INSERT ON given_texts"))); err != nil {
		t.Fatal(err)
	}
	u, err := d.Receive(ctx, a, accounts.ChangePresets, "given.txt", strings.NewReader("text"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.AddGiven(ctx, a, []*Upload{u}); err == nil {
		t.Error("AddGiven succeeds on a full disk")
	}
	if files := storagetest.Names(t, f, storage.Files); len(files) != 0 {
		t.Errorf("files %v are left", files)
	}
}

// TestGivenTask: a task names the files of given texts.
func TestGivenTask(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	d, f := open(t, t.TempDir())
	a := administrator(t, d)
	text := give(t, d, a, "assignment.txt", "write an essay")
	c := submit(t, d, a, "a.txt", "text", "")
	settings, err := json.Marshal(work.Preset{Given: []string{text}})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Write(ctx, execute(`UPDATE submissions SET preset = ?`, string(settings))); err != nil {
		t.Fatal(err)
	}
	job := work.Job{Kind: work.Check, Collection: c.Collection}
	if err := f.Read.QueryRowContext(ctx, `SELECT id FROM jobs`).Scan(&job.ID); err != nil {
		t.Fatal(err)
	}
	task, err := d.Start(ctx, job)
	if err != nil {
		t.Fatal(err)
	}
	if len(task.Given) != 1 || task.Given[0].Name != "assignment.txt" {
		t.Fatalf("given texts %+v, want one", task.Given)
	}
	if data, err := os.ReadFile(task.Given[0].Path); err != nil || string(data) != "write an essay" {
		t.Errorf("the given text has %q, %v", data, err)
	}
}
