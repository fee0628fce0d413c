// Command manual writes what a release has beside the programs: a man page of each command, made of its help text, and the
// completions of three shells. It runs the program that it describes.
//
//	go run ./scripts/manual AOA DIR
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: go run ./scripts/manual AOA DIR")
		os.Exit(64)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "manual:", err)
		os.Exit(1)
	}
}

// completions are files of the shells' names, as packages install them.
var completions = map[string]string{"bash": "aoa", "zsh": "_aoa", "fish": "aoa.fish"}

func write(program, dir string) error {
	program, err := filepath.Abs(program)
	if err != nil {
		return err
	}
	w := &writer{program, dir}
	if err := w.page(command{short: "which files of a repository are needed next"}); err != nil {
		return err
	}
	for shell, file := range completions {
		text, err := w.output("completion", shell)
		if err == nil {
			err = w.file(filepath.Join("completions", shell, file), text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// writer writes files about a program into a folder.
type writer struct{ program, dir string }

func (w *writer) output(args ...string) (string, error) {
	out, err := exec.Command(w.program, args...).Output()
	if err != nil {
		return "", fmt.Errorf("run aoa %s: %w", strings.Join(args, " "), err)
	}
	return string(out), nil
}

func (w *writer) file(name, text string) error {
	name = filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o644)
}

// page writes the page of a command, and those of its subcommands.
func (w *writer) page(c command) error {
	help, err := w.output(append([]string{"help"}, c.path...)...)
	if err != nil {
		return err
	}
	h := parse(help)
	if err := w.file(filepath.Join("man", c.name()+".1"), h.roff(c)); err != nil {
		return err
	}
	for _, sub := range h.commands {
		if sub.path[0] == "help" {
			continue
		}
		sub.path = append(c.path[:len(c.path):len(c.path)], sub.path...)
		if err := w.page(sub); err != nil {
			return err
		}
	}
	return nil
}

// command is a command with the line that says what it does: path is [hooks install] for aoa hooks install.
type command struct {
	path  []string
	short string
}

// name is how its page is called.
func (c command) name() string { return strings.Join(append([]string{"aoa"}, c.path...), "-") }

// help is a parsed help text.
type help struct {
	about    string
	sections []section
	commands []command
}

type section struct{ title, text string }

// entry is a line of a list of commands.
var entry = regexp.MustCompile(`^  (\S+) +(\S.*)$`)

// parse reads a help text: what the command is about, then sections. A section begins with a line that ends in a colon and is not
// indented.
func parse(text string) (h help) {
	about, rest, _ := strings.Cut(text, "\nUsage:\n")
	h.about = strings.TrimSpace(about)
	at := section{title: "Usage"}
	for line := range strings.Lines(rest + "\nEnd:\n") {
		line = strings.TrimRight(line, "\n")
		title, heads := strings.CutSuffix(line, ":")
		switch found := entry.FindStringSubmatch(line); {
		case heads && line[0] != ' ':
			at.text = strings.Trim(at.text, "\n")
			h.sections = append(h.sections, at)
			at = section{title: title}
		case strings.HasPrefix(line, `Use "aoa`):
		case found != nil && !isPlain(at.title):
			h.commands = append(h.commands, command{[]string{found[1]}, found[2]})
			at.text += line + "\n"
		default:
			at.text += line + "\n"
		}
	}
	return h
}

// isPlain reports whether a section lists no commands.
func isPlain(title string) bool {
	return title == "Usage" || title == "Examples" || title == "Flags" || title == "Global Flags"
}

// roff is a help text as a man page. Its lines stay as they are: they are made for 80 columns and more.
func (h help) roff(c command) string {
	var b strings.Builder
	name := c.name()
	fmt.Fprintf(&b, ".TH %q 1 \"\" \"aOa\" \"aOa\"\n.SH NAME\n%s \\- %s\n", strings.ToUpper(name), escape(name), escape(c.short))
	show := func(title, text string) {
		fmt.Fprintf(&b, ".SH %s\n.nf\n%s\n.fi\n", strings.ToUpper(escape(title)), escape(text))
	}
	for i, s := range h.sections {
		show(s.title, s.text)
		if i == 0 && h.about != "" {
			show("Description", h.about)
		}
	}
	if len(c.path) > 0 {
		parent := command{path: c.path[:len(c.path)-1]}
		show("See also", parent.name()+"(1)")
	}
	return b.String()
}

// escape keeps roff from reading a text as its own language.
func escape(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	return regexp.MustCompile(`(?m)^([.'])`).ReplaceAllString(text, `\&$1`)
}
