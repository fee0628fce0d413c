package hot

import (
	"io"
	"net"
	"sync"
	"time"
)

// pipe is one direction of an in-memory connection. Its buffer is unbounded, so a writer never waits: net.Pipe
// would block a client that is still sending a pipeline while the server answers its first commands.
type pipe struct {
	mu     sync.Mutex // guards all below
	cond   *sync.Cond
	buf    []byte // buf[off:] is unread
	off    int
	closed bool
}

func newPipe() *pipe {
	p := &pipe{}
	p.cond = sync.NewCond(&p.mu)
	return p
}

// keepBuffer is the capacity that an emptied pipe keeps for reuse.
const keepBuffer = 256 << 10

func (p *pipe) read(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.off == len(p.buf) {
		if p.closed {
			return 0, io.EOF
		}
		p.cond.Wait()
	}
	n := copy(b, p.buf[p.off:])
	p.off += n
	if p.off == len(p.buf) {
		p.off = 0
		if cap(p.buf) > keepBuffer {
			p.buf = nil
		}
		p.buf = p.buf[:0]
	}
	return n, nil
}

func (p *pipe) write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return 0, io.ErrClosedPipe
	}
	p.buf = append(p.buf, b...)
	p.cond.Signal()
	return len(b), nil
}

func (p *pipe) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.cond.Broadcast()
}

// conn is one end of an in-memory connection.
type conn struct{ in, out *pipe }

func newConns() (client, server net.Conn) {
	a, b := newPipe(), newPipe()
	return &conn{a, b}, &conn{b, a}
}

func (c *conn) Read(b []byte) (int, error)  { return c.in.read(b) }
func (c *conn) Write(b []byte) (int, error) { return c.out.write(b) }

func (c *conn) Close() error {
	c.in.close()
	c.out.close()
	return nil
}

func (c *conn) LocalAddr() net.Addr  { return memory{} }
func (c *conn) RemoteAddr() net.Addr { return memory{} }

// Deadlines do nothing: the peer lives in this process and always answers, and the client is told to set none.
func (c *conn) SetDeadline(time.Time) error      { return nil }
func (c *conn) SetReadDeadline(time.Time) error  { return nil }
func (c *conn) SetWriteDeadline(time.Time) error { return nil }

// memory is the address of both ends.
type memory struct{}

func (memory) Network() string { return "memory" }
func (memory) String() string  { return "memory" }
