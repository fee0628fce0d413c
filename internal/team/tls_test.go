package team

import (
	"crypto/tls"
	"io"
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestHostileTLS: a server that hangs in the handshake, sends garbage or never ends an answer costs
// news alone: trouble is said, the own events wait in the log, memory stays, and the exchange ends
// when it is told to.
func TestHostileTLS(t *testing.T) {
	t.Parallel()
	ca, err := trusted()
	fault.Check(t, err)
	pair, err := tls.LoadX509KeyPair(ca.file("server.crt"), ca.file("server.key"))
	fault.Check(t, err)
	endless := append([]byte("+"), make([]byte, 1<<20)...) // a line that goes on and on
	talk := func(first, then []byte) func(net.Conn) {
		return func(c net.Conn) {
			_, err := c.Write(first)
			for err == nil {
				_, err = c.Write(then)
			}
		}
	}
	inside := func(next func(net.Conn)) func(net.Conn) {
		return func(c net.Conn) {
			if s := tls.Server(c, &tls.Config{Certificates: []tls.Certificate{pair}}); s.Handshake() == nil {
				next(s)
			}
		}
	}
	for name, serve := range map[string]func(net.Conn){
		"hangs in the handshake":    func(c net.Conn) { _, _ = io.Copy(io.Discard, c) },
		"garbage for a handshake":   talk([]byte("+PONG\r\n"), []byte("garbage\r\n")),
		"hangs after the handshake": inside(func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }),
		"garbage":                   inside(talk(nil, []byte("\x00\xff garbage"))),
		"an answer without end":     inside(talk(endless, make([]byte, 1<<20))),
		"empty records without end": inside(func(c net.Conn) {
			for err := error(nil); err == nil; { // each is a record of one byte
				_, err = c.Write([]byte("*"))
			}
		}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			fault.Check(t, err)
			t.Cleanup(func() { ln.Close() })
			go func() {
				for {
					c, err := ln.Accept()
					if err != nil {
						return
					}
					go func() { defer c.Close(); serve(c) }()
				}
			}()
			m := newCrew(t, "rediss://"+ln.Addr().String(), 0).join()
			m.work(3)
			fault.Until(t, time.Minute, "trouble is said", func() bool {
				st := m.t.Status()
				return !st.Linked && st.Trouble != nil && st.Waiting > 0
			})
			if got := len(m.holds()); got != 3 {
				t.Errorf("%d events are left of 3", got)
			}
			var mem runtime.MemStats
			runtime.ReadMemStats(&mem)
			if mem.HeapInuse > 512<<20 {
				t.Errorf("%d MB are in use", mem.HeapInuse>>20)
			}
			begin := time.Now()
			if m.end(); time.Since(begin) > 10*time.Second {
				t.Errorf("it ends after %s", time.Since(begin))
			}
		})
	}
}
