package daemon

import (
	"context"
	"sync"

	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/internal/hot/redis"
)

// mirrors decides which mirror of the server answers questions, and what it gets of this daemon's own batches. A mirror
// that follows the server gets them from there, each once, as the server counts them. When the server is lost, the mirror
// that answers gets those that the server has not confirmed, and from then on each as it is learned. Then it is no longer
// what the server has, and the next connection reads a new one beside it.
type mirrors struct {
	store *hot.Store // this daemon's own, whose views read the mirror

	mu       sync.Mutex    // guards what follows; nobody waits for the network with it
	shared   *redis.Mirror // answers questions; nil: the store does
	touched  bool          // shared has got batches that were learned, not read
	next     *redis.Mirror // follows the server: shared, or to be shared once the server has all; nil: there is no server
	learning []ownBatch    // learned since next follows, and perhaps not in it; the oldest first
	length   int           // increments of all of them
	left     int64         // newest batch that is not in learning
}

// ownBatch is a batch of this daemon that was learned.
type ownBatch struct {
	batch *hot.Batch
	seq   int64
}

// maxLearning bounds the increments of the batches that are kept until the server has them. An import has more: when the
// server is lost in the middle of one, the daemon's own store answers until the server is back.
const maxLearning = 100_000

// learned notes a batch that the store has learned.
func (m *mirrors) learned(b *hot.Batch, seq int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.shared != nil && m.next != m.shared {
		m.learn(ownBatch{b, seq})
	}
	if m.next == nil {
		return
	}
	m.learning = append(m.learning, ownBatch{b, seq})
	m.length += b.Len()
	for len(m.learning) > 0 && (m.length > maxLearning || m.learning[0].seq <= m.next.Own()) {
		m.left = m.learning[0].seq
		m.length -= m.learning[0].batch.Len()
		m.learning = m.learning[1:]
	}
}

// learn gives the mirror that answers a batch that it does not get from the server.
func (m *mirrors) learn(b ownBatch) {
	m.touched = true
	if m.shared.Scores.Apply(context.Background(), b.batch.Scores(), b.seq) != nil {
		m.drop() // made with other half-lives: a new mirror comes with the next connection
	}
}

func (m *mirrors) drop() {
	m.shared = nil
	m.store.Share(nil)
}

// goOn makes the mirror that answers follow a server that has so many of this daemon's batches. It is nil if the mirror
// has got anything else.
func (m *mirrors) goOn(sent int64) *redis.Mirror {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.shared == nil || m.touched || m.shared.Own() > sent {
		return nil
	}
	m.follow(m.shared)
	return m.next
}

// begin makes a mirror that was loaded follow the server, in place of the one that did.
func (m *mirrors) begin(next *redis.Mirror) {
	m.mu.Lock()
	defer m.mu.Unlock()
	answers := m.next != nil && m.next == m.shared
	if m.follow(next); answers {
		m.answer()
	}
}

func (m *mirrors) follow(next *redis.Mirror) {
	m.next, m.learning, m.length = next, nil, 0
	m.left, _ = m.store.Applied(context.Background()) // it never fails
}

// share makes the mirror that follows the server answer questions.
func (m *mirrors) share() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answer()
}

func (m *mirrors) answer() {
	m.shared, m.touched = m.next, false
	m.store.Share(m.shared.Scores)
}

// stop notes that the server is lost.
func (m *mirrors) stop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.next == nil {
		return
	}
	if m.next == m.shared && m.left > m.next.Own() {
		m.drop()
	}
	for _, b := range m.learning {
		if m.shared != nil && m.next == m.shared && b.seq > m.next.Own() {
			m.learn(b)
		}
	}
	m.next, m.learning, m.length = nil, nil, 0
}
