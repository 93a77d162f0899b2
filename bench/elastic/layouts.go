package main

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/otisk/otisk/internal/esnode"
)

// A layout is a way to keep blocks of consecutive hashes in an index.
type layout struct {
	name    string
	field   string // mapping of the hashes that are searched
	source  string // mapping of _source
	payload string // mapping of the hashes in their order, "" where they are in the source
	codec   string
	term    func(b []byte, h uint64) []byte // appends the value of the field for one hash
	list    bool                            // the values are a list, not words of a text
}

const (
	noSource  = `{"enabled":false}`
	hasSource = `{"enabled":true}`
	keyword   = `{"type":"keyword","doc_values":false,"norms":false}`
	text      = `{"type":"text","analyzer":"whitespace","index_options":"docs","norms":false}`
	long      = `{"type":"long","doc_values":false}`
	stored    = `{"type":"binary","store":true}`
	docValues = `{"type":"binary","doc_values":true}`
)

// layouts are what was compared.
var layouts = []layout{
	{"keyword, 8 characters", keyword, noSource, stored, "default", chars(8), true},
	{"keyword, 7 characters", keyword, noSource, stored, "default", chars(7), true},
	{"long", long, noSource, stored, "default", number, true},
	{"text, 8 characters", text, noSource, stored, "default", chars(8), false},
	{"text, 7 characters", text, noSource, stored, "default", chars(7), false},
	{"text, 6 characters", text, noSource, stored, "default", chars(6), false},
	{"text, 7 characters, payload in doc values", text, noSource, docValues, "default", chars(7), false},
	{"text, 8 characters, only in the source", text, hasSource, "", "default", chars(8), false},
	{"text, 8 characters, only in the source, best compression", text, hasSource, "", "best_compression", chars(8), false},
}

// chars writes the top 6·n bits of the hash in n characters of base64.
func chars(n int) func([]byte, uint64) []byte {
	return func(b []byte, h uint64) []byte {
		var raw [8]byte
		binary.BigEndian.PutUint64(raw[:], h<<16)
		var enc [8]byte
		base64.RawURLEncoding.Encode(enc[:], raw[:6])
		return append(b, enc[:n]...)
	}
}

func number(b []byte, h uint64) []byte { return strconv.AppendUint(b, h, 10) }

func runLayouts(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("layouts", flag.ContinueOnError)
	grams := flags.Int("grams", 5_000_000, "n-grams to index")
	blocks := flags.String("blocks", "256", "block sizes, separated by commas")
	only := flags.String("only", "", "layouts whose name contains this")
	wanted := serverFlags(flags, "elasticsearch8", "2g")
	if err := flags.Parse(args); err != nil {
		return err
	}
	cluster, err := wanted.start(ctx, 1)
	if err != nil {
		return err
	}
	defer cluster.Close()
	warm := trial{server(cluster.URL(0)), cluster, layouts[0], 256, min(*grams, 1_000_000)}
	if _, err := warm.run(ctx); err != nil { // so that the first of the table does not pay for a cold server
		return err
	}
	fmt.Println("| field | block | n-grams/s | CPU, client + server | bytes, at once | bytes, merged | merge | look-up, at once | look-up, merged |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	for _, l := range layouts {
		if !strings.Contains(l.name, *only) {
			continue
		}
		for _, size := range strings.Split(*blocks, ",") {
			block, err := strconv.Atoi(size)
			if err != nil {
				return err
			}
			t := trial{server(cluster.URL(0)), cluster, l, block, *grams}
			row, err := t.run(ctx)
			if err != nil {
				return fmt.Errorf("%s, blocks of %d: %w", l.name, block, err)
			}
			fmt.Println(row)
		}
	}
	return nil
}

// A trial is one layout with one block size.
type trial struct {
	server
	cluster *esnode.Cluster
	layout
	block, grams int
}

// hash returns the hash of the n-gram number i: SplitMix64.
func hash(i uint64) uint64 {
	i = (i + 1) * 0x9e3779b97f4a7c15
	i = (i ^ i>>30) * 0xbf58476d1ce4e5b9
	i = (i ^ i>>27) * 0x94d049bb133111eb
	return (i ^ i>>31) >> 16
}

