package checkout

import (
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
)

// TestSessionOfAnotherCheckout: a session of another checkout is not the caller's; an unknown one belongs to every
// caller.
func TestSessionOfAnotherCheckout(t *testing.T) {
	var a Set
	a.Saw("s1", "/main")
	a.Saw("", "/main")
	for _, c := range []struct {
		session string
		root    event.Root
		want    bool
	}{{"s1", "/linked", true}, {"s1", "/main", false}, {"s2", "/linked", false}, {"", "/linked", false}} {
		if got := a.Elsewhere(c.session, c.root); got != c.want {
			t.Errorf("%q from %s: elsewhere %v", c.session, c.root, got)
		}
	}
	a.Saw("s1", "/linked")
	if a.Elsewhere("s1", "/linked") {
		t.Error("a session that moved is still elsewhere")
	}
}
