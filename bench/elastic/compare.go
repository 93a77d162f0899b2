package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/otisk/otisk/bench/plant"
	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/internal/testing/esnode"
	"github.com/otisk/otisk/internal/testing/measure"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/segment"
)

// A comparison is of an index in a cluster and one in a folder with the same
// texts.
type comparison struct {
	program, dir, host string
	given              string // path of a further suspect; may be ""
	flags              string // of each check
	runs               int
	plain              bool
	cluster            *esnode.Cluster
	suspect            string   // path of the one that is checked
	words              []string // of the collection after each step, if it is composed
}

const (
	// The suspect has this many copies of about so many words.
	stretches, stretchWords = 10, 500
	// The suspect has about so many words of its own.
	hostWords = 40_000
	// far is the latency of a distant server.
	far = 20 * time.Millisecond
)

func (c *comparison) folder() string { return filepath.Join(c.dir, "index") }

// compare adds the texts of folders to both indexes, one folder after another.
func (c *comparison) compare(ctx context.Context, w io.Writer, folders []string) error {
	if err := os.Mkdir(c.dir, 0o777); err != nil {
		return err
	}
	if err := c.compose(folders[0]); err != nil {
		return err
	}
	if err := c.steps(ctx, w, folders); err != nil {
		return err
	}
	if !c.plain {
		return nil
	}
	fmt.Fprintf(w, "\n%s, in indexes of their own\n", folders[0])
	return errors.Join(c.index(ctx, w, "plain", folders[0], "--no-reworded"), c.index(ctx, w, "paired", folders[0]))
}

// steps adds the texts of folders, or of the first one and documents composed of the others.
func (c *comparison) steps(ctx context.Context, w io.Writer, folders []string) error {
	if len(c.words) > 0 {
		return c.grow(ctx, w, folders)
	}
	for _, folder := range folders {
		if err := c.step(ctx, w, folder); err != nil {
			return err
		}
	}
	return nil
}

// grow adds the texts of the first folder, and documents composed of the others.
func (c *comparison) grow(ctx context.Context, w io.Writer, folders []string) error {
	m, err := newMosaic(ctx, folders[1:])
	if err != nil {
		return err
	}
	for i, step := range c.words {
		words, err := strconv.ParseInt(step, 10, 64)
		if err != nil {
			return err
		}
		folder := filepath.Join(c.dir, "texts")
		if err := m.write(folder, words); err != nil {
			return err
		}
		if i == 0 {
			if err := os.CopyFS(folder, os.DirFS(folders[0])); err != nil {
				return err
			}
		}
		if err := errors.Join(c.step(ctx, w, folder), os.RemoveAll(folder)); err != nil {
			return err
		}
	}
	return nil
}

