package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/internal/testing/measure"
)

// speed prints the CPU time of reading each file, and for PDFs that of poppler's pdftotext.
// Each file is read by its own process, so that only reading counts; the start of the
// process is subtracted.
func speed(ctx context.Context, w io.Writer, files []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%-14s%12s%12s%14s%16s%10s\n", "", "ms of CPU", "files/s", "MB of text/s", "pdftotext, ms", "cores")
	for _, path := range files {
		size, err := textSize(ctx, path)
		if err != nil {
			return err
		}
		const times = 40
		start, err := measure.Run(ctx, self, "-read", path, "-times", "1")
		if err != nil {
			return err
		}
		all, err := measure.Run(ctx, self, "-read", path, "-times", strconv.Itoa(times+1))
		if err != nil {
			return err
		}
		each := max((all.CPU-start.CPU).Seconds()/times, 1e-6)
		poppler, cores := "", ""
		if strings.HasSuffix(path, ".pdf") {
			cores = fmt.Sprintf("%.2f", (all.CPU-start.CPU).Seconds()/(all.Wall-start.Wall).Seconds())
			if r, err := measure.Run(ctx, "pdftotext", path, "-"); err == nil {
				poppler = fmt.Sprintf("%.0f", r.CPU.Seconds()*1000)
			}
		}
		fmt.Fprintf(w, "%-14s%12.1f%12.0f%14.1f%16s%10s\n", filepath.Base(path), each*1000, 1/each, float64(size)/each/1e6, poppler, cores)
	}
	return nil
}

// textSize returns the number of bytes of text in a file.
func textSize(ctx context.Context, path string) (size int, err error) {
	err = document.Each(ctx, path, document.Options{}, func(doc *document.Document, err error) error {
		if err == nil {
			size += len(doc.Text)
		}
		return err
	})
	return size, err
}

// readTimes reads a file this number of times, in parallel on all processors.
func readTimes(ctx context.Context, path string, times int) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for range times {
		group.Go(func() error {
			_, err := textSize(ctx, path)
			return err
		})
	}
	return group.Wait()
}
