package prefetch

import (
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/session/live"
)

// trial is a decision with what followed it.
type trial struct {
	live.Prediction
	kind     Kind
	arm      Arm
	at       time.Time
	session  string
	tokens   int
	before   int   // requests of the conversation when it was said
	searches []int // by file; of a list one number
	others   []event.Path
}

// resolved reports whether the decision as a whole is.
func (t *trial) resolved() bool { return t.UsedFiles() > 0 || t.Left == 0 }

// counter walks through the log.
type counter struct {
	trials   []*trial
	waiting  map[string][]*trial            // session → those that are not resolved
	opened   map[string]map[event.Path]bool // session → files
	last     map[string]time.Time           // session → its last event
	requests requests
}

func (c *counter) each(session string, do func(*trial)) {
	for _, t := range c.waiting[session] {
		do(t)
	}
	c.waiting[session] = slices.DeleteFunc(c.waiting[session], func(t *trial) bool { return t.Left == 0 })
}

func (c *counter) count(e event.Event) {
	if e.Kind() == event.KindCommit {
		for id := range c.waiting {
			c.each(id, func(t *trial) { t.Committed(e) })
		}
		return
	}
	if e.Session == "" {
		return
	}
	if last := c.last[e.Session]; !last.IsZero() && e.Time.Sub(last) > live.IdleEnd {
		c.each(e.Session, func(t *trial) { t.Left = 0 })
	}
	c.last[e.Session] = e.Time
	c.requests.add(e)
	h, made := e.Body.(event.Hint)
	switch {
	case made && Arm(h.Arm) != Shadow:
		t := &trial{Prediction: live.NewPrediction(e), kind: Kind(h.Name), arm: Arm(h.Arm), at: e.Time, session: e.Session,
			tokens: h.Tokens, before: c.requests.count(conversation{e.Session, e.Subagent}),
			searches: make([]int, len(e.Paths()))}
		c.trials = append(c.trials, t)
		if len(t.Files) > 0 {
			c.waiting[e.Session] = append(c.waiting[e.Session], t)
		}
	case e.Opens():
		first := c.first(e)
		c.each(e.Session, func(t *trial) {
			if first && t.Concerns(e) && len(t.others) < mostOpened && len(e.Paths()) > 0 && !t.Names(e.Paths()[0]) {
				t.others = append(t.others, e.Paths()[0])
			}
			t.Opened(e, first)
		})
	case e.Kind() == event.KindSearch:
		c.each(e.Session, func(t *trial) {
			if t.Concerns(e) {
				t.searched()
			}
		})
	case e.Kind() == event.KindPrompt && e.Subagent == "":
		c.each(e.Session, func(t *trial) { t.Prompted() })
	case e.Kind() == event.KindEnd:
		c.each(e.Session, func(t *trial) { t.Ended() })
	}
}

// first notes the files that a session opens, and reports whether one of them is its first open of that file.
func (c *counter) first(e event.Event) (first bool) {
	if c.opened[e.Session] == nil {
		c.opened[e.Session] = map[event.Path]bool{}
	}
	for _, f := range e.Paths() {
		first = first || !c.opened[e.Session][f]
		c.opened[e.Session][f] = true
	}
	return first
}

// tally counts the decision in its kind.
func (t *trial) tally(k *KindProof) {
	arm := &k.Shown
	if t.arm == Withheld {
		arm = &k.Withheld
	}
	if traits[t.kind].list {
		if len(t.Files) == 0 {
			return
		}
		arm.Predicted++
		if t.resolved() && (t.Opens || t.UsedFiles() > 0) {
			arm.Resolved++
			arm.Used += int64(min(t.UsedFiles(), 1))
		}
		return
	}
	arm.Predicted += int64(len(t.Files))
	arm.Used += int64(t.UsedFiles())
	if t.Left == 0 {
		arm.Resolved += int64(len(t.Files))
	} else {
		arm.Resolved += int64(t.UsedFiles())
	}
}

// searched counts a search for the files that are still to be opened.
func (t *trial) searched() {
	if traits[t.kind].list {
		if t.UsedFiles() == 0 {
			t.searches[0]++
		}
		return
	}
	for i, f := range t.Files {
		if !f.Used {
			t.searches[i]++
		}
	}
}

// sums are those of the decision. A change takes as many searches as it takes.
func (t *trial) sums() (s sums) {
	if t.Label == live.LabelChange {
		return s
	}
	n, searches := 0.0, 0.0
	for i, f := range t.Files {
		if list := traits[t.kind].list; list && i == 0 && t.resolved() || !list && (f.Used || t.Left == 0) {
			n++
			searches += float64(t.searches[i])
		}
	}
	if t.arm == Shown {
		return sums{shown: n, searched: searches}
	}
	return sums{withheld: n, searchedWithheld: searches}
}

func (t *trial) loss() Loss {
	l := Loss{At: t.at, Session: t.session, Kind: t.kind, Opened: append([]event.Path{}, t.others...), Tokens: t.tokens}
	for _, f := range t.Files {
		l.Named = append(l.Named, f.Path)
	}
	return l
}
