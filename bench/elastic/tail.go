package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/otisk/otisk/internal/testing/esnode"
)

const (
	late  = 100 * time.Millisecond // of each answer of a slow node
	users = 4                      // searches of a busy shard at a time
)

// runTail starts two nodes with a proxy before the second one, and compares checks.
func runTail(ctx context.Context, server string, o esnode.Options, c comparison, folders []string) (err error) {
	s, ok := servers[server]
	if !ok || len(folders) != 1 {
		return fmt.Errorf("server %q and %d folders, want one of each", server, len(folders))
	}
	var d delay
	var second net.Listener // at the port of the second node, until it starts
	for _, l := range []*net.Listener{&d.Listener, &second} {
		if *l, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			return err
		}
		defer (*l).Close()
	}
	// The first node reaches the second one by the proxy, and does not need it to be the master.
	o.Nodes, d.to = 2, second.Addr().String()
	o.Settings = append(o.Settings, "cluster.initial_master_nodes=n1")
	o.Each = [][]string{nil, {"node.roles=data", "transport.port=" + port(second), "transport.publish_port=" + port(d.Listener)}}
	second.Close()
	go d.serve()
	if c.cluster, err = esnode.Start(ctx, s, o); err != nil {
		return err
	}
	return errors.Join(c.tail(ctx, os.Stdout, folders[0], &d), c.cluster.Close())
}

// A delay is a proxy whose answers may come late.
type delay struct {
	net.Listener
	to   string
	late atomic.Int64 // a duration
}

func port(l net.Listener) string { return strconv.Itoa(l.Addr().(*net.TCPAddr).Port) }

func (d *delay) serve() {
	for {
		conn, err := d.Accept()
		if err != nil {
			return
		}
		go d.pass(conn)
	}
}

// pass passes one connection, and the answers after the delay.
func (d *delay) pass(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", d.to)
	if err != nil {
		return
	}
	defer server.Close()
	go func() {
		defer server.Close()
		_, _ = io.Copy(server, client) // an end of either side ends both
	}()
	type part struct {
		due  time.Time
		data []byte
	}
	parts := make(chan part, 1<<12)
	go func() {
		defer close(parts)
		for {
			data := make([]byte, 64<<10)
			n, err := server.Read(data)
			parts <- part{time.Now().Add(time.Duration(d.late.Load())), data[:n]}
			if err != nil {
				return
			}
		}
	}()
	for p := range parts {
		time.Sleep(time.Until(p.due))
		if _, err := client.Write(p.data); err != nil {
			server.Close()
		}
	}
}

// tail checks the suspect against an index with eight shards without and with copies of them, at rest
// and with faults of the second node.
func (c *comparison) tail(ctx context.Context, w io.Writer, folder string, d *delay) error {
	if err := os.Mkdir(c.dir, 0o777); err != nil {
		return err
	}
	if err := c.compose(folder); err != nil {
		return err
	}
	if err := c.run(ctx, w, "index in a folder", "index", "-q", "--index", c.folder(), folder); err != nil {
		return err
	}
	want, err := c.check(ctx, io.Discard, "", "--index", c.folder())
	if err != nil {
		return err
	}
	for replicas, index := range []string{"single", "copied"} {
		settings := filepath.Join(c.dir, index+".xml")
		text := fmt.Sprintf("<otisk><shards>8</shards><replicas>%d</replicas></otisk>\n", replicas)
		if err := os.WriteFile(settings, []byte(text), 0o666); err != nil {
			return err
		}
		if err := c.index(ctx, w, index, folder, "--config", settings); err != nil {
			return err
		}
	}
	if err := c.cluster.Wait(ctx); err != nil {
		return err
	}
	both := []string{"single", "copied"}
	if err := c.each(ctx, io.Discard, "warm-up", both, want); err != nil {
		return err
	}
	if err := c.each(ctx, w, "at rest", both, want); err != nil {
		return err
	}
	d.late.Store(int64(late))
	err = c.each(ctx, w, "node 2 late by "+late.String(), both, want)
	d.late.Store(0)
	if err != nil {
		return err
	}
	stop := c.busy(ctx)
	err = c.each(ctx, w, "shard 0 busy", both, want)
	stop()
	if err != nil {
		return err
	}
	if err := c.cluster.Kill(1); err != nil {
		return err
	}
	if err := c.each(ctx, w, "node 2 away", both[1:], want); err != nil {
		return err
	}
	start := time.Now()
	_, err = c.once(ctx, "single")
	if err == nil {
		return errors.New("a check without half of the shards succeeded")
	}
	fmt.Fprintf(w, "  %-24s single  %.1f s: %s\n", "node 2 away", time.Since(start).Seconds(), strings.TrimSpace(err.Error()))
	return nil
}

// each checks the suspect against some indexes, and prints the times by the clock. The first times are not
// left out: node 2 is away only once.
func (c *comparison) each(ctx context.Context, w io.Writer, name string, indexes []string, want []byte) error {
	for _, index := range indexes {
		var times []time.Duration
		for range c.runs {
			start := time.Now()
			got, err := c.once(ctx, index)
			times = append(times, time.Since(start))
			if err == nil && !bytes.Equal(got, want) {
				err = errors.New("the reports from the cluster and from the folder differ")
			}
			if err != nil {
				return fmt.Errorf("%s, %s: %w", name, index, err)
			}
		}
		first := times[0]
		slices.Sort(times)
		fmt.Fprintf(w, "  %-24s %s  first %.2f s, median %.2f s, greatest %.2f s\n", name, index,
			first.Seconds(), times[len(times)/2].Seconds(), times[len(times)-1].Seconds())
	}
	return nil
}

// once checks the suspect once by the first node.
func (c *comparison) once(ctx context.Context, index string) ([]byte, error) {
	one := *c
	one.runs = 1
	return one.check(ctx, io.Discard, "", "--index", c.cluster.URL(0)+"/"+index)
}

// busy reads shard 0 of the pairs of both indexes all the time, until stop is called.
func (c *comparison) busy(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	for range users {
		group.Go(func() {
			for ctx.Err() == nil {
				req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.cluster.URL(0)+"/single-pairs,copied-pairs/_search?preference=_shards:0",
					strings.NewReader(`{"size":1000,"sort":["gen"]}`))
				if err != nil {
					return
				}
				req.Header.Set("Content-Type", "application/json")
				if resp, err := http.DefaultClient.Do(req); err == nil {
					_, _ = io.Copy(io.Discard, resp.Body) // only the load counts
					resp.Body.Close()
				}
			}
		})
	}
	return func() { cancel(); group.Wait() }
}
