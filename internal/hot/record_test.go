package hot

import (
	"bytes"
	"testing"
)

// FuzzRecord: whatever decodes encodes to the same again.
func FuzzRecord(f *testing.F) {
	s := New(nil)
	codec := s.codec()
	file := func(name string) uint32 { return s.names[NounFile].id(name) }
	for _, c := range []struct {
		r record
		c content
	}{
		{record{NounFile, "dir/a.go"}, content{scores: []score{{1, -3, 2.5}},
			sets: []ownedSet{{family: 8, epoch: 1, grown: true, members: set{{file("dir/b.go"), 1}, {file("dir/c.go"), -2}}}}}},
		{record{nounFact, "threshold"}, content{fields: []field{{"a", "b"}}}},
	} {
		f.Add(c.r.key(), codec.encode(nil, c.r, &c.c))
	}
	f.Add("f:x", []byte{})
	f.Add("k:x", bytes.Repeat([]byte{0xff}, 64))
	f.Fuzz(func(t *testing.T, key string, data []byte) {
		r, ok := parseRecord(key)
		if !ok || len(data) < 9 {
			return
		}
		s := New(nil)
		codec := s.codec()
		d := decoder{codec: codec}
		// Past the checksum, where the faults are.
		body := bytes.Clone(data[:len(data)-4])
		body[0] = recordVersion
		copy(body[1:5], codec.encode(nil, r, &content{})[1:5])
		sum := checksum(r, body)
		c, err := d.decode(r, append(body, byte(sum), byte(sum>>8), byte(sum>>16), byte(sum>>24)))
		if err != nil {
			return
		}
		once := codec.encode(nil, r, c)
		again, err := d.decode(r, once)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(once, codec.encode(nil, r, again)) {
			t.Fatal("encoding is not stable")
		}
	})
}
