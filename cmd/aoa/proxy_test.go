package main

import (
	"bytes"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/scripts/fault"
)

// proxy is what lies between a daemon and its server: a proxy that can be cut, swallow everything, drag, or break in
// the middle of an answer.
type proxy struct {
	l  net.Listener
	to string

	how    atomic.Int32
	broken atomic.Int32 // answers to what is published that were broken off

	mu    sync.Mutex // guards wires
	wires map[net.Conn]bool
}

// What a proxy does to what it carries.
const (
	through   int32 = iota
	cut             // connections end, and new ones at once
	swallowed       // connections stay and nothing arrives, in either direction
	slow            // every piece takes a while
	broken          // the next answer to what is published ends after its first byte, with a reset
)

// dragged is what a piece takes on a slow proxy.
const dragged = 40 * time.Millisecond

func newProxy(t *testing.T, to string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	c := &proxy{l: l, to: to, wires: map[net.Conn]bool{}}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { c.carry(near) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		c.end()
		all.Wait()
	})
	return c
}

func (c *proxy) url() string { return "redis://" + c.l.Addr().String() + "/0" }

// turn changes how the proxy is. What lay in one that swallowed stays lost, and so do its connections.
func (c *proxy) turn(how int32) {
	before := c.how.Swap(how)
	if how == cut || before == swallowed {
		c.end()
	}
}

// end ends all connections.
func (c *proxy) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for w := range c.wires {
		w.Close()
	}
}

func (c *proxy) keep(w net.Conn, there bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if there {
		c.wires[w] = true
	} else {
		delete(c.wires, w)
	}
}

// carry is one connection.
func (c *proxy) carry(near net.Conn) {
	defer near.Close()
	if c.how.Load() == cut {
		return
	}
	far, err := net.Dial("tcp", c.to)
	if err != nil {
		return
	}
	defer far.Close()
	for _, w := range []net.Conn{near, far} {
		c.keep(w, true)
		defer c.keep(w, false)
	}
	var publishing atomic.Bool // it was asked to append to the stream, and has not answered
	var both sync.WaitGroup
	both.Go(func() { c.pass(near, far, nil, &publishing) })
	both.Go(func() { c.pass(far, near, near.(*net.TCPConn), &publishing) })
	both.Wait()
}

// pass carries one direction; asker is the daemon's end if it is that of the answers.
func (c *proxy) pass(from, to net.Conn, asker *net.TCPConn, publishing *atomic.Bool) {
	defer from.Close()
	defer to.Close()
	for buf := make([]byte, 64<<10); ; {
		n, err := from.Read(buf)
		if n > 0 {
			piece := buf[:n]
			if asker == nil && bytes.Contains(bytes.ToLower(piece), []byte("\r\nxadd\r\n")) {
				publishing.Store(true)
			}
			switch how := c.how.Load(); {
			case how == swallowed:
				continue
			case how == slow:
				fault.Pass(dragged)
			case how == broken && asker != nil && publishing.Load() && c.how.CompareAndSwap(broken, through):
				c.broken.Add(1)
				_, _ = asker.Write(piece[:1])
				_ = asker.SetLinger(0) // closing is a reset
				return
			case asker != nil:
				publishing.Store(false)
			}
			if _, err := to.Write(piece); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
