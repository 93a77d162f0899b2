package esclient

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/esclient/wire"
)

// TestSeveralSearches: of several searches in one request, those that fail are sent again,
// those that succeeded are not, and an answer that lacks one counts for none.
func TestSeveralSearches(t *testing.T) {
	const full, empty = `{"status":200,"hits":{"hits":[{"sort":[%d,0,9]}]}}`, `{"status":200}`
	one := func(n int) string { return fmt.Sprintf(full, n) }
	const busy = `{"status":429,"error":{"type":"es_rejected_execution_exception","reason":"full"}}`
	for _, tt := range []struct {
		name    string
		answers []string
		sent    []int // searches in each request
		want    string
	}{
		{"all succeed", []string{one(1) + "," + empty + "," + one(3)}, []int{3}, "[1 3]"},
		{"one is refused", []string{one(1) + "," + busy + "," + one(3), one(2)}, []int{3, 1}, "[1 2 3]"},
		{"all are refused", []string{busy + "," + busy + "," + busy, one(1) + "," + one(2) + "," + busy, one(3)}, []int{3, 3, 1}, "[1 2 3]"},
		{"one is missing", []string{one(1) + "," + one(2), one(1) + "," + one(2) + "," + one(3)}, []int{3, 3}, "[1 2 3]"},
		{"another program", []string{"", one(1) + "," + one(2) + "," + one(3)}, []int{3, 3}, "[1 2 3]"},
	} {
		var sent []int
		f := newFake(t, Config{Config: wire.Config{Pause: time.Microsecond, Retries: 5}}, func(number int, r *http.Request) (int, string, error) {
			body, err := io.ReadAll(r.Body)
			sent = append(sent, strings.Count(string(body), `"pit":{"id":"point"`))
			return 200, `{"took":1,"responses":[` + tt.answers[len(sent)-1] + `]}`, err
		})
		p := newPoints(f.conn, names{"x", 1}, head{})
		p.swap("", "point")
		var got []int64
		queries := slices.Repeat([]object{{"query": object{"match_all": object{}}}}, 3)
		err := p.several(t.Context(), "look up", pairsPart, queries, "hits.hits.sort", func(_ int, o *searchOutcome) error {
			for _, h := range o.Hits.Hits {
				got = append(got, h.Sort[0])
			}
			return nil
		})
		slices.Sort(got)
		if err != nil || fmt.Sprint(got) != tt.want || !slices.Equal(sent, tt.sent) {
			t.Errorf("%s: found %v, %v, sent %v; want %s, %v", tt.name, got, err, sent, tt.want, tt.sent)
		}
	}
}

// TestSeveralTooLarge: searches that are too large for a proxy together are sent in halves, and one that is too
// large alone is an error.
func TestSeveralTooLarge(t *testing.T) {
	for _, most := range []int{2, 1, 0} {
		f := newFake(t, Config{}, func(_ int, r *http.Request) (int, string, error) {
			body, err := io.ReadAll(r.Body)
			count := strings.Count(string(body), `"pit":{"id":"point"`)
			if count > most {
				return http.StatusRequestEntityTooLarge, "<html>", err
			}
			return 200, `{"took":1,"responses":[` + strings.TrimSuffix(strings.Repeat(`{"status":200},`, count), ",") + `]}`, err
		})
		p := newPoints(f.conn, names{"x", 1}, head{})
		p.swap("", "point")
		var answered []int
		queries := slices.Repeat([]object{{"query": object{"match_all": object{}}}}, 5)
		err := p.several(t.Context(), "look up", pairsPart, queries, "hits.hits.sort", func(i int, _ *searchOutcome) error {
			answered = append(answered, i)
			return nil
		})
		if most == 0 {
			if wire.Status(err) != http.StatusRequestEntityTooLarge {
				t.Errorf("one search is too large: %v, want status 413", err)
			}
			continue
		}
		if want := []int{0, 1, 2, 3, 4}; err != nil || !slices.Equal(answered, want) {
			t.Errorf("up to %d searches in a request: answered %v, %v, want %v", most, answered, err, want)
		}
	}
}

// TestSeveralRefused: a search that the server refuses for good ends all of them.
func TestSeveralRefused(t *testing.T) {
	f := newFake(t, Config{}, func(int, *http.Request) (int, string, error) {
		return 200, `{"took":1,"responses":[{"status":400,"error":{"type":"query_shard_exception","reason":"too many clauses"}}]}`, nil
	})
	p := newPoints(f.conn, names{"x", 1}, head{})
	p.swap("", "point")
	err := p.several(t.Context(), "look up", pairsPart, []object{{"query": object{}}}, "hits.hits.sort", func(int, *searchOutcome) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "too many clauses") || f.Sent() != 1 {
		t.Errorf("several = %v after %d requests, want the reason after one", err, f.Sent())
	}
}
