package hot

import (
	"bytes"
	"errors"
	"slices"
	"testing"
	"time"
)

func TestBadRecordsAreSkipped(t *testing.T) {
	s := openEmbedded(t)
	apply(t, s, 5, func(b *Batch) {
		for _, p := range []string{"a", "b", "c", "d"} {
			b.Add(Frequency, "", p, noon, 1)
		}
	})
	recs, err := s.Dirty(t.Context(), false)
	if err != nil || len(recs) != 5 {
		t.Fatal(recs, err)
	}
	recs[0].Data = bytes.Clone(recs[0].Data)
	recs[0].Data[12] ^= 1
	recs[1].Data = recs[1].Data[:len(recs[1].Data)-1]
	recs[2].Key = "f:other" // another file's record
	recs = append(recs, Record{"?", []byte("x")}, Record{"f:gone", nil})
	n := openEmbedded(t)
	if err := n.Restore(t.Context(), recs); err != nil {
		t.Fatal(err)
	}
	if size := n.Size(t.Context()); size.Skipped != 4 || size.Files != 1 || !near(one(t, n, Frequency, "", "d"), 1) {
		t.Errorf("size is %+v", size)
	}
	if seq, err := n.Applied(t.Context()); seq != 5 || err != nil {
		t.Errorf("applied is %d, %v", seq, err)
	}
	if again, err := s.Dirty(t.Context(), false); err != nil || len(again) != 1 {
		t.Errorf("still dirty: %v, %v", again, err)
	}
	s.Redo(recs[3:4])
	if again, err := s.Dirty(t.Context(), false); err != nil || len(again) != 2 {
		t.Errorf("given back: %v, %v", again, err)
	}
}

func TestOtherHalfLivesAreRefused(t *testing.T) {
	s := openEmbedded(t)
	apply(t, s, 1, func(b *Batch) { b.Add(Frequency, "", "a", noon, 1) })
	recs, err := s.Dirty(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	n, err := Open(t.Context(), Options{Repo: "r", Half: map[string]time.Duration{"comod": time.Hour}})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	if err := n.Restore(t.Context(), recs); !errors.Is(err, ErrHalfLives) {
		t.Errorf("restored: %v", err)
	}
	if err := n.Apply(t.Context(), s.Batch(), 1); err == nil {
		t.Error("a batch of another store was applied")
	}
}

// FuzzRecord: whatever unpacks packs to the same again.
func FuzzRecord(f *testing.F) {
	print := defaults.print()
	for _, c := range []struct {
		r record
		c content
	}{
		{record{nounPath, "dir/a.go"}, content{scores: []score{{1, -3, 2.5}}, sets: []ownedSet{{family: 9, epoch: 1, grown: true, members: []member{{"dir/b.go", 1}, {"dir/c.go", -2}}}}}},
		{record{nounSession, "s"}, content{fields: []field{{"clock", "8"}}, deadline: 1e9, parts: [parts][]member{{{"a\nb", 1}}}}},
		{record{nounFact, "threshold"}, content{fields: []field{{"a", "b"}}}},
	} {
		f.Add(c.r.key(), c.c.pack(nil, c.r, print))
	}
	f.Add("f:x", []byte{})
	f.Add("s:x", bytes.Repeat([]byte{0xff}, 64))
	f.Fuzz(func(t *testing.T, key string, data []byte) {
		r, ok := parseRecord(key)
		if !ok || len(data) < 9 {
			return
		}
		// Past the checksum, where the faults are.
		body := bytes.Clone(data[:len(data)-4])
		body[0] = recordVersion
		copy(body[1:5], (&content{}).pack(nil, r, print)[1:5])
		sum := checksum(r, body)
		whole := append(body, byte(sum), byte(sum>>8), byte(sum>>16), byte(sum>>24))
		c, err := unpack(r, whole, print, len(defaults))
		looked, err2 := (&unpacker{raw: true}).unpack(r, whole, print, len(defaults))
		if (err == nil) != (err2 == nil) {
			t.Fatalf("read: %v; looked through: %v", err, err2)
		}
		if err != nil {
			return
		}
		for i, set := range looked.sets {
			if ms := (packedSet{r.text, set.raw}).members(); len(ms) != set.n || !slices.Equal(ms, c.sets[i].members) {
				t.Fatalf("members are %v, and %v of %d when they are unpacked later", c.sets[i].members, ms, set.n)
			}
		}
		again, err := unpack(r, c.pack(nil, r, print), print, len(defaults))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(c.pack(nil, r, print), again.pack(nil, r, print)) {
			t.Fatal("packing is not stable")
		}
	})
}
