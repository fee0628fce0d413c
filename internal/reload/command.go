package reload

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// maxCommandOutput is how many bytes of a command's output are kept, the last ones: they have the result.
const maxCommandOutput = 12 << 10

// command runs a command again, if the settings allow it. It is run as a program with arguments, without a shell.
func (p *replay) command(ctx context.Context, a Action, s *Step) {
	argv, ok := allowed(a.Command, p.cfg.Commands)
	if !ok {
		s.State, s.Note = Skipped, "not among the commands of aoa config reload.commands"
		return
	}
	ctx, cancel := context.WithTimeout(ctx, p.cfg.CommandTime)
	defer cancel()
	tail := &tail{limit: maxCommandOutput}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...) //nolint:gosec // the settings allow exactly this
	cmd.Dir, cmd.Stdout, cmd.Stderr = string(p.w.Root), tail, tail
	cmd.Env = append(slices.Clone(p.c.o.Env), "AOA=0") // what it does is no news
	cmd.WaitDelay = time.Second
	together(cmd)
	err := cmd.Run()
	s.State, s.Output = Done, tail.String()
	var exit *exec.ExitError
	switch {
	case ctx.Err() == context.DeadlineExceeded:
		s.State, s.Note = Diverged, fmt.Sprintf("not done within %s", p.cfg.CommandTime)
	case err != nil && !errors.As(err, &exit):
		s.State, s.Note = Refused, "it cannot be started: "+plain(err)
		if a.OK {
			s.State = Diverged
		}
	case err == nil && !a.OK:
		s.Note = "it had failed, and succeeds now"
	case err != nil && a.OK:
		s.State, s.Note = Diverged, fmt.Sprintf("it had succeeded, and ends with %s now", exit)
	case err != nil:
		s.Note = fmt.Sprintf("it had failed, and does again: %s", exit)
	}
}

// allowed splits a command if the list contains it: as it is, or with " *" in place of its last words. Words in place of a star are plain
// ones, which every shell would leave as they are.
func allowed(command string, list []string) (argv []string, ok bool) {
	if strings.ContainsAny(command, "|&;<>$`(){}[]!#~\"'\\\n\r\x00") {
		return nil, false
	}
	argv = strings.Fields(command)
	if len(argv) == 0 || strings.Contains(argv[0], "=") {
		return nil, false
	}
	for _, entry := range list {
		words := strings.Fields(entry)
		n := len(words)
		switch {
		case n == 0:
		case slices.Equal(words, argv) && !strings.ContainsAny(command, "*?"):
			return argv, true
		case n > 1 && words[n-1] == "*" && len(argv) >= n-1 && slices.Equal(words[:n-1], argv[:n-1]) && !strings.ContainsAny(command, "*?"):
			return argv, true
		}
	}
	return nil, false
}

// tail keeps the last bytes that are written to it.
type tail struct {
	limit int
	kept  []byte
	lost  int
}

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - 2*t.limit; over > 0 {
		t.cut()
	}
	return len(p), nil
}

func (t *tail) cut() {
	if over := len(t.kept) - t.limit; over > 0 {
		t.lost += over
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
}

func (t *tail) String() string {
	t.cut()
	s := strings.ToValidUTF8(string(t.kept), "�")
	if t.lost > 0 {
		s = fmt.Sprintf("… %d bytes before this\n", t.lost) + s
	}
	return s
}
