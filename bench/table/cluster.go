package main

import (
	"errors"
	"time"

	"github.com/otisk/otisk/bench/measure"
	"github.com/otisk/otisk/internal/testing/esnode"
)

// Limits of a check of 20,000 words against an index in a cluster.
const (
	mostRequests  = 20
	mostMegabytes = 5
)

// inCluster compares an index in a cluster on this machine with one in a folder, and one with pairs of words
// with one without. Times are those of the program and of the server. The last two lines compare with limits.
func (b bench) inCluster() ([]line, error) {
	lines := []line{
		{name: "index in a cluster", peer: "index --no-reworded in a cluster"},
		{name: "search in a cluster, 20,000 words", peer: "search in a folder"},
		{name: "… requests", peer: "20"},
		{name: "… answers", peer: "5 MB"},
	}
	c, err := esnode.Start(b.ctx, esnode.Elasticsearch9, esnode.Options{Heap: "1g", Optimise: true})
	if errors.Is(err, esnode.ErrMissing) {
		return lines, nil
	}
	if err != nil {
		return nil, err
	}
	n := node{b, c}
	return lines, errors.Join(n.index(&lines[0]), n.search(lines[1:]), c.Close())
}

// A node is a server to measure.
type node struct {
	bench
	*esnode.Cluster
}

// run returns the processor time of the program and the server.
func (n node) run(args ...string) (time.Duration, error) {
	cost, server, err := measure.RunBeside(n.ctx, n.PIDs(), n.program, args...)
	return cost.CPU + server, err
}

// index measures indexing with and without pairs, each after a first run that warms up the server.
func (n node) index(l *line) error {
	for i := range 1 + n.runs {
		for _, to := range []struct {
			name  string
			flags []string
			least *float64
		}{{"plain", []string{"--no-reworded"}, &l.its}, {"paired", nil, &l.ours}} {
			index := n.URL(0) + "/" + to.name
			if _, err := n.run("clean", "-q", "--yes", "--index", index); i > 0 && err != nil {
				return err
			}
			used, err := n.run(append([]string{"index", "-q", "--bulk-load", "--index", index, n.path("texts")}, to.flags...)...)
			if err != nil {
				return err
			}
			if i > 0 {
				*to.least = least(*to.least, measure.Cost{CPU: used})
			}
		}
	}
	l.ratio = l.ours / l.its
	return nil
}

// search measures checks of a suspect, with their requests and answers.
func (n node) search(lines []line) error {
	suspect := n.path("suspect-in-cluster.txt")
	if err := n.suspect(suspect, 20_000)(); err != nil {
		return err
	}
	proxy, err := measure.NewProxy(n.URL(0), 0)
	if err != nil {
		return err
	}
	defer proxy.Close()
	runs := 5 + n.runs // the first ones warm up the server
	for range runs {
		ours, err := n.run("search", "-q", "--index", proxy.URL+"/paired", suspect)
		if err != nil {
			return err
		}
		its, err := measure.Run(n.ctx, n.program, "search", "-q", "--index", n.path("index"), suspect)
		if err != nil {
			return err
		}
		lines[0].ours, lines[0].its = least(lines[0].ours, measure.Cost{CPU: ours}), least(lines[0].its, its)
	}
	lines[0].ratio = lines[0].ours / lines[0].its
	all := proxy.Total()
	lines[1].ratio = float64(all.Requests) / float64(runs) / mostRequests
	lines[2].ratio = float64(all.Received) / float64(runs) / 1e6 / mostMegabytes
	return nil
}