// run measures the trial and returns its row of the table.
func (t *trial) run(ctx context.Context) (row string, err error) {
	if err := t.create(ctx); err != nil {
		return "", err
	}
	w := watch(t.cluster)
	if err := t.fill(ctx); err != nil {
		return "", err
	}
	if err := t.call(ctx, "POST", "/blocks/_refresh", nil, nil); err != nil {
		return "", err
	}
	rate, cpu := w.rate(t.grams)
	first, err := t.measure(ctx)
	if err != nil {
		return "", err
	}
	begin := time.Now()
	if err := t.call(ctx, "POST", "/blocks/_forcemerge?max_num_segments=1", nil, nil); err != nil {
		return "", err
	}
	merge := time.Since(begin)
	second, err := t.measure(ctx)
	if err != nil {
		return "", err
	}
	row = fmt.Sprintf("| %s | %d | %.0f k | %s | %.1f | %.1f | %.0f s | %.3f s | %.3f s |", t.name, t.block, rate/1000, cpu,
		first.bytes, second.bytes, merge.Seconds(), first.lookup.Seconds(), second.lookup.Seconds())
	return row, t.call(ctx, "DELETE", "/blocks", nil, nil)
}

func (t *trial) create(ctx context.Context) error {
	payload := ""
	if t.payload != "" {
		payload = `,"p":` + t.payload
	}
	return t.call(ctx, "PUT", "/blocks", fmt.Appendf(nil, `{
		"settings": {"number_of_shards": 1, "number_of_replicas": 0, "refresh_interval": "-1", "codec": %q},
		"mappings": {"_source": %s, "dynamic": false, "properties": {"gen": {"type": "long"}, "no": {"type": "integer", "index": false}, "h": %s%s}}
	}`, t.codec, t.source, t.field, payload), nil)
}

// fill writes all blocks by two connections in requests of 4 MB.
func (t *trial) fill(ctx context.Context) error {
	const workers = 2
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			var body []byte
			for i := w; i < t.grams/t.block && errs[w] == nil; i += workers {
				body = t.appendBlock(body, i)
				if len(body) > 4<<20 || i+workers >= t.grams/t.block {
					errs[w] = t.bulk(ctx, body)
					body = body[:0]
				}
			}
		})
	}
	wg.Wait()
	return slices.MaxFunc(errs, func(a, b error) int { return len(fmt.Sprint(a)) - len(fmt.Sprint(b)) })
}

func (t *trial) bulk(ctx context.Context, body []byte) error {
	var answer struct{ Errors bool }
	if err := t.call(ctx, "POST", "/blocks/_bulk?filter_path=errors", body, &answer); err != nil {
		return err
	}
	if answer.Errors {
		return fmt.Errorf("a block was refused")
	}
	return nil
}

// appendBlock appends the request for block i. A document has 40 blocks.
func (t *trial) appendBlock(b []byte, i int) []byte {
	b = fmt.Appendf(b, `{"index":{"_id":"%016x"}}`+"\n"+`{"gen":%d,"no":%d,"h":`, i, i/40, i%40)
	between := byte(' ')
	if t.list {
		between = ','
	}
	quote := !t.list || t.field == keyword
	open, shut := `"`, `"`
	if t.list {
		open, shut = "[", "]"
	}
	b = append(b, open...)
	raw := make([]byte, 0, 6*t.block)
	for j := range t.block {
		h := hash(uint64(i*t.block + j))
		if j > 0 {
			b = append(b, between)
		}
		if t.list && quote {
			b = append(t.term(append(b, '"'), h), '"')
		} else {
			b = t.term(b, h)
		}
		raw = append(raw, byte(h>>40), byte(h>>32), byte(h>>24), byte(h>>16), byte(h>>8), byte(h))
	}
	b = append(b, shut...)
	if t.payload != "" {
		b = append(b, `,"p":"`...)
		b = append(base64.StdEncoding.AppendEncode(b, raw), '"')
	}
	return append(b, "}\n"...)
}

type measured struct {
	bytes  float64 // an n-gram, on disk
	lookup time.Duration
}

