package index

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// traceOrder tells in which order a stack trace lists its frames.
type traceOrder uint8

const (
	single         traceOrder = iota // a single place, not part of a stack trace
	innermostFirst                   // Go, Java, JavaScript, Rust, C, Ruby, PHP
	outermostFirst                   // Python
)

// framePattern matches a frame in a line: a place in a program, as a stack trace, a compiler or a
// test names it. Its groups are called path and package.
type framePattern struct {
	hint  string // a substring of every matching line; searching for it first is faster than the regular expression
	order traceOrder
	*regexp.Regexp
}

// Parts of the patterns below.
const (
	codeExts = `(?:go|pyx?|pyi|rs|rb|php|java|kts?|scala|cs|c|cc|cpp|cxx|h|hpp|hh|m|mm|swift|[cm]?[jt]sx?|vue|svelte|lua|exs?|dart|zig|sql)`
	codeFile = `(?P<path>(?:[A-Za-z]:)?[^\s"'` + "`" + `()\[\]<>{},;:|]*[\w\]\-]\.` + codeExts + `)`
	anyFile  = `(?P<path>(?:[A-Za-z]:)?[^"'()\[\]<>{},;|]*?[\w\]\-]\.\w{1,6})`
	inLine   = `:\d+`
	function = `[\w.<>]+`
)

// framePatterns are tried in this order. They are compiled when the first text is read: most runs
// of the program read none.
var framePatterns = sync.OnceValue(func() []framePattern {
	return []framePattern{
		{"File \"", outermostFirst, regexp.MustCompile(`File "(?P<path>[^"<>]+)", line \d+(?:, in ` + function + `)?`)},
		// IPython:
		{"File ", outermostFirst, regexp.MustCompile(`^File (?P<path>\S+\.pyx?)` + inLine + `, in ` + function)},
		// IPython before version 8:
		{" in ", outermostFirst, regexp.MustCompile(`^/?\[?(?P<path>[^\s\[\]()]+\.py)(?:\]\(\S+\))? in ` + function + `\(`)},
		// pytest --tb=short:
		{".py:", outermostFirst, regexp.MustCompile(`^` + codeFile + inLine + `: in ` + function)},
		// pytest:
		{".py:", outermostFirst, regexp.MustCompile(`^` + codeFile + inLine + `: ?(?:[A-Z]\w*(?:\.\w+)*(?:$|:))?$`)},
		// names of tests, as pytest prints them:
		{".py::", single, regexp.MustCompile(codeFile + `::(?:\w+::)*\w+`)},
		// Go:
		{" +0x", innermostFirst, regexp.MustCompile(`^\s*` + anyFile + inLine + ` \+0x`)},
		// a failed test of Go:
		{"--- FAIL: ", single, regexp.MustCompile(`--- FAIL: \w+`)},
		// C#:
		{":line ", innermostFirst, regexp.MustCompile(`\bat [^\s(]+\(.*\) in (?P<path>.+?):line \d+`)},
		// PHP; below it, gdb and sanitizers:
		{"#", innermostFirst, regexp.MustCompile(`^\s*#\d+ (?P<path>[^\s()]+\.php)\(\d+\): [^\s()]+\(`)},
		{"#", innermostFirst, regexp.MustCompile(`^\s*#\d+\s+(?:0x[0-9a-f]+ in )?[\w:~.]+` +
			`(?: ?\(.*\))?(?: at)? ` + anyFile + inLine)}, // gdb, sanitizers
		{"at ", innermostFirst, regexp.MustCompile(`\bat (?:[\w.@-]*/)*(?P<package>(?:[\w$]+\.)+)[\w$<>]+` +
			`\((?P<path>\w+\.(?:java|kt|scala|groovy))` + inLine + `\)`)},
		{"at ", innermostFirst, regexp.MustCompile(`\bat (?:async )?(?:new )?[^\s()]+(?: \[as [^\]]+\])? ` +
			`\((?:file://)?(?P<path>[^()]+?)` + inLine + `:\d+\)`)}, // Node
		{"at ", innermostFirst, regexp.MustCompile(`\bpanicked at (?:'.*', )?` + anyFile + inLine + `:\d+`)},
		// Node and Rust; below it, Firefox:
		{"at ", innermostFirst, regexp.MustCompile(`^\s*at (?:async )?(?:file://)?` + anyFile + inLine + `(?::\d+)?\s*$`)},
		{"@", innermostFirst, regexp.MustCompile(`^\s*[\w$./<]*@` +
			`(?:https?://[^/\s]+|file://)?(?P<path>[^\s:]+\.\w+)` + inLine + `:\d+$`)}, // Firefox
		{"-->", single, regexp.MustCompile(`--> ` + anyFile + inLine + `:\d+`)}, // rustc
		// tsc and MSBuild:
		{"): error", single, regexp.MustCompile(`^\s*(?P<path>[^\s()]+)\(\d+,\d+\): error`)},
		{" on line ", single, regexp.MustCompile(`\bin (?P<path>\S+\.\w+) on line \d+`)},   // PHP
		{":in ", innermostFirst, regexp.MustCompile(codeFile + inLine + ":in [`'][^']+'")}, // Ruby
		{"file ", single, regexp.MustCompile(`\bfile ` + codeFile + `, line \d+`)},         // Swift
		{": (", single, regexp.MustCompile(`^[ew]: (?P<path>\S+\.kts?): \(\d+, \d+\)`)},    // kotlinc
		// compilers and tests in general:
		{":", single, regexp.MustCompile(`(?:^|[\s"'` + "`" + `(\[])(?:file://)?` + codeFile + inLine + `\b`)},
	}
})

