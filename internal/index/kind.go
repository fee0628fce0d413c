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
	binaryExts = event.WordSet(`.png .jpg .jpeg .gif .webp .ico .icns .bmp .tif .tiff .svg .psd .pdf .woff .woff2 .ttf .otf
		.eot .mp3 .mp4 .wav .ogg .webm .mov .avi .zip .gz .tgz .bz2 .xz .zst .7z .tar .jar .war .whl .exe .dll .so .dylib
		.a .o .obj .lib .class .pyc .wasm .bin .dat .db .sqlite .fits .npy .npz .pkl .parquet .ai .eps .mo .snk .pfx .p12
		.keystore`)
	proseExts = event.WordSet(`.md .mdx .markdown .txt .rst .adoc .asciidoc .org .textile .rdoc .pod .tex .1 .5 .7 .8`)
	dataExts  = event.WordSet(`.json .jsonc .json5 .jsonl .ndjson .lock .sum .yaml .yml .toml .ini .cfg .conf .properties
		.csv .tsv .xml .plist .po .pot .map .ipynb .log .env .golden .snap .patch .diff .pem .crt .csproj .sln .xcscheme
		.pbxproj .xcworkspacedata .resx .editorconfig`)
	proseNames = event.WordSet(`readme license licence copying notice authors contributors maintainers changelog changes
		history news todo thanks codeowners`)
	dataNames = event.WordSet(`requirements.txt constraints.txt manifest.in go.mod go.sum go.work yarn.lock .gitignore
		.gitattributes .dockerignore .npmignore .eslintignore .prettierignore .prettierrc .eslintrc .babelrc .npmrc .nvmrc
		.mailmap .editorconfig py.typed robots.txt`)
	sourceNames = event.WordSet(`cmakelists.txt`)

	// testDirs are folders with tests wherever they are; topTestDirs are folders with tests only at
	// the root, because pkg/testing is a library for tests.
	testDirs = event.WordSet(`tests __tests__ __mocks__ __snapshots__ __fixtures__ spec specs testdata test-data test_data
		e2e testsuite test_suite test-suite androidtest testfixtures integrationtest integration-tests integration_tests
		unittests unit-tests testutil testutils test-utils test_utils test-util testhelper testhelpers test-helpers
		test_helpers cypress`)
	topTestDirs = event.WordSet(`testing`)

	// otherDirs are folders with files that other projects or tools wrote.
	otherDirs = event.WordSet(`node_modules bower_components jspm_packages vendor vendored _vendor _vendored third_party
		third-party thirdparty 3rdparty extern godeps pods carthage dist site-packages __pycache__ .venv .yarn`)
	otherEnds = strings.Fields(`.min.js .min.mjs .min.css .js.map .mjs.map .css.map .pb.go .pb.gw.go .pb.h .pb.cc
		.pb.validate.go _pb2.py _pb2.pyi _pb2_grpc.py _pb.js _pb.d.ts .gen.go .generated.go .gen.ts .generated.ts .g.dart
		.freezed.dart .g.cs .designer.cs .pyc`)
	desktopNames = event.WordSet(`.ds_store thumbs.db`)

	// testBases mark a test if a base name without its extension ends in one of them. camelTests do
	// the same in languages whose files are named after classes.
	testBases  = strings.Fields(`_test _tests -test .test .tests _spec -spec .spec .e2e .cy .stories`)
	camelTests = strings.Fields(`Test Tests TestCase TestBase IT Spec Specs`)
	camelExts  = event.WordSet(`.java .kt .kts .scala .groovy .cs .fs .vb .php .swift .m .mm .hs`)
	plainTests = event.WordSet(`test tests conftest testutil testutils test_helper spec_helper rails_helper`)
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
			top && topTestDirs[name] || name == "test" && (top || p.Ext() != ".py") {
			return true
		}
		top = false
	}
	return false
}

// testName reports whether the name of a file shows that it is a test.
func testName(base, ext string) bool {
	// ext is in lower case and may be longer than what it came from if that is not UTF-8
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