func (t *trial) measure(ctx context.Context) (m measured, err error) {
	if err := t.call(ctx, "POST", "/blocks/_flush", nil, nil); err != nil {
		return m, err
	}
	size, err := t.storeBytes(ctx)
	if err != nil {
		return m, err
	}
	m.bytes = float64(size) / float64(t.grams)
	var times []time.Duration
	for seed := range uint64(7) {
		begin := time.Now()
		if err := t.lookup(ctx, seed); err != nil {
			return m, err
		}
		times = append(times, time.Since(begin))
	}
	slices.Sort(times)
	m.lookup = times[len(times)/2]
	return m, nil
}

// lookup asks for 20,000 hashes, of which 1,000 are there, and finds them in
// the blocks that come back.
func (t *trial) lookup(ctx context.Context, seed uint64) error {
	asked := t.question(seed)
	var answer struct {
		Hits struct{ Hits []blockHit }
	}
	if err := t.call(ctx, "POST", "/blocks/_search", t.search(asked), &answer); err != nil {
		return err
	}
	found := 0
	for _, hit := range answer.Hits.Hits {
		hashes, err := t.hashes(hit)
		if err != nil {
			return err
		}
		for _, h := range hashes {
			if seen, ok := asked[h]; ok && !seen {
				asked[h] = true
				found++
			}
		}
	}
	if found < 1000 {
		return fmt.Errorf("found %d of 1000 hashes in %d blocks", found, len(answer.Hits.Hits))
	}
	return nil
}

// question returns 20,000 hashes, 1,000 of which are there.
func (t *trial) question(seed uint64) map[uint64]bool {
	rng := rand.New(rand.NewPCG(seed, 1))
	asked := map[uint64]bool{}
	for len(asked) < 1000 {
		asked[hash(rng.Uint64N(uint64(t.grams/t.block*t.block)))] = false
	}
	for len(asked) < 20_000 {
		asked[rng.Uint64()>>16] = false
	}
	return asked
}

// search returns the body of a search for the hashes asked.
func (t *trial) search(asked map[uint64]bool) []byte {
	var terms [][]byte
	for h := range asked {
		term := t.term(nil, h)
		if t.field != long {
			term = append(append([]byte{'"'}, term...), '"')
		}
		terms = append(terms, term)
	}
	slices.SortFunc(terms, slices.Compare)
	fetch := `"_source":false,"stored_fields":["p"]`
	switch t.payload {
	case "":
		fetch = `"_source":true`
	case docValues:
		fetch = `"_source":false,"docvalue_fields":["p"]`
	}
	return fmt.Appendf(nil, `{"size":10000,"track_total_hits":false,%s,"sort":["gen","no"],"query":{"bool":{"filter":[{"terms":{"h":[%s]}}]}}}`,
		fetch, joined(terms))
}

// A blockHit is a block that a search found.
type blockHit struct {
	Source struct{ H string }            `json:"_source"`
	Fields struct{ P []json.RawMessage } `json:"fields"`
	Sort   []int64
}

// hashes returns those of a block.
func (t *trial) hashes(hit blockHit) ([]uint64, error) {
	if t.payload == "" {
		return decodeWords(hit.Source.H), nil
	}
	hashes := decodePayload(hit.Fields.P)
	if hashes == nil {
		return nil, fmt.Errorf("payload %.40s", hit.Fields.P)
	}
	return hashes, nil
}

func joined(terms [][]byte) []byte {
	var b []byte
	for i, t := range terms {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, t...)
	}
	return b
}

func decodeWords(text string) (list []uint64) {
	for word := range strings.FieldsSeq(text) {
		raw, err := base64.RawURLEncoding.DecodeString(word)
		if err != nil {
			return nil
		}
		list = append(list, binary.BigEndian.Uint64(append([]byte{0, 0}, raw...)))
	}
	return list
}

func decodePayload(p []json.RawMessage) (list []uint64) {
	var raw []byte
	if len(p) != 1 || json.Unmarshal(p[0], &raw) != nil {
		return nil
	}
	for ; len(raw) >= 6; raw = raw[6:] {
		list = append(list, uint64(raw[0])<<40|uint64(raw[1])<<32|uint64(binary.BigEndian.Uint32(raw[2:])))
	}
	return list
}
