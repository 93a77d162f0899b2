package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/internal/esnode"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/pick"
)

// runAnswers measures what checks ask of the server, and how that grows with the
// index: with a quarter of the sources of a corpus laid out like PAN 2013, with
// half of them, and with all.
func runAnswers(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("answers", flag.ContinueOnError)
	corpus := flags.String("corpus", "", "`folder` with src and susp")
	every := flags.Int("every", 30, "check one suspect in so many")
	wanted := serverFlags(flags, "elasticsearch9", "1g")
	if err := flags.Parse(args); err != nil {
		return err
	}
	sources, err := texts(filepath.Join(*corpus, "src"), 1)
	if err != nil {
		return err
	}
	suspects, err := texts(filepath.Join(*corpus, "susp"), *every)
	if err != nil {
		return err
	}
	cluster, err := wanted.start(ctx, 1)
	if err != nil {
		return err
	}
	defer cluster.Close()
	fmt.Println("| sources | words | bytes a pair | bytes an n-gram | indexing, CPU | requests a suspect | MB for 1,000 words: pairs | the rest | CPU a suspect, client + server |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	for _, part := range []int{4, 2, 1} {
		b, err := newAnswersBench(cluster, fmt.Sprint("part", part), sources[:len(sources)/part])
		if err != nil {
			return err
		}
		if err := b.run(ctx, suspects); err != nil {
			return err
		}
	}
	return nil
}

// texts reads one file in so many of a folder.
func texts(dir string, every int) (list []*document.Document, err error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	for i := every - 1; i < len(paths); i += every {
		text, err := os.ReadFile(paths[i])
		if err != nil {
			return nil, err
		}
		list = append(list, &document.Document{Path: filepath.Base(paths[i]), Format: "text", Ext: "txt", Text: string(text)})
	}
	if len(list) == 0 && err == nil {
		err = fmt.Errorf("%s has no texts", dir)
	}
	return list, err
}

// An answersBench has an index in a cluster, and counts what is asked of it.
type answersBench struct {
	cluster *esnode.Cluster
	norms   *normalize.Set
	index   string
	sources []*document.Document

	requests       atomic.Int64
	ofPairs, other atomic.Int64 // bytes of answers
}

func newAnswersBench(cluster *esnode.Cluster, index string, sources []*document.Document) (*answersBench, error) {
	norms, err := normalize.NewSet(normalize.DefaultRules(), nil)
	return &answersBench{cluster: cluster, norms: norms, index: index, sources: sources}, err
}

// forget has the counts start again.
func (b *answersBench) forget() {
	b.requests.Store(0)
	b.ofPairs.Store(0)
	b.other.Store(0)
}

func (b *answersBench) config() esclient.Config {
	return esclient.Config{Config: wire.Config{Hosts: b.cluster.URLs(), Transport: b}, Index: b.index}
}

func (b *answersBench) run(ctx context.Context, suspects []*document.Document) error {
	w := watch(b.cluster)
	if err := b.fill(ctx); err != nil {
		return err
	}
	_, indexing := w.rate(0)
	r, err := esclient.Open(ctx, b.config())
	if err != nil {
		return err
	}
	defer r.Close()
	info, err := r.Info(ctx)
	if err = errors.Join(err, r.Measure(ctx, &info)); err != nil {
		return err
	}
	var words int64
	if err := r.Documents(ctx, func(d store.Document) error { words += d.Words; return nil }); err != nil {
		return err
	}
	b.forget()
	w = watch(b.cluster)
	asked := 0
	for _, suspect := range suspects {
		if _, err := b.check(ctx, suspect, nil); err != nil {
			return err
		}
		asked += len(strings.Fields(suspect.Text))
	}
	_, checking := w.rate(0)
	thousands := float64(asked) / 1000
	fmt.Printf("| %d | %.1f M | %.1f | %.1f | %s | %.1f | %.3f | %.3f | %s for %d |\n", len(b.sources), float64(words)/1e6,
		float64(info.Pairs.Bytes)/float64(info.Pairs.Pairs), float64(info.Sizes[0].Bytes)/float64(info.Sizes[0].Grams), indexing,
		float64(b.requests.Load())/float64(len(suspects)), float64(b.ofPairs.Load())/1e6/thousands, float64(b.other.Load())/1e6/thousands,
		checking, len(suspects))
	return nil
}

// fill indexes the sources, and merges what was written.
func (b *answersBench) fill(ctx context.Context) (err error) {
	s, err := esclient.Create(ctx, esclient.Config{Config: wire.Config{Hosts: b.cluster.URLs()}, Index: b.index, BulkLoad: true, Replicas: -1}, store.Settings{KeepTexts: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	g, adding := errgroup.WithContext(ctx)
	g.SetLimit(16)
	for _, d := range b.sources {
		g.Go(func() error {
			return indexer.Add(adding, s, d.Path, d, indexer.Options{N: 7, Pairs: true, Norms: b.norms})
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return s.Optimize(ctx)
}

// check checks one suspect as a command does, from opening the index on, against the
// documents that in means, or all, and returns how many sources it has.
func (b *answersBench) check(ctx context.Context, suspect *document.Document, in []string) (sources int, err error) {
	r, err := esclient.Open(ctx, b.config())
	if err != nil {
		return 0, err
	}
	defer r.Close()
	var part store.Reader = r
	if len(in) > 0 {
		if part, err = pick.Only(ctx, r, pick.New(in, pick.Options{Labels: true, Folders: true})); err != nil {
			return 0, err
		}
	}
	s, err := search.New(ctx, part, b.norms, search.Options{N: 7, Common: 1000})
	if err != nil {
		return 0, err
	}
	result, err := s.Search(ctx, suspect)
	if err != nil {
		return 0, err
	}
	return len(result.Sources), nil
}

// RoundTrip implements [http.RoundTripper]: it counts.
func (b *answersBench) RoundTrip(r *http.Request) (*http.Response, error) {
	var asked []byte
	if r.Body != nil {
		var err error
		if asked, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(bytes.NewReader(asked))
	}
	resp, err := uncompressed.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	resp.Body = io.NopCloser(bytes.NewReader(answer))
	count := &b.other
	if bytes.Contains(asked, []byte("-pairs-")) {
		count = &b.ofPairs
	}
	count.Add(int64(len(answer)))
	b.requests.Add(1)
	return resp, err
}

var uncompressed = &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 16}
