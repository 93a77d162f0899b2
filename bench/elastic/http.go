package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// A server is a node that is spoken to without Otisk's client.
type server string

// call sends one request and decodes the answer into out, if not nil.
func (s server) call(ctx context.Context, method, path string, body []byte, out any) error {
	req, err := http.NewRequestWithContext(ctx, method, string(s)+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode > 299 {
		reason, _ := io.ReadAll(resp.Body) // said as far as it came
		return fmt.Errorf("%s %s: %s: %.500s", method, path, resp.Status, reason)
	}
	if out == nil {
		_, err = io.Copy(io.Discard, resp.Body)
		return err
	}
	return json.NewDecoder(resp.Body).Decode(out)
}

// storeBytes returns the size of the index that is measured.
func (s server) storeBytes(ctx context.Context) (int64, error) {
	var stats struct {
		All struct {
			Primaries struct {
				Store struct {
					Size int64 `json:"size_in_bytes"`
				}
			}
		} `json:"_all"`
	}
	err := s.call(ctx, "GET", "/blocks/_stats/store", nil, &stats)
	return stats.All.Primaries.Store.Size, err
}
