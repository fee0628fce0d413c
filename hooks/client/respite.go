package client

// respite is how long a daemon that did not answer in time is asked nothing: its answers would come too late again, and each would cost
// the agent the whole wait.
type respite struct {
	on    bool
	known bool  // a daemon was late, and none was in time since
	last  int64 // seconds
}

// Bounds of a respite, in seconds. Each one in a row is twice as long as the one before.
const (
	firstRespite = 2
	maxRespite   = 60
)

// lateFile holds the length of the last respite. The time of the file is its beginning.
func (p place) lateFile() string { return join(p.store, "hook-late") }

func (p place) respite() respite {
	at, known := modified(p.lateFile())
	if !known {
		return respite{}
	}
	r := respite{known: true}
	for _, c := range firstLine(p.lateFile()) {
		if c < '0' || c > '9' || r.last > maxRespite {
			break
		}
		r.last = 10*r.last + int64(c-'0')
	}
	age := now() - at
	began, _ := modified(p.socket) // another daemon may have begun since
	r.on = age >= 0 && age < min(r.last, maxRespite)*1_000_000 && began <= at
	return r
}

// late begins a respite. A daemon that hooks have just started is not hung: it reads its stores.
func (p place) late(r respite) {
	if at, ok := modified(p.startFile()); ok && now()-at < startAgain*1000 {
		return
	}
	put(p.lateFile(), itoa(int(min(max(2*r.last, firstRespite), maxRespite))))
}

// inTime ends it.
func (p place) inTime(r respite) {
	if r.known {
		remove(p.lateFile())
	}
}
