package pages

import (
	"cmp"
	"slices"

	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/hooks"
	"github.com/otisk/otisk/serve/tca"
)

// An integrationsPage is the data of the page of integrations.
type integrationsPage struct {
	Integrations []desk.Integration
	Change       *desk.Integration // that is shown in the form; without an id, a new one
	Collections  []desk.Collection
	Presets      []desk.Preset
	Address      string // for clients
	Key          string // that was created
}

// Checks reports whether the integration in the form is checked against a collection.
func (p *integrationsPage) Checks(id string) bool {
	return slices.Contains(p.Change.Collections, id)
}

func showIntegrations(v *visit) error { return v.showIntegrations("") }

func (v *visit) showIntegrations(key string) (err error) {
	p := &integrationsPage{Change: &desk.Integration{}, Address: v.s.BaseURL + tca.Root, Key: key}
	if p.Integrations, err = v.s.Desk.Integrations(v.Context(), v.actor); err != nil {
		return err
	}
	if p.Collections, err = v.s.Desk.Collections(v.Context(), v.actor); err != nil {
		return err
	}
	if p.Presets, err = v.s.Desk.Presets(v.Context(), v.actor); err != nil {
		return err
	}
	for i := range p.Integrations {
		if p.Integrations[i].ID == cmp.Or(v.PathValue("id"), v.FormValue("change")) {
			p.Change = &p.Integrations[i]
		}
	}
	return v.show("integrations", v.lang.Text("tca.title"), p)
}

func saveIntegration(v *visit) error {
	_, key, err := v.s.Desk.SaveIntegration(v.Context(), v.actor, v.PathValue("id"), desk.NewIntegration{
		Name: v.PostFormValue("name"), Collections: v.PostForm["collection"], Preset: v.PostFormValue("preset"), Index: v.PostFormValue("index"), Viewers: v.PostFormValue("viewers"), Terms: v.PostFormValue("terms"),
	})
	switch {
	case err != nil:
		return err
	case key != "":
		return v.showIntegrations(key)
	}
	return v.goTo("/integrations")
}

func newIntegrationKey(v *visit) error {
	key, err := v.s.Desk.NewIntegrationKey(v.Context(), v.actor, v.PathValue("id"))
	if err != nil {
		return err
	}
	return v.showIntegrations(key)
}

// A webhooksPage is the data of the page of webhooks.
type webhooksPage struct {
	Webhooks []desk.Webhook
	Events   []string
	Secret   string // of a webhook that was created
	Working  bool   // a delivery waits
}

func showWebhooks(v *visit) error { return v.showWebhooks("") }

func (v *visit) showWebhooks(secret string) (err error) {
	p := webhooksPage{Events: hooks.Events(), Secret: secret}
	if p.Webhooks, err = v.s.Desk.Webhooks(v.Context(), v.actor); err != nil {
		return err
	}
	p.Working = slices.ContainsFunc(p.Webhooks, func(w desk.Webhook) bool { return w.Open > 0 })
	return v.show("webhooks", v.lang.Text("hook.title"), p)
}

func newWebhook(v *visit) error {
	_, secret, err := v.s.Desk.NewWebhook(v.Context(), v.actor, v.PostFormValue("url"), v.PostForm["event"])
	if err != nil {
		return err
	}
	return v.showWebhooks(secret)
}
