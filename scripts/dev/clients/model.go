//go:build unix

package clients

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// model is a scripted stand-in for a language model. It answers each request that offers tools with
// the next turn of its script, and keeps every request, because these are all that a real model
// would have read.
type model struct {
	url    string
	number int // its calls are numbered from here, so that two models never use the same ID

	mu    sync.Mutex // guards the fields below
	turns []turn
	asked []reading
	t     *testing.T
}

// turn is the answer of the model to one request.
type turn struct {
	calls  []toolUse // calls that are made together; if none exist, the text ends the model's turn
	text   string
	tokens int    // the number of tokens in the context that the client learns of
	before func() // called before the answer is sent, while the client waits
}

// toolUse is one call of a tool.
type toolUse struct {
	tool  string
	input map[string]any
}

// reading is a request of the client with the turn that answered it.
type reading struct {
	path string
	body map[string]any
	text string // all strings of the request's body
	// index of the turn in the script; -1 for a request outside of the script, which got an answer of
	// one word
	turn int
}

// dialect describes the requests and answers of a provider's API.
type dialect struct {
	asks   func(path string, body map[string]any) bool // reports whether a request asks for a turn
	stream func(path string, body map[string]any) bool
	answer func(n int, t turn) []sse // the answer as a stream of events
	whole  func(n int, t turn) any   // the answer as one object; nil if clients never ask for that
	other  func(path string) any     // the answer to any other request
}

// sse is one server-sent event. Name may be empty.
type sse struct {
	name string
	data any
}

// models counts the models that were started, so that each has its own numbers.
var models atomic.Int64

// startModel serves a script on the loopback interface, inside the cell if there is one.
func startModel(t *testing.T, d dialect, turns []turn) *model {
	t.Helper()
	m := &model{turns: turns, t: t, number: int(models.Add(1)) * 1000}
	var listener net.Listener
	listen := func() {
		var err error
		if listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			t.Error(err)
		}
	}
	if err := caged(listen); err != nil {
		listen()
	}
	if listener == nil {
		t.FailNow()
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { m.serve(d, w, r) }))
	s.Listener.Close()
	s.Listener = listener
	s.Start()
	t.Cleanup(s.Close)
	m.url = s.URL
	return m
}

func (m *model) serve(d dialect, w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	body := map[string]any{}
	_ = json.Unmarshal(raw, &body) // A body that is not an object asks for nothing.
	asks := r.Method == http.MethodPost && d.asks(r.URL.Path, body)
	n, say := m.next(asks, reading{path: r.Method + " " + r.URL.Path, body: body, text: allText(body)})
	if say.before != nil {
		say.before()
	}
	switch {
	case !asks && d.other(r.URL.Path) != nil:
		reply(w, d.other(r.URL.Path))
	case d.stream(r.URL.Path, body):
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range d.answer(n, say) {
			if e.name != "" {
				fmt.Fprintf(w, "event: %s\n", e.name)
			}
			text, ok := e.data.(plain)
			if !ok {
				text = plain(encoded(e.data))
			}
			fmt.Fprintf(w, "data: %s\n\n", text)
		}
	default:
		reply(w, d.whole(n, say))
	}
}

// next keeps the request and returns the turn that answers it. After the end of the script it
// returns a turn of one word.
func (m *model) next(asks bool, r reading) (int, turn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r.turn = -1
	say := turn{text: "done"}
	if asks {
		for _, earlier := range m.asked {
			r.turn = max(r.turn, earlier.turn)
		}
		r.turn++
		if r.turn < len(m.turns) {
			say = m.turns[r.turn]
		}
	}
	m.asked = append(m.asked, r)
	return m.number + len(m.asked), say
}

// requests returns the requests that a turn of the script answered, in order.
func (m *model) requests() (out []reading) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.asked {
		if r.turn >= 0 {
			out = append(out, r)
		}
	}
	return out
}

// first returns the index of the first such request that contains the text, -1 if none exists.
func (m *model) first(text string) int {
	for i, r := range m.requests() {
		if strings.Contains(r.text, text) {
			return i
		}
	}
	return -1
}

func reply(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, encoded(body))
}

func encoded(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // a script in this file is not JSON
	}
	return string(b)
}

// allText joins the strings of a JSON value without JSON's escapes, which is the text as the model
// reads it.
func allText(v any) string {
	var b strings.Builder
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			b.WriteString(v + "\n")
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(v)
	return b.String()
}
