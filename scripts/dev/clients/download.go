//go:build unix

package clients

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// The clients that are tested. Their versions are in the table of agents: what a client does with a
// hook's text changes between releases, so updating one must be a decision and not an accident.
//
// Variables: AOA_CLIENTS=1 runs these tests (make test-clients), AOA_CLIENTS_DIR keeps the
// downloads, AOA_REQUIRE=clients makes a skip a failure.
var npmClients = map[string]string{
	"claude": "@anthropic-ai/claude-code", "codex": "@openai/codex", "qwen": "@qwen-code/qwen-code",
	"gemini":   "@google/gemini-cli",
	"opencode": "opencode-ai", "copilot": "@github/copilot",
}

// realClient returns the program of a client from npm, which it downloads if necessary. If that is
// not possible, it skips the test.
func realClient(t *testing.T, name string) string {
	t.Helper()
	if os.Getenv("AOA_CLIENTS") == "" {
		t.Skip("real clients are not run here: make test-clients runs them")
	}
	dir := clientsDir()
	agent, _ := agents.Find(name)
	pkg := npmClients[name] + "@" + agent.Driven
	place := filepath.Join(dir, name+pkg[strings.LastIndex(pkg, "@"):])
	if err := download(t.Context(), pkg, dir, place); err != nil {
		fault.Lacking(t, "clients", "%s is not here and cannot be had: %v", pkg, err)
	}
	program := filepath.Join(place, "node_modules", ".bin", name)
	cmd := exec.Command(program, "--version")
	cmd.Env = []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}
	out, err := cmd.Output()
	if err != nil {
		fault.Lacking(t, "clients", "%s does not run here: %v", pkg, err)
	}
	t.Logf("client %s, version %s", pkg, strings.TrimSpace(string(out)))
	return program
}

// clientsDir returns the folder for everything that is downloaded and built.
func clientsDir() string {
	if dir := os.Getenv("AOA_CLIENTS_DIR"); dir != "" {
		return dir
	}
	return filepath.Join(os.TempDir(), "aoa-clients")
}

// download installs a package with npm into its own folder, completely or not at all.
func download(ctx context.Context, pkg, dir, place string) error {
	if _, err := os.Stat(place); err == nil {
		return nil
	}
	if _, err := exec.LookPath("npm"); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	part, err := os.MkdirTemp(dir, ".part-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(part)
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "install", "--prefix", part, "--no-audit", "--no-fund", "--no-save",
		"--loglevel=error", "--fetch-retries=1", pkg)
	cmd.Dir, cmd.WaitDelay = part, time.Second
	cmd.Env = append(os.Environ(), "npm_config_cache="+filepath.Join(dir, "npm-cache"), "npm_config_update_notifier=false")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm install: %w: %s", err, strings.TrimSpace(string(out[:min(len(out), 400)])))
	}
	return os.Rename(part, place)
}
