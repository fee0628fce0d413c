package main

import (
	"debug/buildinfo"
	"os"
	"runtime/debug"
	"slices"
	"testing"
)

// TestList: the test's own program is listed with the standard library, a module that it is made of, and the module's sum.
func TestList(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	info.Deps = append(info.Deps, &debug.Module{Path: "example.com/m", Version: "v1.2.3", Sum: "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="})
	doc := list("aoa", info)
	if doc.Format != "CycloneDX" || doc.Components[0].Name != "std" || doc.Components[0].Version == "" {
		t.Errorf("%+v", doc)
	}
	i := slices.IndexFunc(doc.Components, func(c component) bool { return c.PURL == "pkg:golang/example.com/m@v1.2.3" })
	if i < 0 || len(doc.Components[i].Hashes) != 1 || doc.Components[i].Hashes[0].Content != "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" {
		t.Errorf("%+v", doc.Components)
	}
}
