package api

// Keep is after how many days something is deleted.
type Keep struct {
	Days int `json:"days" doc:"0 for never, at most 36525"`
}

func retainCheck(c *call, in Keep) (any, error) {
	return nil, c.s.Desk.KeepCheck(c.Context(), c.actor, c.id(), in.Days)
}

func retainDocuments(c *call, in Keep) (any, error) {
	return nil, c.s.Desk.KeepDocuments(c.Context(), c.actor, c.id(), in.Days)
}
