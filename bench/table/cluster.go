package main

import (
	"errors"
	"time"

	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/internal/testing/esnode"
	"github.com/otisk/otisk/internal/testing/measure"
)

// Limits of an index in a cluster, and of a check of 20,000 words against it.
const (
	mostRequests  = 20
	mostMegabytes = 5
	far           = 20 * time.Millisecond  // latency of a distant server ...
	mostWait      = 300 * time.Millisecond // ... and how much it may add
	mostPerGram   = 17                     // bytes
	mostPerPair   = 12
)

// inCluster compares an index in a cluster on this machine with one in a folder, and one with pairs of words
// with one without. Times are those of the program and of the server. The last lines compare with limits.
func (b bench) inCluster() ([]line, error) {
	lines := []line{
		{name: "index in a cluster", peer: "index --no-reworded in a cluster"},
		{name: "search in a cluster, 20,000 words", peer: "search in a folder"},
		{name: "… requests", peer: "20"},
		{name: "… answers", peer: "5 MB"},
		{name: "… 20 ms of latency add", peer: "0.3 s"},
		{name: "… an n-gram", peer: "17 bytes"},
		{name: "… a pair", peer: "12 bytes"},
	}
	c, err := esnode.Start(b.ctx, esnode.Elasticsearch9, esnode.Options{Heap: "1g", Optimise: true})
	if errors.Is(err, esnode.ErrMissing) {
		return lines, nil
	}
	if err != nil {
		return nil, err
	}
	n := node{b, c}
	return lines, errors.Join(n.index(&lines[0]), n.search(lines[1:4]), n.wait(&lines[4]), n.sizes(lines[5:]), c.Close())
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

// suspectPath is the path of the suspect.
func (n node) suspectPath() string { return n.path("suspect-in-cluster.txt") }

// search measures checks of a suspect, with their requests and answers.
func (n node) search(lines []line) error {
	if err := n.suspect(n.suspectPath(), 20_000)(); err != nil {
		return err
	}
	proxy, err := measure.NewProxy(n.URL(0), 0)
	if err != nil {
		return err
	}
	defer proxy.Close()
	runs := 5 + n.runs // the first ones warm up the server
	for range runs {
		ours, err := n.run("search", "-q", "--index", proxy.URL+"/paired", n.suspectPath())
		if err != nil {
			return err
		}
		its, err := measure.Run(n.ctx, n.program, "search", "-q", "--index", n.path("index"), n.suspectPath())
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

// wait measures the time by the clock that latency adds to a check. Checks near and far alternate, because the
// server becomes faster with each.
func (n node) wait(l *line) error {
	near, err := measure.NewProxy(n.URL(0), 0)
	if err != nil {
		return err
	}
	defer near.Close()
	distant, err := measure.NewProxy(n.URL(0), far)
	if err != nil {
		return err
	}
	defer distant.Close()
	var times [2]float64
	for range n.runs {
		for i, url := range []string{near.URL, distant.URL} {
			cost, err := measure.Run(n.ctx, n.program, "search", "-q", "--index", url+"/paired", n.suspectPath())
			if err != nil {
				return err
			}
			times[i] = least(times[i], measure.Cost{CPU: cost.Wall})
		}
	}
	l.ratio = (times[1] - times[0]) / mostWait.Seconds()
	return nil
}

// sizes measures the bytes of an n-gram and of a pair.
func (n node) sizes(lines []line) error {
	r, err := esclient.Open(n.ctx, esclient.Config{Config: wire.Config{Hosts: n.URLs()}, Index: "paired"})
	if err != nil {
		return err
	}
	defer r.Close()
	info, err := r.Info(n.ctx)
	if err == nil {
		err = r.Measure(n.ctx, &info)
	}
	if err != nil {
		return err
	}
	lines[0].ratio = float64(info.Sizes[0].Bytes) / float64(info.Sizes[0].Grams) / mostPerGram
	lines[1].ratio = float64(info.Pairs.Bytes) / float64(info.Pairs.Pairs) / mostPerPair
	return nil
}
