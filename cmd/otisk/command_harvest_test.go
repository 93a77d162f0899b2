package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/internal/session"
	"github.com/otisk/otisk/internal/testing/files"
)

// repositoryOf serves this number of theses by OAI-PMH, five on a page, and their texts.
func repositoryOf(t *testing.T, theses int) (address, host string) {
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	mux.HandleFunc("/text/", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(strings.TrimSuffix(filepath.Base(r.URL.Path), ".txt"))
		fmt.Fprint(w, textNumber(n, 0))
	})
	mux.HandleFunc("/oai", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `<?xml version="1.0"?><OAI-PMH><responseDate>2024-05-01T00:00:00Z</responseDate>`)
		defer fmt.Fprint(w, "</OAI-PMH>")
		switch q := r.URL.Query(); q.Get("verb") {
		case "Identify":
			fmt.Fprint(w, "<Identify><repositoryName>Theses</repositoryName><protocolVersion>2.0</protocolVersion><deletedRecord>no</deletedRecord></Identify>")
		case "ListMetadataFormats":
			fmt.Fprint(w, "<ListMetadataFormats><metadataFormat><metadataPrefix>oai_dc</metadataPrefix></metadataFormat></ListMetadataFormats>")
		case "ListRecords":
			at, _ := strconv.Atoi(q.Get("resumptionToken"))
			fmt.Fprint(w, "<ListRecords>")
			for n := at; n < min(at+5, theses); n++ {
				fmt.Fprintf(w, "<record><header><identifier>oai:t:%d</identifier><datestamp>2024-01-01</datestamp></header><metadata><dc><title>Thesis %d</title><date>2020</date>"+
					"<identifier>%s/text/%d.txt</identifier></dc></metadata></record>", n, n, server.URL, n)
			}
			if at+5 < theses {
				fmt.Fprintf(w, "<resumptionToken>%d</resumptionToken>", at+5)
			}
			fmt.Fprint(w, "</ListRecords>")
		default:
			fmt.Fprint(w, `<error code="badVerb">no such verb</error>`)
		}
	})
	return server.URL + "/oai", strings.TrimPrefix(server.URL, "http://")
}

// TestHarvestCommand harvests into an index and into a folder, and rejects invalid command
// lines.
func TestHarvestCommand(t *testing.T) {
	address, host := repositoryOf(t, 12)
	dir := t.TempDir()
	index, folder := filepath.Join(dir, "idx"), filepath.Join(dir, "theses")
	call := func(want int, args ...string) string {
		t.Helper()
		var said strings.Builder
		if got := run(t.Context(), append([]string{"harvest", "--delay", "0s"}, args...), nil, &said, &said); got != want {
			t.Errorf("otisk harvest %v: status %d, want %d:\n%s", args, got, want, said.String())
		}
		return said.String()
	}
	contains := func(text, part string) {
		t.Helper()
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in %s", part, text)
		}
	}
	refused := call(statusFailed, "--index", index, address)
	contains(refused, "refused: the address is in your own network")
	contains(refused, "hint: allow a host that is meant by --allow-host")
	contains(call(0, "--allow-host", host, "--index", index, address), "12 records: 12 new; 12 documents added or replaced, 0 removed")
	contains(call(0, "--allow-host", host, "--index", index, address), "12 records: 0 new, 12 unchanged; 0 documents")
	contains(otisk(t, "docs", "--index", index, "--where", "year=2020"), `title="Thesis 3"`)
	suspect := filepath.Join(dir, "suspect.txt")
	files.Write(t, suspect, textNumber(7, 0))
	contains(otisk(t, "search", "--index", index, suspect), "Thesis 7")
	files.Write(t, filepath.Join(dir, "mine", "copy.txt"), textNumber(3, 0))
	otisk(t, "index", "--sync", "--index", index, filepath.Join(dir, "mine"))
	if got := len(documents(t, index)); got != 13 {
		t.Errorf("%d documents beside a file with the content of one, want 13: what was harvested has no file that could be gone", got)
	}
	call(0, "--allow-host", host, "-o", folder, address)
	otisk(t, "index", "--index", filepath.Join(dir, "second"), "--metadata", filepath.Join(folder, "metadata.csv"), filepath.Join(folder, "texts"))
	contains(otisk(t, "docs", "--index", filepath.Join(dir, "second")), `title="Thesis 3"`)
	contains(call(statusUsage, "--allow-host", host, "--metadata-format", "mets", address), "it has oai_dc")
	contains(call(statusUsage, "example.org/oai"), "want the address of a repository")
	contains(call(statusUsage, "--from", "May", address), "want a date such as 2020-01-31")
	contains(call(statusUsage, "-o", folder, "--index", index, address), "give one of them")
	contains(call(statusFailed, "--allow-host", host, "--index", index, strings.TrimSuffix(address, "oai")+"text/1.txt"), "broken XML")
}

// TestKillHarvest kills a harvest at random moments and repeats it: the index equals that of
// an undisturbed harvest. OTISK_KILLS sets the number of kills.
func TestKillHarvest(t *testing.T) {
	if testing.Short() {
		t.Skip("kills processes for some seconds")
	}
	kills := 8
	if v, err := strconv.Atoi(os.Getenv("OTISK_KILLS")); err == nil {
		kills = v
	}
	t.Setenv(session.DateVariable, "1795262400")
	address, host := repositoryOf(t, 150)
	dir := t.TempDir()
	binary := program(t)
	args := func(index string) []string {
		return []string{"harvest", "--delay", "0s", "--allow-host", host, "--index", index, address}
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, uint64(kills)))
	index, want := filepath.Join(dir, "idx"), filepath.Join(dir, "whole")
	for range kills {
		cmd := exec.Command(binary, args(index)...)
		mustDo(t, cmd.Start())
		time.Sleep(time.Duration(rng.IntN(400)) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	for _, where := range []string{index, want} {
		if out, err := exec.CommandContext(context.Background(), binary, args(where)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	if differs := sameIndex(t, index, want); differs != "" {
		t.Error(differs)
	}
	if got := len(documents(t, index)); got != 150 {
		t.Errorf("%d documents, want 150", got)
	}
	if out := otisk(t, "verify", "--deep", "--index", index); !strings.HasPrefix(out, "sound") {
		t.Errorf("verify says %s", out)
	}
}
