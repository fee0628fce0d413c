package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/scripts/dev/recorded"
)

// The commands that the table of speed measures, for one commit of one repository.
const (
	speedRepo = "caddyserver/caddy"
	speedAt   = "v2.11.4"
	speedFile = "modules/caddyhttp/reverseproxy/reverseproxy.go"
	speedText = "retries use the wrong upstream after a dial timeout"
	rounds    = 11
)

// speed measures time and memory of commands in a clone, each the median of some rounds.
func (in inputs) speed(ctx context.Context) (string, error) {
	program, err := filepath.Abs(in.program)
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "aoa-speed-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	b := bench{ctx: ctx, dir: filepath.Join(dir, "clone"), env: append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir,
		"XDG_STATE_HOME="+dir, "XDG_CACHE_HOME="+dir, "XDG_RUNTIME_DIR="+dir,
		"PATH="+filepath.Dir(program)+":"+os.Getenv("PATH"))}
	clone := exec.CommandContext(ctx, "git", "clone", "-q", "-b", speedAt, recorded.CloneOf(in.repos, speedRepo), b.dir)
	if out, err := clone.CombinedOutput(); err != nil {
		return "", fmt.Errorf("clone %s: %w: %s", speedRepo, err, out)
	}
	defer b.run("aoa daemon stop")
	b.out.WriteString(recorded.Line("", "time", "memory of the command", "command"))
	b.out.WriteString(recorded.Line("---", "---:", "---:", "---"))
	b.row("learn the history", 1, "aoa init --yes --no-transcripts")
	b.row("files that go with a file", rounds, "aoa suggest "+speedFile)
	b.row("the same by hand: files of its commits", rounds, "git log --format=%H -- "+speedFile+
		" | git diff-tree --stdin -r --name-only --no-commit-id | sort | uniq -c | sort -rn | head")
	b.row("files that a text means", rounds, `aoa suggest -p "`+speedText+`"`)
	if _, err := exec.LookPath("rg"); err == nil {
		b.row("files with one of its words", rounds,
			`rg -ciw -e retries -e wrong -e upstream -e dial -e timeout | sort -t: -k2 -rn | head`)
	}
	b.row("what a change lacks", rounds, "aoa check "+speedFile)
	if b.err != nil {
		return "", b.err
	}
	status, _, err := b.run("aoa status --json")
	if err != nil {
		return "", err
	}
	var s struct {
		RSS int64 `json:"rss_bytes"`
	}
	if err := json.Unmarshal(status, &s); err != nil {
		return "", err
	}
	fmt.Fprintf(&b.out, "\nMedians of %[6]d runs on %[1]s at %[2]s, %[3]s/%[4]s, GOMAXPROCS %[5]d, with other work "+
		"on the machine. The daemon that answers takes %[7]d MB.\n",
		speedRepo, speedAt, runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0), rounds, s.RSS>>20)
	return b.out.String(), nil
}

// bench runs commands of a shell in a folder.
type bench struct {
	ctx context.Context
	dir string
	env []string
	out strings.Builder
	err error
}

// run returns what a command prints, and the most memory that one of its processes had, in bytes.
func (b *bench) run(command string) ([]byte, int64, error) {
	cmd := exec.CommandContext(b.ctx, "sh", "-c", command)
	var out, talk bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = b.dir, b.env, &out, &talk
	// Exit code 1 is an answer of rg and of aoa check, and no failure.
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 1 {
		return nil, 0, fmt.Errorf("%s: %w: %s", command, err, talk.Bytes())
	}
	return out.Bytes(), memoryOf(cmd.ProcessState), nil
}

// row measures a command and writes its line. Errors are kept and returned at the end.
func (b *bench) row(what string, times int, command string) {
	var took []time.Duration
	most := int64(0)
	for range times {
		begin := time.Now()
		_, memory, err := b.run(command)
		if err != nil {
			b.err = err
			return
		}
		took, most = append(took, time.Since(begin)), max(most, memory)
	}
	slices.Sort(took)
	median := took[len(took)/2]
	b.out.WriteString(recorded.Line(what, fmt.Sprintf("%.3g s", median.Seconds()), fmt.Sprintf("%d MB", most>>20),
		"`"+strings.ReplaceAll(command, "|", `\|`)+"`"))
}