// frameParser collects the frames of a text, trace by trace.
type frameParser struct {
	frames []string // paths as they are written, with slashes; "" for a test that the text only names
	traces []trace
	quiet  int // number of lines since the last frame
}

// trace is a run of frames that belong to one stack trace.
type trace struct {
	start int
	order traceOrder
}

// maxQuiet is the largest number of lines between two frames of one trace. IPython prints ten lines
// for each frame.
const maxQuiet = 40

// traceHeads are texts with which a new stack trace begins.
var traceHeads = []string{"Traceback (most", "During handling of", "The above exception", "Caused by:", "goroutine ",
	"panic: ",
	"Stack trace:"}

// line looks for a frame in the next line of the text.
func (f *frameParser) line(line string) {
	if f.quiet++; f.quiet > maxQuiet {
		f.end()
	}
	for _, head := range traceHeads {
		if strings.Contains(line, head) {
			f.end()
		}
	}
	if len(line) > 2048 || len(f.frames) >= maxFrames {
		return
	}
	line = strings.ReplaceAll(line, `\`, "/")
	for _, pattern := range framePatterns() {
		if !strings.Contains(line, pattern.hint) {
			continue
		}
		if at := pattern.FindStringSubmatch(line); at != nil {
			f.add(pattern, at)
			return
		}
	}
}

// end ends the trace.
func (f *frameParser) end() {
	if n := len(f.traces); n > 0 && f.traces[n-1].start < len(f.frames) {
		f.traces = append(f.traces, trace{start: len(f.frames)})
	}
}

func (f *frameParser) add(pattern framePattern, found []string) {
	group := func(name string) string {
		if i := pattern.SubexpIndex(name); i >= 0 {
			return found[i]
		}
		return ""
	}
	file := strings.TrimPrefix(strings.TrimSpace(group("path")), "./")
	if _, ofPage, found := strings.Cut(file, "://"); found {
		file = ofPage
	}
	if packages := group("package"); packages != "" { // com.foo.Bar.method(Bar.java:3) is in com/foo
		parts := strings.Split(strings.TrimSuffix(packages, "."), ".")
		file = strings.Join(append(parts[:len(parts)-1:len(parts)-1], file), "/")
	}
	n := len(f.traces)
	switch {
	case n > 0 && f.traces[n-1].start == len(f.frames):
		f.traces[n-1].order = pattern.order
	case n == 0 || f.traces[n-1].order != pattern.order || pattern.order == single:
		f.traces = append(f.traces, trace{len(f.frames), pattern.order})
	}
	f.frames, f.quiet = append(f.frames, file), 0
}

// ordered returns the frames. Those of one trace are ordered from the innermost to the outermost.
func (f *frameParser) ordered() []string {
	for i, t := range f.traces {
		end := len(f.frames)
		if i+1 < len(f.traces) {
			end = f.traces[i+1].start
		}
		if t.order == outermostFirst {
			slices.Reverse(f.frames[t.start:end])
		}
	}
	return f.frames
}
