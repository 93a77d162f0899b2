// Package esnode starts real Elasticsearch and OpenSearch nodes for tests and benchmarks
// from Maven artifacts. It needs a JDK and Maven, but no distribution and no container
// engine.
//
// [Start] returns a [Cluster] of one or more nodes, each a separate process on loopback.
// The caller has to close it. If the caller is killed, the nodes end too, because each
// ends when its standard input is closed. The Elasticsearch nodes lack the modules that
// are not published as artifacts: GET / returns 405, and there are no scripts and no
// security.
package esnode

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Options configure a cluster.
type Options struct {
	Nodes    int        // 1 if 0
	Heap     string     // of each node; 512m if empty
	Optimise bool       // for benchmarks: data on disk, and the full JIT compiler, which starts more slowly
	Settings []string   // of each node: "name=value"
	Each     [][]string // further ones of single nodes, from the first
}

// A Cluster is a set of running nodes.
type Cluster struct {
	Server Server
	dir    string   // data and logs, removed by Close
	home   string   // installation of the server
	java   []string // command that starts a node, without its settings
	nodes  []*node
}

type node struct {
	name            string
	http, transport int
	settings        []string
	cmd             *exec.Cmd
	stdin           io.Closer // the node ends when it is closed
	log             string    // path of its output
	done            chan struct{}
}

// startTime is the timeout of a start. On a busy machine with two cores a start takes 10 to
// 25 seconds, with the lowest priority minutes.
const startTime = 10 * time.Minute

