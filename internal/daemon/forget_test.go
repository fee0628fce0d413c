package daemon_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
)

// TestForgottenAtOnce: no answer after that of aoa forget has what was forgotten, also while the
// daemon opens its stores again.
func TestForgottenAtOnce(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	d.start()
	for i := range 10 {
		session := fmt.Sprint("session-", i)
		call(d, api.Events, []event.Event{read(fmt.Sprint("e", i), session, d.o.Now().Add(-time.Minute), "a.go")})
		call(d, api.Names, api.NamesRequest{Session: session}) // it is known
		call(d, api.Forget, api.ForgetRequest{Session: session})
		c := &api.Client{Place: d.o.Place, Dir: string(d.o.Repo.Root)}
		if ans, err := api.Call(t.Context(), c, api.Names, api.NamesRequest{Session: session}); err == nil {
			t.Errorf("the daemon knows the session %q after it was forgotten", ans.Session)
		}
	}
}
