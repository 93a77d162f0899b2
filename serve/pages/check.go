package pages

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/work"
)

// A checkPage is the data of the page on which texts are uploaded.
type checkPage struct {
	settingChoices
	Open  []desk.Check // that are not finished
	First []firstStep  // that the server still needs, nil for none
}

// settingChoices are the choices among the settings of a check.
type settingChoices struct {
	Collections []desk.Collection
	Labels      []string
	Presets     []desk.Preset
	Given       []desk.GivenText
	Last        *desk.Submission // of the user, whose settings the form has; nil for none
}

// Chosen reports whether the form has a collection ticked.
func (c settingChoices) Chosen(id string) bool {
	return len(c.Collections) == 1 || c.Last != nil && (c.Last.Collection == id || slices.Contains(c.Last.Also, id))
}

// Settings returns the settings that the form has.
func (c settingChoices) Settings() work.Preset {
	if c.Last == nil {
		return work.Preset{}
	}
	return c.Last.Preset
}

// Changed reports whether the form has settings other than the default ones, which the page must not hide.
func (c settingChoices) Changed() bool {
	return c.Last != nil && (!reflect.DeepEqual(c.Last.Preset, work.Preset{}) || c.Last.Keep > 0)
}

// lastChoices returns the choices with the settings of the last upload or course of the user.
func (v *visit) lastChoices(courses bool) (c settingChoices, err error) {
	if c, err = v.settingChoices(v.actor); err == nil {
		c.Last, err = v.s.Desk.LastSubmission(v.Context(), v.actor, courses)
	}
	return c, err
}

func (v *visit) settingChoices(a accounts.Actor) (c settingChoices, err error) {
	if c.Collections, err = v.s.Desk.Collections(v.Context(), a); err != nil {
		return c, err
	}
	if c.Labels, err = v.s.Desk.Labels(v.Context(), a); err != nil {
		return c, err
	}
	if c.Presets, err = v.s.Desk.Presets(v.Context(), a); err != nil {
		return c, err
	}
	c.Given, err = v.s.Desk.GivenTexts(v.Context(), a)
	return c, err
}

func showCheck(v *visit) (err error) {
	var p checkPage
	if p.settingChoices, err = v.lastChoices(false); err != nil {
		return err
	}
	if p.First, err = v.firstSteps(p.Collections); err != nil {
		return err
	}
	for _, state := range []string{"running", "queued"} {
		list, _, err := v.s.Desk.Checks(v.Context(), v.actor, desk.Filter{State: state, Sort: "created", Limit: 100})
		if err != nil {
			return err
		}
		p.Open = append(p.Open, list...)
	}
	return v.show("check", v.lang.Text("web.check"), p)
}

func submit(v *visit) error {
	f, err := v.readForm()
	if err != nil {
		return err
	}
	s, err := api.SubmissionOf(f)
	if err != nil {
		v.s.Desk.Discard(v.Context(), f.Files)
		return err
	}
	id, err := v.s.Desk.Submit(v.Context(), v.actor, s, f.Value("key"), f.Files)
	return v.after(err, "/submissions/"+id)
}

// A submissionPage is the data of the page of texts that were uploaded together.
type submissionPage struct {
	*desk.Submission
	Against string // names of the collections
	Checks  []desk.Check
	Left    int // checks that are not finished

	Progress *desk.Progress // nil if all are finished
	paging
}

func showSubmission(v *visit) error {
	s, err := v.s.Desk.Submission(v.Context(), v.actor, v.PathValue("id"))
	if err != nil {
		return err
	}
	if s.Course {
		return v.goTo("/courses/" + s.ID)
	}
	p := submissionPage{Submission: s}
	if p.Checks, err = v.texts(s); err != nil {
		return err
	}
	for i := range p.Checks {
		p.Against = p.Checks[i].CollectionName
		if !finished(&p.Checks[i]) {
			p.Left++
		}
	}
	p.Checks, p.paging = pageOf(v, p.Checks, classRows)
	if p.Left > 0 {
		if p.Progress, err = v.s.Desk.Progress(v.Context(), v.actor, s.ID); err != nil {
			return err
		}
	}
	return v.show("submission", cmp.Or(s.Label, v.lang.Text("web.submission")), p)
}

func cancel(v *visit) error {
	_, err := v.s.Desk.Cancel(v.Context(), v.actor, v.PathValue("id"))
	return v.after(err, "/submissions/{id}")
}

// A firstStep is a step of the list for who sets the server up.
type firstStep struct {
	Message, Path string
	Done          bool
}

// firstSteps returns what the server still needs before others can use it: nil if nothing is missing, or if the user may not do it.
func (v *visit) firstSteps(collections []desk.Collection) ([]firstStep, error) {
	if !v.actor.May(accounts.ManageUsers) {
		return nil, nil
	}
	documents := lists.Sum(collections, func(c desk.Collection) int64 { return c.Documents })
	_, checked, err := v.s.Desk.Checks(v.Context(), v.actor, desk.Filter{Limit: 1})
	if err != nil {
		return nil, err
	}
	users, err := v.s.Desk.Users(v.Context(), v.actor)
	if err != nil {
		return nil, err
	}
	steps := []firstStep{
		{"guide.first-collection", "/collections", len(collections) > 0},
		{"guide.first-documents", "/collections", documents > 0},
		{"guide.first-check", "/check#file", checked > 0},
		{"guide.first-users", "/users", len(users) > 1},
	}
	for _, s := range steps {
		if !s.Done {
			return steps, nil
		}
	}
	return nil, nil
}
