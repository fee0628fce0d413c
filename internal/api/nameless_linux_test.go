package api_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestSocketLosesItsName: a server whose socket was removed, renamed or replaced listens again
// under its name. If the name belongs to another daemon, or cannot be taken, it does not fight for
// it.
func TestSocketLosesItsName(t *testing.T) {
	t.Parallel()
	answers := func(p locate.Place) bool {
		conn, err := api.Dial(t.Context(), p)
		if err == nil {
			conn.Close()
		}
		return err == nil
	}
	var gone atomic.Bool
	p := serve(t, &api.Server{Gone: gone.Load})
	for how, take := range map[string]func() error{
		"removed":   func() error { return os.Remove(p.Socket) },
		"renamed":   func() error { return os.Rename(p.Socket, p.Socket+"-aside") },
		"a file":    func() error { return errors.Join(os.Remove(p.Socket), os.WriteFile(p.Socket, nil, 0o600)) },
		"a folder":  func() error { return errors.Join(os.Remove(p.Socket), os.Mkdir(p.Socket, 0o700)) },
		"unchanged": func() error { return nil },
	} {
		fault.Check(t, take())
		fault.Until(t, time.Minute, how+": the server answers again", func() bool { return answers(p) })
	}
	gone.Store(true)
	fault.Check(t, errors.Join(os.Remove(p.Socket), os.WriteFile(p.Socket, []byte("of another daemon"), 0o600)))
	if fault.Within(3*time.Second, func() bool { return answers(p) }) {
		t.Error("a server takes the name that belongs to another daemon")
	}
	gone.Store(false)
	fault.Until(t, time.Minute, "the server answers", func() bool { return answers(p) })
	if st, err := os.Stat(p.Socket); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("the new socket: %v, %v", st, err)
	}

	far := p
	far.Socket = filepath.Join(t.TempDir(), "aoa", "s")
	fault.Check(t, far.MakeSocketFolder())
	listen(t, &api.Server{}, far)
	fault.Check(t, os.RemoveAll(filepath.Dir(far.Socket))) // as a cleaner of /tmp does it
	fault.Until(t, time.Minute, "the server answers in a folder that was deleted", func() bool { return answers(far) })

	stuck, err := locate.Create(t.TempDir(), homeOf(t))
	fault.Check(t, err)
	ln, err := api.Listen(stuck)
	fault.Check(t, err)
	fault.Check(t, errors.Join(os.Remove(stuck.Socket), os.MkdirAll(stuck.Socket+"/x", 0o700)))
	if err := (&api.Server{}).Serve(t.Context(), ln); err == nil {
		t.Error("a server whose name cannot be taken back ends without an error")
	}
}
