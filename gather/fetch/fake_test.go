package fetch

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// A fakeClock advances only when Sleep is called.
type fakeClock struct {
	mu    sync.Mutex
	now   time.Time
	slept []time.Duration
}

func (c *fakeClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now.IsZero() {
		c.now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	}
	return c.now
}

func (c *fakeClock) Sleep(ctx context.Context, d time.Duration) error {
	c.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if d > 0 {
		c.now = c.now.Add(d)
		c.slept = append(c.slept, d)
	}
	return ctx.Err()
}

// all returns how long was slept.
func (c *fakeClock) all() (sum time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, d := range c.slept {
		sum += d
	}
	return sum
}

// A fakeDNS answers questions of DNS on connections within the program.
type fakeDNS struct {
	answer func(name string, look int) string
	mu     sync.Mutex
	looks  map[string]int
}

func (f *fakeDNS) dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	go f.serve(theirs)
	return ours, nil
}

func (f *fakeDNS) serve(conn net.Conn) {
	defer conn.Close()
	for {
		var size uint16
		if binary.Read(conn, binary.BigEndian, &size) != nil {
			return
		}
		data := make([]byte, size)
		if _, err := io.ReadFull(conn, data); err != nil {
			return
		}
		var p dnsmessage.Parser
		h, err := p.Start(data)
		if err != nil {
			return
		}
		q, err := p.Question()
		if err != nil {
			return
		}
		out, err := pack(h, q, f.of(q))
		if err != nil {
			return
		}
		if binary.Write(conn, binary.BigEndian, uint16(len(out))) != nil {
			return
		}
		if _, err := conn.Write(out); err != nil {
			return
		}
	}
}

// of returns the address of a name; a look is a question for one of IPv4.
func (f *fakeDNS) of(q dnsmessage.Question) string {
	name := strings.TrimSuffix(q.Name.String(), ".")
	f.mu.Lock()
	defer f.mu.Unlock()
	look := f.looks[name]
	if q.Type == dnsmessage.TypeA {
		f.looks[name]++
	}
	return f.answer(name, look)
}
