package api

func newWebhook(c *call, in NewWebhook) (any, error) {
	id, secret, err := c.s.Desk.NewWebhook(c.Context(), c.actor, in.URL, in.Events)
	return CreatedWebhook{id, secret}, err
}
