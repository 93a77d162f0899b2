package api

func webhooks(c *call) (any, error) { return c.s.Desk.Webhooks(c.Context(), c.actor) }

func newWebhook(c *call) (any, error) {
	var in NewWebhook
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	id, secret, err := c.s.Desk.NewWebhook(c.Context(), c.actor, in.URL, in.Events)
	return CreatedWebhook{id, secret}, err
}

func deleteWebhook(c *call) (any, error) {
	return nil, c.s.Desk.DeleteWebhook(c.Context(), c.actor, c.id())
}

func deliveries(c *call) (any, error) {
	limit, err := c.number("limit")
	if err != nil {
		return nil, err
	}
	return c.s.Desk.Deliveries(c.Context(), c.actor, c.id(), limit)
}

func tryWebhook(c *call) (any, error) {
	return nil, c.s.Desk.TryWebhook(c.Context(), c.actor, c.id())
}
