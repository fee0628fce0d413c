package index

import (
	"path"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// FileKind says what a file is for.
type FileKind uint8

// The kinds of files.
const (
	KindSource FileKind = iota // a program, or a file that builds one
	KindTest                   // a test, or a file that only tests read
	KindProse                  // a document for people
	KindData                   // data and settings, and files that a tool or another project wrote
	KindBinary                 // an image, an archive, a program
	kindCount                  // number of kinds
)

var (
	binaryExts, proseExts, dataExts    = wordSet("binary extensions"), wordSet("prose extensions"), wordSet("data extensions")
	proseNames, dataNames, sourceNames = wordSet("prose names"), wordSet("data names"), wordSet("source names")
	testDirs, otherDirs                = wordSet("test folders"), wordSet("others' folders")
	otherEnds                          = strings.Fields(wordLists["others' ends"])
	desktopNames                       = wordSet("desktop names")

	testBases, camelTests = strings.Fields(wordLists["test ends"]), strings.Fields(wordLists["test classes"])
	camelExts, plainTests = wordSet("class extensions"), wordSet("test names")
)

// KindOf returns the kind of a file by its path.
func KindOf(p event.Path) FileKind {
	base, ext := strings.ToLower(p.Base()), p.Ext()
	if binaryExts[ext] {
		return KindBinary
	}
	name := strings.TrimSuffix(base, ext)
	switch {
	case Generated(p):
		return KindData
	case inTestFolder(p) || testName(p.Base(), ext):
		return KindTest
	case sourceNames[base]:
		return KindSource
	case dataNames[base], dataExts[ext], strings.HasPrefix(base, "requirements") && ext == ".txt":
		return KindData
	case proseExts[ext], proseNames[base], proseNames[name] && ext == "":
		return KindProse
	}
	return KindSource
}

// Generated reports whether the name or the folders of a file show that a tool or another project
// wrote it.
func Generated(p event.Path) bool {
	base := strings.ToLower(p.Base())
	if p.Lock() || desktopNames[base] || strings.HasPrefix(base, "zz_generated.") && strings.HasSuffix(base, ".go") ||
		slices.ContainsFunc(otherEnds, func(end string) bool { return strings.HasSuffix(base, end) }) {
		return true
	}
	for dir := range strings.SplitSeq(p.Dir(), "/") {
		if otherDirs[strings.ToLower(dir)] {
			return true
		}
	}
	return false
}

// inTestFolder reports whether a file is in a folder of tests.
func inTestFolder(p event.Path) bool {
	top := true
	for name := range strings.SplitSeq(p.Dir(), "/") {
		name = strings.ToLower(name)
		// In Python pkg/test is often a library for tests: django/test.
		if testDirs[name] || strings.HasSuffix(name, ".tests") || strings.HasSuffix(name, ".test") ||
			top && name == "testing" || name == "test" && (top || p.Ext() != ".py") {
			return true
		}
		top = false
	}
	return false
}

// testName reports whether the name of a file shows that it is a test.
func testName(base, ext string) bool {
	// ext is in lower case, and may be longer than the extension in base if that is not UTF-8
	name := strings.TrimSuffix(base, path.Ext(base))
	if ext == "" {
		return false
	}
	if camelExts[ext] {
		for _, end := range camelTests {
			if before, found := strings.CutSuffix(name, end); found &&
				(before == "" || before[len(before)-1] > 'Z' || len(end) > 2) {
				return true
			}
		}
		if rest, found := strings.CutPrefix(name, "Test"); found && rest != "" && rest[0] >= 'A' && rest[0] <= 'Z' {
			return true
		}
	}
	name = strings.ToLower(name)
	if plainTests[name] || strings.HasPrefix(name, "test_") || strings.HasPrefix(name, "test-") {
		return true
	}
	name = strings.TrimSuffix(name, ".d") // x.test.d.ts
	for _, end := range testBases {
		if len(name) > len(end) && strings.HasSuffix(name, end) {
			return true
		}
	}
	return ext == ".t" || ext == ".bats"
}