// step adds the texts of a folder to both indexes, and checks the suspect.
func (c *comparison) step(ctx context.Context, w io.Writer, folder string) error {
	fmt.Fprintf(w, "\n%s\n", folder)
	if err := c.run(ctx, w, "index in a folder", "index", "-q", "--index", c.folder(), folder); err != nil {
		return err
	}
	if err := c.index(ctx, w, "texts", folder); err != nil {
		return err
	}
	if err := c.sizes(ctx, w); err != nil {
		return err
	}
	composed := c.suspect
	defer func() { c.suspect = composed }()
	for _, path := range []string{composed, c.given} {
		if path == "" {
			continue
		}
		fmt.Fprintf(w, "  suspect %s\n", path)
		c.suspect = path
		if err := c.checks(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// compose writes the suspect: the host with copies from texts of a folder.
func (c *comparison) compose(folder string) error {
	names, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil {
		return err
	}
	if len(names) < stretches {
		return fmt.Errorf("%s has %d *.txt files, want %d", folder, len(names), stretches)
	}
	host, err := parse(c.host)
	if err != nil {
		return err
	}
	rnd := rand.New(rand.NewPCG(27, 1))
	own := firstWords(host, hostWords)
	var copies [][]plant.Run
	for i := range stretches {
		source, err := parse(names[i*len(names)/stretches])
		if err != nil {
			return err
		}
		copies = append(copies, plant.Verbatim(rnd, nil, plant.Pick(rnd, source, stretchWords)))
	}
	text, _ := plant.Layout(plant.Insert(rnd, own, copies), 80)
	c.suspect = filepath.Join(c.dir, "suspect.txt")
	return os.WriteFile(c.suspect, []byte(text), 0o666)
}

// firstWords returns the first sentences of a text, which together have at least n words if the text has.
func firstWords(t *plant.Text, n int) []plant.Sentence {
	words, end := 0, 0
	for end < len(t.Sentences) && words < n {
		words += len(t.Sentences[end].Words)
		end++
	}
	return t.Sentences[:end]
}

// parse reads a text and splits it into sentences.
func parse(path string) (*plant.Text, error) {
	text, err := os.ReadFile(path)
	return plant.Parse(path, string(text)), err
}

// index adds texts to an index in the cluster.
func (c *comparison) index(ctx context.Context, w io.Writer, name, folder string, flags ...string) error {
	args := append([]string{"index", "-q", "--bulk-load", "--index", c.cluster.URL(0) + "/" + name}, flags...)
	return c.run(ctx, w, strings.Join(append([]string{"index in the cluster"}, flags...), " "), append(args, folder)...)
}

// run runs the program, and prints its costs and those of the cluster.
func (c *comparison) run(ctx context.Context, w io.Writer, name string, args ...string) error {
	cost, server, err := measure.RunBeside(ctx, c.cluster.PIDs(), c.program, args...)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "  %-36s wall %7.2f s, CPU %6.2f s, of the server %6.2f s, memory %4d MB\n", name,
		cost.Wall.Seconds(), cost.CPU.Seconds(), server.Seconds(), cost.Own>>20)
	return nil
}

// sizes prints the sizes of both indexes.
func (c *comparison) sizes(ctx context.Context, w io.Writer) error {
	folder, err := segment.Open(c.folder())
	if err != nil {
		return err
	}
	defer folder.Close()
	cluster, err := esclient.Open(ctx, esclient.Config{Config: wire.Config{Hosts: []string{c.cluster.URL(0)}}, Index: "texts"})
	if err != nil {
		return err
	}
	defer cluster.Close()
	for _, r := range []store.Reader{folder, cluster} {
		info, err := r.Info(ctx)
		if err == nil {
			err = r.Measure(ctx, &info)
		}
		if err != nil {
			return err
		}
		for _, size := range info.Sizes {
			fmt.Fprintf(w, "  %s: %.1f M %d-grams of %.1f bytes", info.Kind, float64(size.Grams)/1e6, size.N, float64(size.Bytes)/float64(size.Grams))
		}
		fmt.Fprintf(w, ", %.1f M pairs of %.1f bytes\n", float64(info.Pairs.Pairs)/1e6, float64(info.Pairs.Bytes)/float64(max(1, info.Pairs.Pairs)))
	}
	return nil
}

// checks checks the suspect against both indexes, and compares the reports. From the cluster it does so
// directly, by a proxy that counts requests, and by one with the latency of another machine, whose
// answers are compressed.
func (c *comparison) checks(ctx context.Context, w io.Writer) error {
	want, err := c.check(ctx, w, "check in a folder", "--index", c.folder())
	if err != nil {
		return err
	}
	same := func(name string, from ...string) error {
		got, err := c.check(ctx, w, name, from...)
		if err == nil && !bytes.Equal(got, want) {
			err = errors.New("the reports from the cluster and from the folder differ")
		}
		return err
	}
	if err := same("check in the cluster", "--index", c.cluster.URL(0)+"/texts"); err != nil {
		return err
	}
	compressed := filepath.Join(c.dir, "compressed.xml")
	if err := os.WriteFile(compressed, []byte("<otisk><compress>true</compress></otisk>\n"), 0o666); err != nil {
		return err
	}
	for _, latency := range []time.Duration{0, far} {
		proxy, err := measure.NewProxy(c.cluster.URL(0), latency)
		if err != nil {
			return err
		}
		name, from := "the same by a proxy", []string{"--index", proxy.URL + "/texts"}
		if latency > 0 {
			name, from = "latency "+latency.String()+", compressed", append(from, "--config", compressed)
		}
		err = same(name, from...)
		fmt.Fprintf(w, "    %s\n", proxy.Report(c.runs))
		proxy.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// check checks the suspect with flags that name an index, and returns the report without the description
// of the index.
func (c *comparison) check(ctx context.Context, w io.Writer, name string, from ...string) ([]byte, error) {
	path := filepath.Join(c.dir, "report.json")
	args := append(append([]string{"search", "-q", "--format", "json", "-o", path}, from...), strings.Fields(c.flags)...)
	for range c.runs {
		if err := c.run(ctx, w, name, append(args, c.suspect)...); err != nil {
			return nil, err
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var report map[string]json.RawMessage
	if err := json.Unmarshal(data, &report); err != nil {
		return nil, err
	}
	delete(report, "index")
	delete(report, "checked")
	return json.Marshal(report)
}
