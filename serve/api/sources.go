package api

import "github.com/otisk/otisk/serve/desk"

// NewSource is a source of documents to add to a collection.
type NewSource struct {
	Kind    string `json:"kind" enum:"folder,oai,feed"`
	Address string `json:"address" doc:"full path of a folder on the server, or URL"`
	Part    string `json:"part,omitempty" doc:"set of a repository"`
	Hours   int    `json:"hours" doc:"between two runs; 0 for one run"`
}

func addSource(c *call, in NewSource) (any, error) {
	id, err := c.s.Desk.AddSource(c.Context(), c.actor, c.id(), desk.Source{Kind: in.Kind, Address: in.Address, Part: in.Part, Hours: in.Hours})
	return ID{id}, err
}

func describeTable(c *call, f *Form) (any, error) {
	ids, err := c.s.Desk.Describe(c.Context(), c.actor, c.id(), c.Header.Get("Idempotency-Key"), f.Files)
	return Additions{ids}, err
}

func describeOne(c *call, in desk.Metadata) (any, error) {
	id, err := c.s.Desk.DescribeOne(c.Context(), c.actor, c.id(), in, false)
	return Additions{[]string{id}}, err
}
