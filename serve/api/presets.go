package api

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/work"
)

// PresetChange is a preset to create or replace.
type PresetChange struct {
	Name     string      `json:"name"`
	Label    string      `json:"label" doc:"of submissions that have none"`
	Keep     int         `json:"keep,omitempty" doc:"days after which checks are deleted, of submissions that have none; 0 for never"`
	Settings work.Preset `json:"settings"`
}

// IDs are the ids of created resources.
type IDs struct {
	IDs []string `json:"ids"`
}

// FormOf returns a form without files.
func FormOf(values url.Values) *Form { return &Form{Values: values} }

// SettingsOf returns the settings of a check in a form.
func SettingsOf(f *Form) (p work.Preset, err error) {
	p.Exact = truth(f.Value("exact"))
	for _, list := range []struct {
		field string
		to    *[]string
	}{{"exclude", &p.Exclude}, {"given", &p.Given}} {
		for _, value := range f.Values[list.field] {
			for one := range strings.SplitSeq(value, ",") {
				if one != "" {
					*list.to = append(*list.to, one)
				}
			}
		}
	}
	for _, n := range []struct {
		field string
		to    *int
	}{{"min_passage", &p.MinPassage}, {"min_source", &p.MinSource}} {
		if *n.to, err = f.Int(n.field); err != nil {
			return p, err
		}
	}
	if text := f.Value("min_source_percent"); text != "" {
		if p.MinSourcePercent, err = strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64); err != nil {
			return p, desk.NotNumber("min_source_percent")
		}
	}
	return p, nil
}

func savePreset(c *call, in PresetChange) (any, error) {
	id, err := c.s.Desk.SavePreset(c.Context(), c.actor, c.id(), desk.Preset{Name: in.Name, Label: in.Label, Keep: in.Keep, Settings: in.Settings})
	if err == nil && c.Method == http.MethodPut {
		return nil, nil
	}
	return ID{id}, err
}

func addGiven(c *call, f *Form) (any, error) {
	ids, err := c.s.Desk.AddGiven(c.Context(), c.actor, f.Files)
	return IDs{ids}, err
}
