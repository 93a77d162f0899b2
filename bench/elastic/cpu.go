package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/otisk/otisk/internal/esnode"
)

// processorTime returns the time that the processors have worked for this
// program and for the servers, which says more than the clock where others
// use the machine too. Linux only; 0 elsewhere.
func processorTime(c *esnode.Cluster) (client, server time.Duration) {
	for _, pid := range c.PIDs() {
		server += processTime(strconv.Itoa(pid))
	}
	return processTime("self"), server
}

// processTime reads /proc/PID/stat: fields 14 and 15, in hundredths of a second.
func processTime(pid string) time.Duration {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(stat), ") ") // the name before it may have blanks
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11]) // 0 where the kernel says something else
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// A stopwatch measures a stretch of work by the clock and by the processors.
type stopwatch struct {
	cluster        *esnode.Cluster
	begin          time.Time
	client, server time.Duration
}

func watch(c *esnode.Cluster) *stopwatch {
	client, server := processorTime(c)
	return &stopwatch{c, time.Now(), client, server}
}

// rate returns n per second, and the seconds of the processors of both sides.
func (w *stopwatch) rate(n int) (perSecond float64, processors string) {
	took := time.Since(w.begin)
	client, server := w.processors()
	return float64(n) / took.Seconds(), fmt.Sprintf("%.0f + %.0f s", client.Seconds(), server.Seconds())
}

// processors returns how long the processors have worked for both sides.
func (w *stopwatch) processors() (client, server time.Duration) {
	client, server = processorTime(w.cluster)
	return client - w.client, server - w.server
}
