package hot

import (
	"reflect"
	"testing"
	"unsafe"
)

// TestCompact: afterwards every name is one string, and nothing else has changed.
func TestCompact(t *testing.T) {
	s, files := filled(t, 2000)
	copies := func(f string) map[*byte]bool {
		at := map[*byte]bool{}
		for _, fam := range s.families {
			for _, k := range s.snapshotEpochs(fam) {
				if fam.member != nounPath {
					continue
				}
				if fam.owner == nounNone {
					for name := range s.set(s.keys.global(fam, k)) {
						if name == f {
							at[unsafe.StringData(name)] = true
						}
					}
					continue
				}
				for r := range s.known {
					for name := range s.set(s.keys.owned(fam, k, r.text)) {
						if name == f {
							at[unsafe.StringData(name)] = true
						}
					}
				}
			}
		}
		return at
	}
	again := s.Batch() // a batch brings its own copy of each name
	again.Add(Frequency, "", files[0], benchNow, 1)
	if err := s.Apply(t.Context(), again, 2); err != nil {
		t.Fatal(err)
	}
	before, err := s.Dirty(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(copies(files[0])); n < 2 {
		t.Fatalf("%d copies of a name before: the test would show nothing", n)
	}
	s.Compact()
	if n := len(copies(files[0])); n != 1 {
		t.Errorf("%d copies of a name, want 1", n)
	}
	after, err := s.Dirty(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(before, after) {
		t.Error("the snapshot is another one")
	}
}
