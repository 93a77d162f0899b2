package esclient

import (
	"context"
	"io"
	"slices"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/otisk/otisk/esclient/wire"
)

// A loadedState has the values, from before a bulk load, of the settings that the load
// changes. The head keeps it until they are restored, so that the next writer restores
// them if this one dies.
type loadedState struct {
	Replicas string `json:"number_of_replicas"`
	Expand   string `json:"auto_expand_replicas"`
	Refresh  string `json:"refresh_interval,omitempty"` // "" for the default of the server
}

// beginLoad turns off periodic refreshes and replicas, which slow down the loading of an
// empty index. The server makes the replicas at once at the end.
func (s *Store) beginLoad(ctx context.Context) error {
	before, err := s.c.loadState(ctx, s.names.documents())
	if err != nil {
		return err
	}
	if err := s.lease.change(ctx, func(h *head) { h.Loading = &before }); err != nil {
		return err
	}
	return s.setAll(ctx, object{"refresh_interval": "-1", "auto_expand_replicas": "false", "number_of_replicas": "0"})
}

// endLoad restores the settings that a bulk load changed, if there was one.
func (s *Store) endLoad(ctx context.Context) error {
	before := s.lease.get().Loading
	if before == nil {
		return nil
	}
	settings := object{"refresh_interval": nil}
	if before.Refresh != "" {
		settings["refresh_interval"] = before.Refresh
	}
	if before.Expand == "" || before.Expand == "false" {
		settings["number_of_replicas"] = before.Replicas
	} else {
		settings["auto_expand_replicas"] = before.Expand
	}
	if err := s.setAll(ctx, settings); err != nil {
		return err
	}
	return s.lease.change(ctx, func(h *head) { h.Loading = nil })
}

func (c *conn) loadState(ctx context.Context, index string) (loadedState, error) {
	var a map[string]struct {
		Settings struct {
			Index loadedState `json:"index"`
		} `json:"settings"`
	}
	err := c.Do(ctx, wire.Request{Op: "read settings of index", Call: wire.Plain(esapi.IndicesGetSettingsRequest{Index: []string{index}}), Out: &a})
	return a[index].Settings.Index, err
}

func (s *Store) setAll(ctx context.Context, settings object) error {
	list, err := s.c.list(ctx)
	if err != nil {
		return err
	}
	return s.c.configure(ctx, "change settings of index", list, marshal(object{"index": settings}))
}

func (c *conn) configure(ctx context.Context, op string, list []string, body []byte) error {
	for some := range slices.Chunk(list, addressed) {
		err := c.Do(ctx, wire.Request{Op: op, Body: body, Call: func(body io.Reader) esapi.Request {
			return esapi.IndicesPutSettingsRequest{Index: some, Body: body}
		}})
		if err != nil {
			return err
		}
	}
	return nil
}
