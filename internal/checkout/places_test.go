package checkout

import (
	"fmt"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// TestSessionOfAnotherCheckout: a session of another checkout is not the caller's; an unknown one
// belongs to every caller.
func TestSessionOfAnotherCheckout(t *testing.T) {
	var a Set
	a.Saw("s1", "/main")
	a.Saw("", "/main")
	for _, c := range []struct {
		session string
		root    event.Root
		want    bool
	}{{"s1", "/linked", true}, {"s1", "/main", false}, {"s2", "/linked", false}, {"", "/linked", false}} {
		fault.Same(t, fmt.Sprintf("%q from %s: elsewhere", c.session, c.root), a.Elsewhere(c.session, c.root), c.want)
	}
	a.Saw("s1", "/linked")
	if a.Elsewhere("s1", "/linked") {
		t.Error("a session that moved is still elsewhere")
	}
}
