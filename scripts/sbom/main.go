// Command sbom lists the modules that are in a Go program, as a CycloneDX document. The same program gives the same document.
//
//	go run ./scripts/sbom PROGRAM FILE
package main

import (
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: go run ./scripts/sbom PROGRAM FILE")
		os.Exit(64)
	}
	info, err := buildinfo.ReadFile(os.Args[1])
	if err == nil {
		err = write(os.Args[2], list(filepath.Base(os.Args[1]), info))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// document is the part of CycloneDX 1.6 that is used.
type document struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type    string `json:"type"`
	Ref     string `json:"bom-ref"`
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	PURL    string `json:"purl,omitempty"`
	Hashes  []sum  `json:"hashes,omitempty"`
}

type sum struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

// list is the document of a program.
func list(name string, info *buildinfo.BuildInfo) document {
	doc := document{Format: "CycloneDX", Spec: "1.6", Version: 1, Metadata: metadata{component{Type: "application", Ref: name, Name: info.Path}}}
	goVersion := strings.TrimPrefix(info.GoVersion, "go")
	purl := "pkg:golang/std@" + goVersion
	doc.Components = append(doc.Components, component{Type: "library", Ref: purl, Name: "std", Version: goVersion, PURL: purl})
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		purl := "pkg:golang/" + m.Path + "@" + m.Version
		doc.Components = append(doc.Components, component{Type: "library", Ref: purl, Name: m.Path, Version: m.Version, PURL: purl, Hashes: sums(m)})
	}
	return doc
}

// sums is the sum of go.sum, of a module's whole archive: base64 of SHA-256 behind "h1:".
func sums(m *debug.Module) []sum {
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:"))
	if err != nil || len(raw) != 32 {
		return nil
	}
	return []sum{{"SHA-256", hex.EncodeToString(raw)}}
}

func write(file string, doc document) error {
	text, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}
