package api

func deleteDocuments(c *call) (any, error) {
	id, err := c.s.Desk.DeleteDocuments(c.Context(), c.actor, c.id(), c.URL.Query()["name"])
	return ID{id}, err
}

func privateChecks(c *call) (any, error) {
	limit, err := c.number("limit")
	if err != nil {
		return nil, err
	}
	return c.s.Desk.PrivateChecks(c.Context(), c.actor, c.id(), limit)
}

func removals(c *call) (any, error) {
	limit, err := c.number("limit")
	if err != nil {
		return nil, err
	}
	return c.s.Desk.Removals(c.Context(), c.actor, c.id(), limit)
}
