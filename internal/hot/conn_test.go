package hot

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

// TestPipelineLongerThanAnyBuffer hangs on a connection that makes its writers wait.
func TestPipelineLongerThanAnyBuffer(t *testing.T) {
	s := openEmbedded(t)
	value := strings.Repeat("x", 10000)
	cmds, err := s.client.Pipelined(t.Context(), func(p redis.Pipeliner) error {
		for range 2000 {
			p.Echo(t.Context(), value)
		}
		return nil
	})
	if err != nil || len(cmds) != 2000 || cmds[1999].(*redis.StringCmd).Val() != value {
		t.Fatal(len(cmds), err)
	}
}

func TestConn(t *testing.T) {
	a, b := newConns()
	sent := bytes.Repeat([]byte("0123456789"), 100000)
	if n, err := a.Write(sent); n != len(sent) || err != nil {
		t.Fatal(n, err)
	}
	a.Close()
	got, err := io.ReadAll(b)
	if err != nil || !bytes.Equal(got, sent) {
		t.Errorf("read %d of %d bytes, %v", len(got), len(sent), err)
	}
	if _, err := b.Write(sent); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("writing to a closed connection: %v", err)
	}
	c, d := newConns()
	done := make(chan error)
	go func() {
		_, err := d.Read(make([]byte, 1))
		done <- err
	}()
	c.Close()
	if err := <-done; err != io.EOF {
		t.Errorf("a waiting reader got %v", err)
	}
}
