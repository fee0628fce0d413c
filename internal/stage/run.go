package stage

import "sync"

// runs are the runs that are under way, by key. Of two requests for the same key, one runs and the other waits.
type runs struct {
	mu sync.Mutex
	by map[string]*run
}

type run struct {
	material keyParts
	over     chan struct{}
}

// begin takes the turn for a key, or returns what to wait for. Whoever has the turn calls release, at least once.
func (f *runs) begin(key string, m keyParts) (release func(), wait <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if other, ok := f.by[key]; ok {
		return nil, other.over
	}
	if f.by == nil {
		f.by = map[string]*run{}
	}
	own := &run{m, make(chan struct{})}
	f.by[key] = own
	return sync.OnceFunc(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.by, key)
		close(own.over)
	}), nil
}

// material returns what a run that is under way began with, nil when it is unknown.
func (f *runs) material(key string) keyParts {
	f.mu.Lock()
	defer f.mu.Unlock()
	if fl, ok := f.by[key]; ok {
		return fl.material
	}
	return nil
}
