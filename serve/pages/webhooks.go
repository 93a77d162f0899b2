package pages

import (
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/hooks"
)

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
	for _, w := range p.Webhooks {
		p.Working = p.Working || w.Open > 0
	}
	return v.show("webhooks", v.lang.Text("hook.title"), p)
}

func newWebhook(v *visit) error {
	_, secret, err := v.s.Desk.NewWebhook(v.Context(), v.actor, v.PostFormValue("url"), v.PostForm["event"])
	if err != nil {
		return err
	}
	return v.showWebhooks(secret)
}
