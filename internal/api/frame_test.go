package api

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestFrame(t *testing.T) {
	for _, body := range []string{"", "{}", strings.Repeat("x", 70_000)} {
		wire := AppendFrame(nil, []byte(body))
		got, err := ReadFrame(bytes.NewReader(wire))
		if err != nil || string(got) != body {
			t.Errorf("frame of %d bytes came back as %d bytes, %v", len(body), len(got), err)
		}
		for _, cut := range []int{0, 1, 4, len(wire) - 1} {
			if cut >= len(wire) {
				continue
			}
			if _, err := ReadFrame(bytes.NewReader(wire[:cut])); !errors.Is(err, ErrFrame) {
				t.Errorf("frame cut at %d of %d: %v, want ErrFrame", cut, len(wire), err)
			}
		}
	}
	if _, err := ReadFrame(strings.NewReader("\x00\xff\xff\xff\xff")); !errors.Is(err, ErrFrame) {
		t.Errorf("a frame of 4 GB: %v, want ErrFrame", err)
	}
}

func FuzzFrame(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x00\x02{}"))
	f.Add([]byte("\x00\xff\xff\xff\xff"))
	f.Add([]byte("GET / HTTP/1.1\r\n"))
	f.Fuzz(func(t *testing.T, wire []byte) {
		body, err := ReadFrame(bytes.NewReader(wire))
		if err != nil {
			return
		}
		if again := AppendFrame(nil, body); !bytes.HasPrefix(wire, again) {
			t.Fatalf("read % x, wrote % x", wire, again)
		}
	})
}
