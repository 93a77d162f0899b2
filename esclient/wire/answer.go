package wire

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

// Types of Elasticsearch's errors, for [HasCause].
const (
	NoIndex = "index_not_found_exception"
	InUse   = "resource_already_exists_exception" // the index exists

	closedIndex = "index_closed_exception"
)

type answer struct {
	status int
	cause  cause
	text   string // the body, if it is not the JSON of an error
}

type cause struct {
	Type   string  `json:"type"`
	Reason string  `json:"reason"`
	Index  string  `json:"index"`
	Cause  *cause  `json:"caused_by"`
	Root   []cause `json:"root_cause"`
	Failed []struct {
		Reason cause `json:"reason"`
	} `json:"failed_shards"`
}

// UnmarshalJSON accepts an object, or the plain string of some errors.
func (c *cause) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &c.Reason)
	}
	type plain cause
	return json.Unmarshal(b, (*plain)(c))
}

// readAnswer reads the body of a rejection. A truncated body is an error, because the
// cause may be in the missing part.
func readAnswer(status int, body io.Reader) (answer, error) {
	raw, err := io.ReadAll(io.LimitReader(body, 64<<10))
	if err != nil {
		return answer{}, err
	}
	var parsed struct {
		Error cause `json:"error"`
	}
	if json.Unmarshal(raw, &parsed) != nil || parsed.Error.Type == "" && parsed.Error.Reason == "" {
		return answer{status: status, text: strings.TrimSpace(string(raw))}, nil
	}
	return answer{status: status, cause: parsed.Error}, nil
}

func (a answer) includes(kind string) bool { return a.cause.includes(kind) }

func (c cause) includes(kind string) bool {
	if c.Type == kind || c.Cause != nil && c.Cause.includes(kind) {
		return true
	}
	for _, f := range c.Failed {
		if f.Reason.includes(kind) {
			return true
		}
	}
	return slices.ContainsFunc(c.Root, func(r cause) bool { return r.includes(kind) })
}

// reason returns the status and the different causes on one line, shortened.
func (a answer) reason() string {
	text := cmp.Or(a.cause.Reason, a.cause.Type, a.text)
	add := func(reason string) {
		if !strings.Contains(text, reason) {
			text += ": " + reason
		}
	}
	for c := a.cause.Cause; c != nil && c.Reason != ""; c = c.Cause {
		add(c.Reason)
	}
	for _, f := range a.cause.Failed {
		add(f.Reason.Reason)
	}
	if len(text) > 300 {
		text = text[:300] + "…"
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s %s", a.status, http.StatusText(a.status), strings.Join(strings.Fields(text), " ")))
}

func (a answer) kind() Kind {
	said := strings.ToLower(a.reason())
	switch {
	case a.includes("cluster_block_exception") && !strings.Contains(said, "no master") && !strings.Contains(said, "not recovered"):
		return ReadOnly
	case a.status == http.StatusUnauthorized && strings.Contains(said, "expired"):
		return Expired
	case a.status == http.StatusUnauthorized:
		return Unauthorized
	case a.status == http.StatusForbidden:
		return Forbidden
	case a.status == http.StatusTooManyRequests:
		return Overloaded
	case a.includes("no_shard_available_action_exception") || a.includes("unavailable_shards_exception"):
		return Red
	case a.status >= 500:
		return Broken
	}
	return Refused
}

// again reports whether the same request may succeed later.
func (a answer) again() bool {
	switch a.status {
	case http.StatusTooManyRequests:
		return a.kind() != ReadOnly
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return a.kind() != ReadOnly
	}
	return a.status == http.StatusInternalServerError && a.transient()
}

// transient reports whether the causes include an error that a cluster returns while one
// of its nodes leaves.
func (a answer) transient() bool {
	if a.includes("cluster_block_exception") && a.kind() != ReadOnly { // there is no master
		return true
	}
	return slices.ContainsFunc([]string{
		"node_not_connected_exception", "node_disconnected_exception", "node_closed_exception", "no_node_available_exception",
		"connect_transport_exception", "receive_timeout_transport_exception", "alreadyclosed_exception", "already_closed_exception",
		"shard_not_found_exception", "index_shard_closed_exception", "no_shard_available_action_exception",
		"illegal_index_shard_state_exception", "process_cluster_event_timeout_exception", "send_request_transport_exception",
		"not_master_exception", "failed_to_commit_cluster_state_exception", "index_shard_not_started_exception",
		"shard_not_in_primary_mode_exception", "es_rejected_execution_exception", "circuit_breaking_exception",
	}, a.includes)
}
