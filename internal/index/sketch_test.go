package index

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// said are the hashes of words in a sketch.
func said(k Sketch, words ...string) (out []bool) {
	for _, w := range words {
		_, has := slices.BinarySearch(k, sketchHash([]byte(w)))
		out = append(out, has)
	}
	return out
}

func TestSketchOf(t *testing.T) {
	const before = "one alpha\ntwo beta\nthree gamma\n"
	for _, c := range []struct{ name, before, after, has, lacks string }{
		{"added", before, before + "four Delta_2\n", "four delta_2 \x00added\u00a0only \x00size\u00a01", "one alpha \x00removed\u00a0only"},
		{"removed", before, "one alpha\ntwo beta\n", "three gamma \x00removed\u00a0only", "two beta \x00added\u00a0only"},
		{"changed", before, strings.Replace(before, "beta", "zeta", 1), "two beta zeta", "one \x00added\u00a0only \x00removed\u00a0only"},
		{"a line more of the same", "same\n", "same\nsame\n", "same \x00added\u00a0only", "\x00removed\u00a0only"},
		{"new", "", "package lib\n", "package lib", ""},
		{"other ends of lines", before, strings.ReplaceAll(before, "\n", "\r\n") + "four\n", "four", "one two"},
		{"no words", "x\n", "x\n12345 +-*/ a\n", "\x00added\u00a0only", "12345 a"},
	} {
		k := SketchOf([]byte(c.before), []byte(c.after))
		for _, w := range strings.Split(c.has, " ") {
			if has := said(k, strings.ReplaceAll(w, "\u00a0", " ")); !has[0] {
				t.Errorf("%s: %q is not in it", c.name, w)
			}
		}
		for _, w := range strings.Fields(c.lacks) {
			if has := said(k, strings.ReplaceAll(w, "\u00a0", " ")); has[0] {
				t.Errorf("%s: %q is in it", c.name, w)
			}
		}
	}
	for name, two := range map[string][2]string{"the same": {before, before}, "moved": {before, "three gamma\none alpha\ntwo beta\n"},
		"binary": {"a\x00b", "c\n"}, "nothing": {"", ""}} {
		if k := SketchOf([]byte(two[0]), []byte(two[1])); k != nil {
			t.Errorf("%s: %v", name, k)
		}
	}
}

// TestSketchBounds: the first 150 lines are read, the 60 most frequent words are kept, and all
// lines count.
func TestSketchBounds(t *testing.T) {
	var d Differ
	for i := range 400 {
		d.Line(true, fmt.Appendf(nil, "often word%d %s", i, strings.Repeat("x", 49)))
	}
	k := d.Sketch()
	fault.Same(t, "words and two marks", len(k), maxSketchWords+2)
	fault.Same(t, "often, a long word, 101 lines or more", fmt.Sprint(said(k, "often", strings.Repeat("x", 49), "\x00size 101")), "[true false true]")
	for i := maxSketchLines; i < 400; i++ {
		if said(k, fmt.Sprint("word", i))[0] {
			t.Errorf("line %d was read", i)
		}
	}
	if !slices.IsSorted(k) {
		t.Error("it is not in order")
	}
}

// TestSketchHash: sketches are kept on the disk, so a word has the same hash in every version.
func TestSketchHash(t *testing.T) {
	fault.Same(t, "FNV-1a of parseconfig", sketchHash([]byte("ParseConfig")), sketchHash([]byte("parseconfig")))
	fault.Same(t, "FNV-1a of a", sketchHash([]byte("a")), uint32(0xe40c292c))
}
