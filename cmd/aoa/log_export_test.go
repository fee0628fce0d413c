package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/fault"
)

func someExport(t testing.TB, n int) []byte {
	var b bytes.Buffer
	packed, err := zstd.NewWriter(&b)
	fault.Check(t, err)
	out := json.NewEncoder(packed)
	err = out.Encode(exportHead{exportVersion})
	for i := range n {
		err = errors.Join(err, out.Encode(event.Event{ID: string(rune('a' + i)), Time: time.Unix(int64(i), 0).UTC(),
			Body: event.Call{Act: event.ActRead, Paths: []event.Path{"a.go"}}}))
	}
	fault.Check(t, errors.Join(err, packed.Close()))
	return b.Bytes()
}

// TestExportDamage: no cut and no changed byte passes for a whole file.
func TestExportDamage(t *testing.T) {
	whole := someExport(t, 20)
	n := 0
	if err := decodeEvents(bytes.NewReader(whole), func(event.Event) error { n++; return nil }); n != 20 || err != nil {
		t.Fatalf("%d events, %v", n, err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		b := bytes.Clone(whole)
		if r.IntN(2) == 0 {
			b = b[:r.IntN(len(b))]
		} else {
			b[r.IntN(len(b))] ^= byte(1 + r.IntN(255))
		}
		got := 0
		err := decodeEvents(bytes.NewReader(b), func(event.Event) error { got++; return nil })
		if err == nil && got != 20 {
			t.Errorf("%d of 20 events were read without an error", got)
		}
	}
}

func FuzzExport(f *testing.F) {
	f.Add(someExport(f, 3))
	f.Add([]byte("no events"))
	f.Fuzz(func(t *testing.T, b []byte) {
		_ = decodeEvents(bytes.NewReader(b), func(event.Event) error { return nil })
	})
}