// Start starts a cluster and waits until all its nodes have joined. If this machine lacks
// Java or Maven, the error wraps ErrMissing.
func Start(ctx context.Context, s Server, o Options) (*Cluster, error) {
	o.Nodes = max(o.Nodes, 1)
	if o.Heap == "" {
		o.Heap = "512m"
	}
	java, err := findJava(ctx, s.java)
	if err != nil {
		return nil, err
	}
	home, err := install(ctx, s)
	if err != nil {
		return nil, err
	}
	st, err := newStarter(ctx, s, java, home)
	if err != nil {
		return nil, err
	}
	dir, err := tempDir(s, o)
	if err != nil {
		return nil, err
	}
	c := &Cluster{Server: s, dir: dir, home: home}
	if err = c.prepare(java, o, st.jar, st.option()); err == nil {
		err = c.startAll(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start %v: %w", s, err), c.Close())
	}
	return c, nil
}

// tempDir makes the folder of a cluster, in memory if there is room. A server syncs its
// files after each request that writes and several times for each new index: tests that
// make hundreds of indices take half the time in memory. The files survive the end of a
// process there, too.
func tempDir(s Server, o Options) (string, error) {
	pattern := "otisk-" + s.Name + "-"
	if memory := inMemory(); memory != "" && !o.Optimise {
		if dir, err := os.MkdirTemp(memory, pattern); err == nil {
			return dir, nil
		}
	}
	return os.MkdirTemp("", pattern)
}

// prepare chooses the ports and settings of the nodes, and the command that starts them with a jar
// of a starter. classes is the option of Java for an archive of classes.
func (c *Cluster) prepare(java string, o Options, jar, classes string) error {
	c.java = []string{java, "-Xms" + o.Heap, "-Xmx" + o.Heap}
	if !o.Optimise {
		// Compiling methods ten times earlier than by default takes a third off the CPU time of creating indices.
		c.java = append(c.java, "-XX:TieredStopAtLevel=1", "-XX:CompileThresholdScaling=0.1", "-XX:+UseSerialGC", classes)
	}
	path := jar + string(filepath.ListSeparator) + filepath.Join(c.home, "lib", "*")
	c.java = append(c.java, "-cp", path, c.Server.source, filepath.Join(c.home, "home"))
	ports, err := freePorts(2 * o.Nodes)
	if err != nil {
		return err
	}
	for i := range o.Nodes {
		name := fmt.Sprint("n", i+1)
		c.nodes = append(c.nodes, &node{
			name: name, http: ports[2*i], transport: ports[2*i+1],
			log: filepath.Join(c.dir, name+".log"),
		})
	}
	for i, n := range c.nodes {
		n.settings = append(c.settings(n), o.Settings...)
		if i < len(o.Each) {
			n.settings = append(n.settings, o.Each[i]...)
		}
	}
	return nil
}

// freePorts returns distinct ports of loopback that are free.
func freePorts(count int) ([]int, error) {
	var ports []int
	for range count {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close() // not before all are chosen, so that they differ
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

func (c *Cluster) settings(n *node) []string {
	list := []string{
		"cluster.name=otisk-test", "node.name=" + n.name, "network.host=127.0.0.1",
		"http.port=" + strconv.Itoa(n.http), "transport.port=" + strconv.Itoa(n.transport),
		"cluster.routing.allocation.disk.threshold_enabled=false",
		"indices.breaker.total.use_real_memory=false", // otherwise garbage in a small heap counts, and the server rejects requests
	}
	if len(c.nodes) == 1 {
		return append(list, "discovery.type=single-node")
	}
	var seeds, masters []string
	for _, other := range c.nodes {
		seeds = append(seeds, "127.0.0.1:"+strconv.Itoa(other.transport))
		masters = append(masters, other.name)
	}
	initial := "cluster.initial_master_nodes="
	if c.Server.Name == "opensearch" {
		initial = "cluster.initial_cluster_manager_nodes="
	}
	return append(list, "discovery.seed_hosts="+strings.Join(seeds, ","), initial+strings.Join(masters, ","))
}

func (c *Cluster) startAll(ctx context.Context) error {
	for _, n := range c.nodes {
		if err := c.launch(n); err != nil {
			return err
		}
	}
	return c.Wait(ctx)
}

// launch starts the process of n, and does not wait until it answers.
func (c *Cluster) launch(n *node) error {
	log, err := os.OpenFile(n.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer log.Close() // the process has a duplicate
	args := append(c.java[1:len(c.java):len(c.java)], filepath.Join(c.dir, n.name))
	n.cmd = exec.Command(c.java[0], append(args, n.settings...)...)
	n.cmd.Stdout, n.cmd.Stderr = log, log
	// The node ends when this pipe is closed, at the latest when this process ends.
	if n.stdin, err = n.cmd.StdinPipe(); err != nil {
		return err
	}
	if err := n.cmd.Start(); err != nil {
		return err
	}
	n.done = make(chan struct{})
	go func(cmd *exec.Cmd, done chan struct{}) {
		_ = cmd.Wait() // its log has the reason
		close(done)
	}(n.cmd, n.done)
	return nil
}

// URLs returns the addresses of all nodes.
func (c *Cluster) URLs() []string {
	var list []string
	for i := range c.nodes {
		list = append(list, c.URL(i))
	}
	return list
}

// URL returns the address of node i, counted from 0.
func (c *Cluster) URL(i int) string { return "http://127.0.0.1:" + strconv.Itoa(c.nodes[i].http) }

// Kill kills node i (SIGKILL), and waits until it has ended.
func (c *Cluster) Kill(i int) error { return c.nodes[i].kill() }

func (n *node) kill() error {
	if n.cmd == nil {
		return nil
	}
	err := n.cmd.Process.Kill()
	if errors.Is(err, os.ErrProcessDone) {
		err = nil
	}
	<-n.done
	n.cmd = nil
	return err
}

// PIDs returns the process ids of the running nodes.
func (c *Cluster) PIDs() []int {
	var list []int
	for _, n := range c.nodes {
		if n.cmd != nil {
			list = append(list, n.cmd.Process.Pid)
		}
	}
	return list
}

// Restart starts node i with its data after [Cluster.Kill]. Call [Cluster.Wait] to wait for
// it.
func (c *Cluster) Restart(i int) error { return c.launch(c.nodes[i]) }

// Close kills all nodes and removes their data. A second Close does nothing.
func (c *Cluster) Close() error {
	var errs []error
	for _, n := range c.nodes {
		errs = append(errs, n.kill())
	}
	return errors.Join(append(errs, os.RemoveAll(c.dir))...)
}

// Wait waits until all nodes have joined and all shards and replicas are allocated.
func (c *Cluster) Wait(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	var last error
	for {
		if last = c.healthy(ctx); last == nil {
			return nil
		}
		for _, n := range c.nodes {
			select {
			case <-n.done:
				return fmt.Errorf("node %s ended:\n%s", n.name, n.tail())
			default:
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("nodes not ready after %v: %w:\n%s", startTime, last, c.nodes[0].tail())
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// healthy returns an error unless every node reports a healthy cluster. Their views of it
// may differ.
func (c *Cluster) healthy(ctx context.Context) error {
	for i := range c.nodes {
		url := c.URL(i) + "/_cluster/health?timeout=1s&wait_for_no_initializing_shards=true&wait_for_no_relocating_shards=true" +
			"&wait_for_nodes=" + strconv.Itoa(len(c.nodes))
		var health struct {
			Status   string `json:"status"`
			TimedOut bool   `json:"timed_out"`
		}
		if err := get(ctx, url, &health); err != nil {
			return err
		}
		if health.TimedOut || health.Status == "red" || (health.Status == "yellow" && len(c.nodes) > 1) {
			return fmt.Errorf("%s reports that the cluster is %s", c.nodes[i].name, health.Status)
		}
	}
	return nil
}

func get(ctx context.Context, url string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return json.NewDecoder(resp.Body).Decode(into)
}

// tail returns the last 30 lines of the output of n.
func (n *node) tail() []byte {
	out, err := os.ReadFile(n.log)
	if err != nil {
		return []byte(err.Error())
	}
	lines := bytes.SplitAfter(out, []byte("\n"))
	return bytes.Join(lines[max(0, len(lines)-30):], nil)
}
