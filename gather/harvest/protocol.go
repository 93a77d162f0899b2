package harvest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/otisk/otisk/gather/fetch"
	"github.com/otisk/otisk/internal/dates"
	"github.com/otisk/otisk/lang/phrase"
)

type repository struct {
	base   string // address, including credentials
	client *fetch.Client
	clock  fetch.Clock
	most   int64 // size limit for an answer in bytes
	told   func(error)

	name    string
	seconds bool   // granularity of dates is seconds
	deleted string // support for deleted records: no, transient, persistent
}

// attempts limits how often a request is repeated if its answer is damaged.
const attempts = 3

// ask sends a request. An error of the protocol is returned as a [*Fault]. If the answer is damaged
// at each attempt, ask returns its readable records. An answer without the element that the request
// names is no empty list, but an error.
func (r *repository) ask(ctx context.Context, args url.Values) (p *page, err error) {
	for range attempts {
		p, err = r.askOnce(ctx, args)
		if !errors.Is(err, errBroken) {
			break
		}
	}
	if err != nil && (p == nil || !errors.Is(err, errBroken)) {
		return nil, err
	}
	if p.repaired > 0 {
		r.told(phrase.Error("harvest.repaired", "{n} characters that XML forbids were replaced in an answer", "n", p.repaired))
	}
	if p.fault != nil && p.fault.Code != "noRecordsMatch" {
		return nil, p.fault
	}
	if verb := args.Get("verb"); p.top != nil && p.fault == nil && p.top.kid(verb) == nil {
		return nil, phrase.Error("gather.no-answer", "{address}: {cause}: it has no {element}", "address", fetch.Bare(r.base), "cause", errNoRepository, "element", "<"+verb+">")
	}
	return p, nil
}

// longestBusy is the longest Retry-After that a run waits for.
const longestBusy = 10 * time.Minute

func (r *repository) askOnce(ctx context.Context, args url.Values) (*page, error) {
	address := r.base
	if strings.Contains(address, "?") {
		address += "&" + args.Encode()
	} else {
		address += "?" + args.Encode()
	}
	req := fetch.Request{URL: address, Accept: "text/xml, application/xml", MaxBytes: r.most, NoRobots: true}
	res, err := r.client.Get(ctx, req)
	if busy, ok := errors.AsType[*fetch.BusyError](err); ok && busy.Until.Sub(r.clock.Now()) < longestBusy {
		if err := r.clock.Sleep(ctx, busy.Until.Sub(r.clock.Now())); err != nil {
			return nil, err
		}
		res, err = r.client.Get(ctx, req)
	}
	if err != nil {
		return nil, err
	}
	p, err := parsePage(ctx, res.Body)
	if p != nil {
		p.raw = res.Body
	}
	if bad := res.Err(); bad != nil && (err != nil || p.fault == nil) { // some servers send errors of the protocol with an HTTP error status
		return nil, bad
	}
	if err != nil {
		return p, fmt.Errorf("%s: %w", fetch.Bare(address), err)
	}
	return p, nil
}

func (r *repository) identify(ctx context.Context) error {
	p, err := r.ask(ctx, url.Values{"verb": {"Identify"}})
	if err != nil {
		return err
	}
	about := p.top.kid("Identify")
	if version := about.kid("protocolVersion").value(); version != "2.0" {
		return phrase.Error("gather.oai-version", "{address}: OAI-PMH {version}: only 2.0 is harvested", "address", fetch.Bare(r.base), "version", version)
	}
	r.name = about.kid("repositoryName").value()
	r.deleted = about.kid("deletedRecord").value()
	r.seconds = strings.Contains(about.kid("granularity").value(), "hh:mm:ss")
	return nil
}

func (r *repository) formats(ctx context.Context) (list []string, err error) {
	p, err := r.ask(ctx, url.Values{"verb": {"ListMetadataFormats"}})
	if err != nil {
		return nil, err
	}
	p.top.all(func(e *element) {
		if e.name == "metadataPrefix" {
			list = append(list, e.text)
		}
	})
	return list, nil
}

// mostSets limits the pages of sets that are read to look for one.
const mostSets = 1000

// requireSet returns an error wrapping [ErrSet] if the repository has no set of this name. A
// repository that does not list its sets may have it.
func (r *repository) requireSet(ctx context.Context, set string) error {
	var names []string
	args := url.Values{"verb": {"ListSets"}}
	for range mostSets {
		p, err := r.ask(ctx, args)
		if isFault(err, "noSetHierarchy") {
			return phrase.Error("gather.no-sets", "{address}: {cause}: {set}; it has no sets", "address", fetch.Bare(r.base), "cause", ErrSet, "set", set)
		}
		if err != nil {
			return nil
		}
		token := ""
		p.top.all(func(e *element) {
			switch e.name {
			case "setSpec":
				names = append(names, e.text)
			case "resumptionToken":
				token = e.text
			}
		})
		if slices.Contains(names, set) || len(names) == 0 {
			return nil
		}
		if token == "" {
			return phrase.Error("gather.sets", "{address}: {cause}: {set}; it has {list}", "address", fetch.Bare(r.base), "cause", ErrSet, "set", set, "list", someOf(names))
		}
		args = url.Values{"verb": {"ListSets"}, "resumptionToken": {token}}
	}
	return nil
}

func someOf(names []string) string {
	const shown = 10
	if len(names) > shown {
		names = append(slices.Clone(names[:shown]), "…")
	}
	return strings.Join(names, ", ")
}

func (r *repository) date(t time.Time) string {
	if r.seconds {
		return t.UTC().Format("2006-01-02T15:04:05Z")
	}
	return t.UTC().Format(time.DateOnly)
}

// parseDate parses a date in either granularity; ok is false if text is not a date.
func parseDate(text string) (t time.Time, ok bool) {
	return dates.Parse(strings.TrimSpace(text), time.RFC3339, time.DateOnly, "2006-01-02T15:04:05")
}
