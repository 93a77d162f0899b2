package pages

import (
	"slices"

	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/work"
)

// A settingsView is the data of the fields for the settings of a check.
type settingsView struct {
	Lang     *lang.Printer
	Settings work.Preset
	Given    []desk.GivenText
}

// SettingsOf returns the data of the fields for the settings of a check.
func (v *view) SettingsOf(p work.Preset, given []desk.GivenText) settingsView {
	return settingsView{v.lang, p, given}
}

// Excludes reports whether the settings exclude a kind of stretch.
func (s settingsView) Excludes(kind string) bool { return slices.Contains(s.Settings.Exclude, kind) }

// Gives reports whether the settings have a given text.
func (s settingsView) Gives(id string) bool { return slices.Contains(s.Settings.Given, id) }

// A presetsPage is the data of the page of presets and given texts, or of the page of one preset.
type presetsPage struct {
	Presets []desk.Preset
	Given   []desk.GivenText
	Preset  desk.Preset // that is shown in the form; without an id, a new one
}

func showPresets(v *visit) error { return v.showPresets("") }

func showPreset(v *visit) error { return v.showPresets(v.PathValue("id")) }

func (v *visit) showPresets(id string) (err error) {
	var p presetsPage
	if p.Presets, err = v.s.Desk.Presets(v.Context(), v.actor); err != nil {
		return err
	}
	if p.Given, err = v.s.Desk.GivenTexts(v.Context(), v.actor); err != nil {
		return err
	}
	for _, one := range p.Presets {
		if one.ID == id {
			p.Preset = one
			return v.show("preset", one.Name, p)
		}
	}
	if id != "" {
		return desk.ErrNotFound
	}
	return v.show("presets", v.lang.Text("web.presets"), p)
}

func savePreset(v *visit) error {
	f := api.FormOf(v.PostForm)
	settings, err := api.SettingsOf(f)
	if err != nil {
		return err
	}
	keep, err := f.Int("keep")
	if err != nil {
		return err
	}
	_, err = v.s.Desk.SavePreset(v.Context(), v.actor, v.PathValue("id"), desk.Preset{Name: f.Value("name"), Label: f.Value("label"), Keep: keep, Settings: settings})
	return v.after(err, "/presets")
}

func addGiven(v *visit) error {
	f, err := v.readForm()
	if err != nil {
		return err
	}
	_, err = v.s.Desk.AddGiven(v.Context(), v.actor, f.Files)
	return v.after(err, "/presets")
}
