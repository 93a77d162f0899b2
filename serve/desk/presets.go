package desk

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/otisk/otisk/search/exclude"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/work"
)

// The presets are the settings and the given texts that a group keeps for its checks.
type presets struct {
	room
	uploads *uploads
	remains *remains
}

// A Preset is named settings of a check, which a group keeps. A check copies them: a later change of
// the preset does not apply to it.
type Preset struct {
	ID       string      `json:"id"`
	Name     string      `json:"name"`
	Label    string      `json:"label"`          // of submissions that have none
	Keep     int         `json:"keep,omitempty"` // days after which checks are deleted, of submissions that have none
	Settings work.Preset `json:"settings"`
	Created  time.Time   `json:"created"`
}

// A GivenText is a text that everybody was given, such as an assignment or a template.
type GivenText struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Size    int64     `json:"size"` // bytes
	Created time.Time `json:"created"`
}

// mostWords is the limit of a setting that is a number of words.
const mostWords = 1_000_000

// checkPreset validates the settings of a check. Given texts are excluded from the score.
func checkPreset(p *work.Preset) error {
	switch {
	case p.MinPassage < 0 || p.MinPassage > mostWords:
		return outside("min_passage", 0, mostWords)
	case p.MinSource < 0 || p.MinSource > mostWords:
		return outside("min_source", 0, mostWords)
	case !(p.MinSourcePercent >= 0 && p.MinSourcePercent <= 100):
		return outside("min_source_percent", 0, 100)
	}
	for _, kind := range p.Exclude {
		if !slices.Contains(exclude.Kinds(), kind) {
			return Wrong("exclude", "serve.exclude", "unknown kind of stretch")
		}
	}
	template := slices.Contains(p.Exclude, exclude.Template)
	switch {
	case template && len(p.Given) == 0:
		return Wrong("exclude", "serve.template", "choose a given text to leave out of the score")
	case !template && len(p.Given) > 0:
		p.Exclude = append(slices.Clone(p.Exclude), exclude.Template)
	}
	return nil
}

// knownGiven makes a transaction fail unless all given texts of the settings are of the actor's group.
func knownGiven(tx *storage.Tx, a accounts.Actor, p *work.Preset) {
	for _, id := range p.Given {
		unknown := Wrong("given", "serve.given", "unknown given text")
		tx.RefuseIf(unknown, `SELECT NOT EXISTS (SELECT 1 FROM given_texts WHERE id = ? AND group_id = ?)`, id, a.Group)
	}
}

// Presets returns the presets of the actor's group, by name.
func (d *presets) Presets(ctx context.Context, a accounts.Actor) ([]Preset, error) {
	return listFor(ctx, may(a, accounts.CheckTexts), d.folder.Read, scanPreset, selectPresets+` ORDER BY name COLLATE NOCASE`, a.Group)
}

const selectPresets = `SELECT id, name, label, preset, keep, created FROM presets WHERE group_id = ?`

func scanPreset(row func(...any) error, p *Preset) error {
	var settings string
	if err := row(&p.ID, &p.Name, &p.Label, &settings, &p.Keep, millis{&p.Created}); err != nil {
		return err
	}
	return json.Unmarshal([]byte(settings), &p.Settings)
}

