package stage

import "sync"

// flights are the runs that are under way, by key: of two that want the same, one runs and the other waits.
type flights struct {
	mu sync.Mutex
	by map[string]*flight
}

type flight struct {
	material Material
	over     chan struct{}
}

// join takes the turn for a key, or returns what to wait for. The end of a turn is told by calling land once or often.
func (f *flights) join(key string, m Material) (land func(), wait <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if other, ok := f.by[key]; ok {
		return nil, other.over
	}
	if f.by == nil {
		f.by = map[string]*flight{}
	}
	mine := &flight{m, make(chan struct{})}
	f.by[key] = mine
	return sync.OnceFunc(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.by, key)
		close(mine.over)
	}), nil
}

// material returns what a run that is under way began with, nil when it is unknown.
func (f *flights) material(key string) Material {
	f.mu.Lock()
	defer f.mu.Unlock()
	if fl, ok := f.by[key]; ok {
		return fl.material
	}
	return nil
}
