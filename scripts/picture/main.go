// Command picture writes the picture of the README: what a terminal shows when aOa learns a clone of a repository and
// is asked three questions. It needs git, and script of util-linux, which gives the program a terminal.
//
//	go run ./scripts/picture -aoa PROGRAM -repo DIR -at TAG -out FILE
package main

import (
	"bytes"
	"flag"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// columns is the width of the terminal, in characters.
const columns = 108

// shown are the commands of the picture, in the order in which they run. What they report beside their answer is left
// out.
var shown = []string{
	"aoa init",
	`aoa suggest -p "retries use the wrong upstream after a dial timeout" -n 3`,
	"git status --short",
	"aoa suggest",
}

// edited is the file that somebody changes before the last two.
const edited = "modules/caddyhttp/reverseproxy/streaming.go"

func main() {
	var o recording
	flag.StringVar(&o.program, "aoa", "bin/aoa", "the program")
	flag.StringVar(&o.repo, "repo", "", "a clone of the repository")
	flag.StringVar(&o.at, "at", "", "the tag to show")
	out := flag.String("out", "docs/picture.svg", "the picture")
	flag.Parse()
	text, err := o.record()
	if err == nil {
		err = os.WriteFile(*out, []byte(draw(text)), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

// recording is a run of the program in a home and a clone of its own.
type recording struct{ program, repo, at string }

// record returns what the terminal shows.
func (o recording) record() (string, error) {
	program, err := filepath.Abs(o.program)
	if err != nil {
		return "", err
	}
	repo, err := filepath.Abs(o.repo)
	if err != nil {
		return "", err
	}
	home, err := os.MkdirTemp("", "picture")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(home)
	env := []string{"HOME=" + home, "PATH=" + filepath.Dir(program) + ":" + os.Getenv("PATH"), "TERM=xterm-256color",
		"LANG=C.UTF-8",
		fmt.Sprint("COLUMNS=", columns)}
	dir := filepath.Join(home, strings.TrimSuffix(filepath.Base(repo), ".git"))
	run := func(dir, name string, args ...string) (string, error) {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = dir, env
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("%s %s: %w: %s%s", name, strings.Join(args, " "), err, &out, &errs)
		}
		return out.String(), nil
	}
	if _, err := run(home, "git", "-c", "advice.detachedHead=false", "clone", "-q", "--branch", o.at, repo,
		dir); err != nil {
		return "", err
	}
	defer run(dir, "aoa", "daemon", "stop")
	var text strings.Builder
	for i, command := range shown {
		if strings.HasPrefix(command, "git ") {
			if _, err := run(dir, "sh", "-c", "echo >>"+edited); err != nil {
				return "", err
			}
		}
		out, err := run(dir, "script", "-qec", command+" 2>/dev/null", "/dev/null")
		if err != nil {
			return "", err
		}
		if i > 0 {
			text.WriteString("\n")
		}
		fmt.Fprintf(&text, "\x1b[32m$\x1b[0m \x1b[1m%s\x1b[0m\n%s\n", command, strings.Trim(strings.ReplaceAll(out, "\r", ""),
			"\n"))
	}
	return strings.ReplaceAll(text.String(), home, "~"), nil
}

// Sizes in the picture's units.
const (
	wide, high   = 8.4, 20.0 // a character and a line, at a font size of 14
	left, top    = 18.0, 52.0
	below, right = 12.0, 18.0
)

// style is the look of the picture; the reader's system chooses between light and dark.
const style = `
.paper { fill: #ffffff; stroke: #d0d7de } .bar { fill: #f6f8fa } .dot { fill: #d0d7de }
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #1f2328; white-space: pre }
.strong { font-weight: 600 } .dim { fill: #6a737d } .prompt { fill: #1a7f37 }
@media (prefers-color-scheme: dark) {
  .paper { fill: #0d1117; stroke: #30363d } .bar { fill: #161b22 } .dot { fill: #30363d }
  text { fill: #e6edf3 } .dim { fill: #8b949e } .prompt { fill: #3fb950 }
}
`

// escape finds what changes the look of the following text.
var escape = regexp.MustCompile("\x1b\\[([0-9;]*)m")

// looks are the classes of what aOa prints.
var looks = map[string]string{"1": "strong", "2": "dim", "32": "prompt"}

// draw is a text with terminal escapes as an SVG. Each piece has its own place, so that columns are straight in every
// font.
func draw(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	width, height := left+columns*wide+right, top+float64(len(lines))*high+below
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" role="img">
<title>aOa in a terminal</title>
<style>%s</style>
<rect class="paper" x="0.5" y="0.5" width="%.0f" height="%.0f" rx="8"/>
<path class="bar" d="M1 9a8 8 0 0 1 8-8h%.0fa8 8 0 0 1 8 8v23H1z"/>
`, width, height, width, height, style, width-1, height-1, width-18)
	for i := range 3 {
		fmt.Fprintf(&b, `<circle class="dot" cx="%d" cy="17" r="6"/>`+"\n", 20+20*i)
	}
	class := ""
	for i, line := range lines {
		column := 0
		piece := func(text string) {
			if strings.TrimSpace(text) != "" {
				look := ""
				if class != "" {
					look = fmt.Sprintf(` class="%s"`, class)
				}
				fmt.Fprintf(&b, `<text%s x="%.1f" y="%.0f" xml:space="preserve">%s</text>`+"\n", look, left+float64(column)*wide,
					top+float64(i)*high,
					html.EscapeString(text))
			}
			column += len([]rune(text))
		}
		at := 0
		for _, m := range escape.FindAllStringSubmatchIndex(line, -1) {
			piece(line[at:m[0]])
			class, at = looks[line[m[2]:m[3]]], m[1]
		}
		piece(line[at:])
	}
	b.WriteString("</svg>\n")
	return b.String()
}