// SavePreset creates a preset, or replaces the one with the id unless it is empty. It returns the id.
func (d *presets) SavePreset(ctx context.Context, a accounts.Actor, id string, p Preset) (string, error) {
	if err := may(a, accounts.ChangePresets); err != nil {
		return "", err
	}
	var err error
	if p.Name, err = checkName(p.Name); err != nil {
		return "", err
	}
	if p.Label = strings.TrimSpace(p.Label); longer(p.Label, mostLabel) {
		return "", Wrong("label", "serve.label", "a label has at most {most} characters", "most", mostLabel)
	}
	if err := errors.Join(checkPreset(&p.Settings), checkKeep("keep", p.Keep)); err != nil {
		return "", err
	}
	settings, err := json.Marshal(p.Settings)
	if err != nil {
		return "", err
	}
	err = d.folder.Write(ctx, func(tx *storage.Tx) {
		knownGiven(tx, a, &p.Settings)
		if id == "" {
			id = accounts.NewID()
			tx.Change(ErrInUse, `INSERT INTO presets (id, group_id, name, label, preset, keep, created) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
				id, a.Group, p.Name, p.Label, string(settings), p.Keep, now())
		} else {
			tx.RefuseIf(ErrNotFound, `SELECT NOT EXISTS (SELECT 1 FROM presets WHERE id = ? AND group_id = ?)`, id, a.Group)
			tx.Change(ErrInUse, `UPDATE presets SET name = ?1, label = ?2, preset = ?3, keep = ?4 WHERE id = ?5 AND group_id = ?6
				AND NOT EXISTS (SELECT 1 FROM presets o WHERE o.group_id = ?6 AND o.name = ?1 AND o.id != ?5)`, p.Name, p.Label, string(settings), p.Keep, id, a.Group)
		}
		note(tx, a, "save preset", id, p.Name)
	})
	return id, err
}

// DeletePreset deletes a preset. Checks keep their settings.
func (d *presets) DeletePreset(ctx context.Context, a accounts.Actor, id string) error {
	return d.change(ctx, may(a, accounts.ChangePresets), func(tx *storage.Tx) {
		tx.Change(ErrNotFound, `DELETE FROM presets WHERE id = ? AND group_id = ?`, id, a.Group)
		note(tx, a, "delete preset", id, "")
	})
}

// GivenTexts returns the given texts of the actor's group, by name.
func (d *presets) GivenTexts(ctx context.Context, a accounts.Actor) ([]GivenText, error) {
	return listFor(ctx, may(a, accounts.CheckTexts), d.folder.Read, func(row func(...any) error, g *GivenText) error {
		return row(&g.ID, &g.Name, &g.Size, millis{&g.Created})
	}, `SELECT id, name, size, created FROM given_texts WHERE group_id = ? ORDER BY name COLLATE NOCASE, created`, a.Group)
}

// AddGiven keeps uploaded files as given texts, and returns their ids. A file that the group has
// under the same name is kept once. On an error, AddGiven discards the uploads.
func (d *presets) AddGiven(ctx context.Context, a accounts.Actor, uploads []*Upload) (ids []string, err error) {
	var twice []*Upload
	defer func() {
		if err != nil {
			twice = uploads
		}
		d.uploads.Discard(ctx, twice)
	}()
	err = d.change(ctx, cmp.Or(may(a, accounts.ChangePresets), anyFile(uploads)), func(tx *storage.Tx) {
		for _, u := range uploads {
			var id string
			if tx.Row(`SELECT id FROM given_texts WHERE group_id = ? AND name = ? AND sum = ?`, a.Group, u.Name, u.sum).Scan(&id) {
				twice = append(twice, u)
			} else {
				id = accounts.NewID()
				tx.Exec(`INSERT INTO given_texts (id, group_id, name, file, sum, size, created) VALUES (?, ?, ?, ?, ?, ?, ?)`, id, a.Group, u.Name, u.file, u.sum, u.Size, now())
				note(tx, a, "add given text", id, u.Name)
			}
			ids = append(ids, id)
		}
	})
	return ids, err
}

// DeleteGiven deletes a given text. It returns ErrGiven if a preset, a course or a check that is queued
// or running has it.
func (d *presets) DeleteGiven(ctx context.Context, a accounts.Actor, id string) error {
	var left []string
	err := d.change(ctx, may(a, accounts.ChangePresets), func(tx *storage.Tx) {
		var file string
		var used bool
		tx.Row(`SELECT EXISTS (SELECT 1 FROM presets WHERE instr(preset, '"' || ?1 || '"') > 0)
			OR EXISTS (SELECT 1 FROM submissions s WHERE instr(s.preset, '"' || ?1 || '"') > 0 AND (EXISTS (SELECT 1 FROM checks WHERE submission_id = s.id AND state IN ('queued', 'running')) OR EXISTS (SELECT 1 FROM courses WHERE id = s.id)))`, id).Scan(&used)
		tx.RowOr(ErrNotFound, `SELECT file FROM given_texts WHERE id = ? AND group_id = ?`, id, a.Group).Scan(&file)
		if used {
			tx.Fail(ErrGiven)
		}
		tx.Exec(`DELETE FROM given_texts WHERE id = ?`, id)
		left = insertRemains(tx, remain{kind: remainFile, name: file})
		note(tx, a, "delete given text", id, "")
	})
	if err == nil {
		d.remains.remove(ctx, left)
	}
	return err
}

// givenFiles returns the stored files of given texts for a task, in the order of the settings.
func (d *presets) givenFiles(ctx context.Context, ids []string) (files []work.File, err error) {
	for _, id := range ids {
		var file, name string
		if err := d.folder.Read.QueryRowContext(ctx, `SELECT file, name FROM given_texts WHERE id = ?`, id).Scan(&file, &name); err != nil {
			return nil, err
		}
		files = append(files, work.File{Path: file, Name: name})
	}
	return files, nil
}
